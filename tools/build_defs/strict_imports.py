"""Checks that a Python target declares what its sources import, and no more.

    strict_imports.py MANIFEST.json STAMP

The rules py_strict_library and py_strict_test write the manifest:

    {"label": "//pkg:name",
     "srcs": [{"path": "bin/pkg/a.py", "module": "pkg.a",
               "short_path": "pkg/a.py"}],
     "deps": [{"label": "//third_party/py/numpy", "modules": ["numpy"]}],
     "transitive": [...],
     "known": [...]}

`deps` are the target's own, `transitive` what these depend on in turn, and
`known` the labels of the workspace that stand for other people's packages. A
module in them stands for itself and all modules below it. A dep whose modules
are `null` provides unknown modules: it satisfies no import and is never called
unused. One with `"keep": true` is never called unused either.

An import that no dep satisfies ends the program with status 1 and a line that
names the label to add. A dep that no source imports is a warning. Both go to
standard error; STAMP gets the warnings, and is written only on success.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ADD_PACKAGE = "add its package to tools/repositories/pypi/tensorflow.in"
_ADD_PACKAGE_ELSEWHERE = (
    "install its package with pypi_packages and give it a label with "
    "py_wheel_library"
)
_STANDARD_LIBRARY = sys.stdlib_module_names | {"__future__", "__main__"}
_IMPORT_ERRORS = frozenset(
    ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"]
)


@dataclasses.dataclass(frozen=True)
class Source:
    """A source file of the target.

    Attributes:
      path: where to read it.
      module: its name when imported.
      shown: its path as messages show it, relative to the target's package.
    """

    path: str
    module: str
    shown: str

    @property
    def package(self) -> str:
        """The package that the file's relative imports start from."""
        if Path(self.path).name == "__init__.py":
            return self.module
        return self.module.rpartition(".")[0]


@dataclasses.dataclass(frozen=True)
class Provider:
    """A target and the modules that it provides, None where unknown."""

    label: str
    modules: tuple[str, ...] | None
    keep: bool = False


@dataclasses.dataclass(frozen=True)
class Target:
    """The target that is checked, and what it can and could depend on."""

    label: str
    sources: tuple[Source, ...]
    deps: tuple[Provider, ...]
    transitive: tuple[Provider, ...]
    known: tuple[Provider, ...]

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> Target:
        """Returns the target that the rule's manifest describes."""
        label = manifest["label"]
        folder = label.rpartition("//")[2].partition(":")[0]
        return cls(
            label=label,
            sources=tuple(
                Source(
                    path=source["path"],
                    module=source["module"].removesuffix(".__init__"),
                    shown=source["short_path"].removeprefix(f"{folder}/"),
                )
                for source in manifest["srcs"]
            ),
            deps=_providers(manifest.get("deps", ())),
            transitive=_providers(manifest.get("transitive", ())),
            known=_providers(manifest.get("known", ())),
        )


@dataclasses.dataclass(frozen=True)
class Import:
    """One name that a source imports.

    Attributes:
      line: the line of the statement.
      module: the module named in it, absolute.
      name: what `from module import name` takes from it, which may be a
        module or not; None for other imports.
      optional: the source copes with the module not being there.
    """

    line: int
    module: str
    name: str | None = None
    optional: bool = False

    @property
    def longest(self) -> str:
        """The name as far as it may be a module."""
        return f"{self.module}.{self.name}" if self.name else self.module


class ImportsError(Exception):
    """A source whose imports cannot be told; the text is `line: why`."""


