"""`py_strict_library`: a Python library whose deps are exactly what it imports."""

load(":py_modules.bzl", "PyModulesInfo", "label_text", "module_name", "modules_info", "py_info")
load(":strict_imports.bzl", "STRICT_ATTRS", "check_imports")

def _import_folders(ctx):
    """The folders of `imports`, as paths below the runfiles."""
    base = ctx.label.workspace_name or ctx.workspace_name
    return depset([
        "/".join([part for part in [base, ctx.label.package, folder] if part and part != "."])
        for folder in ctx.attr.imports
    ])

def _py_strict_library_impl(ctx):
    deps = ctx.attr.deps
    stamp = check_imports(ctx, label_text(ctx.label), ctx.files.srcs, deps)
    runfiles = ctx.runfiles(files = ctx.files.srcs + ctx.files.data + [stamp])
    for target in deps + ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    imports = _import_folders(ctx)
    modules = [module_name(src, imports.to_list()) for src in ctx.files.srcs]
    return [
        DefaultInfo(files = depset(ctx.files.srcs + [stamp]), runfiles = runfiles),
        py_info(ctx.files.srcs, imports, deps),
        modules_info(modules, deps),
    ]

py_strict_library = rule(
    implementation = _py_strict_library_impl,
    attrs = dict(
        data = attr.label_list(
            allow_files = True,
            doc = "Files that the sources read when they run, such as a kernel library.",
        ),
        deps = attr.label_list(
            doc = "The targets whose modules the sources import, and no others.",
            providers = [PyInfo],
        ),
        imports = attr.string_list(
            doc = "Folders of this package to add to Python's path.",
        ),
        srcs = attr.label_list(allow_files = [".py"], doc = "The Python sources."),
        srcs_version = attr.string(
            default = "PY3",
            doc = "Always Python 3; the attribute is there for BUILD files that set it.",
            values = ["PY3", "PY3ONLY"],
        ),
        **STRICT_ATTRS
    ),
    doc = """A Python library whose deps are exactly what it imports.

An import whose target is not in `deps` fails the build with the label to add; a dep that no source imports
is reported as a warning. Imports that a `try` guards against ImportError are optional.
""",
    provides = [PyInfo, PyModulesInfo],
)
