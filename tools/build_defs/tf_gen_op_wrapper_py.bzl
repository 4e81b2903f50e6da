"""`tf_gen_op_wrapper_py`: the Python functions of a kernel library, as a source file."""

load(":py_modules.bzl", "PyModulesInfo", "module_name", "modules_info", "py_info")

def _relative(folder, path):
    """The path of a file as seen from a folder, both below the runfiles."""
    start = [part for part in folder.split("/") if part]
    end = path.split("/")
    for _ in range(len(end)):
        if start and end and start[0] == end[0]:
            start = start[1:]
            end = end[1:]
    return "/".join([".."] * len(start) + end)

def _tf_gen_op_wrapper_py_impl(ctx):
    out = ctx.outputs.out or ctx.actions.declare_file(ctx.label.name + ".py")
    kernel = ctx.file.kernel
    ctx.actions.run(
        arguments = [
            "--library=" + kernel.path,
            "--out=" + out.path,
            "--library_from_module=" + _relative(out.short_path.rpartition("/")[0], kernel.short_path),
        ],
        executable = ctx.executable._gen_op_wrapper,
        inputs = [kernel],
        mnemonic = "TfGenOpWrapperPy",
        outputs = [out],
        progress_message = "Writing the Python wrapper of %s" % kernel.short_path,
    )
    tensorflow = ctx.attr._tensorflow
    return [
        DefaultInfo(
            files = depset([out]),
            runfiles = ctx.runfiles([out, kernel]).merge(tensorflow[DefaultInfo].default_runfiles),
        ),
        py_info([out], depset(), [tensorflow]),
        modules_info([module_name(out)], [tensorflow]),
    ]

tf_gen_op_wrapper_py = rule(
    implementation = _tf_gen_op_wrapper_py_impl,
    attrs = {
        "kernel": attr.label(
            allow_single_file = [".so"],
            doc = "The `tf_custom_op_library` to wrap.",
            mandatory = True,
        ),
        "out": attr.output(doc = "Name of the file to write; the target's name with `.py` where it is not given."),
        "_gen_op_wrapper": attr.label(
            cfg = "exec",
            default = Label("//tools/build_defs:gen_op_wrapper"),
            executable = True,
        ),
        "_tensorflow": attr.label(
            default = Label("//third_party/py/tensorflow"),
            providers = [PyInfo],
        ),
    },
    doc = """The Python functions of a kernel library, as a source file that is written at build time.

The module has one typed, documented function an op, so that an editor and a type checker know it. It loads the
kernel library itself and is listed in `deps` like any Python library.
""",
    provides = [PyInfo, PyModulesInfo],
)
