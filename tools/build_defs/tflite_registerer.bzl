"""`tflite_registerer`: TFLite kernels as a shared library for interpreters in Python."""

def tflite_registerer(name, ops, **kwargs):
    """TFLite kernels as a shared library for interpreters in Python.

    It shows the functions of `tflite/custom/registerer.h` and nothing else, and is what `tflite/custom/python/registerers.py`
    loads.

    Args:
      name: name of the target and of the file, such as `libmy_custom_ops.so`.
      ops: what registers the kernels: `//tflite/custom:register`, or a target of `tflite_selected_ops`.
      **kwargs: passed on to `cc_binary`, such as `tags`, `testonly` and `visibility`.
    """
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
        deps = [
            ops,
            Label("//third_party/tensorflow/lite/c:c_api"),
        ],
        **kwargs
    )
