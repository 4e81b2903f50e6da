"""Runs a program of this folder in a process of its own."""

import os
import subprocess
import sys
from types import ModuleType


def run(
    program: ModuleType, *flags: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a module's file and waits for it.

    Args:
      program: The module. The process finds all packages that this one does.
      *flags: Its arguments.
      **environment: What its environment has besides.

    Returns:
      Its exit status, and what it wrote to stdout and stderr as `stdout`.
    """
    return subprocess.run(
        [sys.executable, program.__file__, *flags],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
