"""The documents' labels of C++ libraries that the TensorFlow wheel carries as headers."""

def tensorflow_wheel_libraries(names):
    """Declares a label for each library, all of them the wheel's headers.

    The wheel holds one folder of headers, so the labels differ in name alone: they are there so that BUILD files that
    list them work as they are.

    Args:
      names: names of the libraries.
    """
    for name in names:
        native.cc_library(
            name = name,
            visibility = ["//visibility:public"],
            deps = [Label("//third_party/tensorflow/core:framework")],
        )
