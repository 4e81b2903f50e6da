"""Tests of ops' C code under a real compiler."""

import os
import pathlib
import sys
import sysconfig
import tempfile
import unittest.mock
import warnings
from typing import Any

import numpy as np
from absl.testing import absltest
from absl.testing import parameterized

from tensorflow_examples.custom_ops_doc.python_op import c_compiler
from tensorflow_examples.custom_ops_doc.python_op import c_op
from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import ALLOCATE
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import CodeOp
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import DOUBLES
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import DoubleOp
from tensorflow_examples.custom_ops_doc.python_op.c_op_test_ops import make_node

_DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)

# The workspace's, wherever the test runs.
_CXX = c_compiler.find_compiler()


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    os.environ["PYTHON_OP_COMPILE_DIR"] = folder.name


def implementation(op: Any, node: Any = DOUBLES, **options: Any):
    """Returns the C implementation; what would fall back is an error here."""
    return c_op.c_implementation(op, node, on_failure="raise", **options)


def run(op: Any, *inputs: np.ndarray, node: Any = DOUBLES) -> np.ndarray:
    """Returns the first output of an op whose storage was empty."""
    storage = [[None] for _ in node.outputs]
    implementation(op, node)(list(inputs), storage)
    return storage[0][0]


class ToolchainTest(absltest.TestCase):
    def test_the_compiler_is_the_workspaces(self):
        self.assertIn("/debian_cc/bin/clang++", _CXX.command[0])

    def test_no_header_of_the_machine_is_read(self):
        read = self.create_tempfile("read.d").full_path
        run(CodeOp(ALLOCATE, c_compile_args=["-MD", "-MF", read]), np.zeros(1))
        with open(read) as file:
            headers = file.read().replace("\\\n", " ").split()[2:]
        self.assertGreater(len(headers), 100)
        for header in headers:
            self.assertRegex(
                header, r"\.runfiles/(debian_cc|debian_python|pypi)/"
            )

    def test_python_headers_are_those_of_the_interpreter(self):
        header = pathlib.Path(sysconfig.get_path("include"), "patchlevel.h")
        self.assertIn("/debian_python/", str(header))
        version = ".".join(str(part) for part in sys.version_info[:3])
        self.assertRegex(
            header.read_text(), rf'#define PY_VERSION +"{version}"'
        )


class ValuesTest(parameterized.TestCase):
    def test_a_loop_gives_the_values_of_perform(self):
        op = DoubleOp()
        x = np.linspace(-3, 5, 1001)
        expected = [None]
        op.perform(DOUBLES, [x], [expected])
        np.testing.assert_array_equal(run(op, x), expected[0])

    def test_strided_and_empty_inputs_are_read_as_they_are(self):
        x = np.arange(10.0)
        for view in (x[::3], x[::-1], x[:0]):
            np.testing.assert_array_equal(run(DoubleOp(), view), 2 * view)

    @parameterized.parameters(*_DTYPES)
    def test_each_dtype_has_its_c_type_number_and_size(self, dtype):
        op = CodeOp(
            ALLOCATE
            + """
  static_assert(sizeof(dtype_%(x)s) == ITEMSIZE_INPUT_0, "size");
  static_assert(sizeof(DTYPE_OUTPUT_0) == ITEMSIZE_OUTPUT_0, "size");
  if (PyArray_TYPE(INPUT_0) != TYPENUM_INPUT_0) {
    PyErr_Format(PyExc_AssertionError, "type_num %%d", PyArray_TYPE(INPUT_0));
    %(fail)s
  }
  for (npy_intp i = 0; i < PyArray_SIZE(%(x)s); ++i) {
    ((DTYPE_OUTPUT_0*)PyArray_DATA(OUTPUT_0))[i] = ((dtype_%(x)s*)PyArray_DATA(%(x)s))[i];
  }
"""
        )
        x = np.arange(6).reshape(2, 3).astype(dtype)
        z = run(op, x, node=make_node([(dtype, 2)], [(dtype, 2)]))
        self.assertEqual(z.dtype, np.dtype(dtype))
        np.testing.assert_array_equal(z, x)

    def test_a_scalar_is_an_array_of_no_dimensions(self):
        op = CodeOp(
            ALLOCATE
            + "*(npy_float64*)PyArray_DATA(%(z)s) = 3 * *(npy_float64*)PyArray_DATA(%(x)s);"
        )
        node = make_node([("float64", 0)], [("float64", 0)])
        self.assertEqual(run(op, np.array(1.5), node=node), 4.5)

    def test_one_array_may_be_two_inputs_and_outputs_are_several(self):
        op = CodeOp(
            """
  Py_XDECREF(%(z)s);
  Py_XDECREF(%(v)s);
  %(z)s = (PyArrayObject*)PyNumber_Add((PyObject*)%(x)s, (PyObject*)%(y)s);
  %(v)s = (PyArrayObject*)PyNumber_Subtract((PyObject*)%(x)s, (PyObject*)%(y)s);
"""
        )
        node = make_node([("float64", 1)] * 2, [("float64", 1)] * 2)
        x = np.array([1.0, 2.0])
        storage = [[None], [None]]
        implementation(op, node)([x, x], storage)
        np.testing.assert_array_equal(storage[0][0], [2, 4])
        np.testing.assert_array_equal(storage[1][0], [0, 0])


