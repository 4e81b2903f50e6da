"""Calls of each kernel of register.cc, for what runs them all.

A registered op without a row in SAMPLES fails every_runtime_test.
"""

import dataclasses
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np

from tflite.custom.python import single_op_model


@dataclasses.dataclass(frozen=True)
class Sample:
    """One call of an op.

    Attributes:
      inputs: arrays of the inputs, in order.
      outputs: shape and dtype of each output, as the model states them.
      options: the op's options, as the converter writes them, or the bytes that
        stand for them.
      constants: indices of inputs that are constants of the model.
      shape_from_values: whether the shape of an output hangs on the values of
        an input that is no constant, which LiteRT's CompiledModel cannot do for
        a custom op: it asks for all shapes before it runs anything.
      version: of the op.
      quantization: scale and zero point of all inputs, and of all outputs.
    """

    inputs: Sequence[np.ndarray]
    outputs: Sequence[tuple[Sequence[int], str]]
    options: Mapping[str, Any] | bytes = dataclasses.field(default_factory=dict)
    constants: Sequence[int] = ()
    shape_from_values: bool = False
    version: int = 1
    quantization: Sequence[tuple[float, int] | None] = (None, None)

    def model(self, op: str) -> bytes:
        """Returns the .tflite file of this call of the op."""
        return single_op_model.single_op_model(
            op,
            inputs=[
                single_op_model.Tensor(
                    value.shape,
                    single_op_model.type_name(value.dtype),
                    value=value if index in self.constants else None,
                    quantization=self.quantization[0],
                )
                for index, value in enumerate(self.inputs)
            ],
            outputs=[
                single_op_model.Tensor(
                    shape, dtype, quantization=self.quantization[1]
                )
                for shape, dtype in self.outputs
            ],
            options=self.options,
            version=self.version,
            custom=True,
        )

    def has_strings(self) -> bool:
        """Returns whether a tensor is of strings."""
        types = [single_op_model.type_name(x.dtype) for x in self.inputs]
        return "string" in [*types, *(dtype for _, dtype in self.outputs)]

    def variables(self) -> list[np.ndarray]:
        """Returns the inputs that are the model's."""
        return [
            value
            for index, value in enumerate(self.inputs)
            if index not in self.constants
        ]


_FLOATS = ("float32", "float64")

# Ordinary and special values; outside an op's domain the result is NaN, and
# must be the same NaN everywhere.
_X = [-10.0, -2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 3.0, 10.0]
_SPECIAL = [np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38]


def _unary(*dtypes: str, values: Sequence[float]) -> list[Sample]:
    samples = []
    for dtype in dtypes:
        x = np.array(values, dtype)
        samples.append(Sample([x], [(x.shape, dtype)]))
        matrix = np.resize(x, (2, 3, 5))
        samples.append(Sample([matrix], [(matrix.shape, dtype)]))
    return samples


def _float_unary() -> list[Sample]:
    return _unary(*_FLOATS, values=_X + _SPECIAL) + _quantized_unary()


def _quantized_unary() -> list[Sample]:
    """All bytes that there are."""
    return [
        Sample(
            [np.arange(256).astype(np.uint8).view(dtype)],
            [([256], dtype)],
            quantization=((0.02, zero_point), (0.015, 2)),
        )
        for dtype, zero_point in [("int8", -3), ("uint8", 130)]
    ]


def _binary(
    *dtypes: str, a: Sequence[float], b: Sequence[float], broadcast: bool = True
) -> list[Sample]:
    samples = []
    for dtype in dtypes:
        x, y = np.array(a, dtype), np.array(b, dtype)
        samples.append(Sample([x, y], [(x.shape, dtype)]))
        if broadcast:
            column, row = x.reshape(-1, 1), y.reshape(1, -1)
            shape = (len(a), len(b))
            samples.append(Sample([column, row], [(shape, dtype)]))
            samples.append(
                Sample([column, row], [(shape, dtype)], constants=[1])
            )
    return samples


def _positive_pair() -> list[Sample]:
    return _binary(
        *_FLOATS,
        a=[0.5, 1.0, 2.0, 3.0, 10.0, 1.5],
        b=[0.25, 1.0, 1.5, 4.0, 9.0, np.inf],
    )


def _gradient() -> list[Sample]:
    return _binary(
        *_FLOATS,
        a=[-1.5, 0.5, 2.0, -0.25],
        b=[0.5, -3.0, 7.0, 1.25],
        broadcast=False,
    )


def _integer_pair() -> list[Sample]:
    return _binary(
        "int32", "int64", a=[9, 7, 5, 100, 1, 0], b=[2, 3, 5, 7, 1, 4]
    )


def _clip_by_value() -> list[Sample]:
    samples = []
    for dtype in (*_FLOATS, "int32", "int8"):
        x = np.array([0, 1, 2, 5, 9, 100], dtype)
        low, high = np.array(1, dtype), np.array(6, dtype)
        for inputs in ([x, low, high], [x, x[::-1], high]):
            samples.append(Sample(inputs, [(x.shape, dtype)]))
    return samples


