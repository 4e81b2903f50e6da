"""The trained model in all three runtimes, against tf.atan."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from ai_edge_litert import interpreter as litert
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.c_interpreter import CInterpreter
from tflite.custom.python.single_op_model import single_op_model

_ATAN_MODEL = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "atan.tflite"
)


def _run_python(module, model: bytes, x: np.ndarray) -> np.ndarray:
    interpreter = module.InterpreterWithCustomOps(
        model_content=model,
        custom_op_registerers=registerers.custom_op_registerers(),
    )
    index = interpreter.get_input_details()[0]["index"]
    interpreter.resize_tensor_input(index, x.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(index, x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def _run_c(model: bytes, x: np.ndarray) -> np.ndarray:
    interpreter = CInterpreter(model)
    interpreter.resize(0, x.shape)
    interpreter.set_input(0, x)
    interpreter.invoke()
    return interpreter.output(0)


_RUNTIMES = {
    "tf_lite": lambda model, x: _run_python(tf_lite, model, x),
    "ai_edge_litert": lambda model, x: _run_python(litert, model, x),
    "c_library": _run_c,
}


def _samples() -> np.ndarray:
    """Floats of every exponent and sign, and the special ones."""
    bits = np.arange(0, 2**32, 100003, dtype=np.uint64).astype(np.uint32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    return np.concatenate([bits.view(np.float32), np.float32(special)])


def _is_denormal(x: np.ndarray) -> np.ndarray:
    return (x != 0) & (np.abs(x) < np.finfo(np.float32).smallest_normal)


class RuntimesTest(tf.test.TestCase, parameterized.TestCase):
    """One kernel, three runtimes, the same result."""

    def _assert_within_ulps(self, a, b, ulps: int) -> None:
        nan = np.isnan(a)
        np.testing.assert_array_equal(nan, np.isnan(b))
        np.testing.assert_array_equal(np.signbit(a[~nan]), np.signbit(b[~nan]))
        np.testing.assert_array_max_ulp(a[~nan], b[~nan], ulps)

    @parameterized.parameters(*_RUNTIMES)
    def test_trained_model_is_atan_of_x_plus_one(self, runtime: str) -> None:
        with open(_ATAN_MODEL, "rb") as file:
            model = file.read()
        x = np.float32([-8.0, 0.5, 2.0, 2.2, 201.0])
        y = _RUNTIMES[runtime](model, x)
        self.assertAllClose(y, tf.atan(x + 1.0), rtol=0, atol=1e-4)

    @parameterized.parameters(*_RUNTIMES)
    def test_kernel_is_within_four_ulps_of_tf_atan(self, runtime: str) -> None:
        x = _samples()
        y = _RUNTIMES[runtime](single_op_model("Atan", [1]), x)
        # tf.atan is up to 3 ULP off the correctly rounded value and takes
        # denormals for zero. The kernel is within 1 ULP everywhere.
        tiny = _is_denormal(x)
        self._assert_within_ulps(y[~tiny], tf.atan(x[~tiny]).numpy(), 4)
        np.testing.assert_array_equal(y[tiny], x[tiny])

    def test_runtimes_agree_bit_for_bit(self) -> None:
        x = _samples()
        model = single_op_model("Atan", [1])
        results = [run(model, x).tobytes() for run in _RUNTIMES.values()]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    @parameterized.parameters(*_RUNTIMES)
    def test_empty_and_scalar_and_nested_shapes(self, runtime: str) -> None:
        model = single_op_model("Atan", [4])
        for shape in [(0,), (2, 0, 3), (), (2, 3, 4)]:
            x = np.full(shape, 0.5, np.float32)
            y = _RUNTIMES[runtime](model, x)
            self.assertEqual(y.shape, shape)
            self.assertAllClose(y, tf.atan(x))

    def test_registering_by_exported_name(self) -> None:
        interpreter = tf_lite.InterpreterWithCustomOps(
            model_content=single_op_model("Atan", [1]),
            custom_op_registerers=registerers.custom_op_registerer_names(),
        )
        interpreter.allocate_tensors()


if __name__ == "__main__":
    tf.test.main()
