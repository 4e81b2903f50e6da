"""A folder of compiled libraries, each found by the content that it was compiled from."""

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable

_UNFINISHED = "unfinished-"

# A compile takes seconds: a folder of this age is one whose process was killed.
_ABANDONED_SECONDS = 24 * 3600.0

_private_folder: str | None = None
_warned: set[str] = set()


class CompileCacheWarning(UserWarning):
    """The folder cannot be written: what is compiled lasts as long as the process."""


def default_folder() -> str:
    """Returns `tensorflow_python_op` in $XDG_CACHE_HOME, or in ~/.cache where that is unset."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache"
    )
    return os.path.join(caches, "tensorflow_python_op")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class CompileCache:
    """Libraries by key, safe to share between threads, processes and machines.

    An entry is one file, `KE/KEY.DIGEST.so`, whose name holds the SHA-256 of its
    bytes. It is written elsewhere and renamed, so that it is there whole or not
    at all; there are no locks, so that nobody waits for a process that was
    killed. Two that compile the same at once both do, and the later rename wins.
    """

    def __init__(self, folder: str) -> None:
        """Makes no folder yet.

        Args:
          folder: the folder, which need not exist.
        """
        self.folder = os.path.abspath(folder)

    def find(self, key: str) -> str | None:
        """Returns the path of a library whose bytes are the ones that were stored.

        Args:
          key: hexadecimal digest of what it was compiled from.

        Returns:
          The path, or None where there is no such library, or only one that was
          cut or changed since.
        """
        folder = os.path.join(self.folder, key[:2])
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return None
        for name in names:
            stem, _, suffix = name.rpartition(".")
            stem_key, _, digest = stem.partition(".")
            if stem_key == key and suffix == "so":
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError):
                    if _digest(path) == digest:
                        return path
        return None

    def get(self, key: str, build: Callable[[str], str]) -> str:
        """Returns the path of a library, built where it is not there.

        Args:
          key: hexadecimal digest of what it is compiled from.
          build: called with an empty folder; builds there and returns the path
            of the library. What it raises passes through, and its folder is
            removed, as it is on Ctrl-C.

        Returns:
          The path. Where the folder cannot be written, one in a temporary folder
          that is removed when the process ends, with a CompileCacheWarning.

        Raises:
          OSError: the temporary folder cannot be written either.
        """
        found = self.find(key)
        if found:
            return found
        try:
            return self._build(key, build)
        except OSError as error:
            private = _private_cache(self.folder, error)
            return private.find(key) or private._build(key, build)

    def _build(self, key: str, build: Callable[[str], str]) -> str:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self._remove_abandoned()
        with tempfile.TemporaryDirectory(
            prefix=_UNFINISHED, dir=self.folder, ignore_cleanup_errors=True
        ) as work:
            built = build(work)
            folder = os.path.join(self.folder, key[:2])
            path = os.path.join(folder, f"{key}.{_digest(built)}.so")
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.replace(built, path)
        return path

    def _remove_abandoned(self) -> None:
        """Removes the working folders of processes that were killed long ago."""
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if (
                        entry.name.startswith(_UNFINISHED)
                        and time.time() - entry.stat().st_mtime
                        > _ABANDONED_SECONDS
                    ):
                        shutil.rmtree(entry.path, ignore_errors=True)


def _private_cache(folder: str, error: OSError) -> CompileCache:
    """Returns this process's own cache, and says once why `folder` is not used."""
    global _private_folder
    if _private_folder is None or not os.path.isdir(_private_folder):
        _private_folder = tempfile.mkdtemp(prefix="tensorflow_python_op-")
        atexit.register(_remove_private_folder, os.getpid(), _private_folder)
    if folder not in _warned:
        _warned.add(folder)
        warnings.warn(
            f"the compile folder {folder} cannot be written: {error.strerror or error}. "
            f"Compiled code goes to {_private_folder} and is removed when the "
            "process ends. Set PYTHON_OP_COMPILE_DIR to a folder that can be written.",
            CompileCacheWarning,
            stacklevel=2,
        )
    return CompileCache(_private_folder)


def _remove_private_folder(owner: int, folder: str) -> None:
    # A forked child inherits the handler and must not take its parent's folder.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
