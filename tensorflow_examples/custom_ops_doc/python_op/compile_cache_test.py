"""Tests of the compile cache with files of a few bytes."""

import os
import pathlib
import tempfile
import threading
import unittest
import unittest.mock
import warnings

from tensorflow_examples.custom_ops_doc.python_op import compile_cache

_KEY = "ab" * 32
_OTHER_KEY = "cd" * 32


class CompileCacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "cache"
        self.cache = compile_cache.CompileCache(str(self.folder))
        self.builds = 0

    def build(self, content: bytes = b"library"):
        def write(folder: str) -> str:
            self.builds += 1
            path = pathlib.Path(folder, "module.so")
            path.write_bytes(content)
            return str(path)

        return write

    def files(self) -> list[str]:
        return [
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.is_file()
        ]

    def test_what_is_there_is_not_built_again(self):
        first = self.cache.get(_KEY, self.build())
        second = self.cache.get(_KEY, self.build())
        self.assertEqual(first, second)
        self.assertEqual(pathlib.Path(first).read_bytes(), b"library")
        self.assertEqual(self.builds, 1)

    def test_keys_have_entries_of_their_own(self):
        first = self.cache.get(_KEY, self.build(b"first"))
        second = self.cache.get(_OTHER_KEY, self.build(b"second"))
        self.assertEqual(pathlib.Path(first).read_bytes(), b"first")
        self.assertEqual(pathlib.Path(second).read_bytes(), b"second")

    def test_what_was_cut_or_changed_is_built_anew(self):
        for damage in (b"", b"lib", b"Library"):
            path = pathlib.Path(self.cache.get(_KEY, self.build()))
            path.write_bytes(damage)
            self.assertIsNone(self.cache.find(_KEY))
            mended = pathlib.Path(self.cache.get(_KEY, self.build()))
            self.assertEqual(mended.read_bytes(), b"library")
        self.assertEqual(self.builds, 4)
        self.assertEqual(len(self.files()), 1)

    def test_a_build_that_raises_leaves_nothing(self):
        for error in (KeyboardInterrupt, ValueError):

            def fail(folder: str, error=error) -> str:
                pathlib.Path(folder, "half.so").write_bytes(b"half")
                raise error

            with self.assertRaises(error):
                self.cache.get(_KEY, fail)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_builds_at_once_leave_one_whole_entry(self):
        meet = threading.Barrier(4)
        paths = []

        def build(folder: str) -> str:
            meet.wait()
            return self.build()(folder)

        threads = [
            threading.Thread(
                target=lambda: paths.append(self.cache.get(_KEY, build))
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(paths), 4)
        self.assertEqual(len(set(paths)), 1)
        self.assertEqual(pathlib.Path(paths[0]).read_bytes(), b"library")
        self.assertEqual(len(self.files()), 1)

    def test_what_a_killed_process_left_goes_after_a_day(self):
        old = self.folder / "unfinished-old"
        young = self.folder / "unfinished-young"
        for folder in (old, young):
            folder.mkdir(parents=True)
            (folder / "module.so").write_bytes(b"half")
        os.utime(old, (0, 0))
        self.cache.get(_KEY, self.build())
        self.assertFalse(old.exists())
        self.assertTrue(young.exists())

    def test_a_folder_that_cannot_be_written_gives_way_to_a_temporary_one_with_one_warning(
        self,
    ):
        file = self.folder.parent / "file"
        file.write_bytes(b"")
        for folder in (str(file / "cache"), "/proc/cache"):
            cache = compile_cache.CompileCache(folder)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                path = cache.get(_KEY, self.build())
                cache.get(_OTHER_KEY, self.build())
            self.assertEqual(pathlib.Path(path).read_bytes(), b"library")
            self.assertEqual(
                [w.category for w in caught],
                [compile_cache.CompileCacheWarning],
            )
            self.assertIn(folder, str(caught[0].message))
        # The temporary folder is one, and its entries are used again.
        self.assertEqual(self.builds, 2)

    def test_a_folder_that_cannot_be_written_still_serves_what_it_has(self):
        path = self.cache.get(_KEY, self.build())
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(self.cache.get(_KEY, self.build()), path)
        self.assertEqual(self.builds, 1)


class DefaultFolderTest(unittest.TestCase):
    def test_it_is_below_xdg_cache_home_or_the_homes_cache(self):
        with unittest.mock.patch.dict(
            os.environ, {"HOME": "/home/someone", "XDG_CACHE_HOME": "/caches"}
        ):
            self.assertEqual(
                compile_cache.default_folder(), "/caches/tensorflow_python_op"
            )
            os.environ["XDG_CACHE_HOME"] = ""
            self.assertEqual(
                compile_cache.default_folder(),
                "/home/someone/.cache/tensorflow_python_op",
            )


if __name__ == "__main__":
    unittest.main()
