"""Writes models of one kernel each, whose shapes are known before they run.

Usage: write_kernel_models FOLDER
"""

import os
import sys
from collections.abc import Sequence

import numpy as np

from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import single_op_model


def _model(
    op: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], options=b""
) -> bytes:
    return single_op_model(op, inputs=inputs, outputs=outputs, options=options)


def _constant(value, dtype: str) -> Tensor:
    array = np.array(value, dtype)
    return Tensor(array.shape, dtype, value=array)


def _decomposition(op: str, shape, dtype="float32", outputs=1, **options):
    return _model(
        op,
        [Tensor(shape, dtype)],
        [Tensor([1], dtype)] * outputs,
        options,
    )


def _models() -> dict[str, bytes]:
    one = [Tensor([1])]
    vector = Tensor([100])
    vectors = Tensor([100, 3])
    return {
        "approximate_equal": _model(
            "ApproximateEqual",
            [vectors, vectors],
            [Tensor([1], "bool")],
            {"tolerance": 0.5},
        ),
        "cholesky": _decomposition("Cholesky", [2, 5, 5]),
        "cholesky_large": _decomposition("Cholesky", [200, 200], "float64"),
        "clip_by_value": _model(
            "ClipByValue", [vectors, vectors, _constant(0.5, "float32")], one
        ),
        "cross": _model("Cross", [vectors, vectors], one),
        "cumprod": _model("Cumprod", [vectors, _constant(0, "int32")], one),
        "cumulative_logsumexp": _model(
            "CumulativeLogsumexp",
            [vectors, _constant(0, "int32")],
            one,
            {"exclusive": True, "reverse": True},
        ),
        "dense_bincount": _model(
            "DenseBincount",
            [Tensor([100], "int32"), _constant(3, "int32"), vector],
            one,
            {"binary_output": False},
        ),
        "euclidean_norm": _model(
            "EuclideanNorm",
            [vectors, _constant([1], "int32")],
            one,
            {"keep_dims": True},
        ),
        "histogram_fixed_width": _model(
            "HistogramFixedWidth",
            [vector, _constant([-1, 1], "float32"), _constant(7, "int32")],
            [Tensor([1], "int32")],
            {"dtype": 2},
        ),
        "leaky_relu_grad": _model(
            "LeakyReluGrad", [vectors, vectors], one, {"alpha": 0.25}
        ),
        "matrix_inverse": _decomposition(
            "MatrixInverse", [2, 5, 5], adjoint=True
        ),
        "matrix_inverse_large": _decomposition(
            "MatrixInverse", [200, 200], "float64"
        ),
        "multiplex_dense": _model(
            "Examples>MultiplexDense",
            [Tensor([100], "bool"), vector, vector],
            one,
        ),
        "qr": _decomposition("Qr", [2, 5, 3], outputs=2, full_matrices=True),
        "qr_large": _decomposition("Qr", [70, 200], "float64", outputs=2),
        "segment_max": _model(
            "SegmentMax",
            [vectors, _constant([1] * 50 + [3] * 50, "int32")],
            one,
        ),
        "segment_mean": _model(
            "SegmentMean",
            [vectors, _constant([0] * 50 + [2] * 50, "int64")],
            one,
        ),
        "svd": _decomposition("Svd", [2, 5, 3], outputs=3),
        "svd_large": _decomposition("Svd", [60, 60], outputs=3),
        "svd_tall": _decomposition(
            "Svd", [70, 50], outputs=3, full_matrices=True
        ),
        "svd_wide": _decomposition("Svd", [50, 70], "float64", outputs=3),
        "svd_values": _decomposition(
            "Svd", [50, 70], outputs=3, compute_uv=False
        ),
        # Prepare refuses these, after Init has made what Free must delete.
        "broken_qr": _decomposition(
            "Qr", [5, 3], outputs=2, full_matrices="no"
        ),
        "broken_svd": _decomposition("Svd", [5], outputs=3),
    }


def main(argv: Sequence[str]) -> None:
    """Writes each model to its own file."""
    (folder,) = argv[1:]
    for name, model in _models().items():
        with open(os.path.join(folder, f"{name}.tflite"), "wb") as file:
            file.write(model)


if __name__ == "__main__":
    main(sys.argv)
