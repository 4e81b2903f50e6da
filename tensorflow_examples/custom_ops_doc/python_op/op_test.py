"""Tests of the contract: Op, Apply, types and how calls are checked."""

import pickle

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op import test_ops

tensor = python_op.tensor


class Typed(python_op.Op):
    """Doubles a matrix of float64: the document's DoubleOp2."""

    __props__ = ()

    itypes = [tensor.dmatrix]
    otypes = [tensor.dmatrix]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class Scaled(python_op.Op):
    """An op with properties."""

    __props__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.not_a_property = object()


class Named(python_op.Op):
    """Has properties of other types than numbers."""

    __props__ = ("name", "sizes")

    def __init__(self, name, sizes):
        self.name = name
        self.sizes = sizes


class Divmod(python_op.Op):
    """Returns the remainder, its second output."""

    __props__ = ()
    default_output = 1
    itypes = [tensor.dvector, tensor.dvector]
    otypes = [tensor.dvector, tensor.dvector]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0], output_storage[1][0] = np.divmod(*inputs)


class PropsTest(tf.test.TestCase):
    def test_ops_of_equal_properties_are_equal(self):
        self.assertEqual(Scaled(4, 5), Scaled(4, 5))
        self.assertEqual(hash(Scaled(4, 5)), hash(Scaled(4, 5)))
        self.assertNotEqual(Scaled(4, 5), Scaled(2, 3))
        self.assertNotEqual(Scaled(4, 5), test_ops.Double())

    def test_a_subclass_is_another_op(self):
        class Other(Scaled):
            pass

        self.assertNotEqual(Scaled(4, 5), Other(4, 5))

    def test_without_properties_an_op_equals_itself_alone(self):
        op = test_ops.Unary(np.sin)
        self.assertEqual(op, op)
        self.assertEqual(hash(op), hash(op))
        self.assertNotEqual(op, test_ops.Unary(np.sin))

    def test_str_gives_the_properties(self):
        self.assertEqual(str(Scaled(4, "x")), "Scaled{a=4, b='x'}")
        self.assertEqual(str(Typed()), "Typed")
        self.assertEqual(str(test_ops.Unary(np.sin)), "Unary")

    def test_shows_the_properties_as_python_writes_them(self):
        self.assertEqual(
            str(Named("a, b", (1, 2))), "Named{name='a, b', sizes=(1, 2)}"
        )

    def test_props_must_be_a_tuple(self):
        # ("a") is a string, not a tuple.
        for props in ("a", ["a"], (1,)):
            with self.assertRaisesRegex(
                TypeError, r"Wrong.__props__ must be a tuple of names"
            ):
                type("Wrong", (python_op.Op,), {"__props__": props})

    def test_a_property_without_hash_is_named(self):
        with self.assertRaisesRegex(
            TypeError, r"Scaled\{a=\[1\], b=2\} cannot be hashed: .*list"
        ):
            hash(Scaled([1], 2))

    def test_an_op_of_its_own_equality_keeps_it(self):
        class Own(python_op.Op):
            def __eq__(self, other):
                return True

            def __hash__(self):
                return 7

        self.assertEqual(Own(), 3)
        self.assertEqual(hash(Own()), 7)

    def test_an_op_can_be_pickled_after_it_has_run(self):
        op = test_ops.Double()
        op(tf.constant([1.0]))
        copy = pickle.loads(pickle.dumps(op))
        self.assertEqual(copy, op)
        self.assertAllEqual(copy(tf.constant([2.0])), [4.0])


