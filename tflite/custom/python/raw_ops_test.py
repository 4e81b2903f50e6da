"""Kernels that are neither element-wise nor in tensor_ops_test, against TensorFlow.

Each call is that of a function of tf.raw_ops, and of the kernel in every
runtime, on the same arrays.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.python.framework import op_def_registry

from tflite.custom.python.every_runtime import run_everywhere
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import custom_op_model

_FLOATS = ["float32", "float64"]
_INTS = ["int8", "int16", "int32", "int64"]
_UINTS = ["uint8", "uint16", "uint32", "uint64"]
_NUMBERS = [*_FLOATS, *_INTS, *_UINTS]
_INDICES = ["int32", "int64"]
# Values that a comparison, a sum or a product may treat on their own.
_SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38, 1.0, -2.5]
# What tf.raw_ops calls otherwise than the op's definition.
_RENAMED = {"reduction_indices": "axis"}
# By the model schema, which is how the converter writes types.
_SCHEMA_TYPES = {
    **{tf.float32: 0, tf.float64: 10, tf.int32: 2, tf.int64: 4},
    **{tf.complex64: 8, tf.complex128: 11},
}


def _random(shape: Sequence[int], dtype: str, seed: int = 1) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if dtype.startswith("float"):
        return generator.standard_normal(shape).astype(dtype)
    return generator.integers(-100, 100, shape).astype(dtype)


def _arguments(op: str, inputs: Sequence[Any]) -> dict[str, Any]:
    """Names inputs as tf.raw_ops does; a list goes to an input of many."""
    arguments = op_def_registry.get(op).input_arg
    if arguments[0].number_attr:
        return {arguments[0].name: list(inputs)}
    names = [_RENAMED.get(each.name, each.name) for each in arguments]
    return dict(zip(names, inputs, strict=True))


def _tensorflow(op: str, inputs, attributes) -> list[np.ndarray]:
    # In a graph: AccumulateNV2 has no kernel of its own, but is rewritten.
    @tf.function
    def call(*tensors):
        return getattr(tf.raw_ops, op)(**_arguments(op, tensors), **attributes)

    # Constants are copies: some ops write to their inputs.
    result = call(*[tf.constant(x) for x in inputs])
    single = isinstance(result, tf.Tensor)
    return [x.numpy() for x in ([result] if single else result)]


def _assert_close(got: np.ndarray, want: np.ndarray, ulps: int) -> None:
    if not np.issubdtype(want.dtype, np.inexact):
        np.testing.assert_array_equal(got, want)
        return
    got, want = (
        np.stack([x.real, x.imag]) if np.iscomplexobj(x) else x
        for x in (got, want)
    )
    nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), nan)
    if ulps:
        np.testing.assert_array_max_ulp(got[~nan], want[~nan], ulps)
    else:
        np.testing.assert_array_equal(got, want)


class _Test(tf.test.TestCase, parameterized.TestCase):
    """Compares kernels with tf.raw_ops."""

    def _check(
        self,
        op: str,
        *inputs: np.ndarray,
        ulps: int = 0,
        constants: Sequence[int] = (),
        want: Sequence[np.ndarray] | None = None,
        **attributes: Any,
    ) -> None:
        """Checks a call, where TensorFlow has none against what it should be."""
        if want is None:
            want = _tensorflow(op, inputs, attributes)
        options = {
            name: _SCHEMA_TYPES.get(value, value)
            if isinstance(value, tf.DType)
            else value
            for name, value in attributes.items()
        }
        model = custom_op_model(
            op,
            [
                Tensor(
                    x.shape, x.dtype.name, value=x if i in constants else None
                )
                for i, x in enumerate(inputs)
            ],
            [Tensor([1], x.dtype.name) for x in want],
            options,
        )
        variables = [x for i, x in enumerate(inputs) if i not in constants]
        got = run_everywhere(model, variables)
        self.assertLen(got, len(want))
        for a, b in zip(got, want, strict=True):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            _assert_close(a, b, ulps)

    def _check_converted(
        self, op: str, *inputs: np.ndarray, ulps: int = 0, **attributes: Any
    ) -> None:
        """Checks a model that the converter has written, options and all."""
        specs = [tf.TensorSpec(x.shape, x.dtype) for x in inputs]

        def call(*tensors):
            arguments = _arguments(op, tensors)
            return getattr(tf.raw_ops, op)(**arguments, **attributes)

        concrete = tf.function(call, specs).get_concrete_function()
        converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
        converter.allow_custom_ops = True
        got = run_everywhere(converter.convert(), inputs)
        want = _tensorflow(op, inputs, attributes)
        for a, b in zip(got, want, strict=True):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            _assert_close(a, b, ulps)

    def _assert_refused(
        self, why: str, op: str, inputs: Sequence[np.ndarray], **attributes: Any
    ) -> None:
        """Checks that TensorFlow refuses a call, and the kernel in its words."""
        with self.assertRaises(
            (
                tf.errors.InvalidArgumentError,
                tf.errors.InternalError,
                ValueError,
            )
        ):
            _tensorflow(op, inputs, attributes)
        # That of the values, of a sparse tensor.
        sparse = op.startswith("Sparse") and "Segment" not in op
        dtype = inputs[1 if sparse else 0].dtype.name
        outputs = {"InTopK": "bool", "InTopKV2": "bool"}
        outputs |= {"LowerBound": "int32", "UpperBound": "int32"}
        model = custom_op_model(
            op,
            [Tensor(x.shape, x.dtype.name) for x in inputs],
            [Tensor([1], outputs.get(op, dtype))],
            attributes,
        )
        with self.assertRaisesRegex(RuntimeError, why):
            run_everywhere(model, inputs)


class ArrayTest(_Test):
    """Kernels of //tflite/custom/array."""

    @parameterized.parameters(*_NUMBERS)
    def test_accumulate(self, dtype: str) -> None:
        for count in (1, 2, 5):
            # Small whole numbers: TensorFlow adds in any order.
            inputs = [_random((3, 4), "int32", i) for i in range(count)]
            inputs = [x.astype(dtype) for x in inputs]
            self._check("AccumulateNV2", *inputs, shape=[3, 4])
        special = np.array(_SPECIAL).astype("float32")
        self._check("AccumulateNV2", special, special[::-1].copy(), shape=[10])
        empty = np.zeros((0, 3), "float32")
        self._check("AccumulateNV2", empty, empty, shape=[0, 3])
        self._check_converted("AccumulateNV2", *inputs[:3], shape=[3, 4])

    @parameterized.product(dtype=_FLOATS, index=_INDICES)
    def test_lin_space(self, dtype: str, index: str) -> None:
        for start, stop in [(0, 1), (-3, 7), (5, 5), (1, -2), (1e30, 0.1)]:
            for count in (1, 2, 3, 7, 1000):
                inputs = [np.array(x, dtype) for x in (start, stop)]
                inputs.append(np.array(count, index))
                self._check("LinSpace", *inputs)
                self._check("LinSpace", *inputs, constants=[2])
        for stop in (np.inf, np.nan):
            inputs = [np.array(0, dtype), np.array(stop, dtype)]
            self._check("LinSpace", *inputs, np.array(4, index))
        self._check_converted("LinSpace", *inputs[:2], np.array(3, index))

    def test_lin_space_of_nothing_is_refused(self) -> None:
        ends = [np.array(x, np.float32) for x in (0, 1)]
        for count in (0, -1):
            self._assert_refused(
                rf"num must be in \[1, 2147483647\], not {count}",
                "LinSpace",
                [*ends, np.array(count, np.int32)],
            )

    @parameterized.parameters(*_FLOATS)
    def test_check_numerics(self, dtype: str) -> None:
        for shape in [(2, 3), (), (0, 3)]:
            x = _random(shape, dtype)
            self._check("CheckNumericsV2", np.asarray(x), message="what")
        self._check_converted(
            "CheckNumericsV2", _random([2], dtype), message=""
        )
        for value, name in [
            (np.nan, "NaN"),
            (np.inf, "infinity"),
            (-np.inf, "-infinity"),
        ]:
            self._assert_refused(
                f"CheckNumericsV2: my tensor: element 1 is {name}",
                "CheckNumericsV2",
                [np.array([1, value], dtype)],
                message="my tensor",
            )

    @parameterized.product(
        op=["Copy", "CopyHost", "DeepCopy", "GuaranteeConst"],
        dtype=["float32", "float64", "int8", "uint16", "int64", "complex64"],
    )
    def test_inputs_are_passed_on(self, op: str, dtype: str) -> None:
        for shape in [(2, 3), (), (0, 3)]:
            x = np.asarray(_random(shape, "float32")).astype(dtype)
            self._check(op, x)
        self._check_converted(op, np.ones([2, 3], dtype))

    @parameterized.product(
        dtype=_INDICES,
        formats=[("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NDHWC", "NCDHW")],
    )
    def test_data_format(self, dtype: str, formats) -> None:
        options = dict(zip(("src_format", "dst_format"), formats, strict=True))
        rank = len(formats[0])
        x = np.arange(-rank, rank, dtype=dtype)
        self._check("DataFormatDimMap", x, **options)
        self._check("DataFormatDimMap", x.reshape(2, rank), **options)
        self._check("DataFormatDimMap", np.array(1, dtype), **options)
        self._check("DataFormatDimMap", np.array([], dtype), **options)
        self._check_converted("DataFormatDimMap", x, **options)
        for shape in [(rank,), (rank, 2), (rank - 2,), (rank - 2, 2)]:
            x = _random(shape, dtype)
            self._check("DataFormatVecPermute", x, **options)
        if rank == 4:  # The converter refuses the others.
            x = _random([4], dtype)
            self._check_converted("DataFormatVecPermute", x, **options)

    def test_data_format_errors(self) -> None:
        x = np.arange(4, dtype=np.int32)
        for op in ("DataFormatDimMap", "DataFormatVecPermute"):
            for formats in [("NHWC", "NHWW"), ("NHC", "NCH"), ("NHWC", "NCDH")]:
                self._assert_refused(
                    f"not '{formats[0]}' and '{formats[1]}'",
                    op,
                    [x],
                    src_format=formats[0],
                    dst_format=formats[1],
                )
        for shape in [(3,), (4, 3), (4, 2, 1)]:
            self._assert_refused(
                r"row of two, .* of 'NHWC', but is \[",
                "DataFormatVecPermute",
                [np.zeros(shape, np.int32)],
            )

    @parameterized.parameters(*_INDICES)
    def test_in_top_k(self, index: str) -> None:
        predictions = _random((6, 5), "float32").round(1)
        predictions[1, 2], predictions[2, 0] = np.inf, np.nan
        targets = np.array([0, 1, 4, 7, -1, 3], index)
        for k in (-1, 0, 1, 2, 3, 100):
            self._check("InTopK", predictions, targets, k=k)
            self._check("InTopKV2", predictions, targets, np.array(k, index))
        for rows, classes in [(0, 3), (2, 0)]:
            empty = np.zeros((rows, classes), np.float32)
            self._check("InTopK", empty, targets[:rows], k=1)
        self._check_converted("InTopK", predictions, targets, k=2)
        self._check_converted(
            "InTopKV2", predictions, targets, np.array(2, index)
        )
        self._assert_refused(
            r"for each of its rows, but they are \[6,5\] and \[2\]",
            "InTopK",
            [predictions, targets[:2]],
            k=1,
        )

    @parameterized.product(dtype=_NUMBERS, reverse=[False, True])
    def test_nth_element(self, dtype: str, reverse: bool) -> None:
        for shape in [(7,), (3, 8), (2, 3, 5), (0, 3)]:
            x = _random(shape, dtype)
            for n in (0, 1, shape[-1] - 1):
                n = np.array(n, np.int32)
                self._check("NthElement", x, n, reverse=reverse)
        self._check_converted("NthElement", x, n, reverse=reverse)

    def test_nth_element_has_nan_above_all(self) -> None:
        x = np.float32([np.nan, 2, np.inf, np.nan, -np.inf, 1])
        model = custom_op_model(
            "NthElement",
            [Tensor([6]), Tensor([], "int32")],
            [Tensor([1])],
        )
        got = [
            run_everywhere(model, [x, np.array(n, np.int32)])[0]
            for n in range(6)
        ]
        np.testing.assert_array_equal(
            got, np.float32([-np.inf, 1, 2, np.inf, np.nan, np.nan])
        )

    def test_nth_element_outside_is_refused(self) -> None:
        for n in (-1, 3):
            self._assert_refused(
                rf"n must be in \[0, 3\), .*, not {n}",
                "NthElement",
                [np.zeros((2, 3), np.float32), np.array(n, np.int32)],
            )

    @parameterized.product(
        op=["LowerBound", "UpperBound"],
        dtype=_NUMBERS,
        out_type=[tf.int32, tf.int64],
    )
    def test_bounds(self, op: str, dtype: str, out_type: tf.DType) -> None:
        ordered = np.sort(_random((3, 9), dtype).round(), axis=1)
        values = _random((3, 20), dtype, 2).round()
        self._check(op, ordered, values, out_type=out_type)
        self._check(op, ordered[:, :0], values, out_type=out_type)
        self._check(op, ordered[:0], values[:0], out_type=out_type)
        self._check_converted(op, ordered, values, out_type=out_type)
        if dtype in _FLOATS:
            ordered[:, -1] = np.inf
            special = np.resize(np.array(_SPECIAL), (3, 10)).astype(dtype)
            self._check(op, ordered, special, out_type=out_type)

    def test_bounds_of_unlike_batches_are_refused(self) -> None:
        x = np.zeros((3, 2), np.float32)
        for op in ("LowerBound", "UpperBound"):
            self._assert_refused(
                r"as many rows, but are \[3,2\] and \[2,2\]", op, [x, x[:2]]
            )


