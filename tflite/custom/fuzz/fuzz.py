"""Runs a libFuzzer target: `fuzz TARGET [libFuzzer's flags]`.

Keeps what it finds worth trying in ~/.cache/tflite_custom_fuzz/TARGET, and puts
an input that crashes where the command was typed.
"""

import os
import struct
import sys

_TARGETS = ("kernel", "model")


def _unpack(seeds: str, folder: str) -> None:
    with open(seeds, "rb") as file:
        number = 0
        while size := file.read(4):
            (length,) = struct.unpack("<I", size)
            with open(os.path.join(folder, f"seed_{number}"), "wb") as seed:
                seed.write(file.read(length))
            number += 1


def main(arguments: list[str]) -> int:
    """Becomes the target that the first argument names."""
    if not arguments or arguments[0] not in _TARGETS:
        print(f"ERROR: name one of {', '.join(_TARGETS)}", file=sys.stderr)
        return 1
    target, *flags = arguments
    here = os.path.dirname(os.path.abspath(__file__))
    corpus = os.path.expanduser(f"~/.cache/tflite_custom_fuzz/{target}")
    os.makedirs(corpus, exist_ok=True)
    _unpack(os.path.join(here, f"{target}_seeds.bin"), corpus)
    binary = os.path.join(here, f"{target}_fuzzer")
    typed_in = os.environ.get("BUILD_WORKING_DIRECTORY")
    if typed_in is not None:
        os.chdir(typed_in)
    os.execv(binary, [binary, "-timeout=60", *flags, corpus])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
