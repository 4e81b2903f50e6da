"""Checks of `opcheck` that compare derivatives to finite differences.

A derivative along a random direction is estimated by the five-point formula
(8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h, whose error is of the
order h^4, for two steps. Elements of the outputs for which the two disagree are
left out: the function has a kink there, or an edge of its domain.

TensorFlow's gradient of a real L by a complex x is dL/dRe(x) + i dL/dIm(x), so
that dL = Re(sum(conj(gradient) * dx)).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import array_comparison
from tensorflow_examples.custom_ops_doc.python_op import opcheck_subject
from tensorflow_examples.custom_ops_doc.python_op import python_op

Failed = opcheck_subject.Failed
NotSupported = opcheck_subject.NotSupported
Skipped = opcheck_subject.Skipped

_DIRECTIONS = 2


@dataclasses.dataclass(frozen=True)
class _Precision:
    """How finite differences are taken in a dtype.

    Attributes:
      step: h for inputs of the order of 1.
      tolerance: the relative error that is no fault.
      epsilon: the dtype's.
      smallest: inputs below it get no smaller steps.
    """

    step: float
    tolerance: float
    epsilon: float
    smallest: float


_PRECISIONS = {
    np.dtype(np.float64): _Precision(2.0**-9, 1e-6, 2.0**-52, 1e-150),
    np.dtype(np.float32): _Precision(2.0**-5, 3e-3, 2.0**-23, 1e-18),
}
_PRECISIONS[np.dtype(np.complex128)] = _PRECISIONS[np.dtype(np.float64)]
_PRECISIONS[np.dtype(np.complex64)] = _PRECISIONS[np.dtype(np.float32)]


@dataclasses.dataclass(frozen=True)
class _Slope:
    """A derivative of one output along a direction, by finite differences.

    Attributes:
      value: array of the output's shape, zero where it is unreliable.
      error: array, how far off it may be.
      reliable: array of bool.
    """

    value: np.ndarray
    error: np.ndarray
    reliable: np.ndarray


@dataclasses.dataclass
class _Case:
    """One sample, with directions and slopes.

    Attributes:
      sample: the sample.
      inputs: positions, among the sample's arrays, of those to differentiate by.
      outputs: positions of the outputs that are differentiable.
      directions: for each direction a dict from input to array.
      slopes: for each direction a dict from input to a list of `_Slope`, one for
        each of `outputs`.
    """

    sample: Any
    inputs: list[int]
    outputs: list[int]
    directions: list[dict[int, np.ndarray]]
    slopes: list[dict[int, list[_Slope]]]


def _has_slope(dtype: np.dtype) -> bool:
    return np.dtype(dtype) in _PRECISIONS


def _cases(subject) -> list[_Case]:
    """Returns the samples to differentiate, made once.

    Raises:
      Skipped: If there is nothing to differentiate.
    """
    if hasattr(subject, "derivative_cases"):
        return subject.derivative_cases
    if not subject.comparable:
        raise Skipped("outputs differ from call to call")
    cases = []
    why = "finite differences need inputs of float32 or float64"
    for sample in subject.samples:
        inputs = [
            i
            for i, x in enumerate(sample.arrays)
            if _has_slope(x.dtype) and x.size
        ]
        values = _outputs(subject, sample, sample.arrays)
        outputs = [
            k
            for k, y in enumerate(values)
            if y is not opcheck_subject.OPAQUE and _has_slope(y.dtype)
        ]
        if not inputs:
            continue
        if not outputs:
            why = "finite differences need outputs of float32 or float64"
            continue
        rng = subject.rng(f"directions {sample.index}")
        directions = [
            {i: _random(rng, sample.arrays[i]) for i in inputs}
            for _ in range(_DIRECTIONS)
        ]
        slopes = [
            {i: _slopes(subject, sample, outputs, {i: d[i]}) for i in inputs}
            for d in directions
        ]
        cases.append(_Case(sample, inputs, outputs, directions, slopes))
    if not cases:
        raise Skipped(why)
    subject.derivative_cases = cases
    return cases


def _outputs(subject, sample, arrays) -> list:
    """Returns the op's outputs, without its state."""
    subject.reset()
    tensors = opcheck_subject.tensors_of(arrays)
    return [opcheck_subject.value_of(y) for y in subject.call(sample, tensors)]