class ContractTest(absltest.TestCase):
    def test_names_may_be_left_to_be_substituted(self):
        class Op(CodeOp):
            def c_code(self, node, name, inputs, outputs, sub):
                return """
  Py_XDECREF(%(o0)s);
  %(o0)s = (PyArrayObject*)PyArray_NewLikeArray(%(i0)s, NPY_KEEPORDER, NULL, 0);
  if (%(o0)s == NULL) %(fail)s
  for (npy_intp i = 0; i < PyArray_SIZE(%(i0)s); ++i)
    ((double*)PyArray_DATA(%(o0)s))[i] = i %% 2 + i % 3;
"""

        np.testing.assert_array_equal(
            run(Op(""), np.zeros(6)), [0, 2, 2, 1, 1, 3]
        )

    def test_a_name_that_stands_for_nothing_is_refused_by_name(self):
        class Op(CodeOp):
            def c_code(self, node, name, inputs, outputs, sub):
                return "%(undefined)s;"

        with self.assertRaisesRegex(
            ValueError, r"Odd: c_code leaves %\(undefined\)s .*fail.*i0.*o0"
        ):
            implementation(Op("", name="Odd"))

    def test_a_c_code_of_other_parameters_is_refused(self):
        class Op(CodeOp):
            def c_code(self, node, sub):
                return ""

        with self.assertRaisesRegex(TypeError, "Odd: c_code must take .* 2"):
            implementation(Op("", name="Odd"))

    def test_a_c_code_that_gives_no_string_is_refused(self):
        class Op(CodeOp):
            def c_code(self, node, inputs, outputs, sub):
                return [self.code]

        with self.assertRaisesRegex(TypeError, "Odd: c_code must return a str"):
            implementation(Op("", name="Odd"))

    def test_support_code_init_code_and_headers_are_there(self):
        header = self.create_tempfile("constant.h", "#define FIVE 5\n")
        op = CodeOp(
            ALLOCATE
            + """
  ((double*)PyArray_DATA(%(z)s))[0] = TWO * FIVE + APPLY_SPECIFIC(added) + started + std::abs(-0.5);
""",
            c_headers=["constant.h", "<cmath>", '"numpy/npy_math.h"'],
            c_header_dirs=[os.path.dirname(header.full_path)],
            c_compile_args=["-DTWO=2"],
            c_support_code="static int started = 0;",
            c_support_code_apply="static const int added_node_0 = 100;",
            c_init_code=["started = 1000;"],
        )
        self.assertEqual(run(op, np.zeros(1))[0], 1110.5)

    def test_libraries_are_linked_and_found_again(self):
        folder = self.create_tempdir()
        folder.create_file(
            "module.cc",
            'extern "C" __attribute__((visibility("default"))) int seven() { return 7; }',
        )
        _CXX.run(folder.full_path, _CXX.arguments([], []))
        os.rename(
            os.path.join(folder.full_path, "module.so"),
            os.path.join(folder.full_path, "libseven.so"),
        )
        op = CodeOp(
            ALLOCATE + "((double*)PyArray_DATA(%(z)s))[0] = seven();",
            c_support_code='extern "C" int seven();',
            c_libraries=["seven"],
            c_lib_dirs=[folder.full_path],
        )
        self.assertEqual(run(op, np.zeros(1))[0], 7)

    def test_params_are_an_object_for_the_code(self):
        op = CodeOp(
            ALLOCATE
            + """
  ((double*)PyArray_DATA(%(z)s))[0] = PyFloat_AsDouble(PyTuple_GET_ITEM(%(params)s, 1));
""",
            get_params=("a", 2.5),
        )
        self.assertEqual(run(op, np.zeros(1))[0], 2.5)
        # The same compiled code with other params.
        op.get_params = lambda node: ("a", 3.5)
        self.assertEqual(run(op, np.zeros(1))[0], 3.5)

    def test_cleanup_sees_the_variables_of_the_code_and_runs_on_failure_too(
        self,
    ):
        counts = []
        op = CodeOp(
            "PyObject* counts; counts = %(params)s;"
            + ALLOCATE
            + """
  if (((double*)PyArray_DATA(%(x)s))[0] < 0) {
    PyErr_SetString(PyExc_ValueError, "negative");
    %(fail)s
  }
""",
            c_code_cleanup="PyList_Append(counts, Py_None);",
            get_params=counts,
        )
        fn = implementation(op)
        fn([np.ones(1)], [[None]])
        self.assertLen(counts, 1)
        with self.assertRaisesRegex(ValueError, "^negative$"):
            fn([-np.ones(1)], [[None]])
        self.assertLen(counts, 2)

    def test_an_op_without_c_code_for_the_node_falls_back_without_a_word(self):
        class NotForThis(CodeOp):
            def c_code(self, node, inputs, outputs, sub):
                raise NotImplementedError

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertIsNone(c_op.c_implementation(object(), DOUBLES))
            for node in (DOUBLES, make_node([("object", 1)], [])):
                self.assertIsNone(c_op.c_implementation(NotForThis(""), node))


