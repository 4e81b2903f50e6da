"""Tests of how rule_reference reads .bzl files, and that README.md is what it writes."""

import glob
import os
import tempfile
import textwrap
import unittest

from tools.build_defs import rule_reference

_FOLDER = "tools/build_defs"


class RuleReferenceTest(unittest.TestCase):
    def reference(self, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.bzl")
            with open(path, "w") as file:
                file.write(textwrap.dedent(text))
            return rule_reference.reference([path])

    def test_readme_is_up_to_date(self):
        with open(f"{_FOLDER}/README.md") as file:
            text = file.read()
        self.assertEqual(
            text,
            rule_reference.reference(glob.glob(f"{_FOLDER}/*.bzl")),
            "run: ./bazelw run //tools/build_defs:rule_reference",
        )

    def test_a_rule_is_its_doc_and_its_attributes_but_the_private(self):
        text = self.reference("""
            x = rule(
                attrs = {
                    "b": attr.string(default = "y", doc = "One" + " | two."),
                    "a": attr.label_list(doc = "Some.", mandatory = True),
                    "_tool": attr.label(),
                },
                doc = "Makes x.",
            )
        """)
        self.assertTrue(
            text.endswith(
                "\n## `x`\n\nMakes x.\n\n"
                "| attribute | type | default |  |\n| --- | --- | --- | --- |\n"
                "| `a` | list of labels | required | Some. |\n"
                '| `b` | string | `"y"` | One \\| two. |\n'
            ),
            text,
        )

    def test_a_macro_is_its_docstring(self):
        text = self.reference('''
            def x(name, size = 3, **kwargs):
                """Makes x.

                Args:
                  name: the name,
                    in two lines.
                  size: the size.
                  **kwargs: the rest.

                Returns:
                  nothing.
                """
        ''')
        self.assertTrue(
            text.endswith(
                "\n## `x`\n\nMakes x.\n\n"
                "| attribute | default |  |\n| --- | --- | --- |\n"
                "| `name` | required | the name, in two lines. |\n"
                "| `size` | `3` | the size. |\n| `**kwargs` |  | the rest. |\n"
            ),
            text,
        )

    def test_a_file_without_a_rule_of_its_name_is_left_out(self):
        self.assertNotIn("##", self.reference("def _x():\n    pass\n"))

    def test_what_has_no_documentation_is_named(self):
        for text, message in (
            ("x = rule(attrs = {})", "x has no doc"),
            (
                'x = rule(attrs = {"a": attr.int()}, doc = "X.")',
                "attribute a has no doc",
            ),
            ("def x(name):\n    pass\n", "x has no docstring with Args"),
            (
                'def x(a, b):\n    """X.\n\n    Args:\n      a: A.\n    """\n',
                "b is not among its Args",
            ),
        ):
            with (
                self.subTest(message),
                self.assertRaisesRegex(
                    rule_reference.DocumentationError, message
                ),
            ):
                self.reference(text)


if __name__ == "__main__":
    unittest.main()
