"""The functions of `tensor` compute and differentiate as PyTensor's."""

import tensorflow as tf
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op.equivalence import comparison
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording
from tensorflow_examples.custom_ops_doc.python_op.equivalence import (
    tensor_cases,
)

_CASES = tensor_cases.tensor_cases(python_op.tensor)


class TensorEquivalenceTest(
    comparison.PyTensorTestCase, parameterized.TestCase
):
    what = "tensor"
    inputs = 2
    exact_values = False
    least_scale = 1.0

    @parameterized.named_parameters(*comparison.named(_CASES))
    def test_results_on_tensors_are_those_of_pytensor(self, case):
        self.check(comparison.EagerVariables(), case)

    def test_results_of_functions_are_those_of_pytensor(self):
        # To compile them takes most of the time: a sample has every fourth.
        for case in _CASES[:: 4 if comparison.is_sample() else 1]:
            with self.subTest(case.name):
                self.check(recording.Symbolic(python_op), case)


if __name__ == "__main__":
    tf.test.main()
