"""Stand-ins for the rule sets that Bazel 4.2 loads from its own packages and would download.

Each hands out the native rules under the names that Bazel's BUILD files use. Newer Bazels need
the real rule sets, which their distribution brings, so there the stand-ins step aside.
"""

_CC = """
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
"""

_JAVA = """
java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_lite_proto_library = native.java_lite_proto_library
java_package_configuration = native.java_package_configuration
java_plugin = native.java_plugin
java_proto_library = native.java_proto_library
java_runtime = native.java_runtime
java_test = native.java_test
java_toolchain = native.java_toolchain
"""

_COVERAGE = """
filegroup(name = "coverage_report_generator", visibility = ["//visibility:public"])
"""

def _stand_in_impl(repository_ctx):
    for path, content in repository_ctx.attr.files.items():
        repository_ctx.file(path, content)

_stand_in = repository_rule(
    implementation = _stand_in_impl,
    attrs = {"files": attr.string_dict(mandatory = True)},
)

def bazel4_rules():
    """Declares `rules_cc`, `rules_java` and `remote_coverage_tools` on Bazel 4.2; nothing on newer ones.

    Debian's builds leave `native.bazel_version` empty, so a function that came later tells them apart.
    """
    if hasattr(native, "package_relative_label"):
        return
    for name, files in {
        "remote_coverage_tools": {"BUILD": _COVERAGE},
        "rules_cc": {"BUILD": "", "cc/BUILD": "", "cc/defs.bzl": _CC},
        "rules_java": {"BUILD": "", "java/BUILD": "", "java/defs.bzl": _JAVA},
    }.items():
        if not native.existing_rule(name):
            _stand_in(name = name, files = files)