class ScatterTest(_Test):
    """Kernels of //tflite/custom/scatter."""

    @parameterized.parameters(
        *itertools.product(["InplaceAdd", "InplaceSub"], _NUMBERS),
        *itertools.product(["InplaceUpdate"], [*_NUMBERS, "bool"]),
    )
    def test_inplace(self, op: str, dtype: str) -> None:
        rows = np.array([2, -1, 0, 2, 9], np.int32)
        for shape in [(4,), (4, 3), (4, 3, 2), (4, 0)]:
            x = _random(shape, "int32").astype(dtype)
            v = _random((5, *shape[1:]), "int32", 2).astype(dtype)
            self._check(op, x, rows, v)
        self._check(op, x, rows[:0], v[:0])
        self._check(op, x[:0], rows, v)

    @parameterized.parameters("InplaceAdd", "InplaceSub", "InplaceUpdate")
    def test_inplace_converts(self, op: str) -> None:
        x, v = _random((4, 3), "float32"), _random((2, 3), "float32", 2)
        self._check_converted(op, x, np.array([1, 3], np.int32), v)
        special = np.float32(_SPECIAL)
        rows = np.arange(10, dtype=np.int32)
        self._check(op, special, rows, special[::-1].copy())
        self._assert_refused(
            r"x, i and v are \[4,3\], \[1\] and \[2,3\]",
            op,
            [x, np.array([1], np.int32), v],
        )

    @parameterized.product(
        op=[
            "ScatterNdNonAliasingAdd",
            "TensorScatterMax",
            "TensorScatterMin",
            "TensorScatterSub",
        ],
        dtype=_NUMBERS,
        index=_INDICES,
    )
    def test_tensor_scatter(self, op: str, dtype: str, index: str) -> None:
        tensor = _random((4, 3, 2), dtype)
        for indices in [
            [[1], [3], [1]],
            [[1, 2], [0, 0], [3, 1]],
            [[[1, 2, 0]], [[3, 2, 1]]],
            np.zeros((0, 1)),
        ]:
            indices = np.array(indices, index)
            depth = indices.shape[-1]
            shape = (*indices.shape[:-1], *tensor.shape[depth:])
            self._check(op, tensor, indices, _random(shape, dtype, 2))
        if dtype == "float32" and index == "int32":
            special = np.float32(_SPECIAL)
            self._check(
                op,
                np.repeat(special, 10),
                np.arange(100, dtype=index).reshape(100, 1),
                np.tile(special, 10),
            )
            row = np.array([[0]], index)
            self._check(
                op,
                np.repeat(special, 10).reshape(1, 100),
                row,
                np.tile(special, 10).reshape(1, 100),
            )
            updates = _random((1, 3, 2), dtype, 2)
            self._check_converted(op, tensor, row, updates)
            self._check_converted(
                op, tensor, row - 1, updates, bad_indices_policy="IGNORE"
            )

    @parameterized.parameters(
        ([[4]], (1, 3), r"index 0 is \[4\], outside of tensor, \[4,3\]"),
        ([[0, 0], [-1, 2]], (2,), r"index 1 is \[-1,2\], outside"),
        ([[0]], (3,), r"are \[4,3\], \[1,1\] and \[3\]"),
        ([[0, 0, 0]], (1,), r"are \[4,3\], \[1,3\] and \[1\]"),
        ([[]], (1, 4, 3), r"are \[4,3\], \[1,0\] and \[1,4,3\]"),
    )
    def test_tensor_scatter_errors(self, indices, updates, why: str) -> None:
        self._assert_refused(
            why,
            "TensorScatterMax",
            [
                np.zeros((4, 3), np.float32),
                np.array(indices, np.int32),
                np.zeros(updates, np.float32),
            ],
        )