def _linear(
    shapes: Sequence[Sequence[int]],
    options: Mapping[str, bool],
    matrix: Sequence[int] = (3, 3),
) -> list[Sample]:
    """Two matrices; `shapes` are those of the outputs."""
    samples = []
    for dtype in _FLOATS:
        square = np.array([[4, 1, 0.5], [1, 3, 0.25], [0.5, 0.25, 2]], dtype)
        # Symmetric and positive definite, where they are square.
        x = np.resize(np.stack([square, square @ square]), (2, *matrix))
        samples.append(
            Sample([x], [(shape, dtype) for shape in shapes], options)
        )
    return samples


def _solved(options: Sequence[str]) -> list[Sample]:
    """Systems of equations, with each of the options on and off."""
    return [
        dataclasses.replace(
            sample,
            inputs=[*sample.inputs, np.ones((2, 3, 2), sample.inputs[0].dtype)],
        )
        for option in options
        for value in (False, True)
        for sample in _linear([[2, 3, 2]], {option: value})
    ]


def _dense_bincount() -> list[Sample]:
    numbers = np.array([[1, 2, 2], [0, 3, 9]], np.int32)
    weights = np.array([[0.5, 1, 2], [3, 4, 5]], np.float32)
    size = np.array(4, np.int32)
    none = np.zeros(0, np.float32)
    options = {"binary_output": False}
    return [
        Sample([numbers, size, weights], [([2, 4], "float32")], options, [1]),
        Sample(
            [numbers[0], size, none],
            [([4], "float32")],
            {"binary_output": True},
            [1, 2],
        ),
        Sample(
            [numbers, size, weights],
            [([2, 4], "float32")],
            options,
            shape_from_values=True,
        ),
    ]


def _bincount() -> list[Sample]:
    numbers = np.array([[1, 2, 2], [0, 3, 9]], np.int32)
    size = np.array(4, np.int32)
    samples = []
    for dtype in (*_FLOATS, "int64", "int32"):
        weights = np.array([[1, 2, 3], [4, 5, 6]], dtype)
        none = np.zeros(0, dtype)
        inputs = [numbers, size, weights]
        samples += [
            Sample(inputs, [([4], dtype)], {}, [1]),
            Sample([numbers, size, none], [([4], dtype)], {}, [1, 2]),
        ]
    samples.append(Sample(inputs, [([4], dtype)], shape_from_values=True))
    return samples


def _broadcast_gradient_args() -> list[Sample]:
    samples = []
    for dtype in ("int32", "int64"):
        shapes = [np.array(x, dtype) for x in ([2, 1, 3], [4, 1])]
        outputs = [([1], dtype), ([2], dtype)]
        samples += [
            Sample(shapes, outputs, constants=[0, 1]),
            Sample(shapes, outputs, shape_from_values=True),
        ]
    return samples


def _euclidean_norm() -> list[Sample]:
    samples = []
    for dtype in (*_FLOATS, "int8", "int64"):
        x = np.array([[[1, 2], [3, 4]], [[-5, 6], [7, -8]]], dtype)
        for axes, keep, shape in [
            (1, False, [2, 2]),
            ([0, -1], False, [2]),
            ([2], True, [2, 2, 1]),
            ([0, 1, 2], False, []),
        ]:
            options = {"keep_dims": keep}
            inputs = [x, np.array(axes, np.int32)]
            outputs = [(shape, dtype)]
            samples += [
                Sample(inputs, outputs, options, [1]),
                Sample(inputs, outputs, options, shape_from_values=True),
            ]
    return samples


def _histogram() -> list[Sample]:
    values = np.array([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], np.float32)
    limits = np.array([0.0, 5.0], np.float32)
    bins = np.array(5, np.int32)
    int32 = {"dtype": 2}  # By the model schema's TensorType.
    return [
        Sample([values, limits, bins], [([5], "int32")], int32, [1, 2]),
        Sample([values, limits, bins], [([5], "int32")], int32, [2]),
        Sample(
            [values, limits, bins],
            [([5], "int32")],
            int32,
            shape_from_values=True,
        ),
    ]


def _segments() -> list[Sample]:
    segments = np.array([0, 0, 2], np.int32)
    samples = []
    for dtype in _FLOATS:
        data = np.array([[1, 2], [3, 5], [8, 13]], dtype)
        samples.append(
            Sample([data, segments], [([3, 2], dtype)], constants=[1])
        )
    # Few and narrow ones: fuzzing makes them as long as a segment's number.
    vector = np.array([1, 3, 8], np.float32)
    samples.append(
        Sample([vector, segments], [([3], "float32")], shape_from_values=True)
    )
    return samples


def _cumulative() -> list[Sample]:
    samples = []
    for dtype in _FLOATS:
        x = np.array([[0.5, -1, 2], [1000, -1000, 3]], dtype)
        axis = np.array(1, np.int32)
        for exclusive, reverse in [(False, False), (True, False), (True, True)]:
            options = {"exclusive": exclusive, "reverse": reverse}
            samples += [
                Sample([x, axis], [(x.shape, dtype)], options, [1]),
                Sample([x, axis], [(x.shape, dtype)], options),
            ]
    return samples


