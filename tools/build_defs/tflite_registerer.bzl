"""`tflite_registerer`: a shared library that gives TFLite kernels to the interpreters in Python wheels."""

def tflite_registerer(name, ops = [], deps = [], linkopts = [], additional_linker_inputs = [], **kwargs):
    """A shared library that gives TFLite kernels to the interpreters in Python wheels.

    It has the kernels of `//tflite/custom` and those of `ops`, shows the functions of `//tflite/custom:registerer.h` and
    nothing else, and is loaded by `tflite.custom.python.registerers`.

    Args:
      name: name of the library, with `.so`. It cannot be `libx.so` where one of `ops` is `:x`.
      ops: `tflite_custom_ops` targets.
      deps: further C++ libraries.
      linkopts: further linker flags.
      additional_linker_inputs: files that these name.
      **kwargs: passed on to `cc_binary`, such as `tags`, `testonly`, `visibility`.
    """
    if not name.endswith(".so"):
        fail("tflite_registerer //%s:%s: the name must end in .so, such as lib%s.so" % (native.package_name(), name, name))
    for label in ops:
        # A C++ library x has a file libx.so of its own.
        if name == "lib%s.so" % label.split("/")[-1].split(":")[-1]:
            fail("tflite_registerer //%s:%s: %s has a file of this name; take another, such as %s_registerer.so" % (
                native.package_name(),
                name,
                label,
                label.split("/")[-1].split(":")[-1],
            ))
    script = Label("//tflite/custom:registerer.lds")
    native.cc_binary(
        name = name,
        additional_linker_inputs = [script] + additional_linker_inputs,
        linkopts = [
            "-Wl,--no-undefined",
            "-Wl,--version-script=$(location %s)" % script,
        ] + linkopts,
        linkshared = True,
        deps = ops + deps + [Label("//tflite/custom:registerer")],
        **kwargs
    )
