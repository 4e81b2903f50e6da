"""Tests of check_op_library.

What nm and readelf print is kept here as text. One test reads a real library,
//tools/build_defs/testdata:sample_ops.so, with the tools of the folder that
$OP_LIBRARY_TOOLS names below the runfiles.
"""

import contextlib
import io
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path

from tools.build_defs import check_op_library

# llvm-nm 19: nm --defined-only --format=posix, of a good library.
_SYMBOLS = """\
_DYNAMIC d 3dc0 0
_GLOBAL__sub_I_sample_ops.cc t 1d30 34c
_ZN10tensorflow12OpDefBuilderC2EOS0_ W 2140 1a0
_ZN10tensorflow15OpKernelContext10num_inputsEv t 2080 8
_ZN12_GLOBAL__N_16SinkOp7ComputeEPN10tensorflow15OpKernelContextE t 2098 1
_ZN4absl12lts_2025081412StatusOrDataIiED2Ev t 20a0 40
_ZTVN12_GLOBAL__N_16SinkOpE d 3b20 38
"""

# The same of a library that was linked with TensorFlow's op.cc and others.
_SYMBOLS_OF_A_COPY = """\
_ZN10tensorflow10OpRegistry6GlobalEv t 5240 73
_ZN10tensorflow10OpRegistry6GlobalEv.cold t 1240 13
_ZN10tensorflow15OpKernelContext15allocate_outputEiRKNS_11TensorShapeEPPNS_6TensorE t 6000 40
_ZN10tensorflow16KernelDefBuilder5BuildEv T 5300 20
_ZN12_GLOBAL__N_16SinkOp7ComputeEPN10tensorflow15OpKernelContextE t 2098 1
_ZN3tsl3Env7DefaultEv t 7000 40
"""

# GNU nm 2.40: nm --defined-only --format=posix --dynamic.
_EXPORTS = """\
TF_InitKernel T 0000000000001139 000000000000000b
VERS_1.0 A 0000000000000000
_ZN3foo3barEv@@VERS_1.0 T 0000000000001144 000000000000000b
_ZNSt14_Function_baseD2Ev W 53a6 1d
_fini T 0000000000001150
"""

# llvm-readelf 19: readelf -d.
_DYNAMIC = """\
Dynamic section at offset 0x7dc0 contains 27 entries:
  Tag                Type           Name/Value
  0x0000000000000001 (NEEDED)       Shared library: [libtensorflow_framework.so.2]
  0x0000000000000001 (NEEDED)       Shared library: [libc.so.6]
  0x000000000000000e (SONAME)       Library soname: [libtensorflow.so.2]
  0x000000000000000c (INIT)         0x3000
"""

# GNU readelf 2.40: readelf -d.
_GNU_DYNAMIC = """\

Dynamic section at offset 0x2df0 contains 2 entries:
  Tag        Type                         Name/Value
 0x0000000000000001 (NEEDED)             Shared library: [libtensorflow.so.2]
 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]
"""


def _problems(symbols=_SYMBOLS, exports="", needed=(), **options):
    return check_op_library.problems(
        "//pkg:x.so",
        symbols=check_op_library.parse_symbols(symbols),
        exports=check_op_library.parse_symbols(exports),
        needed=needed,
        **options,
    )


class ParseTest(unittest.TestCase):
    def test_symbols_of_either_nm(self):
        self.assertEqual(
            check_op_library.parse_symbols(_SYMBOLS)[:2],
            [
                check_op_library.Symbol("_DYNAMIC", "d"),
                check_op_library.Symbol("_GLOBAL__sub_I_sample_ops.cc", "t"),
            ],
        )
        self.assertEqual(
            check_op_library.parse_symbols(_EXPORTS)[2],
            check_op_library.Symbol("_ZN3foo3barEv", "T"),
        )

    def test_headings_of_archives_and_undefined_symbols_are_no_symbols(self):
        text = "libx.a[x.o]:\nf T 0 1\ng U\n\nlibx.a[y.o]:\nh t 0 1\n"
        self.assertEqual(
            [s.name for s in check_op_library.parse_symbols(text)], ["f", "h"]
        )

    def test_needed_of_either_readelf(self):
        self.assertEqual(
            check_op_library.parse_needed(_DYNAMIC),
            ["libtensorflow_framework.so.2", "libc.so.6"],
        )
        self.assertEqual(
            check_op_library.parse_needed(_GNU_DYNAMIC),
            ["libtensorflow.so.2", "libm.so.6"],
        )


