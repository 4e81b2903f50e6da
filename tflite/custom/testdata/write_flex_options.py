"""Writes the FlexBuffers that flex_options_test.cc reads, with Python's writer.

Usage: write_flex_options OPTIONS WIDE_OPTIONS
"""

import sys
from collections.abc import Sequence

from flatbuffers import flexbuffers


def _options(padding: int) -> bytes:
    builder = flexbuffers.Builder()
    with builder.Map():
        builder.Bool("adjoint", True)
        builder.Int("int", 7)
        builder.Int("negative", -3)
        builder.IndirectInt("big", 1 << 40)
        builder.IndirectFloat("double", 0.1)
        builder.Float("float", 0.5)
        builder.String("string", "lower")
        builder.String("empty", "")
        builder.Null("null")
        # Beyond 255 bytes every offset and value needs two, and so on.
        builder.String("padding", "x" * padding)
        with builder.Map("map"):
            builder.Int("int", 8)
        with builder.Vector("vector"):
            builder.Int(9)
            builder.String("ten")
        with builder.Vector("ints"):
            for each in (1, -2, 300):
                builder.Int(each)
        with builder.Vector("mixed"):
            builder.Int(1)
            builder.IndirectInt(-2)
            builder.IndirectInt(1 << 40)
        with builder.TypedVector("typed"):
            for each in (5, 60000, 7, 8, 9):
                builder.UInt(each)
        builder.FixedTypedVectorFromElements("fixed", [-4, 6])
        builder.FixedTypedVectorFromElements("floats", [0.5, 1.5])
        with builder.Vector("nothing"):
            pass
    return bytes(builder.Finish())


def main(argv: Sequence[str]) -> None:
    """Writes both files."""
    for path, padding in zip(argv[1:], (0, 300), strict=True):
        with open(path, "wb") as file:
            file.write(_options(padding))


if __name__ == "__main__":
    main(sys.argv)