class StorageTest(absltest.TestCase):
    def test_an_array_of_the_right_shape_is_reused(self):
        fn = implementation(DoubleOp())
        cell = [None]
        fn([np.arange(3.0)], [cell])
        first = cell[0]
        fn([np.arange(3.0) + 1], [cell])
        self.assertIs(cell[0], first)
        np.testing.assert_array_equal(first, [2, 4, 6])

    def test_an_array_of_another_shape_is_replaced(self):
        cell = [np.full(2, 7.0)]
        old = cell[0]
        implementation(DoubleOp())([np.arange(3.0)], [cell])
        np.testing.assert_array_equal(cell[0], [0, 2, 4])
        np.testing.assert_array_equal(old, [7, 7])

    def test_an_array_of_any_strides_is_reused(self):
        memory = np.zeros(6)
        cell = [memory[::-2]]
        implementation(DoubleOp())([np.arange(3.0)], [cell])
        np.testing.assert_array_equal(memory, [0, 4, 0, 2, 0, 0])

    def test_what_cannot_hold_the_output_is_replaced(self):
        read_only = np.zeros(3)
        read_only.flags.writeable = False
        for held in (
            read_only,
            np.zeros(3, "float32"),
            np.zeros((3, 1)),
            np.zeros(3, ">f8"),
            "no array",
        ):
            cell = [held]
            implementation(DoubleOp())([np.arange(3.0)], [cell])
            self.assertIsNot(cell[0], held)
            np.testing.assert_array_equal(cell[0], [0, 2, 4])

    def test_no_reference_is_lost_or_kept(self):
        fn = implementation(
            DoubleOp(
                extra="""
  if (PyArray_DIM(V1, 0) == 2) { PyErr_SetString(PyExc_ValueError, "two"); FAIL }
"""
            )
        )
        x, two, cell = np.arange(3.0), np.arange(2.0), [None]
        fn([x], [cell])
        held = cell[0]
        counts = [sys.getrefcount(a) for a in (x, two, held, cell, None)]
        for _ in range(1000):
            fn([x], [cell])
            with self.assertRaises(ValueError):
                fn([two], [cell])
        now = [sys.getrefcount(a) for a in (x, two, held, cell, None)]
        self.assertEqual(now[:-1], counts[:-1])
        self.assertLess(abs(now[-1] - counts[-1]), 100)


