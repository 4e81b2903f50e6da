"""The kernels in ai-edge-litert's interpreter, without TensorFlow."""

import os
import sys
import warnings

import numpy as np
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import InterpreterWithCustomOps

from tflite.custom.python import registerers
from tflite.custom.python.c_interpreter import CInterpreter
from tflite.custom.python.single_op_model import single_op_model

_ATAN_MODEL = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "atan.tflite"
)


def _interpreter(
    model: bytes, by_name: bool = False
) -> InterpreterWithCustomOps:
    if by_name:
        custom_ops = registerers.custom_op_registerer_names()
    else:
        custom_ops = registerers.custom_op_registerers()
    return InterpreterWithCustomOps(
        model_content=model, custom_op_registerers=custom_ops
    )


def _run(interpreter: InterpreterWithCustomOps, x: np.ndarray) -> np.ndarray:
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def _ulps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many float32 values lie between each pair; 0 for two NaNs."""

    def ordered(x: np.ndarray) -> np.ndarray:
        bits = x.view(np.int32).astype(np.int64)
        return np.where(bits < 0, -(2**31) - bits, bits)

    both_nan = np.isnan(a) & np.isnan(b)
    return np.where(both_nan, 0, np.abs(ordered(a) - ordered(b)))


class LiteRtTest(parameterized.TestCase):
    """Kernels of this repository in a runtime that came in another library."""

    def tearDown(self) -> None:
        super().tearDown()
        self.assertNotIn("tensorflow", sys.modules)

    def test_names_are_those_of_the_kernels(self) -> None:
        names = registerers.custom_op_names()
        self.assertEqual(names, sorted(set(names)))
        self.assertContainsSubset(["Atan", "Tan", "Zeta"], names)

    @parameterized.parameters(False, True)
    def test_runs_the_trained_model(self, by_name: bool) -> None:
        with open(_ATAN_MODEL, "rb") as file:
            interpreter = _interpreter(file.read(), by_name)
        interpreter.allocate_tensors()
        x = np.array([-8.0, 0.5, 2.0, 2.2, 201.0], np.float32)
        want = np.arctan(x + np.float32(1))
        np.testing.assert_allclose(_run(interpreter, x), want, atol=1e-4)

    def test_special_values_are_within_one_ulp_and_as_in_the_c_library(
        self,
    ) -> None:
        tiny = np.finfo(np.float32).smallest_subnormal
        x = np.array(
            [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, 1.0, -2.5, 3e38],
            np.float32,
        )
        model = single_op_model("Atan", x.shape)
        interpreter = _interpreter(model)
        interpreter.allocate_tensors()
        y = _run(interpreter, x)
        want = np.arctan(x.astype(np.float64)).astype(np.float32)
        self.assertLessEqual(_ulps(y, want).max(), 1)
        np.testing.assert_array_equal(np.signbit(y[:2]), [False, True])

        c_interpreter = CInterpreter(model)
        c_interpreter.set_input(0, x)
        c_interpreter.invoke()
        self.assertEqual(c_interpreter.output(0).tobytes(), y.tobytes())

    def test_shape_follows_the_input_between_runs(self) -> None:
        interpreter = _interpreter(single_op_model("Atan", [4]))
        index = interpreter.get_input_details()[0]["index"]
        for shape in [(4,), (2, 3), (0,), (3, 0, 2), (1000,), (1, 1, 1, 1, 2)]:
            interpreter.resize_tensor_input(index, shape)
            interpreter.allocate_tensors()
            x = np.linspace(-3, 3, int(np.prod(shape)), dtype=np.float32)
            y = _run(interpreter, x.reshape(shape))
            self.assertEqual(y.shape, shape)
            np.testing.assert_allclose(y, np.arctan(x.reshape(shape)), 1e-6)

    def test_scalar(self) -> None:
        interpreter = _interpreter(single_op_model("Atan", []))
        interpreter.allocate_tensors()
        y = _run(interpreter, np.array(1.0, np.float32))
        self.assertEqual(y.shape, ())
        self.assertAlmostEqual(float(y), np.pi / 4, places=6)

    def test_another_type_is_an_error_that_names_tensor_and_type(self) -> None:
        interpreter = _interpreter(single_op_model("Atan", [4], dtype="int32"))
        with self.assertRaisesRegex(
            RuntimeError,
            "Atan: input must be FLOAT32 or FLOAT64 or INT8 or UINT8, but"
            " tensor 'input_0' is INT32",
        ):
            interpreter.allocate_tensors()

    def test_other_ops_stay_unresolved(self) -> None:
        interpreter = _interpreter(single_op_model("Frobnicate", [4]))
        with self.assertRaisesRegex(
            RuntimeError, "unresolved custom op: Frobnicate"
        ):
            interpreter.allocate_tensors()

    def test_interpreters_may_outlive_each_other(self) -> None:
        model = single_op_model("Atan", [1])
        interpreters = [_interpreter(model) for _ in range(4)]
        del interpreters[0]
        interpreters.append(_interpreter(model))
        for interpreter in interpreters:
            interpreter.allocate_tensors()
            y = _run(interpreter, np.array([1.0], np.float32))
            self.assertAlmostEqual(float(y[0]), np.pi / 4, places=6)

    def test_registering_with_what_is_no_resolver_raises(self) -> None:
        zeros = np.zeros(8, np.uint64)
        (register,) = registerers.custom_op_registerers()
        with self.assertRaisesRegex(RuntimeError, "does not look like"):
            register(zeros.ctypes.data)

    def test_the_trained_offset_is_one(self) -> None:
        with open(_ATAN_MODEL, "rb") as file:
            model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
        (graph,) = model.subgraphs
        constants = [
            np.frombuffer(model.buffers[tensor.buffer].data, np.float32)
            for tensor in graph.tensors
            if model.buffers[tensor.buffer].data is not None
        ]
        self.assertLen(constants, 1)
        np.testing.assert_allclose(constants[0], 1.0, rtol=0, atol=1e-4)


class CInterpreterTest(absltest.TestCase):
    """The C library from Python."""

    def test_resizes(self) -> None:
        interpreter = CInterpreter(single_op_model("Atan", [2]))
        for shape in [(2,), (), (0, 3), (2, 2)]:
            interpreter.resize(0, shape)
            x = np.full(shape, 2.0, np.float32)
            interpreter.set_input(0, x)
            interpreter.invoke()
            np.testing.assert_array_max_ulp(
                interpreter.output(0), np.arctan(x), maxulp=1
            )

    def test_value_of_another_shape_or_type_is_an_error(self) -> None:
        interpreter = CInterpreter(single_op_model("Atan", [2]))
        with self.assertRaisesRegex(
            ValueError, r"input 0 is float32\[2\], the value float32\[3\]"
        ):
            interpreter.set_input(0, np.zeros(3, np.float32))
        with self.assertRaisesRegex(ValueError, r"the value float64\[2\]"):
            interpreter.set_input(0, np.zeros(2))

    def test_what_is_no_model_is_an_error(self) -> None:
        with self.assertRaisesRegex(
            ValueError, "the model is not a TFLite model"
        ):
            CInterpreter(b"abc")
        with self.assertRaisesRegex(ValueError, "could not prepare"):
            CInterpreter(single_op_model("Frobnicate", [2]))


if __name__ == "__main__":
    warnings.simplefilter("error")
    absltest.main()
