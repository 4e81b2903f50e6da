"""The summary of a build event file."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from ci import summary

_WARNING = (
    "INFO: From Compiling a/b.cc:\n"
    "\x1b[1ma/b.cc:23:18: \x1b[0m\x1b[0;1;35mwarning: \x1b[0munused variable\n"
    "a/c.cc:24:18: warning: unused variable\n"
    "WARNING: no compiler's\n"
)
_CASES = """<testsuites><testsuite>
    <testcase classname="A" name="ok"/>
    <testcase classname="A" name="bad"><failure/></testcase>
    <testcase classname="A" name="left"><skipped/></testcase>
    <testcase classname="A" name="test_session"><skipped/></testcase>
</testsuite></testsuites>"""


class SummaryTest(unittest.TestCase):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def summary(self, *events) -> tuple[int, list[str]]:
        path = os.path.join(self.folder, "events")
        with open(path, "w") as file:
            file.writelines(json.dumps(each) + "\n" for each in events)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = summary.main([path])
        return status, output.getvalue().splitlines()

    def result(self, label: str, status: str, report: str = "") -> dict:
        path = os.path.join(self.folder, label.strip("/"))
        with open(path, "w") as file:
            file.write(report)
        return {
            "id": {"testResult": {"label": label}},
            "testResult": {
                "status": status,
                "testActionOutput": [
                    {"name": "test.xml", "uri": f"file://{path}"}
                ],
            },
        }

    def test_methods_are_counted_and_those_that_failed_are_named(self) -> None:
        self.assertEqual(
            self.summary(self.result("//a", "FAILED", _CASES)),
            (1, ["FAILED: //a A.bad", "1 passed, 1 failed, 1 skipped"]),
        )

    def test_a_target_without_methods_counts_as_one(self) -> None:
        self.assertEqual(
            self.summary(
                self.result("//a", "PASSED"), self.result("//b", "TIMEOUT")
            ),
            (1, ["FAILED: //b", "1 passed, 1 failed"]),
        )

    def test_no_test_is_a_failure(self) -> None:
        self.assertEqual(self.summary(), (1, ["0 passed, 0 failed"]))

    def test_a_warning_of_the_compiler_is_a_failure(self) -> None:
        progress = {"id": {}, "progress": {"stderr": _WARNING}}
        passed = self.result("//a", "PASSED")
        self.assertEqual(
            self.summary(passed, progress),
            (
                1,
                [
                    "FAILED: a/b.cc: the compiler warns of it",
                    "FAILED: a/c.cc: the compiler warns of it",
                    "1 passed, 2 failed",
                ],
            ),
        )
        progress["progress"]["stderr"] = "WARNING: no compiler's\n"
        self.assertEqual(
            self.summary(passed, progress), (0, ["1 passed, 0 failed"])
        )


if __name__ == "__main__":
    unittest.main()
