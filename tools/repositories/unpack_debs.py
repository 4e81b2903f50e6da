"""Unpacks Debian packages into one folder that works wherever it stands.

Run by the repository rule `debian_root` with whatever Python 3 the machine has
(3.9 or newer), so it keeps to the standard library.

    unpack_debs.py --spec=SPEC.json --packages=DIR --root=DIR --tool_libraries=DIR

The packages are trusted only as far as their hashes, which the rule checked;
still, nothing is written outside the root, and no link in it leads out. Files are
written first, into folders that are none but real ones, then hard links, then
symbolic links: so no path of a member leads through a link, whatever packages say.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import io
import json
import lzma
import os
import posixpath
import shutil
import stat
import sys
import tarfile

# What is opened must be new: a link in its place is not followed.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_AR_MAGIC = b"!<arch>\n"
_AR_HEADER_SIZE = 60

# The host's own glibc must serve the tools: two glibcs in one process crash it.
_GLIBC = (
    "ld-linux*",
    "libBrokenLocale*",
    "libanl*",
    "libc.*",
    "libc_malloc*",
    "libdl.*",
    "libm.*",
    "libmemusage*",
    "libmvec*",
    "libnsl.*",
    "libnss_*",
    "libpcprofile*",
    "libpthread*",
    "libresolv*",
    "librt.*",
    "libthread_db*",
    "libutil.*",
)


class UnpackError(Exception):
    """A package that cannot be unpacked; the message names it and says why."""


def data_archive(package: str) -> bytes:
    """Returns the uncompressed tar of a .deb's files.

    A .deb is an `ar` archive: 60-byte headers with the member's name first and its
    size, in decimal, at offset 48; members are padded to even offsets.
    """
    with open(package, "rb") as file:
        if file.read(len(_AR_MAGIC)) != _AR_MAGIC:
            raise UnpackError(f"{package} is not a Debian package")
        while True:
            header = file.read(_AR_HEADER_SIZE)
            if not header:
                raise UnpackError(f"{package} has no data archive")
            if len(header) < _AR_HEADER_SIZE or header[58:] != b"`\n":
                raise UnpackError(f"{package} is cut short or damaged")
            name = header[:16].decode("ascii", "replace").strip().rstrip("/")
            if not header[48:58].strip().isdigit():
                raise UnpackError(f"{package} is cut short or damaged")
            size = int(header[48:58])
            content = file.read(size + size % 2)
            if len(content) < size:
                raise UnpackError(f"{package} is cut short in {name}")
            if name == "data.tar.xz":
                try:
                    return lzma.decompress(content[:size])
                except lzma.LZMAError as error:
                    raise UnpackError(f"{package}: {error}") from error
            if name.startswith("data.tar"):
                raise UnpackError(
                    f"{package} holds {name}; only data.tar.xz is understood"
                )


def wanted(path: str, skip: list[str], keep: list[str]) -> bool:
    """Whether a path, relative to the root, is unpacked: `keep` overrules `skip`."""
    return any(
        fnmatch.fnmatchcase(path, pattern) for pattern in keep
    ) or not any(fnmatch.fnmatchcase(path, pattern) for pattern in skip)


@dataclasses.dataclass
class Link:
    """A link that a package has, to be made when all files are there."""

    package: str
    path: str  # Relative to the root, as the hard link's target.
    target: str
    is_hard: bool


def path_in_root(name: str, what: str) -> str:
    """Returns a member's name as a path relative to the root."""
    path = posixpath.normpath(name)
    if path.startswith(("/", "../")) or path == "..":
        raise UnpackError(f"{what} {name} leaves the root")
    return path


def unpack(
    package: str, root: str, skip: list[str], keep: list[str]
) -> list[Link]:
    """Writes the files of one .deb into `root`; returns the links that it has."""
    content = io.BytesIO(data_archive(package))
    links = []
    try:
        with tarfile.open(fileobj=content, mode="r:") as archive:
            for member in archive:
                path = path_in_root(member.name, "member")
                if (
                    path == "."
                    or member.isdir()
                    or not wanted(path, skip, keep)
                ):
                    continue
                if member.islnk():
                    target = path_in_root(
                        member.linkname, f"hard link {path} to"
                    )
                    links.append(Link(package, path, target, is_hard=True))
                elif member.issym():
                    target = member.linkname
                    links.append(Link(package, path, target, is_hard=False))
                else:
                    write_file(archive, member, path, root)
    except (UnpackError, tarfile.TarError, OSError) as error:
        raise UnpackError(f"{package}: {error}") from error
    return links


