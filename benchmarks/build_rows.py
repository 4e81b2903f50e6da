"""The rows of builds: what Bazel adds to bare calls of compiler and test.

Both sides work on a copy of the workspace, with an output base of its own; the
bare calls are those of Bazel's compile and link actions, in Bazel's order.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from collections.abc import Mapping

from benchmarks import measure
from benchmarks import row

_PACKAGE = "tensorflow_examples/custom_ops_doc/simple_hash_table"
_TEST = f"//{_PACKAGE}:simple_hash_table_test"
_LIBRARY = f"//{_PACKAGE}:simple_hash_table_kernel.linked.so"
_KERNEL = "simple_hash_table_kernel"

# What the test needs of the outside. Fetching it is no part of a build.
_REPOSITORIES = ("debian_cc", "debian_python", "pypi")


@dataclasses.dataclass
class _Copy:
    """A copy of the workspace, and how to build in it."""

    folder: pathlib.Path
    output_base: pathlib.Path
    options: list[str]
    edits: int = 0

    def bazel(self, command: str, *arguments: str) -> str:
        """Runs Bazel; returns what it prints."""
        return _run(
            ["./bazelw", f"--output_base={self.output_base}", command]
            + ([] if command in ("clean", "shutdown") else self.options)
            + list(arguments),
            self.folder,
        )

    def edit(self, name: str, text: str) -> None:
        """Adds a line to a file, `text` with a number that is new each time."""
        self.edits += 1
        with open(self.folder / _PACKAGE / name, "a") as file:
            file.write(text.format(self.edits) + "\n")

    def edit_kernel(self) -> None:
        """Edits the kernel's source, so that the library is another."""
        self.edit(
            f"{_KERNEL}.cc",
            '[[gnu::used, gnu::retain]] static const char kEdit{0}[] = "{0}";',
        )

    def edit_python(self) -> None:
        """Edits the Python module under test."""
        self.edit("simple_hash_table.py", "# {0}")

    def test(self) -> bool:
        """Builds and tests, by Bazel; returns whether the test was run."""
        return "(cached) PASSED" not in self.bazel("test", _TEST)

    def test_edited(self) -> None:
        """Builds and tests an edit, by Bazel.

        Raises:
          RuntimeError: The edit changed nothing that the test sees.
        """
        if not self.test():
            raise RuntimeError("Bazel did not run the test again")


def _run(command: list[str], folder: pathlib.Path, **environment: str) -> str:
    process = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if process.returncode:
        raise RuntimeError(
            f"{' '.join(command[:3])} ... ended with status "
            f"{process.returncode}: {(process.stdout + process.stderr)[-2000:]}"
        )
    return process.stdout


