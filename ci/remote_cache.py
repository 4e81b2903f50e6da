"""Proves that machines can share what they build, through Bazel's remote cache.

    ci/remote_cache [TARGET ...] [-- BAZEL_OPTION ...]

Builds a clone of HEAD in one folder with an nginx on loopback as the cache, throws
all of it away but the cache, builds another clone in another folder, and fails
unless every compile, archive and link there is a hit.
"""

import argparse
import collections
import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

_MUST_HIT = ("CppArchive", "CppCompile", "CppLink")

_TARGETS = ("//tensorflow_examples/...", "//tflite/...")

_NGINX_CONFIGURATION = """
daemon off;
error_log stderr crit;
pid {folder}/nginx.pid;
{user}
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  fastcgi_temp_path {folder}/fastcgi;
  proxy_temp_path {folder}/proxy;
  scgi_temp_path {folder}/scgi;
  uwsgi_temp_path {folder}/uwsgi;
  # Bazel sends what it has built, however large it is.
  client_max_body_size 0;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/cache;
    dav_methods PUT;
    create_full_put_path on;
  }}
}}
"""


@contextlib.contextmanager
def http_cache(nginx: str, folder: pathlib.Path) -> Iterator[str]:
    """Runs nginx as an HTTP cache with its files in `folder`; yields its URL."""
    (folder / "cache").mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _NGINX_CONFIGURATION.format(
            folder=folder,
            port=port,
            # Its workers must be able to write where this user can.
            user="user root;" if os.geteuid() == 0 else "",
        )
    )
    server = subprocess.Popen(
        [nginx, "-p", str(folder), "-c", str(configuration), "-e", "stderr"]
    )
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def wait_for(port: int, server: subprocess.Popen) -> None:
    """Returns once the server answers.

    Raises:
      SystemExit: It ended, or did not answer for ten seconds.
    """
    for _ in range(100):
        if server.poll() is not None:
            raise SystemExit(f"nginx ended with status {server.returncode}")
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/")
            connection.getresponse()
            return
        time.sleep(0.1)
    raise SystemExit(f"nginx does not answer on port {port}")


def build(
    folder: pathlib.Path,
    name: str,
    source: str,
    url: str,
    targets: list[str],
    options: list[str],
) -> dict[str, list[bool]]:
    """Builds a fresh clone, and throws it and what was built away.

    Returns:
      For each mnemonic of an action whether each one was a hit.
    """
    clone, base = folder / name, folder / f"base_{name}"
    log = folder / f"{name}.json"
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", source, clone], check=True
    )
    bazel = ["./bazelw", f"--output_base={base}"]
    command = [
        *bazel,
        "build",
        f"--remote_cache={url}",
        "--remote_upload_local_results",
        f"--execution_log_json_file={log}",
        "--noshow_progress",
        *options,
        *targets,
    ]
    try:
        subprocess.run(command, cwd=clone, check=True)
    finally:
        subprocess.run([*bazel, "clean", "--expunge"], cwd=clone)
        subprocess.run(["rm", "-rf", clone, base])
    return read_log(log.read_text())


def read_log(text: str) -> dict[str, list[bool]]:
    """Returns whether each action of an execution log was a hit, by mnemonic."""
    decoder = json.JSONDecoder()
    hits = collections.defaultdict(list)
    at = 0
    while at < len(text):
        action, end = decoder.raw_decode(text, at)
        # Bazel 4 and 7 name it differently.
        hit = action.get("remoteCacheHit") or action.get("cacheHit")
        hits[action["mnemonic"]].append(bool(hit))
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return dict(hits)


def main(arguments: list[str]) -> int:
    """Builds twice and prints the hits of the second build."""
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--nginx", required=True, help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*", default=list(_TARGETS))
    parsed = parser.parse_args(arguments)
    source = os.environ["BUILD_WORKSPACE_DIRECTORY"]
    nginx = os.path.abspath(parsed.nginx)
    with tempfile.TemporaryDirectory(prefix="remote_cache.") as folder:
        folder = pathlib.Path(folder)
        with http_cache(nginx, folder / "nginx") as url:
            arguments = source, url, parsed.targets, options
            build(folder, "one", *arguments)
            hits = build(folder, "elsewhere", *arguments)
    print(f"{'second build':30}{'actions':>9}{'hits':>9}")
    for mnemonic, found in sorted(hits.items()):
        print(f"{mnemonic:30}{len(found):9}{sum(found):9}")
    missed = [m for m in _MUST_HIT if not all(hits.get(m, []))]
    if not any(hits.get(m) for m in _MUST_HIT):
        print("nothing was compiled or linked: nothing is proved")
        return 1
    if missed:
        print(f"not all were hits: {', '.join(missed)}")
        return 1
    print("every compile, archive and link was a hit")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
