"""Faults of ops, each of which the tool that is meant for it must find.

A row of the table has an op with one fault, its right twin, and a check that
uses one tool. The check must pass for the right op, and raise for the wrong one.
"""

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import rop_lop_checker
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt

tensor = python_op.tensor


@dataclasses.dataclass(frozen=True)
class Fault:
    """A row of the table.

    Attributes:
      name: what is wrong.
      wrong: the op with the fault; or, where a check needs several, ops.
      right: its right twin.
      check: is called with a test object and the op or ops.
      error: what the check raises for the wrong op.
      why: what the error says, a regular expression.
    """

    name: str
    wrong: Any
    right: Any
    check: Callable[[Any, Any], None]
    error: type[Exception] | tuple[type[Exception], ...]
    why: str


# Checks, one for each tool.


def values(expected, *arrays, calls=1):
    """Compares what an op computes, by `assert_allclose`."""

    def check(test, op):
        del test
        inputs = [
            python_op.TensorType(a.dtype, (None,) * a.ndim)() for a in arrays
        ]
        f = python_op.function(inputs, op(*inputs, return_list=True))
        wanted = [np.asarray(e) for e in expected(*arrays)]
        for _ in range(calls):
            for e, value in zip(wanted, f(*arrays), strict=True):
                utt.assert_allclose(e, value)

    return check


def merged(expected, array):
    """Compares what several ops compute in one graph, by `assert_allclose`."""

    def check(test, ops):
        del test
        x = tensor.vector()
        f = python_op.function([x], [op(x) for op in ops])
        for e, value in zip(expected(array), f(array), strict=True):
            utt.assert_allclose(e, value)

    return check


def shapes(*arrays, cls=None):
    """Compares shapes, by `InferShapeTester`; `cls` is the op's unless given."""

    def check(test, op):
        inputs = [
            python_op.TensorType(a.dtype, (None,) * a.ndim)() for a in arrays
        ]
        test._compile_and_check(
            inputs, op(*inputs, return_list=True), arrays, cls or type(op)
        )

    return check


def gradient(*arrays):
    """Compares gradients, by `verify_grad`."""

    def check(test, op):
        del test
        utt.verify_grad(op, arrays)

    return check


def rop(test, op):
    """Compares tangents of an op of one vector, by `RopLop_checker`."""
    test.check_rop_lop(op(test.x), test.in_shape)


def rop_of_matrix(test, op):
    """As `rop`, of a matrix."""
    test.check_mat_rop_lop(op(test.mx), test.mat_in_shape[::-1])


def rop_of_each_input(test, op):
    """As `rop`, of an op of two vectors, by each of them."""
    other = test.rng.uniform(size=test.in_shape)
    test.check_rop_lop(op(test.x, other), test.in_shape)
    test.check_rop_lop(op(other, test.x), test.in_shape)


def no_rop(test, op):
    """Checks that there are no tangents, by `RopLop_checker`."""
    test.check_nondiff_rop(op(test.x))


# Right ops. Each wrong one is one of them with one method changed.


class Unary(python_op.Op):
    """What the ops of one input share."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def infer_shape(self, node, input_shapes):
        return input_shapes


class Cube(Unary):
    """x ** 3."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 3

    def grad(self, inputs, output_gradients):
        return [3.0 * inputs[0] ** 2 * output_gradients[0]]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return [None]
        return self.grad(inputs, eval_points)


class Scale(Unary):
    """A constant times x."""

    __props__ = ("factor",)

    def __init__(self, factor=2.0):
        self.factor = factor

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.factor * inputs[0]

    def grad(self, inputs, output_gradients):
        return [self.factor * output_gradients[0]]


class Forgetful(Scale):
    """As Scale, but equal to others whatever the constant."""

    __props__ = ()


class Round(Unary):
    """Rounds."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.round(inputs[0])

    def grad(self, inputs, output_gradients):
        return [python_op.grad_undefined(self, 0, inputs[0], "it has steps")]

    def R_op(self, inputs, eval_points):  # noqa: N802
        return [None]


class Transpose(Unary):
    """The transpose of a matrix."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].T.copy()

    def infer_shape(self, node, input_shapes):
        n, m = input_shapes[0]
        return [(m, n)]

    def grad(self, inputs, output_gradients):
        return [output_gradients[0].T]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return [None]
        return [eval_points[0].T]