def _random(rng, like) -> np.ndarray:
    """Returns numbers of absolute values in [0.5, 1) and any sign."""

    def real():
        sign = rng.choice([-1.0, 1.0], like.shape)
        return sign * rng.uniform(0.5, 1.0, like.shape)

    value = real() + 1j * real() if like.dtype.kind == "c" else real()
    return np.asarray(value).astype(like.dtype)


def _moved(sample, direction, step):
    arrays = list(sample.arrays)
    for i, d in direction.items():
        x = arrays[i]
        arrays[i] = np.asarray(x + np.asarray(step * d).astype(x.dtype))
    return arrays


def _step(sample, direction) -> tuple[float, _Precision]:
    """Returns h for a direction: the inputs' size, and their dtypes, tell it."""
    precision = max(
        (_PRECISIONS[sample.arrays[i].dtype] for i in direction),
        key=lambda p: p.epsilon,
    )
    sizes = np.concatenate(
        [np.abs(sample.arrays[i]).ravel() for i in direction]
    )
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    scale = min(1.0, float(np.median(sizes))) if sizes.size else 1.0
    return precision.step * max(scale, precision.smallest), precision


def _five_points(function, h) -> tuple[list, list[float], list]:
    """Returns derivatives at 0 of arrays, the arrays' sizes, and their kinks.

    A kink is by how much the slopes on the two sides differ: of a smooth
    function it is in proportion to h.
    """
    here = function(0.0)
    near, far = (
        [(a, b) for a, b in zip(function(s), function(-s), strict=True)]
        for s in (h, 2 * h)
    )
    wide = [
        np.complex128 if a.dtype.kind == "c" else np.float64 for a, _ in near
    ]
    with np.errstate(all="ignore"):
        slopes = [
            (8 * (a.astype(w) - b.astype(w)) - (c.astype(w) - d.astype(w)))
            / (12 * h)
            for w, (a, b), (c, d) in zip(wide, near, far, strict=True)
        ]
        kinks = [
            np.abs(a.astype(w) - 2 * x.astype(w) + b.astype(w)) / h
            for w, x, (a, b) in zip(wide, here, near, strict=True)
        ]
    return slopes, [_largest(a) for a, _ in near], kinks


def _largest(x) -> float:
    x = np.abs(x[np.isfinite(x)])
    return float(x.max()) if x.size else 0.0


def _slopes(subject, sample, outputs, direction) -> list[_Slope]:
    h, precision = _step(sample, direction)

    def at(step):
        values = _outputs(subject, sample, _moved(sample, direction, step))
        shapes = [subject.reference(sample)[k].shape for k in outputs]
        return [
            # A shape that depends on values has no derivative.
            y if y.shape == shape else np.full(shape, np.nan, y.dtype)
            for y, shape in zip(
                (values[k] for k in outputs), shapes, strict=True
            )
        ]

    coarse, sizes, wide_kinks = _five_points(at, h)
    fine, _, kinks = _five_points(at, h / 4)
    slopes = []
    for a, b, size, wide_kink, kink in zip(
        coarse, fine, sizes, wide_kinks, kinks, strict=True
    ):
        with np.errstate(all="ignore"):
            noise = 8 * precision.epsilon * size / (h / 4)
            error = precision.tolerance * np.abs(b) + noise
            # Written so that NaN is not reliable.
            reliable = (np.abs(a - b) <= error) & (
                kink <= 0.5 * wide_kink + error
            )
        value = np.where(reliable, b, 0)
        slopes.append(_Slope(value, np.where(reliable, error, 0), reliable))
    return slopes


def _note(case: _Case) -> str:
    all_slopes = [s for d in case.slopes for each in d.values() for s in each]
    left_out = sum(int((~s.reliable).sum()) for s in all_slopes)
    total = sum(s.value.size for s in all_slopes)
    if not left_out:
        return ""
    if left_out == total:
        raise Skipped("finite differences do not converge at the sample")
    return f"{left_out} of {total} finite differences did not converge"


