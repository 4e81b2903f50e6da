"""Tests of `RopLop_checker`, on TensorFlow's functions and on ops."""

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import rop_lop_checker
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools as utt

tensor = python_op.tensor


class Square(python_op.Op):
    """Squares."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 2

    def infer_shape(self, node, input_shapes):
        return input_shapes

    def grad(self, inputs, output_gradients):
        return [2.0 * inputs[0] * output_gradients[0]]

    def R_op(self, inputs, eval_points):  # noqa: N802
        if eval_points[0] is None:
            return [None]
        return [2.0 * inputs[0] * eval_points[0]]


class VectorMatrix(python_op.Op):
    """The product of a vector and a matrix."""

    __props__ = ()

    def make_node(self, x, m):
        x, m = tensor.as_tensor_variable(x), tensor.as_tensor_variable(m)
        return python_op.Apply(self, [x, m], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.dot(*inputs)

    def infer_shape(self, node, input_shapes):
        return [input_shapes[1][1:]]

    def grad(self, inputs, output_gradients):
        x, m = inputs
        (g,) = output_gradients
        return [tensor.dot(m, g), tensor.outer(x, g)]

    def R_op(self, inputs, eval_points):  # noqa: N802
        x, m = inputs
        tx, tm = eval_points
        terms = []
        if tx is not None:
            terms.append(tensor.dot(tx, m))
        if tm is not None:
            terms.append(tensor.dot(x, tm))
        return [sum(terms) if terms else None]


class TensorFlowFunctionsTest(rop_lop_checker.RopLop_checker):
    def test_vector_to_vector(self):
        self.check_rop_lop((self.x + 1) ** 2, self.in_shape)
        self.check_rop_lop(self.x[:4], (4,))
        self.check_rop_lop(tensor.softmax(self.x), self.in_shape[0])
        self.check_rop_lop(
            tensor.concatenate([self.x, np.ones(3)]), self.in_shape[0] + 3
        )

    def test_matrix_to_vector(self):
        rows, columns = self.mat_in_shape
        self.check_mat_rop_lop(self.mx.sum(axis=0), (columns,))
        self.check_mat_rop_lop(tensor.max(self.mx, axis=1), (rows,))
        self.check_mat_rop_lop(self.mx.flatten(), (rows * columns,))

    def test_to_scalar_and_to_matrix(self):
        self.check_rop_lop(tensor.sum(self.x**2), ())
        self.check_mat_rop_lop(self.mx.T * 2, self.mat_in_shape[::-1])
        self.check_rop_lop(
            tensor.outer(self.x, np.ones(2)), (*self.in_shape, 2)
        )

    def test_without_derivatives(self):
        self.check_nondiff_rop(self.x.shape[0])
        self.check_nondiff_rop(tensor.argmax(self.mx, axis=1))
        self.check_nondiff_rop(rop_lop_checker.break_op(self.x))
        self.check_nondiff_rop(rop_lop_checker.break_op(self.mx) * 2)
        for differentiable in (self.x * 2, self.mx * 2):
            with self.assertRaisesRegex(AssertionError, "must be an error"):
                self.check_nondiff_rop(differentiable)
        with self.assertRaisesRegex(AssertionError, "depends neither on"):
            self.check_nondiff_rop(self.v * 2)


class OpsTest(rop_lop_checker.RopLop_checker):
    def test_vector(self):
        self.check_rop_lop(Square()(self.x), self.in_shape)

    def test_matrix(self):
        self.check_mat_rop_lop(Square()(self.mx), self.mat_in_shape)
        self.check_mat_rop_lop(
            Square()(self.mx).sum(axis=1), self.mat_in_shape[0]
        )

    def test_each_of_several_inputs(self):
        m = self.rng.rand(self.in_shape[0], 3)
        self.check_rop_lop(VectorMatrix()(self.x, m), (3,))
        x = self.rng.rand(self.mat_in_shape[0])
        self.check_mat_rop_lop(
            VectorMatrix()(x, self.mx), (self.mat_in_shape[1],)
        )

    def test_an_op_among_functions(self):
        self.check_rop_lop(
            tensor.exp(Square()(tensor.sin(self.x)) * self.x), self.in_shape
        )

    def test_a_later_op_of_a_shape_needs_no_rop(self):
        class WithoutRop(Square):
            R_op = python_op.Op.R_op

        self.check_rop_lop(
            self.x * tensor.cast(WithoutRop()(self.x).shape[0], "float64"),
            self.in_shape,
        )


class Float32Test(rop_lop_checker.RopLop_checker):
    def setUp(self):
        config.floatX = "float32"
        self.addCleanup(setattr, config, "floatX", "float64")
        super().setUp()

    def test_float32(self):
        self.assertEqual(self.x.dtype, "float32")
        self.check_rop_lop(Square()(self.x), self.in_shape)
        self.check_mat_rop_lop(Square()(self.mx), self.mat_in_shape)


class ErrorsTest(rop_lop_checker.RopLop_checker):
    def _fails(self, op, why, matrix=False):
        with self.assertRaisesRegex(AssertionError, why):
            if matrix:
                self.check_mat_rop_lop(op(self.mx), self.mat_in_shape)
            else:
                self.check_rop_lop(op(self.x), self.in_shape)

    def test_a_wrong_rop_is_told(self):
        class WrongRop(Square):
            def R_op(self, inputs, eval_points):
                return [inputs[0] * eval_points[0]]

        self._fails(WrongRop(), r"^Rop of WrongRop.* finite differences say")
        self._fails(WrongRop(), r"^Rop of WrongRop.* finite differences", True)

    def test_a_wrong_grad_is_told(self):
        class WrongGrad(Square):
            def grad(self, inputs, output_gradients):
                return [inputs[0] * output_gradients[0]]

        self._fails(WrongGrad(), "^Lop, of rows of the identity, of WrongGrad")

    def test_a_transposed_jacobian_is_told(self):
        class Transposed(python_op.Op):
            __props__ = ()
            itypes = [tensor.dmatrix]
            otypes = [tensor.dmatrix]

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0].T.copy()

            def grad(self, inputs, output_gradients):
                return [output_gradients[0].T]

            def R_op(self, inputs, eval_points):
                rows, columns = inputs[0].shape[0], inputs[0].shape[1]
                return [tensor.reshape(eval_points[0], (columns, rows))]

        with self.assertRaisesRegex(AssertionError, "^Rop of Transposed"):
            self.check_mat_rop_lop(
                Transposed()(self.mx), self.mat_in_shape[::-1]
            )

    def test_nan_is_told(self):
        class NanGrad(Square):
            def grad(self, inputs, output_gradients):
                return [np.nan * output_gradients[0]]

        self._fails(NanGrad(), "^Lop, of rows of the identity, of NanGrad")

    def test_a_rop_that_is_almost_right_is_told(self):
        class Almost(Square):
            def R_op(self, inputs, eval_points):
                return [(2.0 + 1e-4) * inputs[0] * eval_points[0]]

        # Within what finite differences can tell, but not what Lop can.
        self._fails(Almost(), "5 of 5 elements")

    def test_a_rop_or_lop_of_another_shape_is_told(self):
        class Reshape(python_op.Op):
            __props__ = ()
            itypes = [tensor.dmatrix]
            otypes = [tensor.dmatrix]

            def perform(self, node, inputs, output_storage):
                shape = inputs[0].shape[::-1]
                output_storage[0][0] = inputs[0].reshape(shape).copy()

            def grad(self, inputs, output_gradients):
                x = inputs[0]
                return [
                    tensor.reshape(
                        output_gradients[0], (x.shape[0], x.shape[1])
                    )
                ]

            def R_op(self, inputs, eval_points):
                return [eval_points[0]]

        class ReshapeLop(Reshape):
            def grad(self, inputs, output_gradients):
                return output_gradients

        for op, what in ((Reshape(), "Rop"), (ReshapeLop(), "Lop")):
            with self.assertRaisesRegex(
                AssertionError, f"^{what} of Reshape.* has shape"
            ):
                self.check_mat_rop_lop(op(self.mx), self.mat_in_shape[::-1])

    def test_an_op_without_rop_leaves_nothing_to_check(self):
        class WithoutRop(Square):
            R_op = python_op.Op.R_op

        self._fails(WithoutRop(), "WithoutRop defines no R_op")

    def test_a_wrong_out_shape_is_told(self):
        (n,) = self.in_shape
        with self.assertRaisesRegex(
            AssertionError,
            rf"has shape \({n},\), but out_shape is \({n + 1},\)",
        ):
            self.check_rop_lop(Square()(self.x), (n + 1,))


class SeedTest(utt.SeededTestCase):
    def test_shapes_and_values_are_the_same_each_time(self):
        drawn = []
        for _ in range(2):
            test = OpsTest("test_vector")
            test.setUp()
            drawn.append(
                (
                    test.in_shape,
                    test.mat_in_shape,
                    test.rng.rand(),
                    np.random.rand(),
                )
            )
        self.assertEqual(drawn[0], drawn[1])


class RopTest(utt.SeededTestCase):
    """`Rop` where there is no path, which `check_nondiff_rop` looks for."""

    def test_no_differentiable_path_is_an_error_or_zeros(self):
        x = tensor.vector()
        y = rop_lop_checker.break_op(x)
        with self.assertRaisesRegex(
            python_op.DisconnectedInputError, "differentiable path"
        ):
            python_op.Rop(y, x, x)
        f = python_op.function(
            [x], python_op.Rop(y, x, x, disconnected_outputs="ignore")
        )
        self.assertAllEqual(f([1.0, 2.0]), [0.0, 0.0])
        with self.assertRaisesRegex(ValueError, "but is 'zero'"):
            python_op.Rop(y, x, x, disconnected_outputs="zero")

    def test_of_a_function_of_tensors(self):
        x = tf.constant([1.0, 2.0])
        with self.assertRaises(python_op.DisconnectedInputError):
            python_op.Rop(rop_lop_checker.break_op, x, x)
        self.assertAllEqual(python_op.Rop(Square(), x, x), [2.0, 8.0])


if __name__ == "__main__":
    tf.test.main()
