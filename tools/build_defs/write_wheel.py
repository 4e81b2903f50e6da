"""Writes a wheel of custom ops for the rule tf_custom_op_wheel.

    write_wheel.py --manifest=x.json --readelf=llvm-readelf --out=DIR

The manifest says what goes into the wheel. What only the files themselves can tell is
read from them: the release of TensorFlow that the op libraries were linked with, and the
oldest manylinux platform that the libraries run on. The same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import ast
import base64
import csv
import dataclasses
import functools
import hashlib
import importlib.metadata
import io
import json
import os
import posixpath
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pip._vendor.packaging.requirements import InvalidRequirement
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion
from pip._vendor.packaging.version import Version

_FRAMEWORK = "libtensorflow_framework.so.2"

# For each manylinux platform, by its glibc: the newest versions of symbols that its
# systems have, as PEP 600 and its reference implementation give them.
_PLATFORMS: Mapping[tuple[int, int], Mapping[str, tuple[int, ...]]] = {
    (2, 17): {"GLIBCXX": (3, 4, 19), "CXXABI": (1, 3, 7), "GCC": (4, 8)},
    (2, 27): {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7,)},
    (2, 28): {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7,)},
    (2, 31): {"GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12), "GCC": (7,)},
    (2, 34): {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7,)},
    (2, 35): {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12,)},
    (2, 36): {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12,)},
    (2, 39): {"GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14,)},
}

# What every such system has. TensorFlow's library comes with TensorFlow.
_SYSTEM_LIBRARIES = frozenset(
    (
        "ld-linux-x86-64.so.2",
        "libc.so.6",
        "libdl.so.2",
        "libgcc_s.so.1",
        "libm.so.6",
        "libpthread.so.0",
        "librt.so.1",
        "libstdc++.so.6",
    )
)

_CHECK = """\
import tensorflow as _tensorflow

# The folder that an uninstalled TensorFlow may leave behind is a module without a version.
_version = getattr(_tensorflow, "__version__", "of no known version")
if not f"{{_version}}.".startswith("{minor}."):
    raise ImportError(
        f"{{__name__}} was built for TensorFlow {built}, and this is TensorFlow "
        f"{{_version}}: its ops cannot be loaded. Install '{requirement}', or a "
        "{distribution} that was built for the one here.",
        name=__name__,
    )
