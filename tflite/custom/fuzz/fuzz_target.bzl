"""A fuzz target, and its seeds as a test."""

def fuzz_target(name, deps, mutations):
    """Makes two programs of {name}_fuzzer.cc.

    {name}_fuzzer is the libFuzzer program, which builds with --config=fuzz alone. {name}_replay_test runs the seeds
    that :seeds writes for the target, changed ones, always the same, and regressions/{name}-*, inputs that once failed.

    Args:
        name: name of the target.
        deps: what its source includes.
        mutations: how many changed seeds the test runs.
    """
    srcs = ["asan_options.cc", "fuzz_target.h", name + "_fuzzer.cc"]
    seeds = name + "_seeds.bin"
    regressions = native.glob(["regressions/%s-*" % name])
    native.genrule(
        name = name + "_seeds",
        testonly = True,
        outs = [seeds],
        cmd = "$(execpath :seeds) --target=%s --output=$@" % name,
        tools = [":seeds"],
    )
    native.cc_test(
        name = name + "_replay_test",
        size = "small",
        srcs = srcs,
        args = ["$(rootpath %s)" % seeds, str(mutations)] + [
            "$(rootpath %s)" % file
            for file in regressions
        ],
        data = [seeds] + regressions,
        deps = deps + [":replay"],
    )
    native.cc_binary(
        name = name + "_fuzzer",
        testonly = True,
        srcs = srcs,
        tags = ["manual"],
        deps = deps,
    )
