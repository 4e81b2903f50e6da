"""The kernels of this folder against TensorFlow."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from absl.testing import parameterized

from tflite.custom.python.kernel_test_case import FLOATS
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import SPECIAL
from tflite.custom.python.kernel_test_case import run_tensorflow


class QuantizationTest(KernelTestCase):
    """Kernels of //tflite/custom/quantization."""

    def _values(self, shape: Sequence[int], dtype: str = "float32"):
        return np.random.default_rng(1).uniform(-4, 4, shape).astype(dtype)

    @parameterized.product(
        num_bits=[2, 3, 8, 16],
        narrow_range=[False, True],
        bounds=[(-2, 3), (-1, 1), (0, 2.5), (-3.1, 0), (1, 2), (-2, -1)],
    )
    def test_fake_quantization(self, num_bits, narrow_range, bounds) -> None:
        options = {"num_bits": num_bits, "narrow_range": narrow_range}
        low, high = (np.float32(x) for x in bounds)
        # TensorFlow sums gradients in another order: let sums be exact.
        gradients = np.random.default_rng(2).integers(-9, 9, (4, 5, 3))
        gradients = gradients.astype(np.float32)
        x = self._values((4, 5, 3))
        for some in (slice(None), (0,), (0, 0)):
            channels = np.float32([1, 1.5, 0.7])
            mins, maxs = low * channels, high * channels
            self.check(
                "FakeQuantWithMinMaxVarsPerChannel",
                *(x[some], mins, maxs),
                **options,
            )
            self.check(
                "FakeQuantWithMinMaxVarsPerChannelGradient",
                *(gradients[some], x[some], mins, maxs),
                **options,
            )
            self.check(
                "FakeQuantWithMinMaxVarsGradient",
                *(gradients[some], x[some], np.array(low), np.array(high)),
                **options,
            )
            self.check(
                "FakeQuantWithMinMaxArgsGradient",
                *(gradients[some], x[some]),
                **options,
                min=float(low),
                max=float(high),
            )

    def test_special_values_are_fake_quantized(self) -> None:
        special = np.float32(SPECIAL)
        mins, maxs = np.full(10, -2, "f4"), np.full(10, 3, "f4")
        for x in (special, np.stack([special, special[::-1]])):
            self.check("FakeQuantWithMinMaxVarsPerChannel", x, mins, maxs)
            self.check(
                "FakeQuantWithMinMaxVarsPerChannelGradient",
                *(x[..., ::-1].copy(), x, mins, maxs),
            )
            gradients = np.ones_like(x)
            self.check("FakeQuantWithMinMaxArgsGradient", gradients, x)
            self.check("FakeQuantWithMinMaxArgsGradient", x, gradients)
            self.check(
                "FakeQuantWithMinMaxVarsGradient",
                *(gradients, x, np.float32(-1).reshape(()), np.float32(2)),
            )

    def test_fake_quantization_converts(self) -> None:
        x, low = self._values((4, 3)), np.full(3, -2, "f4")
        options = {"num_bits": 5, "narrow_range": True}
        for op, inputs in [
            ("FakeQuantWithMinMaxVarsPerChannel", (x, low, -low)),
            ("FakeQuantWithMinMaxVarsPerChannelGradient", (x, x, low, -low)),
            ("FakeQuantWithMinMaxVarsGradient", (x, x, low[0], -low[0])),
            ("FakeQuantWithMinMaxArgsGradient", (x, x)),
        ]:
            inputs = [np.asarray(each) for each in inputs]
            self.check_converted(op, *inputs, ulps=8, **options)

    def test_fake_quantization_errors(self) -> None:
        x, low = self._values((4, 3)), np.full(3, -2, "f4")
        op = "FakeQuantWithMinMaxVarsPerChannel"
        self.assert_refused(
            r"min is \[2\] for inputs of \[4,3\]", op, [x, low[:2], -low]
        )
        for bits in (1, 17):
            why = rf"num_bits must be in \[2, 16\], not {bits}"
            self.assert_refused(why, op, [x, low, -low], num_bits=bits)
        self.assert_refused(
            "min must be less than max, but they are 3 and 1",
            "FakeQuantWithMinMaxArgsGradient",
            [x, x],
            min=3.0,
            max=1.0,
        )

    @parameterized.product(
        dtype=FLOATS,
        signed_input=[False, True],
        narrow_range=[False, True],
        range_given=[False, True],
        axis=[-1, 0, 1, 2],
    )
    def test_quantize_and_dequantize(self, dtype, axis, **options) -> None:
        x = self._values((3, 4, 5), dtype)
        shape = () if axis < 0 else (x.shape[axis],)
        options |= {"axis": axis}
        for bounds in [(-2, 3), (-3.1, 0), (0, 0)]:
            low, high = (np.full(shape, each, dtype) for each in bounds)
            for bits in (1, 8):
                bits_input = np.array(bits, np.int32)
                inputs = [x, low, high, bits_input]
                self.check("QuantizeAndDequantizeV3", *inputs, **options)
                # TensorFlow's V4 takes no range for each channel, though it is
                # documented to; its V3 does.
                per_channel = options["range_given"] and axis >= 0
                for mode in ("HALF_TO_EVEN", "HALF_UP")[: 2 - per_channel]:
                    self.check(
                        "QuantizeAndDequantizeV4",
                        *inputs[:3],
                        num_bits=bits,
                        round_mode=mode,
                        **options,
                        want=run_tensorflow(
                            "QuantizeAndDequantizeV3", *inputs, **options
                        )
                        if per_channel
                        else None,
                    )
            gradients = x[::-1].copy()
            self.check(
                "QuantizeAndDequantizeV4Grad",
                *(gradients, x, low, high),
                axis=axis,
            )

    def test_quantize_and_dequantize_special_values(self) -> None:
        low, high = np.array(-2, "f4"), np.array(3, "f4")
        x = np.float32(SPECIAL)
        op = "QuantizeAndDequantizeV4"
        self.check(op, x, low, high, range_given=True)
        self.check(op, x[:0], low, high)
        self.check(op, x[6:], low, high)
        self.check("QuantizeAndDequantizeV4Grad", x, x[::-1].copy(), low, high)

    def test_quantize_and_dequantize_converts(self) -> None:
        x = self._values((4, 3))
        low, high = np.array(-2, "f4"), np.array(3, "f4")
        for axis in (-1, 1):
            if axis == 1:
                low, high = (np.full(3, each) for each in (low, high))
            self.check_converted(
                "QuantizeAndDequantizeV4",
                *(x, low, high),
                axis=axis,
                range_given=axis < 0,
                round_mode="HALF_UP",
                num_bits=5,
            )
            self.check_converted(
                "QuantizeAndDequantizeV3",
                *(x, low, high, np.array(4, np.int32)),
                axis=axis,
                signed_input=False,
            )
            self.check_converted(
                "QuantizeAndDequantizeV4Grad", x, x, low, high, axis=axis
            )

    def test_quantize_and_dequantize_errors(self) -> None:
        x = self._values((4, 3))
        low, high = np.array(-2, "f4"), np.array(3, "f4")
        given = {"range_given": True}
        for why, bounds, options in [
            ("they are 3 and -2", (high, low), given),
            (r"input_min must .* is \[1\] for", (low[None], high), given),
            (r"axis must be in \[-1, 2\), not 2", (low, high), {"axis": 2}),
            (r"num_bits must be in \[1, 61\]", (low, high), {"num_bits": 62}),
            ("HALF_UP, not 'UP'", (low, high), {"round_mode": "UP"}),
        ]:
            self.assert_refused(
                why, "QuantizeAndDequantizeV4", [x, *bounds], **options
            )


if __name__ == "__main__":
    tf.test.main()
