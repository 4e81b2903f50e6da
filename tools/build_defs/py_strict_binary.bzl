"""`py_strict_binary`: a Python program whose deps are exactly what it imports."""

load(":strict_imports.bzl", "strict_python_target")

def py_strict_binary(name, srcs, deps = [], data = [], testonly = False, **kwargs):
    """A Python program whose deps are exactly what it imports.

    Args:
      name: name of the target; the source of the same name is the main one.
      srcs: the Python sources.
      deps: the targets whose modules the sources import, and no others.
      data: files that the program reads when it runs.
      testonly: whether only tests may depend on it.
      **kwargs: passed on to `py_binary`, such as `args`, `tags`, `visibility`.
    """
    strict_python_target(native.py_binary, name, srcs, deps, data, testonly, kwargs)