def _number(subject, case, i) -> int:
    return case.sample.free[i]


def _steps(case, *lines) -> list[str]:
    index = case.sample.index
    return [
        f"inputs = [tf.constant(x) for x in samples[{index}]]",
        *lines,
    ]


# Gradients.

_NO_GRADIENT = "it defines no grad"


def _defines(op, *methods) -> bool:
    return any(
        getattr(type(op), m) is not getattr(python_op.Op, m) for m in methods
    )


def _has_gradient(subject) -> bool:
    return not subject.is_python or _defines(
        subject.op, "grad", "L_op", "pullback"
    )


def _vjp(subject, case, wrt, cotangents):
    """Returns gradients for given cotangents, as tensors or None.

    Args:
      subject: the subject.
      case: the case.
      wrt: which of `case.inputs` to watch.
      cotangents: dict from outputs to arrays; the other outputs are not used.
    """

    def gradients(*tensors):
        watched = [tensors[i] for i in wrt]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            ys = subject.call(case.sample, tensors)
        return tape.gradient(
            [ys[k] for k in cotangents],
            watched,
            [tf.constant(w) for w in cotangents.values()],
        )

    return gradients


def _called(function, case):
    return function(*opcheck_subject.tensors_of(case.sample.arrays))


def _dense(gradient):
    return None if gradient is None else tf.convert_to_tensor(gradient).numpy()


def gradient(subject: Any) -> str:
    """The gradient is what finite differences say, for each input and output."""
    if not _has_gradient(subject):
        raise NotSupported(_NO_GRADIENT)
    notes = []
    for case in _cases(subject):
        note = _note(case)
        if note:
            notes.append(note)
        rng = subject.rng(f"cotangents {case.sample.index}")
        missing, worst = {}, 0.0
        for i in case.inputs:
            for ks in _sets_of_outputs(case):
                for d, direction in enumerate(case.directions):
                    slopes = case.slopes[d][i]
                    found = _one_gradient(subject, case, i, ks, rng, slopes)
                    if isinstance(found, str):
                        missing[i] = found
                        continue
                    worst = max(
                        worst,
                        _check_gradient(
                            case, i, ks, slopes, direction[i], found
                        ),
                    )
        _explain_missing(subject, case, missing)
        for i, why in missing.items():
            notes.append(f"input {_number(subject, case, i)}: {why}")
        notes.append(f"relative error {worst:.0e}")
    return "; ".join(dict.fromkeys(notes))


def _sets_of_outputs(case) -> list[list[int]]:
    """Positions in `case.outputs`: all, and each alone, the rest unused."""
    everything = list(range(len(case.outputs)))
    if len(everything) == 1:
        return [everything]
    return [everything, *([k] for k in everything)]


def _one_gradient(subject, case, i, ks, rng, slopes):
    """Returns cotangents and the gradient of an input, or why there is none."""
    cotangents = {}
    for k in ks:
        slope = slopes[k]
        w = _random(rng, _like(subject, case, k))
        cotangents[case.outputs[k]] = np.where(slope.reliable, w, 0).astype(
            w.dtype
        )
    try:
        (result,) = _called(_vjp(subject, case, [i], cotangents), case)
    except python_op.NullTypeGradError:
        return "declared to be null"
    except Exception as e:
        if _is_unregistered(e):
            raise NotSupported(
                f"no gradient: {opcheck_subject.first_line(e)}"
            ) from e
        raise Failed(
            f"the gradient with respect to input {_number(subject, case, i)} "
            f"fails: {type(e).__name__}: {opcheck_subject.first_line(e)}",
            _tape_lines(case, i),
        ) from e
    if result is None:
        size = max((_largest(slopes[k].value) for k in ks), default=0)
        error = max((_largest(slopes[k].error) for k in ks), default=0)
        return "none" if size <= error else "none, but it has an influence"
    return cotangents, _dense(result)


