"""`tflite_benchmark_model`: a program that times TFLite models with custom ops."""

load(":write_source.bzl", "write_source")

_SOURCE = """\
// Written by tflite_benchmark_model. Do not edit.

#include "tflite/custom/benchmark/default_graph.h"

namespace tflite::custom::benchmark {

const char kDefaultGraph[] = "%s";

}  // namespace tflite::custom::benchmark
"""

def _file_name(target, graph):
    """The name of a file of this package."""
    package, colon, name = graph.rpartition(":")
    here = ["", "//" + native.package_name()]
    if "/" in name or (colon and package not in here):
        fail("tflite_benchmark_model //%s:%s: graph %r must be a file of this package, such as :model.tflite" % (
            native.package_name(),
            target,
            graph,
        ))
    return name

def tflite_benchmark_model(name, kernels = [], graph = None, data = [], deps = [], testonly = False, **kwargs):
    """A program that times TFLite models with custom ops: `//tflite/custom:benchmark_model` with further kernels.

    It has the kernels of `//tflite/custom` and those of `kernels`. `//tflite/custom/benchmark:README.md` lists its flags.

    Args:
      name: name of the program.
      kernels: labels of `tflite_custom_ops` targets, whose kernels join those of `//tflite/custom`.
      graph: the `.tflite` file of this package that it runs where `--graph` names no other; `--graph` must be given
        where there is none.
      data: further files that it reads when it runs.
      deps: further C++ libraries.
      testonly: whether only tests may depend on it.
      **kwargs: passed on to `cc_binary`, such as `tags`, `visibility`.
    """
    source = name + "_default_graph.cc"
    write_source(
        name = name + ".default_graph",
        out = source,
        tags = ["manual"],
        testonly = testonly,
        text = _SOURCE % (_file_name(name, graph) if graph else ""),
        visibility = ["//visibility:private"],
    )
    native.cc_binary(
        name = name,
        srcs = [source],
        data = data + ([graph] if graph else []),
        testonly = testonly,
        deps = kernels + deps + [
            Label("//tflite/custom:benchmark_main"),
            Label("//tflite/custom/benchmark:default_graph"),
        ],
        **kwargs
    )
