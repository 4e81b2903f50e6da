"""Tests of new_op: what it writes, what it refuses, and that it writes nothing by half."""

import ast
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from tools.new_op import new_op

# The sandbox has the program where the runfiles are.
_CLANG_FORMAT = os.path.join(
    os.path.dirname(os.getcwd()), "debian_cc", "bin", "clang-format"
)


class _WorkspaceTest(unittest.TestCase):
    """A test with an empty workspace."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("WORKSPACE", 'workspace(name = "my_ops")\n')

    def write(self, path: str, text: str) -> None:
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path: str) -> str:
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def tree(self) -> list[str]:
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.root)
            for folder, folders, names in os.walk(self.root)
            for name in folders + names
        )

    def new_op(self, *arguments: str, rules="@custom_ops", where=""):
        environment = {
            "BUILD_WORKSPACE_DIRECTORY": self.root,
            "BUILD_WORKING_DIRECTORY": os.path.join(self.root, where),
        }
        errors = io.StringIO()
        with (
            mock.patch.dict(os.environ, environment),
            contextlib.redirect_stderr(errors),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            try:
                status = new_op.main(
                    [
                        f"--rules={rules}",
                        f"--clang_format={_CLANG_FORMAT}",
                        *arguments,
                    ]
                )
            except SystemExit as exit:
                status = exit.code
        return status, errors.getvalue()

    def assert_written(self, *arguments: str, **kwargs: str) -> None:
        status, errors = self.new_op(*arguments, **kwargs)
        self.assertEqual((status, errors), (0, ""))

    def assert_refused(self, why: str, *arguments: str, **kwargs: str) -> None:
        before = self.tree()
        status, errors = self.new_op(*arguments, **kwargs)
        self.assertNotEqual(status, 0)
        self.assertIn(why, errors)
        self.assertEqual(self.tree(), before)


class WritesTest(_WorkspaceTest):
    def test_each_kind_has_its_files_and_no_marker_is_left(self):
        for kind, files in {
            "tf": "x.h x_kernel.cc x_op.cc x_op.py",
            "tf_resource": "x.py x_kernel.cc x_op.cc",
            "tflite": "x.cc x.h x_math.h",
            "python": "x.py",
        }.items():
            name = f"{kind}_sample"
            self.assert_written(name, f"--kind={kind}")
            expected = [file.replace("x", name, 1) for file in files.split()]
            expected += ["BUILD", "README.md", f"{name}_test.py"]
            folder = os.path.join(self.root, name)
            self.assertEqual(sorted(os.listdir(folder)), sorted(expected))
            for file in expected:
                text = self.read(f"{name}/{file}")
                self.assertNotRegex(text, r"@[A-Za-z_]+@|^%", file)
                if file.endswith(".py"):
                    ast.parse(text)

    def test_inputs_and_dtypes_are_in_the_code(self):
        self.assert_written(
            "blend", "--kind=tf", "--inputs=left,right", "--dtypes=int8,float16"
        )
        self.assertIn(
            "void Blend(const T* left, const T* right, int64_t count, T* output)",
            self.read("blend/blend.h"),
        )
        self.assertIn(
            '.Attr("T: {int8, half}")', self.read("blend/blend_op.cc")
        )
        self.assertIn(
            "REGISTER_KERNEL(::Eigen::half)", self.read("blend/blend_kernel.cc")
        )

    def test_an_op_of_integers_has_no_gradient(self):
        self.assert_written("count_up", "--kind=tf", "--dtypes=int32")
        self.assertNotIn("Gradient", self.read("count_up/count_up_op.py"))

    def test_names_are_the_workspaces(self):
        self.assert_written("blend", "--kind=tf")
        self.assertIn('"MyOps>Blend"', self.read("blend/blend_op.cc"))
        self.assertIn("namespace my_ops {", self.read("blend/blend.h"))
        self.assertIn("my_ops_blend(", self.read("blend/blend_op.py"))
        self.assertIn(
            '"@custom_ops//tools/build_defs:', self.read("blend/BUILD")
        )

    def test_the_rules_own_workspace_has_labels_without_a_repository(self):
        self.assert_written("blend", "--kind=tf", rules="@")
        self.assertNotIn("@", self.read("blend/BUILD"))
        self.assertIn('"Examples>Blend"', self.read("blend/blend_op.cc"))

    def test_the_package_is_where_the_command_is_typed(self):
        os.mkdir(os.path.join(self.root, "signal"))
        self.assert_written("blend", "--kind=tf", where="signal")
        self.assertIn(
            '#include "signal/blend/blend.h"',
            self.read("signal/blend/blend_kernel.cc"),
        )
        self.assertIn(
            "from signal.blend import gen_blend_op",
            self.read("signal/blend/blend_op.py"),
        )

    def test_a_package_is_made_with_its_parents(self):
        self.assert_written("blend", "--kind=tf", "--package=a/b/blend")
        self.assertIn("a/b/blend/BUILD", self.tree())

    def test_a_tflite_kernel_may_have_the_name_of_its_tensorflow_op(self):
        self.assert_written("blend", "--kind=tf")
        self.assert_written("blend", "--kind=tflite", "--package=lite")
        self.assertIn('"MyOps>Blend"', self.read("lite/blend.cc"))

    def test_wrapper_names_are_those_that_tensorflow_gives(self):
        for op, name in {
            "Examples>MyOp": "examples_my_op",
            "MyOps>L2Norm": "my_ops_l2_norm",
            "A>XY": "a_xy",
        }.items():
            self.assertEqual(new_op.wrapper_name(op), name)


class RefusesTest(_WorkspaceTest):
    def test_names_that_would_not_compile(self):
        for name, why in {
            "2d": "lower case",
            "My": "lower case",
            "my-op": "lower case",
            "a__b": "lower case",
            "class": "a word of C++",
            "xor": "a word of C++",
            "lambda": "a word of Python",
            "match": "a word of Python",
            "test": "the name of a package",
            "math": "the name of a package",
            "tensorflow": "the name of a package",
            "a_test": "ends in _test",
            "a" * 41: "41 letters",
        }.items():
            self.assert_refused(why, name, "--kind=tf")

    def test_dtypes(self):
        self.assert_refused("'int3'", "a", "--kind=tf", "--dtypes=int3")
        self.assert_refused("''", "a", "--kind=tf", "--dtypes=")
        self.assert_refused(
            "twice", "a", "--kind=tf", "--dtypes=int8,float32,int8"
        )
        self.assert_refused(
            "kind tflite takes", "a", "--kind=tflite", "--dtypes=bfloat16"
        )

    def test_inputs(self):
        for inputs, why in {
            "a,a": "twice",
            "A": "lower case",
            "for": "a word of C++",
            "lambda": "a word of C++ or Python",
            "count": "the generated code",
            "blend": "the generated code",
            "a,b,c,d,e": "names 5 inputs",
        }.items():
            self.assert_refused(why, "blend", "--kind=tf", f"--inputs={inputs}")
        self.assert_refused(
            "--inputs is not for", "b", "--kind=tf_resource", "--inputs=x"
        )

    def test_unknown_kinds(self):
        self.assert_refused("invalid choice: 'tpu'", "blend", "--kind=tpu")

    def test_names_that_are_taken(self):
        self.write("signal/blend/BUILD", "")
        self.assert_refused("//signal/blend has the name", "blend", "--kind=tf")
        self.write("x.cc", 'REGISTER_OP("MyOps>Mix")\n')
        self.assert_refused("x.cc has an op MyOps>Mix", "mix", "--kind=tf")
        self.write("y.cc", 'REGISTER_OP("MyOps>TotalRead")\n')
        self.assert_refused("y.cc has an op", "total", "--kind=tf_resource")
        self.write("z.h", "const TfLiteRegistration* MixOpRegistration();\n")
        self.assert_refused(
            "z.h has a TFLite kernel Mix",
            "mix",
            "--kind=tflite",
            "--package=lite",
        )
        self.write("w.py", "class Mix(python_op.Op):\n  pass\n")
        self.assert_refused("w.py has a class Mix", "mix", "--kind=python")

    def test_names_of_another_workspace_within_are_free(self):
        self.write("vendor/WORKSPACE", "")
        self.write("vendor/blend/BUILD", "")
        self.assert_written("blend", "--kind=tf")

    def test_what_is_there_already(self):
        self.write("blend/notes.txt", "")
        self.assert_refused("is there already", "blend", "--kind=tf")
        self.write("file", "")
        self.assert_refused("no folder", "b", "--kind=tf", "--package=file/b")

    def test_packages_outside_or_without_a_python_name(self):
        for package, why in {
            "../b": "below",
            ".": "below",
            "a-b/c": "cannot import",
            "numpy/b": "the name of another package",
        }.items():
            self.assert_refused(why, "b", "--kind=tf", f"--package={package}")
        self.write("vendor/WORKSPACE", "")
        self.assert_refused(
            "a workspace of its own", "b", "--kind=tf", "--package=vendor/b"
        )

    def test_no_workspace(self):
        os.remove(os.path.join(self.root, "WORKSPACE"))
        self.assert_refused("has no WORKSPACE file", "blend", "--kind=tf")


class AtomicTest(_WorkspaceTest):
    def test_nothing_is_left_of_a_failure(self):
        before = self.tree()
        for function in ("render", "_format"):
            with mock.patch.object(
                new_op, function, side_effect=OSError("disk full")
            ):
                with self.assertRaisesRegex(OSError, "disk full"):
                    self.new_op("blend", "--kind=tf", "--package=a/b/blend")
            self.assertEqual(self.tree(), before)

    def test_nothing_is_left_where_the_last_step_fails(self):
        before = self.tree()
        with mock.patch("os.rename", side_effect=OSError("full")):
            with self.assertRaisesRegex(OSError, "full"):
                self.new_op("blend", "--kind=tf", "--package=a/b/blend")
        self.assertEqual(self.tree(), before)


if __name__ == "__main__":
    unittest.main()