def _is_unregistered(error) -> bool:
    """Whether an error says that a kernel has no gradient."""
    return type(error) is LookupError and "gradient" in str(error).lower()


def _like(subject, case, k):
    return subject.reference(case.sample)[case.outputs[k]]


def _tape_lines(case, i):
    i = case.sample.free[i]
    return _steps(
        case,
        "with tf.GradientTape() as tape:",
        f"    tape.watch(inputs[{i}])",
        "    y = op(*inputs)",
        f"print(tape.gradient(y, inputs[{i}]))",
    )


def _check_gradient(case, i, ks, slopes, direction, found) -> float:
    """Raises Failed if a gradient is wrong, and returns its relative error."""
    cotangents, result = found
    x = case.sample.arrays[i]
    number = case.sample.free[i]
    if result.shape != x.shape or result.dtype != x.dtype:
        raise Failed(
            f"the gradient with respect to input {number} is of "
            f"{result.dtype} {result.shape}, but the input of {x.dtype} "
            f"{x.shape}",
            _tape_lines(case, i),
        )
    expected = error = size = 0.0
    for k in ks:
        w = np.asarray(cotangents[case.outputs[k]])
        expected += float(np.vdot(w, slopes[k].value).real)
        error += float(np.sum(np.abs(w) * slopes[k].error))
        size += float(np.sum(np.abs(w * slopes[k].value)))
    wide = np.complex128 if result.dtype.kind == "c" else np.float64
    got = float(np.vdot(result.astype(wide), direction.astype(wide)).real)
    # The gradient itself is computed in the input's dtype.
    epsilon = _PRECISIONS[x.dtype].epsilon
    error += (
        8 * epsilon * float(np.sum(np.abs(result.astype(wide) * direction)))
    )
    if not abs(got - expected) <= error:
        which = ", ".join(str(case.outputs[k]) for k in ks)
        raise Failed(
            f"sample {case.sample.index}: the gradient of output {which} with "
            f"respect to input {number} gives {got:.9g} along a random "
            f"direction, but finite differences give {expected:.9g} (tolerance "
            f"{error:.1e})",
            _tape_lines(case, i),
        )
    return abs(got - expected) / size if size else 0.0


def _explain_missing(subject, case, missing) -> None:
    """Raises where gradients are None that should not be."""
    wrong = [i for i, why in missing.items() if "influence" in why]
    if wrong and not subject.is_python and len(missing) == len(case.inputs):
        raise NotSupported("it is registered to have no gradient")
    for i in wrong:
        raise Failed(
            f"sample {case.sample.index}: the gradient with respect to input "
            f"{_number(subject, case, i)} is None, but the input has an "
            f"influence by finite differences",
            _tape_lines(case, i),
        )
    if len(missing) == len(case.inputs) and not wrong:
        raise NotSupported(
            "no input has a gradient: " + ", ".join(set(missing.values()))
        )


def _needs_gradient(subject) -> None:
    result = subject.results.get("gradient")
    if result is None:  # It was not asked for, but it is the basis.
        try:
            gradient(subject)
        except Failed as e:
            raise Skipped("see gradient") from e
    elif result == "FAIL":
        raise Skipped("the gradient is wrong")
    elif result != "pass":
        raise Skipped("there is no gradient")


def _differentiable(subject, case) -> list[int]:
    """Returns the inputs that have a gradient."""
    found = []
    for i in case.inputs:
        ones = {
            k: np.ones_like(subject.reference(case.sample)[k])
            for k in case.outputs
        }
        try:
            (result,) = _called(_vjp(subject, case, [i], ones), case)
        except python_op.NullTypeGradError:
            continue
        if result is not None:
            found.append(i)
    return found


