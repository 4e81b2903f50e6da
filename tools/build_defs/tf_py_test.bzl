"""`tf_py_test`: a Python test of TensorFlow ops."""

def tf_py_test(name, srcs, main = None, deps = [], **kwargs):
    """A Python test of TensorFlow ops.

    Not strict: a test may import what its deps bring. TensorFlow and Abseil's test tools are always there, and with them
    `--test_filter=Class.test_name`, `--test_arg`, sharding and a report of each test method.

    Args:
      name: name of the target.
      srcs: the Python sources.
      main: the source that is run; the one named after the target where it is not given, or the only one.
      deps: the targets under test and what else the sources import.
      **kwargs: passed on to `py_test`, such as `size`, `timeout`, `tags`, `shard_count`, `args`.
    """
    kwargs.setdefault("python_version", "PY3")
    native.py_test(
        name = name,
        srcs = srcs,
        main = main or (srcs[0] if len(srcs) == 1 else name + ".py"),
        deps = deps + [str(Label("//tools/build_defs:tf_py_test_deps"))],
        **kwargs
    )
