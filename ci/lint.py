"""Holds every tracked file against its formatter and linter.

./bazelw run //ci:lint            reports what is wrong, with exit status 1
./bazelw run //ci:lint -- --fix   mends what the tools can mend
"""

import argparse
import os
import subprocess
import sys

_STARLARK_NAMES = ("BUILD", "WORKSPACE")

# Checks of buildifier's linter beside its formatting. Native rules stay: Bazel 4.2 has no others.
_BUILDIFIER_WARNINGS = ",".join(
    (
        "attr-cfg",
        "bzl-visibility",
        "confusing-name",
        "constant-glob",
        "deprecated-function",
        "duplicated-name",
        "function-docstring",
        "function-docstring-args",
        "integer-division",
        "load",
        "module-docstring",
        "name-conventions",
        "no-effect",
        "return-value",
        "rule-impl-return",
        "unreachable",
        "unused-variable",
    )
)


def tracked_files(workspace: str) -> list[str]:
    """Returns the files that git tracks, or would, in the workspace."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=workspace,
        check=True,
        capture_output=True,
        text=True,
    )
    names = [name for name in listing.stdout.split("\0") if name]
    return [
        name for name in names if os.path.isfile(os.path.join(workspace, name))
    ]


def is_starlark(name: str) -> bool:
    """Whether buildifier formats the file."""
    base = os.path.basename(name)
    return base in _STARLARK_NAMES or name.endswith((".bzl", ".BUILD"))


def is_python(name: str) -> bool:
    """Whether a file is Python source, also where only its first line says so."""
    if name.endswith(".py"):
        return True
    if os.path.splitext(name)[1]:
        return False
    with open(name, "rb") as file:
        line = file.readline(100)
    return line.startswith(b"#!") and b"python" in line


def commands(
    options: argparse.Namespace, files: list[str], fix: bool
) -> list[tuple[list[str], list[str]]]:
    """Returns each tool's command line and the files to append to it."""
    cxx = [name for name in files if name.endswith((".c", ".cc", ".h"))]
    python = [name for name in files if is_python(name)]
    starlark = [name for name in files if is_starlark(name)]
    mode = "fix" if fix else "check"
    return [
        (
            [
                options.buildifier,
                f"--mode={mode}",
                f"--lint={'fix' if fix else 'warn'}",
                f"--warnings={_BUILDIFIER_WARNINGS}",
            ],
            starlark,
        ),
        (
            [
                options.clang_format,
                *(["-i"] if fix else ["--dry-run", "--Werror"]),
            ],
            cxx,
        ),
        (
            [options.ruff, "format", *([] if fix else ["--check"])],
            python,
        ),
        (
            [options.ruff, "check", *(["--fix"] if fix else [])],
            python,
        ),
    ]


def main(arguments: list[str]) -> int:
    """Runs every tool; returns 1 if one of them is not content."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buildifier", required=True)
    parser.add_argument("--clang_format", required=True)
    parser.add_argument("--ruff", required=True)
    parser.add_argument(
        "--fix", action="store_true", help="mend what can be mended"
    )
    options = parser.parse_args(arguments)
    for tool in ("buildifier", "clang_format", "ruff"):
        setattr(options, tool, os.path.abspath(getattr(options, tool)))
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    os.chdir(workspace)
    files = tracked_files(workspace)
    if options.fix:
        for command, names in commands(options, files, fix=True):
            if names:
                subprocess.run([*command, *names], capture_output=True)
    # What could not be mended is found here.
    failed = []
    for command, names in commands(options, files, fix=False):
        if names and subprocess.run([*command, *names]).returncode:
            failed.append(os.path.basename(command[0]))
    if failed:
        print(
            f"lint: {', '.join(failed)} failed; "
            "./bazelw run //ci:lint -- --fix mends what it can",
            file=sys.stderr,
        )
        return 1
    print("lint: clean")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
