"""The kernels of this folder against TensorFlow."""

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op

_DTYPES = ["complex64", "complex128", "float64", "int8", "int16", "bool"]


def _values(shape, dtype: str = "complex64", seed: int = 1) -> np.ndarray:
    x = random_values(shape, "int32", seed)
    if dtype.startswith("complex"):
        return (x + 1j * random_values(shape, "int32", seed + 1)).astype(dtype)
    return x.astype(dtype)


class CopiesTest(KernelTestCase):
    def _check(self, op: str, *inputs, values: int = 1, **attributes) -> None:
        """With what says how as constants, and as inputs.

        The first `values` inputs are what is copied.
        """
        for constants in (range(values, len(inputs)), ()):
            self.check(op, *inputs, constants=constants, **attributes)

    @parameterized.parameters(*_DTYPES)
    def test_every_type(self, dtype: str) -> None:
        x, y = _values((2, 3, 4), dtype), _values((2, 5, 4), dtype, 2)
        self._check("ConcatV2", x, y, np.int32(1), values=2)
        self._check("Transpose", x, np.int32([2, 0, 1]))
        self._check("ReverseV2", x, np.int64([1, -1]))
        self._check("Tile", x, np.int32([2, 1, 3]))
        self._check("Slice", x, np.int32([0, 1, 1]), np.int32([2, -1, 2]))
        self._check("Roll", x, np.int32([1, -2]), np.int32([0, 2]))
        self._check("Pad", x, np.int32([[1, 0], [0, 2], [3, 1]]))
        self.check("Pack", x, x, axis=-2)
        self.check("Unpack", x, axis=1, num=3)
        value = np.array(7, dtype)
        self.check("PadV2", x, np.int32([[1, 0], [0, 2], [3, 1]]), value)

    @parameterized.parameters(0, 1, 2, -1)
    def test_axes(self, axis: int) -> None:
        x = _values((2, 4, 6))
        self._check("ConcatV2", x, x, x, np.int64(axis), values=3)
        self.check("Split", np.int32(axis), x, constants=[0], num_split=2)
        self.check("Split", np.int32(axis), x, num_split=1)
        self.check("Pack", x, x, x, axis=axis)
        self.check("Unpack", x, axis=axis, num=x.shape[axis])
        sizes = np.int32([1, -1, 0])
        self._check("SplitV", x, sizes, np.int32(axis), num_split=3)
        for shift in (0, 1, -1, 7):
            self._check("Roll", x, np.int32(shift), np.int32(axis))

    @parameterized.parameters(
        ([1, 0], [3, 5], [1, 2], {}),
        ([-1, -2], [-9, 0], [-1, -1], {}),
        ([0, 0, 0], [0, 0, 0], [2, 1, -1], {"begin_mask": 7, "end_mask": 7}),
        ([1], [2], [1], {"shrink_axis_mask": 1}),
        ([0, -1], [0, 0], [1, 1], {"ellipsis_mask": 1, "shrink_axis_mask": 2}),
        (
            [0, 9, 1],
            [0, 0, 3],
            [1, 1, 1],
            {"ellipsis_mask": 1, "new_axis_mask": 2},
        ),
        ([3, 1], [1, 4], [1, 1], {}),
        ([], [], [], {}),
        (
            [0, 1, 0],
            [0, 2, 0],
            [1, 1, 1],
            {"new_axis_mask": 5, "shrink_axis_mask": 2},
        ),
        ([5, 7], [-100, 100], [-3, 3], {"end_mask": 1}),
    )
    def test_slices(self, begin, end, strides, masks) -> None:
        x = _values((4, 5, 6))
        self._check(
            "StridedSlice",
            *(x, np.int32(begin), np.int32(end), np.int32(strides)),
            **masks,
        )

    def test_slices_at_random(self) -> None:
        generator = np.random.default_rng(3)
        x = _values((3, 4, 2, 5))
        for _ in range(60):
            count = generator.integers(1, 5)
            begin, end = generator.integers(-7, 8, (2, count), np.int32)
            strides = generator.choice(np.int32([-3, -1, 1, 2]), count)
            masks = {
                name: int(generator.integers(0, 2**count))
                for name in ("begin_mask", "end_mask")
            }
            masks["ellipsis_mask"] = int(generator.choice([0, 1, 2]))
            masks["new_axis_mask"] = int(generator.choice([0, 0, 4]))
            self.check(
                "StridedSlice",
                x,
                begin,
                end,
                strides,
                constants=[1, 2, 3],
                **masks,
            )

    def test_empty_and_scalars(self) -> None:
        x = _values((0, 3))
        self._check("Transpose", x, np.int32([1, 0]))
        self._check("Pad", x, np.int32([[1, 1], [0, 1]]))
        self._check("Tile", x[:, :1], np.int32([2, 2]))
        self._check("Tile", _values((2, 3)), np.int32([0, 2]))
        self._check("ConcatV2", x, _values((2, 3)), np.int32(0), values=2)
        self._check("Roll", x, np.int32([5]), np.int32([0]))
        scalar = _values(())
        self._check("Transpose", scalar, np.zeros(0, np.int32))
        self.check("Pack", scalar, scalar, axis=0)

    def test_converts(self) -> None:
        x = _values((4, 6))
        for function in (
            lambda x: tf.transpose(x)[1:, ::-2],
            lambda x: tf.concat([x, x[:, :2]], 1),
            lambda x: tf.stack(tf.unstack(x, axis=1)[:3], axis=-1),
            lambda x: tf.split(x, [1, 5], axis=1)[1],
            lambda x: tf.split(x, 3, axis=1)[2],
            lambda x: tf.pad(x, [[1, 0], [0, 2]], constant_values=1j),
            lambda x: tf.signal.fftshift(x),
            lambda x: tf.reverse(tf.tile(x, [2, 1]), [0]),
            lambda x: tf.slice(x, [1, 2], [-1, 3])[..., tf.newaxis, 0],
        ):
            self.check_converted(function, x)

    @parameterized.parameters(
        ("Transpose", [[0, 0]], "perm must be all dimensions of x"),
        ("Transpose", [[0]], "perm must have 2 elements, not 1"),
        ("ReverseV2", [[2]], r"axis must be in \[-2, 2\), not 2"),
        ("ReverseV2", [[0, -2]], "must not name dimension 0 twice"),
        ("Tile", [[-1, 2]], "multiples must be 0 or more.*element 0 is -1"),
        ("Pad", [[[-1, 0], [0, 0]]], "paddings must be 0 or more"),
        ("Slice", [[0, 3], [1, 2]], "must lie in dimension 1, of 4"),
        ("Slice", [[0, -1], [1, 2]], "must lie in dimension 1, of 4"),
        ("StridedSlice", [[0], [1], [0]], "strides must not be 0"),
        ("StridedSlice", [[0] * 3, [1] * 3, [1] * 3], "2 dimensions can be"),
        ("Roll", [[1], [5]], r"axis must be in \[-2, 2\), not 5"),
    )
    def test_errors(self, op: str, how, why: str) -> None:
        inputs = [_values((2, 4)), *map(np.int32, how)]
        self.assert_refused(why, op, inputs)

    def test_more_errors(self) -> None:
        x = _values((2, 4))
        with self.assertRaisesRegex(RuntimeError, "index 2 is outside of"):
            run_op(
                "StridedSlice",
                [x, np.int32([2]), np.int32([3]), np.int32([1])],
                ["complex64"],
                {"shrink_axis_mask": 1},
            )
        with self.assertRaisesRegex(RuntimeError, "one shape but for dimen"):
            run_op("ConcatV2", [x, x[:, :3], np.int32(0)], ["complex64"])
        with self.assertRaisesRegex(RuntimeError, "multiple of the 3 outputs"):
            run_op("Split", [np.int32(1), x], ["complex64"] * 3)
        with self.assertRaisesRegex(RuntimeError, "add up to dimension 1"):
            run_op(
                "SplitV", [x, np.int32([2, 9]), np.int32(1)], ["complex64"] * 2
            )
        with self.assertRaisesRegex(RuntimeError, "Tile: .*too (large|many)"):
            run_op(
                "Tile", [x, np.int32([2**30, 2**28])], ["complex64"], {}, [1]
            )


if __name__ == "__main__":
    tf.test.main()