class ImageTest(_Test):
    """Kernels of //tflite/custom/image."""

    def _images(self, shape: Sequence[int], dtype: str) -> np.ndarray:
        generator = np.random.default_rng(1)
        return generator.uniform(0, 1, shape).astype(dtype)

    def _grid(self, values: Sequence[float], dtype: str) -> np.ndarray:
        colours = np.meshgrid(*[np.array(values, dtype)] * 3)
        return np.stack([x.ravel() for x in colours], axis=-1)

    @parameterized.product(op=["HSVToRGB", "RGBToHSV"], dtype=_FLOATS)
    def test_colour_spaces(self, op: str, dtype: str) -> None:
        for shape in [(3,), (1000, 3), (2, 5, 7, 3), (0, 3)]:
            self._check(op, self._images(shape, dtype), ulps=2)
        values = [-1.5, -0.1, 0, 0.1, 1 / 3, 0.5, 2 / 3, 1, 255]
        self._check(op, self._grid(values, dtype), ulps=2)
        self._check_converted(op, self._images((4, 5, 3), dtype), ulps=2)

    @parameterized.product(op=["HSVToRGB", "RGBToHSV"], dtype=_FLOATS)
    def test_special_colours(self, op: str, dtype: str) -> None:
        values = [0, 1e-40, 1, np.inf, -np.inf]
        self._check(op, self._grid(values, dtype), ulps=2)

    @parameterized.product(
        op=["AdjustHue", "AdjustSaturation"],
        by=[0, 0.1, 0.5, -0.3, 1, 1.7, -20, 300],
    )
    def test_adjusted_colours(self, op: str, by: float) -> None:
        by = np.array(by, np.float32)
        for shape in [(1, 1, 3), (10, 20, 3), (2, 5, 7, 3), (2, 0, 3)]:
            self._check(op, self._images(shape, "float32"), by)
        values = [-1.5, -0.1, 0, 0.1, 1 / 3, 0.5, 2 / 3, 1, 255]
        self._check(op, self._grid(values, "float32")[None], by)
        self._check_converted(op, self._images((4, 5, 3), "float32"), by)

    @parameterized.parameters("AdjustHue", "AdjustSaturation")
    def test_special_adjusted_colours(self, op: str) -> None:
        grid = self._grid([0, 1, np.inf, np.nan], "float32")[None]
        if op == "AdjustSaturation":
            # TensorFlow would subtract 2 from an infinite hue for ever.
            grid = grid[np.isfinite(grid).all(-1)][None]
        self._check(op, grid, np.array(0.3, np.float32))

    @parameterized.parameters(0, 0.5, 1, 2, -1, np.inf, np.nan)
    def test_contrast(self, factor: float) -> None:
        factor = np.array(factor, np.float32)
        for shape in [(1, 1, 3), (7, 9, 3), (2, 16, 16, 4), (2, 2, 3, 5, 1)]:
            x = self._images(shape, "float32")
            self._check("AdjustContrastv2", x, factor)
        self._check("AdjustContrastv2", x[:, :0], factor)
        self._check_converted("AdjustContrastv2", x, factor)
        special = np.resize(np.float32(_SPECIAL), (2, 5, 10))
        self._check("AdjustContrastv2", special, factor)

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
            self._assert_refused(why, op, inputs)