def gradient_in_graph(subject: Any) -> str:
    """The gradient in a `tf.function` is that in eager code."""
    if not _has_gradient(subject):
        raise NotSupported(_NO_GRADIENT)
    _needs_gradient(subject)
    for case in _cases(subject):
        rng = subject.rng(f"graph {case.sample.index}")
        wrt = _differentiable(subject, case)
        cotangents = {
            k: _random(rng, subject.reference(case.sample)[k])
            for k in case.outputs
        }
        vjp = _vjp(subject, case, wrt, cotangents)
        eager = _called(vjp, case)
        in_graph = _called(
            opcheck_subject.graph_function(vjp, case.sample.specs()),
            case,
        )
        for i, a, b in zip(wrt, eager, in_graph, strict=True):
            number = _number(subject, case, i)
            a, b = _dense(a), _dense(b)
            steps = [
                *_tape_lines(case, i),
                "# and the same in a tf.function",
            ]
            if (a is None) != (b is None):
                where = "a graph" if b is None else "eager code"
                raise Failed(
                    f"the gradient with respect to input {number} is None in "
                    f"{where} alone",
                    steps,
                )
            if a is not None and not array_comparison.close(a, b):
                raise Failed(
                    f"sample {case.sample.index}: the gradient with respect to "
                    f"input {number} differs between eager code and a "
                    f"tf.function: {array_comparison.difference(a, b)}",
                    steps,
                )
    return ""


# Forward mode.


def forward_mode(subject: Any) -> str:
    """The Jacobian times a vector is what finite differences say."""
    own = subject.is_python and _defines(subject.op, "R_op", "pushforward")
    if not own:
        if not _has_gradient(subject):
            raise NotSupported("it defines neither R_op nor grad")
        _needs_gradient(subject)
    for case in _cases(subject):
        _note(case)
        wrt = [
            i
            for i in (case.inputs if own else _differentiable(subject, case))
            if case.sample.arrays[i].dtype.kind == "f"
        ]
        if not wrt:
            raise Skipped("TensorFlow's forward mode is of real numbers")
        sets = [wrt] if len(wrt) < 2 else [wrt, *([i] for i in wrt)]
        for d, direction in enumerate(case.directions):
            for chosen in sets:
                _check_tangents(subject, case, d, direction, chosen)
    return "by R_op" if own else "by two gradients"


def _check_tangents(subject, case, d, direction, chosen):
    def jvp(*tensors):
        primals = [tensors[i] for i in chosen]
        tangents = [tf.constant(direction[i]) for i in chosen]
        with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
            ys = subject.call(case.sample, tensors)
        return [accumulator.jvp(ys[k]) for k in case.outputs]

    numbers = [case.sample.free[i] for i in chosen]
    steps = _steps(
        case,
        f"primals = [inputs[i] for i in {numbers}]",
        "tangents = [tf.ones_like(x) for x in primals]",
        "with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:",
        "    y = op(*inputs)",
        "print(accumulator.jvp(y))",
    )
    whose = f"of inputs {', '.join(map(str, numbers))}"
    try:
        found = _called(jvp, case)
    except Exception as e:
        if _is_unregistered(e):
            raise NotSupported(opcheck_subject.first_line(e)) from e
        raise Failed(
            f"the tangents {whose} fail: {type(e).__name__}: "
            f"{opcheck_subject.first_line(e)}",
            steps,
        ) from e
    for k, tangent in enumerate(found):
        slopes = [case.slopes[d][i][k] for i in chosen]
        expected = sum(s.value for s in slopes)
        error = sum(s.error for s in slopes)
        reliable = np.logical_and.reduce([s.reliable for s in slopes])
        tangent = _dense(tangent)
        got = np.zeros_like(expected) if tangent is None else tangent
        output = case.outputs[k]
        if got.shape != expected.shape:
            raise Failed(
                f"the tangent of output {output} has shape {got.shape}, but the "
                f"output has shape {expected.shape}",
                steps,
            )
        far = reliable & ~(np.abs(got - expected) <= 2 * error)
        if far.any():
            at = np.unravel_index(np.argmax(far), far.shape)
            where = f" at {tuple(map(int, at))}" if at else ""
            shown = "None" if tangent is None else f"{got[at]:.9g}"
            raise Failed(
                f"sample {case.sample.index}: the tangent of output {output} "
                f"for tangents {whose} is {shown}{where}, but finite "
                f"differences give {expected[at]:.9g}",
                steps,
            )


# Second derivatives.


