"""Tests of unpack_debs on packages that the tests make themselves."""

import contextlib
import io
import json
import lzma
import os
import tarfile
import tempfile
import unittest

from tools.repositories import unpack_debs


def make_tar(members: dict[str, bytes | str]) -> bytes:
    """Returns a tar: bytes make a file, text makes a symbolic link to it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type = tarfile.SYMTYPE
                info.linkname = content
                archive.addfile(info)
            else:
                info.size = len(content)
                info.mode = 0o755 if "/bin/" in name else 0o644
                archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def make_deb(
    members: dict[str, bytes | str],
    data: bytes | None = None,
    name="data.tar.xz",
) -> bytes:
    """Returns a Debian package with these files, or with this data archive."""
    if data is None:
        data = lzma.compress(make_tar(members))
    package = b"!<arch>\n"
    for member, content in (("debian-binary", b"2.0\n"), (name, data)):
        header = (
            f"{member:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        )
        package += header.encode() + content + b"\n" * (len(content) % 2)
    return package


class UnpackDebsTest(unittest.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.packages = os.path.join(self.folder, "packages")
        self.root = os.path.join(self.folder, "root")
        self.libraries = os.path.join(self.folder, "tool_libraries")
        os.mkdir(self.packages)

    def unpack(self, debs: dict[str, bytes], **spec) -> tuple[int, str]:
        """Runs the program on packages; returns exit status and stderr."""
        for name, content in debs.items():
            with open(os.path.join(self.packages, name + ".deb"), "wb") as file:
                file.write(content)
        spec = {
            "packages": [{"name": name} for name in debs],
            "skip": [],
            "keep": [],
            "tool_libraries": [],
            **spec,
        }
        path = os.path.join(self.folder, "spec.json")
        with open(path, "w") as file:
            json.dump(spec, file)
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            status = unpack_debs.main(
                [
                    f"--spec={path}",
                    f"--packages={self.packages}",
                    f"--root={self.root}",
                    f"--tool_libraries={self.libraries}",
                ]
            )
        return status, stderr.getvalue()

    def assert_refused(self, debs: dict[str, bytes], message: str, **spec):
        status, stderr = self.unpack(debs, **spec)
        self.assertEqual(status, 1)
        self.assertIn(message, stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertFalse(os.path.exists(self.root))
        self.assertFalse(os.path.exists(self.libraries))

    def test_files_keep_their_content_and_executable_bit(self):
        status, stderr = self.unpack(
            {
                "a": make_deb(
                    {"./usr/bin/tool": b"#!", "./usr/lib/x.h": b"int x;"}
                )
            }
        )
        self.assertEqual((status, stderr), (0, ""))
        with open(os.path.join(self.root, "usr/lib/x.h"), "rb") as file:
            self.assertEqual(file.read(), b"int x;")
        self.assertTrue(
            os.access(os.path.join(self.root, "usr/bin/tool"), os.X_OK)
        )
        self.assertEqual(os.stat(file.name).st_mode & 0o777, 0o644)

    def test_absolute_links_stay_in_the_root(self):
        members = {"./lib64/ld.so": "/lib/x/ld.so", "./lib/x/ld.so": b""}
        self.unpack({"a": make_deb(members)})
        self.assertEqual(
            os.readlink(os.path.join(self.root, "lib64/ld.so")),
            "../lib/x/ld.so",
        )

    def test_skip_leaves_out_and_keep_overrules_it(self):
        self.unpack(
            {"a": make_deb({"./usr/bin/a": b"a", "./usr/bin/b": b"b"})},
            skip=["usr/bin/*"],
            keep=["usr/bin/b"],
        )
        self.assertEqual(os.listdir(os.path.join(self.root, "usr/bin")), ["b"])

    def test_tool_libraries_leave_out_glibc(self):
        self.unpack(
            {
                "a": make_deb(
                    {
                        "./lib/libc.so.6": b"",
                        "./lib/libm.so.6": b"",
                        "./lib/libz.so.1": b"z",
                        "./lib/ld-linux-x86-64.so.2": b"",
                    }
                )
            },
            tool_libraries=["lib"],
        )
        self.assertEqual(os.listdir(self.libraries), ["libz.so.1"])
        with open(os.path.join(self.libraries, "libz.so.1"), "rb") as file:
            self.assertEqual(file.read(), b"z")

    def test_links_that_lead_nowhere_are_left_out(self):
        self.unpack(
            {
                "p": make_deb(
                    {
                        "./lib/liba.so.1": b"",
                        "./lib/liba.so": "liba.so.1",
                        "./lib/libb.so": "libb.so.2",
                        "./lib/libc2.so": "libb.so",
                        "./folder": "usr/nowhere",
                    }
                )
            },
            tool_libraries=["lib"],
        )
        self.assertEqual(os.listdir(self.root), ["lib"])
        kept = ["liba.so", "liba.so.1"]
        self.assertEqual(sorted(os.listdir(self.root + "/lib")), kept)
        self.assertEqual(sorted(os.listdir(self.libraries)), kept)

    def test_a_cut_package_is_refused_and_leaves_nothing(self):
        whole = make_deb({"./usr/x": b"x" * 5000})
        good = make_deb({"./usr/y": b"y"})
        for size in (0, 4, 30, 100, len(whole) - 50):
            with self.subTest(size=size):
                self.assert_refused(
                    {"good": good, "cut": whole[:size]}, "cut.deb"
                )

    def test_a_damaged_archive_is_refused(self):
        self.assert_refused(
            {"a": make_deb({}, data=b"no xz at all")},
            "a.deb: Input format not supported",
        )
        self.assert_refused(
            {"a": make_deb({}, lzma.compress(b"no tar" * 999))}, "a.deb: "
        )

    def test_another_compression_is_refused_by_name(self):
        self.assert_refused(
            {"a": make_deb({}, data=b"", name="data.tar.zst")},
            "holds data.tar.zst; only data.tar.xz is understood",
        )

    def test_members_that_leave_the_root_are_refused(self):
        self.assert_refused(
            {"a": make_deb({"../../etc/passwd": b""})}, "leaves the root"
        )
        self.assert_refused(
            {"a": make_deb({"./usr/l": "../../../etc"})},
            "link usr/l -> ../../../etc leaves the root",
        )

    def test_a_folder_of_libraries_that_is_not_there_is_named(self):
        self.assert_refused(
            {"a": make_deb({"./usr/x": b""})},
            "no folder usr/lib in the unpacked root",
            tool_libraries=["usr/lib"],
        )


if __name__ == "__main__":
    unittest.main()
