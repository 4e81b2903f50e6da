"""`verify_grad`: gradients against finite differences."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import derivatives
from tensorflow_examples.custom_ops_doc.python_op import op as op_module
from tensorflow_examples.custom_ops_doc.python_op import seeding
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable


class GradientError(AssertionError):
    """A gradient is not what finite differences say.

    Attributes:
      arg: the position of the input; None where no single one is at fault.
      err_pos: the index of the worst element, a tuple.
      shape: the input's shape.
      val1: the gradient there, by the op.
      val2: the gradient there, by finite differences.
      abs_err: their absolute difference.
      rel_err: their relative difference.
      abs_tol: what `abs_err` may be.
      rel_tol: what `rel_err` may be. One of both must hold.
    """

    def __init__(self, message: str, arg: int | None = None, **attributes: Any):
        super().__init__(message)
        self.arg = arg
        for name in (
            "err_pos",
            "shape",
            "val1",
            "val2",
            "abs_err",
            "rel_err",
            "abs_tol",
            "rel_tol",
        ):
            setattr(self, name, attributes.get(name))


# By dtype, from the least precise on: the step of finite differences, and the
# absolute and relative tolerance of what comes of it.
_STEPS = {
    "bfloat16": (1e-1, 1e-1),
    "float16": (3e-2, 5e-2),
    "float32": (3e-4, 1e-2),
    "float64": (1e-7, 1e-4),
}


def tolerance(*dtypes: Any) -> float:
    """Returns how far gradients in the least precise of some dtypes may differ."""
    return _STEPS[_least_precise(*dtypes)][1]


class numeric_grad:  # noqa: N801
    """The gradient of a function at a point, by central differences.

    Attributes:
      gf: the gradient, a float64 array of the point's shape, or a list of them
        if the point is one. Of a function with a vector of values each element
        is a vector.
    """

    # The step by dtype.
    type_eps = {name: eps for name, (eps, _) in _STEPS.items()}

    def __init__(
        self,
        f: Callable[..., Any],
        pt: np.ndarray | Sequence[np.ndarray],
        eps: float | None = None,
    ):
        """Computes the gradient.

        Args:
          f: takes the arrays of `pt`, and returns a number or a vector.
          pt: an array, or a list or tuple of them, of floating-point dtype.
          eps: how far to go to either side of an element up to 1; for larger
            ones it is in proportion. None chooses by the least precise dtype.
        """
        points = list(pt) if isinstance(pt, (list, tuple)) else [pt]
        points = [np.array(p) for p in points]
        if eps is None:
            eps = max(self.type_eps[p.dtype.name] for p in points)
        value = np.asarray(f(*points), np.float64)
        gradients = []
        for p in points:
            gradient = np.zeros(p.shape + value.shape)
            for index in np.ndindex(p.shape):
                x = p[index]
                step = eps * max(1.0, abs(float(x)))
                with np.errstate(all="ignore"):
                    above, up = self._value_at(f, points, p, index, x + step)
                    below, down = self._value_at(f, points, p, index, x - step)
                if not np.isfinite(below).all():
                    # The function may end here, as sqrt does at 0.
                    below, down = value, float(x)
                elif not np.isfinite(above).all():
                    above, up = value, float(x)
                p[index] = x
                gradient[index] = (above - below) / (up - down)
            gradients.append(gradient)
        self.gf = gradients if isinstance(pt, (list, tuple)) else gradients[0]

    @staticmethod
    def _value_at(f, points, p, index, x):
        p[index] = x
        # The dtype rounds the step, too.
        return np.asarray(f(*points), np.float64), float(p[index])

    @staticmethod
    def abs_rel_err(a: np.ndarray, b: np.ndarray) -> tuple:
        """Returns |a - b|, and that over |a| + |b|, element by element."""
        absolute = np.abs(a - b)
        return absolute, absolute / np.maximum(np.abs(a) + np.abs(b), 1e-8)


def verify_grad(
    fun: Callable[..., Any],
    pt: Sequence[np.ndarray],
    n_tests: int = 2,
    rng: Any = None,
    eps: float | None = None,
    out_type: Any = None,
    abs_tol: float | None = None,
    rel_tol: float | None = None,
    mode: Any = None,
    cast_to_output_type: bool = False,
    no_debug_ref: bool = True,
) -> None:
    """Fails unless the gradient of a function agrees with finite differences.

    What is differentiated are random projections of the outputs: sums of their
    elements, of all outputs, with random weights from 0.5 to 1.5. The gradients
    are computed both eagerly and in a `tf.function`. One that is disconnected
    counts as zeros.

    >>> verify_grad(DoubleOp1(), [np.random.rand(5, 7, 2)])
    >>> verify_grad(lambda x: dot(x, constant), [np.random.rand(3, 4)])

    Args:
      fun: an Op, or any function of tensors that returns one, or a list of
        them. It is called with variables; if it cannot work with those, as a
        Keras layer, with `tf.Tensor`s. An Op is traced for inputs of unknown
        dimensions, another function for the point's shapes.
      pt: the point: a list with an array of floating-point numbers for each
        input. For other inputs let `fun` be a lambda that holds them.
      n_tests: the number of projections.
      rng: draws the projections: a `np.random.Generator` or `RandomState`, or
        `np.random`. None makes one of `fetch_seed()`.
      eps: the step of the differences. None chooses by the least precise dtype
        of inputs and outputs, see `numeric_grad.type_eps`.
      out_type: a dtype that the outputs must have. Complex ones cannot be.
      abs_tol: the absolute tolerance. None is 1e-4 for float64, 1e-2 for
        float32, 5e-2 for float16, 1e-1 for bfloat16: the least precise dtype.
      rel_tol: the relative tolerance, likewise. It is of |a| + |b|.
      mode: a `DebugMode` or `NanGuardMode` in which the gradient is computed.
      cast_to_output_type: whether the projections, for the differences, are
        summed in the output's dtype instead of float64.
      no_debug_ref: whether the differences are computed outside of `mode`.

    Raises:
      GradientError: If a gradient is wrong in value, shape or dtype, is not
        finite, or cannot be computed.
      TypeError: If an input is not of a floating-point dtype, an output is
        complex, no output is of a floating-point dtype, or one is not of
        `out_type`.
      ValueError: If `n_tests` is less than 1, or all inputs are empty.
      NotImplementedError: If an op has no gradient.
      NullTypeGradError: If an op's gradient is undefined or not implemented.
    """
    points = _floating_points(pt)
    if n_tests < 1:
        raise ValueError(f"n_tests must be 1 or more, but is {n_tests}")
    seed = None
    if rng is None:
        seed = seeding.fetch_seed()
        rng = np.random.default_rng(seed)
    tensors = [tf.constant(p) for p in points]
    call = _caller(fun, tensors)
    outputs = call(tensors)
    differentiable = _differentiable(outputs, out_type)
    least = _least_precise(
        *(p.dtype for p in points),
        *(outputs[i].dtype.as_numpy_dtype for i in differentiable),
    )
    default_eps, default_tol = _STEPS[least]
    abs_tol = default_tol if abs_tol is None else abs_tol
    rel_tol = default_tol if rel_tol is None else rel_tol

    projections = _projections(outputs, differentiable, n_tests, rng)

    def project(*arrays):
        values = [y.numpy() for y in call([tf.constant(a) for a in arrays])]
        sums = []
        for projection in projections:
            total = 0.0
            for i, weights in projection.items():
                y = values[i]
                if not cast_to_output_type:
                    y, weights = (
                        y.astype(np.float64),
                        weights.astype(np.float64),
                    )
                total += float(np.sum(y * weights))
            sums.append(total)
        return sums

    reference_mode = contextlib.nullcontext()
    if mode is not None and not no_debug_ref:
        reference_mode = mode
    with reference_mode:
        eps = default_eps if eps is None else eps
        numeric = numeric_grad(project, points, eps).gf

    check = _GradientCheck(fun, points, abs_tol, rel_tol, seed)
    for how, gradients_of in (
        ("eagerly", _gradients),
        ("in a tf.function", _traced_gradients),
    ):
        try:
            with mode or contextlib.nullcontext():
                gradients = gradients_of(fun, call, tensors, projections)
        except (NotImplementedError, derivatives.NullTypeGradError):
            raise
        except Exception as e:
            if mode is not None:
                raise  # It may be what the mode found.
            raise GradientError(
                f"verify_grad of {_name(fun)}: the gradient cannot be computed "
                f"{how}: {e}\n{check.reproduce()}"
            ) from e
        for k in range(n_tests):
            what = f"{how}, projection {k + 1} of {n_tests}"
            check(what, gradients[k], [g[..., k] for g in numeric])


# As in `try: verify_grad(...)`, `except verify_grad.E_grad as e`.
verify_grad.E_grad = GradientError


def _floating_points(pt: Sequence[Any]) -> list[np.ndarray]:
    if not isinstance(pt, (list, tuple)):
        raise TypeError(
            f"verify_grad takes a list of arrays, one for each input, but was "
            f"given a {type(pt).__name__}"
        )
    points = [np.array(p) for p in pt]
    for i, p in enumerate(points):
        if p.dtype.name in _STEPS:
            continue
        why = (
            "It knows no derivatives of complex numbers: test the real and the "
            "imaginary part as inputs of their own"
            if p.dtype.kind == "c"
            else "Let the function hold what is not to be differentiated by: "
            "lambda x: op(x, k)"
        )
        raise TypeError(
            f"verify_grad takes inputs of dtype {', '.join(_STEPS)}, but input "
            f"{i} is of dtype {p.dtype}. {why}"
        )
    if not sum(p.size for p in points):
        raise ValueError(
            f"verify_grad has nothing to differentiate by: the inputs' shapes "
            f"are {[p.shape for p in points]}"
        )
    return points


def _caller(fun, tensors) -> Callable[[Sequence[tf.Tensor]], list[tf.Tensor]]:
    """Returns a function of a list of tensors that returns `fun`'s outputs."""

    def with_tensors(tensors):
        return [tf.convert_to_tensor(y) for y in tf.nest.flatten(fun(*tensors))]

    def with_variables(tensors):
        return with_tensors(
            [tensor_variable.as_tensor_variable(t) for t in tensors]
        )

    # A tf.function or a Keras layer looks at its arguments' classes.
    if isinstance(fun, tf.__internal__.tracking.Trackable):
        return with_tensors
    try:
        with_variables(tensors)
    except Exception as error:
        try:
            with_tensors(tensors)
        except Exception:
            raise error from None
        return with_tensors
    return with_variables


