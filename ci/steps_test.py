"""Runs steps.py in a repository of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

_STEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "steps.py")


class StepsTest(unittest.TestCase):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(self.path("ci"))
        shutil.copy(_STEPS, self.path("ci"))
        self.write(".gitignore", "/ci/.state/\n/ran\n")
        for arguments in (
            ["init", "--quiet"],
            ["add", "--all"],
            ["commit", "--quiet", "--message=first"],
        ):
            names = ["-c", "user.name=a", "-c", "user.email=a@localhost"]
            subprocess.run(
                ["git", *names, *arguments], cwd=self.folder, check=True
            )

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, text: str) -> None:
        with open(self.path(name), "w") as file:
            file.write(text)

    def start(self, commands: str, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, self.path("ci/steps.py"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        process.stdin.write(commands)
        process.stdin.close()
        return process

    def run_steps(self, commands: str, *arguments: str) -> tuple[int, str]:
        process = self.start(commands, *arguments)
        with process:
            output = process.stdout.read()
        return process.returncode, output

    def step(self, name: str, then: str = "exit 0") -> str:
        """A command that notes that it ran."""
        return f"bash -c 'echo {name} >>ran; {then}'\n"

    def ran(self) -> str:
        with open(self.path("ran")) as file:
            return file.read().replace("\n", "")

    def test_the_last_line_sums_up_and_a_table_has_each_step(self) -> None:
        status, output = self.run_steps(
            "echo 3 passed, 1 failed, 2 skipped\n"
            "bash -c 'echo 4 passed, 2 failed; exit 1'\n"
            "bash -c 'exit 7'\n"
        )
        self.assertEqual(status, 1)
        lines = output.splitlines()
        self.assertEqual(lines[-1], "7 passed, 4 failed, 2 skipped")
        self.assertRegex(lines[-2], r"^all .*\|      7 \|      4 \|   0:0\d$")
        self.assertRegex(lines[-3], r"^bash.* failed .*\|      0 \|      1 \|")
        self.assertRegex(lines[-5], r"^echo .* passed .*\|      3 \|      1 \|")

    def test_what_passed_is_run_again_with_other_files_or_a_restart(self):
        steps = self.step("a") + self.step("b", "exit 1") + self.step("c")
        resume = ["--resume"]
        for arguments, ran in [
            (resume, "abc"),
            (resume, "abcb"),
            ([*resume, "--restart"], "abcbabc"),
            ([], "abcbabcabc"),
        ]:
            self.assertEqual(self.run_steps(steps, *arguments)[0], 1)
            self.assertEqual(self.ran(), ran)
        self.write("new", "")
        self.run_steps(steps, *resume)
        self.assertEqual(self.ran(), "abcbabcabcabc")

    def test_an_interrupt_ends_it_and_keeps_what_passed(self) -> None:
        steps = self.step("a", "echo 5 passed, 0 failed")
        slow = self.step("b", "sleep 60")
        process = self.start(steps + slow + self.step("c"), "--resume")
        while not os.path.exists(self.path("ran")) or self.ran() != "ab":
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        with process:
            lines = process.stdout.read().splitlines()
        self.assertEqual(process.returncode, 130)
        self.assertEqual(lines[-1], "5 passed, 0 failed")
        self.assertIn("interrupted", lines[-3])
        self.run_steps(steps, "--resume")
        self.assertEqual(self.ran(), "ab")


if __name__ == "__main__":
    unittest.main()
