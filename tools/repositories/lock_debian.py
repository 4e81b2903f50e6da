"""Renews the locks of the Debian packages that the toolchains are unpacked from.

    ./bazelw run //tools/repositories:lock_debian

For each `packages.json` it writes `lock.json` beside it: the same, with the version, the
path in the pool and the SHA-256 of every package. They are what apt-get, run with folders
of its own, reads in the signed index of the mirror that the machine uses, or of
$DEBIAN_MIRROR.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def mirror_of_apt() -> str:
    """Returns $DEBIAN_MIRROR, else the first Debian mirror in apt's configuration."""
    named = os.environ.get("DEBIAN_MIRROR", "").split()
    if named:
        return named[0]
    folder = pathlib.Path("/etc/apt")
    for file in [
        folder / "sources.list",
        *sorted(folder.glob("sources.list.d/*")),
    ]:
        if not file.is_file():
            continue
        for line in file.read_text().splitlines():
            match = re.match(
                r"(?:URIs:|deb)\s.*?(\S+://\S+/debian)/?(\s|$)", line
            )
            if match:
                return match[1]
    raise SystemExit(
        "no Debian mirror in apt's configuration: set DEBIAN_MIRROR"
    )


def read_index(suite: str, names: list[str]) -> dict[str, dict[str, str]]:
    """Returns the fields of packages in a suite's index, by name.

    Raises:
      subprocess.CalledProcessError: apt's own message is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lists/partial", "cache/archives/partial", "etc"):
            os.makedirs(os.path.join(folder, name))
        sources = os.path.join(folder, "etc", "sources.list")
        keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
        open(os.path.join(folder, "etc", "status"), "w").close()
        with open(sources, "w") as file:
            file.write(
                f"deb [arch=amd64 signed-by={keyring}] "
                f"{mirror_of_apt()} {suite} main\n"
            )
        options = [
            f"-oDir::Etc::SourceList={sources}",
            "-oDir::Etc::SourceParts=/dev/null",
            f"-oDir::State::Lists={folder}/lists",
            f"-oDir::Cache={folder}/cache",
            # Only the index: not what this machine has installed.
            f"-oDir::State::Status={folder}/etc/status",
            "-oAPT::Architecture=amd64",
            # A frozen mirror is fine: what it holds is signed and pinned.
            "-oAcquire::Check-Valid-Until=false",
            "-oAPT::Sandbox::User=root",
        ]
        subprocess.run(
            ["apt-get", *options, "-qq", "update"],
            check=True,
            stdout=sys.stderr,
        )
        shown = subprocess.run(
            ["apt-cache", *options, "show", "--no-all-versions", *names],
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    packages = {}
    for paragraph in shown.split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in paragraph.split("\n")
            if ": " in line and not line.startswith(" ")
        )
        if fields:
            packages[fields["Package"]] = fields
    return packages


def lock(wanted: dict, index: dict[str, dict[str, str]], source: str) -> dict:
    """Returns the lock for one `packages.json`.

    Raises:
      SystemExit: a package that the index does not have, by name.
    """
    missing = [name for name in wanted["packages"] if name not in index]
    if missing:
        raise SystemExit(
            f"{source}: not in Debian's {wanted['suite']}: {', '.join(missing)}"
        )
    locked = dict(wanted)
    locked["packages"] = [
        {
            "name": name,
            "version": index[name]["Version"],
            "path": index[name]["Filename"],
            "sha256": index[name]["SHA256"],
        }
        for name in sorted(set(wanted["packages"]))
    ]
    return locked


def main(arguments: list[str]) -> int:
    """Writes the lock beside each packages.json that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "packages", nargs="+", help="packages.json, in the workspace"
    )
    options = parser.parse_args(arguments)
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY", "")
    for name in options.packages:
        path = os.path.join(workspace, name)
        with open(path) as file:
            wanted = json.load(file)
        index = read_index(wanted["suite"], wanted["packages"])
        output = os.path.join(os.path.dirname(path), "lock.json")
        text = json.dumps(lock(wanted, index, name), indent=2) + "\n"
        with open(output, "w") as file:
            file.write(text)
        print(f"{output}: {len(wanted['packages'])} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