class MakeNodeTest(tf.test.TestCase, parameterized.TestCase):
    def test_itypes_and_otypes_serve_for_make_node(self):
        self.assertAllEqual(
            Typed()(tf.ones([2, 3], tf.float64)), [[2.0] * 3] * 2
        )

    @parameterized.named_parameters(
        ("dtype", tf.ones([2, 3]), r"TensorType\(float32, \(2, 3\)\)"),
        ("rank", tf.ones([3], tf.float64), r"TensorType\(float64, \(3\)\)"),
        ("text", "x", r"string"),
    )
    def test_an_input_of_another_type_is_refused(self, x, text):
        with self.assertRaisesRegex(
            TypeError,
            rf"Typed: input 0 must be of type TensorType\(float64, matrix\), but "
            rf"is of type .*{text}",
        ):
            Typed()(x)

    def test_another_number_of_inputs_is_refused(self):
        with self.assertRaisesRegex(
            ValueError, "Typed takes 1 inputs, but was given 2"
        ):
            Typed()(1.0, 2.0)

    def test_static_dimensions_of_itypes_are_checked(self):
        class Row(Typed):
            itypes = [tensor.drow]

        self.assertAllEqual(Row()(np.ones([1, 2])), [[2.0, 2.0]])
        with self.assertRaisesRegex(TypeError, r"float64, \(1, \?\).*\(2, 2\)"):
            Row()(np.ones([2, 2]))

    def test_an_op_without_types_says_what_it_lacks(self):
        class Empty(python_op.Op):
            pass

        with self.assertRaisesRegex(
            NotImplementedError,
            "Empty must define make_node, or itypes and otypes",
        ):
            Empty()(1.0)

    def test_an_op_without_implementation_says_what_it_lacks(self):
        class Idle(python_op.Op):
            itypes = [tensor.dscalar]
            otypes = [tensor.dscalar]

        with self.assertRaisesRegex(
            NotImplementedError, "Idle defines neither perform, c_code nor make"
        ):
            Idle()(1.0)

    def test_the_type_error_of_make_node_reaches_the_caller_unchanged(self):
        error = TypeError("only tensors of rank 7")

        class Picky(python_op.Op):
            def make_node(self, x):
                raise error

        with self.assertRaises(TypeError) as caught:
            Picky()(tf.constant(1.0))
        self.assertIs(caught.exception, error)

    @parameterized.named_parameters(
        ("float", 3.0, tf.float64),
        ("int", 3, tf.int64),
        ("array", np.float32(3), tf.float32),
        ("list", [3.0, 4.0], tf.float64),
        ("tensor", tf.constant(3.0), tf.float32),
        ("bool", True, tf.bool),
    )
    def test_inputs_that_are_no_tensors_are_converted(self, x, dtype):
        op = test_ops.Unary(lambda a: a.copy())
        self.assertEqual(op(x).dtype, dtype)
        self.assertAllEqual(op(x), x)

    def test_a_tf_variable_is_read(self):
        self.assertAllEqual(test_ops.Double()(tf.Variable([1.0])), [2.0])

    def test_a_list_of_tensors_is_stacked(self):
        x = [tf.constant(1.0), tf.constant(2.0)]
        self.assertAllEqual(test_ops.Double()(x), [2.0, 4.0])

    def test_what_is_no_dense_tensor_is_refused(self):
        for x, name in (
            (tf.sparse.eye(3), "SparseTensor"),
            (tf.ragged.constant([[1], []]), "RaggedTensor"),
            (object(), "object"),
            ([[1], [2, 3]], "not a tensor"),
        ):
            with self.assertRaisesRegex(TypeError, name):
                test_ops.Double()(x)

    def test_keyword_arguments_reach_make_node(self):
        class To(python_op.Op):
            def make_node(self, x, dtype):
                x = tensor.as_tensor_variable(x)
                return python_op.Apply(
                    self, [x], [python_op.TensorType(dtype, x.type.shape)()]
                )

            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0].astype(node.outputs[0].dtype)

        self.assertEqual(To()(1.5, dtype="int32").dtype, tf.int32)


class ApplyTest(tf.test.TestCase):
    def test_a_node_owns_its_outputs(self):
        x, y = tensor.dvector("x"), tensor.dvector()
        op = test_ops.Double()
        node = python_op.Apply(op, [x], [y])
        self.assertIs(y.owner, node)
        self.assertEqual(y.index, 0)
        self.assertEqual((node.nin, node.nout), (1, 1))
        self.assertIs(node.out, y)
        self.assertEqual(str(node), "Double(x)")

    def test_what_is_no_variable_is_refused(self):
        with self.assertRaisesRegex(
            TypeError, "input 0 of the Apply of Double must be a Variable"
        ):
            python_op.Apply(test_ops.Double(), [1.0], [tensor.dvector()])
        with self.assertRaisesRegex(TypeError, "output 0 .* TensorType"):
            python_op.Apply(test_ops.Double(), [], [tensor.dvector])

    def test_an_output_belongs_to_one_node(self):
        y = tensor.dvector()
        python_op.Apply(test_ops.Double(), [], [y])
        with self.assertRaisesRegex(
            ValueError, "is an output of Double already"
        ):
            python_op.Apply(test_ops.Double(), [], [y])


