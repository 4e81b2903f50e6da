"""Tests of the program behind tf_custom_op_wheel, with a real op library."""

import os
import tempfile
import unittest
import zipfile
from pathlib import Path

from tools.build_defs import write_wheel

_READELF = os.path.join("..", os.environ["OP_LIBRARY_TOOLS"], "llvm-readelf")
_LIBRARY = "tools/build_defs/testdata/sample_ops.so"
_CHECK = "import tensorflow as _tensorflow"


def _library(*versions: tuple[str, tuple[int, ...]]) -> write_wheel.Library:
    return write_wheel.Library((), "", frozenset(versions))


class WheelTest(unittest.TestCase):
    """A wheel of an op library, beside an installed TensorFlow 2.21.0."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, project in (
            ("tensorflow", "tensorflow_cpu"),
            ("numpy", "numpy"),
        ):
            info = self.folder / name / f"{project}-2.21.0.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(
                f"Metadata-Version: 2.1\nName: {project}\nVersion: 2.21.0\n"
            )

    def write_file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def wheel(self, *files: tuple[str, str], **changes) -> write_wheel.Wheel:
        manifest = {
            "description": "",
            "distribution": "My.Ops",
            "distributions": [
                str(self.folder / name) for name in ("tensorflow", "numpy")
            ],
            "external_libraries": [],
            "files": [{"to": to, "path": path} for to, path in files],
            "label": "//:my_ops",
            "license": "",
            "license_files": [],
            "requires": [],
            "requires_python": ">=3.11",
            "summary": "",
            "version": "1.0",
        }
        return write_wheel.Wheel({**manifest, **changes}, _READELF)

    def test_a_package_with_an_op_library_checks_tensorflow_first(self):
        init = self.write_file("i.py", '"""Mine."""\nimport ops\n')
        path = self.wheel(
            ("my/x.so", _LIBRARY), ("my/__init__.py", init)
        ).write(str(self.folder))
        self.assertRegex(
            os.path.basename(path),
            r"^my_ops-1\.0-py3-none-manylinux_2_\d+_x86_64\.whl$",
        )
        with zipfile.ZipFile(path) as archive:
            lines = archive.read("my/__init__.py").decode().splitlines()
            metadata = archive.read("my_ops-1.0.dist-info/METADATA").decode()
            self.assertIn("my/py.typed", archive.namelist())
        self.assertEqual(lines[0], '"""Mine."""')
        self.assertLess(lines.index(_CHECK), lines.index("import ops"))
        self.assertIn("\nRequires-Dist: tensorflow-cpu==2.21.*\n", metadata)

    def test_a_wrapper_in_another_folder_checks_too(self):
        gen = self.write_file("gen.py", "load('../kernels/x.so')\n")
        path = self.wheel(
            ("my/kernels/x.so", _LIBRARY), ("my/gen.py", gen)
        ).write(str(self.folder))
        with zipfile.ZipFile(path) as archive:
            for name in ("my/__init__.py", "my/kernels/__init__.py"):
                self.assertIn(_CHECK, archive.read(name).decode())

    def test_what_imports_such_a_package_checks_too(self):
        layer = self.write_file("layer.py", "import keras\nimport my.ops.gen\n")
        model = self.write_file("model.py", "from my.layers import layer\n")
        other = self.write_file("other.py", "import my.ops_of_others\n")
        path = self.wheel(
            ("my/ops/x.so", _LIBRARY),
            ("my/layers/layer.py", layer),
            ("my/models/model.py", model),
            ("my/other/other.py", other),
        ).write(str(self.folder))
        with zipfile.ZipFile(path) as archive:
            checked = {
                os.path.dirname(name)
                for name in archive.namelist()
                if _CHECK in archive.read(name).decode(errors="ignore")
            }
        self.assertEqual(checked, {"my/ops", "my/layers", "my/models"})

    def test_modules_alone_ask_for_no_tensorflow(self):
        module = self.write_file("m.py", "x = 1\n")
        wheel = self.wheel(("my/m.py", module), requires=["numpy=={version}"])
        self.assertEqual(wheel.requirements(), ["numpy==2.21.0"])

    def test_two_wheels_of_the_same_files_are_identical(self):
        files = [("b/x.so", _LIBRARY), ("a/m.py", self.write_file("m.py", ""))]
        contents = []
        for name, order in (("1", files), ("2", files[::-1])):
            (self.folder / name).mkdir()
            path = self.wheel(*order).write(str(self.folder / name))
            contents.append(Path(path).read_bytes())
        self.assertEqual(*contents)

    def test_the_version_may_name_the_release_of_tensorflow(self):
        wheel = self.wheel(("my/x.so", _LIBRARY), version="1.0+tf{tensorflow}")
        self.assertEqual(wheel.version(), "1.0+tf2.21")

    def test_mistakes_are_refused_with_what_would_be_right(self):
        module = self.write_file("m.py", "")
        other = self.write_file("other.py", "x = 1\n")
        for files, changes, message in (
            ([], {}, "no file of their own"),
            (
                [("m.py", module), ("m.py", other)],
                {},
                "two different files would both be m.py",
            ),
            ([("m.py", module)], {"version": "new"}, '"1.0" would be one'),
            (
                [("m.py", module)],
                {"requires": ["scipy"]},
                'requires "scipy", but no dep brings scipy; deps bring: numpy,',
            ),
            (
                [("m.py", module)],
                {"requires": ["numpy=>2"]},
                'requires "numpy=>2": ',
            ),
            ([("x.so", _LIBRARY)], {}, "in site-packages it needs a folder"),
            (
                [("my/x.so", _LIBRARY)],
                {"distributions": []},
                "but no dep brings TensorFlow",
            ),
        ):
            with (
                self.subTest(message),
                self.assertRaises(write_wheel.WheelError) as raised,
            ):
                self.wheel(*files, **changes).write(str(self.folder))
            self.assertIn(message, str(raised.exception))


class LibrariesTest(unittest.TestCase):
    """What is read from and changed in shared libraries."""

    def test_an_op_library_needs_tensorflow_and_glibc(self):
        library = write_wheel.Library.read(_READELF, _LIBRARY)
        self.assertIn("libtensorflow_framework.so.2", library.needed)
        self.assertIn(("GLIBC", (2, 14)), library.versions)

    def test_the_platform_is_the_oldest_that_has_every_symbol(self):
        for versions, platform in (
            ([], "manylinux_2_17_x86_64"),
            ([("GLIBC", (2, 18))], "manylinux_2_27_x86_64"),
            ([("GLIBC", (2, 32))], "manylinux_2_34_x86_64"),
            (
                [("GLIBC", (2, 14)), ("GLIBCXX", (3, 4, 30))],
                "manylinux_2_35_x86_64",
            ),
        ):
            self.assertEqual(
                write_wheel.platform_of({"x.so": _library(*versions)}), platform
            )

    def test_a_symbol_that_no_platform_has_is_named(self):
        with self.assertRaisesRegex(
            write_wheel.WheelError, r"^x\.so: GLIBC_2\.99 is newer than"
        ):
            write_wheel.platform_of({"x.so": _library(("GLIBC", (2, 99)))})

    def test_a_run_path_is_replaced_in_place(self):
        data = b"a\0$ORIGIN/../far\0b"
        new = write_wheel.set_runpath(data, "$ORIGIN/../far", "$ORIGIN")
        self.assertEqual(new, b"a\0$ORIGIN" + b"\0" * 8 + b"b")
        with self.assertRaises(ValueError):
            write_wheel.set_runpath(
                data, "$ORIGIN/../far", "$ORIGIN/../farther"
            )
        with self.assertRaises(ValueError):
            write_wheel.set_runpath(data, "", "$ORIGIN")

    def test_imports_from_the_future_stay_first(self):
        source = '"""Doc."""\n\nfrom __future__ import annotations\n\nx = 1\n'
        checked = write_wheel.with_check(source, "check()\n")
        self.assertEqual(
            checked,
            '"""Doc."""\n\nfrom __future__ import annotations\n\ncheck()\n\nx = 1\n',
        )


if __name__ == "__main__":
    unittest.main()
