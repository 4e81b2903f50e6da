"""Tests of unpack_debs on packages that the tests make themselves."""

import contextlib
import dataclasses
import io
import json
import lzma
import os
import shutil
import tarfile
import tempfile
import unittest
from collections.abc import Iterable

from tools.repositories import unpack_debs


@dataclasses.dataclass
class Special:
    """A member of a type of `tarfile`'s, such as a hard link to another."""

    type: bytes
    linkname: str = ""


# Bytes make a file, text makes a symbolic link to it.
Content = bytes | str | Special


def make_tar(members: Iterable[tuple[str, Content]]) -> bytes:
    """Returns a tar with these members, in this order."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                info.mode = 0o755 if "/bin/" in name else 0o644
                archive.addfile(info, io.BytesIO(content))
                continue
            if isinstance(content, str):
                content = Special(tarfile.SYMTYPE, content)
            info.type, info.linkname = content.type, content.linkname
            archive.addfile(info)
    return buffer.getvalue()


def make_deb(
    members: dict[str, Content] | list[tuple[str, Content]],
    data: bytes | None = None,
    name="data.tar.xz",
) -> bytes:
    """Returns a Debian package with these files, or with this data archive."""
    if data is None:
        pairs = members.items() if isinstance(members, dict) else members
        data = lzma.compress(make_tar(pairs))
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
        for name in ("../../etc/passwd", "/etc/passwd", "a/../../x", ".."):
            with self.subTest(name=name):
                self.assert_refused(
                    {"a": make_deb({name: b""})},
                    f"a.deb: member {name} leaves the root",
                )
        self.assert_refused(
            {"a": make_deb({"./usr/l": "../../../etc"})},
            "a.deb: link usr/l -> ../../../etc leaves the root",
        )

    def assert_refused_and_nothing_is_outside(self, members, message):
        victim = os.path.join(self.folder, "victim")
        with open(victim, "w") as file:
            file.write("as it was")
        before = {*os.listdir(self.folder), "spec.json"}
        self.assert_refused({"a": make_deb(members)}, "a.deb: " + message)
        self.assertEqual(set(os.listdir(self.folder)), before)
        self.assertEqual(os.stat(victim).st_nlink, 1)
        with open(victim) as file:
            self.assertEqual(file.read(), "as it was")

    def test_a_chain_of_links_that_leads_out_is_refused(self):
        # Each stays in the root by its letters: p/q is the root, and p/q/.. is
        # above it.
        chain = [("p/q", ".."), ("e", "p/q/..")]
        message = "link e -> p/q/.. leaves the root"
        self.assert_refused_and_nothing_is_outside(chain, message)
        for written in ("e/x", "e/victim", "e/root/x"):
            for members in (
                [*chain, (written, b"x")],
                [(written, b"x"), *chain],
            ):
                with self.subTest(members=members):
                    self.assert_refused_and_nothing_is_outside(
                        members, "[Errno 17] File exists"
                    )
        self.assert_refused_and_nothing_is_outside(
            [("q", ".."), ("e", "p/q/.."), ("e/x", b"x")], "[Errno 17] "
        )
        self.assert_refused_and_nothing_is_outside(
            [*chain, ("e/x", "y")], "e/x is behind a link"
        )
        self.assert_refused_and_nothing_is_outside(
            [*chain, ("e/x", Special(tarfile.LNKTYPE, "e/victim"))],
            "[Errno 2] ",
        )

    def test_a_chain_of_links_through_two_packages_is_refused(self):
        self.assert_refused(
            {
                "a": make_deb({"p/q": ".."}),
                "b": make_deb({"e": "p/q/..", "p/z": b""}),
            },
            "b.deb: link e -> p/q/.. leaves the root",
        )

    def test_a_link_in_place_of_a_folder_between_two_members_is_refused(self):
        for link in ("..", "/etc", os.path.join(self.folder, "victim")):
            self.assert_refused_and_nothing_is_outside(
                [("d/one", b"1"), ("d", link), ("d/victim", b"2")],
                "[Errno 17] File exists",
            )

    def test_a_file_in_place_of_a_link_is_refused(self):
        self.assert_refused_and_nothing_is_outside(
            [("x", "../victim"), ("x", b"written through the link")],
            "[Errno 17] File exists",
        )
        self.assert_refused_and_nothing_is_outside(
            [("x", b"1"), ("x", b"2")], "[Errno 17] File exists"
        )

    def test_hard_links_share_a_file_of_the_root_and_no_other(self):
        hard = Special(tarfile.LNKTYPE, "./lib/a")
        self.unpack({"a": make_deb({"./bin/b": hard, "./lib/a": b"a"})})
        with open(os.path.join(self.root, "bin/b"), "rb") as file:
            self.assertEqual(file.read(), b"a")
        shutil.rmtree(self.root)
        shutil.rmtree(self.libraries)
        victim = os.path.join(self.folder, "victim")
        for target in ("../victim", victim, "a/../../victim"):
            with self.subTest(target=target):
                hard = Special(tarfile.LNKTYPE, target)
                self.assert_refused_and_nothing_is_outside(
                    [("x", hard), ("x", b"written through the link")],
                    f"hard link x to {target} leaves the root",
                )
        for members in (
            [("l", "../victim"), ("x", Special(tarfile.LNKTYPE, "l"))],
            [("x", Special(tarfile.LNKTYPE, "nowhere"))],
        ):
            self.assert_refused_and_nothing_is_outside(members, "[Errno 2] ")

    def test_devices_and_pipes_are_refused_by_name(self):
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
            self.assert_refused(
                {"a": make_deb({"dev/null": Special(kind)})},
                "a.deb: dev/null is neither a file nor a link",
            )

    def test_links_of_the_root_to_itself_are_kept(self):
        self.unpack(
            {
                "a": make_deb(
                    {
                        "lib64": "/usr/lib",
                        "usr/lib/root": "../..",
                        "usr/lib/loop": "root/usr/lib",
                        "usr/lib/all": "/",
                        "usr/lib/a": b"a",
                    }
                )
            }
        )
        for path in ("lib64/a", "usr/lib/loop/a", "usr/lib/all/lib64/a"):
            with open(os.path.join(self.root, path), "rb") as file:
                self.assertEqual(file.read(), b"a")

    def test_a_folder_of_libraries_that_is_not_there_is_named(self):
        self.assert_refused(
            {"a": make_deb({"./usr/x": b""})},
            "no folder usr/lib in the unpacked root",
            tool_libraries=["usr/lib"],
        )


if __name__ == "__main__":
    unittest.main()