def _differentiable(outputs, out_type) -> list[int]:
    """Returns the positions of the outputs that can be differentiated."""
    wanted = None if out_type is None else tf.as_dtype(out_type)
    if wanted is not None and wanted.is_complex:
        raise TypeError(
            f"verify_grad knows no derivatives of complex outputs, and out_type "
            f"is {wanted.name}: let the function return tf.math.real and "
            f"tf.math.imag of them"
        )
    found = []
    for i, y in enumerate(outputs):
        if y.dtype.is_complex:
            raise TypeError(
                f"verify_grad knows no derivatives of complex outputs, and "
                f"output {i} is of dtype {y.dtype.name}: let the function return "
                f"tf.math.real and tf.math.imag of it"
            )
        if wanted is not None and y.dtype != wanted:
            raise TypeError(
                f"output {i} is of dtype {y.dtype.name}, but out_type is "
                f"{wanted.name}"
            )
        if y.dtype.is_floating:
            found.append(i)
    if not found:
        raise TypeError(
            f"verify_grad has nothing to differentiate: the outputs are of dtype "
            f"{', '.join(y.dtype.name for y in outputs) or 'none'}"
        )
    return found


def _least_precise(*dtypes: Any) -> str:
    names = {np.dtype(d).name for d in dtypes}
    return next(name for name in _STEPS if name in names)


