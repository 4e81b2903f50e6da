"""Counts the test methods of a `bazel test` run from its build event file.

    summary.py EVENTS.json

Prints one line for each failed test method, then `N passed, N failed` and, where there
are any, `, N skipped`. Exits with 1 where a test failed, or where none was run. A file
that the compiler warned of counts as a failed test: the build is to print no warning.
"""

import collections
import json
import os
import re
import sys
import urllib.parse
from xml.etree import ElementTree

_WARNING = re.compile(
    r"^(?:\x1b\[[\d;]*m)*([^\s\x1b]+?):\d.*?[ m]warning: ", re.M
)


def warned_files(path: str) -> list[str]:
    """Returns the files that the compiler warned of, as far as it ran anew."""
    found = set()
    with open(path) as file:
        for line in file:
            progress = json.loads(line).get("progress", {})
            found.update(_WARNING.findall(progress.get("stderr", "")))
    return sorted(found)


def test_results(path: str) -> list[tuple[str, bool, str]]:
    """Returns (label, passed, path of its test.xml or "") of each test run."""
    results = {}
    with open(path) as file:
        for line in file:
            event = json.loads(line)
            result = event.get("testResult")
            if not result:
                continue
            key = event["id"]["testResult"]
            report = ""
            for output in result.get("testActionOutput", []):
                if output["name"] == "test.xml":
                    uri = urllib.parse.urlparse(output.get("uri", ""))
                    report = urllib.parse.unquote(uri.path)
            # A later attempt of the same shard overrules an earlier one.
            run = key["label"], key.get("shard", 0), key.get("run", 0)
            results[run] = key["label"], result["status"] == "PASSED", report
    return list(results.values())


def methods(report: str) -> list[tuple[str, str]]:
    """Returns (name, "passed", "failed" or "skipped") of each method in a test.xml."""
    try:
        cases = ElementTree.parse(report).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return []
    found = []
    for case in cases:
        # tf.test.TestCase has a context manager of this name, which it skips.
        if case.get("name") == "test_session":
            continue
        children = {child.tag for child in case}
        outcome = "passed"
        if children & {"failure", "error"}:
            outcome = "failed"
        elif (
            "skipped" in children
            or case.get("status") in ("skipped", "notrun")
            or case.get("result") in ("skipped", "suppressed")
        ):
            outcome = "skipped"
        name = f"{case.get('classname', '')}.{case.get('name', '')}"
        found.append((name.strip("."), outcome))
    return found


def main(arguments: list[str]) -> int:
    """Prints the summary of the run that the arguments name."""
    totals = collections.Counter()
    for file in warned_files(arguments[0]):
        totals["failed"] += 1
        print(f"FAILED: {file}: the compiler warns of it")
    for label, passed, report in test_results(arguments[0]):
        cases = methods(report) if report and os.path.exists(report) else []
        counts = collections.Counter(outcome for _, outcome in cases)
        if not passed and not counts["failed"]:
            # It broke outside a method: a crash, a time-out, an import error.
            cases.append(("", "failed"))
        elif passed and not cases:
            cases.append(("", "passed"))
        for name, outcome in cases:
            totals[outcome] += 1
            if outcome == "failed":
                print(f"FAILED: {label} {name}".rstrip())
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    print(f"{totals['passed']} passed, {totals['failed']} failed{skipped}")
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
