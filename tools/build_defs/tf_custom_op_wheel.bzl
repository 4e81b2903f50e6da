"""`tf_custom_op_wheel`: a wheel of custom ops, for people who have neither Bazel nor a compiler."""

load(":py_modules.bzl", "label_text")

_TOOLCHAINS = [Label("@%s//:files" % name).workspace_name for name in ["debian_cc", "debian_python"]]

_LAUNCHER = """#!/usr/bin/env bash
# Copies the wheel: bazel run {label} -- --out=DIR
set -euo pipefail
wheels=("$PWD/{folder}"/*.whl)
if [[ $# != 1 || $1 != --out=?* ]]; then
  echo "usage: bazel run {label} -- --out=DIR; the wheel is ${{wheels[0]##*/}}" >&2
  exit 2
fi
cd "${{BUILD_WORKING_DIRECTORY:-.}}"
mkdir -p "${{1#--out=}}"
cp --no-preserve=mode "${{wheels[0]}}" "${{1#--out=}}/"
echo "${{1#--out=}}/${{wheels[0]##*/}}"
"""

def _path_in_wheel(file, imports):
    """Where a file lies in site-packages: as it is imported, below none of the `imports` folders."""
    path = file.short_path
    if path.startswith("../"):
        path = path[len("../"):].partition("/")[2]
    for folder in imports:
        folder = folder.partition("/")[2]
        if folder and path.startswith(folder + "/"):
            return path[len(folder) + 1:]
    return path

def _distribution(file):
    """The path of a file of a `pypi_packages` repository below `dist`: what pip installs, and thus no file of ours."""
    if file.short_path.startswith("../"):
        folder, _, path = file.short_path[len("../"):].partition("/")[2].partition("/")
        if folder == "dist":
            return path
    return None

def _is_own(file):
    """Whether a runfile is one that the deps' own sources read: no stamp of a check, no link of Bazel's to a library."""
    return (
        not _distribution(file) and
        file.owner.workspace_name not in _TOOLCHAINS and
        not file.basename.endswith(".imports.txt") and
        not ("_solib_" in file.short_path and ".so" in file.basename)
    )

def _tf_custom_op_wheel_impl(ctx):
    imports = depset(transitive = [dep[PyInfo].imports for dep in ctx.attr.deps]).to_list()
    runfiles = depset(transitive = [
        depset(transitive = [dep[PyInfo].transitive_sources, dep[DefaultInfo].default_runfiles.files])
        for dep in ctx.attr.deps
    ]).to_list()

    # Bazel's: `python3 -m` runs a program from a wheel.
    launchers = [dep[DefaultInfo].files_to_run.executable for dep in ctx.attr.deps]
    files = {
        file: _path_in_wheel(file, imports)
        for file in runfiles
        if _is_own(file) and file not in launchers
    }
    libraries = []
    for target, folder in ctx.attr.libraries.items():
        for file in target[DefaultInfo].files.to_list():
            libraries.append(file)
            files[file] = folder + "/" + file.basename

    # TensorFlow and what `requires` names, for their versions.
    names = {"tensorflow": None}
    for requirement in ctx.attr.requires:
        name = requirement
        for end in " ;<>=!~[(".elems():
            name = name.partition(end)[0]
        names[name.lower().replace("-", "_").replace(".", "_")] = None
    distributions = [file for file in runfiles if _distribution(file) in names]
    description = ctx.file.description
    manifest = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(manifest, json.encode(struct(
        description = description.path if description else "",
        distribution = ctx.attr.distribution,
        distributions = [file.path for file in distributions],
        external_libraries = ctx.attr.external_libraries,
        files = [struct(path = file.path, to = to) for file, to in files.items()],
        label = label_text(ctx.label),
        license = ctx.attr.license,
        license_files = [file.path for file in ctx.files.license_files],
        requires = ctx.attr.requires,
        requires_python = ctx.attr.requires_python,
        summary = ctx.attr.summary,
        version = ctx.attr.version,
    )))
    out = ctx.actions.declare_directory(ctx.label.name + ".dist")
    root = [file for file in ctx.files._tools if file.basename == "root"][0]
    ctx.actions.run(
        arguments = [
            "--manifest=" + manifest.path,
            "--readelf=" + root.dirname + "/bin/llvm-readelf",
            "--out=" + out.path,
        ],
        executable = ctx.executable._write_wheel,
        inputs = files.keys() + distributions + ctx.files.license_files + ([description] if description else []) + [manifest],
        mnemonic = "TfCustomOpWheel",
        outputs = [out],
        progress_message = "Writing the wheel %s" % ctx.attr.distribution,
        tools = ctx.files._tools,
    )
    launcher = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        launcher,
        _LAUNCHER.format(folder = out.short_path, label = label_text(ctx.label)),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = launcher,
        files = depset([out]),
        runfiles = ctx.runfiles([out]),
    )]

tf_custom_op_wheel = rule(
    implementation = _tf_custom_op_wheel_impl,
    attrs = {
        "deps": attr.label_list(
            doc = "The Python libraries to ship, with all that they depend on: modules, op libraries, other `data`. What " +
                  "comes from PyPI is not shipped.",
            mandatory = True,
            providers = [PyInfo],
        ),
        "description": attr.label(
            allow_single_file = [".md"],
            doc = "The long description.",
        ),
        "distribution": attr.string(
            doc = "The name to install by.",
            mandatory = True,
        ),
        "external_libraries": attr.string_list(
            doc = "Shared libraries that packages in `requires` have loaded before ours are, such as `libLiteRt.so`. " +
                  "TensorFlow's is one without being listed.",
        ),
        "libraries": attr.label_keyed_string_dict(
            allow_files = [".so"],
            doc = "Shared libraries to bring along, each with its folder in the wheel.",
        ),
        "license": attr.string(doc = "The licence, such as `Apache-2.0`."),
        "license_files": attr.label_list(
            allow_files = True,
            doc = "The licence's text.",
        ),
        "requires": attr.string_list(
            doc = "Distributions that the modules import, as in `Requires-Dist`. `{version}` stands for the version " +
                  "that the wheel is built with, `{minor}` for its first two numbers. TensorFlow comes first without " +
                  "being listed, where there are ops for it.",
        ),
        "requires_python": attr.string(
            default = ">=3.11",
            doc = "The versions of Python that the modules run with.",
        ),
        "summary": attr.string(doc = "One line."),
        "version": attr.string(
            doc = "The version. `{tensorflow}` stands for the release of TensorFlow that it is built for, such as 2.21.",
            mandatory = True,
        ),
        "_tools": attr.label(
            cfg = "exec",
            default = Label("@debian_cc//:files"),
        ),
        "_write_wheel": attr.label(
            cfg = "exec",
            default = Label("//tools/build_defs:write_wheel"),
            executable = True,
        ),
    },
    doc = """A wheel of custom ops, for people who have neither Bazel nor a compiler.

`bazel build` leaves it in the folder `NAME.dist`, `bazel run LABEL -- --out=DIR` copies it. Its platform is the oldest
manylinux one that its libraries run on. It requires the release of TensorFlow that it was built for, and the packages
that load an op library check so when they are imported: beside another TensorFlow that is an ImportError with both
versions. Each folder gets a `py.typed`. The same sources give the same bytes.
""",
    executable = True,
)
