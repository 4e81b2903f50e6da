"""Writes the seeds of a fuzz target: each kernel's calls of op_samples.

A file of seeds is one after the other: four bytes of its size, little-endian,
then the seed. Those of models are .tflite files; those of kernels are what
kernel_fuzzer.cc reads.
"""

import struct
from collections.abc import Sequence

import numpy as np
from absl import app
from absl import flags
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers

from tflite.custom.python import op_samples

_TARGET = flags.DEFINE_enum(
    "target", None, ["model", "kernel"], "of which target", required=True
)
_OUTPUT = flags.DEFINE_string("output", None, "where to write", required=True)

# CustomNode::Tensor::Kind.
_VARIABLE, _CONSTANT = 1, 2


def _tensor(shape: Sequence[int], dtype: str) -> bytes:
    number = getattr(schema.TensorType, dtype.upper())
    return bytes([number, len(shape), *shape])


def _kernel_seed(op: str, sample: op_samples.Sample) -> bytes:
    seed = bytes([len(op) + 64 * (sample.version - 1)]) + op.encode()
    seed += bytes([len(sample.inputs), len(sample.outputs)])
    for index, value in enumerate(sample.inputs):
        constant = index in sample.constants
        seed += bytes([_CONSTANT if constant else _VARIABLE])
        seed += _tensor(np.minimum(value.shape, 8), value.dtype.name)
    for shape, dtype in sample.outputs:
        seed += _tensor(np.minimum(shape, 8), dtype)
    options = sample.options
    if not isinstance(options, bytes):
        options = bytes(flexbuffers.Dumps(dict(options)))
    seed += bytes([len(options)]) + options
    for value in sample.inputs:
        size = int(np.prod(np.minimum(value.shape, 8)))
        seed += value.ravel()[:size].tobytes()
    return seed


def main(argv: Sequence[str]) -> None:
    """Writes the seeds of --target to --output."""
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments: {' '.join(argv[1:])}")
    seeds = [
        sample.model(op)
        if _TARGET.value == "model"
        else _kernel_seed(op, sample)
        for op, samples in op_samples.SAMPLES.items()
        for sample in samples
        # The form of those of kernels has numbers only.
        if _TARGET.value == "model" or not sample.has_strings()
    ]
    with open(_OUTPUT.value, "wb") as file:
        for seed in seeds:
            file.write(struct.pack("<I", len(seed)) + seed)


if __name__ == "__main__":
    app.run(main)
