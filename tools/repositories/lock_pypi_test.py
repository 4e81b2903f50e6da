"""What a lock holds of what pip resolved."""

import os
import tempfile
import unittest

from tools.repositories import lock_pypi


def _entry(name):
    return {
        "metadata": {"name": name, "version": "1.0"},
        "download_info": {"archive_info": {"hashes": {"sha256": "00" + name}}},
    }


_REPORT = [_entry("b_c"), _entry("A")]


class LockTest(unittest.TestCase):
    def test_lock_has_all_that_was_resolved_sorted_by_name(self):
        self.assertEqual(
            lock_pypi.lock_text("x.in", _REPORT, set()).splitlines()[1:],
            ["a==1.0 --hash=sha256:00A", "b-c==1.0 --hash=sha256:00b_c"],
        )

    def test_lock_has_nothing_that_is_left_out(self):
        self.assertEqual(
            lock_pypi.lock_text("x.in", _REPORT, {"a"}).splitlines()[1:],
            ["b-c==1.0 --hash=sha256:00b_c"],
        )

    def test_leaving_out_what_nothing_requires_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "x.in leaves out .*'d'"):
            lock_pypi.lock_text("x.in", _REPORT, {"d"})

    def test_names_to_leave_out_are_read_from_their_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.in")
            with open(path, "w") as file:
                file.write("# Why.\n# lock_pypi leaves out: a b-c\nd\n")
            self.assertEqual(lock_pypi.left_out(path), {"a", "b-c"})

    def test_dependencies_are_left_out_for_a_line_that_says_so(self):
        line = "# lock_pypi leaves out all dependencies"
        self.assertTrue(lock_pypi.leaves_out_dependencies(f"# Why.\n{line}\n"))
        self.assertFalse(
            lock_pypi.leaves_out_dependencies("# lock_pypi leaves out: a\nd\n")
        )


if __name__ == "__main__":
    unittest.main()
