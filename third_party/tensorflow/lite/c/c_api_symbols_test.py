"""Holds the declared C API against what the library exports.

Arguments: the library, then the headers.
"""

import re
import struct
import sys

from absl.testing import absltest

# What the library exports and these headers leave undeclared: the asynchronous
# API, Android's NNAPI, entry points that the library keeps for binaries built
# with older releases, and a function that c_api.h replaces.
_UNDECLARED = re.compile(
    r"TfLite(BackendBuffer|Synchronization|NnapiDelegate)\w+"
    r"|TfLiteInterpreterOptionsSetOpResolver(V\d|ExternalWithFallback)"
    r"|TfLiteOperatorCreate"
)


def exported_symbols(path: str) -> set[str]:
    """Returns the defined dynamic symbols of a 64-bit little-endian ELF file."""
    with open(path, "rb") as file:
        elf = file.read()
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is not a 64-bit little-endian ELF file")
    (section_offset,) = struct.unpack_from("<Q", elf, 0x28)
    section_size, section_count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [
        struct.unpack_from("<IIQQQQII", elf, section_offset + i * section_size)
        for i in range(section_count)
    ]
    symbol_table_type = 11  # SHT_DYNSYM
    names = set()
    for section in sections:
        if section[1] != symbol_table_type:
            continue
        offset, size, link = section[4], section[5], section[6]
        strings = sections[link][4]
        for position in range(offset, offset + size, 24):
            name, _, _, index = struct.unpack_from("<IBBH", elf, position)
            if index != 0:  # SHN_UNDEF
                end = elf.index(b"\0", strings + name)
                names.add(elf[strings + name : end].decode())
    return names


def declared_functions(path: str) -> set[str]:
    """Returns the functions that a header marks as exported."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    declarations = re.findall(r"TFL_CAPI_EXPORT\s([^;#]+);", text)
    names = set()
    for declaration in declarations:
        match = re.match(r"[^(]*?(\w+)\s*\(", declaration)
        if match is None:
            raise ValueError(f"{path}: no function in {declaration!r}")
        names.add(match.group(1))
    return names


class CApiSymbolsTest(absltest.TestCase):
    """The headers' functions and the library's are the same."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        library, *headers = _PATHS
        cls.exported = exported_symbols(library)
        cls.declared = {
            header: declared_functions(header) for header in headers
        }

    def test_every_header_declares_functions(self) -> None:
        for header, names in self.declared.items():
            self.assertNotEmpty(names, header)

    def test_every_declared_function_is_exported(self) -> None:
        for header, names in self.declared.items():
            self.assertEmpty(
                names - self.exported, f"declared in {header}, not exported"
            )

    def test_every_exported_function_is_declared_or_left_out_on_purpose(
        self,
    ) -> None:
        declared = set().union(*self.declared.values())
        left = {
            name
            for name in self.exported - declared
            if name.startswith("TfLite") and not _UNDECLARED.fullmatch(name)
        }
        self.assertEmpty(left, "exported, not declared")


_PATHS = [argument for argument in sys.argv if argument.endswith((".so", ".h"))]

if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument not in _PATHS]
    absltest.main()
