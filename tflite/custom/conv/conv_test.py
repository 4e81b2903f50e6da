"""The kernels of this folder against TensorFlow."""

import unittest

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.interpreter import Interpreter
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from third_party.tensorflow import releases

_CLOSE = {"float32": 1e-5, "float64": 1e-12, "int32": 0.0}


class ConvTest(KernelTestCase):
    """Kernels of //tflite/custom/conv."""

    @parameterized.product(
        dtype=list(_CLOSE),
        padding=["SAME", "VALID", "EXPLICIT"],
        steps=[((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 1), (2, 1))],
    )
    def test_convolution(self, dtype: str, padding: str, steps) -> None:
        strides, dilations = ([1, *each, 1] for each in steps)
        options = {"strides": strides, "dilations": dilations}
        if padding == "EXPLICIT":
            options["explicit_paddings"] = [0, 0, 1, 2, 0, 3, 0, 0]
        for shape, filters in [
            ((1, 6, 7, 2), (3, 2, 2, 5)),
            ((2, 5, 5, 3), (1, 1, 3, 17)),
            ((1, 20, 30, 16), (3, 3, 16, 12)),
            ((1, 6, 7, 4), (2, 3, 2, 6)),  # Two groups.
        ]:
            self.check(
                "Conv2D",
                random_values(shape, dtype),
                random_values(filters, dtype, seed=2),
                padding=padding,
                rtol=_CLOSE[dtype],
                **options,
            )

    def test_integers_wrap(self) -> None:
        x = np.full((1, 2, 2, 3), 2**20, np.int32)
        filters = np.full((1, 1, 3, 9), 2**14 + 1, np.int32)
        options = {"strides": [1, 1, 1, 1], "padding": "VALID"}
        self.check("Conv2D", x, filters, **options)

    def test_values_that_are_no_numbers(self) -> None:
        x = random_values((1, 4, 4, 1))
        x[0, 1, 1] = np.inf
        x[0, 3, 0] = np.nan
        options = {"strides": [1, 1, 1, 1], "padding": "SAME"}
        self.check(
            "Conv2D", x, random_values((2, 2, 1, 3)), rtol=1e-5, **options
        )

    def test_nothing_gives_nothing(self) -> None:
        # TensorFlow gives floats the input's shape.
        x = np.zeros((0, 4, 5, 2), np.float32)
        options = {"strides": [1, 2, 1, 1], "padding": "VALID"}
        want = [np.zeros((0, 2, 4, 3), np.float32)]
        self.check(
            "Conv2D", x, random_values((2, 2, 2, 3)), want=want, **options
        )

    @unittest.skipUnless(
        releases.converts_keras_models(tf.__version__),
        "the converter takes no model of Keras 3, and leaves nothing over",
    )
    def test_what_the_converter_leaves_over(self) -> None:
        # It takes the channels of what UpSampling2D gives for unknown.
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Input([None, None, 3]),
                tf.keras.layers.UpSampling2D(),
                tf.keras.layers.Conv2D(4, 3, padding="same"),
            ]
        )
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        converter.allow_custom_ops = True
        converted = converter.convert()
        self.assertIn(b"Conv2D", converted)
        x = random_values((1, 5, 8, 3))
        for runtime in ("tflite", "ai_edge_litert", "litert"):
            (y,) = Interpreter(converted, runtime=runtime).run(x)
            self.assertAllClose(y, model(x), 1e-5, 1e-5)

    def test_refuses(self) -> None:
        x, filters = random_values((1, 4, 4, 3)), random_values((2, 2, 3, 4))
        good = {"strides": [1, 1, 1, 1], "padding": "VALID"}
        for why, inputs, wrong in [
            (
                r"but they are \[1,4,4,3\] and \[2,2,2,4\]",
                [x, filters[:, :, :2]],
                {},
            ),
            (r"but they are \[4,4,3\] and \[2,2,3,4\]", [x[0], filters], {}),
            (
                r"strides must be 4 .*, not \[1,0,1,1\]",
                [],
                {"strides": [1, 0, 1, 1]},
            ),
            (
                r"dilations must be .*, not \[1,1,1,2\]",
                [],
                {"dilations": [1, 1, 1, 2]},
            ),
            ("give an output of -4", [], {"dilations": [1, 8, 1, 1]}),
            ("padding must be .*, not 'FULL'", [], {"padding": "FULL"}),
            (
                r"explicit_paddings must be 8 .*, not \[1,2\]",
                [],
                {"padding": "EXPLICIT", "explicit_paddings": [1, 2]},
            ),
        ]:
            inputs = inputs or [x, filters]
            self.assert_refused(
                f"Conv2D: .*{why}", "Conv2D", inputs, **(good | wrong)
            )


if __name__ == "__main__":
    tf.test.main()
