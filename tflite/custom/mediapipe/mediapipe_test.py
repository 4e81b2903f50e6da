"""The kernels of this folder against NumPy, and models that MediaPipe has them in."""

import os
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from ai_edge_litert import interpreter as ai_edge_litert

from tflite.custom.python.interpreter import Interpreter
from tflite.custom.python.kernel_test_case import KernelTestCase
from tflite.custom.python.kernel_test_case import random_values
from tflite.custom.python.kernel_test_case import run_op
from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import custom_op_model

_MODELS = "tflite/custom/corpus/mediapipe"
_SAME, _VALID = 1, 2


def _struct(*fields: int) -> bytes:
    return np.array(fields, "<i4").tobytes()


def _transposed_convolution(
    x: np.ndarray,
    filters: np.ndarray,
    bias: np.ndarray,
    stride: tuple[int, int],
    same: bool,
) -> np.ndarray:
    """Adds each pixel times the filter to the output, then cuts the padding."""
    batch, height, width, _ = x.shape
    channels, rows, cols, _ = filters.shape
    full = np.zeros(
        (
            batch,
            stride[0] * (height - 1) + rows,
            stride[1] * (width - 1) + cols,
            channels,
        )
    )
    for i in range(height):
        for j in range(width):
            y, z = i * stride[0], j * stride[1]
            full[:, y : y + rows, z : z + cols] += np.einsum(
                "bi,ohwi->bhwo", x[:, i, j].astype(float), filters
            )
    if same:
        for axis, (size, filter_size) in enumerate(
            [(height, rows), (width, cols)]
        ):
            cut = max(0, filter_size - (size - 1) % stride[axis] - 1)
            left = full.shape[axis + 1] - cut
            full = full.take(range(cut // 2, cut // 2 + left), axis + 1)
    return (full + bias).astype(np.float32)


def _max_pooling(
    x: np.ndarray, window: tuple[int, int], stride: tuple[int, int], same: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The largest of each window, and where it is in it, row by row."""
    sizes, before = [], []
    for axis in range(2):
        size, reach, step = x.shape[axis + 1], window[axis], stride[axis]
        sizes.append(-(-size // step) if same else (size - reach) // step + 1)
        pad = (sizes[axis] - 1) * step + reach - size
        before.append(max(pad, 0) // 2 if same else 0)
    padded = np.full(
        (
            x.shape[0],
            *(x.shape[i + 1] + 2 * window[i] + stride[i] for i in range(2)),
            x.shape[3],
        ),
        -np.inf,
        np.float32,
    )
    padded[
        :,
        before[0] : before[0] + x.shape[1],
        before[1] : before[1] + x.shape[2],
    ] = x
    shape = (x.shape[0], *sizes, x.shape[3])
    values, places = np.empty(shape, np.float32), np.empty(shape, np.float32)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            y, z = i * stride[0], j * stride[1]
            part = padded[:, y : y + window[0], z : z + window[1]]
            part = part.reshape(x.shape[0], window[0] * window[1], x.shape[3])
            values[:, i, j], places[:, i, j] = part.max(1), part.argmax(1)
    return values, places + np.float32(0.1)


def _turn(angle: float) -> np.ndarray:
    result = np.eye(4)
    result[:2, :2] = [
        [np.cos(angle), -np.sin(angle)],
        [np.sin(angle), np.cos(angle)],
    ]
    return result


def _scale(x: float, y: float) -> np.ndarray:
    return np.diag([x, y, 1, 1])


def _shift(x: float, y: float) -> np.ndarray:
    result = np.eye(4)
    result[:2, 3] = x, y
    return result


def _box(points: np.ndarray, turn: float) -> tuple[np.ndarray, np.ndarray]:
    """Size of what surrounds the turned points, and its middle turned back."""
    turned = points @ _turn(turn)[:2, :2].T
    least, most = turned.min(0), turned.max(0)
    return most - least, _turn(-turn)[:2, :2] @ ((least + most) / 2)


def _matrix_v1(landmarks: np.ndarray, options: Mapping[str, Any]) -> np.ndarray:
    points = landmarks.reshape(-1, 3)[:, :2].astype(float)
    dx, dy = (
        points[options["right_rotation_idx"]]
        - points[options["left_rotation_idx"]]
    )
    turn = -np.arctan(dy / dx)
    size, middle = _box(points[options["subset"]], turn)
    scale = size * options["bbox_size_multiplier"] / options["landmarks_range"]
    middle = middle / options["landmarks_range"] * 2 - 1
    in_h, in_w = ((size - 1) / 2 for size in options["input_hw"])
    out_h, out_w = (2 / (size - 1) for size in options["output_hw"])
    return (
        _shift(in_w, in_h)
        @ _scale(in_w, in_h)
        @ _shift(*middle)
        @ _turn(-turn)
        @ _scale(*scale)
        @ _shift(-1, -1)
        @ _scale(out_w, out_h)
    )


def _matrix_v2(landmarks: np.ndarray, options: Mapping[str, Any]) -> np.ndarray:
    points = landmarks.reshape(-1, 3)[:, :2].astype(float)
    dx, dy = (
        points[options["right_rotation_idx"]]
        - points[options["left_rotation_idx"]]
    )
    turn = options["target_rotation_radians"] - np.arctan2(dy, dx)
    size, middle = _box(points[options["subset_idxs"]], turn)
    width, height = options["output_width"], options["output_height"]
    return (
        _shift(*middle)
        @ _turn(-turn)
        @ _scale(
            options["scale_x"] * size[0] / width,
            options["scale_y"] * size[1] / height,
        )
        @ _shift(-width / 2, -height / 2)
    )


def _bilinear(
    image: np.ndarray,
    matrix: np.ndarray,
    height: int,
    width: int,
    middles: bool,
) -> np.ndarray:
    if middles:
        matrix = _shift(-0.5, -0.5) @ matrix @ _shift(0.5, 0.5)
    result = np.zeros((1, height, width, image.shape[3]), np.float32)
    for i in range(height):
        for j in range(width):
            x, y = (matrix @ [j, i, 0, 1])[:2]
            rows, cols = image.shape[1] - 1, image.shape[2] - 1
            if not (0 <= x <= cols and 0 <= y <= rows):
                continue
            left, top = int(x), int(y)
            right, low = min(left + 1, cols), min(top + 1, rows)
            u, v = x - left, y - top
            pixels = image[0]
            result[0, i, j] = (1 - v) * (
                (1 - u) * pixels[top, left] + u * pixels[top, right]
            ) + v * ((1 - u) * pixels[low, left] + u * pixels[low, right])
    return result


_LIPS = {
    "left_rotation_idx": 3,
    "right_rotation_idx": 8,
    "output_height": 16,
    "output_width": 12,
    "scale_x": 1.5,
    "scale_y": 1.25,
    "subset_idxs": [3, 1, 4, 1, 5, 9, 2],
    "target_rotation_radians": 0.5,
}
_EYES = {
    "left_rotation_idx": 3,
    "right_rotation_idx": 8,
    "input_hw": [48, 64],
    "output_hw": [16, 12],
    "dimensions": 3,
    "landmarks_range": 192,
    "bbox_size_multiplier": 1.5,
    "subset": [3, 1, 4, 1, 5, 9],
}


class MediaPipeTest(KernelTestCase):
    """Kernels of //tflite/custom/mediapipe."""

    def _check(
        self,
        op: str,
        inputs: Sequence[np.ndarray],
        want: Sequence[np.ndarray],
        options: bytes | Mapping[str, Any],
        version: int = 1,
    ) -> None:
        types = ["float32"] * len(want)
        got = run_op(op, inputs, types, options, version=version)
        self.assert_outputs(got, want, rtol=2e-5)

    def _assert_refuses(
        self,
        why: str,
        op: str,
        inputs: Sequence[np.ndarray],
        options: bytes | Mapping[str, Any],
        version: int = 1,
        outputs: int = 1,
    ) -> None:
        with self.assertRaisesRegex(RuntimeError, f"{op}: .*{why}"):
            run_op(op, inputs, ["float32"] * outputs, options, version=version)

    @parameterized.product(
        same=[True, False],
        stride=[(1, 1), (2, 2), (3, 2), (1, 4)],
        shapes=[
            ((1, 4, 6, 3), (5, 3, 2)),
            ((2, 3, 5, 7), (1, 2, 2)),
            ((1, 1, 1, 1), (2, 5, 4)),
            ((1, 2, 40, 16), (13, 3, 3)),
            ((0, 2, 3, 4), (5, 1, 1)),
        ],
    )
    def test_transposed_convolution(self, same, stride, shapes) -> None:
        shape, (channels, rows, cols) = shapes
        x = random_values(shape)
        filters = random_values((channels, rows, cols, shape[3]), seed=2)
        bias = random_values([channels], seed=3)
        self._check(
            "Convolution2DTransposeBias",
            [x, filters, bias],
            [_transposed_convolution(x, filters, bias, stride, same)],
            _struct(_SAME if same else _VALID, stride[1], stride[0]),
        )

    @parameterized.parameters(
        (_SAME, 2, (2, 2), 4), (_SAME, 2, (3, 3), 4), (_VALID, 3, (2, 4), 5)
    )
    def test_transposed_convolution_equals_xnnpack(
        self, padding: int, stride: int, window: tuple[int, int], size: int
    ) -> None:
        x = random_values((1, size, size, 16))
        filters = random_values((8, *window, 16), seed=2)
        bias = random_values([8], seed=3)
        op, options = (
            "Convolution2DTransposeBias",
            _struct(padding, stride, stride),
        )
        (ours,) = run_op(op, [x, filters, bias], ["float32"], options)
        constants = [Tensor(each.shape, value=each) for each in (filters, bias)]
        model = custom_op_model(
            op, [Tensor(x.shape), *constants], [Tensor(ours.shape)], options
        )
        # No kernel of ours: the delegate alone knows the op.
        theirs = ai_edge_litert.Interpreter(model_content=model)
        theirs.allocate_tensors()
        theirs.set_tensor(theirs.get_input_details()[0]["index"], x)
        theirs.invoke()
        index = theirs.get_output_details()[0]["index"]
        self.assertAllClose(ours, theirs.get_tensor(index), 1e-5, 1e-5)

    def test_transposed_convolution_refuses(self) -> None:
        op = "Convolution2DTransposeBias"
        x, filters = random_values((1, 3, 3, 2)), random_values((4, 2, 2, 2))
        bias = random_values([4])
        for why, inputs, options in [
            ("the options must be 12 bytes or more, not 8", [], _struct(1, 2)),
            (
                r"padding must be 1 \(same\) or 2 \(valid\), not 7",
                [],
                _struct(7, 2, 2),
            ),
            ("strides must be at least 1, not 0 and 2", [], _struct(1, 2, 0)),
            ("strides must be at least 1, not 2 and -1", [], _struct(1, -1, 2)),
            (
                r"but they are \[1,3,3,2\], \[4,2,2,2\] and \[3\]",
                [x, filters, bias[:3]],
                _struct(1, 2, 2),
            ),
            (
                "give an output of 4294967296",
                [x, filters, bias],
                _struct(2, 1, 2**31 - 1),
            ),
        ]:
            self._assert_refuses(why, op, inputs or [x, filters, bias], options)

    @parameterized.product(
        same=[True, False],
        window=[(2, 2), (3, 2), (1, 4)],
        stride=[(1, 1), (2, 3)],
        shape=[(1, 5, 6, 3), (2, 4, 4, 1), (0, 4, 4, 2)],
    )
    def test_max_pooling(self, same, window, stride, shape) -> None:
        x = random_values(shape)
        values, places = _max_pooling(x, window, stride, same)
        fields = [*stride[::-1], *window[::-1]]
        for activation, limit in [
            (0, lambda y: y),
            (1, lambda y: np.maximum(y, 0)),
            (2, lambda y: np.clip(y, -1, 1)),
            (3, lambda y: np.clip(y, 0, 6)),
        ]:
            options = _struct(_SAME if same else _VALID, *fields, activation)
            self._check(
                "MaxPoolingWithArgmax2D",
                [x],
                [limit(values), places],
                # The runtime's struct has more fields than these.
                options + bytes(16),
            )

    def _check_unpooling(
        self, rows: int, cols: int, stride: tuple[int, int], integers: bool
    ) -> None:
        x = random_values((2, 4 * rows, 5 * cols, 3))
        values, places = _max_pooling(x, (rows, cols), (rows, cols), True)
        want = np.zeros_like(x)
        for index in np.ndindex(values.shape):
            batch, i, j, channel = index
            y, z = divmod(int(places[index]), cols)
            y, z = i * stride[0] + y, j * stride[1] + z
            want[batch, y, z, channel] = values[index]
        if integers:
            y, z = np.divmod(places.astype(np.int32), np.int32(cols))
            places = (z * rows + y).view(np.float32)
        options = _struct(_SAME, *stride[::-1], cols, rows, 0)
        self._check("MaxUnpooling2D", [values, places], [want], options)

    # Where the stride is the window, XNNPACK of some runtimes takes the op.
    @parameterized.parameters((2, 2), (3, 2))
    def test_max_unpooling_reads_xnnpacks_integers(self, rows, cols) -> None:
        self._check_unpooling(rows, cols, (rows, cols), integers=True)

    @parameterized.parameters((2, 2), (3, 2))
    def test_max_unpooling_reads_floats(self, rows: int, cols: int) -> None:
        self._check_unpooling(rows, cols, (1, 1), integers=False)

    def test_max_unpooling_passes_over_places_outside(self) -> None:
        values = np.float32([1, 2, 3, 4]).reshape(1, 1, 4, 1)
        places = np.float32([np.nan, -2, 1e30, 3.1]).reshape(1, 1, 4, 1)
        want = np.zeros((1, 2, 8, 1), np.float32)
        want[0, 1, 4, 0] = 4
        options = _struct(_SAME, 1, 1, 2, 2, 0)
        self._check("MaxUnpooling2D", [values, places], [want], options)

    def test_poolings_refuse(self) -> None:
        x = random_values((1, 3, 3, 2))
        for op, inputs, outputs in [
            ("MaxPoolingWithArgmax2D", [x], 2),
            ("MaxUnpooling2D", [x, x], 1),
        ]:
            for why, options in [
                ("the options must be 24 bytes or more, not 0", b""),
                (
                    "the window must be at least 1 by 1, not 2 by 0",
                    _struct(1, 1, 1, 0, 2, 0),
                ),
                (
                    r"activation must be 0 to 3 .*, not 4",
                    _struct(1, 1, 1, 2, 2, 4),
                ),
            ]:
                self._assert_refuses(why, op, inputs, options, outputs=outputs)
        self._assert_refuses(
            "indices and input must have the same shape",
            "MaxUnpooling2D",
            [x, x[:, :2]],
            _struct(1, 1, 1, 2, 2, 0),
        )
        self._assert_refuses(
            r"would give an output of height 6442450941",
            "MaxUnpooling2D",
            [x, x],
            _struct(1, 1, 1, 1, 2**31 - 1, 0),
        )

    def test_landmarks_to_matrix(self) -> None:
        for seed in range(5):
            landmarks = 100 + 50 * random_values((1, 10, 3), seed=seed)
            self._check(
                "Landmarks2TransformMatrix",
                [landmarks.reshape(1, 1, 1, 30)],
                [_matrix_v1(landmarks, _EYES).astype(np.float32)[None]],
                _EYES,
            )
            self._check(
                "Landmarks2TransformMatrix",
                [landmarks],
                [_matrix_v2(landmarks, _LIPS).astype(np.float32)[None]],
                _LIPS,
                version=2,
            )

    @parameterized.parameters(
        (1, _EYES, (1, 1, 1, 30), "subset"),
        (2, _LIPS, (1, 10, 3), "subset_idxs"),
    )
    def test_landmarks_to_matrix_refuses(
        self, version: int, options: dict, shape: Sequence[int], subset: str
    ) -> None:
        op, x = "Landmarks2TransformMatrix", random_values(shape)
        for why, wrong in [
            (r"must be in \[0, 10\), but there is 10", {subset: [1, 10]}),
            (
                r"must be in \[0, 10\), but there is -1",
                {"left_rotation_idx": -1},
            ),
            ("the subset of landmarks must not be empty", {subset: []}),
            (
                "must be above 0, not 0",
                {"output_hw": [0, 1]} if version == 1 else {"output_width": 0},
            ),
            (f"option '{subset}' is of another type", {subset: "all"}),
        ]:
            self._assert_refuses(why, op, [x], options | wrong, version)

    def test_transformed_landmarks(self) -> None:
        matrix = random_values((1, 4, 4), seed=7)
        for dimensions in (2, 3):
            x = random_values((1, 5, dimensions))
            want = x.copy()
            want[..., :2] = x[..., :2] @ matrix[0, :2, :2].T + matrix[0, :2, 3]
            self._check(
                "TransformLandmarks", [x, matrix], [want], {}, version=2
            )
            want[..., :2] -= matrix[0, :2, 3] * 0.75
            self._check(
                "TransformLandmarks",
                [x.reshape(1, 1, 1, -1), matrix],
                [want.reshape(1, 1, 1, -1)],
                {"dimensions": dimensions, "scale": 0.25},
            )
        self._assert_refuses(
            "landmarks must have 2 or 3 dimensions",
            "TransformLandmarks",
            [random_values((1, 5, 4)), matrix],
            {},
            version=2,
        )
        self._assert_refuses(
            r"the matrix must be \[1,4,4\], not \[1,4,3\]",
            "TransformLandmarks",
            [x, matrix[..., :3]],
            {},
            version=2,
        )

    @parameterized.parameters(
        ("TransformTensor", 1),
        ("TransformTensorBilinear", 1),
        ("TransformTensorBilinear", 2),
    )
    def test_transformed_picture(self, op: str, version: int) -> None:
        image = random_values((1, 9, 7, 3))
        options = {"output_height": 6, "output_width": 8}
        if version == 1:
            options = {"output_size": [6, 8], "mode": "bilinear"}
        for matrix in [
            np.eye(4),
            _shift(0.25, 0.5) @ _scale(0.5, 1.25),
            _shift(2.2, 4.1) @ _turn(0.7) @ _shift(-2, -3),
            _scale(100, 0.1),
        ]:
            want = _bilinear(image, matrix, 6, 8, middles=version == 2)
            matrix = matrix.astype(np.float32)[None]
            self._check(op, [image, matrix], [want], options, version)
        nan = np.full((1, 4, 4), np.nan, np.float32)
        self._check(op, [image, nan], [np.zeros_like(want)], options, version)
        self._assert_refuses(
            "the output's size must be at least 1 by 1, not 0 by 0",
            op,
            [image, nan],
            {},
            version,
        )

    @parameterized.parameters(
        "selfie_segmentation",
        "selfie_segmentation_landscape",
        "face_landmark_with_attention",
    )
    def test_published_model(self, name: str) -> None:
        """Checks it in every runtime, of which all but one have XNNPACK."""
        path = os.path.join(_MODELS, name + ".tflite")
        results = {}
        for runtime in ("tflite", "ai_edge_litert", "litert"):
            interpreter = Interpreter(path, runtime=runtime)
            (details,) = interpreter.inputs()
            results[runtime] = interpreter.run(_picture(details.shape))
        for runtime, outputs in results.items():
            for got, want in zip(outputs, results["tflite"], strict=True):
                self.assertAllClose(got, want, 1e-4, 1e-4, msg=runtime)
        # The model saw something.
        self.assertGreater(np.ptp(results["tflite"][0]), 0)


def _picture(shape: Sequence[int]) -> np.ndarray:
    """A bright disk before a gradient."""
    y, x = np.mgrid[0 : shape[1], 0 : shape[2]] / shape[1]
    disk = np.exp(-12 * ((x - 0.5) ** 2 + (y - 0.45) ** 2))
    planes = [0.9 * disk, 0.7 * disk + 0.1 * x, 0.6 * disk + 0.2 * y]
    return np.stack(planes, axis=-1)[None].astype(np.float32)


if __name__ == "__main__":
    tf.test.main()
