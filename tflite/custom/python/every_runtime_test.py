"""Each kernel in each runtime, bit for bit."""

import copy

import flatbuffers
import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python import every_runtime
from tflite.custom.python import op_samples
from tflite.custom.python import registerers
from tflite.custom.python.interpreter import Interpreter
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import single_op_model

_RUNTIMES = every_runtime.RUNTIMES | {"litert": "litert"}
_LATE_SHAPE = "finds the shape of its output only when it runs"


def _bits(arrays: list[np.ndarray]) -> list[tuple]:
    return [
        (each.shape, each.dtype, every_runtime.content(each)) for each in arrays
    ]


def _chain(op: str, length: int) -> bytes:
    """A model in which the output of each call of an op is input of the next."""
    model = schema.ModelT.InitFromPackedBuf(single_op_model(op, [4]), 0)
    (graph,) = model.subgraphs
    for index in range(1, length):
        tensor = copy.copy(graph.tensors[-1])
        tensor.name = f"output_{index}"
        graph.tensors = [*graph.tensors, tensor]
        node = copy.copy(graph.operators[-1])
        node.inputs, node.outputs = [index], [index + 1]
        graph.operators = [*graph.operators, node]
    graph.outputs = [length]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class EveryRuntimeTest(tf.test.TestCase, parameterized.TestCase):
    """The same object gives the same bits wherever it runs."""

    @parameterized.parameters(registerers.custom_op_names())
    def test_same_bits_in_every_runtime(self, op: str) -> None:
        self.assertIn(op, op_samples.SAMPLES, "no row in op_samples.py")
        for number, sample in enumerate(op_samples.SAMPLES[op]):
            with self.subTest(number=number, options=sample.options):
                model, inputs = sample.model(op), sample.variables()
                want = None
                refused = _LATE_SHAPE if sample.shape_from_values else None
                if sample.has_strings():
                    refused = "is of type STRING"
                for name, runtime in _RUNTIMES.items():
                    if name == "litert" and refused:
                        with self.assertRaisesRegex(ValueError, refused):
                            Interpreter(model, runtime=runtime)
                        continue
                    bits = _bits(
                        Interpreter(model, runtime=runtime).run(*inputs)
                    )
                    want = want or bits
                    self.assertNotEmpty(want)
                    self.assertEqual(bits, want, name)

    def test_several_calls_of_one_op(self) -> None:
        model = _chain("Atan", 3)
        x = np.float32([-2.0, 0.5, 3.0, 100.0])
        results = [
            Interpreter(model, runtime=runtime).run(x)
            for runtime in _RUNTIMES.values()
        ]
        for result in results:
            self.assertEqual(_bits(result), _bits(results[0]))
        self.assertAllClose(results[0][0], np.arctan(np.arctan(np.arctan(x))))

    @parameterized.parameters(*_RUNTIMES)
    def test_details(self, runtime: str) -> None:
        model = single_op_model(
            "Atan", inputs=[Tensor([2, 3])], outputs=[Tensor([2, 3])]
        )
        interpreter = Interpreter(model, runtime=_RUNTIMES[runtime])
        (x,), (y,) = interpreter.inputs(), interpreter.outputs()
        self.assertEqual((x.name, x.shape), ("input_0", (2, 3)))
        self.assertEqual((y.name, y.dtype), ("output_0", np.float32))

    @parameterized.parameters(*_RUNTIMES)
    def test_shapes_follow_the_inputs(self, runtime: str) -> None:
        model = single_op_model("Atan", [4])
        interpreter = Interpreter(model, runtime=_RUNTIMES[runtime])
        for shape in [(4,), (2, 3), (1000,), (1, 1, 2), (4,)]:
            x = np.linspace(-3, 3, int(np.prod(shape)), dtype=np.float32)
            (y,) = interpreter.run(x.reshape(shape))
            self.assertEqual(y.shape, shape)
            self.assertAllClose(y, np.arctan(x.reshape(shape)))

    @parameterized.parameters(*_RUNTIMES)
    def test_scalar_and_empty_inputs(self, runtime: str) -> None:
        for shape in [(), (0,), (3, 0)]:
            model = single_op_model("Atan", shape)
            x = np.full(shape, 2.0, np.float32)
            if runtime == "litert" and x.size == 0:
                with self.assertRaisesRegex(ValueError, "makes no empty"):
                    Interpreter(model, runtime=runtime)
                continue
            (y,) = Interpreter(model, runtime=_RUNTIMES[runtime]).run(x)
            self.assertEqual(y.shape, shape)
            self.assertAllClose(y, np.arctan(x))

    @parameterized.parameters(*_RUNTIMES)
    def test_errors_name_what_is_wrong(self, runtime: str) -> None:
        runtime = _RUNTIMES[runtime]
        interpreter = Interpreter(single_op_model("Atan", [2]), runtime=runtime)
        with self.assertRaisesRegex(
            ValueError, r"input 0 is float32\[2\], the value float64\[2\]"
        ):
            interpreter.run(np.zeros(2))
        with self.assertRaisesRegex(ValueError, "has 1 inputs, 0 were given"):
            interpreter.run()
        with self.assertRaises(ValueError):
            Interpreter(single_op_model("Frobnicate", [2]), runtime=runtime)
        with self.assertRaises(ValueError):
            Interpreter(
                single_op_model("Atan", [2], dtype="int32"), runtime=runtime
            )
        with self.assertRaises(ValueError):
            Interpreter(b"abc", runtime=runtime)

    def test_unknown_runtime_is_an_error(self) -> None:
        with self.assertRaisesRegex(
            ValueError, "must be one of tflite, ai_edge_litert, litert"
        ):
            Interpreter(single_op_model("Atan", [2]), runtime="torch")


if __name__ == "__main__":
    tf.test.main()
