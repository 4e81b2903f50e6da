"""Renews the locks of the wheels from PyPI.

    ./bazelw run //tools/repositories:lock_pypi

pip resolves each `pypi/NAME.in` for the pinned CPython, from wheels alone, and
`pypi/NAME.txt` is written: one `name==version --hash=sha256:...` a line, complete.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def resolve(requirements: str) -> list[dict]:
    """Returns pip's installation report for a requirements file.

    Raises:
      subprocess.CalledProcessError: pip's message is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
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
            ],
            check=True,
        )
        with open(report) as file:
            return json.load(file)["install"]


def lock_text(source: str, report: list[dict]) -> str:
    """Returns the lock for a report; neither a registry nor a path is named in it."""
    lines = [f"# Written by //tools/repositories:lock_pypi from {source}.\n"]
    for entry in sorted(
        report, key=lambda entry: entry["metadata"]["name"].lower()
    ):
        name = entry["metadata"]["name"].lower().replace("_", "-")
        version = entry["metadata"]["version"]
        sha256 = entry["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{name}=={version} --hash=sha256:{sha256}\n")
    return "".join(lines)


def main(arguments: list[str]) -> int:
    """Writes the lock beside each NAME.in that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", help="NAME.in, in the workspace")
    options = parser.parse_args(arguments)
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY", "")
    for source in options.inputs:
        path = os.path.join(workspace, source)
        report = resolve(path)
        output = os.path.splitext(path)[0] + ".txt"
        with open(output, "w") as file:
            file.write(lock_text(source, report))
        print(f"{output}: {len(report)} wheels")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
