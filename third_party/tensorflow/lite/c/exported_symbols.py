"""What a shared library exports, and what a C header says that it does."""

import re
import struct


def exported_symbols(path: str) -> set[str]:
    """Returns the defined dynamic symbols of a 64-bit little-endian ELF file.

    Raises:
      ValueError: the file is of another kind.
    """
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


def declared_functions(path: str, mark: str) -> set[str]:
    """Returns the functions that a header marks as exported.

    Args:
      path: the header.
      mark: what stands before the declaration of an exported function.

    Raises:
      ValueError: the mark stands before something else.
    """
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*|^#.*", "", file.read(), flags=re.MULTILINE)
    declarations = re.findall(rf"\b{mark}\s([^;#]+);", text)
    names = set()
    for declaration in declarations:
        match = re.match(r"[^(]*?(\w+)\s*\(", declaration)
        if match is None:
            raise ValueError(f"{path}: no function in {declaration!r}")
        names.add(match.group(1))
    return names
