"""Writes the package of a new op: op, kernel, wrapper, test, BUILD and README.

    ./bazelw run //tools/new_op -- my_op --kind=tf
    ./bazelw run @custom_ops//tools/new_op -- my_op --kind=tf      in a workspace of your own

The package is a folder of the op's name where you type the command, or --package.
Its test passes as it stands:

    ./bazelw test //my_op:my_op_test

kinds:
  tf            a TensorFlow op, element by element: shape function, gradient, typed wrapper
  tf_resource   TensorFlow ops around a ref-counted resource: create, update, read
  tflite        a TFLite kernel on the opaque API, with a registerer for Python and a benchmark
  python        an op written in Python, a class on python_op
"""

from __future__ import annotations

import argparse
import builtins
import dataclasses
import itertools
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

_TEMPLATES = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "templates"
)
_KINDS = ("tf", "tf_resource", "tflite", "python")
_MAX_NAME = 40
_MAX_INPUTS = 4
_LINE = 80

# By name in Python: C++ type, name in an attribute of an op, name in TFLite.
_DTYPES: Mapping[str, tuple[str, str, str | None]] = {
    "bfloat16": ("::Eigen::bfloat16", "bfloat16", None),
    "float16": ("::Eigen::half", "half", None),
    "float32": ("float", "float", "kTfLiteFloat32"),
    "float64": ("double", "double", "kTfLiteFloat64"),
    "int8": ("int8_t", "int8", "kTfLiteInt8"),
    "int16": ("int16_t", "int16", "kTfLiteInt16"),
    "int32": ("int32_t", "int32", "kTfLiteInt32"),
    "int64": ("int64_t", "int64", "kTfLiteInt64"),
    "uint8": ("uint8_t", "uint8", "kTfLiteUInt8"),
    "uint16": ("uint16_t", "uint16", "kTfLiteUInt16"),
    "uint32": ("uint32_t", "uint32", "kTfLiteUInt32"),
    "uint64": ("uint64_t", "uint64", "kTfLiteUInt64"),
}
_FLOATS = ("bfloat16", "float16", "float32", "float64")
# Kinds that cannot have every dtype: python_op's types, TFLite's kernels.
_DTYPES_OF_KIND = {
    "python": tuple(d for d in _DTYPES if d != "bfloat16"),
    "tflite": tuple(d for d, names in _DTYPES.items() if names[2]),
}

_CPP_KEYWORDS = frozenset(
    "alignas alignof and_eq asm auto bitand bitor bool break case catch char "
    "char16_t char32_t char8_t class co_await co_return co_yield compl concept "
    "const const_cast consteval constexpr constinit continue decltype default "
    "delete do double dynamic_cast else enum explicit export extern false float "
    "for friend goto if inline int linux long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast std struct switch template this thread_local throw true try "
    "typedef typeid typename union unix unsigned using virtual void volatile "
    "wchar_t while xor xor_eq".split()
)
_PYTHON_KEYWORDS = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)
# Top-level packages of these names would hide, or be hidden by, another.
_PACKAGES = (
    frozenset(sys.stdlib_module_names)
    | frozenset(dir(builtins))
    | frozenset(
        "absl ai_edge_litert bazel ci eigen external keras numpy std tensorflow "
        "tensorflow_examples test tests tf tflite third_party tools".split()
    )
)
# What the generated code itself calls by these names.
_TAKEN_INPUTS = frozenset(
    "begin c context count ctx details end first grad i index input inputs name "
    "node np op_layer output python_op result self shape sum t tensor tf threads type "
    "zero".split()
)


class NewOpError(Exception):
    """What was asked for cannot be had; the text says why."""