def _multiplex() -> list[Sample]:
    cond = np.array([True, False, True])
    return [
        Sample(
            [cond, np.array([1, 2, 3], dtype), np.array([4, 5, 6], dtype)],
            [([3], dtype)],
        )
        for dtype in (*_FLOATS, "int32", "int64", "int8", "complex64")
    ]


def _cross() -> list[Sample]:
    return [
        Sample(
            [
                np.array([[1, 2, 3], [4, 5, 6]], dtype),
                np.array([[7, 9, 8], [3, 1, 2]], dtype),
            ],
            [([2, 3], dtype)],
        )
        for dtype in (*_FLOATS, "int32", "int64")
    ]


def _images() -> list[np.ndarray]:
    colours = np.float32([0.0, 0.25, 1.0, 0.5, -1e-40, 7.5, 3e38])
    return [np.resize(colours, shape) for shape in [(2, 4, 3), (2, 1, 3, 3)]]


def _adjusted(*by: float) -> list[Sample]:
    return [
        Sample([x, np.array(each, np.float32)], [(x.shape, "float32")])
        for x in _images()
        for each in by
    ]


def _colours() -> list[Sample]:
    return [
        Sample([x.astype(dtype)], [(x.shape, dtype)])
        for x in _images()
        for dtype in _FLOATS
    ]


def _accumulated() -> list[Sample]:
    return [
        Sample([np.array([1, 2, 3], dtype)] * count, [([3], dtype)])
        for dtype in (*_FLOATS, "int8", "int64")
        for count in (1, 3)
    ]


def _data_format() -> list[Sample]:
    return [
        Sample([np.array([0, 3, 1, 2], dtype)], [([4], dtype)], options)
        for dtype in ("int32", "int64")
        for options in ({}, {"src_format": "NCHW", "dst_format": "HWNC"})
    ]


def _in_top_k(*, k_is_input: bool) -> list[Sample]:
    predictions = np.float32([[1, 3, 2], [0.5, np.inf, 0]])
    samples = []
    for dtype in ("int32", "int64"):
        inputs, options = [predictions, np.array([2, 5], dtype)], {"k": 2}
        if k_is_input:
            inputs, options = [*inputs, np.array(2, dtype)], {}
        samples.append(Sample(inputs, [([2], "bool")], options))
    return samples


def _lin_space() -> list[Sample]:
    samples = []
    for dtype in _FLOATS:
        inputs = [np.array(0.5, dtype), np.array(3, dtype)]
        inputs.append(np.array(5, np.int32))
        outputs = [([5], dtype)]
        samples += [
            Sample(inputs, outputs, constants=[2]),
            Sample(inputs, outputs, shape_from_values=True),
        ]
    return samples


def _sorted_bounds() -> list[Sample]:
    return [
        Sample(
            [np.array([[1, 2, 2, 5]], dtype), np.array([[2, 9, 0]], dtype)],
            [([1, 3], out_type)],
        )
        for dtype in (*_FLOATS, "int16")
        for out_type in ("int32", "int64")
    ]


def _nth_element() -> list[Sample]:
    return [
        Sample(
            [np.array([[3, 1, 2], [9, 7, 8]], dtype), np.array(1, np.int32)],
            [([2], dtype)],
            {"reverse": reverse},
        )
        for dtype in (*_FLOATS, "uint8", "int64")
        for reverse in (False, True)
    ]


def _scattered(indices: Sequence) -> list[Sample]:
    """A tensor, indices of it, and updates for its rows or elements."""
    samples = []
    for dtype in (*_FLOATS, "int8", "int64"):
        tensor = np.array([[1, 2], [3, 4], [5, 6]], dtype)
        where = np.array(indices, np.int32)
        updates = np.array([[7, 0], [9, 1]], dtype)
        samples.append(Sample([tensor, where, updates], [((3, 2), dtype)]))
    return samples


def _fake_quantized(shape: Sequence[int], *, gradient: bool) -> list[Sample]:
    """Inputs, and a range of the shape."""
    x = np.float32([[-9, -1.5, 0.3], [0.7, 2, 9]])
    bounds = [np.full(shape, each, np.float32) for each in (-2, 3)]
    inputs, outputs = [x, *bounds], [(x.shape, "float32")]
    if gradient:
        inputs = [x * 2, *inputs]
        outputs += [(shape, "float32")] * 2
    return [
        Sample(inputs, outputs, options)
        for options in ({}, {"num_bits": 4, "narrow_range": True})
    ]


def _quantized(*others: np.ndarray, gradient: bool = False) -> list[Sample]:
    samples = []
    for dtype in _FLOATS:
        x = np.array([[-9, -1.5, 0.3], [0.7, 2, 9]], dtype)
        for axis, shape in [(-1, ()), (1, (3,))]:
            bounds = [np.full(shape, each, dtype) for each in (-2, 3)]
            inputs, outputs = [x, *bounds, *others], [(x.shape, dtype)]
            options = {"axis": axis}
            if gradient:
                inputs = [x * 2, *inputs]
                outputs += [(shape, dtype)] * 2
                samples.append(Sample(inputs, outputs, options))
                continue
            samples += [
                Sample(inputs, outputs, options | {"range_given": given})
                for given in (False, True)
            ]
    return samples


