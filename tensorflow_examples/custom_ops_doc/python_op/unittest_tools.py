"""Tools to test ops with: their values, shapes and gradients.

    from tensorflow_examples.custom_ops_doc.python_op import python_op as theano
    from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt

    class DoubleTest(utt.InferShapeTester):
        def test_values(self):
            x = theano.tensor.matrix()
            f = theano.function([x], Double()(x))
            value = np.random.rand(5, 4)
            utt.assert_allclose(value * 2, f(value))

        def test_infer_shape(self):
            x = theano.tensor.matrix()
            self._compile_and_check(
                [x], [Double()(x)], [np.random.rand(5, 4)], Double
            )

        def test_grad(self):
            utt.verify_grad(Double(), [np.random.rand(5, 7, 2)])

`R_op` is tested by `rop_lop_checker`. What these tools raise is an
AssertionError, so that a test that fails is told from one that cannot run.
"""

from __future__ import annotations

import copy
import itertools
import sys
import warnings
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import execution
from tensorflow_examples.custom_ops_doc.python_op import function as functions
from tensorflow_examples.custom_ops_doc.python_op import gradient_check
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import seeding

fetch_seed = seeding.fetch_seed
seed_rng = seeding.seed_rng
GradientError = gradient_check.GradientError
numeric_grad = gradient_check.numeric_grad
verify_grad = gradient_check.verify_grad

# Values.

_SINGLE_TOLERANCES = ((1e-5, 1e-5), (1e-4, 1e-3), (5e-4, 1e-3))
_DOUBLE_TOLERANCES = ((1e-8, 1e-5), (1e-3, 1e-4), (1e-3, 1e-4))
# By dtype, from the least precise on: the absolute and the relative tolerance
# for each cmp_sloppy.
_TOLERANCES = {
    "bfloat16": ((1e-2, 1e-2), (5e-2, 1e-1), (1e-1, 5e-1)),
    "float16": ((1e-3, 1e-3), (5e-3, 1e-2), (1e-2, 5e-2)),
    "complex64": _SINGLE_TOLERANCES,
    "float32": _SINGLE_TOLERANCES,
    "complex128": _DOUBLE_TOLERANCES,
    "float64": _DOUBLE_TOLERANCES,
}
_EXACT_TOLERANCES = ((0.0, 0.0),) * 3


class WrongValue(AssertionError):  # noqa: N818
    """A value is not close to what it should be.

    Attributes:
      val1: the expected value, an array.
      val2: the value, an array.
      rtol: the relative tolerance that held.
      atol: the absolute tolerance that held.
    """

    def __init__(self, message, expected, value, rtol, atol):
        super().__init__(message)
        self.val1 = expected
        self.val2 = value
        self.rtol = rtol
        self.atol = atol


