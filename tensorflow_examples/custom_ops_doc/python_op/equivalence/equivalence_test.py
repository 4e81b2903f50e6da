"""Ops compute and differentiate here as they do under PyTensor."""

import json

import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op.equivalence import cases
from tensorflow_examples.custom_ops_doc.python_op.equivalence import comparison
from tensorflow_examples.custom_ops_doc.python_op.equivalence import facts
from tensorflow_examples.custom_ops_doc.python_op.equivalence import op_classes
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording

# TensorFlow passes on what a kernel raises as an error of its own.
_OTHER_ERRORS = {"shapes that do not fit": "InvalidArgumentError"}

_NAMED = comparison.named(cases.cases(op_classes.op_classes(python_op)))


class EquivalenceTest(comparison.PyTensorTestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_NAMED)
    def test_eager_results_are_those_of_pytensor(self, case):
        self.check(comparison.Eager(), case)

    @parameterized.named_parameters(*_NAMED)
    def test_results_of_functions_are_those_of_pytensor(self, case):
        self.check(recording.Symbolic(python_op), case)


class FactsTest(comparison.PyTensorTestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = json.loads(str(cls.pytensor["facts"]))
        cls.found = json.loads(json.dumps(facts.facts(python_op)))

    def test_op_is_shown_by_the_same_text(self):
        self.assertEqual(self.found["str"], self.expected["str"])

    def test_ops_are_equal_where_they_are_under_pytensor(self):
        self.assertEqual(self.found["equal"], self.expected["equal"])
        self.assertEqual(self.found["unequal"], self.expected["unequal"])

    def test_hashes_are_equal_where_they_are_under_pytensor(self):
        self.assertEqual(self.found["hash"], self.expected["hash"])

    def test_outputs_are_of_the_same_types(self):
        self.assertEqual(self.found["outputs"], self.expected["outputs"])

    def test_mistakes_raise_the_same_errors(self):
        self.assertEqual(
            self.found["errors"], {**self.expected["errors"], **_OTHER_ERRORS}
        )

    def test_shapes_are_the_same_and_found_by_running_the_same_ops(self):
        shapes = facts.shapes(python_op, recording.Symbolic(python_op))
        self.assertEqual(shapes, json.loads(str(self.pytensor["shapes"])))


if __name__ == "__main__":
    tf.test.main()
