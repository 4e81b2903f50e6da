"""Writes compile_commands.json, from which clangd and other tools know each C++ file.

    ./bazelw run //tools/compile_commands [-- PATTERN ...]

Takes the workspace's C++ targets, or those of the patterns. Headers that a build generates
are there once it has run.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

_KINDS = "cc_(binary|library|test) rule"
_OUTPUT = "compile_commands.json"

# What names an output: the tools that read the file write none.
_OUTPUT_FLAGS = ("-MF", "-o")


class Folders:
    """Where the paths of an action's command line lie, which runs in the execution root.

    Bazel takes links out of the execution root as it pleases, so none leads through it
    but `bazel-out`.
    """

    def __init__(
        self, workspace: str, output_base: str, execution_root: str
    ) -> None:
        self.workspace = workspace
        self._folders = {
            "external": os.path.join(output_base, "external"),
            "bazel-out": os.path.join(execution_root, "bazel-out"),
        }

    def absolute(self, argument: str) -> str:
        """Returns an argument with the path that it is, or ends in, made absolute."""
        return re.sub(
            r"^(-I|-B|-L|--?[\w-]+=)?(external|bazel-out)(?=/)",
            lambda match: (match[1] or "") + self._folders[match[2]],
            argument,
        )


def commands(
    actions: list[dict[str, Any]], folders: Folders
) -> Iterator[dict[str, Any]]:
    """Yields an entry for each source that the actions compile, its first one.

    Args:
      actions: the actions of `bazel aquery --output=jsonproto`.
      folders: what their paths are relative to.
    """
    seen = set()
    for action in actions:
        arguments = action["arguments"]
        source = arguments[arguments.index("-c") + 1]
        if source in seen:
            continue
        seen.add(source)
        kept = [
            argument
            for before, argument in zip(
                ["", *arguments], arguments, strict=False
            )
            if before not in _OUTPUT_FLAGS
            and argument not in (*_OUTPUT_FLAGS, "-MD")
        ]
        yield {
            "directory": folders.workspace,
            "file": os.path.join(folders.workspace, folders.absolute(source)),
            "arguments": [folders.absolute(argument) for argument in kept],
        }


def _bazel(workspace: str, *arguments: str) -> str:
    wrapper = os.path.join(workspace, "bazelw")
    program = wrapper if os.path.exists(wrapper) else os.environ.get("BAZEL")
    return subprocess.run(
        [program or "bazel", *arguments],
        cwd=workspace,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def main(patterns: list[str]) -> int:
    """Writes the file for the C++ targets of the patterns, at the workspace's root."""
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    quiet = ("--noshow_progress", "--ui_event_filters=-info")
    wanted = " ".join(patterns or ["//..."])
    targets = _bazel(
        workspace, "query", *quiet, f'kind("{_KINDS}", set({wanted}))'
    )
    if not targets:
        print(f"{wanted}: no C++ target", file=sys.stderr)
        return 1
    actions = _bazel(
        workspace,
        "aquery",
        *quiet,
        "--output=jsonproto",
        f'mnemonic("CppCompile", set({" ".join(targets.split())}))',
    )
    folders = Folders(
        workspace,
        _bazel(workspace, "info", *quiet, "output_base").strip(),
        _bazel(workspace, "info", *quiet, "execution_root").strip(),
    )
    entries = list(commands(json.loads(actions).get("actions", []), folders))
    path = os.path.join(workspace, _OUTPUT)
    with open(path, "w") as file:
        json.dump(entries, file, indent=1)
    print(f"{path}: {len(entries)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