def _projections(
    outputs, differentiable, n_tests, rng
) -> list[dict[int, np.ndarray]]:
    """Returns, for each projection, the weights of each output's elements."""

    def weights(i):
        # Not too small, or differences would be lost in rounding.
        drawn = rng.uniform(0.5, 1.5, size=tuple(outputs[i].shape))
        return np.asarray(drawn).astype(outputs[i].dtype.as_numpy_dtype)

    return [{i: weights(i) for i in differentiable} for _ in range(n_tests)]


def _gradients(fun, call, tensors, projections) -> list[list[tf.Tensor | None]]:
    """Returns, for each projection, the gradient for each input."""
    del fun
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        outputs = call(tensors)
    return [
        tape.gradient(
            [outputs[i] for i in projection],
            tensors,
            [tf.constant(w) for w in projection.values()],
        )
        for projection in projections
    ]


def _traced_gradients(fun, call, tensors, projections):
    """As `_gradients`, in a graph."""

    def shape(tensor):
        if not isinstance(fun, op_module.Op):
            return tensor.shape
        return [None] * len(tensor.shape)

    specs = [tf.TensorSpec(shape(t), t.dtype) for t in tensors]
    traced = tf.function(
        lambda *xs: _gradients(fun, call, list(xs), projections),
        autograph=False,
    )
    return traced.get_concrete_function(*specs)(*tensors)