@dataclasses.dataclass(frozen=True)
class Workspace:
    """The workspace that the op is for.

    Attributes:
      root: its folder.
      name: its name, from the WORKSPACE file.
      rules: how labels of the rules begin: "" in the rules' own, else such as
        "@custom_ops".
    """

    root: str
    name: str
    rules: str

    @classmethod
    def find(cls, root: str, rules: str) -> Workspace:
        """Returns the workspace in a folder.

        Raises:
          NewOpError: There is none.
        """
        for file in ("WORKSPACE.bazel", "WORKSPACE"):
            path = os.path.join(root, file)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as stream:
                    found = re.search(
                        r'^workspace\(\s*name\s*=\s*"([^"]+)"',
                        stream.read(),
                        re.MULTILINE,
                    )
                name = found[1] if found else os.path.basename(root)
                return cls(root, re.sub(r"\W", "_", name), rules)
        raise NewOpError(f"{root} has no WORKSPACE file")

    @property
    def prefix(self) -> str:
        """What TensorFlow's names of the workspace's ops begin with."""
        return camel_case(self.name) if self.rules else "Examples"

    @property
    def namespace(self) -> str:
        """The C++ namespace of the workspace's ops."""
        if not self.rules:
            return "custom_op_examples"
        return f"{self.name}_ops" if self.name in _CPP_KEYWORDS else self.name

    def files(self) -> Iterator[str]:
        """Yields its files, relative to its root; not those of workspaces in it."""
        for folder, folders, names in os.walk(self.root):
            if folder != self.root and {"WORKSPACE", "WORKSPACE.bazel"} & set(
                names
            ):
                folders.clear()
                continue
            folders[:] = sorted(
                name
                for name in folders
                if not name.startswith((".", "bazel-"))
                and not os.path.islink(os.path.join(folder, name))
            )
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), self.root)


@dataclasses.dataclass(frozen=True)
class Op:
    """What to write."""

    name: str
    kind: str
    dtypes: tuple[str, ...]
    inputs: tuple[str, ...]
    package: str


def camel_case(name: str) -> str:
    """Returns MyOp for my_op."""
    return "".join(
        part[:1].upper() + part[1:] for part in name.split("_") if part
    )


def wrapper_name(op: str) -> str:
    """Returns the Python function that TensorFlow makes of an op's name.

    As in TensorFlow: a capital begins a word where the letter before or after
    it is small, so that `Examples>L2Norm` is `examples_l2_norm`.
    """
    name = ""
    for i, letter in enumerate(op):
        before, after = op[max(i - 1, 0) : i], op[i + 1 : i + 2]
        if letter.isupper() and before not in ("", ">"):
            if before.islower() or after.islower():
                name += "_"
        name += "_" if letter == ">" else letter.lower()
    return name


def check_name(name: str) -> None:
    """Raises NewOpError where code of the name would not compile or be found."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise NewOpError(
            f"the name {name!r} must be lower case letters, digits and single "
            "underscores, and begin with a letter, such as my_op"
        )
    if len(name) > _MAX_NAME:
        raise NewOpError(
            f"the name {name!r} has {len(name)} letters; at most {_MAX_NAME} "
            "leave room for the names that are made of it"
        )
    for taken, what in (
        (_CPP_KEYWORDS, "a word of C++"),
        (_PYTHON_KEYWORDS, "a word of Python"),
        (_PACKAGES, "the name of a package or a built-in"),
    ):
        if name in taken:
            raise NewOpError(
                f"the name {name!r} is {what}; take another, such as {name}_op"
            )
    suffix = name.rpartition("_")[2]
    if suffix in ("kernel", "math", "test") and suffix != name:
        raise NewOpError(
            f"the name {name!r} ends in _{suffix}, as files of the package do; "
            f"take another, such as {name.removesuffix('_' + suffix)}"
        )


def check_dtypes(kind: str, dtypes: Sequence[str]) -> None:
    """Raises NewOpError for dtypes that the kind's kernels cannot have."""
    allowed = _DTYPES_OF_KIND.get(kind, tuple(_DTYPES))
    for dtype in dtypes:
        if dtype not in allowed:
            raise NewOpError(
                f"--dtypes has {dtype!r}; kind {kind} takes "
                f"{', '.join(allowed)}"
            )
    if len(set(dtypes)) != len(dtypes):
        raise NewOpError(f"--dtypes names one twice: {','.join(dtypes)}")


