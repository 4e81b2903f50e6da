"""Runs Python in a process of its own, for tests."""

import os
import subprocess
import sys


def run_python(
    *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs Python and waits for it.

    Args:
      *arguments: A file or `-c` and a program, and its arguments. It finds all
        packages that this process does.
      **environment: What its environment has besides.

    Returns:
      Its exit status, and what it wrote to stdout and to stderr.
    """
    return subprocess.run(
        [sys.executable, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
