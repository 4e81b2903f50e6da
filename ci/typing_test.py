"""Holds what mypy and pyright say of programs that use the wheel's typed wrappers."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

_NODE, _PYRIGHT, *_SAMPLES = map(os.path.abspath, sys.argv[1:])


def _wrong_lines(path: str) -> list[str]:
    """Returns `FILE:LINE` of each line that says that it is wrong."""
    lines = Path(path).read_text().splitlines()
    return [
        f"{os.path.basename(path)}:{number}"
        for number, line in enumerate(lines, 1)
        if line.endswith("# wrong")
    ]


class TypingTest(unittest.TestCase):
    """Type checkers that see the installed wheel, as a user's do."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.site = self.folder / "site-packages"
        with zipfile.ZipFile(
            glob.glob("tools/wheel/wheel.dist/*.whl")[0]
        ) as file:
            file.extractall(self.site)
        for sample in _SAMPLES:
            (self.folder / os.path.basename(sample)).write_text(
                Path(sample).read_text()
            )
        self.samples = sorted(os.path.basename(sample) for sample in _SAMPLES)
        self.wrong = sorted(
            line for sample in _SAMPLES for line in _wrong_lines(sample)
        )

    def run_checker(self, *command: str) -> str:
        path = f"{self.site}:{':'.join(sys.path)}"
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path, "HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout

    def test_mypy_finds_the_mistakes_and_nothing_else(self):
        output = self.run_checker(
            sys.executable, "-m", "mypy", "--strict", *self.samples
        )
        found = re.findall(r"^(\w+\.py:\d+): error", output, re.MULTILINE)
        self.assertEqual(sorted(found), self.wrong, output)

    def test_pyright_finds_the_mistakes_and_nothing_else(self):
        (self.folder / "pyrightconfig.json").write_text(
            json.dumps(
                {
                    "extraPaths": [str(self.site), *filter(None, sys.path)],
                    "include": self.samples,
                    "pythonVersion": "3.11",
                }
            )
        )
        output = self.run_checker(_NODE, f"{_PYRIGHT}/index.js", "--outputjson")
        found = [
            f"{os.path.basename(each['file'])}:{each['range']['start']['line'] + 1}"
            for each in json.loads(output)["generalDiagnostics"]
            if each["severity"] == "error"
        ]
        self.assertEqual(sorted(found), self.wrong, output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