class _GradientCheck:
    """Compares gradients, and says what is wrong with them."""

    def __init__(self, fun, points, abs_tol, rel_tol, seed):
        self._fun = fun
        self._points = points
        self._abs_tol = abs_tol
        self._rel_tol = rel_tol
        self._seed = seed

    def reproduce(self) -> str:
        """Returns how to have the same random numbers again."""
        if self._seed is None:
            return "The projections are drawn from the rng that was given."
        return (
            f"The projections are drawn with seed {self._seed}: "
            f"config.unittests.rseed = {self._seed}, or PYTHON_OP_RSEED="
            f"{self._seed} in the environment, draws them again."
        )

    def __call__(self, what, gradients, numeric) -> None:
        """Raises GradientError if one of the inputs' gradients is wrong."""
        worst = None
        for i, (p, g, n) in enumerate(
            zip(self._points, gradients, numeric, strict=True)
        ):
            if g is None:
                analytic = np.zeros(p.shape)
            else:
                self._check_type(what, i, p, g)
                analytic = g.numpy().astype(np.float64)
            found = self._worst(i, analytic, n, g is None)
            if found and (worst is None or found["excess"] > worst["excess"]):
                worst = found
        if worst is not None:
            self._fail(what, **worst)

    def _check_type(self, what, i, p, g):
        if tuple(g.shape) == p.shape and g.dtype == tf.as_dtype(p.dtype):
            return
        raise GradientError(
            f"verify_grad of {_name(self._fun)} ({what}): the gradient with "
            f"respect to input {i} has shape {tuple(g.shape)} and dtype "
            f"{g.dtype.name}, but the input has shape {p.shape} and dtype "
            f"{p.dtype}",
            arg=i,
            shape=p.shape,
        )

    def _worst(self, i, analytic, numeric, disconnected):
        with np.errstate(all="ignore"):
            absolute, relative = numeric_grad.abs_rel_err(analytic, numeric)
            excess = np.minimum(
                absolute / self._abs_tol, relative / self._rel_tol
            )
        finite = np.isfinite(analytic) & np.isfinite(numeric)
        excess = np.where(finite, np.where(absolute == 0, 0, excess), np.inf)
        if not (excess > 1).any():
            return None
        index = np.unravel_index(np.argmax(excess), excess.shape)
        return {
            "excess": excess[index],
            "arg": i,
            "err_pos": tuple(map(int, index)),
            "val1": float(analytic[index]),
            "val2": float(numeric[index]),
            "abs_err": float(absolute[index]),
            "rel_err": float(relative[index]),
            "n_wrong": int((excess > 1).sum()),
            "disconnected": disconnected,
        }

    def _fail(self, what, excess, n_wrong, disconnected, **worst):
        del excess
        p = self._points[worst["arg"]]
        note = " (disconnected)" if disconnected else ""
        raise GradientError(
            f"verify_grad of {_name(self._fun)} ({what}): the gradient with "
            f"respect to input {worst['arg']} is wrong in {n_wrong} of {p.size} "
            f"elements, worst at {list(worst['err_pos'])}\n"
            f"  gradient          : {worst['val1']:.9g}{note}\n"
            f"  finite differences: {worst['val2']:.9g}\n"
            f"  abs. error        : {worst['abs_err']:.6g}, tolerance "
            f"{self._abs_tol:g}\n"
            f"  rel. error        : {worst['rel_err']:.6g}, tolerance "
            f"{self._rel_tol:g}\n"
            f"  input {worst['arg']}           : shape {p.shape}, dtype "
            f"{p.dtype}, there {p[worst['err_pos']]!s}\n"
            f"{self.reproduce()}",
            shape=p.shape,
            abs_tol=self._abs_tol,
            rel_tol=self._rel_tol,
            **worst,
        )


def _name(fun: Any) -> str:
    if isinstance(fun, op_module.Op):
        return str(fun)
    return getattr(fun, "__name__", None) or str(fun)
