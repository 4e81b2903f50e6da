"""`pypi_packages`: wheels from PyPI, pinned by hash, each distribution behind a label of its own."""

load(":host.bzl", "check_host")

_PYTHON = Label("@debian_python//:bin/python3")

def _run(repository_ctx, what, arguments, environment = {}):
    result = repository_ctx.execute(arguments, timeout = 1800, environment = environment)
    if result.return_code:
        for folder in ["unpacked", "dist", "tmp"]:
            repository_ctx.delete(folder)
        fail("\n\n%s of %s failed:\n\n%s\n\n%s" % (
            what,
            repository_ctx.attr.lock,
            result.stderr.strip() or result.stdout.strip(),
            "Nothing was kept. If PyPI cannot be reached, mend the network or set PIP_INDEX_URL; if a hash differs, a proxy or a " +
            "damaged mirror is likely.\nTo renew the lock: ./bazelw run //tools/repositories:lock_pypi",
        ))

def _lock(repository_ctx):
    """The lock that the environment chooses: by TF_VERSION, and TF_PACKAGE=tensorflow-cpu swaps in the smaller wheel."""
    locks = repository_ctx.attr.tensorflow_locks
    if not locks:
        return repository_ctx.attr.lock
    environ = repository_ctx.os.environ
    package = environ.get("TF_PACKAGE", "tensorflow")
    version = environ.get("TF_VERSION", repository_ctx.attr.tensorflow_version)
    for lock, name in locks.items():
        if name == package + " " + version:
            return lock
    fail("\n\nThere is no lock for %s %s, which TF_PACKAGE and TF_VERSION ask for; the locks are for: %s" % (
        package,
        version,
        ", ".join(sorted(locks.values())),
    ))

def _pypi_packages_impl(repository_ctx):
    check_host(repository_ctx)
    python = repository_ctx.path(_PYTHON)
    lock = _lock(repository_ctx)
    repository_ctx.report_progress("installing %s" % lock.name)
    repository_ctx.file("tmp/README", "pip's temporary files\n")
    pip = python.dirname.dirname.get_child("root").get_child("usr").get_child("share").get_child("python-wheels")
    wheels = [str(wheel) for wheel in pip.readdir()]
    _run(
        repository_ctx,
        "Installing the wheels",
        [
            python,
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-compile",
            "--no-deps",
            "--no-warn-conflicts",
            "--only-binary=:all:",
            "--quiet",
            "--require-hashes",
            "--root-user-action=ignore",
            "--target=unpacked",
            "--requirement=%s" % repository_ctx.path(lock),
        ],
        # pip moves from its temporary folder: on another disk that would be a copy, and 2 GB fill a /tmp in memory.
        {"PYTHONPATH": ":".join(wheels), "TMPDIR": str(repository_ctx.path("tmp"))},
    )
    _run(
        repository_ctx,
        "Sorting the wheels",
        [
            python,
            repository_ctx.path(Label("//tools/repositories:sort_site_packages.py")),
            "--site_packages=unpacked",
            "--output=.",
        ],
        {"PYTHONPATH": ":".join(wheels)},
    )
    repository_ctx.delete("unpacked")
    repository_ctx.delete("tmp")

    # With the bytecode in place no test compiles it again. A file that is no valid Python is no error: wheels have some.
    repository_ctx.execute([python, "-m", "compileall", "-q", "-j", "0", "dist"], timeout = 600)

pypi_packages = repository_rule(
    implementation = _pypi_packages_impl,
    attrs = {
        "lock": attr.label(doc = "A requirements file with one `name==version --hash=sha256:...` a line, complete.", allow_single_file = True),
        "tensorflow_locks": attr.label_keyed_string_dict(
            allow_files = True,
            doc = "Locks and the package and release of TensorFlow that each holds, instead of `lock`.",
        ),
        "tensorflow_version": attr.string(doc = "The release that TF_VERSION stands for where it is not set."),
    },
    doc = """Installs wheels with pip, by hash, under the pinned CPython.

Each distribution is a folder `dist/NAME` and a `py_library` of its (underscored) name, whose deps are what the wheel's
metadata requires, so that a target sees what it depends on and nothing else.
""",
    environ = [
        "TF_PACKAGE",
        "TF_VERSION",
    ],
)