def check_inputs(kind: str, name: str, inputs: Sequence[str]) -> None:
    """Raises NewOpError for inputs whose names would not compile."""
    if not 1 <= len(inputs) <= _MAX_INPUTS:
        raise NewOpError(
            f"--inputs names {len(inputs)} inputs; it must be 1 to {_MAX_INPUTS}"
        )
    for each in inputs:
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", each):
            raise NewOpError(
                f"--inputs has {each!r}; a name must be lower case letters, "
                "digits and single underscores, and begin with a letter"
            )
        if each in _CPP_KEYWORDS | _PYTHON_KEYWORDS | _TAKEN_INPUTS | {name}:
            raise NewOpError(
                f"--inputs has {each!r}, a word of C++ or Python or a name that "
                "the generated code uses"
            )
    if len(set(inputs)) != len(inputs):
        raise NewOpError(f"--inputs names one twice: {','.join(inputs)}")


def package_of(folder: str, workspace: Workspace) -> str:
    """Returns the package of a folder, which need not exist yet.

    Raises:
      NewOpError: It is outside the workspace or in another one within it, or no
        Python package can have its name.
    """
    package = os.path.relpath(
        os.path.realpath(folder), os.path.realpath(workspace.root)
    )
    if package == "." or package.startswith(".."):
        raise NewOpError(
            f"the package must be a folder below {workspace.root}, not {folder}"
        )
    parts = package.split(os.sep)
    for i, part in enumerate(parts):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise NewOpError(
                f"the package {package} has the folder {part!r}, from which "
                "Python cannot import"
            )
        inner = os.path.join(workspace.root, *parts[: i + 1])
        if os.path.exists(inner) and not os.path.isdir(inner):
            raise NewOpError(f"{inner} is there already, and no folder")
        if os.path.exists(os.path.join(inner, "WORKSPACE")):
            raise NewOpError(
                f"{inner} is a workspace of its own; run the command there"
            )
    if parts[0] in _PACKAGES and not os.path.isdir(
        os.path.join(workspace.root, parts[0])
    ):
        raise NewOpError(
            f"the package {package} begins with {parts[0]!r}, which is the name "
            "of another package; choose another with --package"
        )
    return package.replace(os.sep, "/")


def check_not_taken(op: Op, workspace: Workspace) -> None:
    """Raises NewOpError where the op or its package is there already."""
    target = os.path.join(workspace.root, op.package)
    if os.path.lexists(target):
        raise NewOpError(
            f"{target} is there already; choose another name or --package"
        )
    name = camel_case(op.name)
    if op.kind == "tflite":
        pattern = rf"\b{name}OpRegistration\b"
        what = f"a TFLite kernel {name}"
    elif op.kind == "python":
        pattern = rf"^class {name}\b"
        what = f"a class {name}"
    else:
        steps = "(?:Create|Update|Read)" if op.kind == "tf_resource" else ""
        pattern = rf'REGISTER_OP\(\s*"{workspace.prefix}>{name}{steps}"'
        what = f"an op {workspace.prefix}>{name}"
    for path in workspace.files():
        folder, base = os.path.split(path)
        # A kernel for TFLite has the name of the TensorFlow op that it stands for.
        if base in ("BUILD", "BUILD.bazel") and op.kind != "tflite":
            if os.path.basename(folder) == op.name:
                raise NewOpError(
                    f"the package //{folder} has the name {op.name!r} already; "
                    "choose another"
                )
        if path.endswith((".cc", ".h", ".inc", ".py")):
            with open(
                os.path.join(workspace.root, path),
                encoding="utf-8",
                errors="replace",
            ) as file:
                if re.search(pattern, file.read(), re.MULTILINE):
                    raise NewOpError(
                        f"{path} has {what} already; choose another name"
                    )


def _import_line(module: str) -> str:
    """Returns the import of a module, as ruff formats it."""
    folder, _, name = module.rpartition(".")
    line = f"from {folder} import {name}"
    if len(line) > _LINE:
        line = f"from {folder} import (\n    {name},\n)"
    return line


