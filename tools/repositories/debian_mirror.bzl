"""Where Debian packages come from: the mirror that the machine's apt uses."""

_HELP = """
Debian packages are fetched from the mirror that apt is configured with. Where there is none, name one:

    export DEBIAN_MIRROR=http://HOST/debian      (several, separated by blanks, are tried in turn)
"""

def _urls_of_line(line):
    """The URLs in a line of apt's configuration: `deb URL suite ...` or `URIs: URL ...`."""
    words = [word for word in line.replace("\t", " ").split(" ") if word]
    if not words or words[0] not in ["deb", "URIs:"]:
        return []
    return [word.rstrip("/") for word in words[1:] if "://" in word]

def _is_mirror_of_debian(url):
    return url.endswith("/debian") and url.split("://")[0] in ["http", "https", "file"]

def debian_mirrors(repository_ctx):
    """Returns the base URLs of Debian mirrors, best first; fails where there are none.

    Args:
      repository_ctx: of a repository rule that lists `DEBIAN_MIRROR` in its `environ`.
    """
    named = repository_ctx.os.environ.get("DEBIAN_MIRROR", "")
    if named:
        urls = [url.rstrip("/") for url in named.split(" ") if url]
        for url in urls:
            if "://" not in url:
                fail("\n\nDEBIAN_MIRROR holds %r, which is not a URL.\n%s" % (url, _HELP))
        return urls
    files = [repository_ctx.path("/etc/apt/sources.list")]
    folder = repository_ctx.path("/etc/apt/sources.list.d")
    if folder.exists:
        files += [
            file
            for file in folder.readdir()
            if file.basename.endswith(".list") or file.basename.endswith(".sources")
        ]
    urls = []
    for file in files:
        if file.exists:
            for line in repository_ctx.read(file).split("\n"):
                urls += [url for url in _urls_of_line(line) if _is_mirror_of_debian(url) and url not in urls]
    if not urls:
        fail("\n\nNo Debian mirror in apt's configuration (/etc/apt/sources.list, /etc/apt/sources.list.d).\n" + _HELP)
    return urls
