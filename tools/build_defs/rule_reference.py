"""Writes the reference of the rules from what their .bzl files say of them.

    ./bazelw run //tools/build_defs:rule_reference

Each FILE.bzl that stands for a rule has it under its own name: a `rule`, whose text and
attributes are in its `doc`s, or a macro, whose docstring has both. Starlark is read as the
Python that its syntax is.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from collections.abc import Sequence

_TYPES = {
    "bool": "bool",
    "int": "int",
    "label": "label",
    "label_keyed_string_dict": "dict of label to string",
    "label_list": "list of labels",
    "output": "file name",
    "string": "string",
    "string_dict": "dict of string to string",
    "string_list": "list of strings",
}

_HEADER = """\
# The rules

Written by `./bazelw run //tools/build_defs:rule_reference` from the docstrings of the files named; change those.
`name`, `tags`, `testonly` and `visibility` are as everywhere. In a workspace that has this one as the external repository
`@custom_ops`, a rule is loaded from `@custom_ops//tools/build_defs:RULE.bzl`.
"""


class DocumentationError(Exception):
    """A rule that has no documentation that can be read; the text says which."""


@dataclasses.dataclass(frozen=True)
class Attribute:
    """One attribute of a rule, or parameter of a macro."""

    name: str
    type: str
    default: str
    doc: str

    def cells(self) -> list[str]:
        """Returns the row of the attribute in its rule's table."""
        doc = " ".join(self.doc.split()).replace("|", "\\|")
        return [f"`{self.name}`", self.type, self.default, doc]


@dataclasses.dataclass(frozen=True)
class Rule:
    """What the reference says of a rule or macro."""

    name: str
    doc: str
    attributes: Sequence[Attribute]

    def markdown(self) -> str:
        """Returns the rule's section."""
        rows = [attribute.cells() for attribute in self.attributes]
        table = [["attribute", "type", "default", ""], ["---"] * 4, *rows]
        if not any(attribute.type for attribute in self.attributes):
            # A macro's parameters have no types.
            table = [[row[0], *row[2:]] for row in table]
        lines = "".join(f"| {' | '.join(row)} |\n" for row in table)
        return f"\n## `{self.name}`\n\n{self.doc.strip()}\n\n{lines}"


class _File:
    """A parsed .bzl file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path).removesuffix(".bzl")
        with open(path) as file:
            self.tree = ast.parse(file.read(), path)

    def _text(self, node: ast.expr | None) -> str:
        """Returns the text of a string, which may be a sum of strings."""
        if isinstance(node, ast.BinOp):
            return self._text(node.left) + self._text(node.right)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        raise DocumentationError(f"{self.path}: {self.name} has no doc")

    def _attribute(self, name: str, call: ast.Call) -> Attribute:
        kind = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if kind not in _TYPES:
            raise DocumentationError(
                f"{self.path}: attribute {name} is an attr.{kind}, which is none of"
                f" {', '.join(_TYPES)}"
            )
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if "doc" not in given:
            raise DocumentationError(
                f"{self.path}: attribute {name} has no doc"
            )
        if "mandatory" in given:
            default = "required"
        elif "default" in given:
            default = f"`{ast.unparse(given['default'])}`".replace("'", '"')
        else:
            default = ""
        return Attribute(name, _TYPES[kind], default, self._text(given["doc"]))

    def _attributes(self, attrs: ast.expr) -> Iterator[Attribute]:
        if isinstance(
            attrs, ast.Call
        ):  # dict(srcs = attr.label_list(...), ...)
            pairs = [(each.arg, each.value) for each in attrs.keywords]
        elif isinstance(attrs, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(attrs.keys, attrs.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
        else:
            raise DocumentationError(f"{self.path}: attrs is no dict")
        for name, value in sorted(pairs, key=lambda pair: str(pair[0])):
            # Those of Bazel's own use begin with an underscore.
            if (
                name
                and not name.startswith("_")
                and isinstance(value, ast.Call)
            ):
                yield self._attribute(name, value)

    def _rule(self, call: ast.Call) -> Rule:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        attributes = list(self._attributes(given["attrs"]))
        return Rule(self.name, self._text(given.get("doc")), attributes)

    def _macro(self, function: ast.FunctionDef) -> Rule:
        doc, _, arguments = (ast.get_docstring(function) or "").partition(
            "Args:\n"
        )
        if not arguments:
            raise DocumentationError(
                f"{self.path}: {self.name} has no docstring with Args"
            )
        docs = dict(
            re.findall(
                r"^(\**\w+): (.*(?:\n +.*)*)",
                textwrap.dedent(arguments.partition("\n\n")[0]),
                re.MULTILINE,
            )
        )
        parameters = function.args.args
        defaults = function.args.defaults
        values: list[ast.expr | None] = [None] * (
            len(parameters) - len(defaults)
        )
        attributes = [
            Attribute(
                parameter.arg,
                "",
                "required"
                if value is None
                else f"`{ast.unparse(value)}`".replace("'", '"'),
                docs.get(parameter.arg, ""),
            )
            for parameter, value in zip(
                parameters, values + defaults, strict=True
            )
        ]
        if function.args.kwarg:
            name = f"**{function.args.kwarg.arg}"
            attributes.append(Attribute(name, "", "", docs.get(name, "")))
        missing = [each.name for each in attributes if not each.doc]
        if missing:
            raise DocumentationError(
                f"{self.path}: {missing[0]} is not among its Args"
            )
        return Rule(self.name, doc, attributes)

    def rule(self) -> Rule | None:
        """Returns the rule or macro of the file's name, if there is one."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == self.name:
                return self._macro(node)
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and node.targets[0].id == self.name
                and isinstance(node.value, ast.Call)
            ):
                return self._rule(node.value)
        return None


def reference(paths: Sequence[str]) -> str:
    """Returns the reference of the rules in .bzl files.

    Raises:
      DocumentationError: a rule, an attribute or a parameter has no documentation.
    """
    rules = [_File(path).rule() for path in sorted(paths)]
    return _HEADER + "".join(rule.markdown() for rule in rules if rule)


def main(arguments: Sequence[str]) -> int:
    """Writes the reference of the files that the arguments name into the workspace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    text = reference(options.files)
    path = os.path.join(
        os.environ["BUILD_WORKSPACE_DIRECTORY"], "tools/build_defs/README.md"
    )
    with open(path, "w") as file:
        file.write(text)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
