"""The check behind `py_strict_library`, `py_strict_binary` and `py_strict_test`."""

load(":py_modules.bzl", "PyModulesInfo", "label_text", "module_name", "provided_modules")

STRICT_ATTRS = {
    "_known": attr.label(
        default = Label("//third_party/py:index"),
        providers = [PyModulesInfo],
    ),
    "_strict_imports": attr.label(
        cfg = "exec",
        default = Label("//tools/build_defs:strict_imports"),
        executable = True,
    ),
}

def check_imports(ctx, label, srcs, deps):
    """Declares the action that holds the imports of Python sources against their target's deps.

    Args:
      ctx: of a rule with STRICT_ATTRS.
      label: text of the label to name in messages.
      srcs: list of the target's Python Files.
      deps: list of the target's Python deps.

    Returns:
      The File that exists once the check has passed.
    """
    transitive = depset(transitive = [
        dep[PyModulesInfo].transitive
        for dep in deps
        if PyModulesInfo in dep
    ])
    manifest = ctx.actions.declare_file(ctx.label.name + ".imports.json")
    stamp = ctx.actions.declare_file(ctx.label.name + ".imports.txt")
    ctx.actions.write(manifest, json.encode(struct(
        label = label,
        srcs = [
            struct(module = module_name(src), path = src.path, short_path = src.short_path)
            for src in srcs
        ],
        deps = [
            struct(label = label_text(dep.label), modules = provided_modules(dep))
            for dep in deps
        ],
        transitive = transitive.to_list(),
        known = ctx.attr._known[PyModulesInfo].transitive.to_list(),
    )))
    ctx.actions.run(
        arguments = [manifest.path, stamp.path],
        executable = ctx.executable._strict_imports,
        inputs = srcs + [manifest],
        mnemonic = "PyStrictImports",
        outputs = [stamp],
        progress_message = "Checking the imports of %s" % label,
    )
    return stamp

def _strict_imports_check_impl(ctx):
    stamp = check_imports(ctx, ctx.attr.label_to_name, ctx.files.srcs, ctx.attr.deps)
    return [DefaultInfo(files = depset([stamp]), runfiles = ctx.runfiles([stamp]))]

strict_imports_check = rule(
    implementation = _strict_imports_check_impl,
    attrs = dict(
        deps = attr.label_list(doc = "The checked target's deps."),
        label_to_name = attr.string(doc = "Label of the checked target.", mandatory = True),
        srcs = attr.label_list(allow_files = [".py"], doc = "The checked target's sources."),
        **STRICT_ATTRS
    ),
    doc = "Fails unless every module that `srcs` import is provided by a target in `deps`.",
)

def strict_python_target(rule, name, srcs, deps, data, testonly, kwargs):
    """Declares a target of a native Python rule, and the check that its build depends on.

    Args:
      rule: `native.py_binary` or `native.py_test`.
      name: name of the target.
      srcs: its sources.
      deps: its deps.
      data: its data.
      testonly: its testonly.
      kwargs: dict of its other attributes.
    """
    repository = native.repository_name()
    check = name + ".strict"
    strict_imports_check(
        name = check,
        srcs = srcs,
        label_to_name = "%s//%s:%s" % (
            "" if repository in ["@", "@@"] else repository,
            native.package_name(),
            name,
        ),
        tags = ["manual"],
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    rule(
        name = name,
        srcs = srcs,
        data = data + [":" + check],
        testonly = testonly,
        deps = deps,
        **kwargs
    )
