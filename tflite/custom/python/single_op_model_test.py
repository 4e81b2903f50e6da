"""Models of one op, as ai-edge-litert's interpreter takes them."""

import os
import subprocess

import numpy as np
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import InterpreterWithCustomOps
from flatbuffers import flexbuffers

from tflite.custom.python import registerers
from tflite.custom.python.single_op_model import single_op_model
from tflite.custom.python.single_op_model import Tensor

_WRITER = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "write_single_op_model"
)


def _interpreter(model: bytes) -> InterpreterWithCustomOps:
    return InterpreterWithCustomOps(
        model_content=model,
        custom_op_registerers=registerers.custom_op_registerers(),
    )


def _run(model: bytes, *values: np.ndarray) -> list[np.ndarray]:
    interpreter = _interpreter(model)
    inputs = interpreter.get_input_details()
    for each, value in zip(inputs, values, strict=True):
        interpreter.resize_tensor_input(each["index"], value.shape)
    interpreter.allocate_tensors()
    for each, value in zip(inputs, values, strict=True):
        interpreter.set_tensor(each["index"], value)
    interpreter.invoke()
    return [
        interpreter.get_tensor(each["index"])
        for each in interpreter.get_output_details()
    ]


def _read(model: bytes) -> schema.ModelT:
    return schema.ModelT.InitFromPackedBuf(model, 0)


class SingleOpModelTest(parameterized.TestCase):
    """What the module builds, another library runs."""

    def test_add_of_two_inputs_applies_its_fused_activation(self) -> None:
        model = single_op_model(
            "ADD",
            [2],
            inputs=2,
            options={"fusedActivationFunction": "RELU"},
        )
        (total,) = _run(model, np.float32([1, -5]), np.float32([2, 3]))
        np.testing.assert_array_equal(total, [3, 0])

    def test_convolution_takes_constant_weights_and_a_batch_that_changes(
        self,
    ) -> None:
        weights = np.arange(2 * 1 * 1 * 3, dtype=np.float32).reshape(2, 1, 1, 3)
        model = single_op_model(
            "CONV_2D",
            inputs=[
                Tensor([1, 2, 2, 3], signature=[-1, 2, 2, 3]),
                Tensor([2, 1, 1, 3], value=weights),
                Tensor([2], value=[10.0, 20.0]),
            ],
            outputs=[Tensor([1, 2, 2, 2], signature=[-1, 2, 2, 2])],
            options={"padding": "VALID", "stride_w": 1, "stride_h": 1},
        )
        x = np.random.default_rng(1).random((5, 2, 2, 3), np.float32)
        (y,) = _run(model, x)
        want = x @ weights[:, 0, 0].T + np.float32([10, 20])
        np.testing.assert_allclose(y, want, rtol=1e-6)
        details = _interpreter(model).get_input_details()
        self.assertLen(details, 1)
        self.assertEqual(list(details[0]["shape_signature"]), [-1, 2, 2, 3])

    def test_reshape_takes_its_shape_from_a_constant(self) -> None:
        model = single_op_model(
            "RESHAPE",
            inputs=[
                Tensor([6], "int64"),
                Tensor([2], "int32", value=[3, 2]),
            ],
            outputs=[Tensor([3, 2], "INT64")],
        )
        (y,) = _run(model, np.arange(6))
        np.testing.assert_array_equal(y, [[0, 1], [2, 3], [4, 5]])

    def test_split_has_several_outputs(self) -> None:
        model = single_op_model(
            "SPLIT",
            inputs=[Tensor([], "int32", value=0), Tensor([4])],
            outputs=[Tensor([2]), Tensor([2])],
            options={"numSplits": 2},
        )
        low, high = _run(model, np.float32([1, 2, 3, 4]))
        np.testing.assert_array_equal(low, [1, 2])
        np.testing.assert_array_equal(high, [3, 4])

    def test_cast_and_an_op_past_the_old_fields_range(self) -> None:
        cast = single_op_model(
            "CAST",
            inputs=[Tensor([2], "int32")],
            outputs=[Tensor([2], "float32")],
            options={"inDataType": "int32", "outDataType": "float32"},
        )
        (y,) = _run(cast, np.int32([1, -2]))
        np.testing.assert_array_equal(y, np.float32([1, -2]))
        sign = single_op_model("SIGN", [2])
        (y,) = _run(sign, np.float32([3, -4]))
        np.testing.assert_array_equal(y, [1, -1])
        code = _read(sign).operatorCodes[0]
        self.assertEqual(code.deprecatedBuiltinCode, 127)
        self.assertEqual(code.builtinCode, schema.BuiltinOperator.SIGN)

    def test_constant_strings_arrive(self) -> None:
        model = single_op_model(
            "GATHER",
            inputs=[
                Tensor([3], "string", value=["a", "", "żółw"]),
                Tensor([2], "int32"),
            ],
            outputs=[Tensor([2], "string")],
        )
        (y,) = _run(model, np.int32([2, 0]))
        self.assertEqual(list(y), ["żółw".encode(), b"a"])

    def test_custom_op_runs_and_its_options_are_a_flexbuffer(self) -> None:
        options = {"axis": 1, "rate": 0.5, "names": ["a", "b"], "on": True}
        model = single_op_model("Atan", [2], options=options, version=1)
        (y,) = _run(model, np.float32([0, 1]))
        np.testing.assert_allclose(y, [0, np.pi / 4], rtol=1e-6)
        operator = _read(model).subgraphs[0].operators[0]
        self.assertEqual(
            flexbuffers.Loads(bytes(operator.customOptions)), options
        )

    def test_signature_and_description(self) -> None:
        model = single_op_model(
            "SUB",
            inputs=[Tensor([2], name="a"), Tensor([2], name="b")],
            outputs=[Tensor([2], name="difference")],
            signature_key="serving_default",
            description="a - b",
        )
        runner = _interpreter(model).get_signature_runner("serving_default")
        result = runner(a=np.float32([5, 5]), b=np.float32([1, 2]))
        np.testing.assert_array_equal(result["difference"], [4, 3])
        self.assertEqual(_read(model).description, b"a - b")

    def test_constants_lie_on_sixteen_bytes(self) -> None:
        for size in range(1, 9):
            value = np.arange(size, dtype=np.float32) + np.float32(0.12345)
            model = single_op_model(
                "ADD",
                inputs=[Tensor([size]), Tensor([size], value=value)],
                outputs=[Tensor([size])],
                description="x" * size,
            )
            self.assertEqual(model.index(value.tobytes()) % 16, 0)

    @parameterized.parameters(
        (
            "CONV2D",
            "no built-in op is named 'CONV2D'; the nearest is 'CONV_2D'",
        ),
        ("CUSTOM", "no built-in op is named 'CUSTOM'"),
        ("ATAN", "nearest is 'ATAN2'; a custom op of that name needs custom=T"),
    )
    def test_unknown_built_in_suggests_the_nearest(
        self, op: str, message: str
    ) -> None:
        with self.assertRaisesRegex(ValueError, message):
            single_op_model(op, [1])

    def test_custom_op_may_have_the_name_of_a_built_in(self) -> None:
        code = _read(single_op_model("ADD", [1], custom=True)).operatorCodes[0]
        self.assertEqual(code.customCode, b"ADD")
        with self.assertRaisesRegex(
            ValueError, "no built-in op is named 'Add'"
        ):
            single_op_model("Add", [1], custom=False)

    @parameterized.parameters(
        ({"dtype": "flaot32"}, "dtype 'flaot32'.*nearest is 'FLOAT32'"),
        ({"options": {"pading": "SAME"}}, "'pading'.*nearest is 'padding'"),
        ({"options": {"padding": "LEFT"}}, "padding 'LEFT' is none of SAME, V"),
        ({"options": b"abc"}, "options are a dict, not bytes"),
        ({"inputs": [Tensor([-1])]}, r"shape \[-1\]: sizes must be at least 0"),
        (
            {"inputs": [Tensor([2], signature=[-1, 2])]},
            r"shape \[2\] and signature \[-1, 2\]",
        ),
        (
            {"inputs": [Tensor([2], value=[1.0])]},
            r"input_0 has shape \[2\], its value \[1\]",
        ),
        (
            {"inputs": [Tensor([1], value=np.float64([1]))]},
            "input_0 is float32, its value float64",
        ),
        (
            {"inputs": [Tensor([1], "int4", value=[1])]},
            "int4, of which constants are not supported",
        ),
        ({"outputs": [Tensor([1], value=[1.0])]}, "is an output and has a val"),
        (
            {"inputs": [Tensor([1], name="a"), Tensor([1], name="a")]},
            "two tensors are named 'a'",
        ),
    )
    def test_what_does_not_fit_is_named(
        self, given: dict, message: str
    ) -> None:
        with self.assertRaisesRegex(ValueError, message):
            single_op_model("MAX_POOL_2D", [1], **given)

    def test_op_without_options_and_tensors_without_shape(self) -> None:
        with self.assertRaisesRegex(ValueError, "TANH has no options: alpha"):
            single_op_model("TANH", [1], options={"alpha": 1})
        with self.assertRaisesRegex(ValueError, "1 inputs need a shape"):
            single_op_model("TANH")


