"""`tflite_selected_ops`: the registration of just the TFLite kernels that some models need."""

load(":tflite_registerer.bzl", "tflite_registerer")

def tflite_selected_ops(name, models, shared_library = None, testonly = False, **kwargs):
    """The registration of just the TFLite kernels that some models need.

    A C++ library with the interface of `//tflite/custom:register`, to be linked in its place: kernels that no model needs
    stay out of the binary. Not both in one binary. The build fails where a model needs a custom op without a kernel, and
    says which ops there are.

    Args:
      name: name of the target.
      models: labels of the `.tflite` files, one file each.
      shared_library: a file to make besides, such as `libmy_custom_ops.so`, which registers these kernels with interpreters in
        Python, as `libtflite_custom_ops.so` does all.
      testonly: whether only tests may depend on it.
      **kwargs: passed on to `cc_library`, such as `tags` and `visibility`.
    """
    if not models:
        fail("tflite_selected_ops %s: models is empty; it needs one or more .tflite files" % name)
    if shared_library == "lib%s.so" % name:
        fail(("tflite_selected_ops %s: shared_library is %s, which Bazel makes of the C++ library; " +
              "give it another name") % (name, shared_library))
    select_ops = Label("//tflite/custom/tools:select_ops_of")
    kernels = Label("//tflite/custom/tools:kernels.txt")
    source = name + "_custom_ops.cc"
    native.genrule(
        name = name + "_source",
        srcs = models + [kernels],
        outs = [source],
        cmd = "$(execpath %s) --kernels=$(execpath %s) --output=$@ %s" % (
            select_ops,
            kernels,
            " ".join(["$(execpath %s)" % model for model in models]),
        ),
        message = "Selecting the kernels of",
        tags = kwargs.get("tags", []),
        testonly = testonly,
        tools = [select_ops],
    )
    native.cc_library(
        name = name,
        testonly = testonly,
        srcs = [
            source,
            Label("//tflite/custom:register.cc"),
        ],
        hdrs = [Label("//tflite/custom:register.h")],
        deps = [
            Label("//tflite/custom:custom_ops"),
            Label("//tflite/custom:foreign_resolver"),
            Label("//third_party/tensorflow/lite/c:c_api"),
            Label("//third_party/tensorflow/lite/c:common"),
        ],
        **kwargs
    )
    if shared_library:
        tflite_registerer(
            name = shared_library,
            ops = ":" + name,
            tags = kwargs.get("tags", []),
            testonly = testonly,
            visibility = kwargs.get("visibility"),
        )
