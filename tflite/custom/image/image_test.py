"""The kernels of this folder against TensorFlow."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import INTS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import NUMBERS
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op

# TensorFlow resizes no images of others.
_NUMBERS = [*FLOATS, *INTS, "uint8", "uint16"]


class ImageTest(KernelTestCase):
    """Kernels of //tflite/custom/image."""

    def _images(self, shape: Sequence[int], dtype: str) -> np.ndarray:
        generator = np.random.default_rng(1)
        return generator.uniform(0, 1, shape).astype(dtype)

    def _grid(self, values: Sequence[float], dtype: str) -> np.ndarray:
        colours = np.meshgrid(*[np.array(values, dtype)] * 3)
        return np.stack([x.ravel() for x in colours], axis=-1)

    @parameterized.product(op=["HSVToRGB", "RGBToHSV"], dtype=FLOATS)
    def test_colour_spaces(self, op: str, dtype: str) -> None:
        for shape in [(3,), (1000, 3), (2, 5, 7, 3), (0, 3)]:
            self.check(op, self._images(shape, dtype), ulps=2)
        values = [-1.5, -0.1, 0, 0.1, 1 / 3, 0.5, 2 / 3, 1, 255]
        self.check(op, self._grid(values, dtype), ulps=2)
        self.check_converted(op, self._images((4, 5, 3), dtype), ulps=2)

    @parameterized.product(op=["HSVToRGB", "RGBToHSV"], dtype=FLOATS)
    def test_special_colours(self, op: str, dtype: str) -> None:
        values = [0, 1e-40, 1, np.inf, -np.inf]
        self.check(op, self._grid(values, dtype), ulps=2)

    @parameterized.product(
        op=["AdjustHue", "AdjustSaturation"],
        by=[0, 0.1, 0.5, -0.3, 1, 1.7, -20, 300],
    )
    def test_adjusted_colours(self, op: str, by: float) -> None:
        by = np.array(by, np.float32)
        for shape in [(1, 1, 3), (10, 20, 3), (2, 5, 7, 3), (2, 0, 3)]:
            self.check(op, self._images(shape, "float32"), by)
        values = [-1.5, -0.1, 0, 0.1, 1 / 3, 0.5, 2 / 3, 1, 255]
        self.check(op, self._grid(values, "float32")[None], by)
        self.check_converted(op, self._images((4, 5, 3), "float32"), by)

    @parameterized.parameters("AdjustHue", "AdjustSaturation")
    def test_special_adjusted_colours(self, op: str) -> None:
        grid = self._grid([0, 1, np.inf, np.nan], "float32")[None]
        if op == "AdjustSaturation":
            # TensorFlow would subtract 2 from an infinite hue for ever.
            grid = grid[np.isfinite(grid).all(-1)][None]
        self.check(op, grid, np.array(0.3, np.float32))

    @parameterized.parameters(0, 0.5, 1, 2, -1, np.inf, np.nan)
    def test_contrast(self, factor: float) -> None:
        factor = np.array(factor, np.float32)
        for shape in [(1, 1, 3), (7, 9, 3), (2, 16, 16, 4), (2, 2, 3, 5, 1)]:
            x = self._images(shape, "float32")
            self.check("AdjustContrastv2", x, factor)
        self.check("AdjustContrastv2", x[:, :0], factor)
        self.check_converted("AdjustContrastv2", x, factor)
        special = np.resize(np.float32(SPECIAL), (2, 5, 10))
        self.check("AdjustContrastv2", special, factor)

    def test_errors(self) -> None:
        by = np.array(0.5, np.float32)
        for op, inputs, why in [
            ("AdjustHue", [np.zeros((2, 2, 4), "f4"), by], "3 channels, but"),
            ("AdjustHue", [np.zeros((2, 3), "f4"), by], "rank 3 or more"),
            ("AdjustHue", [np.zeros((2, 2, 3), "f4"), by[None]], "a scalar"),
            (
                "RGBToHSV",
                [np.zeros((2, 4), "f4")],
                r"channels, but are \[2,4\]",
            ),
            ("HSVToRGB", [by], "rank 1 or more"),
        ]:
            self.assert_refused(why, op, inputs)

    @parameterized.product(
        dtype=_NUMBERS,
        align_corners=[True, False],
        size=[(1, 1), (3, 2), (5, 7), (9, 14), (4, 20)],
    )
    def test_resize_area(self, dtype: str, align_corners: bool, size) -> None:
        for shape in [(2, 5, 7, 3), (1, 9, 4, 1), (1, 1, 1, 2)]:
            images = random_values(shape, dtype)
            options = {"align_corners": align_corners}
            for constants in ([1], []):
                self.check(
                    "ResizeArea",
                    images,
                    np.int32(size),
                    rtol=2e-6,
                    constants=constants,
                    **options,
                )

    def test_converted_resize_area(self) -> None:
        self.check_converted(
            lambda x: tf.raw_ops.ResizeArea(images=x, size=[3, 4]),
            random_values((1, 5, 7, 3)),
            rtol=2e-6,
        )

    @parameterized.product(
        dtype=_NUMBERS, method=["bilinear", "nearest"], value=[0.0, -2.5]
    )
    def test_crop_and_resize(self, dtype: str, method: str, value) -> None:
        images = random_values((3, 6, 5, 2), dtype)
        boxes = np.float32(
            [
                [0, 0, 1, 1],
                [0.2, 0.3, 0.7, 0.6],
                [0.9, 0.8, 0.1, 0],
                [-0.5, -0.25, 1.5, 2],
                [0.5, 0.5, 0.5, 0.5],
                [3, 3, 4, 4],
            ]
        )
        which = np.int32([0, 1, 2, 0, 1, 2])
        for size in [(1, 1), (3, 4), (6, 5), (11, 2)]:
            for constants in ([3], []):
                self.check(
                    "CropAndResize",
                    images,
                    boxes,
                    which,
                    np.int32(size),
                    ulps=1,
                    constants=constants,
                    method=method,
                    extrapolation_value=value,
                )
        self.check(
            "CropAndResize", images, boxes[:0], which[:0], np.int32([2, 3])
        )

    def test_boxes_too_large_for_floats_lie_outside(self) -> None:
        self.check(
            "CropAndResize",
            random_values((1, 4, 4, 1)),
            np.float32([[-3e38, -3e38, 3e38, 3e38]]),
            np.int32([0]),
            np.int32([2, 2]),
            # TensorFlow reads memory that is not its own.
            want=[np.full((1, 2, 2, 1), 7, np.float32)],
            extrapolation_value=7.0,
        )

    def test_converted_crop_and_resize(self) -> None:
        self.check_converted(
            lambda x, boxes, which: tf.image.crop_and_resize(
                x, boxes, which, [3, 4], extrapolation_value=-1.0
            ),
            random_values((2, 6, 5, 3)),
            np.float32([[0.1, 0.2, 0.8, 1.2], [0, 0, 1, 1]]),
            np.int32([1, 0]),
            ulps=1,
        )

    def test_resizing_refuses(self) -> None:
        x, two = random_values((2, 3, 4, 1)), np.int32([2, 2])
        boxes, which = np.float32([[0, 0, 1, 1]]), np.int32([0])
        crop = "CropAndResize"
        for why, op, inputs in [
            ("not 0 by 2", "ResizeArea", [x, np.int32([0, 2])]),
            ("not 2 by -1", crop, [x, boxes, which, np.int32([2, -1])]),
            (
                r"vector of 2, but is \[3\]",
                "ResizeArea",
                [x, np.int32([1, 2, 3])],
            ),
            (
                r"images must be .*, but are \[3,4,1\]",
                "ResizeArea",
                [x[0], two],
            ),
            (r"not empty, but are \[2,0,4,1\]", "ResizeArea", [x[:, :0], two]),
            (
                r"box_ind must be in \[0, 2\), but element 0 is 2",
                crop,
                [x, boxes, np.int32([2]), two],
            ),
            (
                r"box_ind must be in \[0, 2\), but element 0 is -1",
                crop,
                [x, boxes, np.int32([-1]), two],
            ),
            (
                "boxes must be finite, but element 0 is nan",
                crop,
                [x, boxes * np.float32(np.nan), which, two],
            ),
            (
                "boxes must be finite, but element 2 is inf",
                crop,
                [x, boxes + np.float32([0, 0, np.inf, 0]), which, two],
            ),
            (
                r"\[n,4\] and \[n\], but are \[1,4\] and \[2\]",
                crop,
                [x, boxes, np.int32([0, 0]), two],
            ),
        ]:
            self.assert_refused(f"{op}: .*{why}", op, inputs)
        self.assert_refused(
            "method must be bilinear or nearest, not 'cubic'",
            crop,
            [x, boxes, which, two],
            method="cubic",
        )

    @parameterized.product(
        dtype=[*NUMBERS, "complex64"],
        padding=["SAME", "VALID"],
        window=[
            ((1, 1), (1, 1), (1, 1)),
            ((3, 2), (2, 1), (1, 2)),
            ((2, 3), (1, 3), (2, 1)),
        ],
    )
    def test_patches(self, dtype: str, padding: str, window) -> None:
        sizes, strides, rates = ([1, *each, 1] for each in window)
        for shape in [(1, 5, 6, 2), (2, 4, 5, 3), (0, 4, 4, 1)]:
            self.check(
                "ExtractImagePatches",
                random_values(shape, "int32").astype(dtype),
                ksizes=sizes,
                strides=strides,
                rates=rates,
                padding=padding,
            )

    def test_converted_patches(self) -> None:
        self.check_converted(
            lambda x: tf.image.extract_patches(
                x, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 2, 1], "SAME"
            ),
            random_values((1, 5, 6, 2)),
        )

    def test_patches_refuse(self) -> None:
        x, op = random_values((1, 4, 4, 2)), "ExtractImagePatches"
        ones = [1, 1, 1, 1]
        good = dict(ksizes=ones, strides=ones, rates=ones, padding="VALID")
        for why, wrong in [
            (
                r"rates must be 4 integers .*, not \[1,0,1,1\]",
                {"rates": [1, 0, 1, 1]},
            ),
            (r"ksizes must be .*, not \[1,2\]", {"ksizes": [1, 2]}),
            ("give an output of -4", {"ksizes": [1, 9, 1, 1]}),
        ]:
            self.assert_refused(f"{op}: .*{why}", op, [x], **(good | wrong))
        with self.assertRaisesRegex(RuntimeError, "larger than a dimension"):
            huge = [1, 2**20, 2**20, 1]
            options = good | {"ksizes": huge, "padding": "SAME"}
            run_op(op, [x], ["float32"], options)


if __name__ == "__main__":
    tf.test.main()