class QuantizationTest(_Test):
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
            self._check(
                "FakeQuantWithMinMaxVarsPerChannel",
                *(x[some], mins, maxs),
                **options,
            )
            self._check(
                "FakeQuantWithMinMaxVarsPerChannelGradient",
                *(gradients[some], x[some], mins, maxs),
                **options,
            )
            self._check(
                "FakeQuantWithMinMaxVarsGradient",
                *(gradients[some], x[some], np.array(low), np.array(high)),
                **options,
            )
            self._check(
                "FakeQuantWithMinMaxArgsGradient",
                *(gradients[some], x[some]),
                **options,
                min=float(low),
                max=float(high),
            )

    def test_special_values_are_fake_quantized(self) -> None:
        special = np.float32(_SPECIAL)
        mins, maxs = np.full(10, -2, "f4"), np.full(10, 3, "f4")
        for x in (special, np.stack([special, special[::-1]])):
            self._check("FakeQuantWithMinMaxVarsPerChannel", x, mins, maxs)
            self._check(
                "FakeQuantWithMinMaxVarsPerChannelGradient",
                *(x[..., ::-1].copy(), x, mins, maxs),
            )
            gradients = np.ones_like(x)
            self._check("FakeQuantWithMinMaxArgsGradient", gradients, x)
            self._check("FakeQuantWithMinMaxArgsGradient", x, gradients)
            self._check(
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
            self._check_converted(op, *inputs, ulps=8, **options)

    def test_fake_quantization_errors(self) -> None:
        x, low = self._values((4, 3)), np.full(3, -2, "f4")
        op = "FakeQuantWithMinMaxVarsPerChannel"
        self._assert_refused(
            r"min is \[2\] for inputs of \[4,3\]", op, [x, low[:2], -low]
        )
        for bits in (1, 17):
            why = rf"num_bits must be in \[2, 16\], not {bits}"
            self._assert_refused(why, op, [x, low, -low], num_bits=bits)
        self._assert_refused(
            "min must be less than max, but they are 3 and 1",
            "FakeQuantWithMinMaxArgsGradient",
            [x, x],
            min=3.0,
            max=1.0,
        )

    @parameterized.product(
        dtype=_FLOATS,
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
                self._check("QuantizeAndDequantizeV3", *inputs, **options)
                # TensorFlow's V4 takes no range for each channel, though it is
                # documented to; its V3 does.
                per_channel = options["range_given"] and axis >= 0
                for mode in ("HALF_TO_EVEN", "HALF_UP")[: 2 - per_channel]:
                    self._check(
                        "QuantizeAndDequantizeV4",
                        *inputs[:3],
                        num_bits=bits,
                        round_mode=mode,
                        **options,
                        want=_tensorflow(
                            "QuantizeAndDequantizeV3", inputs, options
                        )
                        if per_channel
                        else None,
                    )
            gradients = x[::-1].copy()
            self._check(
                "QuantizeAndDequantizeV4Grad",
                *(gradients, x, low, high),
                axis=axis,
            )

    def test_quantize_and_dequantize_special_values(self) -> None:
        low, high = np.array(-2, "f4"), np.array(3, "f4")
        x = np.float32(_SPECIAL)
        op = "QuantizeAndDequantizeV4"
        self._check(op, x, low, high, range_given=True)
        self._check(op, x[:0], low, high)
        self._check(op, x[6:], low, high)
        self._check("QuantizeAndDequantizeV4Grad", x, x[::-1].copy(), low, high)

    def test_quantize_and_dequantize_converts(self) -> None:
        x = self._values((4, 3))
        low, high = np.array(-2, "f4"), np.array(3, "f4")
        for axis in (-1, 1):
            if axis == 1:
                low, high = (np.full(3, each) for each in (low, high))
            self._check_converted(
                "QuantizeAndDequantizeV4",
                *(x, low, high),
                axis=axis,
                range_given=axis < 0,
                round_mode="HALF_UP",
                num_bits=5,
            )
            self._check_converted(
                "QuantizeAndDequantizeV3",
                *(x, low, high, np.array(4, np.int32)),
                axis=axis,
                signed_input=False,
            )
            self._check_converted(
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
            self._assert_refused(
                why, "QuantizeAndDequantizeV4", [x, *bounds], **options
            )


class SparseSegmentTest(_Test):
    """The kernels of reduction/sparse_segment.cc."""

    # Segments of none, one, and so many rows that sums are taken in groups.
    _SEGMENTS = np.repeat([0, 2, 3, 5, 6], [1, 8, 9, 26, 2])

    @parameterized.product(
        op=["SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"],
        dtype=_FLOATS,
        index=_INDICES,
        segment=_INDICES,
    )
    def test_segments(self, op, dtype, index, segment) -> None:
        segments = self._SEGMENTS.astype(segment)
        rows = np.random.default_rng(1).integers(0, 7, segments.shape)
        rows = rows.astype(index)
        for shape in [(7,), (7, 3), (7, 2, 3), (7, 0)]:
            data = _random(shape, dtype)
            self._check(op, data, rows, segments)
            self._check(op, data, rows, segments, constants=[2])
            count = np.array(9, index)
            self._check(op + "WithNumSegments", data, rows, segments, count)
            gradients = _random((7, *shape[1:]), dtype, 2)
            size = np.array(8, np.int32)
            self._check(op + "Grad", gradients, rows, segments, size)
        self._check(op, data, rows[:0], segments[:0])
        count = np.array(2, segment)
        self._check(op + "WithNumSegments", data, rows[:0], segments[:0], count)

    @parameterized.parameters(*_INTS, *_UINTS)
    def test_sums_of_integers(self, dtype: str) -> None:
        segments = self._SEGMENTS.astype("int32")
        rows = np.random.default_rng(1).integers(0, 7, segments.shape)
        data = _random((7, 3), dtype)
        self._check("SparseSegmentSum", data, rows, segments)
        count = np.array(9, np.int32)
        self._check(
            "SparseSegmentSumWithNumSegments", data, rows, segments, count
        )

    @parameterized.parameters("Mean", "SqrtN", "Sum")
    def test_converts(self, op: str) -> None:
        op = "SparseSegment" + op
        data = _random((7, 3), "float32")
        rows, segments = np.int32([3, 0, 0]), np.int32([0, 0, 2])
        self._check_converted(op, data, rows, segments)
        four = np.array(4, np.int32)
        self._check_converted(
            op + "WithNumSegments", data, rows, segments, four
        )
        self._check_converted(op + "Grad", data, rows, segments, four)

    @parameterized.parameters(
        ("", [0, 3, 1], [0, 2, 1], "sorted and not negative.* 2 is 1"),
        ("", [0, 3, 1], [-1, 0, 1], "sorted and not negative.* 0 is -1"),
        ("", [0, 4, 1], [0, 0, 1], r"indices must be in \[0, 4\).* 1 is 4"),
        ("", [0, -1, 1], [0, 0, 1], r"indices must be in \[0, 4\).* 1 is -1"),
        ("WithNumSegments", [0, 1], [0, 3], r"segment_ids.* \[0, 3\).* is 3"),
        ("Grad", [0, 3], [0, 1], r"indices must be in \[0, 3\).* 1 is 3"),
        ("Grad", [0, 1], [0, 4], r"segment_ids must be in \[0, 4\).* 1 is 4"),
    )
    def test_errors(self, kind: str, rows, segments, why: str) -> None:
        inputs = [np.ones((4, 2), "f4"), np.int32(rows), np.int32(segments)]
        if kind:
            inputs.append(np.array(3, np.int32))
        self._assert_refused(why, "SparseSegmentMean" + kind, inputs)


class EuclideanNormTest(_Test):
    """EuclideanNorm of integers; tensor_ops_test has that of floats."""

    @parameterized.parameters(*_INTS, *_UINTS)
    def test_squares_wrap(self, dtype: str) -> None:
        limits = np.iinfo(dtype)
        rows = [[3, 4], [100, 100], [11, 5], [9, 9], [0, 0], [1, limits.max]]
        rows += [
            [limits.max // 2, 7],
            [limits.max, limits.max],
            [limits.min, 1],
        ]
        x = np.array(rows, dtype)
        for axes in ([1], [0], [0, 1], []):
            self._check("EuclideanNorm", x, np.array(axes, np.int32))
        self._check_converted("EuclideanNorm", x, np.int32([1]))


class BincountTest(_Test):
    """RaggedBincount and SparseBincount."""

    @parameterized.product(
        index=_INDICES,
        dtype=["int32", "int64", "float32", "float64"],
        weighted=[False, True],
        binary_output=[False, True],
    )
    def test_equals_tensorflow(self, index, dtype, weighted, binary_output):
        numbers = np.random.default_rng(1).integers(0, 9, 12).astype(index)
        size = np.array(7, index)
        weights = _random(12 if weighted else 0, dtype)
        options = {"binary_output": binary_output}
        for splits in ([0, 3, 3, 12], [0, 12], [0, 0, 12, 12]):
            inputs = [np.int64(splits), numbers, size, weights]
            self._check("RaggedBincount", *inputs, **options)
            self._check("RaggedBincount", *inputs, **options, constants=[2])
        self._check_converted("RaggedBincount", *inputs, **options)
        rows = np.random.default_rng(2).integers(0, 4, (12, 3))
        # TensorFlow adds up parts of a vector's weights in its threads.
        for shape, ulps in [((4,), 100), ((4, 5), 0), ((4, 5, 6), 0)]:
            inputs = [rows[:, : len(shape)].copy(), numbers, np.int64(shape)]
            inputs += [size, weights]
            self._check("SparseBincount", *inputs, **options, ulps=ulps)
            self._check(
                "SparseBincount",
                *inputs,
                **options,
                constants=[2, 3],
                ulps=ulps,
            )
        self._check_converted("SparseBincount", *inputs, **options)

    @parameterized.parameters(
        ("RaggedBincount", [1, 2], [0, 1], "from 0 to .* 2.* 0 is 1"),
        ("RaggedBincount", [0, 1], [0, 1], "from 0 to .* 2.* 1 is 1"),
        ("RaggedBincount", [0, 2], [0, -1], "non-negative.* 1 is -1"),
        ("SparseBincount", [[0, 0], [3, 0]], [0, 1], "row 1 with 3"),
        ("SparseBincount", [[0, 0], [-1, 0]], [0, 1], "row 1 with -1"),
    )
    def test_errors(self, op: str, rows, numbers, why: str) -> None:
        inputs = [np.int64(rows), np.int32(numbers)]
        if op == "SparseBincount":
            inputs.append(np.int64([3, 4]))
        inputs += [np.array(5, np.int32), np.zeros(0, np.float32)]
        model = custom_op_model(
            op,
            [Tensor(x.shape, x.dtype.name) for x in inputs],
            [Tensor([1])],
        )
        with self.assertRaisesRegex(RuntimeError, why):
            run_everywhere(model, inputs)


class SparseTest(_Test):
    """Kernels of //tflite/custom/sparse."""

    _INDICES_OF_VALUES = np.int64([[0, 1], [2, 0], [2, 2], [3, 1]])

    @parameterized.product(op=["Add", "Div", "Mul"], dtype=_NUMBERS)
    def test_element_wise(self, op: str, dtype: str) -> None:
        op = "SparseDenseCwise" + op
        values = _random(4, dtype)
        for shape in [(), (3,), (1,), (4, 1), (1, 3), (4, 3)]:
            dense = np.asarray(_random(shape, dtype, 2))
            dense = np.where(dense == 0, np.array(1, dtype), dense)
            inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3]), dense]
            self._check(op, *inputs)
        inputs[0], inputs[1] = inputs[0][:0], values[:0]
        self._check(op, *inputs)

    @parameterized.parameters("Add", "Div", "Mul")
    def test_element_wise_special_values(self, op: str) -> None:
        op = "SparseDenseCwise" + op
        special = np.float32(_SPECIAL)
        dense = special[special != 0]
        grid = np.int64(np.indices((10, dense.size)).reshape(2, -1).T)
        values = np.repeat(special, dense.size)
        # TensorFlow takes a denormal for the zero that it will not divide by.
        if op.endswith("Div"):
            dense = np.where(np.abs(dense) < 1e-38, np.float32(7), dense)
        shape = np.int64([10, dense.size])
        self._check(op, grid, values, shape, dense)
        self._check_converted(op, grid, values, shape, dense)

    def test_quotients_that_overflow_wrap(self) -> None:
        least = np.int32([-(2**31)])
        self._check(  # TensorFlow dies of it.
            "SparseDenseCwiseDiv",
            *(np.int64([[0]]), least, np.int64([1]), np.int32([-1])),
            want=[least],
        )

    @parameterized.product(dtype=_NUMBERS, index=_INDICES)
    def test_dense_add(self, dtype: str, index: str) -> None:
        op = "SparseTensorDenseAdd"
        indices = self._INDICES_OF_VALUES.astype(index)
        inputs = [_random(4, dtype), np.array([4, 3], index)]
        dense = _random((4, 3), dtype, 2)
        self._check(op, indices, *inputs, dense)
        self._check(op, np.zeros_like(indices), *inputs, dense)
        self._check(op, indices[:0], inputs[0][:0], inputs[1], dense)
        self._check_converted(op, indices, *inputs, dense)

    @parameterized.product(
        op=["SparseReduceMax", "SparseReduceSum"],
        dtype=_NUMBERS,
        keep_dims=[False, True],
    )
    def test_reduce(self, op: str, dtype: str, keep_dims: bool) -> None:
        values = _random(4, dtype).round()  # In whatever order they are added.
        shape = np.int64([4, 3])
        for axes in ([0], [1], [-1], 0, [0, 1], [], [1, 1]):
            inputs = [self._INDICES_OF_VALUES, values, shape, np.int32(axes)]
            inputs[3] = inputs[3].reshape(np.shape(axes))
            self._check(op, *inputs, keep_dims=keep_dims)
            self._check(op, *inputs, keep_dims=keep_dims, constants=[2, 3])
            inputs[0] = inputs[0][::-1].copy()
            self._check(op, *inputs, keep_dims=keep_dims)
        inputs[0], inputs[1] = inputs[0][:0], values[:0]
        self._check(op, *inputs, keep_dims=keep_dims)

    @parameterized.parameters("SparseReduceMax", "SparseReduceSum")
    def test_reduce_special_values_and_converts(self, op: str) -> None:
        special = np.float32(_SPECIAL)
        values = np.stack(np.meshgrid(special, special)).reshape(2, -1)
        if op == "SparseReduceMax":  # A NaN may hide others, or not.
            values = values[:, ~np.isnan(values).any(0)]
        shape = values.shape[::-1]
        indices = np.int64(np.indices(shape).reshape(2, -1).T)
        inputs = [indices, values.T.ravel(), np.int64(shape), np.int32([1])]
        self._check(op, *inputs)
        self._check_converted(op, *inputs, keep_dims=True)

    @parameterized.parameters(
        ("SparseDenseCwiseAdd", [4, 2], (2,), "index 2 .* dimension 1, .* 2"),
        ("SparseDenseCwiseAdd", [4, 3], (4,), r"of rank 2, but is \[4\]"),
        ("SparseDenseCwiseAdd", [4, 3], (1, 4, 3), r"but is \[1,4,3\]"),
        ("SparseDenseCwiseDiv", [4, 3], (0, 3), "must broadcast"),
        ("SparseTensorDenseAdd", [4, 3], (4, 4), r"1 is 3, but is \[4,4\]"),
        ("SparseTensorDenseAdd", [3, 3], (3, 3), "index 3 .* 0, but is 3"),
        ("SparseTensorDenseAdd", [4, 3], (3,), r"of rank 2, but is \[3\]"),
    )
    def test_errors(self, op: str, shape, dense, why: str) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64(shape)]
        inputs.append(np.ones(dense, np.float32))
        self._assert_refused(why, op, inputs)

    def test_division_by_zero_is_refused(self) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3])]
        self._assert_refused(
            "cannot divide by zero: element 1 of dense",
            "SparseDenseCwiseDiv",
            [*inputs, np.float32([1, 0, 2])],
        )

    def test_axes_outside_are_refused(self) -> None:
        values = np.float32([1, 2, 3, 4])
        inputs = [self._INDICES_OF_VALUES, values, np.int64([4, 3])]
        self._assert_refused(
            r"axis must be in \[-2, 2\), but element 0 is 2",
            "SparseReduceSum",
            [*inputs, np.int32([2])],
        )