def _sparse(*last: np.ndarray) -> list[np.ndarray]:
    """Indices, values and shape, and what follows them."""
    return [
        np.int64([[0, 1], [2, 0], [2, 2]]),
        np.float32([1, 2, 3]),
        np.int64([3, 3]),
        *last,
    ]


def _sparse_segments(op: str) -> dict[str, list[Sample]]:
    rows, segments = np.int64([3, 0, 0]), np.int32([0, 0, 2])
    plain, sized, gradient = [], [], []
    for dtype in _FLOATS:
        data = np.array([[1, 2], [3, 5], [8, 13], [21, 34]], dtype)
        inputs = [data, rows, segments]
        plain.append(Sample(inputs, [((3, 2), dtype)], constants=[2]))
        inputs = [*inputs, np.array(5, np.int32)]
        outputs = [((5, 2), dtype)]
        for samples in (sized, gradient):
            samples.append(Sample(inputs, outputs, constants=[3]))
    late = Sample(
        [np.float32([1, 3, 8, 9]), rows, segments],
        [([3], "float32")],
        shape_from_values=True,
    )
    return {
        op: [*plain, late],
        op + "WithNumSegments": sized,
        op + "Grad": gradient,
    }


def _counted_rows(op: str) -> list[Sample]:
    rows = {
        "RaggedBincount": np.int64([0, 2, 2, 3]),
        "SparseBincount": np.int64([[0, 1], [0, 0], [2, 2]]),
    }
    inputs, constants = [rows[op], np.int32([1, 1, 9])], [2]
    if op == "SparseBincount":
        inputs, constants = [*inputs, np.int64([3, 3])], [2, 3]
    inputs += [np.array(4, np.int32), np.float32([1, 2, 3])]
    outputs = [([3, 4], "float32")]
    return [
        Sample(inputs, outputs, {"binary_output": binary}, constants)
        for binary in (False, True)
    ] + [Sample(inputs, outputs, shape_from_values=True)]


def _complex_numbers() -> np.ndarray:
    # LiteRT has no complex128.
    return np.complex64([1 + 2j, -3, 4j, -0.5 - 1j, 0])


def _fourier() -> dict[str, list[Sample]]:
    """Samples of Fourier transforms along one to three dimensions, or any."""
    z = np.resize(_complex_numbers(), (2, 3, 5))
    samples = {}
    for rank, name in enumerate(("ND", "", "2D", "3D")):
        last = [5, 3, 2][: rank or 2][::-1]
        axes = [np.int32([-2, -1])] if rank == 0 else []
        length = np.int32(last)
        half = [*z.shape[:2], 3]
        sized = Sample([z, length, *axes], [(z.shape, "complex64")])
        samples[f"FFT{name}"] = [
            Sample([z], sized.outputs)
            if rank
            else dataclasses.replace(sized, constants=[1, 2])
        ]
        samples[f"IFFT{name}"] = samples[f"FFT{name}"]
        for op, x, output in [
            (f"RFFT{name}", z.real, (half, "complex64")),
            (f"IRFFT{name}", z[:, :, :3], (z.shape, "float32")),
        ]:
            late = Sample([x, length, *axes], [output], shape_from_values=True)
            known = dataclasses.replace(
                late,
                constants=range(1, len(late.inputs)),
                shape_from_values=False,
            )
            samples[op] = [known, late]
    return samples


def _copied() -> dict[str, list[Sample]]:
    """Samples of ops that join, cut and turn tensors."""
    samples = {}
    for op, how, outputs, options in [
        ("GatherV2", [[1, 0, 1], 0], [(3, 3)], {}),
        ("Pad", [[[1, 0], [0, 2]]], [(3, 5)], {}),
        ("ReverseV2", [[1]], [(2, 3)], {}),
        ("Roll", [[1, 2], [0, 1]], [(2, 3)], {}),
        ("Slice", [[0, 1], [2, -1]], [(2, 2)], {}),
        ("SplitV", [[1, -1], 1], [(2, 1), (2, 2)], {}),
        (
            "StridedSlice",
            [[1, 0], [0, 9], [1, 2]],
            [(2,)],
            {"shrink_axis_mask": 1},
        ),
        ("Tile", [[1, 2]], [(2, 6)], {}),
        ("Transpose", [[1, 0]], [(3, 2)], {}),
    ]:
        samples[op] = []
        for dtype in ("complex64", "int8"):
            x = np.resize(_complex_numbers(), (2, 3))
            x = x if dtype == "complex64" else x.real.astype(dtype)
            late = Sample(
                [x, *map(np.int32, how)],
                [(shape, dtype) for shape in outputs],
                options,
                shape_from_values=True,
            )
            known = dataclasses.replace(
                late,
                constants=range(1, len(late.inputs)),
                shape_from_values=False,
            )
            samples[op] += [known, late]
    x = np.resize(_complex_numbers(), (2, 4))
    kind = "complex64"
    return samples | {
        "ConcatV2": [
            Sample([x, x, np.int32(0)], [((4, 4), kind)], constants=[2])
        ],
        "Pack": [Sample([x, x], [((2, 2, 4), kind)], {"axis": 1})],
        "PadV2": [
            Sample(
                [x, np.int32([[0, 1], [1, 0]]), np.complex64(2j)],
                [((3, 5), kind)],
                constants=[1],
            )
        ],
        "Split": [
            Sample([np.int32(1), x], [((2, 2), kind)] * 2, constants=[0])
        ],
        "Unpack": [Sample([x], [((4,), kind)] * 2, {"axis": 0})],
    }


