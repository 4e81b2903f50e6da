"""`py_strict_test`: a Python test whose deps are exactly what it imports."""

load(":strict_imports.bzl", "strict_python_target")

def py_strict_test(name, srcs, deps = [], data = [], **kwargs):
    """A Python test whose deps are exactly what it imports.

    Args:
      name: name of the target; the source of the same name is the main one.
      srcs: the Python sources.
      deps: the targets whose modules the sources import, and no others.
      data: files that the test reads when it runs.
      **kwargs: passed on to `py_test`, such as `size`, `tags`, `shard_count`.
    """
    strict_python_target(native.py_test, name, srcs, deps, data, True, kwargs)
