"""Registrations cut down to models: as text, and as binaries."""

import os
import subprocess

import flatbuffers
from absl.testing import absltest
from absl.testing import parameterized
from ai_edge_litert import schema_py_generated as schema

from tflite.custom.python import registerers
from tflite.custom.python.single_op_model import single_op_model
from tflite.custom.tools import select_ops
from tflite.custom.tools.select_ops import CustomOp

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_KERNELS = "Atan 1 atan_op::AtanOpRegistration\nMy Op 2 my::OpRegistration\n"


def _path(*parts: str) -> str:
    return os.path.join(_FOLDER, *parts)


class SelectTest(parameterized.TestCase):
    """What the models need, and only that."""

    def setUp(self) -> None:
        super().setUp()
        self.kernels = select_ops.parse_kernels(_KERNELS)

    def test_model_needs_its_custom_op_and_no_built_in(self) -> None:
        self.assertEqual(
            select_ops.custom_ops(single_op_model("My Op", [1], version=2)),
            {CustomOp("My Op", 2)},
        )
        self.assertEmpty(select_ops.custom_ops(single_op_model("TANH", [1])))
        # A code past the schema's older field.
        self.assertEmpty(select_ops.custom_ops(single_op_model("SIGN", [1])))

    def test_source_lists_just_the_kernels_needed(self) -> None:
        functions = select_ops.select({CustomOp("My Op", 2): "m"}, self.kernels)
        text = select_ops.source(["m.tflite"], functions)
        self.assertIn("{my::OpRegistrationExternal, my::OpRegistration},", text)
        self.assertNotIn("atan_op", text)

    @parameterized.parameters(
        (CustomOp("Frob", 1), r"m needs the custom op 'Frob' \(version 1\)"),
        (CustomOp("ATan", 1), "nearest is 'Atan'; there are .*: Atan 1, My Op"),
        (CustomOp("Atan", 2), r"'Atan' \(version 2\)"),
    )
    def test_op_without_kernel_is_named_with_those_that_are_there(
        self, op: CustomOp, message: str
    ) -> None:
        with self.assertRaisesRegex(ValueError, message):
            select_ops.select({op: "m"}, self.kernels)

    def test_custom_op_without_a_name_is_no_op_at_all(self) -> None:
        model = schema.ModelT.InitFromPackedBuf(single_op_model("Atan", [1]), 0)
        model.operatorCodes[0].customCode = None
        builder = flatbuffers.Builder()
        builder.Finish(model.Pack(builder), b"TFL3")
        with self.assertRaisesRegex(ValueError, "is truncated or damaged"):
            select_ops.custom_ops(bytes(builder.Output()))

    def test_what_is_no_model_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "is no TFLite model"):
            select_ops.custom_ops(b"abc")
        model = single_op_model("Atan", [1])
        refused = 0
        for size in range(8, len(model)):
            try:
                select_ops.custom_ops(model[:size])
            except ValueError as error:
                refused += 1
                self.assertEqual(str(error), "is truncated or damaged")
        self.assertGreater(refused, 0)

    def test_list_holds_every_kernel(self) -> None:
        with open(_path("kernels.txt"), encoding="utf-8") as file:
            kernels = select_ops.parse_kernels(file.read())
        self.assertEqual(
            sorted({op.name for op in kernels}), registerers.custom_op_names()
        )

    def test_command_line_says_what_is_missing(self) -> None:
        path = os.path.join(self.create_tempdir(), "frob.tflite")
        with open(path, "wb") as file:
            file.write(single_op_model("Frob", [1]))
        result = subprocess.run(
            [_path("select_ops"), path],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 1)
        self.assertLen(result.stderr.splitlines(), 1)
        self.assertIn("frob.tflite needs the custom op 'Frob'", result.stderr)


class SelectedBinariesTest(absltest.TestCase):
    """One program with all kernels, with Atan's, and with none."""

    def _run(self, program: str, model: str) -> tuple[int, list[str]]:
        result = subprocess.run(
            [_path("testdata", program), _path("..", model)],
            capture_output=True,
            text=True,
            check=False,
        )
        return result.returncode, result.stdout.splitlines()

    def test_each_has_its_kernels_and_runs_its_models(self) -> None:
        atan, tanh = "atan_only.tflite", "tanh_only.tflite"
        every = registerers.custom_op_names()
        self.assertEqual(self._run("run_all_ops", atan), (0, every))
        self.assertEqual(self._run("run_atan_ops", atan), (0, ["Atan"]))
        self.assertEqual(self._run("run_atan_ops", tanh), (0, ["Atan"]))
        self.assertEqual(self._run("run_no_ops", tanh), (0, []))
        self.assertEqual(self._run("run_no_ops", atan), (1, []))

    def test_fewer_kernels_make_a_smaller_binary(self) -> None:
        size = {
            name: os.path.getsize(_path("testdata", name))
            for name in ("run_all_ops", "run_atan_ops", "run_no_ops")
        }
        print(size)
        self.assertLess(size["run_no_ops"], size["run_atan_ops"])
        if registerers.custom_op_names() != ["Atan"]:
            self.assertLess(size["run_atan_ops"], size["run_all_ops"])


if __name__ == "__main__":
    absltest.main()