def _summed() -> list[Sample]:
    samples = []
    for x in (np.resize(_complex_numbers(), (2, 3)), np.int32([[1, 2, 3]] * 2)):
        late = Sample(
            [x, np.int32([1])], [([2], x.dtype.name)], shape_from_values=True
        )
        known = dataclasses.replace(
            late, constants=[1], shape_from_values=False
        )
        samples += [known, late]
    return samples


def _products(*options: str) -> list[Sample]:
    x = np.resize(_complex_numbers(), (2, 2))
    return [
        Sample(
            [x.real.astype(dtype) if dtype == "float64" else x] * 2,
            [((2, 2), dtype)],
            {option: True},
        )
        for option in options
        for dtype in ("complex64", "float64")
    ]


def _complex_pair(*outputs: str) -> list[Sample]:
    x = _complex_numbers()
    return [
        Sample([x, y], [([5], output)])
        for y in (x, x[::-1].copy(), x[:1])
        for output in outputs
    ]


def _transposed() -> list[Sample]:
    samples = []
    for dtype in ("float32", "int8", "complex64"):
        x = np.resize(_complex_numbers(), (2, 3))
        x = x if dtype == "complex64" else x.real.astype(dtype)
        inputs, outputs = [x, np.int32([1, 0])], [((3, 2), dtype)]
        samples += [
            Sample(inputs, outputs, constants=[1]),
            Sample(inputs, outputs, shape_from_values=True),
        ]
    return samples


def _window(*fields: int) -> bytes:
    """A struct of 32-bit integers, which some options are."""
    return np.array(fields, "<i4").tobytes()


def _transposed_convolution() -> list[Sample]:
    x, bias = _numbered(1, 3, 4, 2), np.float32([0.5, -1, 2])
    filters = _numbered(3, 3, 2, 2) - 7
    return [
        Sample(inputs, [(shape, "float32")], options, constants)
        for options, shape in [
            (_window(1, 2, 2), (1, 5, 8, 3)),
            (_window(2, 3, 1), (1, 5, 11, 3)),
        ]
        for inputs, constants in [
            ([x, filters, bias], [1, 2]),
            ([np.repeat(x, 2, axis=0)[:1], filters, bias], []),
        ]
    ]


def _words(*words: str, shape: Sequence[int] | None = None) -> np.ndarray:
    array = np.array([each.encode() for each in words], object)
    return array.reshape(array.shape if shape is None else shape)


def _resized(op: str) -> list[Sample]:
    size = np.int32([2, 4])
    samples = []
    for dtype in (*_FLOATS, "uint8"):
        inputs = [_numbered(2, 5, 3, 2).astype(dtype), size]
        options = {"align_corners": True}
        if op == "CropAndResize":
            boxes = np.float32([[0.1, 0.2, 0.8, 0.9], [1, 1, -0.5, 0]])
            inputs[1:1] = [boxes, np.int32([1, 0])]
            options = {"method": "nearest", "extrapolation_value": -1.0}
        outputs = [((2, 2, 4, 2), "float32")]
        last = len(inputs) - 1
        samples += [
            Sample(inputs, outputs, {}, [last]),
            Sample(inputs, outputs, options, [last]),
            Sample(inputs, outputs, shape_from_values=True),
        ]
    return samples


