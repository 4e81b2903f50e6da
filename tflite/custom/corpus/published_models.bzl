"""`published_models`: the `.tflite` files of a wheel, each behind a label of its own."""

def published_models(name, repository, models):
    """The `.tflite` files of a wheel, each behind a label of its own.

    A file `PATH/X.tflite` of the wheel is the label `NAME/X.tflite`; all of them are the label `NAME`. Nothing is fetched
    before one of them is built.

    Args:
      name: the wheel's distribution; name of the target, and of the folder that the files have here.
      repository: repository of `pypi_packages` that has the wheel, such as `pypi_models`.
      models: paths of the files in the wheel; no two of them may end in the same name.
    """
    outs = {"%s/%s" % (name, path.split("/")[-1]): path for path in models}
    if len(outs) != len(models):
        fail("published_models //%s:%s: two of the models end in the same name: %s" % (
            native.package_name(),
            name,
            ", ".join(models),
        ))

    # The wheel is a folder. As data of a program it is no direct input of an action, which Bazel would warn of.
    copy = name + "_copy"
    native.sh_binary(
        name = copy,
        testonly = True,
        srcs = ["copy_runfiles.sh"],
        data = ["@%s//:%s" % (repository, name)],
        tags = ["manual"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name,
        testonly = True,
        outs = outs.keys(),
        cmd = " ".join(["$(location %s)" % copy] + [
            "%s/dist/%s/%s $(RULEDIR)/%s" % (repository, name, path, out)
            for out, path in outs.items()
        ]),
        tools = [copy],
    )
