"""Tests of strict_imports."""

import contextlib
import io
import json
import tempfile
import textwrap
import unittest
from pathlib import Path

from tools.build_defs import strict_imports

_NUMPY = {"label": "//third_party/py/numpy", "modules": ["numpy"]}
_TENSORFLOW = {
    "label": "//third_party/py/tensorflow",
    "modules": ["tensorflow"],
}
_ERRORS = {
    "label": "//third_party/tensorflow/python/framework:errors",
    "modules": ["tensorflow.python.framework.errors"],
}
_OP = {"label": "//ops/multiplex_2:multiplex_2_op"}
_OP["modules"] = ["ops.multiplex_2.multiplex_2_op"]
_GEN = {"label": "//ops/multiplex_2:gen_multiplex_2_op"}
_GEN["modules"] = ["ops.multiplex_2.gen_multiplex_2_op"]


class CheckTest(unittest.TestCase):
    """What the program says of a target with one source, ops/x/a.py."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stamp = self.folder / "stamp"

    def run_on(self, code, *, deps=(), transitive=(), known=(), others=()):
        """Returns the exit status and the lines on standard error.

        Args:
          code: the text of a.py.
          deps: the manifest's.
          transitive: the manifest's.
          known: the manifest's.
          others: names of further sources, which are empty.
        """
        sources = {"a.py": textwrap.dedent(code), **dict.fromkeys(others, "")}
        for name, text in sources.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        manifest = self.folder / "manifest.json"
        manifest.write_text(
            json.dumps(
                {
                    "label": "//ops/x:x",
                    "srcs": [
                        {
                            "path": str(self.folder / name),
                            "module": f"ops.x.{name.removesuffix('.py')}",
                            "short_path": f"ops/x/{name}",
                        }
                        for name in sources
                    ],
                    "deps": list(deps),
                    "transitive": list(transitive),
                    "known": list(known),
                }
            ),
            encoding="utf-8",
        )
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = strict_imports.main([str(manifest), str(self.stamp)])
        return status, errors.getvalue().splitlines()

    def assert_passes(self, code, **manifest):
        self.assertEqual(self.run_on(code, **manifest), (0, []))
        self.assertEqual(self.stamp.read_text(encoding="utf-8"), "")

    def assert_fails(self, code, *messages, **manifest):
        status, lines = self.run_on(code, **manifest)
        self.assertEqual(lines, list(messages))
        self.assertEqual(status, 1)
        self.assertFalse(self.stamp.exists())

    def test_declared_imports_pass(self):
        self.assert_passes(
            """\
            import numpy as np
            import numpy.linalg
            from numpy import array
            from numpy.linalg import norm
            from numpy.linalg import *
            """,
            deps=[_NUMPY],
        )

    def test_standard_library_needs_no_dep(self):
        self.assert_passes(
            """\
            from __future__ import annotations
            import os.path, sys
            from collections import abc
            import __main__
            """
        )

    def test_undeclared_import_names_a_known_label(self):
        self.assert_fails(
            "\n\nimport numpy as np\n",
            "//ops/x:x: a.py:3 imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"',
            known=[_TENSORFLOW, _NUMPY],
        )

    def test_undeclared_import_names_a_transitive_label(self):
        self.assert_fails(
            "import helpers.text",
            "//ops/x:x: a.py:1 imports helpers.text, whose target is not in "
            'deps; add "//lib:helpers"',
            transitive=[{"label": "//lib:helpers", "modules": ["helpers"]}],
        )

    def test_each_undeclared_import_has_a_message_of_its_own(self):
        numpy = (
            "imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"'
        )
        self.assert_fails(
            "import numpy, foo\nfrom numpy import array, zeros\n",
            f"//ops/x:x: a.py:1 {numpy}",
            "//ops/x:x: a.py:1 imports foo, which no target of this workspace "
            "provides; add its package to tools/repositories/pypi/tensorflow.in",
            f"//ops/x:x: a.py:2 {numpy}",
            known=[_NUMPY],
        )

    def test_label_with_the_longest_module_is_named(self):
        code = "from tensorflow.python.framework import errors"
        message = (
            "//ops/x:x: a.py:1 imports tensorflow.python.framework.errors, "
            "whose target is not in deps; "
            'add "//third_party/tensorflow/python/framework:errors"'
        )
        self.assert_fails(code, message, known=[_TENSORFLOW, _ERRORS])
        self.assert_fails(code, message, known=[_ERRORS, _TENSORFLOW])

    def test_shorter_module_satisfies_where_it_is_declared(self):
        self.assert_passes(
            "from tensorflow.python.framework import errors",
            deps=[_TENSORFLOW],
            known=[_ERRORS],
        )

    def test_all_deps_that_satisfy_an_import_are_used(self):
        self.assert_passes(
            "from tensorflow.python.framework import errors",
            deps=[_TENSORFLOW, _ERRORS],
        )

    def test_longer_module_is_not_used_by_a_shorter_import(self):
        self.assertEqual(
            self.run_on("import tensorflow", deps=[_TENSORFLOW, _ERRORS]),
            (
                0,
                [
                    '//ops/x:x: warning: dep "//third_party/tensorflow/'
                    'python/framework:errors" is not imported by any src; '
                    "remove it"
                ],
            ),
        )

    def test_prefix_counts_whole_components(self):
        self.assert_fails(
            "import tensorflow_text",
            "//ops/x:x: a.py:1 imports tensorflow_text, which no target of "
            "this workspace provides; add its package to "
            "tools/repositories/pypi/tensorflow.in",
            deps=[{**_TENSORFLOW, "keep": True}],
        )

    def test_module_in_a_package_folder_must_be_declared(self):
        self.assert_fails(
            "from ops.multiplex_2 import gen_multiplex_2_op",
            "//ops/x:x: a.py:1 imports ops.multiplex_2.gen_multiplex_2_op, "
            "whose target is not in deps; "
            'add "//ops/multiplex_2:gen_multiplex_2_op"',
            transitive=[_OP, _GEN],
        )
        self.assert_passes(
            "from ops.multiplex_2 import gen_multiplex_2_op", deps=[_GEN]
        )

    def test_label_of_an_unknown_module_of_the_workspace_is_by_convention(self):
        self.assert_fails(
            "from ops.y.b import f",
            "//ops/x:x: a.py:1 imports ops.y.b, whose target is not in deps; "
            'add "//ops/y:b"',
        )
        self.assert_fails(
            "from ops.multiplex_2 import other_op",
            "//ops/x:x: a.py:1 imports ops.multiplex_2.other_op, whose target "
            'is not in deps; add "//ops/multiplex_2:other_op"',
            deps=[{**_OP, "keep": True}],
        )

    def test_convention_does_not_hold_for_packages_of_others(self):
        self.assert_fails(
            "import tensorflow.keras",
            "//ops/x:x: a.py:1 imports tensorflow.keras, which no target of "
            "this workspace provides; add its package to "
            "tools/repositories/pypi/tensorflow.in",
            deps=[{**_ERRORS, "keep": True}],
        )

    def test_labels_of_another_repository_begin_with_its_name(self):
        lite = {
            "label": "@custom_ops//tflite/custom/python:registerers",
            "modules": ["tflite.custom.python.registerers"],
            "keep": True,
        }
        self.assert_fails(
            "from tflite.custom.python import interpreter",
            "//ops/x:x: a.py:1 imports tflite.custom.python.interpreter, "
            "whose target is not in deps; "
            'add "@custom_ops//tflite/custom/python:interpreter"',
            deps=[lite],
        )
        self.assert_fails(
            "import ops.y.z",
            "//ops/x:x: a.py:1 imports ops.y.z, whose target is not in deps; "
            'add "//ops/y:z"',
            deps=[lite],
        )

    def test_packages_are_added_in_the_workspace_that_uses_the_rules(self):
        self.assert_fails(
            "import scipy",
            "//ops/x:x: a.py:1 imports scipy, which no target of this "
            "workspace provides; install its package with pypi_packages and "
            "give it a label with py_wheel_library",
            known=[{**_NUMPY, "label": "@custom_ops//third_party/py/numpy"}],
        )

    def test_folder_is_no_module(self):
        self.assert_fails(
            "import ops.multiplex_2\nfrom ops import multiplex_2\n",
            "//ops/x:x: a.py:1 imports ops.multiplex_2, which is a folder and "
            "no module; import a module in it, such as "
            "ops.multiplex_2.multiplex_2_op",
            "//ops/x:x: a.py:2 imports ops.multiplex_2, which is a folder and "
            "no module; import a module in it, such as "
            "ops.multiplex_2.multiplex_2_op",
            deps=[{**_OP, "keep": True}],
        )

    def test_own_sources_need_no_dep(self):
        self.assert_passes(
            """\
            import ops.x.b
            from ops.x import b
            from ops.x.b import f
            from . import b
            from .b import f
            """,
            others=["b.py"],
        )

    def test_own_package_file_stands_for_its_folder(self):
        self.assert_passes("from . import CONSTANT", others=["__init__.py"])

    def test_relative_imports_are_resolved(self):
        self.assert_fails(
            "from .c import f\nfrom ..y import d\nfrom ..y.d import g\n",
            "//ops/x:x: a.py:1 imports ops.x.c, whose target is not in deps; "
            'add "//ops/x:c"',
            "//ops/x:x: a.py:2 imports ops.y.d, whose target is not in deps; "
            'add "//other:d"',
            "//ops/x:x: a.py:3 imports ops.y.d, whose target is not in deps; "
            'add "//other:d"',
            known=[{"label": "//other:d", "modules": ["ops.y.d"]}],
        )

    def test_relative_import_out_of_the_workspace(self):
        self.assert_fails(
            "\nfrom .... import d\n",
            "//ops/x:x: a.py:2: the relative import .... leaves the "
            "workspace; the file's package is ops.x",
        )

    def test_imports_in_functions_and_for_type_checkers_count(self):
        self.assert_fails(
            """\
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                import numpy
            def f():
                class C:
                    import numpy.linalg
            """,
            "//ops/x:x: a.py:3 imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"',
            "//ops/x:x: a.py:6 imports numpy.linalg, whose target is not in "
            'deps; add "//third_party/py/numpy"',
            known=[_NUMPY],
        )

    def test_imports_by_name_count(self):
        self.assert_fails(
            """\
            import importlib
            importlib.import_module("numpy")
            __import__("numpy")
            importlib.import_module(".c", __package__)
            importlib.import_module(importlib.__name__)
            """,
            "//ops/x:x: a.py:2 imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"',
            "//ops/x:x: a.py:3 imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"',
            "//ops/x:x: a.py:4 imports ops.x.c, whose target is not in deps; "
            'add "//ops/x:c"',
            known=[_NUMPY],
        )

    def test_optional_imports_need_no_dep(self):
        self.assert_passes(
            """\
            import contextlib
            try:
                import numpy
            except ImportError:
                import foo
            try:
                import numpy
            except (ValueError, ModuleNotFoundError) as error:
                pass
            with contextlib.suppress(ImportError):
                import numpy
            """
        )

    def test_optional_import_is_a_use(self):
        self.assert_passes(
            "try:\n  import numpy\nexcept ImportError:\n  numpy = None\n",
            deps=[_NUMPY],
        )

    def test_try_that_catches_other_errors_makes_nothing_optional(self):
        message = (
            "imports numpy, whose target is not in deps; "
            'add "//third_party/py/numpy"'
        )
        self.assert_fails(
            """\
            try:
                import numpy
            except ValueError:
                pass
            try:
                pass
            except ImportError:
                pass
            except ValueError:
                import numpy
            else:
                import numpy
            finally:
                import numpy
            """,
            f"//ops/x:x: a.py:2 {message}",
            f"//ops/x:x: a.py:10 {message}",
            f"//ops/x:x: a.py:12 {message}",
            f"//ops/x:x: a.py:14 {message}",
            known=[_NUMPY],
        )

    def test_unused_dep_is_a_warning_and_stands_in_the_stamp(self):
        warning = (
            '//ops/x:x: warning: dep "//third_party/py/numpy" is not imported '
            "by any src; remove it"
        )
        self.assertEqual(
            self.run_on("import os", deps=[_NUMPY]), (0, [warning])
        )
        self.assertEqual(self.stamp.read_text(encoding="utf-8"), f"{warning}\n")

    def test_kept_and_unknown_deps_are_never_unused(self):
        self.assert_passes(
            "import os",
            deps=[{**_NUMPY, "keep": True}, {"label": "//a", "modules": None}],
        )

    def test_dep_of_unknown_modules_satisfies_nothing(self):
        self.assert_fails(
            "import numpy",
            "//ops/x:x: a.py:1 imports numpy, which no target of this "
            "workspace provides; add its package to "
            "tools/repositories/pypi/tensorflow.in",
            deps=[{"label": "//a", "modules": None}],
        )

    def test_syntax_error_is_one_line(self):
        self.assert_fails(
            "x = 1\nimport import\n", "//ops/x:x: a.py:2: invalid syntax"
        )

    def test_encoding_of_a_source_is_obeyed(self):
        self.assertEqual(
            strict_imports.imports_of(
                b"# coding: latin-1\nimport numpy  # \xe9\n", "ops.x"
            ),
            [strict_imports.Import(2, "numpy")],
        )
        with self.assertRaisesRegex(
            strict_imports.ImportsError, "^1: .*can't decode byte 0xe9"
        ):
            strict_imports.imports_of(b"x = '\xe9'\n", "ops.x")

    def test_wrong_number_of_arguments(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(strict_imports.main(["manifest.json"]), 2)
        self.assertEqual(
            errors.getvalue(),
            "usage: strict_imports.py MANIFEST.json STAMP; got 1 arguments\n",
        )


if __name__ == "__main__":
    unittest.main()
