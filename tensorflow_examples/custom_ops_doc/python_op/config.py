"""Settings of python_op, to be assigned to: `config.floatX = "float32"`.

A setting whose environment variable is set starts with that value.
"""

import os
import types

# The dtype of `tensor.matrix()` and its like, and of Python floats that meet
# integer variables: "float64" or "float32".
floatX = os.environ.get("PYTHON_OP_FLOATX", "float64")  # noqa: N816

# How close `unittest_tools.assert_allclose` wants values to be: 0 is the
# strictest; 1 and 2 are for ops whose results vary with the machine.
tensor = types.SimpleNamespace(
    cmp_sloppy=int(os.environ.get("PYTHON_OP_CMP_SLOPPY", "0"))
)

# What `unittest_tools.seed_rng` and the test classes seed every source of
# random numbers with; "random" draws a seed anew, and prints it.
unittests = types.SimpleNamespace(
    rseed=os.environ.get("PYTHON_OP_RSEED", "666")
)

# An output of up to so many bytes is kept and handed back to `perform` in
# `output_storage`, once nothing else holds it.
storage_reuse_limit = int(
    os.environ.get("PYTHON_OP_STORAGE_REUSE_LIMIT", 16 << 20)
)

# What an op whose `c_code` cannot be compiled does: "warn" and use `perform`,
# or "raise".
c_code_on_failure = os.environ.get("PYTHON_OP_C_CODE_ON_FAILURE", "warn")

# The C++ compiler of `c_code`, a path or a name. None looks for one: $CXX, the
# workspace's own, one on PATH. Empty means that there is none.
cxx = os.environ.get("PYTHON_OP_CXX")

# Where compiled `c_code` is cached; empty is a folder of the user's cache.
compile_dir = os.environ.get("PYTHON_OP_COMPILE_DIR", "")
