"""A shared library of just some kernels in the interpreters of both wheels."""

import os

import numpy as np
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import interpreter as litert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.single_op_model import single_op_model

_SELECTED = os.path.join(
    os.path.dirname(os.path.abspath(__file__)),
    "testdata",
    "libatan_custom_ops.so",
)


def _interpreter(module, op: str, inputs: int, library: str | None):
    interpreter = module.InterpreterWithCustomOps(
        model_content=single_op_model(op, [3], inputs=inputs),
        custom_op_registerers=registerers.custom_op_registerers(library),
    )
    interpreter.allocate_tensors()
    return interpreter


class SelectedLibraryTest(parameterized.TestCase):
    """libatan_custom_ops.so, whose models need Atan alone."""

    def test_names_are_those_of_its_models(self):
        self.assertEqual(registerers.custom_op_names(_SELECTED), ["Atan"])
        self.assertGreater(len(registerers.custom_op_names()), 1)

    @parameterized.parameters(tf_lite, litert)
    def test_op_that_was_selected_runs(self, module):
        interpreter = _interpreter(module, "Atan", 1, _SELECTED)
        x = np.float32([-1, 0, 1])
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
        interpreter.invoke()
        output = interpreter.get_output_details()[0]["index"]
        np.testing.assert_allclose(
            interpreter.get_tensor(output), np.arctan(x), rtol=1e-6
        )

    @parameterized.parameters(tf_lite, litert)
    def test_op_that_was_left_out_is_unresolved(self, module):
        _interpreter(module, "Cross", 2, None)
        with self.assertRaisesRegex(
            (RuntimeError, ValueError), "unresolved custom op: Cross"
        ):
            _interpreter(module, "Cross", 2, _SELECTED)

    def test_library_is_smaller_than_that_of_all_kernels(self):
        every = registerers.library_path("libtflite_custom_ops.so")
        sizes = os.path.getsize(_SELECTED), os.path.getsize(every)
        print(f"{sizes[0]} of {sizes[1]} bytes")
        self.assertLess(2 * sizes[0], sizes[1])

    def test_library_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(OSError, "/no/such.so"):
            registerers.custom_op_registerers("/no/such.so")


if __name__ == "__main__":
    absltest.main()