class ErrorTest(absltest.TestCase):
    def test_fail_raises_what_the_code_set_and_leaves_the_storage(self):
        op = CodeOp(
            """
  Py_XDECREF(%(z)s);
  %(z)s = (PyArrayObject*)PyArray_ZEROS(1, PyArray_DIMS(%(x)s), NPY_FLOAT64, 0);
  const double first = *(double*)PyArray_DATA(%(x)s);
  if (first < 0) {
    PyErr_Format(PyExc_ZeroDivisionError, "element %%d is negative", 0);
    %(fail)s
  }
"""
        )
        fn = implementation(op)
        cell = [np.full(2, 7.0)]
        held = cell[0]
        with self.assertRaisesRegex(
            ZeroDivisionError, "^element 0 is negative$"
        ):
            fn([-np.ones(2)], [cell])
        self.assertIs(cell[0], held)
        np.testing.assert_array_equal(held, [7, 7])
        self.assertEqual(sys.getrefcount(held), 3)
        fn([np.ones(2)], [cell])
        np.testing.assert_array_equal(cell[0], [0, 0])

    def test_fail_without_an_exception_is_an_error_that_names_the_op(self):
        with self.assertRaisesRegex(
            RuntimeError, "Silent: c_code failed and set no Python exception"
        ):
            run(CodeOp("%(fail)s", name="Silent"), np.zeros(1))

    def test_an_exception_without_fail_is_raised(self):
        op = CodeOp(ALLOCATE + 'PyErr_SetString(PyExc_KeyError, "forgotten");')
        with self.assertRaisesRegex(KeyError, "forgotten"):
            run(op, np.zeros(1))

    def test_a_cpp_exception_becomes_pythons(self):
        headers = ["<stdexcept>"]
        for thrown, error, text in (
            ("std::bad_alloc()", MemoryError, ""),
            ('std::out_of_range("far")', RuntimeError, "Thrower: .*far"),
            ("3", RuntimeError, "Thrower: .*no standard class"),
        ):
            op = CodeOp(f"throw {thrown};", name="Thrower", c_headers=headers)
            with self.assertRaisesRegex(error, text):
                run(op, np.zeros(1))

    def test_an_output_must_be_left_and_have_the_outputs_type(self):
        with self.assertRaisesRegex(
            RuntimeError, "Forgetful: c_code left output 0 NULL"
        ):
            run(CodeOp("", name="Forgetful"), np.zeros(1))
        wrong = "%(z)s = (PyArrayObject*)PyArray_ZEROS(1, PyArray_DIMS(%(x)s), NPY_INT32, 0);"
        with self.assertRaisesRegex(
            TypeError, "Wrong: output 0 must have dtype float64: got int32"
        ):
            run(CodeOp(wrong, name="Wrong"), np.zeros(1))
        wrong = (
            "%(z)s = (PyArrayObject*)PyArray_ZEROS(0, NULL, NPY_FLOAT64, 0);"
        )
        with self.assertRaisesRegex(
            TypeError, "Wrong: output 0 must have ndim 1: got 0"
        ):
            run(CodeOp(wrong, name="Wrong"), np.zeros(1))

    def test_inputs_of_another_type_are_refused_by_name_with_both_values(self):
        unaligned = np.zeros(17, "uint8")[1:].view("float64")
        for bad, error, text in (
            (np.zeros(2, "float32"), TypeError, "dtype float64: got float32"),
            (np.zeros((2, 2)), TypeError, "ndim 1: got 2"),
            ([1.0], TypeError, "be a numpy.ndarray: got list"),
            (None, TypeError, "be a numpy.ndarray: got NoneType"),
            (np.zeros(2, ">f8"), ValueError, "got dtype >f8"),
            (unaligned, ValueError, "aligned False"),
        ):
            cell = [None]
            with self.assertRaisesRegex(error, f"Picky: input 0 must .*{text}"):
                implementation(DoubleOp("Picky"))([bad], [cell])
            self.assertEqual(cell, [None])

    def test_check_input_false_leaves_the_checks_out(self):
        code = (
            "%(z)s = (PyArrayObject*)PyArray_ZEROS(1, PyArray_DIMS(%(x)s), NPY_FLOAT64, 0);"
            "*(double*)PyArray_DATA(%(z)s) = PyArray_NDIM(%(x)s) + 10 * PyArray_TYPE(%(x)s);"
        )
        matrix = np.zeros((2, 2), "float32")
        unchecked = CodeOp(code, check_input=False)
        self.assertEqual(run(unchecked, matrix)[0], 2 + 10 * matrix.dtype.num)
        with self.assertRaisesRegex(TypeError, "input 0"):
            run(CodeOp(code, check_input=True), matrix)

    def test_a_call_of_another_form_is_refused(self):
        fn = implementation(DoubleOp())
        x = np.zeros(1)
        for arguments, text in (
            (([x],), "2 arguments: got 1"),
            ((x, [[None]]), "inputs must be a list: got numpy.ndarray"),
            (([x, x], [[None]]), "inputs must have 1 elements: got 2"),
            (([x], []), "output_storage must have 1 elements: got 0"),
            (([x], [[]]), r"output_storage\[0\] must be a list of one"),
            (([x], [None]), r"output_storage\[0\] must be a list of one"),
        ):
            with self.assertRaisesRegex(TypeError, f"DoubleOp: .*{text}"):
                fn(*arguments)


