"""Holds the declared part of LiteRT's C API against what the library exports.

Arguments: the library, then the headers.
"""

import sys

from absl.testing import absltest

from third_party.tensorflow.lite.c import exported_symbols


class LiteRtSymbolsTest(absltest.TestCase):
    """What the headers declare, the library has."""

    def test_every_declared_function_is_exported(self) -> None:
        library, *headers = _PATHS
        exported = exported_symbols.exported_symbols(library)
        declared = {
            header: exported_symbols.declared_functions(
                header, "LITERT_CAPI_EXPORT"
            )
            for header in headers
        }
        for header, names in declared.items():
            self.assertEmpty(
                names - exported, f"declared in {header}, not exported"
            )
        self.assertIn(
            "LiteRtAddCustomOpKernelOption", set().union(*declared.values())
        )


_PATHS = [argument for argument in sys.argv if argument.endswith((".so", ".h"))]

if __name__ == "__main__":
    sys.argv = [argument for argument in sys.argv if argument not in _PATHS]
    absltest.main()
