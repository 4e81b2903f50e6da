"""Runs a model in every way that this repository has, and says what happened."""

import dataclasses
import glob
import os
import re
import subprocess
from collections.abc import Sequence

import numpy as np
from tensorflow.lite.python import interpreter as tf_lite

from tflite.custom.python import model_file
from tflite.custom.python.interpreter import Interpreter
from tflite.custom.python.tensor_details import TensorDetails

# The four runtimes from Python, as Interpreter takes them.
RUNTIMES = {
    "tflite": "tflite",
    "tf.lite": tf_lite,
    "ai_edge_litert": "ai_edge_litert",
    "litert": "litert",
}

# Arguments of benchmark_model.
BENCHMARKS = {
    "default flags": [],
    "`--use_xnnpack=false`": ["--use_xnnpack=false"],
    "`--runtime=litert`": ["--runtime=litert"],
    "`--enable_op_profiling`": ["--enable_op_profiling"],
    "`--compare_runtime=litert`": ["--compare_runtime=litert"],
}

_FEW_RUNS = [
    "--num_runs=1",
    "--warmup_runs=1",
    "--min_secs=0",
    "--warmup_min_secs=0",
]

_LONGEST_SIDE_OF_A_PICTURE = 4096
_WORDS = np.array([b"left", b"right", b"up"], object)


@dataclasses.dataclass(frozen=True)
class Row:
    """What runs a model, and why the rest does not.

    Attributes:
      name: the model's.
      kilobytes: its size.
      results: for each way, in order, why it does not run; empty if it does.
      disagreements: outputs that are not the same in two runtimes.
    """

    name: str
    kilobytes: int
    results: dict[str, str]
    disagreements: list[str]

    def line(self) -> str:
        """Returns the model's line in the table."""
        cells = ["no" if why else "yes" for why in self.results.values()]
        return f"| `{self.name}` | {self.kilobytes} | {' | '.join(cells)} |"

    def reasons(self) -> list[str]:
        """Returns a line for each reason, with the ways that have it."""
        ways: dict[str, list[str]] = {}
        for way, why in self.results.items():
            if why:
                ways.setdefault(why, []).append(way)
        return [
            f"- `{self.name}`, {', '.join(names)}: {why}"
            for why, names in ways.items()
        ]


def _value(details: TensorDetails, generator: np.random.Generator):
    """Returns a value for an input: what images, counts and words may be."""
    shape, dtype = details.shape, details.dtype
    if dtype.kind == "O":
        return generator.choice(_WORDS, shape)
    if dtype == np.bool_:
        return np.asarray(generator.integers(0, 2, shape) == 1)
    if details.quantization[0]:
        limits = np.iinfo(dtype)
        return generator.integers(
            limits.min, limits.max, shape, dtype, endpoint=True
        )
    if dtype.kind in "iu":
        return np.asarray(generator.integers(0, 3, shape), dtype)
    # A sound has all pitches: the logarithm of one that it has not, such as
    # basic-pitch takes, is decided by the order of additions.
    if max(shape, default=0) > _LONGEST_SIDE_OF_A_PICTURE:
        return generator.standard_normal(shape, dtype)
    # Waves, as pictures have: of noise, deep networks make numbers so
    # small or large that the order of additions decides their fourth digit.
    waves = [
        np.sin(generator.uniform(0, 6) + np.linspace(0, 6, size))
        for size in shape
    ]
    value = np.full(shape, 0.5)
    for axis, wave in enumerate(waves):
        at = [1] * len(shape)
        at[axis] = -1
        value = value + 0.5 / len(shape) * wave.reshape(at)
    return np.asarray(value, dtype)


def _all_outputs(interpreter: Interpreter) -> dict[str, np.ndarray]:
    """Runs the model twice, each time all of its signatures; returns all outputs."""
    outputs = {}
    for time in (1, 2):
        generator = np.random.default_rng(time)
        if len(interpreter.get_signature_list()) > 1:
            for key in interpreter.get_signature_list():
                runner = interpreter.get_signature_runner(key)
                inputs = {
                    name: _value(details, generator)
                    for name, details in runner.inputs().items()
                }
                for name, value in runner(**inputs).items():
                    outputs[f"{key} {name}, run {time}"] = value
        else:
            inputs = [_value(x, generator) for x in interpreter.inputs()]
            names = [each.name for each in interpreter.outputs()]
            values = interpreter.run(*inputs)
            for name, value in zip(names, values, strict=True):
                outputs[f"{name}, run {time}"] = value
    return outputs


