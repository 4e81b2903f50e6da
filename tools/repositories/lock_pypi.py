"""Renews the locks of the wheels from PyPI.

    ./bazelw run //tools/repositories:lock_pypi [-- NAME ...]

pip resolves each `pypi/NAME.in` for the pinned CPython, from wheels alone, and
`pypi/NAME.txt` is written: one `name==version --hash=sha256:...` a line, complete.
Where `NAME.in` says `{version}`, there is a `pypi/NAME-VERSION.txt` for each release of
TensorFlow that the workspace serves. With NAMEs only those locks are renewed, for
example `tensorflow-2.19.1`.
What a line "# lock_pypi leaves out: ..." of `NAME.in` names is resolved, but not
written: what a package requires and is used here without. A line "# lock_pypi leaves
out all dependencies" keeps what `NAME.in` names itself and nothing else.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

_LEAVES_OUT = "# lock_pypi leaves out: "
_LEAVES_OUT_ALL = "# lock_pypi leaves out all dependencies"


def leaves_out_dependencies(text: str) -> bool:
    """Returns whether a requirements file wants nothing locked but itself."""
    return _LEAVES_OUT_ALL in text.splitlines()


def resolve(text: str) -> list[dict]:
    """Returns pip's installation report for the text of a requirements file.

    Raises:
      subprocess.CalledProcessError: pip's message is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        requirements = os.path.join(folder, "requirements.in")
        with open(requirements, "w") as file:
            file.write(text)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--dry-run",
                "--ignore-installed",
                "--quiet",
                "--disable-pip-version-check",
                "--only-binary=:all:",
                f"--report={report}",
                f"--requirement={requirements}",
            ]
            + (["--no-deps"] if leaves_out_dependencies(text) else []),
            check=True,
        )
        with open(report) as file:
            return json.load(file)["install"]


def left_out(requirements: str) -> set[str]:
    """Returns the names that a requirements file wants not to be locked."""
    with open(requirements) as file:
        lines = file.read().splitlines()
    return {
        name
        for line in lines
        if line.startswith(_LEAVES_OUT)
        for name in line.removeprefix(_LEAVES_OUT).split()
    }


def lock_text(source: str, report: list[dict], without: set[str]) -> str:
    """Returns the lock for a report; neither a registry nor a path is named in it.

    Raises:
      ValueError: If a name of `without` is not in the report.
    """
    lines = [f"# Written by //tools/repositories:lock_pypi from {source}.\n"]
    found = {
        entry["metadata"]["name"].lower().replace("_", "-"): entry
        for entry in report
    }
    if without - set(found):
        raise ValueError(
            f"{source} leaves out {sorted(without - set(found))}, which nothing "
            f"requires; required are {sorted(found)}"
        )
    for name, entry in sorted(found.items()):
        if name in without:
            continue
        version = entry["metadata"]["version"]
        sha256 = entry["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={version} --hash=sha256:{sha256}\n")
    return "".join(lines)


def locks_of(source: str, versions: list[str]) -> dict[str, str]:
    """Returns the requirements of each lock that a NAME.in is for, by the lock's name."""
    with open(source) as file:
        text = file.read()
    name = os.path.basename(os.path.splitext(source)[0])
    if "{version}" not in text:
        return {name: text}
    return {
        f"{name}-{version}": text.replace("{version}", version)
        for version in versions
    }


def main(arguments: list[str]) -> int:
    """Writes the locks of each NAME.in that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--input", action="append", default=[], help="NAME.in, in the workspace"
    )
    parser.add_argument(
        "--version", action="append", default=[], help="a release of TensorFlow"
    )
    parser.add_argument("names", nargs="*", help="the locks to renew; all")
    options = parser.parse_args(arguments)
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY", "")
    locks = {}
    for source in options.input:
        path = os.path.join(workspace, source)
        for name, text in locks_of(path, options.version).items():
            locks[name] = path, text
    unknown = [name for name in options.names if name not in locks]
    if unknown:
        parser.error(
            f"no lock of the name {unknown[0]}; there are: {', '.join(locks)}"
        )
    for name in options.names or locks:
        path, text = locks[name]
        report = resolve(text)
        without = left_out(path)
        output = os.path.join(os.path.dirname(path), name + ".txt")
        with open(output, "w") as file:
            source = os.path.relpath(path, workspace)
            file.write(lock_text(source, report, without))
        print(f"{output}: {len(report) - len(without)} wheels")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