class ProblemsTest(unittest.TestCase):
    def test_good_library_has_none(self):
        self.assertEqual(
            _problems(
                needed=["libtensorflow_framework.so.2", "libtensorflow_cc.so.2"]
            ),
            [],
        )

    def test_own_copy_of_tensorflow_names_the_first_functions(self):
        self.assertEqual(
            _problems(symbols=_SYMBOLS_OF_A_COPY),
            [
                "//pkg:x.so: it holds its own copy of TensorFlow "
                "(tensorflow::OpRegistry::Global(), "
                "tensorflow::KernelDefBuilder::Build(), "
                "tensorflow::OpKernelContext::allocate_output() and 1 more), "
                "apart from the one in the process that loads it. Remove the "
                "dep that links TensorFlow's sources or a static TensorFlow; "
                "depend on //third_party/tensorflow/core:framework, whose "
                "code is in the wheel"
            ],
        )

    def test_own_copy_names_the_dep_where_its_archives_are_known(self):
        archives = {
            "//lib:good": check_op_library.parse_symbols("f T 0 1\n"),
            "@org_tensorflow//core:framework": check_op_library.parse_symbols(
                "_ZN10tensorflow10OpRegistry6GlobalEv T 0 73\n"
            ),
        }
        [problem] = _problems(symbols=_SYMBOLS_OF_A_COPY, archives=archives)
        self.assertIn(
            "Remove dep @org_tensorflow//core:framework; depend on", problem
        )

    def test_undefined_and_split_off_parts(self):
        self.assertEqual(
            _problems(
                symbols=_SYMBOLS + "_ZN10tensorflow10OpRegistry6GlobalEv U\n"
            ),
            [],
        )
        [problem] = _problems(
            symbols="_ZN10tensorflow10OpRegistry6GlobalEv.cold t 0 1\n"
        )
        self.assertIn("(tensorflow::OpRegistry::Global())", problem)

    def test_own_copies_of_abseil_of_any_release_and_of_protobuf(self):
        for release in ("", "12lts_20230802", "12lts_20250814"):
            with self.subTest(release):
                [problem] = _problems(
                    symbols=f"_ZN4absl{release}5Mutex8LockSlowEPKNS0_6MuHow t 0"
                )
                self.assertEqual(
                    problem,
                    "//pkg:x.so: it holds its own copy of Abseil "
                    "(absl::Mutex::LockSlow()), apart from the one in the "
                    "process that loads it. Remove the dep that links "
                    "Abseil's sources or a static Abseil; depend on "
                    "//third_party/absl/..., whose code is in the wheel",
                )
        [problem] = _problems(
            symbols="_ZN6google8protobuf14DescriptorPool14generated_poolEv t 0"
        )
        self.assertIn("own copy of protobuf (google::protobuf::", problem)

    def test_other_tensorflow_libraries(self):
        for name in (
            "libtensorflow.so.2",
            "libtensorflow.so",
            "libtensorflow_framework.so.1",
            "libtensorflowlite_c.so",
            "libtensorflowlite.so",
            "libtensorflow-lite.so.2.17",
        ):
            with self.subTest(name):
                self.assertEqual(
                    _problems(needed=["libc.so.6", name]),
                    [
                        f"//pkg:x.so: it needs {name}, another TensorFlow "
                        "than the one in the process that loads it. Remove "
                        f"the dep that links {name}; "
                        "libtensorflow_framework.so.2 of the wheel is linked "
                        "already"
                    ],
                )

    def test_libraries_with_like_names_are_no_tensorflow(self):
        self.assertEqual(_problems(needed=["libtensorflow_io.so"]), [])

    def test_exports_must_be_allowed(self):
        self.assertEqual(
            _problems(exports=_EXPORTS),
            [
                "//pkg:x.so: it exports 2 symbols that it should not "
                "(_ZN3foo3barEv, _ZNSt14_Function_baseD2Ev); allowed: none. "
                "Hide them, or list a pattern for them in exports"
            ],
        )
        self.assertEqual(
            _problems(exports=_EXPORTS, allowed=["_ZN3foo*"]),
            [
                "//pkg:x.so: it exports a symbol that it should not "
                "(_ZNSt14_Function_baseD2Ev); allowed: _ZN3foo*. "
                "Hide them, or list a pattern for them in exports"
            ],
        )
        self.assertEqual(
            _problems(exports=_EXPORTS, allowed=["_ZN3foo*", "_ZNSt*"]), []
        )

    def test_stripped_library_cannot_be_checked(self):
        self.assertEqual(
            _problems(symbols=""),
            [
                "//pkg:x.so: it has no symbol table, so it cannot be checked; "
                "remove -s and --strip-all from linkopts"
            ],
        )


