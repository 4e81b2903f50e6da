"""Holds the declared C API against what the library exports.

Arguments: the library, then the headers.
"""

import re
import sys

from absl.testing import absltest

from third_party.tensorflow.lite.c import exported_symbols

# What the library exports and these headers leave undeclared: the asynchronous
# API, Android's NNAPI, entry points that the library keeps for binaries built
# with older releases, and a function that c_api.h replaces.
_UNDECLARED = re.compile(
    r"TfLite(BackendBuffer|Synchronization|NnapiDelegate)\w+"
    r"|TfLiteInterpreterOptionsSetOpResolver(V\d|ExternalWithFallback)"
    r"|TfLiteOperatorCreate"
)


class CApiSymbolsTest(absltest.TestCase):
    """The headers' functions and the library's are the same."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        library, *headers = _PATHS
        cls.exported = exported_symbols.exported_symbols(library)
        cls.declared = {
            header: exported_symbols.declared_functions(
                header, "TFL_CAPI_EXPORT"
            )
            for header in headers
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
