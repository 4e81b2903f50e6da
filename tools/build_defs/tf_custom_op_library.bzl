"""`tf_custom_op_library`: a shared library of custom ops for `tf.load_op_library`."""

# Labels, or the start of them, whose targets are TensorFlow compiled from source.
_TENSORFLOW_REPOSITORIES = ["org_tensorflow", "tensorflow", "tsl", "xla", "local_tsl", "local_xla"]

# Linked as a file, not as a dep: the op library is loaded into a process that has it, so a run path to Bazel's copy
# would only be wrong elsewhere.
_FRAMEWORK = str(Label("@pypi//:dist/tensorflow/tensorflow/libtensorflow_framework.so.2"))

def _library_files(library):
    """The files that a LibraryToLink would put on the link line."""
    return [
        file
        for file in [
            library.static_library,
            library.pic_static_library,
            library.dynamic_library,
            library.interface_library,
        ]
        if file
    ]

def _is_other_tensorflow(file):
    """Whether a file on the link line is a TensorFlow of its own."""
    return file.basename.startswith("libtensorflow") and not file.basename.startswith("libtensorflow_framework.so")

def _refuse_second_tensorflow(ctx):
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            owner = linker_input.owner
            files = []
            for library in linker_input.libraries:
                files += _library_files(library)
            compiled = owner.workspace_name in _TENSORFLOW_REPOSITORIES and files
            other = [file for file in files if _is_other_tensorflow(file)]
            if compiled or other:
                fail("%s: dep %s would pull in a second copy of TensorFlow through %s (%s). " % (
                         ctx.label,
                         dep.label,
                         owner,
                         (other or files)[0].basename,
                     ) + "Ops use the copy in the wheel that loads them: depend on headers alone, such as " +
                     "//third_party/tensorflow/core:framework, or //third_party/absl/... of the rules' repository.")

def _exports_impl(ctx):
    _refuse_second_tensorflow(ctx)
    patterns = "".join(["    %s;\n" % pattern for pattern in ctx.attr.exports])
    script = ctx.actions.declare_file(ctx.label.name + ".lds")
    ctx.actions.write(script, "{\n%s  local:\n    *;\n};\n" % ("  global:\n" + patterns if patterns else ""))
    return [DefaultInfo(files = depset([script]))]

_exports = rule(
    implementation = _exports_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "exports": attr.string_list(),
    },
    doc = "Refuses deps that hold a TensorFlow, then writes the linker's version script.",
)

def _checked_op_library_impl(ctx):
    library = ctx.file.library
    out = ctx.actions.declare_file(ctx.label.name)
    root = [file for file in ctx.files._tools if file.basename == "root"][0]
    folder = root.dirname + "/bin/"
    archives = {}
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            for archive in linker_input.libraries:
                file = archive.pic_static_library or archive.static_library
                if file:
                    archives[file] = linker_input.owner
    ctx.actions.run(
        arguments = [
            "--nm=" + folder + "llvm-nm",
            "--readelf=" + folder + "llvm-readelf",
            "--label=%s" % ctx.label,
            "--library=" + library.path,
            "--out=" + out.path,
        ] + [
            "--allow_export=" + pattern
            for pattern in ctx.attr.exports
        ] + [
            "--archive=%s=%s" % (owner, file.path)
            for file, owner in archives.items()
        ],
        executable = ctx.executable._check,
        inputs = [library] + archives.keys(),
        mnemonic = "TfCheckOpLibrary",
        outputs = [out],
        progress_message = "Checking the symbols of %s" % out.short_path,
        tools = ctx.files._tools,
    )
    return [DefaultInfo(
        executable = None,
        files = depset([out]),
        runfiles = ctx.runfiles([out]),
    )]

_checked_op_library = rule(
    implementation = _checked_op_library_impl,
    attrs = {
        "deps": attr.label_list(doc = "Where a symbol that is refused may have come from.", providers = [CcInfo]),
        "exports": attr.string_list(),
        "library": attr.label(allow_single_file = True, mandatory = True),
        "_check": attr.label(
            cfg = "exec",
            default = Label("//tools/build_defs:check_op_library"),
            executable = True,
        ),
        "_tools": attr.label(
            cfg = "exec",
            default = Label("@debian_cc//:files"),
        ),
    },
    doc = "The linked library under its final name, once its symbols have been checked.",
)

def tf_custom_op_library(
        name,
        srcs,
        deps = [],
        copts = [],
        linkopts = [],
        exports = [],
        testonly = False,
        visibility = None,
        tags = [],
        **kwargs):
    """A shared library of custom ops for `tf.load_op_library`, linked with the TensorFlow of the wheel.

    TensorFlow's and Abseil's headers are there without a dep. The link fails on an undefined symbol, the library shows
    no symbol that is not in `exports`, and a dep that would bring a second copy of TensorFlow is refused: by its label
    where that tells, else by the symbols that the library turns out to define.

    Kernels are for the CPU: the workspace has no compiler for GPUs, and XLA compiles no op of such a library. On a
    machine with a GPU TensorFlow places the ops on the CPU.

    Args:
      name: name of the library, with `.so`.
      srcs: C++ sources and private headers: op registrations and kernels.
      deps: C++ libraries that the sources use.
      copts: further compiler flags.
      linkopts: further linker flags.
      exports: patterns of symbols to leave visible; none are needed for ops and kernels.
      testonly: whether only tests may depend on it.
      visibility: who may depend on it.
      tags: tags of the library.
      **kwargs: passed on to `cc_binary`, such as `defines`, `includes`, `local_defines`.
    """
    if not name.endswith(".so"):
        fail("tf_custom_op_library //%s:%s: the name must end in .so, such as %s_kernel.so" % (native.package_name(), name, name))
    linked = name[:-len(".so")] + ".linked.so"
    script = name + ".exports"
    _exports(
        name = script,
        exports = exports,
        tags = ["manual"],
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    native.cc_binary(
        name = linked,
        srcs = srcs,
        additional_linker_inputs = [
            ":" + script,
            _FRAMEWORK,
        ],
        copts = [
            "-fvisibility=hidden",
            "-fvisibility-inlines-hidden",
        ] + copts,
        linkopts = [
            "$(execpath %s)" % _FRAMEWORK,
            "-Wl,--no-undefined",
            "-Wl,--exclude-libs,ALL",
            "-Wl,--version-script,$(execpath :%s)" % script,
        ] + linkopts,
        linkshared = True,
        linkstatic = True,
        tags = ["manual"],
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = deps + [str(Label("//third_party/tensorflow/core:framework"))],
        **kwargs
    )
    _checked_op_library(
        name = name,
        exports = exports,
        library = ":" + linked,
        tags = tags,
        testonly = testonly,
        visibility = visibility,
        deps = deps,
    )