def _imports(lines: list[str], package: str, name: str) -> list[str]:
    """Resolves @IMPORT x@ lines; each run of them is sorted."""
    outside = {
        "op_layer": "tensorflow_examples.custom_ops_doc.keras_layers.op_layer",
        "python_op": "tensorflow_examples.custom_ops_doc.python_op.python_op",
        "interpreter": "tflite.custom.python.interpreter",
        "registerers": "tflite.custom.python.registerers",
        "single_op_model": "tflite.custom.python.single_op_model",
        "unittest_tools": (
            "tensorflow_examples.custom_ops_doc.python_op.unittest_tools"
        ),
    }
    result: list[str] = []
    run: list[tuple[str, str]] = []

    def flush() -> None:
        for _, module in sorted(run):
            result.extend(_import_line(module).split("\n"))
        run.clear()

    for line in lines:
        found = re.fullmatch(r"@IMPORT (\w+)@", line)
        if not found:
            flush()
            result.append(line)
            continue
        module = found[1]
        if module not in outside:
            module = module.replace("NAME", name)
            module = f"{package.replace('/', '.')}.{module}"
        else:
            module = outside[module]
        run.append((module, module))
    flush()
    return result


def _sorted_labels(lines: list[str]) -> list[str]:
    """Sorts runs of labels of the package, whose order is that of its name."""
    result: list[str] = []
    for is_label, run in itertools.groupby(
        lines, lambda line: line.startswith('        ":')
    ):
        labels = list(run)
        result += sorted(labels) if is_label else labels
    return result


def _wrapped(line: str) -> list[str]:
    """Breaks a line of a README after 120 columns; others stay."""
    if len(line) <= 120 or line.startswith(("|", "    ")):
        return [line]
    at = line.rindex(" ", 0, 121)
    return [line[:at], *_wrapped(line[at + 1 :])]


def render(text: str, op: Op, workspace: Workspace) -> str:
    """Returns a template's text for an op.

    A template has `@VALUE@`s, blocks `%if CONDITION` ... `%end` and
    `%for input|dtype` ... `%end`, and `@IMPORT module@` lines.
    """
    floats = [d for d in op.dtypes if d in _FLOATS]
    precise = [d for d in ("float64", "float32") if d in floats]
    op_name = f"{workspace.prefix}>{camel_case(op.name)}"
    values = {
        "ATTR_TYPES": ", ".join(_DTYPES[d][1] for d in op.dtypes),
        "COUNT": str(len(op.inputs)),
        "DTYPES": ", ".join(op.dtypes),
        "FIRST": op.inputs[0],
        "FIRST_DTYPE": op.dtypes[0],
        "FUNCTION": wrapper_name(op_name),
        "GUARD": re.sub(r"\W", "_", f"{op.package}/{op.name}").upper(),
        "INDICES": ", ".join(str(i) for i in range(len(op.inputs))),
        "NAME": op.name,
        "NAMESPACE": workspace.namespace,
        "Name": camel_case(op.name),
        "OP": op_name,
        "PACKAGE": op.package,
        "PACKAGE_PATH": op.package + "/",
        "ROLES": ", ".join(f'"{each}"' for each in op.inputs),
        "RULES": workspace.rules,
        "TFLITE_TYPES": ", ".join(str(_DTYPES[d][2]) for d in op.dtypes),
        "float": floats[0] if floats else "",
        "numeric_gradient": precise[0] if precise else "",
    }
    conditions = {
        "float": bool(floats),
        "many": len(op.inputs) > 1,
        "numeric_gradient": bool(precise),
    }
    rows = {
        "dtype": [{"cpp": _DTYPES[d][0], "dtype": d} for d in op.dtypes],
        "input": [
            {"index": str(i), "input": each} for i, each in enumerate(op.inputs)
        ],
    }

    def substitute(line: str, values: Mapping[str, str]) -> str:
        return re.sub(
            r"@(\w+)@", lambda found: values.get(found[1], found[0]), line
        )

    lines: list[str] = []
    block: tuple[str, str] | None = None
    body: list[str] = []
    for line in text.splitlines():
        if line.startswith(("%if ", "%for ")):
            block = (line.split()[0], line.split()[1])
            body = []
        elif line == "%end":
            assert block is not None, text
            if block[0] == "%for":
                for row in rows[block[1]]:
                    lines += [substitute(each, row) for each in body]
            elif conditions[block[1]]:
                lines += body
            block = None
        elif block is not None:
            body.append(line)
        else:
            lines.append(line)
    lines = _imports(lines, op.package, op.name)
    lines = [substitute(line, values) for line in lines]
    return "\n".join(_sorted_labels(lines)) + "\n"


