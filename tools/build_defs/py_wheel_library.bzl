"""`py_wheel_library`: a label for a distribution from PyPI, with the modules that it provides."""

load(":py_modules.bzl", "PyModulesInfo", "modules_info", "py_info")

def _py_wheel_library_impl(ctx):
    actual = ctx.attr.actual
    return [
        DefaultInfo(
            files = actual[DefaultInfo].files,
            runfiles = actual[DefaultInfo].default_runfiles,
        ),
        py_info([], depset(), [actual]),
        modules_info(ctx.attr.modules or [ctx.label.name], []),
    ]

py_wheel_library = rule(
    implementation = _py_wheel_library_impl,
    attrs = {
        "actual": attr.label(
            doc = "The distribution's own target in the repository of `pypi_packages`.",
            mandatory = True,
            providers = [PyInfo],
        ),
        "modules": attr.string_list(
            doc = "Names of the modules that the target stands for; the target's name where empty.",
        ),
    },
    doc = """A label for a distribution from PyPI, with the modules that it provides.

The strict rules know from `modules` which import it serves.
""",
    provides = [PyInfo, PyModulesInfo],
)

def _py_modules_index_impl(ctx):
    return [DefaultInfo(), modules_info([], ctx.attr.deps)]

py_modules_index = rule(
    implementation = _py_modules_index_impl,
    attrs = {
        "deps": attr.label_list(doc = "The targets to know.", providers = [PyModulesInfo]),
    },
    doc = "Targets that an error of the strict rules may name as the missing dep.",
    provides = [PyModulesInfo],
)