def imports_of(code: str | bytes, package: str) -> list[Import]:
    """Returns what a source imports, in the order of the lines.

    Args:
      code: the source.
      package: the package that its relative imports start from.

    Raises:
      ImportsError: code is not Python, or a relative import leaves the
        workspace.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise ImportsError(f"{error.lineno or 1}: {error.msg}") from error
    except ValueError as error:
        raise ImportsError(f"1: {error}") from error
    visitor = _Visitor(package)
    visitor.visit(tree)
    return sorted(visitor.found, key=lambda found: found.line)


class _Visitor(ast.NodeVisitor):
    """Collects imports into `found`."""

    def __init__(self, package: str):
        self.found: list[Import] = []
        self._package = package
        self._optional = False

    # The methods' names are those that NodeVisitor looks for.

    def visit_Import(self, node: ast.Import) -> None:  # noqa: N802
        for alias in node.names:
            self._add(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:  # noqa: N802
        module = node.module or ""
        if node.level:
            module = self._absolute(node, module, node.level)
        for alias in node.names:
            name = None if alias.name == "*" else alias.name
            if module:
                self._add(node, module, name)
            elif name:
                # `from . import a` in a file at the workspace's root.
                self._add(node, name)

    def visit_Call(self, node: ast.Call) -> None:  # noqa: N802
        self.generic_visit(node)
        called = _last_name(node.func)
        if called not in ("import_module", "__import__") or not node.args:
            return
        argument = node.args[0]
        if not isinstance(argument, ast.Constant):
            return
        if not isinstance(argument.value, str):
            return
        module = argument.value.lstrip(".")
        level = len(argument.value) - len(module)
        if level:
            module = self._absolute(node, module, level)
        if module:
            self._add(node, module)

    def visit_Try(self, node: ast.Try) -> None:  # noqa: N802
        catching = [
            handler for handler in node.handlers if _catches(handler.type)
        ]
        self._visit_all(node.body, optional=bool(catching))
        for handler in node.handlers:
            self._visit_all([handler], optional=handler in catching)
        self._visit_all([*node.orelse, *node.finalbody], optional=False)

    visit_TryStar = visit_Try  # noqa: N815

    def visit_With(self, node: ast.With) -> None:  # noqa: N802
        suppressed = any(
            isinstance(item.context_expr, ast.Call)
            and _last_name(item.context_expr.func) == "suppress"
            and any(_catches(error) for error in item.context_expr.args)
            for item in node.items
        )
        self._visit_all(node.items, optional=False)
        self._visit_all(node.body, optional=suppressed)

    def _visit_all(self, nodes: Iterable[ast.AST], optional: bool) -> None:
        outer = self._optional
        self._optional = outer or optional
        for node in nodes:
            self.visit(node)
        self._optional = outer

    def _add(
        self, node: ast.expr | ast.stmt, module: str, name: str | None = None
    ) -> None:
        self.found.append(Import(node.lineno, module, name, self._optional))

    def _absolute(
        self, node: ast.expr | ast.stmt, module: str, level: int
    ) -> str:
        """Returns the absolute name for one with this many leading dots."""
        parts = self._package.split(".") if self._package else []
        if level - 1 > len(parts):
            raise ImportsError(
                f"{node.lineno}: the relative import {'.' * level}{module} "
                f"leaves the workspace; the file's package is "
                f"{self._package or 'its root'}"
            )
        kept = parts[: len(parts) - (level - 1)]
        return ".".join([*kept, module] if module else kept)


def _last_name(expression: ast.expr) -> str | None:
    """Returns c for the expressions c and a.b.c."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else None


def _catches(error: ast.expr | None) -> bool:
    """Tells whether `except error` catches a failing import."""
    if error is None:
        return True
    if isinstance(error, ast.Tuple):
        return any(_catches(element) for element in error.elts)
    return _last_name(error) in _IMPORT_ERRORS


def check(target: Target) -> tuple[list[str], list[str]]:
    """Returns the errors and the warnings for a target, a line each."""
    errors: list[str] = []
    imported: set[str] = set()
    for source in target.sources:
        where = f"{target.label}: {source.shown}"
        try:
            with open(source.path, "rb") as file:
                found = imports_of(file.read(), source.package)
        except ImportsError as error:
            errors.append(f"{where}:{error}")
            continue
        for item in found:
            if item.module.partition(".")[0] in _STANDARD_LIBRARY:
                continue
            imported.add(item.longest)
            if item.optional or _is_satisfied(item, target):
                continue
            error = f"{where}:{item.line} {_complaint(item, target)}"
            if error not in errors:
                errors.append(error)
    return errors, list(_unused(target, imported))


def _is_satisfied(item: Import, target: Target) -> bool:
    if any(
        source.module in (item.module, item.longest)
        for source in target.sources
    ):
        return True
    return _best(item, target.deps) is not None


def _covers(module: str, name: str) -> bool:
    """Tells whether a name is a module or lies below it."""
    return name == module or name.startswith(f"{module}.")