class FallbackTest(absltest.TestCase):
    def warnings_of(self, *ops: Any, **options: Any) -> list[str]:
        """Returns the warnings of implementations that must fall back."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for op in ops:
                self.assertIsNone(c_op.c_implementation(op, DOUBLES, **options))
        for warning in caught:
            self.assertIs(warning.category, c_op.CCodeWarning)
            self.assertEqual(warning.filename, __file__)
        return [str(warning.message) for warning in caught]

    def test_code_that_does_not_compile_is_said_once_in_the_compilers_words(
        self,
    ):
        bad = CodeOp("\n  undeclared = 1;", name="Bad")
        (message,) = self.warnings_of(bad, bad)
        self.assertIn("Bad: its C code cannot be used", message)
        self.assertIn("c_code:2:3: error: use of undeclared", message)
        self.assertIn("clang++", message)
        # Another op with the same code, and another cause.
        self.assertLen(self.warnings_of(CodeOp(bad.code, name="Worse")), 1)
        self.assertLen(self.warnings_of(CodeOp("also_bad;", name="Bad")), 1)

    def test_code_that_does_not_compile_raises_where_that_is_asked_for(self):
        bad = CodeOp("undeclared = 2;", name="Bad")
        for _ in range(2):
            with self.assertRaisesRegex(
                c_op.CCompileError, "(?s)Bad: .*error: use of undeclared"
            ):
                implementation(bad)

    def test_code_that_does_not_load_names_the_missing_symbol(self):
        op = CodeOp(
            "missing_function();",
            name="Unlinked",
            c_support_code='extern "C" void missing_function();',
        )
        (message,) = self.warnings_of(op, op)
        self.assertRegex(message, "Unlinked: .*loaded.*missing_function")

    def test_an_exception_in_init_code_names_the_op(self):
        op = CodeOp(
            "",
            name="BadStart",
            c_init_code=['PyErr_SetString(PyExc_OSError, "no device");'],
        )
        (message,) = self.warnings_of(op)
        self.assertRegex(message, "BadStart: .*no device")

    def test_without_a_compiler_each_op_says_so_once(self):
        ops = [CodeOp("", name="First"), CodeOp("", name="Second")]
        messages = self.warnings_of(*ops, *ops, compiler="")
        self.assertLen(messages, 2)
        self.assertRegex(messages[0], "First: .*no C\\+\\+ compiler")
        self.assertRegex(messages[1], "Second: .*no C\\+\\+ compiler")

    def test_a_compiler_that_is_no_program_is_named(self):
        (message,) = self.warnings_of(DoubleOp("Lost"), compiler="no-such-c++")
        self.assertIn("'no-such-c++', which is no program", message)
        with unittest.mock.patch.dict(os.environ, CXX="/no/such/g++ -m64"):
            (message,) = self.warnings_of(DoubleOp("Lost"))
        self.assertIn("$CXX is '/no/such/g++ -m64'", message)

    def test_a_machine_without_any_compiler_falls_back(self):
        with (
            unittest.mock.patch.object(
                c_compiler, "_workspace_compiler", return_value=None
            ),
            unittest.mock.patch.dict(os.environ, PATH="/nonexistent"),
        ):
            (message,) = self.warnings_of(DoubleOp("Alone"))
        self.assertRegex(message, "none of c\\+\\+, g\\+\\+, clang\\+\\+ is on")

    def test_what_is_not_offered_is_said(self):
        with self.assertRaisesRegex(
            c_op.CCompileError,
            "DoubleOp: .*input 0 has dtype object: .*float64",
        ):
            implementation(
                DoubleOp(), make_node([("object", 1)], [("float64", 1)])
            )
        op = CodeOp("", name="Struct", c_support_code_struct="int held;")
        with self.assertRaisesRegex(
            c_op.CCompileError, "Struct: .*c_support_code_struct is not offered"
        ):
            implementation(op)

    def test_config_says_what_the_call_does_not(self):
        folder = self.create_tempdir().full_path
        op = DoubleOp("Configured", extra="// Configured.\n")
        with unittest.mock.patch.multiple(
            config, c_code_on_failure="raise", compile_dir=folder, cxx=""
        ):
            with self.assertRaisesRegex(c_op.CCompileError, "no C\\+\\+ comp"):
                c_op.c_implementation(op, DOUBLES)
            self.assertLen(self.warnings_of(op, on_failure="warn"), 1)
            config.cxx = None
            self.assertIsNotNone(c_op.c_implementation(op, DOUBLES))
        self.assertLen(list(pathlib.Path(folder).rglob("*.so")), 1)

    def test_on_failure_has_two_values(self):
        with self.assertRaisesRegex(ValueError, "warn, raise: got 'ignore'"):
            c_op.c_implementation(DoubleOp(), DOUBLES, on_failure="ignore")


class CompilerChoiceTest(absltest.TestCase):
    def test_the_setting_comes_before_the_environment_and_that_before_path(
        self,
    ):
        folder = self.create_tempdir()
        for name in ("set", "cxx", "g++"):
            path = folder.create_file(name, "#!/bin/sh\n").full_path
            os.chmod(path, 0o755)
        with (
            unittest.mock.patch.dict(
                os.environ, PATH=folder.full_path, CXX="cxx -m64"
            ),
            unittest.mock.patch.object(
                c_compiler, "_workspace_compiler", return_value=None
            ),
        ):
            path = os.path.join(folder.full_path, "")
            self.assertEqual(
                c_compiler.find_compiler("set").command, (path + "set",)
            )
            self.assertEqual(
                c_compiler.find_compiler().command, (path + "cxx", "-m64")
            )
            os.environ["CXX"] = ""
            self.assertEqual(
                c_compiler.find_compiler().command, (path + "g++",)
            )

    def test_a_new_version_of_the_program_is_another_compiler(self):
        path = self.create_tempfile("g++", "#!/bin/sh\n").full_path
        os.chmod(path, 0o755)
        before = c_compiler.find_compiler(path).identity()
        self.assertEqual(c_compiler.find_compiler(path).identity(), before)
        with open(path, "a") as file:
            file.write("# newer\n")
        self.assertNotEqual(c_compiler.find_compiler(path).identity(), before)

    def test_native_code_is_for_processors_alike(self):
        plain = c_compiler.machine_identity(["-O2"])
        native = c_compiler.machine_identity(["-march=native"])
        self.assertEqual(native[: len(plain)], plain)
        self.assertGreater(len(native), len(plain))


if __name__ == "__main__":
    absltest.main()