class LinalgTest(_Test):
    """Kernels of //tflite/custom/linalg that came last."""

    @parameterized.product(
        dtype=_FLOATS,
        shape=[(1, 1), (3, 3), (2, 4, 4), (2, 3, 5, 5), (0, 0), (2, 0, 0)],
    )
    def test_determinants(self, dtype: str, shape: Sequence[int]) -> None:
        x = _random(shape, dtype)
        # TensorFlow adds up vectors of logarithms.
        self._check("MatrixDeterminant", x, ulps=40)
        sign, log = _tensorflow("LogMatrixDeterminant", [x], {})
        model = custom_op_model(
            "LogMatrixDeterminant",
            [Tensor(shape, dtype)],
            [Tensor([1], dtype)] * 2,
        )
        got = run_everywhere(model, [x])
        np.testing.assert_array_equal(got[0], sign)
        eps = 20 * np.finfo(dtype).eps
        np.testing.assert_allclose(got[1], log, rtol=eps, atol=eps)

    @parameterized.parameters(
        ([[1, 2], [2, 4]],),
        ([[0, 0], [0, 0]],),
        ([[np.nan, 2], [2, 1]],),
        ([[np.inf, 2], [2, 1]],),
        ([[1e30, 0], [0, 1e30]],),
    )
    def test_special_determinants(self, x) -> None:
        self._check("MatrixDeterminant", np.float32(x), ulps=40)
        self._check("LogMatrixDeterminant", np.float32(x), ulps=4)

    def test_determinants_convert(self) -> None:
        x = np.eye(3, dtype=np.float32)
        self._check_converted("MatrixDeterminant", x)
        self._check_converted("LogMatrixDeterminant", x)
        self._assert_refused("must be square", "MatrixDeterminant", [x[:2]])
        self._assert_refused(
            r"superdiag must be a row .* \[2,3\] for rhs of \[2,3\]",
            "TridiagonalMatMul",
            [x[:2]] * 4,
        )

    @parameterized.product(
        dtype=_FLOATS, shape=[(1, 1), (3, 2), (2, 40, 5), (0, 3), (3, 0)]
    )
    def test_tridiagonal_product(self, dtype: str, shape) -> None:
        diagonals = [
            _random((*shape[:-2], 1, shape[-2]), dtype, i) for i in range(3)
        ]
        rhs = _random(shape, dtype, 3)
        self._check("TridiagonalMatMul", *diagonals, rhs)
        if shape == (3, 2):
            diagonals[0][..., -1] = diagonals[2][..., 0] = np.nan
            self._check("TridiagonalMatMul", *diagonals, rhs)
            self._check_converted("TridiagonalMatMul", *diagonals, rhs)