def _best(
    item: Import, providers: Iterable[Provider]
) -> tuple[str, Provider] | None:
    """Returns the longest module that covers the import, and its provider.

    Of two providers of one module it is the earlier.
    """
    found = [
        (module, provider)
        for provider in providers
        for module in provider.modules or ()
        if _covers(module, item.longest)
    ]
    return max(found, key=lambda pair: len(pair[0]), default=None)


def _complaint(item: Import, target: Target) -> str:
    """Returns what is wrong with an import that nothing satisfies."""
    best = _best(item, (*target.transitive, *target.known))
    if best is not None:
        module, provider = best
        name = item.longest if len(module) > len(item.module) else item.module
        return (
            f"imports {name}, whose target is not in deps; "
            f'add "{provider.label}"'
        )
    modules = sorted(_modules(target))
    # A folder is no module: what is taken from it must be one.
    in_folder = any(m.startswith(f"{item.module}.") for m in modules)
    name = item.longest if in_folder else item.module
    below = [module for module in modules if module.startswith(f"{name}.")]
    if below:
        return (
            f"imports {name}, which is a folder and no module; import a "
            f"module in it, such as {below[0]}"
        )
    folder, _, last = name.rpartition(".")
    repository = _roots(target).get(name.partition(".")[0])
    if folder and repository is not None:
        return (
            f"imports {name}, whose target is not in deps; "
            f'add "{repository}//{folder.replace(".", "/")}:{last}"'
        )
    # In the rules' own workspace their labels begin with no repository.
    elsewhere = any(_repository(known.label) for known in target.known)
    return (
        f"imports {name}, which no target of this workspace provides; "
        f"{_ADD_PACKAGE_ELSEWHERE if elsewhere else _ADD_PACKAGE}"
    )


def _repository(label: str) -> str:
    """Returns `@name` of `@name//package:target`, and nothing of `//...`."""
    return label.partition("//")[0]


def _modules(target: Target) -> Iterator[str]:
    """Yields every module that the manifest knows of."""
    for source in target.sources:
        yield source.module
    for provider in (*target.deps, *target.transitive, *target.known):
        yield from provider.modules or ()


def _roots(target: Target) -> dict[str, str]:
    """Returns the folders that hold modules, at the root of their repositories.

    The values are the repositories, as labels begin.

    A module of somebody else's package lies in no folder of its target: the
    module tensorflow of //third_party/py/tensorflow does not make
    //tensorflow a folder.
    """
    roots = {
        source.module.partition(".")[0]: _repository(target.label)
        for source in target.sources
        if "." in source.module
    }
    for provider in (*target.deps, *target.transitive, *target.known):
        folder = provider.label.rpartition("//")[2].partition(":")[0]
        for module in provider.modules or ():
            if folder and _covers(folder.replace("/", "."), module):
                roots.setdefault(
                    module.partition(".")[0], _repository(provider.label)
                )
    return roots


def _unused(target: Target, imported: Iterable[str]) -> Iterator[str]:
    """Yields a warning for each dep that none of the names comes from."""
    names = list(imported)
    for dep in target.deps:
        if dep.keep or dep.modules is None:
            continue
        if any(
            _covers(module, name) for module in dep.modules for name in names
        ):
            continue
        yield (
            f'{target.label}: warning: dep "{dep.label}" is not imported by '
            "any src; remove it"
        )


def _providers(entries: Iterable[Mapping[str, Any]]) -> tuple[Provider, ...]:
    return tuple(
        Provider(
            label=entry["label"],
            modules=None
            if entry["modules"] is None
            else tuple(entry["modules"]),
            keep=bool(entry.get("keep", False)),
        )
        for entry in entries
    )


def main(argv: Sequence[str]) -> int:
    """Checks the target of a manifest; returns the exit status."""
    if len(argv) != 2:
        sys.stderr.write(
            "usage: strict_imports.py MANIFEST.json STAMP; "
            f"got {len(argv)} arguments\n"
        )
        return 2
    manifest, stamp = argv
    with open(manifest, encoding="utf-8") as file:
        target = Target.from_manifest(json.load(file))
    errors, warnings = check(target)
    for line in (*errors, *warnings):
        sys.stderr.write(f"{line}\n")
    if errors:
        return 1
    Path(stamp).write_text(
        "".join(f"{line}\n" for line in warnings), encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