class WriteSingleOpModelTest(absltest.TestCase):
    """The command line."""

    def _write(self, *arguments: str) -> subprocess.CompletedProcess:
        self.path = os.path.join(self.create_tempdir(), "model.tflite")
        return subprocess.run(
            [_WRITER, f"--output={self.path}", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_writes_a_model_that_runs(self) -> None:
        result = self._write(
            "--op=RESHAPE",
            "--input=float32[-1, 2]",
            "--input=int32[1]=[-1]",
            "--result=float32[-1]",
            "--signature_key=main",
        )
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0)
        with open(self.path, "rb") as file:
            (y,) = _run(file.read(), np.float32([[1, 2], [3, 4]]))
        np.testing.assert_array_equal(y, [1, 2, 3, 4])

    def test_mistakes_end_in_one_line_and_status_one(self) -> None:
        for arguments, message in [
            (["--op=CONV2D"], "nearest is 'CONV_2D'"),
            (["--op=ADD", "--input=float[x]"], "'float[x]' is no tensor"),
            (["--op=ADD", "--options={"], "--options: '{' is not JSON"),
            (["--op=ADD", "--output=/nowhere/x"], "/nowhere/x"),
        ]:
            with self.subTest(message):
                result = self._write(*arguments)
                self.assertEqual(result.returncode, 1)
                self.assertLen(result.stderr.splitlines(), 1)
                self.assertStartsWith(result.stderr, "ERROR: ")
                self.assertIn(message, result.stderr)


if __name__ == "__main__":
    absltest.main()
