"""Undoes what launcher.sh set for the interpreter alone, before any other code runs.

The dynamic loader read LD_LIBRARY_PATH when the process started. A child must not inherit
it: a program of a newer system would be given older libraries than it was linked with.
"""

import os
import sys

_launcher = os.environ.pop("CPYTHON_LAUNCHER", None)
_library_path = os.environ.pop("CPYTHON_CALLER_LIBRARY_PATH", "")
if _launcher:
    os.environ.pop("PYTHONSAFEPATH", None)
    sys.executable = os.path.abspath(_launcher)
    if _library_path:
        os.environ["LD_LIBRARY_PATH"] = _library_path
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)
