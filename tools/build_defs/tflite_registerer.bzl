"""`tflite_registerer`: TFLite kernels as a shared library for interpreters in Python."""

def _target_name(label):
    """The target of a label that may leave it out."""
    return label.split("/")[-1].split(":")[-1]

def tflite_registerer(name, ops = None, kernels = [], **kwargs):
    """TFLite kernels as a shared library for interpreters in Python.

    It shows the functions of `tflite/custom/registerer.h` and nothing else. One library serves all four runtimes, LiteRT's
    CompiledModel among them: `Interpreter(model, ops=[...])` of `tflite/custom/python/interpreter.py` takes its path, or its
    label if it is among the `data` of the program; `custom_op_registerers` of `registerers.py` takes the same and makes what
    `InterpreterWithCustomOps` and a calibration want.

    Args:
      name: name of the target and of the file, such as `libmy_custom_ops.so`.
      ops: what registers the kernels: a target of `tflite_selected_ops`; `//tflite/custom:register`, which has all, by
        default.
      kernels: labels of `tflite_custom_ops` targets, whose kernels join those of `//tflite/custom:register`.
      **kwargs: passed on to `cc_binary`, such as `tags`, `testonly` and `visibility`.
    """
    if ops and kernels:
        fail("tflite_registerer //%s:%s: kernels join those of //tflite/custom:register, so that ops must be left out: %s" % (
            native.package_name(),
            name,
            ops,
        ))
    for label in kernels:
        # A C++ library x has a file libx.so of its own.
        if name == "lib%s.so" % _target_name(label):
            fail("tflite_registerer //%s:%s: %s has a file of this name; take another, such as %s_registerer.so" % (
                native.package_name(),
                name,
                label,
                _target_name(label),
            ))
    exports = str(Label("//tflite/custom:registerer.lds"))
    native.cc_binary(
        name = name,
        srcs = [
            Label("//tflite/custom:registerer.cc"),
            Label("//tflite/custom:registerer.h"),
        ],
        additional_linker_inputs = [exports],
        linkopts = [
            "-Wl,--no-undefined",
            "-Wl,--version-script=$(location %s)" % exports,
        ],
        linkshared = True,
        deps = kernels + [
            ops or Label("//tflite/custom:register"),
            Label("//tflite/custom/model"),
            Label("//tflite/custom/model:error_or"),
            Label("//tflite/custom/model:runtime_log"),
            Label("//third_party/tensorflow/lite/c:c_api"),
        ],
        **kwargs
    )
