"""Checks of `opcheck` that vary shapes: unknown, empty, scalar, strided."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import opcheck_subject
from tensorflow_examples.custom_ops_doc.python_op import python_op

Failed = opcheck_subject.Failed
NotSupported = opcheck_subject.NotSupported
Skipped = opcheck_subject.Skipped

# So many sets of unknown dimensions are tried of a sample.
_MOST_SETS = 32


def static_shape(subject: Any) -> str:
    """Whatever is known of the inputs' shapes, what is told of the outputs' holds.

    Each set of the inputs' dimensions is unknown once, if there are not too many;
    then all dimensions, each alone, none, and a sample of the rest. So is the
    rank of every input at once.
    """
    notes = []
    for sample in subject.samples:
        real = list(opcheck_subject.shapes_of(subject.reference(sample)))
        sets, total = _unknown_sets(subject, sample)
        for unknown in sets:
            shapes = _with_unknown(sample, unknown)
            steps = _tracing(sample, shapes)
            try:
                traced = subject.traced(sample, shapes)
            except Exception as e:
                raise Failed(
                    f"sample {sample.index}: inputs of shapes {shapes} are "
                    f"refused: {type(e).__name__}: "
                    f"{opcheck_subject.first_line(e)}",
                    steps,
                ) from e
            _compare_static(sample, traced, real, shapes, steps)
        notes.append(f"{len(sets)} of {total} sets of unknown dimensions")
        shapes = [None] * len(sample.arrays)
        try:
            traced = subject.traced(sample, shapes)
        except Exception as e:
            if not subject.is_python:
                raise Failed(
                    f"inputs of unknown rank are refused: "
                    f"{opcheck_subject.first_line(e)}",
                    _tracing(sample, shapes),
                ) from e
            notes.append("needs to know the rank")
        else:
            _compare_static(
                sample, traced, real, shapes, _tracing(sample, shapes)
            )
        if subject.is_python:
            _check_infer_shape(subject, sample, real)
    return "; ".join(dict.fromkeys(notes))


def _unknown_sets(subject, sample):
    dimensions = [
        (i, axis) for i, x in enumerate(sample.arrays) for axis in range(x.ndim)
    ]
    total = 2 ** len(dimensions)
    if total <= _MOST_SETS:
        sizes = range(len(dimensions) + 1)
        return [
            set(c) for n in sizes for c in itertools.combinations(dimensions, n)
        ], total
    sets = [set(), set(dimensions), *({d} for d in dimensions)][:_MOST_SETS]
    rng = subject.rng("static shape")
    while len(sets) < _MOST_SETS:
        chosen = rng.random(len(dimensions)) < 0.5
        candidate = {d for d, c in zip(dimensions, chosen, strict=True) if c}
        if candidate not in sets:
            sets.append(candidate)
    return sets, total


def _with_unknown(sample, unknown):
    return [
        [None if (i, axis) in unknown else n for axis, n in enumerate(x.shape)]
        for i, x in enumerate(sample.arrays)
    ]


def _tracing(sample, shapes):
    specs = ", ".join(
        f"tf.TensorSpec({shape}, tf.{tf.as_dtype(x.dtype).name})"
        for shape, x in zip(shapes, sample.arrays, strict=True)
    )
    return [
        "traced = tf.function(op).get_concrete_function(",
        f"    {specs})",
        "print(traced.output_shapes)",
    ]


def _compare_static(sample, traced, real, shapes, steps):
    for i, (y, shape) in enumerate(
        # What comes after the outputs is the state.
        zip(traced.structured_outputs, real, strict=False)
    ):
        if shape is not None and not y.shape.is_compatible_with(shape):
            raise Failed(
                f"sample {sample.index}: output {i} is told to have shape "
                f"{y.shape} where the inputs have shapes {shapes}, but it has "
                f"shape {shape}",
                steps,
            )


def _check_infer_shape(subject, sample, real):
    """Checks shapes that infer_shape computes while a graph runs."""
    if not callable(getattr(subject.op, "infer_shape", None)):
        return

    shapes_of_outputs = opcheck_subject.graph_function(
        lambda *xs: [python_op.shape(y) for y in subject.call(sample, xs)],
        sample.specs(),
    )
    found = shapes_of_outputs(*opcheck_subject.tensors_of(sample.arrays))
    for i, (shape, x) in enumerate(zip(found, real, strict=False)):
        if tuple(shape.numpy()) != x:
            raise Failed(
                f"sample {sample.index}: infer_shape gives output {i} the shape "
                f"{tuple(map(int, shape.numpy()))}, but it has shape {x}",
                [
                    "from tensorflow_examples.custom_ops_doc.python_op import"
                    " python_op",
                    "print(tf.function(lambda *xs: python_op.shape(op(*xs)))"
                    f"(*samples[{sample.index}]))",
                ],
            )


def empty_inputs(subject: Any) -> str:
    """The op takes inputs without elements."""
    tried, refused = [], []
    for sample in subject.samples:
        sizes = sorted({n for x in sample.arrays for n in x.shape if n > 0})
        for gone in [*({n} for n in sizes), set(sizes)]:
            if not gone:
                continue
            arrays = [
                x[tuple(slice(0 if n in gone else None) for n in x.shape)]
                for x in sample.arrays
            ]
            variant = sample.with_arrays(arrays)
            shapes = [x.shape for x in arrays]
            if shapes in tried or shapes in refused:
                continue
            ran = _try_variant(subject, variant, "empty")
            (tried if ran else refused).append(shapes)
    if not tried:
        raise Skipped(
            "there are no dimensions that can be 0"
            if not refused
            else f"refused: {_shapes_text(refused)}"
        )
    note = f"; refused: {_shapes_text(refused)}" if refused else ""
    return f"{_shapes_text(tried)}{note}"


def _shapes_text(shapes):
    return " and ".join(
        ", ".join(str(tuple(s)) for s in each) for each in shapes
    )


def zero_rank_inputs(subject: Any) -> str:
    """The op takes scalars, if it does not refuse them."""
    for sample in subject.samples:
        if all(x.ndim == 0 for x in sample.arrays):
            raise Skipped("the sample has scalars alone")
        if any(x.size == 0 for x in sample.arrays):
            continue
        arrays = [np.array(x[(0,) * x.ndim], x.dtype) for x in sample.arrays]
        variant = sample.with_arrays(arrays)
        if not _try_variant(subject, variant, "zero-rank"):
            raise Skipped("refused")
        return ""
    raise Skipped("the samples are empty")


def _try_variant(subject, variant, what):
    """Runs an op with other shapes; returns whether it takes them."""
    shapes = [x.shape for x in variant.arrays]
    steps = [
        "inputs = [",
        *(
            f"    {opcheck_subject.array_source(x)},  # input {i}"
            for i, x in zip(variant.free, variant.arrays, strict=True)
        ),
        "]",
        "print(op(*inputs))",
        "print(tf.function(op)(*inputs))",
    ]
    try:
        traced = subject.traced(variant, shapes)
    except Exception:
        # Nothing agrees with such shapes, or the op is none of scalars.
        return False
    try:
        eager = subject.eager(variant)
    except Exception as e:
        # A kernel may refuse what a shape function cannot know. A Python op
        # says so in make_node or infer_shape.
        if not subject.is_python and isinstance(
            e, tf.errors.InvalidArgumentError
        ):
            return False
        if isinstance(e, IndexError) and _indexes_nothing(variant):
            return False
        raise Failed(
            f"{what} inputs of shapes {shapes} are accepted, but then: "
            f"{type(e).__name__}: {opcheck_subject.first_line(e)}",
            steps,
        ) from e
    if subject.results.get("static shape") == "pass":
        real = list(opcheck_subject.shapes_of(eager))
        _compare_static(variant, traced, real, shapes, steps)
    if subject.results.get("eager equals graph") == "pass":
        subject.compare(
            variant,
            eager,
            subject.graph(variant),
            f"between eager code and a graph for {what} inputs of shapes "
            f"{shapes}",
            steps,
        )
    if subject.results.get("gradient") == "pass":
        _check_gradient_shapes(subject, variant, shapes, what, steps)
    return True


def _indexes_nothing(variant) -> bool:
    """Whether there are integers that may be indices into what is now empty."""
    return any(x.size == 0 for x in variant.arrays) and any(
        x.size and x.dtype.kind in "iu" for x in variant.arrays
    )


def _check_gradient_shapes(subject, variant, shapes, what, steps):
    tensors = opcheck_subject.tensors_of(variant.arrays)
    for i, x in zip(variant.free, tensors, strict=True):
        if not (x.dtype.is_floating or x.dtype.is_complex):
            continue
        with tf.GradientTape() as tape:
            tape.watch(x)
            ys = [
                y
                for y in subject.call(variant, tensors)
                if y.dtype.is_floating or y.dtype.is_complex
            ]
        try:
            gradient = tape.gradient(ys, x)
        except python_op.NullTypeGradError:
            continue
        except Exception as e:
            raise Failed(
                f"the gradient with respect to input {i} fails for {what} inputs "
                f"of shapes {shapes}: {type(e).__name__}: "
                f"{opcheck_subject.first_line(e)}",
                steps,
            ) from e
        if gradient is not None and gradient.shape != x.shape:
            raise Failed(
                f"the gradient with respect to {what} input {i} has shape "
                f"{gradient.shape}, but the input has shape {x.shape}",
                steps,
            )


def strided_inputs(subject: Any) -> str:
    """The op takes arrays with any strides."""
    if not subject.is_python:
        raise Skipped("a tensor is always contiguous")
    if all(x.ndim == 0 for s in subject.samples for x in s.arrays):
        raise Skipped("the samples are scalars")
    for sample in subject.samples:
        for name, change in _STRIDES.items():
            inputs = list(sample.inputs)
            for i, x in zip(sample.free, sample.arrays, strict=True):
                inputs[i] = change(x)
            steps = [
                f"inputs = ...  # samples[{sample.index}] as {name} arrays",
                "print(op(*inputs))",
            ]
            try:
                results = subject.op(*inputs, return_list=True)
            except Exception as e:
                raise Failed(
                    f"{name} inputs: {type(e).__name__}: "
                    f"{opcheck_subject.first_line(e)}",
                    steps,
                ) from e
            found = [opcheck_subject.value_of(y) for y in results]
            expected = subject.reference(sample)[: len(found)]
            subject.compare(
                sample, expected, found, f"for {name} inputs", steps
            )
    return ", ".join(_STRIDES)


def _every_second(x):
    whole = np.repeat(x, 2, axis=-1) if x.ndim else x
    return whole[..., ::2] if x.ndim else whole


def _backwards(x):
    flip = (slice(None, None, -1),) * x.ndim
    return np.ascontiguousarray(x[flip])[flip] if x.ndim else x


def _transposed(x):
    return np.array(x, order="F")


# Each gives the same values.
_STRIDES = {
    "column-major": _transposed,
    "every-second-element": _every_second,
    "backwards": _backwards,
}