def _pooled(*shape: int, argmax: bool = False) -> list[Sample]:
    samples = []
    for dtype in (*_FLOATS, "int8") if argmax else ("float32",):
        for padding, extra in [("SAME", 1), ("VALID", 0)]:
            x = _numbered(*shape).astype(dtype)
            out = (shape[0], *(s // 2 + extra for s in shape[1:-1]), shape[-1])
            inner = len(shape) - 2
            outputs = [(out, dtype)] + [(out, "int64")] * argmax
            options = {
                "ksize": [1, *[2] * inner, 1],
                "strides": [1, *[2] * inner, 1],
                "padding": padding,
            }
            samples.append(Sample([x], outputs, options))
    return samples


def _numbered(*shape: int) -> np.ndarray:
    """Floats that are all different."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % count).reshape(shape).astype(np.float32)


SAMPLES: dict[str, list[Sample]] = {
    **_copied(),
    **{op: _summed() for op in ("Mean", "Prod", "Sum")},
    **{
        op: _products("adj_x", "adj_y")
        for op in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
    },
    "MatMul": _products("transpose_a", "transpose_b"),
    **{
        op: _complex_pair("complex64")
        for op in (
            *("AddV2", "DivNoNan", "Mul", "Pow", "RealDiv", "Sub"),
            "SquaredDifference",
        )
    },
    **{op: _complex_pair("bool") for op in ("Equal", "NotEqual")},
    **{
        op: [Sample([_complex_numbers()], [([5], "complex64")])]
        for op in (
            *("Cos", "Exp", "Log", "Neg", "Reciprocal", "Rsqrt", "Sigmoid"),
            *("Sin", "Sqrt", "Tanh"),
        )
    },
    **_fourier(),
    **{
        op: _float_unary()
        for op in (
            *("Acos", "Acosh", "Asin", "Asinh", "Atanh", "Cosh", "Sinh", "Tan"),
            *("BesselI0", "BesselI0e", "BesselI1", "BesselI1e"),
            *("BesselJ0", "BesselJ1", "BesselK0", "BesselK0e"),
            *("BesselK1", "BesselK1e", "BesselY0", "BesselY1"),
            *("Dawsn", "Digamma", "Erf", "Erfc", "Erfinv", "Expint", "Ndtri"),
            *("FresnelCos", "FresnelSin", "Spence"),
        )
    },
    **{
        op: _positive_pair()
        for op in (
            *("Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad", "Zeta"),
            "NextAfter",
        )
    },
    **{
        op: _gradient()
        for op in (
            *("EluGrad", "InvGrad", "ReciprocalGrad", "Relu6Grad"),
            *("ReluGrad", "SoftplusGrad", "SoftsignGrad"),
        )
    },
    **{op: _integer_pair() for op in ("BitwiseAnd", "BitwiseOr", "LeftShift")},
    "AccumulateNV2": _accumulated(),
    "AdjustContrastv2": _adjusted(0.5, 2),
    "AdjustHue": _adjusted(0.25, -1.5),
    "AdjustSaturation": _adjusted(0.5, 3),
    "Angle": [
        Sample([_complex_numbers()], [([5], "float32")]),
    ],
    "ApproximateEqual": [
        Sample(
            [np.array([1, 2, -1], dtype), np.array([1.25, 2, np.nan], dtype)],
            [([3], "bool")],
            options,
        )
        for dtype in _FLOATS
        for options in ({}, {"tolerance": 0.5})
    ],
    "AsString": [
        Sample([np.array([[0, 1, 2]], dtype)], [((1, 3), "string")], options)
        for dtype in (*_FLOATS, "int8", "int64", "bool", "complex64")
        for options in (
            {},
            {"width": 6, "fill": "0"},
            {"precision": 3, "scientific": True},
        )
        if dtype in (*_FLOATS, "complex64") or "precision" not in options
    ],
    "Atan": _unary("float32", values=_X + _SPECIAL) + _quantized_unary(),
    "AvgPool3D": _pooled(1, 3, 5, 3, 2),
    "Betainc": [
        Sample(
            [
                np.array(values, dtype)
                for values in (
                    [0.5, 1, 2, 5],
                    [1, 3, 0.5, 2],
                    [0, 0.25, 0.5, 1],
                )
            ],
            [([4], dtype)],
        )
        for dtype in _FLOATS
    ],
    "BroadcastGradientArgs": _broadcast_gradient_args(),
    "Cholesky": _linear([[2, 3, 3]], {}),
    "Bincount": _bincount(),
    **{
        op: [
            Sample(
                [
                    (_numbered(5, 2, 4) / 4).astype(dtype),
                    np.int32([5, 3]),
                ],
                [((1, 2), "int64")] * paths
                + [([1], "int64")] * paths
                + [([2], "int64")] * paths
                + [((2, paths), dtype)],
                {"merge_repeated": merge, **options},
                shape_from_values=True,
            )
            for dtype in _FLOATS
            for merge in (False, True)
        ]
        for op, paths, options in [
            ("CTCGreedyDecoder", 1, {"blank_index": 0}),
            ("CTCBeamSearchDecoder", 2, {"beam_width": 4, "top_paths": 2}),
        ]
    },
    "CheckNumericsV2": _unary(*_FLOATS, values=_X),
    "ClipByValue": _clip_by_value(),
    "Complex": [
        Sample(
            [np.float32([[1], [2]]), np.float32([3, 4])],
            [((2, 2), "complex64")],
        )
    ],
    "Conj": [Sample([_complex_numbers()], [([5], "complex64")])],
    "ConjugateTranspose": _transposed(),
    "Conv2D": [
        Sample(
            [
                _numbered(1, 4, 5, 4).astype(dtype),
                _numbered(2, 3, depth, 6).astype(dtype),
            ],
            [(shape, dtype)],
            {
                "strides": [1, 1, 2, 1],
                "dilations": [1, 2, 1, 1],
                "padding": padding,
            },
            constants,
        )
        for dtype in (*_FLOATS, "int32")
        for padding, shape, depth, constants in [
            ("SAME", (1, 4, 3, 6), 4, [1]),
            ("VALID", (1, 2, 2, 6), 2, []),
        ]
    ],
    "Convolution2DTransposeBias": _transposed_convolution(),
    "CropAndResize": _resized("CropAndResize"),
    "Cross": _cross(),
    "Cumprod": _cumulative(),
    "CumulativeLogsumexp": _cumulative(),
    "DataFormatDimMap": _data_format(),
    "DataFormatVecPermute": _data_format(),
    "DebugNanCount": [
        Sample([np.array(_SPECIAL, dtype)], [([1], "int64")])
        for dtype in _FLOATS
    ],
    "DenseBincount": _dense_bincount(),
    "Diag": [
        Sample([np.array([[1, 2]], dtype)], [((1, 2, 1, 2), dtype)])
        for dtype in (*_FLOATS, "int32")
    ],
    "DiagPart": [
        Sample([np.array([[1, 2], [3, 4]], dtype)], [([2], dtype)])
        for dtype in (*_FLOATS, "int32")
    ],
    "EuclideanNorm": _euclidean_norm(),
    "Examples>MultiplexDense": _multiplex(),
    "ExtractImagePatches": [
        Sample(
            [_numbered(1, 5, 6, 2).astype(dtype)],
            [(shape, dtype)],
            {
                "ksizes": [1, 2, 3, 1],
                "strides": [1, 2, 1, 1],
                "rates": [1, 2, 1, 1],
                "padding": padding,
            },
        )
        for dtype in ("float32", "int8", "int64")
        for padding, shape in [
            ("SAME", (1, 3, 6, 12)),
            ("VALID", (1, 2, 4, 12)),
        ]
    ],
    "FakeQuantWithMinMaxArgsGradient": [
        dataclasses.replace(sample, options=options)
        for sample in _gradient()[:1]
        for options in ({}, {"min": -1.0, "max": 2.0, "num_bits": 3})
    ],
    "FakeQuantWithMinMaxVarsGradient": _fake_quantized((), gradient=True),
    "FakeQuantWithMinMaxVarsPerChannel": _fake_quantized((3,), gradient=False),
    "FakeQuantWithMinMaxVarsPerChannelGradient": _fake_quantized(
        (3,), gradient=True
    ),
    **{
        op: _unary("float32", "int8", values=[1, 2, 3])
        for op in ("Copy", "CopyHost", "DeepCopy", "GuaranteeConst")
    },
    "HSVToRGB": _colours(),
    "HistogramFixedWidth": _histogram(),
    "InTopK": _in_top_k(k_is_input=False),
    "InTopKV2": _in_top_k(k_is_input=True),
    **{
        op: _scattered([2, -2])
        for op in ("InplaceAdd", "InplaceSub", "InplaceUpdate")
    },
    "Invert": _unary("int32", "int64", values=[-3, 0, 1, 255]),
    "Landmarks2TransformMatrix": [
        Sample(
            [_numbered(1, 1, 1, 15)],
            [((1, 4, 4), "float32")],
            {
                "left_rotation_idx": 1,
                "right_rotation_idx": 3,
                "dimensions": 3,
                "landmarks_range": 16,
                "bbox_size_multiplier": 1.5,
                "input_hw": [24, 32],
                "output_hw": [8, 6],
                "subset": [0, 1, 2, 4],
            },
        ),
        Sample(
            [_numbered(1, 5, 3)],
            [((1, 4, 4), "float32")],
            {
                "left_rotation_idx": 0,
                "right_rotation_idx": 4,
                "target_rotation_radians": 0.25,
                "output_height": 8,
                "output_width": 6,
                "scale_x": 1.5,
                "scale_y": 0.75,
                "subset_idxs": [0, 1, 2],
            },
            version=2,
        ),
    ],
    "LeakyReluGrad": [
        dataclasses.replace(sample, options=options)
        for sample in _gradient()
        for options in ({}, {"alpha": 0.5})
    ],
    "LinSpace": _lin_space(),
    "LogMatrixDeterminant": _linear([[2], [2]], {}),
    **{op: _sorted_bounds() for op in ("LowerBound", "UpperBound")},
    "MaxPool3D": _pooled(1, 3, 5, 3, 2),
    "MaxPoolWithArgmax": _pooled(2, 3, 5, 2, argmax=True),
    "MaxPoolingWithArgmax2D": [
        Sample(
            [_numbered(1, 5, 6, 2)],
            [(shape, "float32")] * 2,
            _window(padding, 2, 2, 3, 2, activation),
        )
        for padding, shape in [(1, (1, 3, 3, 2)), (2, (1, 2, 2, 2))]
        for activation in (0, 3)
    ],
    "MaxUnpooling2D": [
        Sample(
            [_numbered(1, 2, 3, 2), _numbered(1, 2, 3, 2) / 2],
            [((1, 4, 9, 2), "float32")],
            _window(1, 2, 2, 3, 2, 0),
        )
    ],
    "MatrixDeterminant": _linear([[2]], {}),
    "MatrixDiagPart": [
        Sample([np.arange(12, dtype=dtype).reshape(2, 2, 3)], [((2, 2), dtype)])
        for dtype in (*_FLOATS, "int8")
    ],
    "MatrixInverse": (
        _linear([[2, 3, 3]], {"adjoint": False})
        + _linear([[2, 3, 3]], {"adjoint": True})
    ),
    "MatrixSolve": _solved(["adjoint"]),
    "MatrixSquareRoot": _linear([[2, 3, 3]], {}),
    "MatrixTriangularSolve": _solved(["adjoint", "lower"]),
    "Mod": _integer_pair(),
    "NthElement": _nth_element(),
    "Polygamma": _binary(
        *_FLOATS, a=[0, 1, 2, 3, 1.5], b=[0.5, 1.0, 2.5, 10.0, 1.0]
    ),
    "PopulationCount": [
        Sample([np.array([0, 1, 255, 1023], dtype)], [([4], "uint8")])
        for dtype in ("int32", "int64")
    ],
    "Qr": (
        _linear([[2, 3, 3], [2, 3, 3]], {"full_matrices": False})
        + _linear([[2, 4, 2], [2, 2, 2]], {"full_matrices": False}, (4, 2))
        + _linear([[2, 4, 4], [2, 4, 2]], {"full_matrices": True}, (4, 2))
    ),
    "QuantizeAndDequantizeV3": _quantized(np.array(6, np.int32)),
    "QuantizeAndDequantizeV4": _quantized(),
    "QuantizeAndDequantizeV4Grad": _quantized(gradient=True),
    "RGBToHSV": _colours(),
    "ResizeArea": _resized("ResizeArea"),
    **{op: _counted_rows(op) for op in ("RaggedBincount", "SparseBincount")},
    **{
        op: _scattered([[2], [0]])
        for op in (
            *("ScatterNdNonAliasingAdd", "TensorScatterMax"),
            *("TensorScatterMin", "TensorScatterSub"),
        )
    },
    **{
        op: _segments()
        for op in ("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd")
    },
    **{
        op: [Sample(_sparse(np.float32([1, 2, 4])), [([3], "float32")])]
        for op in (
            "SparseDenseCwiseAdd",
            "SparseDenseCwiseDiv",
            "SparseDenseCwiseMul",
        )
    },
    **{
        op: [
            Sample(_sparse(np.int32([1])), [([3], "float32")], {}, [2, 3]),
            Sample(
                _sparse(np.int32([1])),
                [((3, 1), "float32")],
                {"keep_dims": True},
                shape_from_values=True,
            ),
        ]
        for op in ("SparseReduceMax", "SparseReduceSum")
    },
    # Without vectors the second output is empty, which LiteRT has not.
    "SelfAdjointEigV2": _linear([[2, 3], [2, 3, 3]], {"compute_v": True}),
    **_sparse_segments("SparseSegmentMean"),
    **_sparse_segments("SparseSegmentSqrtN"),
    **_sparse_segments("SparseSegmentSum"),
    "SparseTensorDenseAdd": [
        Sample(_sparse(np.ones((3, 3), np.float32)), [((3, 3), "float32")])
    ],
    "StringJoin": [
        Sample(
            [_words("one", "", "three"), _words("x", shape=())],
            [([3], "string")],
            options,
            constants,
        )
        for options in ({}, {"separator": ", "})
        for constants in ([], [1])
    ],
    "StringToNumber": [
        Sample([_words("1", " -2", "3\n")], [([3], dtype)])
        for dtype in (*_FLOATS, "int32", "int64")
    ],
    "Svd": (
        _linear(
            [[2, 3], [2, 3, 3], [2, 3, 3]],
            {"compute_uv": True, "full_matrices": False},
        )
        + _linear(
            [[2, 2], [2, 4, 4], [2, 2, 2]],
            {"compute_uv": True, "full_matrices": True},
            (4, 2),
        )
    ),
    "TransformLandmarks": [
        Sample(
            [_numbered(1, 1, 2, 6), _numbered(1, 4, 4)],
            [((1, 1, 2, 6), "float32")],
            {"dimensions": dimensions, "scale": 0.5},
        )
        for dimensions in (2, 3)
    ]
    + [
        Sample(
            [_numbered(1, 5, dimensions), _numbered(1, 4, 4)],
            [((1, 5, dimensions), "float32")],
            version=2,
        )
        for dimensions in (2, 3)
    ],
    **{
        op: [
            Sample(
                [_numbered(1, 5, 6, 3), _numbered(1, 4, 4) / 16],
                [((1, 3, 4, 3), "float32")],
                options,
                version=version,
            )
            for version, options in versions.items()
        ]
        for op, versions in {
            "TransformTensor": {1: {"output_size": [3, 4]}},
            "TransformTensorBilinear": {
                1: {"output_size": [3, 4], "mode": "bilinear"},
                2: {"output_height": 3, "output_width": 4},
            },
        }.items()
    },
    "TridiagonalMatMul": [
        Sample(
            [np.full((1, 3), i, dtype) for i in (1, 2, 3)]
            + [np.array([[1, 2], [3, 4], [5, 6]], dtype)],
            [((3, 2), dtype)],
        )
        for dtype in _FLOATS
    ],
    "TruncateMod": (
        _integer_pair()
        + _binary(*_FLOATS, a=[5.5, -5.5, 7.0], b=[2.0, 2.5, -3.0])
    ),
}