def _copy(run: row.Run) -> _Copy:
    """Copies the workspace as it stands; the copy goes once the row is done.

    Raises:
      RuntimeError: There is no workspace: `bazel run` did not start this.
    """
    if "BUILD_WORKSPACE_DIRECTORY" not in os.environ:
        raise RuntimeError(
            "the rows of builds need the workspace: ./bazelw run "
            "//benchmarks:compare"
        )
    workspace = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    external = (
        pathlib.Path(
            _run(["./bazelw", "info", "output_base"], workspace).strip()
        )
        / "external"
    )
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="custom_ops_build."))
    copy = _Copy(
        folder=scratch / "workspace",
        output_base=scratch / "output_base",
        options=[
            "--noshow_progress",
            *(
                f"--override_repository={name}={(external / name).resolve()}"
                for name in _REPOSITORIES
            ),
        ],
    )

    def remove():
        if copy.output_base.exists():
            copy.bazel("shutdown")
        # Bazel's outputs are not writable.
        _run(["chmod", "-R", "u+w", str(scratch)], scratch)
        shutil.rmtree(scratch)

    run.cleanup.callback(remove)
    files = ["git", "ls-files", "-z", "--cached", "--others"]
    for name in _run([*files, "--exclude-standard"], workspace).split("\0"):
        if (workspace / name).is_file():
            (copy.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(workspace / name, copy.folder / name)
    copy.test()
    return copy


@dataclasses.dataclass
class _Bare:
    """The calls of compiler, linker and test, without Bazel."""

    copy: _Copy
    # Commands of the execution root, by the sources that they are of.
    compiles: dict[str, list[str]]
    link: list[str]
    execution_root: pathlib.Path

    def compile(self, *sources: str) -> None:
        """Compiles sources, one after another, and links."""
        for source in sources:
            _run(self.compiles[source], self.execution_root)
        _run(self.link, self.execution_root)

    def test(self) -> None:
        """Runs the test."""
        with tempfile.TemporaryDirectory() as folder:
            program = self.copy.folder / "bazel-bin" / _PACKAGE
            _run(
                [str(program / "simple_hash_table_test")],
                pathlib.Path(folder),
                TEST_TMPDIR=folder,
                TF_CPP_MIN_LOG_LEVEL="2",
            )


def _bare(copy: _Copy) -> _Bare:
    """Reads Bazel's commands, with outputs of their own in place of Bazel's."""
    outputs = copy.output_base.parent / "bare"
    outputs.mkdir()
    report = copy.bazel(
        "aquery",
        "--output=jsonproto",
        f'mnemonic("Cpp(Compile|Link)", {_LIBRARY})',
    )
    commands = {
        arguments[arguments.index("-o") + 1]: arguments
        for arguments in (
            action["arguments"] for action in json.loads(report)["actions"]
        )
    }
    link = next(c for c in commands.values() if "-shared" in c)
    # Of a source there may be an action for other uses, which is never run.
    compiles = {
        pathlib.Path(command[command.index("-c") + 1]).stem: command
        for output, command in commands.items()
        if output in link and command is not link
    }
    objects = {
        output: str(outputs / pathlib.Path(output).name) for output in commands
    }

    def elsewhere(arguments: list[str]) -> list[str]:
        return [
            str(outputs / "dependencies.d")
            if argument.endswith(".d")
            else objects.get(argument, argument)
            for argument in arguments
        ]

    bare = _Bare(
        copy,
        {source: elsewhere(command) for source, command in compiles.items()},
        elsewhere(link),
        pathlib.Path(copy.bazel("info", "execution_root").strip()),
    )
    bare.compile(*bare.compiles)
    return bare


def _sides(
    prepare: Callable[[_Copy], None],
    ours: Callable[[_Copy], object],
    theirs: Callable[[_Bare], None],
    *,
    prepare_theirs: bool = True,
) -> Callable[[row.Run], row.Costs]:
    """Returns the `measure` of a row: each call of a side is prepared for."""

    def setup(run: row.Run) -> Mapping[str, measure.Side]:
        copy = _copy(run)
        bare = _bare(copy)
        return {
            "Bazel": measure.Prepared(
                lambda: prepare(copy), lambda _: ours(copy)
            ),
            "bare calls": measure.Prepared(
                lambda: prepare_theirs and prepare(copy),
                lambda _: theirs(bare),
            ),
        }

    return measure.interleaved(setup)


def _compile_kernel_and_test(bare: _Bare) -> None:
    bare.compile(_KERNEL)
    bare.test()


def _row(
    name: str,
    about: str,
    floor: float | None,
    measured: Callable[[row.Run], row.Costs],
) -> row.Row:
    return row.Row(
        name=f"build/{name}",
        about=f"{about} Of simple_hash_table, on a copy of the workspace; the "
        "bare calls are Bazel's own.",
        item="build",
        items=1,
        quick_items=1,
        ours="Bazel",
        peers=(row.Peer("bare calls", floor),),
        measure=measured,
        rounds=5,
    )


ROWS = (
    _row(
        "clean",
        "Everything is built anew; compile and link.",
        None,
        _sides(
            lambda copy: copy.bazel("clean"),
            lambda copy: copy.bazel("build", _TEST),
            lambda bare: bare.compile(*bare.compiles),
            # They use what Bazel has laid out.
            prepare_theirs=False,
        ),
    ),
    _row(
        "edit_kernel",
        "The kernel is edited and tested; compile, link, test.",
        1 / 1.3,
        _sides(_Copy.edit_kernel, _Copy.test_edited, _compile_kernel_and_test),
    ),
    _row(
        "edit_python",
        "The module is edited and tested; test.",
        1 / 1.3,
        _sides(_Copy.edit_python, _Copy.test_edited, _Bare.test),
    ),
    _row(
        "nothing_changed",
        "Nothing is edited; test.",
        1,
        _sides(lambda copy: None, _Copy.test, _Bare.test),
    ),
)