def second_derivative(subject: Any) -> str:
    """The second derivative is symmetric, and what finite differences say."""
    if not _has_gradient(subject):
        raise NotSupported(_NO_GRADIENT)
    _needs_gradient(subject)
    notes = []
    for case in _cases(subject):
        wrt = [
            i
            for i in _differentiable(subject, case)
            if case.sample.arrays[i].dtype.kind == "f"
        ]
        if not wrt:
            raise Skipped("no real input has a gradient")
        notes.append(_check_second(subject, case, wrt))
    return "; ".join(dict.fromkeys(filter(None, notes)))


def _check_second(subject, case, wrt) -> str:
    rng = subject.rng(f"second {case.sample.index}")
    cotangents = {
        k: _random(rng, subject.reference(case.sample)[k]) for k in case.outputs
    }
    first = _vjp(subject, case, wrt, cotangents)
    u, v = case.directions[0], case.directions[1]

    def along(direction, *tensors):
        """The first derivative along a direction."""
        gradients = first(*tensors)
        return tf.add_n(
            [
                tf.reduce_sum(
                    tf.cast(tf.convert_to_tensor(g) * direction[i], tf.float64)
                )
                for i, g in zip(wrt, gradients, strict=True)
                if g is not None
            ]
        )

    def second(direction, *tensors):
        watched = [tensors[i] for i in wrt]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            value = along(direction, *tensors)
        return tape.gradient(value, watched)

    steps = _steps(
        case,
        f"x = [inputs[i] for i in {[case.sample.free[i] for i in wrt]}]",
        "with tf.GradientTape() as outer:",
        "    outer.watch(x)",
        "    with tf.GradientTape() as inner:",
        "        inner.watch(x)",
        "        y = op(*inputs)",
        "    g = inner.gradient(y, x)",
        "print(outer.gradient(g, x))",
    )
    tensors = opcheck_subject.tensors_of(case.sample.arrays)
    try:
        rows = [second(u, *tensors), second(v, *tensors)]
    except (NotImplementedError, python_op.NullTypeGradError) as e:
        raise NotSupported(opcheck_subject.first_line(e)) from e
    except LookupError as e:
        if not _is_unregistered(e):
            raise
        raise NotSupported(opcheck_subject.first_line(e)) from e
    uv = _inner(rows[0], v, wrt)
    vu = _inner(rows[1], u, wrt)

    chosen = {i: v[i] for i in wrt}
    h, precision = _step(case.sample, chosen)

    def at(step):
        moved = opcheck_subject.tensors_of(_moved(case.sample, chosen, step))
        return [along(u, *moved).numpy()]

    (coarse,), (size,), _ = _five_points(at, h)
    (fine,), _, _ = _five_points(at, h / 4)
    noise = 8 * precision.epsilon * size / (h / 4)
    slack = sum(
        float(np.sum(np.abs(_dense(row) * other[i])))
        for rows_, other in ((rows[0], v), (rows[1], u))
        for i, row in zip(wrt, rows_, strict=True)
        if row is not None
    )
    error = precision.tolerance * max(abs(float(fine)), slack) + noise
    if not abs(uv - vu) <= error:
        raise Failed(
            f"sample {case.sample.index}: the second derivative is not "
            f"symmetric: along two directions {uv:.9g}, in the other order "
            f"{vu:.9g}",
            steps,
        )
    if not abs(float(coarse) - float(fine)) <= error:
        return "symmetric; finite differences do not converge"
    if not abs(uv - float(fine)) <= error:
        raise Failed(
            f"sample {case.sample.index}: the second derivative gives {uv:.9g} "
            f"along two directions, but finite differences of the gradient give "
            f"{float(fine):.9g} (tolerance {error:.1e})",
            steps,
        )
    if all(row is None for each in rows for row in each):
        return "zero"
    return ""


def _inner(gradients: Sequence, direction: dict, wrt: Sequence[int]) -> float:
    total = 0.0
    for i, g in zip(wrt, gradients, strict=True):
        if g is not None:
            wide = _dense(g).astype(np.float64)
            total += float(np.sum(wide * direction[i]))
    return total
