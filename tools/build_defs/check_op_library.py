"""Checks the symbols of a linked op library, then gives it its final name.

    check_op_library.py --nm=llvm-nm --readelf=llvm-readelf \
        --label=//pkg:x.so --library=x.linked.so --out=x.so

An op library is loaded into a process that has TensorFlow. It must use that
copy: with one of its own it would register its ops and kernels where nobody
looks them up. It must not show symbols that nobody needs either, since another
library's symbols of these names would replace them or be replaced.

The check reads the symbol table, so it comes before any stripping.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

# Functions by their mangled names, which TensorFlow's framework library exports
# in versions 2.16 to 2.21 and which no header defines: a library that defines
# one was linked with the source file that does. An entry is the start of a
# name where the parameters differ from version to version.
_TENSORFLOW_FUNCTIONS: Mapping[str, str] = {
    "_ZN10tensorflow10OpRegistry6GlobalEv": "tensorflow::OpRegistry::Global",
    # Not OpDefBuilder's copies and moves, which each compiler makes itself.
    "_ZN10tensorflow12OpDefBuilderC2ENS": (
        "tensorflow::OpDefBuilder::OpDefBuilder"
    ),
    "_ZN10tensorflow14kernel_factory17OpKernelRegistrar12InitInternalE": (
        "tensorflow::kernel_factory::OpKernelRegistrar::InitInternal"
    ),
    "_ZN10tensorflow16KernelDefBuilder5BuildEv": (
        "tensorflow::KernelDefBuilder::Build"
    ),
    "_ZN10tensorflow15OpKernelContextC2EPNS0_6ParamsE": (
        "tensorflow::OpKernelContext::OpKernelContext"
    ),
    "_ZN10tensorflow15OpKernelContext15allocate_outputE": (
        "tensorflow::OpKernelContext::allocate_output"
    ),
    "_ZN10tensorflow11ResourceMgr5ClearEv": "tensorflow::ResourceMgr::Clear",
    "_ZN10tensorflow6TensorC2ENS_8DataTypeERKNS_11TensorShapeE": (
        "tensorflow::Tensor::Tensor"
    ),
    "_ZN3tsl3Env7DefaultEv": "tsl::Env::Default",
}
_PROTOBUF_FUNCTIONS: Mapping[str, str] = {
    "_ZN6google8protobuf14DescriptorPool14generated_poolEv": (
        "google::protobuf::DescriptorPool::generated_pool"
    ),
    "_ZN6google8protobuf8internal24InitProtobufDefaultsSlowEv": (
        "google::protobuf::internal::InitProtobufDefaultsSlow"
    ),
}
# Without the inline namespace of a release, as in absl::lts_20250814::Mutex.
_ABSEIL_FUNCTIONS: Mapping[str, str] = {
    "_ZN4absl5Mutex8LockSlowE": "absl::Mutex::LockSlow",
    "_ZN4absl24synchronization_internal20CreateThreadIdentityEv": (
        "absl::synchronization_internal::CreateThreadIdentity"
    ),
    "_ZN4absl12log_internal10LogMessage5FlushEv": (
        "absl::log_internal::LogMessage::Flush"
    ),
}
_ABSEIL_RELEASE = re.compile(r"^(_ZN4absl)12lts_\d{8}")

# Names of libraries, what they hold, what to depend on instead.
_COPIES = (
    (
        "TensorFlow",
        _TENSORFLOW_FUNCTIONS,
        "depend on //third_party/tensorflow/core:framework, whose code is in "
        "the wheel",
    ),
    (
        "protobuf",
        _PROTOBUF_FUNCTIONS,
        "depend on //third_party/tensorflow/core:framework, whose wheel has "
        "protobuf's headers and code",
    ),
    (
        "Abseil",
        _ABSEIL_FUNCTIONS,
        "depend on //third_party/absl/..., whose code is in the wheel",
    ),
)

_OTHER_TENSORFLOW = re.compile(
    r"^libtensorflow(_framework|_cc|lite\w*|-lite\w*)?\.so(\.|$)"
)
_WHEELS_TENSORFLOW = re.compile(
    r"^libtensorflow_(framework\.so\.2|cc\.so\.\d+)$"
)

# What TensorFlow itself looks up in a library, and what a linker adds.
_ALWAYS_EXPORTED = (
    "TF_InitKernel",
    "_init",
    "_fini",
    "__bss_start",
    "_edata",
    "_end",
)

_SHOWN = 3


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A defined symbol: its mangled name and nm's letter for its kind."""

    name: str
    kind: str


