"""Interpreter: signatures, variables, strings and shapes in every runtime."""

import os

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import registerers
from tflite.custom.python.interpreter import Interpreter
from tflite.custom.python.single_op_model import single_op_model

_RUNTIMES = {
    "tflite": "tflite",
    "tf.lite": tf_lite,
    "ai_edge_litert": "ai_edge_litert",
    "litert": "litert",
}
_ALL = parameterized.parameters(*_RUNTIMES)
# LiteRT has no strings.
_WITH_STRINGS = parameterized.parameters(
    *[r for r in _RUNTIMES if r != "litert"]
)
_ALL_KERNELS = "//tflite/custom:libtflite_custom_ops.so"
_NEGATING = "@custom_ops//tflite/custom/testdata:negating_registerer.so"
_ONLY_ATAN = "//tflite/custom/corpus:atan_registerer.so"
_CORPUS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "corpus/small"
)


def _interpreter(name: str, runtime: str) -> Interpreter:
    path = os.path.join(_CORPUS, name + ".tflite")
    return Interpreter(path, runtime=_RUNTIMES[runtime])


def _step(w, b, x, y):
    """One step of the gradient that the model `infer_and_train` takes."""
    error = x @ w + b - y
    loss = np.mean(error * error)
    return w - 0.1 * x.T @ error, b - 0.1 * error.sum(0), loss


