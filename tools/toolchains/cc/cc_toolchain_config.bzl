"""The C++ toolchain: Clang 19 and lld over a Debian 12 sysroot with libstdc++ 12."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "env_entry",
    "env_set",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)

_COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.linkstamp_compile,
]

_COMPILE_CPP = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.linkstamp_compile,
]

_LINK = [
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

_STRIP = [ACTION_NAMES.strip]

_ARCHIVE = [ACTION_NAMES.cpp_link_static_library]

def _flags(actions, flags, with_features = []):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = with_features,
    )

def _sanitizer(name, flags, link_flags = []):
    """A feature that builds and links with a sanitizer: `--features=asan`."""
    return feature(
        name = name,
        flag_sets = [
            _flags(_COMPILE, flags + ["-fno-omit-frame-pointer", "-g1"]),
            _flags(_LINK, flags + link_flags),
        ],
    )

def _impl(ctx):
    root = ctx.label.workspace_root + "/root"
    gcc = root + "/usr/lib/gcc/x86_64-linux-gnu/12"
    llvm = root + "/usr/lib/llvm-19"

    # Bazel adds --sysroot itself, from builtin_sysroot.
    target = ["--target=x86_64-linux-gnu", "--gcc-install-dir=" + gcc, "-no-canonical-prefixes"]

    default_compile = feature(
        name = "default_compile_flags",
        enabled = True,
        flag_sets = [
            _flags(_COMPILE, target + [
                "-fstack-protector",
                "-fno-omit-frame-pointer",
                "-ffp-contract=off",
                "-fcolor-diagnostics",
                "-Wall",
                "-Wno-builtin-macro-redefined",
                "-D__DATE__=\"redacted\"",
                "-D__TIME__=\"redacted\"",
                "-D__TIMESTAMP__=\"redacted\"",
                "-ffile-compilation-dir=.",
            ]),
            _flags(_COMPILE, ["-O2", "-g0", "-DNDEBUG", "-D_FORTIFY_SOURCE=2", "-ffunction-sections", "-fdata-sections"], [
                with_feature_set(features = ["opt"], not_features = ["asan", "ubsan", "tsan", "fuzzer"]),
            ]),
            _flags(_COMPILE, ["-O1", "-ffunction-sections", "-fdata-sections"], [
                with_feature_set(features = ["opt", sanitizer])
                for sanitizer in ["asan", "ubsan", "tsan", "fuzzer"]
            ]),
            _flags(_COMPILE, ["-O0", "-g"], [with_feature_set(features = ["dbg"])]),
            _flags(_COMPILE_CPP, ["-std=c++17"]),
        ],
    )

    default_link = feature(
        name = "default_link_flags",
        enabled = True,
        flag_sets = [
            _flags(_LINK, target + [
                "-fuse-ld=lld",
                "-B" + llvm + "/bin",
                "-Wl,-z,relro,-z,now",
                "-Wl,--build-id=sha1",
                "-Wl,--hash-style=gnu",
            ]),
            _flags(_LINK, ["-Wl,--gc-sections"], [with_feature_set(features = ["opt"])]),
        ],
    )

    # As Bazel 4.2 has it. Bazel 7 writes each as four arguments, of which launcher.sh could not drop one.
    run_paths = feature(
        name = "runtime_library_search_directories",
        enabled = True,
        flag_sets = [flag_set(
            actions = _LINK,
            flag_groups = [flag_group(
                expand_if_available = "runtime_library_search_directories",
                flags = ["-Wl,-rpath,$ORIGIN/%{runtime_library_search_directories}"],
                iterate_over = "runtime_library_search_directories",
            )],
        )],
    )

    # Last on the line, so that every library that comes before finds its symbols here.
    standard_libraries = feature(
        name = "standard_libraries",
        enabled = True,
        flag_sets = [_flags(_LINK, ["-lstdc++", "-lm"])],
    )

    # Bazel gives every action a PATH. No tool here is looked up in one.
    no_path = feature(
        name = "no_path",
        enabled = True,
        env_sets = [env_set(actions = _COMPILE + _LINK + _ARCHIVE + _STRIP, env_entries = [env_entry(key = "PATH", value = "/nonexistent")])],
    )

    features = [
        feature(name = "opt"),
        feature(name = "dbg"),
        feature(name = "fastbuild"),
        feature(name = "supports_pic", enabled = True),
        feature(name = "supports_dynamic_linker", enabled = True),
        feature(name = "supports_start_end_lib", enabled = True),
        no_path,
        run_paths,
        default_compile,
        default_link,
        _sanitizer("asan", ["-fsanitize=address"]),
        # The linker is called by the C driver, which would leave out what checks C++ objects' types.
        _sanitizer(
            "ubsan",
            ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"],
            ["-fsanitize-link-c++-runtime"],
        ),
        _sanitizer("tsan", ["-fsanitize=thread"]),
        _sanitizer("fuzzer", ["-fsanitize=fuzzer"]),
        standard_libraries,
    ]

    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "clang-19-debian-12",
        host_system_name = "local",
        target_system_name = "x86_64-linux-gnu",
        target_cpu = "k8",
        target_libc = "glibc-2.36",
        compiler = "clang",
        abi_version = "clang",
        abi_libc_version = "glibc-2.36",
        builtin_sysroot = root,
        cxx_builtin_include_directories = [
            "%sysroot%/usr/include",
            "%sysroot%/usr/lib/gcc",
            "%sysroot%/usr/lib/llvm-19/lib/clang/19/include",
            "%sysroot%/usr/lib/llvm-19/lib/clang/19/share",
        ],
        features = features,
        tool_paths = [
            tool_path(name = name, path = "bin/" + tool)
            for name, tool in {
                "ar": "llvm-ar",
                "cpp": "clang",
                "gcc": "clang",
                "gcov": "llvm-cov",
                "ld": "ld.lld",
                "nm": "llvm-nm",
                "objcopy": "llvm-objcopy",
                "objdump": "llvm-objdump",
                "strip": "llvm-strip",
            }.items()
        ],
    )

cc_toolchain_config = rule(
    implementation = _impl,
    doc = "Flags, tools and built-in include folders of the pinned Clang.",
    provides = [CcToolchainConfigInfo],
)
