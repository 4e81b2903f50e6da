"""The functions of `tensor` compute and differentiate as PyTensor's."""

import tensorflow as tf
from absl import flags
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import python_op
from tensorflow_examples.custom_ops_doc.python_op.equivalence import comparison
from tensorflow_examples.custom_ops_doc.python_op.equivalence import recording
from tensorflow_examples.custom_ops_doc.python_op.equivalence import (
    tensor_cases,
)

_INPUTS = flags.DEFINE_integer("inputs", 10, "how many, for each case")

_NAMED = comparison.named(tensor_cases.tensor_cases(python_op.tensor))

_expected = {}


def setUpModule():  # noqa: N802
    _expected.update(comparison.run_pytensor("tensor", _INPUTS.value))


class TensorEquivalenceTest(tf.test.TestCase, parameterized.TestCase):
    @parameterized.named_parameters(*_NAMED)
    def test_results_on_tensors_are_those_of_pytensor(self, case):
        self._check(comparison.EagerVariables(), case)

    @parameterized.named_parameters(*_NAMED)
    def test_results_of_functions_are_those_of_pytensor(self, case):
        self._check(recording.Symbolic(python_op), case)

    def _check(self, backend, case):
        comparison.check(
            self,
            backend,
            case,
            _expected,
            _INPUTS.value,
            exact_values=False,
            least_scale=1,
        )


if __name__ == "__main__":
    tf.test.main()