class DiagonalTest(_Test):
    """Diagonals, transposes, and complex numbers."""

    @parameterized.parameters(
        "float32", "float64", "int32", "int64", "complex64", "complex128"
    )
    def test_diagonals(self, dtype: str) -> None:
        for shape in [(3,), (2, 3), (1,), (0,), (2, 0)]:
            x = _random(shape, "float64").astype(dtype)
            self._check("Diag", x)
        for shape in [(3, 3), (2, 3, 2, 3), (0, 0)]:
            x = _random(shape, "float64").astype(dtype)
            self._check("DiagPart", x)
        x = _random((2, 2), "float64").astype(dtype)
        self._check_converted("Diag", x)
        self._check_converted("DiagPart", x)

    @parameterized.parameters(*_NUMBERS, "bool", "complex64")
    def test_matrix_diagonals(self, dtype: str) -> None:
        for shape in [(3, 3), (2, 3, 5), (2, 2, 5, 3), (0, 3), (2, 3, 0)]:
            x = _random(shape, "int32").astype(dtype)
            self._check("MatrixDiagPart", x)
        self._check_converted("MatrixDiagPart", np.ones((2, 3, 2), dtype))

    def test_errors(self) -> None:
        scalar, matrix = np.array(1, np.float32), np.ones((2, 3), np.float32)
        for op, x, why in [
            ("Diag", scalar, r"must have rank 1 or more, but is \[\]"),
            ("DiagPart", matrix, r"half is the first, but is \[2,3\]"),
            ("DiagPart", scalar, r"rank that is not 0, .* but is \[\]"),
            ("MatrixDiagPart", matrix[0], r"rank 2 or more, but is \[3\]"),
        ]:
            self._assert_refused(why, op, [x])
        x = np.zeros(20000, np.float32)
        model = custom_op_model("Diag", [Tensor(x.shape)], [Tensor([1])])
        with self.assertRaisesRegex(RuntimeError, "at most 268435456"):
            run_everywhere(model, [x])

    @parameterized.parameters(*_NUMBERS)
    def test_nan_count(self, dtype: str) -> None:
        with np.errstate(invalid="ignore"):
            special = np.array(_SPECIAL * 2).astype(dtype)
        for x in (special, special.reshape(4, 5), special[:0]):
            self._check("DebugNanCount", x, tensor_name="x:0")

    @parameterized.product(
        dtype=[*_NUMBERS, "bool", "complex64", "complex128"], index=_INDICES
    )
    def test_conjugate_transpose(self, dtype: str, index: str) -> None:
        for shape, perm in [
            ((2, 3), [1, 0]),
            ((2, 3), [0, 1]),
            ((2, 3, 4), [2, 0, 1]),
            ((2, 3, 4, 5), [3, 1, 0, 2]),
            ((0, 3), [1, 0]),
            ((4,), [0]),
        ]:
            x = _random(shape, "int32").astype(dtype)
            if dtype.startswith("complex"):
                x = x + x[::-1] * np.array(1j, dtype)
            perm = np.array(perm, index)
            self._check("ConjugateTranspose", x, perm)
            self._check("ConjugateTranspose", x, perm, constants=[1])
        self._check_converted("ConjugateTranspose", x, perm)

    def test_permutations_that_are_none_are_refused(self) -> None:
        x = np.ones((2, 3), np.float32)
        for perm in ([0, 0], [0, 2], [1]):
            self._assert_refused(
                "perm must be", "ConjugateTranspose", [x, np.int32(perm)]
            )

    @parameterized.parameters(*_FLOATS)
    def test_complex_numbers(self, dtype: str) -> None:
        kind = {"float32": np.complex64, "float64": np.complex128}[dtype]
        types = {"Tout": tf.as_dtype(kind)}
        real, imag = (
            x.ravel() for x in np.meshgrid(*[np.array(_SPECIAL, dtype)] * 2)
        )
        self._check("Complex", real, imag, **types)
        column = np.array(_SPECIAL, dtype).reshape(-1, 1)
        self._check("Complex", column, column.T.copy(), **types)
        self._check("Complex", column[0], column[:0], **types)
        numbers = np.empty(real.shape, kind)
        numbers.real, numbers.imag = real, imag
        numbers = np.concatenate([numbers, _random(100, dtype) * kind(3 - 4j)])
        for x in (numbers, numbers[:40].reshape(2, 20), numbers[:0]):
            self._check("Conj", x)
            self._check("Angle", x, Tout=tf.as_dtype(dtype))
        self._check_converted("Angle", x, Tout=tf.as_dtype(dtype))
        self._check_converted("Conj", numbers)
        self._check_converted("Complex", real, imag, **types)


if __name__ == "__main__":
    tf.test.main()
