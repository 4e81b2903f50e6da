"""`npm_packages`: packages from the npm registry, pinned by a package-lock.json."""

load(":host.bzl", "check_host")

def _npm_packages_impl(repository_ctx):
    check_host(repository_ctx)
    for file in [repository_ctx.attr.package, repository_ctx.attr.lock]:
        repository_ctx.template(file.name, file)
    node = repository_ctx.path(repository_ctx.attr.node)
    result = repository_ctx.execute([
        node,
        repository_ctx.path(repository_ctx.attr.npm),
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ], timeout = 600)
    if result.return_code:
        repository_ctx.delete("node_modules")
        fail("\n\nnpm could not install what %s pins:\n\n%s\nNothing was kept. If the registry cannot be reached, mend the network or npm's configuration." % (
            repository_ctx.attr.lock,
            result.stderr.strip(),
        ))
    repository_ctx.file("BUILD", "exports_files(%r)\n" % repository_ctx.attr.exports)

npm_packages = repository_rule(
    implementation = _npm_packages_impl,
    attrs = {
        "exports": attr.string_list(doc = "Files of `node_modules` to offer as labels."),
        "lock": attr.label(doc = "The package-lock.json.", mandatory = True),
        "node": attr.label(doc = "The Node.js program.", mandatory = True),
        "npm": attr.label(doc = "npm's `npm-cli.js`.", mandatory = True),
        "package": attr.label(doc = "The package.json.", mandatory = True),
    },
    doc = "Installs packages with `npm ci`, under the Node.js that it is given. No package's scripts are run.",
)
