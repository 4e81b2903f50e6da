"""The kernels of this folder against TensorFlow."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import SPECIAL


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


if __name__ == "__main__":
    tf.test.main()
