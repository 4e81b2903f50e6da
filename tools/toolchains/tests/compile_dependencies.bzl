"""`compile_dependencies`: what one compile with the chosen C++ toolchain reads and sees."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _compile_dependencies_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        cc_toolchain = toolchain,
        ctx = ctx,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    dependencies = ctx.actions.declare_file(ctx.label.name + ".d")
    object = ctx.actions.declare_file(ctx.label.name + ".o")
    compilation = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        output_file = object.path,
        preprocessor_defines = compilation.defines,
        source_file = ctx.file.src.path,
        system_include_directories = compilation.system_includes,
        use_pic = True,
    )
    environment = cc_common.get_environment_variables(
        action_name = CPP_COMPILE_ACTION_NAME,
        feature_configuration = features,
        variables = variables,
    )
    ctx.actions.run(
        arguments = cc_common.get_memory_inefficient_command_line(
            action_name = CPP_COMPILE_ACTION_NAME,
            feature_configuration = features,
            variables = variables,
        ) + ["-MD", "-MF", dependencies.path],
        env = environment,
        executable = cc_common.get_tool_for_action(
            action_name = CPP_COMPILE_ACTION_NAME,
            feature_configuration = features,
        ),
        inputs = depset([ctx.file.src], transitive = [compilation.headers, toolchain.all_files]),
        outputs = [dependencies, object],
    )
    seen = ctx.actions.declare_file(ctx.label.name + ".env.json")
    ctx.actions.write(seen, json.encode(environment))
    files = depset([dependencies, seen])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

compile_dependencies = rule(
    implementation = _compile_dependencies_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "src": attr.label(allow_single_file = [".cc"], mandatory = True),
        "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
    },
    doc = "Compiles `src` as a cc_library would; gives the dependency file and, as JSON, the compile's environment.",
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