class ToolError(Exception):
    """nm or readelf failed; the text is what it said."""


def parse_symbols(text: str) -> list[Symbol]:
    """Returns the symbols in what `nm --defined-only --format=posix` prints.

    A version after the name, as in `name@@VERSION`, is dropped, and so are the
    headings of an archive's members.
    """
    symbols = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 2 or len(fields[1]) != 1 or fields[1] == "U":
            continue
        symbols.append(Symbol(fields[0].partition("@")[0], fields[1]))
    return symbols


def parse_needed(text: str) -> list[str]:
    """Returns the libraries in what `readelf -d` prints as NEEDED."""
    return re.findall(
        r"\(NEEDED\)\s+Shared library: \[([^\]]*)\]", text, re.MULTILINE
    )


def own_copies(symbols: Iterable[Symbol]) -> dict[str, list[str]]:
    """Returns which libraries a library holds a copy of.

    Returns:
      For each of TensorFlow, protobuf and Abseil that is in it the functions,
      each once, that tell.
    """
    names = {
        _ABSEIL_RELEASE.sub(r"\1", symbol.name)
        for symbol in symbols
        if symbol.kind in "tTwWiu"
    }
    copies = {}
    for library, functions, _ in _COPIES:
        found = [
            f"{readable}()"
            for mangled, readable in functions.items()
            if any(_is_function(name, mangled) for name in names)
        ]
        if found:
            copies[library] = found
    return copies


def _is_function(name: str, mangled: str) -> bool:
    """Tells whether a symbol is a function of _COPIES."""
    if mangled.endswith("Ev"):
        # Complete; a compiler may have split a part off, as in `.cold`.
        return name.partition(".")[0] == mangled
    return name.startswith(mangled)


def other_tensorflows(needed: Iterable[str]) -> list[str]:
    """Returns the needed libraries that are a TensorFlow of their own."""
    return [
        name
        for name in needed
        if _OTHER_TENSORFLOW.match(name) and not _WHEELS_TENSORFLOW.match(name)
    ]


def unwanted_exports(
    exports: Iterable[Symbol], allowed: Sequence[str]
) -> list[str]:
    """Returns the dynamic symbols that match none of the allowed patterns.

    Args:
      exports: the defined dynamic symbols.
      allowed: patterns, in which `*` and `?` are as in a file name and as in a
        linker's version script.
    """
    patterns = (*_ALWAYS_EXPORTED, *allowed)
    return sorted(
        {
            symbol.name
            for symbol in exports
            # An absolute symbol is the name of a version.
            if symbol.kind != "A"
            and not any(
                fnmatch.fnmatchcase(symbol.name, pattern)
                for pattern in patterns
            )
        }
    )


