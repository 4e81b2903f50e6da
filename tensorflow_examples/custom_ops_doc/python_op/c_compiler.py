"""The C++ compiler of the machine or of the workspace, and how it makes an extension module."""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

SOURCE_NAME = "module.cc"
LIBRARY_NAME = "module.so"

_ON_PATH = ("c++", "g++", "clang++")

# These change what a compiler reads, unseen in its arguments.
_ENVIRONMENT = (
    "C_INCLUDE_PATH",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
)

# Values are NumPy's: no contraction, none of -ffast-math. What is not exported cannot be mixed up between modules.
_FLAGS = (
    "-std=c++17",
    "-O2",
    "-DNDEBUG",
    "-fPIC",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-shared",
    "-Wl,--as-needed",
)


class CCompileError(RuntimeError):
    """C code that could not be compiled or loaded.

    Attributes:
      lasting: whether it would fail again in this process: the compiler refused
        the source. False where there was no compiler or it was killed.
    """

    def __init__(self, message: str, lasting: bool = False) -> None:
        """Makes the error.

        Args:
          message: what failed, with the compiler's own message.
          lasting: see the attribute.
        """
        super().__init__(message)
        self.lasting = lasting


def _identity_of_file(path: str) -> list[object]:
    status = os.stat(path)
    return [os.path.realpath(path), status.st_size, status.st_mtime_ns]


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A C++ compiler that takes GCC's options.

    Attributes:
      command: the program and what always follows it.
      files: the programs behind the command, by which a new version shows.
      environment: the compiler's whole environment; None for this process's.
    """

    command: tuple[str, ...]
    files: tuple[str, ...]
    environment: Mapping[str, str] | None = None

    def identity(self) -> list[object]:
        """Returns what tells this compiler from others and from its other versions.

        It is read off the files, not asked of the program: what is in the cache
        is used without any compiler being started.
        """
        environment = (
            os.environ if self.environment is None else self.environment
        )
        return [
            self.command,
            [_identity_of_file(path) for path in self.files],
            [(name, environment.get(name)) for name in _ENVIRONMENT],
        ]

    def arguments(
        self, compile_args: Sequence[str], link_args: Sequence[str]
    ) -> list[str]:
        """Returns the arguments that make `LIBRARY_NAME` of `SOURCE_NAME`."""
        return [
            *_FLAGS,
            *compile_args,
            SOURCE_NAME,
            "-o",
            LIBRARY_NAME,
            *link_args,
        ]

    def run(self, folder: str, arguments: Sequence[str]) -> None:
        """Runs the compiler in a folder, where it also has its temporary files.

        Args:
          folder: holds the source.
          arguments: what follows the command.

        Raises:
          CCompileError: the compiler cannot be started or says no; the message
            has the command and what the compiler wrote.
        """
        environment = dict(
            os.environ if self.environment is None else self.environment
        )
        environment.update(LC_ALL="C", TMPDIR=folder)
        command = [*self.command, *arguments]
        process = None
        try:
            with _interrupt_held_back():
                # A group of its own: on Ctrl-C all that the compiler started goes, and goes before the folder does.
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    encoding="utf-8",
                    errors="replace",
                )
            output = process.communicate()[0]
        except OSError as error:
            raise CCompileError(
                f"the compiler cannot be started: {error}\n{shlex.join(command)}"
            ) from error
        except BaseException:
            if process is not None and process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                process.stdout.close()
            raise
        if process.returncode:
            raise CCompileError(
                f"the compiler ended with status {process.returncode}:\n"
                f"{shlex.join(command)}\n{output.strip()}",
                lasting=process.returncode > 0,
            )


@contextlib.contextmanager
def _interrupt_held_back() -> Iterator[None]:
    """Lets Ctrl-C through at the end, not within: there, a process that was started would be lost."""
    handler = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not callable(handler):
        yield
        return
    held: list[tuple] = []
    signal.signal(signal.SIGINT, lambda *arguments: held.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if held:
        handler(*held[0])


def machine_identity(arguments: Sequence[str]) -> list[object]:
    """Returns what the machine adds to the meaning of compiler arguments.

    Args:
      arguments: what the compiler is called with. Where one says `native`, as
        `-march=native` does, the processor's features count.
    """
    identity: list[object] = [platform.machine()]
    if any("native" in argument for argument in arguments):
        features = {
            line
            for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith(("flags", "model name"))
        }
        identity.append(
            hashlib.sha256("\n".join(sorted(features)).encode()).hexdigest()
        )
    return identity


def _named_compiler(named: str, source: str) -> Compiler:
    """Returns the compiler of a command line such as `ccache g++`."""
    words = shlex.split(named)
    programs = [shutil.which(word) for word in words]
    if not words or programs[0] is None:
        raise CCompileError(
            f"no C++ compiler: {source} is {named!r}, which is no program on PATH"
        )
    return Compiler(
        (os.path.abspath(programs[0]), *words[1:]),
        tuple(os.path.abspath(program) for program in programs if program),
    )


def _workspace_compiler() -> Compiler | None:
    """Returns the workspace's Clang where `//tools/toolchains/cc:compiler` is in the runfiles."""
    # RUNFILES/WORKSPACE/tensorflow_examples/custom_ops_doc/python_op/c_compiler.py
    runfiles = pathlib.Path(__file__).absolute().parents[4]
    repository = runfiles / "debian_cc"
    program = repository / "bin" / "clang++"
    if not program.exists():
        return None
    root = repository / "root"
    llvm = root / "usr" / "lib" / "llvm-19" / "bin"
    # As in cc_toolchain_config.bzl, with the folders where they are now.
    command = (
        str(program),
        "--target=x86_64-linux-gnu",
        f"--sysroot={root}",
        f"--gcc-install-dir={root}/usr/lib/gcc/x86_64-linux-gnu/12",
        "-no-canonical-prefixes",
        "-fuse-ld=lld",
        f"-B{llvm}",
    )
    return Compiler(
        command, (str(program), str(llvm / "clang")), {"PATH": "/nonexistent"}
    )


def find_compiler(setting: str | None = None) -> Compiler:
    """Returns the compiler to use.

    The first of: `setting`; `$CXX`; the workspace's Clang, where
    `//tools/toolchains/cc:compiler` is in the runfiles; c++, g++, clang++ on PATH.

    Args:
      setting: a command such as `g++` or `ccache /opt/gcc/bin/g++`, None to look
        for one, "" for no compiler.

    Raises:
      CCompileError: there is none, or the one that is named is no program.
    """
    if setting is not None:
        if not setting:
            raise CCompileError(
                "no C++ compiler: the setting is '', which says none"
            )
        return _named_compiler(setting, "the setting")
    named = os.environ.get("CXX")
    if named:
        return _named_compiler(named, "$CXX")
    compiler = _workspace_compiler()
    if compiler:
        return compiler
    for name in _ON_PATH:
        if shutil.which(name):
            return _named_compiler(name, "PATH's")
    raise CCompileError(
        "no C++ compiler: $CXX is not set, //tools/toolchains/cc:compiler is not in the "
        f"runfiles, and none of {', '.join(_ON_PATH)} is on PATH"
    )