def _format(folder: str, clang_format: str) -> None:
    """Formats the C++ files of a folder in Google's style."""
    names = [
        os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.endswith((".cc", ".h"))
    ]
    if names:
        subprocess.run(
            [clang_format, "--style=Google", "-i", *names], check=True
        )


def write(op: Op, workspace: Workspace, clang_format: str) -> list[str]:
    """Writes the op's package, all of it or nothing; returns its files.

    Args:
      op: the op.
      workspace: where it goes.
      clang_format: the program that formats C++.

    Raises:
      NewOpError: Something of the name is there.
    """
    check_not_taken(op, workspace)
    target = os.path.join(workspace.root, op.package)
    parent = os.path.dirname(target)
    made = []
    while not os.path.isdir(parent):
        made.append(parent)
        parent = os.path.dirname(parent)
    # Beside the workspace's files, so that the last step is a rename.
    folder = tempfile.mkdtemp(prefix=".new_op_", dir=workspace.root)
    try:
        templates = os.path.join(_TEMPLATES, op.kind)
        for template in sorted(os.listdir(templates)):
            with open(
                os.path.join(templates, template), encoding="utf-8"
            ) as file:
                text = render(file.read(), op, workspace)
            name = template.removesuffix(".tmpl")
            if name.endswith(".md"):
                text = "\n".join(
                    part for line in text.split("\n") for part in _wrapped(line)
                )
            path = os.path.join(folder, name.replace("NAME", op.name))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        _format(folder, clang_format)
        os.chmod(folder, 0o777 & ~_umask())
        for each in reversed(made):
            os.mkdir(each)
        os.rename(folder, target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        for each in made:
            if os.path.isdir(each) and not os.listdir(each):
                os.rmdir(each)
        raise
    return sorted(os.path.join(op.package, name) for name in os.listdir(target))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _parser() -> argparse.ArgumentParser:
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="new_op",
        description=f"{summary}\n\n{rest}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rules", default="", help=argparse.SUPPRESS)
    parser.add_argument("--clang_format", default="", help=argparse.SUPPRESS)
    parser.add_argument("name", help="the op's name, such as my_op")
    parser.add_argument(
        "--kind", required=True, choices=_KINDS, help="what kind of op it is"
    )
    parser.add_argument(
        "--dtypes",
        default="float32,float64",
        metavar="TYPE,...",
        help=f"dtypes of its kernels: {', '.join(_DTYPES)}; %(default)s by "
        "default",
    )
    parser.add_argument(
        "--inputs",
        default=None,
        metavar="NAME,...",
        help=f"names of its inputs, at most {_MAX_INPUTS}; x by default. Not "
        "for tf_resource",
    )
    parser.add_argument(
        "--package",
        default=None,
        metavar="FOLDER",
        help="where to write it, relative to the workspace's root; by default "
        "a folder of the op's name where the command is typed",
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Writes the op that the arguments describe; returns the exit status."""
    options = _parser().parse_args(argv)
    root = os.environ.get("BUILD_WORKSPACE_DIRECTORY", "")
    try:
        if not root:
            raise NewOpError(
                "run it with Bazel, in the workspace that the op is for: "
                "./bazelw run //tools/new_op -- ..."
            )
        rules = options.rules.lstrip("@")
        workspace = Workspace.find(root, f"@{rules}" if rules else "")
        check_name(options.name)
        dtypes = tuple(options.dtypes.split(","))
        check_dtypes(options.kind, dtypes)
        if options.inputs is not None and options.kind == "tf_resource":
            raise NewOpError("--inputs is not for kind tf_resource")
        inputs = tuple((options.inputs or "x").split(","))
        check_inputs(options.kind, options.name, inputs)
        here = os.environ.get("BUILD_WORKING_DIRECTORY", root)
        folder = (
            os.path.join(here, options.name)
            if options.package is None
            else os.path.join(root, options.package)
        )
        package = package_of(folder, workspace)
        op = Op(options.name, options.kind, dtypes, inputs, package)
        files = write(op, workspace, os.path.abspath(options.clang_format))
    except NewOpError as error:
        print(f"new_op: {error}. Nothing was written.", file=sys.stderr)
        return 1
    for file in files:
        print(f"wrote {file}")
    print(f"test it: ./bazelw test //{package}:{options.name}_test")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
