"""What is not alike in the releases of TensorFlow that the workspace serves.

`//tools:tensorflow_versions.bzl` lists the releases. What is not here is one source that takes no notice of the release.
"""

# The ops of `tf.raw_ops` that take and give dense tensors, by the release that
# brought them. No release took one away.
_NEW_DENSE_OPS = {
    "2.17.1": (
        "ConvertToListOfSparseCoreCooTensors",
        "ConvertToSparseCoreCsrWrappedCooTensor",
        "GetStatsFromListOfSparseCoreCooTensors",
        "SortListOfSparseCoreCooTensors",
        "XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize",
        "XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize",
        "XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize",
        "XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize",
        "XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize",
        "XlaSparseDenseMatmulWithStaticBufferSize",
    ),
    "2.18.1": ("CheckPinned",),
    "2.20.0": ("DecodeWebP", "TPUDummyInput"),
    "2.21.0": ("DecodeJxl",),
}


def parsed(version: str) -> tuple[int, ...]:
    """Returns a release as numbers that compare: `(2, 16, 2)` of "2.16.2".

    Raises:
      ValueError: it is no release, such as "2.22.0-rc0".
    """
    return tuple(int(number) for number in version.split("."))


def converts_keras_models(version: str) -> bool:
    """Whether TFLiteConverter.from_keras_model takes models of Keras 3.

    Args:
      version: a release, `tf.__version__`.
    """
    return parsed(version) >= (2, 18)


def has_bad_indices_policy(version: str) -> bool:
    """Whether the scatter ops take the attribute `bad_indices_policy`.

    Args:
      version: a release, `tf.__version__`.
    """
    return parsed(version) >= (2, 18)


def counts_a_scalar(version: str) -> bool:
    """Whether DenseBincount counts a scalar, of which it once made nothing.

    Args:
      version: a release, `tf.__version__`.
    """
    return parsed(version) >= (2, 17)


def decomposes_what_is_not_finite(version: str) -> bool:
    """Whether determinants are NumPy's also of a NaN or an infinity.

    Without that `[[nan, 2], [2, 1]]` has the determinant 0.

    Args:
      version: a release, `tf.__version__`.
    """
    return parsed(version) >= (2, 17)


def takes_denormals_for_zero(version: str, op: str) -> bool:
    """Whether an op that no longer does so takes float32 denormals for 0.

    Args:
      version: a release, `tf.__version__`.
      op: name in `tf.raw_ops`.
    """
    return op in ("Expint", "Igammac") and parsed(version) < (2, 21)


def later_dense_ops(version: str) -> set[str]:
    """Returns the dense ops that the newest release has and this one has not.

    Args:
      version: a release, `tf.__version__`.
    """
    return {
        op
        for release, ops in _NEW_DENSE_OPS.items()
        if parsed(release) > parsed(version)
        for op in ops
    }
