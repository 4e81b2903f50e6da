"""Tests of the contract: Op, Apply, types, and how ops run."""

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op

tensor = python_op.tensor


class Double(python_op.Op):
    """Doubles: the document's DoubleOp1."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class Named(Double):
    """Has properties of other types than numbers."""

    __props__ = ("name", "sizes")

    def __init__(self, name, sizes):
        self.name = name
        self.sizes = sizes


class StrTest(tf.test.TestCase):
    def test_shows_the_properties_as_python_writes_them(self):
        self.assertEqual(
            str(Named("a, b", (1, 2))), "Named{name='a, b', sizes=(1, 2)}"
        )


class Divmod(python_op.Op):
    """Returns the remainder, its second output."""

    __props__ = ()
    default_output = 1
    itypes = [tensor.dvector, tensor.dvector]
    otypes = [tensor.dvector, tensor.dvector]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0], output_storage[1][0] = np.divmod(*inputs)


class NameTest(tf.test.TestCase):
    def test_name_is_the_default_outputs(self):
        remainder = Divmod()(tensor.dvector(), tensor.dvector(), name="rest")
        self.assertEqual(remainder.name, "rest")
        self.assertIsNone(remainder.owner.outputs[0].name)


class EagerTest(tf.test.TestCase):
    def test_takes_and_returns_tensors(self):
        result = Double()(tf.constant([1.0, 2.0]))
        self.assertIsInstance(result, tf.Tensor)
        self.assertAllEqual(result, [2.0, 4.0])


class GraphTest(tf.test.TestCase):
    def test_perform_has_numbers_near_zero_as_in_eager_code(self):
        x = tf.constant([5e-324, 1e-310], tf.float64)
        self.assertAllEqual(tf.function(Double())(x), Double()(x))
        self.assertEqual(tf.function(Double())(x)[0].numpy(), 1e-323)


class GradTest(tf.test.TestCase):
    def test_gradient_of_taken_rows_is_a_tensor(self):
        x, i = tensor.dmatrix(), tensor.lvector()
        f = python_op.function([x, i], python_op.grad(x[i].sum(), x))
        value = np.ones([3, 2])
        expected = [[1, 1], [0, 0], [2, 2]]
        self.assertAllEqual(f(value, [2, 0, 2]), expected)
        gradient = python_op.Lop(
            lambda x: tensor.take(x, [2, 0, 2]),
            value,
            tf.ones([3, 2], "float64"),
        )
        self.assertIsInstance(gradient, tf.Tensor)
        self.assertAllEqual(gradient, expected)

    def test_disconnected_input_may_be_warned_of(self):
        x, y = tensor.dvector("x"), tensor.dvector("y")
        with self.assertWarnsRegex(UserWarning, "with respect to y"):
            gradient = python_op.grad(x.sum(), y, disconnected_inputs="warn")
        f = python_op.function([x, y], gradient)
        self.assertAllEqual(f([1.0], [2.0, 3.0]), [0.0, 0.0])

    def test_integers_among_the_inputs_are_no_cause_for_a_warning(self):
        x, n = tensor.dvector(), tensor.lscalar()
        with self.assertNoLogs(tf.get_logger()):
            gradient = python_op.grad((x * n).sum(), x)
            f = python_op.function([x, n], gradient)
        self.assertAllEqual(f([1.0, 2.0], 3), [3.0, 3.0])


class TensorTest(tf.test.TestCase):
    def test_rank_is_known_after_a_reshape_to_the_shape_of_another(self):
        x, y, shape = tensor.dmatrix(), tensor.dtensor3(), tensor.lvector()
        self.assertEqual(tensor.reshape(x, tensor.shape(y)).ndim, 3)
        reshaped = tensor.reshape(x, shape, ndim=3)
        self.assertEqual(reshaped.ndim, 3)
        f = python_op.function([x, shape], reshaped)
        self.assertAllEqual(f([[1.0, 2.0]], [1, 2, 1]), [[[1.0], [2.0]]])

    def test_functions_of_real_numbers_take_integers(self):
        n = tf.constant([[-2, 0], [3, 1]])
        for name in ("floor", "ceil", "abs"):
            result = getattr(tensor, name)(n)
            self.assertAllEqual(result, getattr(np, name)(n))
        self.assertAllClose(tensor.arctan2(n, 2), np.arctan2(n, 2))
        self.assertAllClose(
            tensor.softmax(n), tf.nn.softmax(tf.cast(n, tf.float64))
        )

    def test_any_and_all_take_numbers(self):
        x = tf.constant([[0.0, 0.5], [0.0, 0.0]])
        self.assertAllEqual(tensor.any(x, axis=1), [True, False])
        self.assertAllEqual(tensor.all(x + 1), True)

    def test_zeros_and_ones_like_integers_may_be_of_another_dtype(self):
        n = tensor.ivector()
        f = python_op.function(
            [n],
            [
                tensor.zeros_like(n, dtype="float64"),
                n.zeros_like(dtype="float32"),
                n.ones_like(),
            ],
        )
        zeros, narrow_zeros, ones = f([1, 2])
        self.assertEqual(zeros.dtype, np.float64)
        self.assertEqual(narrow_zeros.dtype, np.float32)
        self.assertEqual(ones.dtype, np.int32)
        self.assertAllEqual(zeros, [0, 0])
        self.assertAllEqual(ones, [1, 1])

    def test_integers_are_summed_as_64_bits_as_numpy_does(self):
        for dtype in ("int8", "int32", "uint8", "bool"):
            x = np.full([3], 100).astype(dtype)
            for function, expected in (
                (tensor.sum, np.sum(x)),
                (tensor.prod, np.prod(x)),
            ):
                result = function(tf.constant(x))
                self.assertEqual(result.dtype, expected.dtype)
                self.assertAllEqual(result, expected)


if __name__ == "__main__":
    tf.test.main()
