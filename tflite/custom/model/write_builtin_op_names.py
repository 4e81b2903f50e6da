"""Writes the enumerators of builtin_ops.h as rows of a C++ table."""

import argparse
import re
import sys

_ENUMERATOR = re.compile(r"^ *kTfLiteBuiltin(\w+) = (\d+),$", re.MULTILINE)


def rows(header: str) -> str:
    """Returns a line `{code, "name"},` for each op.

    Args:
        header: The text of builtin_ops.h.

    Raises:
        ValueError: There is no op in `header`.
    """
    ops = _ENUMERATOR.findall(header)
    if not ops:
        raise ValueError("no line is like '  kTfLiteBuiltinAdd = 0,'")
    return "".join(f'{{{code}, "{name}"}},\n' for name, code in ops)


def main() -> None:
    """Reads the header and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("header", help="builtin_ops.h")
    parser.add_argument("output", help="the file to write")
    arguments = parser.parse_args()
    with open(arguments.header, encoding="utf-8") as file:
        header = file.read()
    try:
        table = rows(header)
    except ValueError as error:
        sys.exit(f"{arguments.header}: {error}")
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(table)


if __name__ == "__main__":
    main()
