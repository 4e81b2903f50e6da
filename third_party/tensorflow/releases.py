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