class Sums(Unary):
    """Two outputs: the sums of a matrix's rows, and of its columns."""

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        vector = python_op.TensorType(x.dtype, (None,))
        return python_op.Apply(self, [x], [vector(), vector()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].sum(axis=1)
        output_storage[1][0] = inputs[0].sum(axis=0)

    def infer_shape(self, node, input_shapes):
        n, m = input_shapes[0]
        return [(n,), (m,)]

    def grad(self, inputs, output_gradients):
        rows, columns = output_gradients
        return [
            tensor.expand_dims(rows, 1)
            + tensor.expand_dims(columns, 0)
            + tensor.zeros_like(inputs[0])
        ]


class Windows(Unary):
    """Sums of three neighbours in a vector."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.convolve(inputs[0], np.ones(3), "valid")

    def infer_shape(self, node, input_shapes):
        return [(input_shapes[0][0] - 2,)]


class Power(Unary):
    """x ** 2.5 of numbers that are not negative."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 2.5

    def grad(self, inputs, output_gradients):
        return [2.5 * inputs[0] ** 1.5 * output_gradients[0]]


class Product(python_op.Op):
    """x * y of two vectors."""

    __props__ = ()
    itypes = [tensor.dvector, tensor.dvector]
    otypes = [tensor.dvector]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * inputs[1]

    def infer_shape(self, node, input_shapes):
        return input_shapes[:1]

    def grad(self, inputs, output_gradients):
        (g,) = output_gradients
        return [g * inputs[1], g * inputs[0]]

    def R_op(self, inputs, eval_points):  # noqa: N802
        terms = [
            tangent * other
            for tangent, other in zip(eval_points, inputs[::-1], strict=True)
            if tangent is not None
        ]
        return [sum(terms[1:], terms[0]) if terms else None]


class AddBias(python_op.Op):
    """A matrix plus a vector, which is added to each row."""

    __props__ = ()
    itypes = [tensor.dmatrix, tensor.dvector]
    otypes = [tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + inputs[1]

    def infer_shape(self, node, input_shapes):
        return input_shapes[:1]

    def grad(self, inputs, output_gradients):
        (g,) = output_gradients
        return [g, g.sum(axis=0)]


class Dot(python_op.Op):
    """The product of two matrices."""

    __props__ = ()
    itypes = [tensor.dmatrix, tensor.dmatrix]
    otypes = [tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] @ inputs[1]

    def infer_shape(self, node, input_shapes):
        (n, _), (_, m) = input_shapes
        return [(n, m)]

    def grad(self, inputs, output_gradients):
        a, b = inputs
        (g,) = output_gradients
        return [tensor.dot(g, b.T), tensor.dot(a.T, g)]


def but(right: Any, **methods: Any) -> Any:
    """Returns an op like `right` in all but some methods."""
    cls = type(right)
    wrong = type(f"Wrong{cls.__name__}", (cls,), methods)
    return wrong(*(getattr(right, p) for p in cls.__props__))


# What the wrong ops do.


def _perform(compute):
    """Returns a `perform` of a function of arrays that returns outputs."""

    def perform(self, node, inputs, output_storage):
        del self, node
        for cell, value in zip(output_storage, compute(*inputs), strict=False):
            cell[0] = value

    return perform


def _grad(compute):
    """Returns a `grad` of a function of inputs and of output gradients."""
    return lambda self, inputs, gradients: compute(inputs, gradients)


def _shape(compute):
    """Returns an `infer_shape` of a function of the inputs' shapes."""
    return lambda self, node, shapes: compute(*shapes)


def _one_wrong_element(x):
    y = x**3
    y[1] += 1e-3
    return [y]


def _mixed_up_storage(self, node, inputs, output_storage):
    out = output_storage[0][0]
    if out is None or out.shape != inputs[0].shape:
        output_storage[0][0] = inputs[0] ** 3
    else:
        out += inputs[0] ** 3


_RANDOM = itertools.count()


def _shape_by_running(self, node, input_shapes):
    again = Cube()(node.inputs[0])
    return [(tensor.cast(tensor.sum(tensor.ones_like(again)), "int64"),)]


def _shape_of_known_dimensions(x):
    return [tuple(d + 1 if isinstance(d, int) else d for d in x)]


VECTOR = np.array([0.5, 1.25, -2.0, 3.0])
OTHER = np.array([1.5, -0.25, 2.0, 0.75])
MATRIX = np.arange(1.0, 21.0).reshape(5, 4) / 8
FACTOR = np.arange(1.0, 13.0).reshape(4, 3) / 4

cube_values = values(lambda x: [x**3], VECTOR, calls=3)
# What `perform` may give is checked whenever it is run, and reaches the caller
# as an error of the graph.
RUN_ERRORS = (TypeError, tf.errors.OpError)

FAULTS = [
    # Values: assert_allclose.
    Fault(
        "one_element_is_wrong",
        but(Cube(), perform=_perform(_one_wrong_element)),
        Cube(),
        cube_values,
        utt.WrongValue,
        r"1 of 4 elements\n  worst       : \[1\]",
    ),
    Fault(
        "computes_with_too_few_bits",
        but(Cube(), perform=_perform(lambda x: [x.astype("e") ** 3 + 0.0 * x])),
        Cube(),
        values(lambda x: [x**3], VECTOR / 3),
        utt.WrongValue,
        "max rel diff",
    ),
    Fault(
        "gives_nan",
        but(Cube(), perform=_perform(lambda x: [x * np.log(x)])),
        but(Cube(), perform=_perform(lambda x: [x * np.log(x + (x == 0))])),
        values(lambda x: [np.log(x**x)], np.array([0.0, 1.5])),
        utt.WrongValue,
        "1 NaN",
    ),
    Fault(
        "gives_infinity",
        but(Cube(), perform=_perform(lambda x: [np.exp(1e3 * x)])),
        but(Cube(), perform=_perform(lambda x: [np.exp(x)])),
        values(lambda x: [np.exp(x)], VECTOR),
        utt.WrongValue,
        "0 NaN, 2 infinite",
    ),
    Fault(
        "is_not_deterministic",
        but(Cube(), perform=_perform(lambda x: [x**3 + (next(_RANDOM) > 0)])),
        Cube(),
        cube_values,
        utt.WrongValue,
        "4 of 4 elements",
    ),
    Fault(
        "adds_to_what_is_in_the_storage",
        but(Cube(), perform=_mixed_up_storage),
        Cube(),
        cube_values,
        utt.WrongValue,
        "4 of 4 elements",
    ),
    Fault(
        "outputs_are_swapped",
        but(Sums(), perform=_perform(lambda x: [x.sum(axis=0), x.sum(axis=1)])),
        Sums(),
        values(lambda x: [x.sum(axis=1), x.sum(axis=0)], MATRIX[:4] ** 2),
        utt.WrongValue,
        "4 of 4 elements",
    ),
    Fault(
        "props_leave_out_a_parameter",
        [Forgetful(2.0), Forgetful(3.0)],
        [Scale(2.0), Scale(3.0)],
        merged(lambda x: [2 * x, 3 * x], VECTOR),
        utt.WrongValue,
        "4 of 4 elements",
    ),
    # What perform gives: its types.
    Fault(
        "output_has_the_wrong_dtype",
        but(Cube(), perform=_perform(lambda x: [(x**3).astype("f")])),
        Cube(),
        cube_values,
        RUN_ERRORS,
        "output 0 has dtype float32, but float64 is declared",
    ),
    Fault(
        "output_has_the_wrong_rank",
        but(Cube(), perform=_perform(lambda x: [(x**3)[None]])),
        Cube(),
        cube_values,
        RUN_ERRORS,
        "output 0 has rank 2",
    ),
    Fault(
        "output_has_another_shape_than_infer_shape_says",
        but(Cube(), perform=_perform(lambda x: [x[1:] ** 3])),
        Cube(),
        shapes(VECTOR),
        AssertionError,
        r"is \(3,\), but infer_shape gave \(4,\)",
    ),
    Fault(
        "an_output_is_missing",
        but(Sums(), perform=_perform(lambda x: [x.sum(axis=1)])),
        Sums(),
        values(lambda x: [x.sum(axis=1), x.sum(axis=0)], MATRIX),
        RUN_ERRORS,
        "left output 1 empty",
    ),
    Fault(
        "output_is_none",
        but(Cube(), perform=_perform(lambda x: [None])),
        Cube(),
        cube_values,
        RUN_ERRORS,
        "left output 0 empty",
    ),
    # Shapes: InferShapeTester.
    Fault(
        "infer_shape_swaps_dimensions",
        but(Dot(), infer_shape=_shape(lambda a, b: [(b[1], a[0])])),
        Dot(),
        shapes(MATRIX, FACTOR),
        AssertionError,
        r"is \(5, 3\), but infer_shape gave \(3, 5\)",
    ),
    Fault(
        "infer_shape_takes_the_width_for_the_height",
        but(Cube(), infer_shape=_shape(lambda x: [(x[1], x[1])])),
        Cube(),
        shapes(MATRIX),
        AssertionError,
        r"is \(5, 4\), but infer_shape gave \(4, 4\)",
    ),
    Fault(
        "infer_shape_forgets_the_border",
        but(Windows(), infer_shape=_shape(lambda x: [x])),
        Windows(),
        shapes(VECTOR),
        AssertionError,
        r"is \(2,\), but infer_shape gave \(4,\)",
    ),
    Fault(
        "infer_shape_has_outputs_in_the_wrong_order",
        but(Sums(), infer_shape=_shape(lambda x: [x[1:], x[:1]])),
        Sums(),
        shapes(MATRIX),
        AssertionError,
        r"output 0 .* is \(5,\), but infer_shape gave \(4,\)",
    ),
    Fault(
        "infer_shape_is_wrong_where_dimensions_are_known",
        but(Cube(), infer_shape=_shape(_shape_of_known_dimensions)),
        Cube(),
        shapes(MATRIX),
        AssertionError,
        r"infer_shape gave \(6, 5\) \(inputs of shapes \[\(5, 4\)\]\)",
    ),
    Fault(
        "infer_shape_runs_the_op",
        but(Cube(), infer_shape=_shape_by_running),
        Cube(),
        shapes(VECTOR, cls=Cube),
        AssertionError,
        "shapes alone need .*Cube.* to be run",
    ),
    Fault(
        "infer_shape_knows_nothing",
        but(Cube(), infer_shape=_shape(lambda x: [None])),
        Cube(),
        shapes(VECTOR),
        AssertionError,
        "shapes alone need .*Cube.* to be run",
    ),
    Fault(
        "infer_shape_is_missing",
        but(Cube(), infer_shape=None),
        Cube(),
        shapes(VECTOR),
        AssertionError,
        "shapes alone need .*Cube.* to be run",
    ),
    Fault(
        "infer_shape_gives_the_wrong_rank",
        but(Cube(), infer_shape=_shape(lambda x: [x[:1]])),
        Cube(),
        shapes(MATRIX),
        TypeError,
        "gave output 0 1 dimensions",
    ),
    Fault(
        "infer_shape_leaves_out_an_output",
        but(Sums(), infer_shape=_shape(lambda x: [x[:1]])),
        Sums(),
        shapes(MATRIX),
        TypeError,
        "must return a list of 2 shapes",
    ),
    # Gradients: verify_grad.
    Fault(
        "gradient_has_a_wrong_factor",
        but(Cube(), grad=_grad(lambda x, g: [2.0 * x[0] ** 2 * g[0]])),
        Cube(),
        gradient(VECTOR),
        utt.GradientError,
        "input 0 is wrong in 4 of 4 elements",
    ),
    Fault(
        "gradient_has_the_wrong_sign",
        but(Cube(), grad=_grad(lambda x, g: [-3.0 * x[0] ** 2 * g[0]])),
        Cube(),
        gradient(VECTOR),
        utt.GradientError,
        "rel. error        : 1,",
    ),
    Fault(
        "gradient_is_wrong_in_one_element",
        but(
            Scale(),
            grad=_grad(lambda x, g: [g[0] * np.array([2.0, 2.0, 2.001, 2.0])]),
        ),
        Scale(),
        gradient(VECTOR),
        utt.GradientError,
        r"1 of 4 elements, worst at \[2\]",
    ),
    Fault(
        "gradient_has_a_constant_too_many",
        but(Scale(), grad=_grad(lambda x, g: [2.0 * g[0] + 1.0])),
        Scale(),
        gradient(VECTOR),
        utt.GradientError,
        "4 of 4 elements",
    ),
    Fault(
        "gradient_leaves_out_the_output_gradient",
        but(Cube(), grad=_grad(lambda x, g: [3.0 * x[0] ** 2])),
        Cube(),
        gradient(VECTOR),
        utt.GradientError,
        "4 of 4 elements",
    ),
    Fault(
        "gradient_is_taken_at_the_output",
        but(
            Cube(),
            L_op=lambda self, inputs, outputs, g: [
                3.0 * outputs[0] ** 2 * g[0]
            ],
        ),
        Cube(),
        gradient(VECTOR),
        utt.GradientError,
        "input 0 is wrong",
    ),
    Fault(
        "gradients_of_the_inputs_are_swapped",
        but(Product(), grad=_grad(lambda x, g: [g[0] * x[0], g[0] * x[1]])),
        Product(),
        gradient(VECTOR, OTHER),
        utt.GradientError,
        "of 4 elements",
    ),
    Fault(
        "gradient_of_the_second_input_is_wrong",
        but(Product(), grad=_grad(lambda x, g: [g[0] * x[1], g[0]])),
        Product(),
        gradient(VECTOR, OTHER),
        utt.GradientError,
        "with respect to input 1",
    ),
    Fault(
        "gradient_has_the_wrong_shape",
        but(
            Dot(),
            grad=_grad(
                lambda x, g: [
                    tensor.dot(x[1], g[0].T),
                    tensor.dot(x[0].T, g[0]),
                ]
            ),
        ),
        Dot(),
        gradient(MATRIX, FACTOR),
        utt.GradientError,
        r"gradient of shape \(4, 5\), but the input is of shape \(5, 4\)",
    ),
    Fault(
        "gradient_has_the_wrong_dtype",
        but(
            Scale(),
            grad=_grad(lambda x, g: [tensor.cast(2.0 * g[0], "float32")]),
        ),
        Scale(),
        gradient(VECTOR),
        utt.GradientError,
        "gradient of dtype float32, but the input is of dtype float64",
    ),
    Fault(
        "gradient_is_not_summed_over_what_was_broadcast",
        but(AddBias(), grad=_grad(lambda x, g: [g[0], g[0][0]])),
        AddBias(),
        gradient(MATRIX, VECTOR),
        utt.GradientError,
        "with respect to input 1 is wrong in 4 of 4",
    ),
    Fault(
        "gradient_leaves_out_an_output",
        but(
            Sums(),
            grad=_grad(
                lambda x, g: [
                    tensor.expand_dims(g[0], 1) + tensor.zeros_like(x[0])
                ]
            ),
        ),
        Sums(),
        gradient(MATRIX),
        utt.GradientError,
        "20 of 20 elements",
    ),
    Fault(
        "gradient_is_not_connected",
        but(
            Product(),
            grad=_grad(
                lambda x, g: [g[0] * x[1], python_op.DisconnectedType()()]
            ),
        ),
        Product(),
        gradient(VECTOR, OTHER),
        utt.GradientError,
        r"input 1 is wrong(.|\n)*\(disconnected\)",
    ),
    Fault(
        "gradient_is_nan_at_zero",
        but(
            Power(),
            grad=_grad(lambda x, g: [2.5 * x[0] ** 2.5 / x[0] * g[0]]),
        ),
        Power(),
        gradient(np.array([0.0, 1.0])),
        utt.GradientError,
        r"worst at \[0\]\n  gradient          : nan",
    ),
    Fault(
        "gradients_are_too_few",
        but(Product(), grad=_grad(lambda x, g: [g[0] * x[1]])),
        Product(),
        gradient(VECTOR, OTHER),
        utt.GradientError,
        "must return a list of 2 gradients",
    ),
    Fault(
        "gradient_is_computed_with_numpy",
        but(Cube(), grad=_grad(lambda x, g: [3 * x[0].numpy() ** 2 * g[0]])),
        Cube(),
        gradient(VECTOR),
        utt.GradientError,
        "in a tf.function",
    ),
    # Tangents: RopLop_checker.
    Fault(
        "rop_has_a_wrong_factor",
        but(Cube(), R_op=_grad(lambda x, v: [2.0 * x[0] ** 2 * v[0]])),
        Cube(),
        rop,
        AssertionError,
        "^Rop of WrongCube",
    ),
    Fault(
        "rop_is_taken_at_the_wrong_point",
        but(Cube(), R_op=_grad(lambda x, v: [3.0 * v[0] ** 2 * x[0]])),
        Cube(),
        rop,
        AssertionError,
        "^Rop of WrongCube",
    ),
    Fault(
        "rop_is_wrong_for_one_input",
        but(
            Product(),
            R_op=_grad(lambda x, v: [v[1]] if v[0] is None else [v[0] * x[1]]),
        ),
        Product(),
        rop_of_each_input,
        AssertionError,
        "^Rop of WrongProduct",
    ),
    Fault(
        "rop_needs_a_tangent_of_each_input",
        but(Product(), R_op=_grad(lambda x, v: [v[0] * x[1] + v[1] * x[0]])),
        Product(),
        rop_of_each_input,
        TypeError,
        "None, a NoneType, is not a tensor",
    ),
    Fault(
        "rop_gives_no_tangent",
        but(Cube(), R_op=_grad(lambda x, v: [None])),
        Cube(),
        rop,
        python_op.DisconnectedInputError,
        "differentiable path",
    ),
    Fault(
        "rop_is_missing",
        but(Cube(), R_op=python_op.Op.R_op),
        Cube(),
        rop,
        AssertionError,
        "defines no R_op",
    ),
    Fault(
        "rop_is_not_transposed",
        but(
            Transpose(),
            R_op=_grad(
                lambda x, v: [
                    tensor.reshape(v[0], (x[0].shape[1], x[0].shape[0]))
                ]
            ),
        ),
        Transpose(),
        rop_of_matrix,
        AssertionError,
        "^Rop of WrongTranspose",
    ),
    Fault(
        "lop_is_not_transposed",
        but(
            Transpose(),
            grad=_grad(
                lambda x, g: [
                    tensor.reshape(g[0], (x[0].shape[0], x[0].shape[1]))
                ]
            ),
        ),
        Transpose(),
        rop_of_matrix,
        AssertionError,
        "^Lop, of rows of the identity, of WrongTranspose",
    ),
    Fault(
        "rop_is_there_where_no_derivative_is",
        but(Round(), R_op=_grad(lambda x, v: [v[0]])),
        Round(),
        no_rop,
        AssertionError,
        "must be an error",
    ),
]


class FaultsTest(
    parameterized.TestCase,
    utt.InferShapeTester,
    rop_lop_checker.RopLop_checker,
):
    @parameterized.named_parameters((f.name, f) for f in FAULTS)
    def test_is_found(self, fault):
        fault.check(self, fault.right)
        with self.assertRaisesRegex(fault.error, fault.why):
            fault.check(self, fault.wrong)

    def test_of_a_square_input_the_shape_tool_warns(self):
        # It cannot see there that the height is taken for the width.
        op = but(Cube(), infer_shape=_shape(lambda x: [(x[1], x[1])]))
        with self.assertWarnsRegex(UserWarning, "equal dimensions"):
            shapes(MATRIX[:4])(self, op)


if __name__ == "__main__":
    tf.test.main()