"""
_PACKAGE = '''\
"""Custom ops for TensorFlow {minor}; importing the package beside another fails."""

'''


class WheelError(Exception):
    """The wheel cannot be written; the text says why."""


@dataclasses.dataclass(frozen=True)
class Library:
    """What a shared library needs of the process and machine that load it."""

    needed: tuple[str, ...]
    runpath: str
    versions: frozenset[tuple[str, tuple[int, ...]]]

    @classmethod
    def read(cls, readelf: str, path: str) -> Library:
        """Returns what llvm-readelf says of a library."""
        text = subprocess.run(
            [readelf, "--dynamic-table", "--version-info", "--wide", path],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        runpath = re.search(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text)
        return cls(
            tuple(re.findall(r"\(NEEDED\).*\[(.*)\]", text)),
            runpath[1] if runpath else "",
            frozenset(
                (name, tuple(int(part) for part in version.split(".")))
                for name, version in re.findall(
                    r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)\s", text
                )
            ),
        )


def platform_of(libraries: Mapping[str, Library]) -> str:
    """Returns the tag of the oldest manylinux platform that all libraries run on.

    Args:
      libraries: libraries by their names in the wheel.

    Raises:
      WheelError: one needs more than any platform that is known here has.
    """
    for glibc, limits in _PLATFORMS.items():
        limits = {**limits, "GLIBC": glibc}
        beyond = [
            f"{path}: {name}_{'.'.join(str(part) for part in version)}"
            for path, library in libraries.items()
            for name, version in sorted(library.versions)
            if version > limits[name]
        ]
        if not beyond:
            return f"manylinux_{glibc[0]}_{glibc[1]}_x86_64"
    raise WheelError(
        f"{beyond[0]} is newer than what manylinux_{glibc[0]}_{glibc[1]} has, the"
        " newest platform that is known; build the library with the pinned toolchain"
    )


def set_runpath(data: bytes, old: str, new: str) -> bytes:
    """Returns a library's bytes with its run path replaced by one that is no longer.

    Raises:
      ValueError: the old one does not stand there exactly once, or is shorter.
    """
    old_bytes = b"\0%s\0" % old.encode()
    if data.count(old_bytes) != 1 or len(new) > len(old):
        raise ValueError(f"{old!r} cannot become {new!r}")
    padded = new.encode().ljust(len(old), b"\0")
    return data.replace(old_bytes, b"\0%s\0" % padded)


def with_check(source: str, check: str) -> str:
    """Returns the source of an `__init__.py` with a check before its statements.

    A docstring and imports from `__future__` stay first, as they must.
    """
    lines = source.splitlines(keepends=True)
    end = 0
    for node in ast.parse(source).body:
        docstring = (
            end == 0
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
        )
        future = (
            isinstance(node, ast.ImportFrom) and node.module == "__future__"
        )
        if not docstring and not future:
            break
        end = node.end_lineno or 0
    return "".join([*lines[:end], "\n" if end else "", check, *lines[end:]])


def _distributions(
    folders: Iterable[str],
) -> dict[str, importlib.metadata.Distribution]:
    """Returns the installed distributions, each by the name of its folder."""
    found = {}
    for folder in folders:
        for distribution in importlib.metadata.distributions(path=[folder]):
            found[os.path.basename(folder)] = distribution
    return found


def _minor(version: str) -> str:
    """Returns the `2.21` of `2.21.0`."""
    return ".".join(version.split(".")[:2])


class Wheel:
    """A wheel as the manifest describes it."""

    def __init__(self, manifest: Mapping[str, Any], readelf: str) -> None:
        self._manifest = manifest
        self._locked = _distributions(manifest["distributions"])
        self._files: dict[str, bytes] = {}
        self._libraries: dict[str, Library] = {}
        for file in manifest["files"]:
            self._add(file["to"], file["path"])
            if file["to"].endswith(".so"):
                self._libraries[file["to"]] = Library.read(
                    readelf, file["path"]
                )
        if not self._files:
            raise WheelError("deps bring no file of their own")
        self._kernels = [
            path
            for path, library in self._libraries.items()
            if _FRAMEWORK in library.needed
        ]
        self._find_libraries()
        self._add_checks()
        for folder in {
            posixpath.dirname(path)
            for path in self._files
            if path.endswith(".py")
        }:
            self._files[posixpath.join(folder, "py.typed")] = b""

    def _add(self, to: str, path: str) -> None:
        with open(path, "rb") as file:
            data = file.read()
        if self._files.setdefault(to, data) != data:
            raise WheelError(f"two different files would both be {to}")

    @functools.cached_property
    def _tensorflow(self) -> importlib.metadata.Distribution:
        if "tensorflow" not in self._locked:
            raise WheelError(
                f"{self._kernels[0]} needs {_FRAMEWORK}, but no dep brings"
                " TensorFlow; list the Python library that loads it"
            )
        return self._locked["tensorflow"]

    def _requirement_of_tensorflow(self) -> str:
        name = canonicalize_name(self._tensorflow.metadata["Name"])
        return f"{name}=={_minor(self._tensorflow.version)}.*"

    def _find_libraries(self) -> None:
        """Checks that each library that one needs will be there, and says where."""
        here = {posixpath.basename(path): path for path in self._libraries}
        external = {_FRAMEWORK, *self._manifest["external_libraries"]}
        for path, library in self._libraries.items():
            folders = []
            for name in library.needed:
                if name in _SYSTEM_LIBRARIES or name in external:
                    continue
                if name not in here:
                    raise WheelError(
                        f"{path} needs {name}, which is not in the wheel: add it to"
                        " `libraries`, or to `external_libraries` if a package in"
                        " `requires` has loaded it by then"
                    )
                relative = posixpath.relpath(
                    posixpath.dirname(here[name]), posixpath.dirname(path)
                )
                folders.append(
                    "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}"
                )
            if not folders:
                continue
            runpath = ":".join(sorted(set(folders)))
            try:
                self._files[path] = set_runpath(
                    self._files[path], library.runpath, runpath
                )
            except ValueError as error:
                raise WheelError(
                    f"{path} must find libraries at {runpath}, and its run path"
                    f" {library.runpath!r} has no room for that; link it with"
                    f" linkopts = [\"-Wl,-rpath,'{runpath.replace('$', '$$')}'\"]"
                ) from error

    def _add_checks(self) -> None:
        """Has the packages that load an op library refuse another TensorFlow first."""
        if not self._kernels:
            return
        built = self._tensorflow.version
        check = _CHECK.format(
            built=built,
            distribution=self._manifest["distribution"],
            minor=_minor(built),
            requirement=self._requirement_of_tensorflow(),
        )
        folders = {posixpath.dirname(path) for path in self._kernels}
        names = {posixpath.basename(path) for path in self._kernels}
        names |= {folder.replace("/", ".") for folder in folders}
        # What loads a library, and what imports a package that does.
        while names := names - {""}:
            named = re.compile(
                rf"\b({'|'.join(map(re.escape, sorted(names)))})\b".encode()
            )
            found = {
                posixpath.dirname(path)
                for path, data in self._files.items()
                if path.endswith(".py") and named.search(data)
            } - folders
            names = {folder.replace("/", ".") for folder in found}
            folders |= found
        for folder in sorted(folders):
            if not folder:
                raise WheelError(
                    "an op library, or what loads it, is in the root package;"
                    " in site-packages it needs a folder"
                )
            path = posixpath.join(folder, "__init__.py")
            source = self._files.get(path, b"").decode()
            source = source or _PACKAGE.format(minor=_minor(built))
            self._files[path] = with_check(source, check).encode()

    def version(self) -> str:
        """Returns the wheel's version, in normal form."""
        text = self._manifest["version"]
        if "{tensorflow}" in text:
            text = text.replace(
                "{tensorflow}", _minor(self._tensorflow.version)
            )
        try:
            return str(Version(text))
        except InvalidVersion as error:
            raise WheelError(
                f'version is "{text}", which is none; "1.0" would be one'
            ) from error

    def requirements(self) -> list[str]:
        """Returns the `Requires-Dist` lines, TensorFlow's first."""
        lines = [self._requirement_of_tensorflow()] if self._kernels else []
        for text in self._manifest["requires"]:
            name = (re.match(r"\s*([\w.-]+)", text) or [""])[0].strip()
            folder = canonicalize_name(name).replace("-", "_")
            if folder not in self._locked:
                raise WheelError(
                    f'requires "{text}", but no dep brings {name or "that"}; deps'
                    f" bring: {', '.join(sorted(self._locked))}"
                )
            version = self._locked[folder].version
            text = text.replace("{version}", version)
            text = text.replace("{minor}", _minor(version))
            try:
                lines.append(str(Requirement(text)))
            except InvalidRequirement as error:
                raise WheelError(f'requires "{text}": {error}') from error
        return lines

    def _metadata(self) -> bytes:
        manifest = self._manifest
        requirements = self.requirements()
        extras = re.findall(r'extra == "([^"]+)"', "\n".join(requirements))
        description = ""
        if manifest["description"]:
            with open(manifest["description"]) as file:
                description = file.read()
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {manifest['distribution']}",
            f"Version: {self.version()}",
            f"Summary: {manifest['summary']}",
            f"License: {manifest['license']}",
            f"Requires-Python: {manifest['requires_python']}",
            *(f"Requires-Dist: {line}" for line in requirements),
            *(f"Provides-Extra: {extra}" for extra in sorted(set(extras))),
            "Description-Content-Type: text/markdown",
            "",
            description,
        ]
        return "\n".join(lines).encode()

    def write(self, folder: str) -> str:
        """Writes the wheel into a folder and returns its path."""
        name = canonicalize_name(self._manifest["distribution"])
        stem = f"{name.replace('-', '_')}-{self.version()}"
        tag = f"py3-none-{platform_of(self._libraries)}"
        info = f"{stem}.dist-info"
        last = {
            f"{info}/METADATA": self._metadata(),
            f"{info}/WHEEL": (
                "Wheel-Version: 1.0\n"
                "Generator: tf_custom_op_wheel\n"
                "Root-Is-Purelib: false\n"
                f"Tag: {tag}\n"
            ).encode(),
        }
        for path in self._manifest["license_files"]:
            with open(path, "rb") as file:
                last[f"{info}/{os.path.basename(path)}"] = file.read()
        files = {**dict(sorted(self._files.items())), **last}
        record = f"{info}/RECORD"
        files[record] = _record(files, record)
        path = os.path.join(folder, f"{stem}-{tag}.whl")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3  # Unix: there are modes.
                mode = 0o755 if name.endswith(".so") else 0o644
                entry.external_attr = (0o100000 | mode) << 16
                archive.writestr(entry, data, compresslevel=9)
        return path


def _record(files: Mapping[str, bytes], own_name: str) -> bytes:
    """Returns the RECORD of files: hash and size of each but itself."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        rows.writerow(
            [name, f"sha256={digest.rstrip(b'=').decode()}", len(data)]
        )
    rows.writerow([own_name, "", ""])
    return text.getvalue().encode()


def main(arguments: Sequence[str]) -> int:
    """Writes the wheel; prints one line and returns 1 where that cannot be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args(arguments)
    with open(options.manifest) as file:
        manifest = json.load(file)
    try:
        Wheel(manifest, options.readelf).write(options.out)
    except WheelError as error:
        print(
            f"tf_custom_op_wheel {manifest['label']}: {error}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