def assert_allclose(
    expected: Any,
    value: Any,
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Fails unless all elements of a value are close to what is expected.

    They are where |expected - value| <= atol + rtol * |expected|. NaN is close
    to nothing, an infinity to itself alone; the shapes must be equal.

    The tolerances that are not given are those of the less precise dtype of the
    two, and of the setting `config.tensor.cmp_sloppy`:

        dtype                atol, rtol for 0   for 1          for 2
        float64, complex128  1e-8, 1e-5         1e-3, 1e-4     1e-3, 1e-4
        float32, complex64   1e-5, 1e-5         1e-4, 1e-3     5e-4, 1e-3
        float16              1e-3, 1e-3         5e-3, 1e-2     1e-2, 5e-2
        bfloat16             1e-2, 1e-2         5e-2, 1e-1     1e-1, 5e-1

    Integers, bools and strings must be equal.

    Args:
      expected: the value that would be right: an array, a tensor, a number.
      value: the value under test.
      rtol: the relative tolerance.
      atol: the absolute tolerance.

    Raises:
      WrongValue: If they differ. It says where and by how much.
      ValueError: If `config.tensor.cmp_sloppy` is not 0, 1 or 2.
    """
    expected, value = np.asarray(expected), np.asarray(value)
    tolerances = _tolerances(expected.dtype, value.dtype)
    default_atol, default_rtol = tolerances[_cmp_sloppy()]
    atol = default_atol if atol is None else atol
    rtol = default_rtol if rtol is None else rtol
    if expected.shape != value.shape:
        raise WrongValue(
            f"the value has shape {value.shape}, but {expected.shape} is "
            f"expected\n{_describe_both(expected, value)}",
            expected,
            value,
            rtol,
            atol,
        )
    if not _is_numeric(expected.dtype) or not _is_numeric(value.dtype):
        differs = np.asarray(expected != value)
        absolute = relative = excess = differs.astype(np.float64)
    else:
        absolute, relative, excess = _differences(expected, value, rtol, atol)
        differs = ~(excess <= 1)
    if not differs.any():
        return
    raise WrongValue(
        f"the value differs from what is expected in {differs.sum()} of "
        f"{differs.size} elements\n"
        f"  worst       : {_at(excess, expected, value, absolute, relative)}\n"
        f"  max abs diff: {_at(absolute, expected, value, absolute, relative)}\n"
        f"  max rel diff: {_at(relative, expected, value, absolute, relative)}\n"
        f"{_describe_both(expected, value)}\n"
        f"  tolerances  : |expected - value| <= {atol:g} + {rtol:g} * |expected| "
        f"(config.tensor.cmp_sloppy is {config.tensor.cmp_sloppy})",
        expected,
        value,
        rtol,
        atol,
    )


def _cmp_sloppy() -> int:
    sloppy = config.tensor.cmp_sloppy
    if isinstance(sloppy, bool) or sloppy not in (0, 1, 2):
        raise ValueError(
            f"config.tensor.cmp_sloppy must be 0, 1 or 2, but is {sloppy!r}"
        )
    return int(sloppy)


def _is_numeric(dtype: np.dtype) -> bool:
    # Bfloat16 and its like are of kind "V".
    return dtype.kind in "biufcV"


def _tolerances(*dtypes: np.dtype) -> tuple[tuple[float, float], ...]:
    names = [d.name for d in dtypes]
    for name, tolerances in _TOLERANCES.items():
        if name in names:
            return tolerances
    return _EXACT_TOLERANCES


def _differences(expected, value, rtol, atol):
    """Returns |difference|, relative to |expected|, and over the tolerance."""
    wide = (
        np.complex128
        if "c" in expected.dtype.kind + value.dtype.kind
        else (np.longdouble)
    )
    a, b = expected.astype(wide), value.astype(wide)
    with np.errstate(all="ignore"):
        absolute = np.asarray(np.where(a == b, 0.0, np.abs(a - b)))
        relative = absolute / np.abs(a)
        excess = absolute / (atol + rtol * np.abs(a))
    # NaN differs infinitely; so does a wrong infinity, of which it comes.
    return tuple(
        np.where(absolute == 0, 0.0, np.where(np.isnan(d), np.inf, d)).astype(
            np.float64
        )
        for d in (absolute, relative, excess)
    )


def _at(measure, expected, value, absolute, relative) -> str:
    index = np.unravel_index(np.argmax(measure), measure.shape)
    text = (
        f"{list(map(int, index))}: expected {expected[index]!s}, "
        f"value {value[index]!s}"
    )
    if _is_numeric(expected.dtype) and _is_numeric(value.dtype):
        text += (
            f", abs diff {absolute[index]:.6g}, rel diff {relative[index]:.6g}"
        )
    return text


def _describe_both(expected: np.ndarray, value: np.ndarray) -> str:
    return (
        f"  expected    : {_describe(expected)}\n"
        f"  value       : {_describe(value)}"
    )


def _describe(array: np.ndarray) -> str:
    text = f"shape {array.shape}, dtype {array.dtype}"
    if array.size and _is_numeric(array.dtype) and array.dtype.kind != "c":
        numbers = array.astype(np.longdouble)
        n_nan, n_inf = np.isnan(numbers).sum(), np.isinf(numbers).sum()
        text += f", min {array.min()!s}, max {array.max()!s}"
        if n_nan or n_inf:
            text += f", {n_nan} NaN, {n_inf} infinite"
    return text


# Test classes.


class SeededTestCase(tf.test.TestCase):
    """A test whose random numbers are the same each time.

    A subclass with a `setUp` of its own calls this one's first.
    """

    # TensorFlow's class has this method, which loaders of tests take for a test.
    test_session = None

    def setUp(self):
        """Seeds the sources of random numbers, see `seed_rng`."""
        super().setUp()
        seed_rng()


class InferShapeTester(SeededTestCase):
    """Tests of `infer_shape`, by `_compile_and_check`."""

    def _compile_and_check(
        self,
        inputs: Sequence[graph.Variable],
        outputs: Sequence[graph.Variable],
        numeric_inputs: Sequence[Any],
        cls: type | tuple[type, ...],
        excluding: Sequence[str] | None = None,
        warn: bool = True,
        check_topo: bool = True,
    ) -> None:
        """Fails unless an op's `infer_shape` is right, and spares the op.

        A function is made of the outputs' shapes alone. No op of `cls` may be in
        its graph, and its results must be the shapes that the outputs have. They
        must be so too with some of the inputs' dimensions known and some not, for
        up to 16 such choices.

        Args:
          inputs: symbolic variables, as for `function`.
          outputs: symbolic variables that depend on them.
          numeric_inputs: a value for each input. An input's dimensions should
            all differ, or it cannot be seen which of them an output has.
          cls: the class of the op under test, or a tuple of classes.
          excluding: names of graph rewrites to leave out. There are none here,
            so it changes nothing.
          warn: whether to warn of inputs with equal dimensions.
          check_topo: whether no op of `cls` may be in the graph of the shapes.
            An op without `infer_shape` needs False.

        Raises:
          AssertionError: If a shape is wrong; if an op of `cls` is run for a
            shape; or if none is needed for the outputs either.
        """
        del excluding
        if warn:
            _warn_of_equal_dimensions(inputs, numeric_inputs, cls)
        outputs_function = functions.function(inputs, list(outputs))
        shapes_function = functions.function(inputs, [y.shape for y in outputs])
        if not applies_in(outputs_function, cls):
            self.fail(
                f"no op of {_class_names(cls)} is in the graph of the outputs: "
                f"the ops there are "
                f"{[str(n.op) for n in applies_in(outputs_function)]}"
            )
        needed = applies_in(shapes_function, cls)
        if check_topo and needed:
            self.fail(
                f"the shapes alone need {needed} to be run: infer_shape is "
                f"missing, returns None, or needs the op's own output"
            )
        arrays = [
            v.type.filter(x)
            for v, x in zip(inputs, numeric_inputs, strict=True)
        ]
        wanted = [y.shape for y in outputs_function(*arrays)]
        shapes = [tuple(s.tolist()) for s in shapes_function(*arrays)]
        self._check_shapes(outputs, shapes, wanted, "no dimension known")
        for known in _choices_of_known_dimensions(inputs, arrays):
            shapes = _shapes_with(inputs, outputs, arrays, known)
            self._check_shapes(
                outputs, shapes, wanted, f"inputs of shapes {known}"
            )

    def _check_shapes(self, outputs, shapes, wanted, what):
        for i, (shape, right) in enumerate(zip(shapes, wanted, strict=True)):
            if shape != right:
                self.fail(
                    f"the shape of output {i} ({outputs[i]}) is {right}, but "
                    f"infer_shape gave {shape} ({what})"
                )


def _class_names(cls) -> str:
    classes = cls if isinstance(cls, tuple) else (cls,)
    return " or ".join(c.__name__ for c in classes)


def _warn_of_equal_dimensions(inputs, numeric_inputs, cls):
    for i, (v, x) in enumerate(zip(inputs, numeric_inputs, strict=True)):
        declared = v.type.shape or (None,) * np.ndim(x)
        # Dimensions that the type knows cannot be others.
        free = [
            n for n, d in zip(np.shape(x), declared, strict=True) if d is None
        ]
        if len(set(free)) != len(free):
            warnings.warn(
                f"infer_shape of {_class_names(cls)} is tested with input {i} of "
                f"shape {np.shape(x)}, which has equal dimensions: it would not "
                f"be seen if they were mixed up. Use different ones, or "
                f"warn=False if the op takes no others",
                stacklevel=3,
            )


def _choices_of_known_dimensions(inputs, arrays):
    """Returns up to 16 choices of shapes, with None for what is not known."""
    slots = [
        (i, j)
        for i, (v, x) in enumerate(zip(inputs, arrays, strict=True))
        for j in range(x.ndim)
        if v.type.shape is None or v.type.shape[j] is None
    ]
    subsets: Iterator = itertools.chain.from_iterable(
        itertools.combinations(slots, n) for n in range(len(slots), 0, -1)
    )
    for known in itertools.islice(subsets, 16):
        yield [
            tuple(
                n if (i, j) in known or (i, j) not in slots else None
                for j, n in enumerate(x.shape)
            )
            for i, x in enumerate(arrays)
        ]


def _shapes_with(inputs, outputs, arrays, known) -> list[tuple[int, ...]]:
    """Evaluates the outputs' shapes for inputs of partly known shapes."""

    def shapes(*tensors):
        evaluated = evaluation.Evaluation(zip(inputs, tensors, strict=True))
        return [evaluated.shape_tensor(y) for y in outputs]

    specs = [
        tf.TensorSpec(shape, v.type.tf_dtype)
        for shape, v in zip(known, inputs, strict=True)
    ]
    traced = tf.function(shapes, autograph=False).get_concrete_function(*specs)
    tensors = [
        tf.constant(x, v.type.tf_dtype)
        for x, v in zip(arrays, inputs, strict=True)
    ]
    return [tuple(s.numpy().tolist()) for s in traced(*tensors)]


def applies_in(
    function: functions.Function | Any, cls: type | tuple[type, ...] = object
) -> list[graph.Apply]:
    """Returns the nodes that a compiled function computes.

    It looks at the operations of the TensorFlow graph, and of the graphs in it.

    Args:
      function: what `function` returns, or a concrete `tf.function`.
      cls: the class of the ops to look for, or a tuple of classes.
    """
    concrete = getattr(function, "concrete_function", function)
    found = []
    graphs = [concrete.graph]
    seen = set()
    while graphs:
        current = graphs.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for operation in current.get_operations():
            node = getattr(operation, execution.NODE_ATTRIBUTE, None)
            if node is not None and isinstance(node.op, cls):
                found.append(node)
        graphs += [
            inner.graph
            for inner in current._functions.values()
            if getattr(inner, "graph", None) is not None
        ]
    return found


class OptimizationTestMixin:
    """Assertions on which ops a compiled function runs."""

    # The names are those of Theano's class.
    def assertFunctionContains(self, f, op, min=1, max=sys.maxsize):  # noqa: N802
        """Fails unless `f` runs `op` from `min` to `max` times."""
        self._check_count(
            [n for n in applies_in(f) if n.op == op], f, op, min, max
        )

    def assertFunctionContains0(self, f, op):  # noqa: N802
        """Fails if `f` runs `op`."""
        self.assertFunctionContains(f, op, 0, 0)

    def assertFunctionContains1(self, f, op):  # noqa: N802
        """Fails unless `f` runs `op` once."""
        self.assertFunctionContains(f, op, 1, 1)

    def assertFunctionContainsN(self, f, op, N):  # noqa: N802, N803
        """Fails unless `f` runs `op` `N` times."""
        self.assertFunctionContains(f, op, N, N)

    def assertFunctionContainsClass(  # noqa: N802
        self, f, op, min=1, max=sys.maxsize
    ):
        """Fails unless `f` runs ops of the class `op` from `min` to `max` times."""
        self._check_count(applies_in(f, op), f, op.__name__, min, max)

    def assertFunctionContainsClassN(self, f, op, N):  # noqa: N802, N803
        """Fails unless `f` runs ops of the class `op` `N` times."""
        self.assertFunctionContainsClass(f, op, N, N)

    def _check_count(self, found, f, what, least, most):
        if not least <= len(found) <= most:
            raise AssertionError(
                f"the function runs {what} {len(found)} times, not {least} to "
                f"{most}: it runs {applies_in(f)}"
            )


class OpContractTestMixin:
    """Tests of `==`, `hash` and `str` of ops, for a test class to inherit.

    Attributes:
      ops: list of ops that are not equal to each other.
      other_op: an object that is equal to none of them.
    """

    ops: Sequence[Any] = ()
    other_op: Any = object()

    def clone(self, op: Any) -> Any:
        """Returns a new op like `op`, made from its arguments."""
        raise NotImplementedError(
            f"{type(self).__name__} must define clone, which returns a new op "
            f"like the one that it is given"
        )

    def _twins(self, op):
        return [op, copy.copy(op), copy.deepcopy(op), self.clone(op)]

    def test_eq(self):
        """Ops are equal to their copies, and to nothing else."""
        assert self.ops, "ops is empty: there is nothing to test"
        for i, op in enumerate(self.ops):
            for twin in self._twins(op):
                assert op == twin, f"{op} is not equal to its copy {twin}"
            for other in [*self.ops[:i], *self.ops[i + 1 :], self.other_op]:
                assert op != other, f"{op} is equal to {other}"

    def test_hash(self):
        """Ops have the hash of their copies."""
        for op in self.ops:
            for twin in self._twins(op):
                assert hash(op) == hash(twin), f"{op} and {twin} differ in hash"

    def test_name(self):
        """Ops have a text."""
        for op in self.ops:
            assert str(op), f"str of a {type(op).__name__} is empty"