class CommandTest(unittest.TestCase):
    """The program, with tools that print the texts above."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.library = self.folder / "x.linked.so"
        self.library.write_bytes(b"\x7fELF\x00 the library")
        self.library.chmod(0o555)
        self.out = self.folder / "x.so"

    def tool(self, name: str, text: str, dynamic: str = "") -> str:
        """Returns the path of a program that prints text, or dynamic."""
        path = self.folder / name
        path.write_text(
            f"#!{sys.executable}\nimport sys\n"
            f"dynamic = '--dynamic' in sys.argv\n"
            f"sys.stdout.write({dynamic!r} if dynamic else {text!r})\n",
            encoding="utf-8",
        )
        path.chmod(0o755)
        return str(path)

    def run_with(self, nm: str, readelf: str, *flags: str) -> tuple[int, str]:
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = check_op_library.main(
                [
                    f"--nm={nm}",
                    f"--readelf={readelf}",
                    "--label=@@//pkg:x.so",
                    f"--library={self.library}",
                    f"--out={self.out}",
                    *flags,
                ]
            )
        return status, errors.getvalue()

    def test_copies_a_good_library_unchanged(self):
        nm = self.tool("nm", _SYMBOLS, "_ZN3foo3barEv T 0 1\n")
        readelf = self.tool("readelf", _DYNAMIC)
        self.assertEqual(
            self.run_with(nm, readelf, "--allow_export=_ZN3foo*"), (0, "")
        )
        self.assertEqual(self.out.read_bytes(), self.library.read_bytes())
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o555)

    def test_says_everything_that_is_wrong_and_copies_nothing(self):
        nm = self.tool("nm", _SYMBOLS_OF_A_COPY, _EXPORTS)
        readelf = self.tool("readelf", _GNU_DYNAMIC)
        status, errors = self.run_with(nm, readelf, "--archive=//lib:y=y.a")
        self.assertEqual(status, 1)
        self.assertRegex(
            errors,
            r"\A//pkg:x.so: it holds its own copy of TensorFlow .*"
            r"Remove dep //lib:y; .*\n"
            r"//pkg:x.so: it needs libtensorflow.so.2, .*\n"
            r"//pkg:x.so: it exports 2 symbols .*\n\Z",
        )
        self.assertFalse(self.out.exists())

    def test_failing_tool_is_named(self):
        readelf = self.tool("readelf", _DYNAMIC)
        missing = str(self.folder / "none")
        self.assertEqual(
            self.run_with(missing, readelf),
            (
                1,
                f"//pkg:x.so: cannot run {missing}: "
                "No such file or directory\n",
            ),
        )
        nm = self.folder / "nm"
        nm.write_text(
            f"#!{sys.executable}\nimport sys\nsys.exit('no object')\n",
            encoding="utf-8",
        )
        nm.chmod(0o755)
        self.assertEqual(
            self.run_with(str(nm), readelf),
            (
                1,
                f"//pkg:x.so: {nm} --defined-only --format=posix "
                f"{self.library} failed with status 1: no object\n",
            ),
        )


class SampleLibraryTest(unittest.TestCase):
    """A real library and real tools."""

    def test_sample_library_passes_and_is_copied_unchanged(self):
        runfiles = os.environ.get("TEST_SRCDIR", "")
        library = os.path.join(
            runfiles,
            os.environ.get("TEST_WORKSPACE", ""),
            "tools/build_defs/testdata/sample_ops.so",
        )
        tools = os.path.join(runfiles, os.environ["OP_LIBRARY_TOOLS"])
        nm = os.path.join(tools, "llvm-nm")
        readelf = os.path.join(tools, "llvm-readelf")
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "x.so"
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                status = check_op_library.main(
                    [
                        f"--nm={nm}",
                        f"--readelf={readelf}",
                        "--label=//tools/build_defs/testdata:sample_ops.so",
                        f"--library={library}",
                        f"--out={out}",
                    ]
                )
            self.assertEqual((status, errors.getvalue()), (0, ""))
            self.assertEqual(out.read_bytes(), Path(library).read_bytes())


if __name__ == "__main__":
    unittest.main()