class OutputsTest(tf.test.TestCase):
    def test_one_output_is_a_tensor_and_several_are_a_list(self):
        x = tf.constant([1.0])
        self.assertIsInstance(test_ops.Double()(x), tf.Tensor)
        self.assertLen(test_ops.Double()(x, return_list=True), 1)
        both = test_ops.SumAndDifference()(x, x)
        self.assertAllEqual(both, [[2.0], [0.0]])

    def test_default_output_is_the_one_that_is_returned(self):
        class Difference(test_ops.SumAndDifference):
            default_output = 1

        self.assertAllEqual(Difference()(3.0, 1.0), 2.0)

    def test_variables_give_variables(self):
        x = tensor.as_tensor_variable(tf.constant([1.0]))
        y = test_ops.Double()(x, name="y")
        self.assertIsInstance(y, python_op.Variable)
        self.assertEqual(y.name, "y")
        self.assertIs(y.owner.inputs[0], x)
        self.assertAllEqual(y, [2.0])

    def test_name_is_the_default_outputs(self):
        remainder = Divmod()(tensor.dvector(), tensor.dvector(), name="rest")
        self.assertEqual(remainder.name, "rest")
        self.assertIsNone(remainder.owner.outputs[0].name)

    def test_symbolic_variables_give_symbolic_variables(self):
        y = test_ops.Double()(tensor.dvector("x"))
        self.assertIsNone(y.tensor)
        self.assertEqual(y.type, tensor.dvector)
        with self.assertRaisesRegex(TypeError, "is symbolic: it has no value"):
            tf.convert_to_tensor(y)


class TensorTypeTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(
        (letter, letter, dtype)
        for letter, dtype in (
            ("b", "int8"),
            ("i", "int32"),
            ("l", "int64"),
            ("f", "float32"),
            ("d", "float64"),
            ("c", "complex64"),
            ("z", "complex128"),
        )
    )
    def test_names_say_dtype_and_rank(self, letter, dtype):
        for rank, name in enumerate(
            ("scalar", "vector", "matrix", "tensor3", "tensor4")
        ):
            named = getattr(tensor, letter + name)
            self.assertEqual(named.dtype, dtype)
            self.assertEqual(named.shape, (None,) * rank)
        self.assertEqual(getattr(tensor, letter + "row").shape, (1, None))
        self.assertEqual(getattr(tensor, letter + "col").shape, (None, 1))

    def test_equal_dtypes_and_shapes_are_one_type(self):
        self.assertEqual(
            python_op.TensorType("float64", (None, None)), tensor.dmatrix
        )
        self.assertEqual(
            hash(python_op.TensorType(np.float64, [None, None])),
            hash(tensor.dmatrix),
        )
        self.assertNotEqual(tensor.dmatrix, tensor.drow)
        self.assertNotEqual(tensor.dmatrix, tensor.fmatrix)

    def test_flags_of_broadcasting_are_dimensions_of_one(self):
        self.assertEqual(
            python_op.TensorType("float64", (True, False)), tensor.drow
        )
        self.assertEqual(tensor.drow.broadcastable, (True, False))

    def test_dimensions_that_are_none_are_refused(self):
        with self.assertRaisesRegex(ValueError, "must not be negative: -1"):
            python_op.TensorType("float64", (-1,))
        with self.assertRaisesRegex(TypeError, "an int or None, .* float: 2.5"):
            python_op.TensorType("float64", (2.5,))
        with self.assertRaisesRegex(TypeError, "no values that NumPy could"):
            python_op.TensorType(tf.resource, ())

    def test_filter_takes_what_fits_without_loss(self):
        self.assertEqual(
            tensor.dvector.filter(np.float32([1])).dtype, "float64"
        )
        self.assertEqual(tensor.fvector.filter([1.0]).dtype, "float32")
        with self.assertRaisesRegex(TypeError, "an array of dtype float64"):
            tensor.fvector.filter(np.ones(1))
        self.assertEqual(
            tensor.fvector.filter(np.ones(1), allow_downcast=True).dtype,
            "float32",
        )
        with self.assertRaisesRegex(TypeError, r"an array of shape \(1, 1\)"):
            tensor.fvector.filter([[1.0]])

    def test_a_variable_that_stands_for_a_tensor_knows_its_rank_alone(self):
        x = tensor.as_tensor_variable(tf.ones([1, 3]))
        self.assertEqual(x.type, tensor.fmatrix)

    def test_as_tensor_variable_checks_a_rank_that_is_asked_for(self):
        with self.assertRaisesRegex(
            TypeError, "a tensor of 2 dimensions is want"
        ):
            tensor.as_tensor_variable([1.0], ndim=2)


if __name__ == "__main__":
    tf.test.main()