def disagreement(a: np.ndarray, b: np.ndarray) -> str:
    """Returns how two runtimes' outputs differ; empty if they agree.

    Floating point may differ by 1e-4 of the largest value, or by the epsilon of
    float32 if that is more; whole numbers by one, the step of a quantized tensor.
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
    if a.dtype.kind not in "fiu":
        return "" if np.array_equal(a, b) else f"{a} and {b}"
    nan = np.isnan(a)
    if not np.array_equal(nan, np.isnan(b)):
        return "NaN in other places"
    x, y = a[~nan].astype(np.float64), b[~nan].astype(np.float64)
    if x.size == 0:
        return ""
    # A probability of next to nothing is as precise as one of one half.
    epsilon = np.finfo(np.float32).eps
    step = 1 if a.dtype.kind in "iu" else max(1e-4 * np.abs(x).max(), epsilon)
    distance = np.abs(x - y).max()
    return (
        "" if distance <= step else f"{distance:.3g} apart, {step:.3g} may be"
    )


def _error(model: str, error: str) -> str:
    """Returns an error in one line that is the same on every machine."""
    line = " ".join(error.replace(model, "the model").split())
    line = re.sub(r"`[^`]*new_op[^`]*`.*", "...", line)
    return line.replace("|", "\\|").replace("<", "&lt;")


def _python(model: str) -> tuple[dict[str, str], list[str]]:
    results, disagreements = {}, []
    want: dict[str, np.ndarray] = {}
    for name, runtime in RUNTIMES.items():
        try:
            outputs = _all_outputs(Interpreter(model, runtime=runtime))
        except (RuntimeError, TypeError, ValueError) as error:
            results[f"`{name}` in Python"] = _error(model, str(error))
            continue
        results[f"`{name}` in Python"] = ""
        want = want or outputs
        if list(want) != list(outputs):
            disagreements.append(f"{name}: {list(outputs)}, not {list(want)}")
            continue
        for output, value in outputs.items():
            how = disagreement(want[output], value)
            if how:
                disagreements.append(f"{name}: {output}: {how}")
    return results, disagreements


def _benchmark(program: str, model: str, arguments: Sequence[str]) -> str:
    with open(model, "rb") as file:
        keys = list(model_file.read(file.read()).signatures)
    if len(keys) > 1:
        arguments = [*arguments, f"--signature_to_run_for={keys[0]}"]
    result = subprocess.run(
        [program, f"--graph={model}", *_FEW_RUNS, *arguments],
        capture_output=True,
        check=False,
        text=True,
    )
    if result.returncode == 0 and "Inference (avg)" in result.stdout:
        return ""
    lines = result.stderr.strip().splitlines()
    last = lines[-1] if lines else f"exit status {result.returncode}"
    return _error(model, last.removeprefix("ERROR: "))


def run(model: str, name: str, program: str) -> Row:
    """Runs a model in every way.

    Args:
      model: the path of a .tflite file.
      name: what to call it.
      program: the path of benchmark_model.
    """
    results = {
        way: _benchmark(program, model, arguments)
        for way, arguments in BENCHMARKS.items()
    }
    in_python, disagreements = _python(model)
    return Row(
        name=name,
        kilobytes=round(os.path.getsize(model) / 1000),
        results=results | in_python,
        disagreements=disagreements,
    )


# Where the models come from, by their folder here.
_ORIGINS = {
    "mediapipe": "MediaPipe 0.10.14",
    "pymicro_wakeword": "pymicro-wakeword 2.5.0",
    "basic_pitch": "basic-pitch 0.4.0",
    "keras_applications": "Keras Applications, without weights",
    "small": "Small ones of `convert_models.py`",
}

_PAGE = """\
# What runs where

Models that others published, and models that the build converts, in every way that there is to run one here: `benchmark_model`,
and `Interpreter` of Python with each runtime. What runs in Python twice, with other inputs, gives the same outputs in each
runtime: floating point within 1e-4 of the largest value, whole numbers within one. Converted and run with TensorFlow {version}.

Written by `./bazelw run //tflite/custom/corpus:write_models_page`. Do not edit.
{sections}"""


def name_of(path: str) -> str:
    """Returns what a model of the corpus is called."""
    return os.path.basename(path).removesuffix(".tflite")


def models(folder: str) -> dict[str, list[str]]:
    """Returns the paths of the models by where they come from.

    Args:
      folder: the one that has a folder for each origin.
    """
    return {
        origin: sorted(glob.glob(os.path.join(folder, origin, "*.tflite")))
        for origin in _ORIGINS
    }


def page(rows: dict[str, list[Row]], version: str) -> str:
    """Returns the page of rows by where their models come from."""
    ways = [*BENCHMARKS, *RUNTIMES]
    sections = []
    for origin, title in _ORIGINS.items():
        sections += [f"\n## {title}\n"]
        sections += [
            f"| | | `benchmark_model` |{' |' * (len(BENCHMARKS) - 1)} in Python"
            f" |{' |' * (len(RUNTIMES) - 1)}"
        ]
        sections += [f"|{'---|' * (2 + len(ways))}"]
        names = [f"`{way}`" if way in RUNTIMES else way for way in ways]
        sections += [f"| model | kB | {' | '.join(names)} |"]
        sections += [row.line() for row in rows[origin]]
        reasons = [reason for row in rows[origin] for reason in row.reasons()]
        sections += ["", *reasons] if reasons else []
    return _PAGE.format(version=version, sections="\n".join(sections) + "\n")
