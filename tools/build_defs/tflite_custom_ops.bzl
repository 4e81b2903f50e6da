"""`tflite_custom_ops`: a list of TFLite kernels, to be linked beside those of `//tflite/custom`."""

load(":write_source.bzl", "write_source")

_SOURCE = """\
// Written by tflite_custom_ops. Do not edit.

#include "tflite/custom/register.h"
#include "third_party/tensorflow/lite/c/c_api.h"
#include "third_party/tensorflow/lite/c/common.h"

{declarations}
namespace {{

const bool added = tflite::custom::AddCustomOps({{
{entries}}});

}}  // namespace
"""

_DECLARATION = """\
namespace {namespace} {{
TfLiteRegistrationExternal* {name}OpRegistrationExternal();
const TfLiteRegistration* {name}OpRegistration();
}}  // namespace {namespace}
"""

_ENTRY = "    {{{namespace}::{name}OpRegistrationExternal, {namespace}::{name}OpRegistration}},\n"

def _parts(target, op):
    """Splits `my_ops::Cube` into namespace and name."""
    namespace, separator, name = op.rpartition("::")
    words = (namespace.replace("::", "_") + name).replace("_", "a")
    if not separator or not namespace or not name or not words.isalnum():
        fail("tflite_custom_ops //%s:%s: the op %r must be NAMESPACE::NAME, such as my_ops::Cube, " % (
            native.package_name(),
            target,
            op,
        ) + "where my_ops::CubeOpRegistrationExternal and my_ops::CubeOpRegistration are its functions")
    return {"name": name, "namespace": namespace}

def tflite_custom_ops(name, kernels, **kwargs):
    """A list of TFLite kernels, to be linked beside those of `//tflite/custom`.

    What `tflite_benchmark_model`, `tflite_registerer` and any binary with `//tflite/custom:register` among its deps get
    from it is the ops of the list, beside and before those of the rules' repository: one of the same name and version
    takes the place of ours. A binary may have many such lists.

    Args:
      name: name of the target, a C++ library.
      kernels: a dictionary from C++ library to the ops that it has: `{":cube": ["my_ops::Cube"]}` where
        `my_ops::CubeOpRegistrationExternal()` and `my_ops::CubeOpRegistration()` are functions of the library `:cube`,
        with the signatures of those in `//tflite/custom:atan.h`. One that is missing fails the link.
      **kwargs: passed on to `cc_library`, such as `tags`, `testonly`, `visibility`.
    """
    ops = [_parts(name, op) for names in kernels.values() for op in names]
    if not ops:
        fail("tflite_custom_ops //%s:%s: kernels lists no op; it must be such as {\":cube\": [\"my_ops::Cube\"]}" % (
            native.package_name(),
            name,
        ))
    source = name + ".cc"
    write_source(
        name = name + ".source",
        out = source,
        tags = ["manual"],
        testonly = kwargs.get("testonly", False),
        text = _SOURCE.format(
            declarations = "\n".join([_DECLARATION.format(**op) for op in ops]),
            entries = "".join([_ENTRY.format(**op) for op in ops]),
        ),
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [source],
        # Nothing refers to the list: it adds itself.
        alwayslink = True,
        deps = kernels.keys() + [
            Label("//tflite/custom:register"),
            Label("//third_party/tensorflow/lite/c:c_api"),
            Label("//third_party/tensorflow/lite/c:common"),
        ],
        **kwargs
    )
