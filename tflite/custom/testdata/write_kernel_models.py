"""Writes models of one kernel each, whose shapes are known before they run.

Usage: write_kernel_models FOLDER
"""

import os
import sys

import numpy as np

from tflite.custom.python.single_op_model import Tensor
from tflite.custom.python.single_op_model import custom_op_model


def _constant(value, dtype: str) -> Tensor:
    array = np.array(value, dtype)
    return Tensor(array.shape, dtype, value=array)


def _decomposition(op: str, shape, dtype="float32", outputs=1, **options):
    return custom_op_model(
        op,
        [Tensor(shape, dtype)],
        [Tensor([1], dtype)] * outputs,
        options,
    )


def _models() -> dict[str, bytes]:
    one = [Tensor([1])]
    scalar = Tensor([])
    vector = Tensor([100])
    vectors = Tensor([100, 3])
    return {
        "approximate_equal": custom_op_model(
            "ApproximateEqual",
            [vectors, vectors],
            [Tensor([1], "bool")],
            {"tolerance": 0.5},
        ),
        "cholesky": _decomposition("Cholesky", [2, 5, 5]),
        "cholesky_large": _decomposition("Cholesky", [200, 200], "float64"),
        "clip_by_value": custom_op_model(
            "ClipByValue", [vectors, vectors, _constant(0.5, "float32")], one
        ),
        "cross": custom_op_model("Cross", [vectors, vectors], one),
        "cumprod": custom_op_model(
            "Cumprod", [vectors, _constant(0, "int32")], one
        ),
        "cumulative_logsumexp": custom_op_model(
            "CumulativeLogsumexp",
            [vectors, _constant(0, "int32")],
            one,
            {"exclusive": True, "reverse": True},
        ),
        "dense_bincount": custom_op_model(
            "DenseBincount",
            [Tensor([100], "int32"), _constant(3, "int32"), vector],
            one,
            {"binary_output": False},
        ),
        "euclidean_norm": custom_op_model(
            "EuclideanNorm",
            [vectors, _constant([1], "int32")],
            one,
            {"keep_dims": True},
        ),
        "histogram_fixed_width": custom_op_model(
            "HistogramFixedWidth",
            [vector, _constant([-1, 1], "float32"), _constant(7, "int32")],
            [Tensor([1], "int32")],
            {"dtype": 2},
        ),
        "leaky_relu_grad": custom_op_model(
            "LeakyReluGrad", [vectors, vectors], one, {"alpha": 0.25}
        ),
        "matrix_solve": custom_op_model(
            "MatrixSolve", [Tensor([2, 60, 60]), Tensor([2, 60, 3])], one
        ),
        "matrix_triangular_solve": custom_op_model(
            "MatrixTriangularSolve",
            [Tensor([2, 60, 60]), Tensor([60, 3])],
            one,
            {"adjoint": True},
        ),
        "self_adjoint_eig": _decomposition(
            "SelfAdjointEigV2", [2, 100, 100], outputs=2
        ),
        "matrix_inverse": _decomposition(
            "MatrixInverse", [2, 5, 5], adjoint=True
        ),
        "matrix_inverse_large": _decomposition(
            "MatrixInverse", [200, 200], "float64"
        ),
        "multiplex_dense": custom_op_model(
            "Examples>MultiplexDense",
            [Tensor([100], "bool"), vector, vector],
            one,
        ),
        "qr": _decomposition("Qr", [2, 5, 3], outputs=2, full_matrices=True),
        "qr_large": _decomposition("Qr", [70, 200], "float64", outputs=2),
        "segment_max": custom_op_model(
            "SegmentMax",
            [vectors, _constant([1] * 50 + [3] * 50, "int32")],
            one,
        ),
        "segment_mean": custom_op_model(
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
        "accumulate_n": custom_op_model("AccumulateNV2", [vectors] * 3, one),
        "adjust_contrast": custom_op_model(
            "AdjustContrastv2", [Tensor([9, 7, 3]), scalar], one
        ),
        "adjust_hue": custom_op_model(
            "AdjustHue", [Tensor([9, 7, 3]), scalar], one
        ),
        "conjugate_transpose": custom_op_model(
            "ConjugateTranspose", [vectors, _constant([1, 0], "int32")], one
        ),
        **{
            f"fft_{length}": custom_op_model(
                "FFT",
                [Tensor([length], "complex64")],
                [Tensor([1], "complex64")],
            )
            # By fours, by a large prime, and of factors that DUCC would make
            # lanes of.
            for length in (512, 10007, 30030)
        },
        "complex_mat_mul": custom_op_model(
            "BatchMatMulV2",
            [Tensor([2, 90, 70], "complex64"), Tensor([70, 80], "complex64")],
            [Tensor([1], "complex64")],
        ),
        "complex_roll": custom_op_model(
            "Roll",
            [
                Tensor([9, 8], "complex64"),
                _constant([3, 4], "int32"),
                _constant([0, 1], "int32"),
            ],
            [Tensor([1], "complex64")],
        ),
        "complex_sum": custom_op_model(
            "Sum",
            [Tensor([9, 8], "complex64"), _constant([0], "int32")],
            [Tensor([1], "complex64")],
        ),
        "fft3d": custom_op_model(
            "FFT3D",
            [Tensor([2, 5, 6, 7], "complex128")],
            [Tensor([1], "complex128")],
        ),
        "fft_inverse_real": custom_op_model(
            "IRFFT2D",
            [Tensor([3, 6, 513], "complex64"), _constant([5, 999], "int32")],
            one,
        ),
        "fft_real": custom_op_model(
            "RFFT",
            [Tensor([20014], "float64"), _constant([20014], "int32")],
            [Tensor([1], "complex128")],
        ),
        "fft_real_cut": custom_op_model(
            "RFFT2D",
            [Tensor([3, 6, 500]), _constant([5, 401], "int32")],
            [Tensor([1], "complex64")],
        ),
        "fake_quant_gradient": custom_op_model(
            "FakeQuantWithMinMaxVarsPerChannelGradient",
            [vectors, vectors, Tensor([3]), Tensor([3])],
            one * 3,
        ),
        "lin_space": custom_op_model(
            "LinSpace", [scalar, scalar, _constant(7, "int32")], one
        ),
        "log_matrix_determinant": _decomposition(
            "LogMatrixDeterminant", [2, 5, 5], outputs=2
        ),
        "matrix_determinant_large": _decomposition(
            "MatrixDeterminant", [200, 200], "float64"
        ),
        "nth_element": custom_op_model(
            "NthElement",
            [vectors, _constant(1, "int32")],
            one,
            {"reverse": True},
        ),
        "quantize_and_dequantize": custom_op_model(
            "QuantizeAndDequantizeV4",
            [vectors, Tensor([3]), Tensor([3])],
            one,
            {"axis": 1, "round_mode": "HALF_UP"},
        ),
        "sparse_bincount": custom_op_model(
            "SparseBincount",
            [
                Tensor([100, 2], "int64"),
                Tensor([100], "int32"),
                _constant([4, 4], "int64"),
                _constant(3, "int32"),
                vector,
            ],
            one,
        ),
        "sparse_reduce_sum": custom_op_model(
            "SparseReduceSum",
            [
                Tensor([100, 2], "int64"),
                vector,
                _constant([4, 5], "int64"),
                _constant([1], "int32"),
            ],
            one,
            {"keep_dims": True},
        ),
        "sparse_segment_mean": custom_op_model(
            "SparseSegmentMean",
            [
                vectors,
                Tensor([100], "int32"),
                _constant([0] * 50 + [2] * 50, "int32"),
            ],
            one,
        ),
        "sparse_segment_mean_grad": custom_op_model(
            "SparseSegmentMeanGrad",
            [
                vectors,
                Tensor([100], "int32"),
                Tensor([100], "int64"),
                _constant(9, "int32"),
            ],
            one,
        ),
        "tensor_scatter_max": custom_op_model(
            "TensorScatterMax",
            [vectors, Tensor([5, 1], "int32"), Tensor([5, 3])],
            one,
            {"bad_indices_policy": "IGNORE"},
        ),
        "atan_int8": custom_op_model(
            "Atan", *[[Tensor([100], "int8", quantization=(0.5, 1))]] * 2
        ),
        "avg_pool_3d": custom_op_model(
            "AvgPool3D",
            [Tensor([1, 4, 5, 6, 3])],
            one,
            {
                "ksize": [1, 2, 2, 2, 1],
                "strides": [1, 2, 1, 2, 1],
                "padding": "SAME",
            },
        ),
        "conv_2d": custom_op_model(
            "Conv2D",
            [Tensor([2, 20, 30, 16]), Tensor([3, 3, 16, 70])],
            one,
            {"strides": [1, 1, 2, 1], "padding": "SAME"},
        ),
        "crop_and_resize": custom_op_model(
            "CropAndResize",
            [
                Tensor([2, 9, 7, 3]),
                Tensor([5, 4]),
                Tensor([5], "int32"),
                _constant([4, 6], "int32"),
            ],
            one,
        ),
        "extract_image_patches": custom_op_model(
            "ExtractImagePatches",
            [Tensor([2, 9, 7, 3])],
            one,
            {
                "ksizes": [1, 2, 3, 1],
                "strides": [1, 2, 1, 1],
                "rates": [1, 1, 2, 1],
                "padding": "VALID",
            },
        ),
        "landmarks_to_transform_matrix": custom_op_model(
            "Landmarks2TransformMatrix",
            [Tensor([1, 20, 3])],
            one,
            {
                "left_rotation_idx": 1,
                "right_rotation_idx": 5,
                "output_height": 8,
                "output_width": 8,
                "scale_x": 1.5,
                "scale_y": 1.5,
                "subset_idxs": list(range(20)),
            },
            version=2,
        ),
        "max_pool_with_argmax": custom_op_model(
            "MaxPoolWithArgmax",
            [Tensor([2, 9, 7, 3])],
            [Tensor([1]), Tensor([1], "int64")],
            {
                "ksize": [1, 2, 2, 1],
                "strides": [1, 2, 2, 1],
                "padding": "VALID",
            },
        ),
        "resize_area": custom_op_model(
            "ResizeArea",
            [Tensor([2, 9, 7, 3]), _constant([4, 6], "int32")],
            one,
        ),
        "transposed_convolution": custom_op_model(
            "Convolution2DTransposeBias",
            [Tensor([2, 20, 30, 16]), Tensor([40, 3, 3, 16]), Tensor([40])],
            one,
            np.int32([1, 2, 2]).tobytes(),
        ),
        # Prepare refuses these, after Init has made what Free must delete.
        "broken_qr": _decomposition(
            "Qr", [5, 3], outputs=2, full_matrices="no"
        ),
        "broken_svd": _decomposition("Svd", [5], outputs=3),
    }


def main(argv: list[str]) -> None:
    """Writes each model to its own file."""
    (folder,) = argv[1:]
    for name, model in _models().items():
        with open(os.path.join(folder, f"{name}.tflite"), "wb") as file:
            file.write(model)


if __name__ == "__main__":
    main(sys.argv)
