"""`beside_tensorflow`: a library that is there with one release of TensorFlow alone."""

_LIBRARY = """\
package(default_visibility = ["//visibility:public"])

{rule}(
    name = "{name}",
    {actual}
)
"""

def _beside_tensorflow_impl(repository_ctx):
    version = repository_ctx.os.environ.get("TF_VERSION", repository_ctx.attr.default_version)
    chosen = version == repository_ctx.attr.version
    repository_ctx.file("BUILD", _LIBRARY.format(
        rule = "alias" if chosen else "py_library",
        name = repository_ctx.attr.library,
        actual = "actual = \"%s\"," % repository_ctx.attr.actual if chosen else "",
    ))

beside_tensorflow = repository_rule(
    implementation = _beside_tensorflow_impl,
    attrs = {
        "actual": attr.string(doc = "The library's label, such as `@pypi_x//:y`; fetched with that release alone.", mandatory = True),
        "default_version": attr.string(doc = "The release that TF_VERSION stands for where it is not set.", mandatory = True),
        "library": attr.string(doc = "The name of the target.", mandatory = True),
        "version": attr.string(doc = "The release of TensorFlow that the library works with.", mandatory = True),
    },
    doc = """A library of wheels that work with one release of TensorFlow.

With the others the target is there without a module, so that code which asks whether it can be imported builds with all.
""",
    environ = ["TF_VERSION"],
)
