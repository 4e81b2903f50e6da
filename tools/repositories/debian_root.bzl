"""`debian_root`: a folder unpacked from pinned Debian packages."""

load(":debian_mirror.bzl", "debian_mirrors")
load(":host.bzl", "check_host", "host_python")

_CANNOT_FETCH = """

Cannot fetch {name} {version}, which {lock} pins.
Tried: {urls}
The WARNING above says why:
  - Checksum was ... but wanted ...: the file is not the one that the lock pins. A proxy or a damaged mirror is likely.
  - Connection refused, unknown host, time-out: the mirror cannot be reached from here.
  - 404: the mirror has moved on to a newer version of the package.
Mend the network, or name another mirror or a snapshot of Debian:
    export DEBIAN_MIRROR=http://HOST/debian
Only a newer version needs a new lock: ./bazelw run //tools/repositories:lock_debian
"""

def _fetch(repository_ctx, mirrors, package):
    """Downloads one package, or fails with what is wrong and what to do."""
    urls = [mirror + "/" + package["path"] for mirror in mirrors]
    download = repository_ctx.download(
        urls,
        "packages/%s.deb" % package["name"],
        sha256 = package["sha256"],
        allow_fail = True,
    )
    if not download.success:
        repository_ctx.delete("packages")
        fail(_CANNOT_FETCH.format(
            lock = repository_ctx.attr.lock,
            name = package["name"],
            urls = ", ".join(urls),
            version = package["version"],
        ))

def _debian_root_impl(repository_ctx):
    check_host(repository_ctx)
    python = host_python(repository_ctx)
    lock = json.decode(repository_ctx.read(repository_ctx.attr.lock))
    mirrors = debian_mirrors(repository_ctx)
    for number, package in enumerate(lock["packages"]):
        repository_ctx.report_progress("package %d of %d: %s" % (number + 1, len(lock["packages"]), package["name"]))
        _fetch(repository_ctx, mirrors, package)
    repository_ctx.report_progress("unpacking %d packages" % len(lock["packages"]))
    result = repository_ctx.execute([
        python,
        repository_ctx.path(Label("//tools/repositories:unpack_debs.py")),
        "--spec=%s" % repository_ctx.path(repository_ctx.attr.lock),
        "--packages=packages",
        "--root=root",
        "--tool_libraries=tool_libraries",
    ])
    repository_ctx.delete("packages")
    if result.return_code:
        for folder in ["root", "tool_libraries"]:
            repository_ctx.delete(folder)
        fail("\n\nCannot unpack the Debian packages of %s:\n%s\nNothing was kept. Look for room on the disk (1 GB), then run the command again." % (
            repository_ctx.attr.lock,
            result.stderr.strip() or "exit status %d" % result.return_code,
        ))
    for name, program in repository_ctx.attr.tools.items():
        repository_ctx.template(
            "bin/" + name,
            repository_ctx.attr.launcher,
            {"%{program}": program},
            executable = True,
        )
    for file, path in repository_ctx.attr.files.items():
        repository_ctx.template("root/" + path, file)
    repository_ctx.template("BUILD", repository_ctx.attr.build_file, {
        "%{workspace}": Label("//tools").workspace_name or "custom_ops",
    })

debian_root = repository_rule(
    implementation = _debian_root_impl,
    attrs = {
        "build_file": attr.label(doc = "Template of the BUILD file; `%{workspace}` is the name of the rules' repository.", mandatory = True),
        "files": attr.label_keyed_string_dict(doc = "Files of our own, added to the root: label to path in the root."),
        "launcher": attr.label(
            allow_single_file = True,
            doc = "Template of the launchers in `bin/`, where there are `tools`; `%{program}` is the path in the root.",
        ),
        "lock": attr.label(doc = "The lock that `lock_debian` writes: packages with version, path and SHA-256.", mandatory = True),
        "tools": attr.string_dict(doc = "Programs offered under `bin/`: name to path in the root."),
    },
    doc = """Downloads pinned Debian packages and unpacks them into `root/`.

`tool_libraries/` holds links to the shared libraries that the unpacked programs load, without glibc,
which is the machine's own; the launchers in `bin/` set it as their library path.
""",
    environ = ["DEBIAN_MIRROR"],
)