def write_file(
    archive: tarfile.TarFile, member: tarfile.TarInfo, path: str, root: str
) -> None:
    """Writes one file of an archive, which must be new, to its path in the root."""
    if not member.isfile():
        raise UnpackError(f"{path} is neither a file nor a link")
    source = archive.extractfile(member)
    assert source is not None
    destination = os.path.join(root, path)
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    with source, open(os.open(destination, _NEW_FILE), "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    executable = member.mode & stat.S_IXUSR
    os.chmod(destination, 0o755 if executable else 0o644)
    # One time for all: caches that look at it must not see the unpacking.
    os.utime(destination, (0, 0))


def make_links(root: str, links: list[Link]) -> None:
    """Makes the links of all packages, hard ones first, in a root of files only.

    Raises:
      UnpackError: If a link is behind a link, or leads out of the root, be it by
        way of others.
    """
    real_root = os.path.realpath(root)
    for link in sorted(links, key=lambda link: not link.is_hard):
        destination = os.path.join(real_root, link.path)
        folder = os.path.dirname(destination)
        try:
            if os.path.realpath(folder) != folder:
                raise UnpackError(f"{link.path} is behind a link")
            os.makedirs(folder, exist_ok=True)
            if link.is_hard:
                os.link(os.path.join(real_root, link.target), destination)
            else:
                os.symlink(inside(link.path, link.target), destination)
        except (UnpackError, OSError) as error:
            raise UnpackError(f"{link.package}: {error}") from error
    for link in links:
        # Only now do all the links exist that a target may lead through.
        leads_to = os.path.realpath(os.path.join(real_root, link.path))
        if os.path.commonpath([leads_to, real_root]) != real_root:
            raise UnpackError(
                f"{link.package}: link {link.path} -> {link.target} leaves "
                "the root"
            )


def inside(path: str, target: str) -> str:
    """The target of the symbolic link `path`, a relative one if it is absolute."""
    if target.startswith("/"):
        folder = posixpath.dirname(path) or "."
        return posixpath.relpath(target.lstrip("/") or ".", folder)
    return target


def link_tool_libraries(root: str, folder: str, sources: list[str]) -> None:
    """Fills `folder` with links to the shared libraries that the root's tools load.

    Args:
      root: the unpacked root.
      folder: the folder to make, beside or in the root.
      sources: folders of the root that hold shared libraries.
    """
    os.makedirs(folder)
    chosen: dict[str, str] = {}
    for source in sources:
        directory = os.path.join(root, source)
        if not os.path.isdir(directory):
            raise UnpackError(f"no folder {source} in the unpacked root")
        for name in sorted(os.listdir(directory)):
            library = ".so." in name or name.endswith(".so")
            if library and not any(
                fnmatch.fnmatchcase(name, g) for g in _GLIBC
            ):
                chosen.setdefault(name, os.path.join(directory, name))
    for name, path in chosen.items():
        os.symlink(os.path.relpath(path, folder), os.path.join(folder, name))


def drop_broken_links(folder: str) -> None:
    """Removes the links in `folder` whose target no package brought.

    A remote cache or executor cannot take a folder that has such a link.
    """
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            if not os.path.exists(path):
                os.unlink(path)


def main(arguments: list[str]) -> int:
    """Unpacks what the spec names; says in one line what went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--spec", required=True)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--tool_libraries", required=True)
    options = parser.parse_args(arguments)
    with open(options.spec) as file:
        spec = json.load(file)
    os.makedirs(options.root)
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [
                pool.submit(
                    unpack,
                    os.path.join(options.packages, package["name"] + ".deb"),
                    options.root,
                    spec["skip"],
                    spec["keep"],
                )
                for package in spec["packages"]
            ]
            links = [link for job in jobs for link in job.result()]
        make_links(options.root, links)
        link_tool_libraries(
            options.root, options.tool_libraries, spec["tool_libraries"]
        )
        drop_broken_links(options.root)
        drop_broken_links(options.tool_libraries)
    except (UnpackError, OSError) as error:
        for folder in (options.root, options.tool_libraries):
            shutil.rmtree(folder, ignore_errors=True)
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