def problems(
    label: str,
    *,
    symbols: Sequence[Symbol],
    exports: Sequence[Symbol],
    needed: Sequence[str],
    allowed: Sequence[str] = (),
    archives: Mapping[str, Sequence[Symbol]] | None = None,
) -> list[str]:
    """Returns what is wrong with a library, a line each.

    Args:
      label: the library's label.
      symbols: its defined symbols, local ones too.
      exports: its defined dynamic symbols.
      needed: the libraries that it needs.
      allowed: patterns of the symbols that it may export.
      archives: by the label of a dep the symbols of the dep's archives, to
        find the dep that holds a copy.
    """
    found = []
    if not symbols:
        found.append(
            f"{label}: it has no symbol table, so it cannot be checked; "
            "remove -s and --strip-all from linkopts"
        )
    copies = own_copies(symbols)
    for library, _, instead in _COPIES:
        if library in copies:
            deps = [
                dep
                for dep, defined in (archives or {}).items()
                if library in own_copies(defined)
            ]
            culprit = (
                f"dep {_some(deps)}"
                if deps
                else f"the dep that links {library}'s sources or a static "
                f"{library}"
            )
            found.append(
                f"{label}: it holds its own copy of {library} "
                f"({_some(copies[library])}), apart from the one in the "
                f"process that loads it. Remove {culprit}; {instead}"
            )
    for name in other_tensorflows(needed):
        found.append(
            f"{label}: it needs {name}, another TensorFlow than the one in "
            f"the process that loads it. Remove the dep that links {name}; "
            "libtensorflow_framework.so.2 of the wheel is linked already"
        )
    unwanted = unwanted_exports(exports, allowed)
    if unwanted:
        count = "a symbol" if len(unwanted) == 1 else f"{len(unwanted)} symbols"
        allowed_text = ", ".join(allowed) if allowed else "none"
        found.append(
            f"{label}: it exports {count} that it should not "
            f"({_some(unwanted)}); allowed: {allowed_text}. Hide them, or list "
            "a pattern for them in exports"
        )
    return found


def _some(names: Sequence[str]) -> str:
    """Returns the first of some names, and how many more there are."""
    text = ", ".join(names[:_SHOWN])
    more = len(names) - _SHOWN
    return f"{text} and {more} more" if more > 0 else text


def _output_of(*command: str) -> str:
    """Returns what a tool prints, or raises ToolError."""
    try:
        result = subprocess.run(
            command, capture_output=True, check=False, text=True
        )
    except OSError as error:
        raise ToolError(f"cannot run {command[0]}: {error.strerror}") from error
    if result.returncode:
        raise ToolError(
            f"{' '.join(command)} failed with status {result.returncode}: "
            f"{result.stderr.strip()}"
        )
    return result.stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Checks and copies the library of the command line; returns a status."""
    parser = argparse.ArgumentParser(
        prog="check_op_library",
        description="Checks the symbols of a linked op library.",
    )
    for flag, text in (
        ("nm", "llvm-nm or another that takes its flags"),
        ("readelf", "llvm-readelf or another that takes its flags"),
        ("label", "label to name in messages"),
        ("library", "the library as linked"),
        ("out", "where to copy it once it is checked"),
    ):
        parser.add_argument(f"--{flag}", required=True, help=text)
    parser.add_argument(
        "--allow_export",
        action="append",
        default=[],
        metavar="PATTERN",
        help="a symbol that the library may export; may be repeated",
    )
    parser.add_argument(
        "--archive",
        action="append",
        default=[],
        metavar="LABEL=PATH",
        help="an archive of a dep, read only to name the dep that holds a "
        "second copy; may be repeated",
    )
    arguments = parser.parse_args(argv)
    # Bazel 6 and newer write @// and @@// for the main repository.
    label = re.sub(r"^@@?//", "//", arguments.label)
    nm = (arguments.nm, "--defined-only", "--format=posix")
    try:
        symbols = parse_symbols(_output_of(*nm, arguments.library))
        archives: dict[str, list[Symbol]] = {}
        if own_copies(symbols):
            for archive in arguments.archive:
                # A label may hold =, a path in a build tree does not.
                dep, _, path = archive.rpartition("=")
                archives.setdefault(dep, []).extend(
                    parse_symbols(_output_of(*nm, path))
                )
        found = problems(
            label,
            symbols=symbols,
            exports=parse_symbols(
                _output_of(*nm, "--dynamic", arguments.library)
            ),
            needed=parse_needed(
                _output_of(arguments.readelf, "-d", arguments.library)
            ),
            allowed=arguments.allow_export,
            archives=archives,
        )
    except ToolError as error:
        found = [f"{label}: {error}"]
    for line in found:
        sys.stderr.write(f"{line}\n")
    if found:
        return 1
    shutil.copyfile(arguments.library, arguments.out)
    shutil.copymode(arguments.library, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
