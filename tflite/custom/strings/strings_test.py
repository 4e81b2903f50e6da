"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.every_runtime import run_everywhere
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import custom_op_model

_NUMBERS_IN_WORDS = [
    *("0", "1", "-1", " 42", "42 ", "\t8\n", "007", "-0"),
    *("2147483647", "-2147483648"),
]
_FLOATS_IN_WORDS = [
    *("1.5", ".5", "5.", "-2.5e3", "1E-3", "1e+2", "3.4028236e38"),
    *(
        "inf",
        "-inf",
        "INF",
        "nan",
        "+inf",
        "0.1",
        "16777217",
    ),
    *("1e400", "-1e400", "1e-400"),
    *("123456789.123456789", "1e39", "1e-50", "-1e-50", "1e99999999999"),
]


def _strings(values, shape=None) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = [x if isinstance(x, bytes) else x.encode() for x in values]
    return array.reshape(array.shape if shape is None else shape)


class StringsTest(KernelTestCase):
    """Kernels of //tflite/custom/strings."""

    @parameterized.product(
        dtype=[*NUMBERS, "bool", "complex64"],
        options=[{}, {"width": 12}, {"width": 9, "fill": "0"}, {"fill": "+"}],
    )
    def test_as_string(self, dtype: str, options: dict) -> None:
        if dtype == "bool" and options:
            return  # TensorFlow makes nothing of them either.
        for shape in [(2, 3), (), (0, 2), (5,)]:
            x = np.asarray(10 * random_values(shape)).astype(dtype)
            self.check("AsString", x, **options)

    @parameterized.parameters("float32", "float64", "complex64")
    def test_floats_as_strings(self, dtype: str) -> None:
        x = np.array([*SPECIAL, 1 / 3, 12345678.9, 1e20]).astype(dtype)
        for options in [
            {"precision": 3},
            {"precision": 0},
            {"scientific": True},
            {"shortest": True},
            {"shortest": True, "precision": 12},
            {"scientific": True, "width": 20, "fill": "-", "precision": 2},
        ]:
            self.check("AsString", x, **options)

    @parameterized.parameters("float32", "float64", "int32", "int64")
    def test_string_to_number(self, dtype: str) -> None:
        words = list(_NUMBERS_IN_WORDS)
        if dtype.startswith("float"):
            words += _FLOATS_IN_WORDS
        if dtype == "int64":
            words += ["9223372036854775807", "-9223372036854775808"]
        out_type = tf.as_dtype(dtype)
        self.check("StringToNumber", _strings(words), out_type=out_type)
        for shape in [(2, 2), (4, 1)]:
            x = _strings(words[:4], shape)
            self.check("StringToNumber", x, out_type=out_type)
        empty = np.empty((0, 2), object)
        self.check("StringToNumber", empty, out_type=out_type)
        # TensorFlow 2.16 refuses the first as an integer, and the others but the
        # denormal, of which it makes 0.
        newer = {"+7": 7}
        if dtype.startswith("float"):
            newer |= {"Infinity": np.inf, "nan(1)": np.nan, "1e-45": 1e-45}
            newer |= {"0." + "0" * 400 + "1": 0, "1" + "0" * 400: np.inf}
        want = np.array(list(newer.values()), dtype)
        self.check(
            "StringToNumber", _strings(newer), want=[want], out_type=out_type
        )

    @parameterized.parameters("float32", "float64", "int32", "int64")
    def test_what_is_no_number_is_refused(self, dtype: str) -> None:
        words = ["", "one", "1 2", "--1", "+-1", "-", "+", "1e", "1x"]
        words += ["infin", "1,5", "0x", "- 1", b"1\x002"]
        if dtype.startswith("int"):
            words += ["1.5", "99999999999999999999", "0x10"]
        for word in words:
            with self.subTest(word=word):
                self.assert_refused(
                    "StringToNumber: element 1 is no",
                    "StringToNumber",
                    [_strings(["1", word])],
                    out_type=tf.as_dtype(dtype),
                )

    @parameterized.parameters(("float32", 0), ("float64", 10))
    def test_blanks_are_no_number(self, dtype: str, schema_type: int) -> None:
        # TensorFlow 2.16 takes them for 0.
        with self.assertRaisesRegex(RuntimeError, "element 1 is no"):
            run_op(
                "StringToNumber",
                [_strings(["1", " "])],
                [dtype],
                {"out_type": schema_type},
            )

    def test_string_join(self) -> None:
        words = ["one", "", "drei", "четыре", "\0five", "6" * 1000]
        for inputs in [
            [_strings(words)],
            [_strings(words), _strings(words[::-1])],
            [
                _strings(words, (2, 3)),
                _strings(["x"], ()),
                _strings(words, (2, 3)),
            ],
            [_strings(["a"], ()), _strings(["b"], ())],
            [np.empty((0,), object), _strings(["b"], ())],
        ]:
            self.check("StringJoin", *inputs)
            self.check("StringJoin", *inputs, separator=", ")

    def test_converted(self) -> None:
        x = np.float32([1.5, -2, 1 / 3])
        self.check_converted(
            lambda x: tf.strings.as_string(x, precision=3, width=8, fill="0"), x
        )
        self.check_converted(
            lambda x: tf.strings.to_number(x, tf.int64), _strings(["7", "-8"])
        )
        self.check_converted(
            lambda x, y: tf.strings.join([x, y], "-"),
            _strings(["a", "b"]),
            _strings(["c", "d"]),
        )
        self.check_converted(
            lambda x: tf.strings.join(
                [tf.strings.as_string(tf.strings.to_number(x) * 2), x], "/"
            ),
            _strings(["1.25", "3"]),
        )

    def test_refuses(self) -> None:
        ints, floats = np.int32([1]), np.float32([1])
        for why, x, options in [
            ("options for floats .* is INT32", ints, {"precision": 2}),
            (
                "not scientific and shortest",
                floats,
                {"scientific": True, "shortest": True},
            ),
            ("fill must be .* not 'x'", floats, {"fill": "x"}),
            ("fill must be .* not '00'", floats, {"fill": "00"}),
        ]:
            self.assert_refused(
                f"AsString: .*{why}", "AsString", [x], **options
            )
        with self.assertRaisesRegex(RuntimeError, "must be at most 65536"):
            run_op("AsString", [ints], ["string"], {"width": 2**31})
        self.assert_refused(
            r"must have the same shape: \[3\] and \[2\]",
            "StringJoin",
            [_strings(["a", "b"]), _strings(["a", "b", "c"])],
        )

    def test_damaged_strings_are_refused(self) -> None:
        good = custom_op_model(
            "StringJoin",
            [Tensor([2], "string", value=_strings(["first", "second"]))],
            [Tensor([2], "string")],
        )
        header = np.array([2, 16, 21, 27], "<i4").tobytes()
        self.assertEqual(good.count(header), 1)
        for wrong, why in [
            ([3, 16, 21, 27], "must hold as many strings, but hold 3"),
            ([2, 16, 21, 1000], "leave their 27 bytes"),
            ([2, 16, -5, 27], "leave their 27 bytes"),
            ([2, 0, 21, 27], "leave their 27 bytes"),
        ]:
            model = good.replace(header, np.array(wrong, "<i4").tobytes())
            with self.assertRaisesRegex((RuntimeError, ValueError), why):
                run_everywhere(model, [])


if __name__ == "__main__":
    tf.test.main()