class InterpreterTest(tf.test.TestCase, parameterized.TestCase):
    @_ALL
    def test_training_and_inference_share_the_variables(self, runtime):
        interpreter = _interpreter("infer_and_train", runtime)
        self.assertEqual(
            interpreter.get_signature_list(),
            {
                "infer": {"inputs": ["x"], "outputs": ["y"]},
                "train": {"inputs": ["x", "y"], "outputs": ["loss"]},
            },
        )
        infer = interpreter.get_signature_runner("infer")
        train = interpreter.get_signature_runner("train")
        generator = np.random.default_rng(1)
        x = generator.standard_normal((4, 3)).astype(np.float32)
        y = generator.standard_normal((4, 1)).astype(np.float32)
        self.assertAllEqual(infer(x=x)["y"], np.zeros((4, 1)))
        w, b = np.zeros((3, 1)), np.zeros(1)
        for _ in range(5):
            w, b, loss = _step(w, b, x, y)
            self.assertAllClose(train(y=y, x=x)["loss"], loss, rtol=1e-4)
        self.assertAllClose(infer(x=x)["y"], x @ w + b, rtol=1e-4)
        interpreter.reset_variables()
        infer = interpreter.get_signature_runner("infer")
        self.assertAllEqual(infer(x=x)["y"], np.zeros((4, 1)))

    @_ALL
    def test_a_runner_outlives_a_reset(self, runtime):
        interpreter = _interpreter("infer_and_train", runtime)
        infer = interpreter.get_signature_runner("infer")
        interpreter.reset_variables()
        x = np.ones((4, 3), np.float32)
        self.assertAllEqual(infer(x=x)["y"], np.zeros((4, 1)))

    @_ALL
    def test_variables_last_from_run_to_run_until_they_are_reset(self, runtime):
        interpreter = _interpreter("variables", runtime)
        x = np.float32([1, 2, 3, 4])
        for _ in range(2):
            for times in (1, 2, 3):
                (total,) = interpreter.run(x)
                self.assertAllClose(total, times * np.arctan(x))
            interpreter.reset_variables()

    @_ALL
    def test_signature_errors_name_what_is_wrong(self, runtime):
        interpreter = _interpreter("infer_and_train", runtime)
        with self.assertRaisesRegex(
            ValueError, r"one of \['infer', 'train'\], not 'fit'"
        ):
            interpreter.get_signature_runner("fit")
        with self.assertRaisesRegex(ValueError, "not None"):
            interpreter.get_signature_runner()
        infer = interpreter.get_signature_runner("infer")
        x = np.ones((4, 3), np.float32)
        with self.assertRaisesRegex(ValueError, r"inputs \['x'\], \['z'\]"):
            infer(z=x)
        with self.assertRaisesRegex(
            ValueError, r"input 'x' of the signature 'infer' is float32\[4, 3\]"
        ):
            infer(x=x.astype(np.float64))

    @_ALL
    def test_inputs_have_the_order_and_the_names_of_the_graph(self, runtime):
        interpreter = _interpreter("while_loop", runtime)
        want = _interpreter("while_loop", "tf.lite")
        self.assertEqual(interpreter.inputs(), want.inputs())
        self.assertEqual(
            [each.name for each in interpreter.outputs()],
            [each.name for each in want.outputs()],
        )
        x = np.float32([0.5, -0.25, 0.125, 1])
        values = {4: x}
        for times in (0, 3, 5):
            y = x
            for _ in range(times):
                y = np.tanh(y * 1.5 + 0.1)
            values = [
                np.int32(times) if each.shape == () else x
                for each in interpreter.inputs()
            ]
            self.assertAllClose(interpreter.run(*values)[0], y)

    @_ALL
    def test_quantization_is_the_same_in_every_runtime(self, runtime):
        interpreter = _interpreter("atan_net_int8", runtime)
        (details,) = interpreter.inputs()
        scale, zero_point = details.quantization
        self.assertEqual(details.dtype, np.int8)
        # Calibrated with values between -1 and 1.
        self.assertAlmostEqual(scale, 2 / 255, places=4)
        self.assertBetween(zero_point, -2, 1)
        want = _interpreter("atan_net", "tf.lite")
        x = np.random.default_rng(3).uniform(-1, 1, (1, 16, 16, 3))
        x = x.astype(np.float32)
        quantized = np.clip(np.round(x / scale) + zero_point, -128, 127)
        (got,) = interpreter.run(quantized.astype(np.int8))
        scale, zero_point = interpreter.outputs()[0].quantization
        got = (got.astype(np.float32) - zero_point) * scale
        self.assertAllClose(got, want.run(x)[0], atol=4 * scale)

    @_WITH_STRINGS
    def test_strings(self, runtime):
        interpreter = _interpreter("strings", runtime)
        words = np.array([b"a\0b", "gr\u00fc\u00df", b""], object)
        indices = np.int32([2, 1, 0, 1])
        inputs = [
            words if each.dtype == object else indices
            for each in interpreter.inputs()
        ]
        outputs = interpreter.run(*inputs)
        strings = next(each for each in outputs if each.dtype == object)
        utf8 = "gr\u00fc\u00df".encode()
        self.assertEqual(list(strings), [b"", utf8, b"a\0b", utf8])
        numbers = next(each for each in outputs if each.dtype != object)
        self.assertAllClose(numbers, np.arctan(np.float32(indices)))

    @_WITH_STRINGS
    def test_a_table_of_strings(self, runtime):
        runner = _interpreter("hash_table", runtime).get_signature_runner()
        words = np.array(["right", "up", "left"])
        (found,) = runner(x=words).values()
        self.assertAllEqual(found, [2, -1, 1])

    @_ALL
    def test_two_inputs_are_resized_at_once(self, runtime):
        # An op that does not broadcast: one input alone could not be resized.
        model = single_op_model("AccumulateNV2", [2], inputs=2)
        interpreter = Interpreter(model, runtime=_RUNTIMES[runtime])
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        self.assertAllEqual(interpreter.run(x, x + 1)[0], 2 * x + 1)

    @_ALL
    def test_batch_is_resized(self, runtime):
        interpreter = _interpreter("attention", runtime)
        (details,) = interpreter.inputs()
        self.assertEqual(details.shape_signature, (-1, 6, 16))
        generator = np.random.default_rng(2)
        x = generator.standard_normal((3, 6, 16)).astype(np.float32)
        (together,) = interpreter.run(x)
        for i in range(3):
            (alone,) = interpreter.run(x[i : i + 1])
            self.assertAllClose(alone[0], together[i], atol=1e-5)

    @_ALL
    def test_a_program_written_for_ai_edge_litert(self, runtime):
        interpreter = _interpreter("atan_net", runtime)
        interpreter.allocate_tensors()
        input_details = interpreter.get_input_details()
        output_details = interpreter.get_output_details()
        shape = input_details[0]["shape"]
        x = np.ones(shape, input_details[0]["dtype"])
        interpreter.set_tensor(input_details[0]["index"], x)
        interpreter.invoke()
        y = interpreter.get_tensor(output_details[0]["index"])
        self.assertAllClose(y, interpreter.run(x)[0])
        self.assertEqual(input_details[0]["quantization"], (0.0, 0))
        with self.assertRaisesRegex(ValueError, r"only -1 may change"):
            interpreter.resize_tensor_input(0, [2, 16, 16, 3], strict=True)

    @_ALL
    def test_an_op_without_a_kernel_is_named_with_a_way_to_write_one(
        self, runtime
    ):
        with self.assertRaisesRegex(
            ValueError, "Frobnicate.*new_op -- my_op --kind=tflite"
        ):
            Interpreter(
                single_op_model("Frobnicate", [2]), runtime=_RUNTIMES[runtime]
            )

    @_ALL
    def test_what_a_kernel_says_is_in_the_error(self, runtime):
        with self.assertRaisesRegex(
            ValueError, "Atan: input must be FLOAT32 or FLOAT64.*INT32"
        ):
            Interpreter(
                single_op_model("Atan", [2], dtype="int32"),
                runtime=_RUNTIMES[runtime],
            )

    @parameterized.parameters("tflite", "tf.lite", "ai_edge_litert")
    def test_an_output_is_not_read_before_there_is_one(self, runtime):
        # How long it is, only the run tells.
        interpreter = _interpreter("range", runtime)
        with self.assertRaises(RuntimeError):
            interpreter.output(0)
        (y,) = interpreter.run(np.int32(3000))
        self.assertAllEqual(y, np.arange(3000) * 2.0 + 1)

    @_ALL
    def test_libraries_of_kernels_by_label_of_which_the_last_is_taken(
        self, runtime
    ):
        x = np.float32([0.5, -3.0])

        def atan(*ops):
            model = single_op_model("Atan", [2])
            return Interpreter(model, runtime=_RUNTIMES[runtime], ops=ops).run(
                x
            )[0]

        self.assertAllEqual(atan(_NEGATING), -x)
        self.assertAllEqual(atan(_ALL_KERNELS, _NEGATING), -x)
        for ops in [(_ALL_KERNELS,), (_NEGATING, _ALL_KERNELS)]:
            self.assertAllClose(atan(*ops), np.arctan(x))

    @_ALL
    def test_a_library_gives_what_it_has_and_no_more(self, runtime):
        ops = [registerers.library_path(_ONLY_ATAN)]
        self.assertEqual(registerers.custom_op_names(ops[0]), ["Atan"])
        interpreter = Interpreter(
            single_op_model("Atan", [1]), runtime=_RUNTIMES[runtime], ops=ops
        )
        x = np.float32([2])
        self.assertAllClose(interpreter.run(x)[0], np.arctan(x))
        with self.assertRaisesRegex(ValueError, "custom op 'Tan'"):
            Interpreter(
                single_op_model("Tan", [1]), runtime=_RUNTIMES[runtime], ops=ops
            )

    def test_a_library_of_kernels_must_be_one(self):
        model = single_op_model("Atan", [2])
        with self.assertRaisesRegex(OSError, "made by tflite_registerer"):
            Interpreter(model, ops=["libtflite_custom_ops_litert.so"])
        with self.assertRaisesRegex(FileNotFoundError, "no/lib.so"):
            Interpreter(model, ops=["no/lib.so"])
        with self.assertRaisesRegex(FileNotFoundError, "program's `data`"):
            Interpreter(model, ops=["//no:lib.so"])


if __name__ == "__main__":
    tf.test.main()
