"""Tests of shapes that are told without running ops."""

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import test_ops

tensor = python_op.tensor


class Dot(python_op.Op):
    """np.dot of matrices, which counts its runs."""

    __props__ = ()
    itypes = [tensor.fmatrix, tensor.fmatrix]
    otypes = [tensor.fmatrix]

    def __init__(self):
        self.runs = 0

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        output_storage[0][0] = np.dot(*inputs)

    def infer_shape(self, node, input_shapes):
        ashp, bshp = input_shapes
        return [ashp[:-1] + bshp[-1:]]


class Twice(test_ops.Double):
    """A vector after itself: its length is computed."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.concatenate([inputs[0], inputs[0]])

    def infer_shape(self, node, shapes):
        return [(shapes[0][0] * 2,)]


class Zeros(python_op.Op):
    """Zeros of a length that is an input's value."""

    __props__ = ()
    itypes = [tensor.lscalar]
    otypes = [tensor.dvector]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.zeros(int(inputs[0]))

    def infer_shape(self, node, shapes):
        return [(node.inputs[0],)]


def _python_calls(concrete_function):
    """The Python ops that a graph would run."""
    definition = concrete_function.graph.as_graph_def()
    needed = tf.compat.v1.graph_util.extract_sub_graph(
        definition,
        [t.op.name for t in concrete_function.outputs],
    )
    return [n.name for n in needed.node if n.op == "Examples>PythonCall"]


class StaticShapeTest(tf.test.TestCase):
    def test_known_dimensions_come_through(self):
        dot = test_ops.as_graph(
            Dot(), tf.TensorSpec([2, None]), tf.TensorSpec([None, 3])
        )
        self.assertEqual(dot.outputs[0].shape.as_list(), [2, 3])
        twice = test_ops.as_graph(Twice(), tf.TensorSpec([4]))
        self.assertEqual(twice.outputs[0].shape.as_list(), [8])

    def test_unknown_dimensions_stay_unknown(self):
        dot = test_ops.as_graph(
            Dot(), tf.TensorSpec([None, 5]), tf.TensorSpec([5, 3])
        )
        self.assertEqual(dot.outputs[0].shape.as_list(), [None, 3])
        twice = test_ops.as_graph(Twice(), tf.TensorSpec([None]))
        self.assertEqual(twice.outputs[0].shape.as_list(), [None])

    def test_nothing_of_it_is_in_the_graph(self):
        twice = test_ops.as_graph(Twice(), tf.TensorSpec([None]))
        types = [op.type for op in twice.graph.get_operations()]
        self.assertEqual(
            types, ["Placeholder", "Examples>PythonCall", "Identity"]
        )

    def test_a_length_may_be_computed_of_a_value_of_the_graph(self):
        class TwiceAsMany(Zeros):
            def infer_shape(self, node, shapes):
                return [(node.inputs[0] * 2,)]

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = np.zeros(2 * int(inputs[0]))

        op = TwiceAsMany()

        @tf.function
        def f(n):
            self.assertAllEqual(op(n).shape.as_list(), [None])
            return python_op.shape(op(n))

        self.assertAllEqual(f(tf.constant(3, tf.int64)), [6])

    def test_an_unknown_rank_is_taken(self):
        double = test_ops.as_graph(test_ops.Double(), tf.TensorSpec(None))
        self.assertIsNone(double.outputs[0].shape.rank)
        self.assertAllEqual(double(tf.ones([2, 1])), [[2.0], [2.0]])

    def test_what_is_said_wrongly_is_found_when_it_runs(self):
        class Wrong(test_ops.Double):
            def infer_shape(self, node, shapes):
                return [(shapes[0][0] + 1,)]

        wrong = test_ops.as_graph(Wrong(), tf.TensorSpec([3]))
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError,
            r"Wrong: output 0 has shape \(3,\), but infer_shape said \(4,\)",
        ):
            wrong(tf.ones([3]))

    def test_what_cannot_be_a_list_of_shapes_is_refused(self):
        for result, text in (
            ([], "a list of 1 shapes, one for each output, but returned"),
            (
                [(1, 2)],
                "gave output 0 2 dimensions, but it is declared to have 1",
            ),
            (7, "must return a list of 1 shapes"),
        ):

            class Wrong(test_ops.Double):
                def infer_shape(self, node, shapes, result=result):
                    return result

            with self.assertRaisesRegex(
                TypeError, f"Wrong.infer_shape .*{text}"
            ):
                test_ops.as_graph(Wrong(), tf.TensorSpec([3]))


class ShapeTest(tf.test.TestCase):
    def test_a_shape_is_told_without_running_the_op(self):
        dot = Dot()

        @tf.function(
            input_signature=[tf.TensorSpec([None, None])] * 2, autograph=False
        )
        def shape(a, b):
            return python_op.shape(dot(a, b))

        self.assertEqual(_python_calls(shape.get_concrete_function()), [])
        self.assertAllEqual(shape(tf.ones([5, 4]), tf.ones([4, 7])), [5, 7])
        self.assertEqual(dot.runs, 0)

    def test_through_a_chain_of_ops(self):
        dot = Dot()

        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def shape(x):
            for _ in range(50):
                x = dot(test_ops.Double()(x), x)
            return python_op.shape(x)

        self.assertEqual(_python_calls(shape.get_concrete_function()), [])
        self.assertAllEqual(shape(tf.ones([3, 3])), [3, 3])

    def test_a_length_may_be_computed_or_be_a_value(self):
        @tf.function(
            input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int64)]
        )
        def shapes(x, n):
            return python_op.shape(Twice()(Twice()(x))), python_op.shape(
                Zeros()(n)
            )

        self.assertEqual(_python_calls(shapes.get_concrete_function()), [])
        self.assertAllEqual(shapes(tf.ones([3]), 5), [[12], [5]])

    def test_without_infer_shape_the_op_is_run(self):
        op = test_ops.Unary(lambda a: a[1:])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def shape(x):
            return python_op.shape(op(x))

        self.assertLen(_python_calls(shape.get_concrete_function()), 1)
        self.assertAllEqual(shape([1.0, 2.0, 3.0]), [2])

    def test_of_an_eager_tensor(self):
        self.assertAllEqual(python_op.shape(Twice()(tf.ones([3]))), [6])

    def test_in_a_branch_of_what_is_outside(self):
        dot = Dot()

        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def shape(x):
            y = dot(x, x)
            if tf.shape(x)[0] > 2:
                shape = python_op.shape(y)
            else:
                shape = python_op.shape(dot(y, y)) * 10
            return shape

        self.assertAllEqual(shape(tf.ones([3, 3])), [3, 3])
        self.assertAllEqual(shape(tf.ones([2, 2])), [20, 20])

    def test_of_symbolic_variables(self):
        a, b = tensor.fmatrix(), tensor.fmatrix()
        dot = Dot()
        y = tensor.exp(dot(a, b) * 2 + 1)
        f = python_op.function([a, b], [y.shape, y.shape[0], y.T.shape])
        one, two = np.ones([5, 4], "f"), np.ones([4, 7], "f")
        shape, first, transposed = f(one, two)
        self.assertAllEqual(shape, [5, 7])
        self.assertAllEqual(first, 5)
        self.assertAllEqual(transposed, [7, 5])
        self.assertEqual(dot.runs, 0)

    def test_a_deep_graph_is_no_trouble(self):
        x = y = tensor.dvector()
        op = test_ops.Double()
        for _ in range(3000):
            y = op(y)
        f = python_op.function([x], y.shape)
        self.assertAllEqual(f(np.ones(3)), [3])


if __name__ == "__main__":
    tf.test.main()
