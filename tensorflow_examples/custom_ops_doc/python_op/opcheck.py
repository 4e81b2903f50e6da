"""`opcheck`: checks an op for all that holds of every op.

| check | what holds |
|---|---|
| outputs | the op runs; its outputs' number, dtypes and shapes are as declared |
| inputs unchanged | bit for bit, except for `destroy_map`'s |
| outputs in new memory | not an input's or another output's, except for `view_map`'s |
| deterministic | equal calls give equal outputs |
| output storage (Python) | what it holds, and its shape and strides, have no influence |
| perform equals c_code (Python) | where there are both |
| equality and hash (Python) | an op equals a twin with its `__props__`, with one hash |
| pickle (Python) | what comes back is equal, and computes the same |
| eager equals graph | in a `tf.function` that knows ranks alone, and in one of constants |
| eager equals XLA | with `jit_compile=True`, if there is a kernel |
| static shape | what a graph tells of shapes holds, whatever it knows of the inputs' |
| gradient | against finite differences, each input by each output and all |
| forward mode | likewise; `R_op`, or two gradients |
| gradient in a graph | is that of eager code |
| second derivative | symmetric, and against finite differences of the gradient |
| empty inputs | each size in turn is 0 wherever it is a dimension; all are |
| zero-rank inputs | all inputs are scalars, if the op does not refuse them |
| non-contiguous inputs (Python) | column-major, strided and reversed arrays |
| threads | eight at once, with different values, get what one gets |
| tf.data | in `Dataset.map` |
| tf.while_loop | in its body |
| registered as stateful | an op with state says so |
| SavedModel | saved and loaded, with the state of the object whose method it is |
| Keras layer | in a functional model, if it takes Keras tensors |

Sizes that are equal are taken for such as must be equal. An op refuses shapes
where it says so while a graph is built: in `make_node`, in `infer_shape` or in a
shape function; a kernel by InvalidArgumentError too.
"""

from __future__ import annotations

import dataclasses
import textwrap
import traceback
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

from tensorflow_examples.custom_ops_doc.python_op import opcheck_calls
from tensorflow_examples.custom_ops_doc.python_op import opcheck_contract
from tensorflow_examples.custom_ops_doc.python_op import opcheck_derivatives
from tensorflow_examples.custom_ops_doc.python_op import opcheck_shapes
from tensorflow_examples.custom_ops_doc.python_op import opcheck_subject

PASS = "pass"
FAIL = "FAIL"
NOT_SUPPORTED = "not supported"
SKIPPED = "skipped"

# In the order in which they are made: what others rely on comes first.
_CHECKS: dict[str, Callable] = {
    "outputs": opcheck_contract.outputs,
    "inputs unchanged": opcheck_contract.inputs_unchanged,
    "outputs in new memory": opcheck_contract.new_memory,
    "deterministic": opcheck_contract.deterministic,
    "output storage": opcheck_contract.output_storage,
    "perform equals c_code": opcheck_contract.implementations,
    "equality and hash": opcheck_contract.equality,
    "pickle": opcheck_contract.pickling,
    "eager equals graph": opcheck_calls.graph,
    "eager equals XLA": opcheck_calls.xla,
    "static shape": opcheck_shapes.static_shape,
    "gradient": opcheck_derivatives.gradient,
    "forward mode": opcheck_derivatives.forward_mode,
    "gradient in a graph": opcheck_derivatives.gradient_in_graph,
    "second derivative": opcheck_derivatives.second_derivative,
    "empty inputs": opcheck_shapes.empty_inputs,
    "zero-rank inputs": opcheck_shapes.zero_rank_inputs,
    "non-contiguous inputs": opcheck_shapes.strided_inputs,
    "threads": opcheck_calls.threads,
    "tf.data": opcheck_calls.tf_data,
    "tf.while_loop": opcheck_calls.while_loop,
    "registered as stateful": opcheck_calls.registered_as_stateful,
    "SavedModel": opcheck_calls.saved_model,
    "Keras layer": opcheck_calls.keras_layer,
}
CHECKS = tuple(_CHECKS)

# These look at the op itself, which need not run on TensorFlow for that.
_OF_PYTHON_OPS = CHECKS[: CHECKS.index("eager equals graph")]


class OpCheckError(AssertionError):
    """An op failed checks."""


@dataclasses.dataclass(frozen=True)
class Row:
    """The result of one check.

    Attributes:
      check: the check's name, one of `CHECKS`.
      result: "pass", "FAIL", "not supported" or "skipped".
      detail: what was seen, or why there is no result.
      reproduce: of a failed check, lines of Python that show it.
    """

    check: str
    result: str
    detail: str = ""
    reproduce: str = ""


@dataclasses.dataclass(frozen=True)
class Report:
    """What `opcheck` found. `print` shows it as a table.

    Attributes:
      op: the op's name.
      rows: list of `Row`, in the order of `CHECKS`.
    """

    op: str
    rows: list[Row]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> list[Row]:
        """The rows that failed."""
        return [row for row in self.rows if row.result == FAIL]

    def row(self, check: str) -> Row:
        """Returns the row of a check.

        Raises:
          KeyError: If there is no such row.
        """
        for row in self.rows:
            if row.check == check:
                return row
        raise KeyError(
            f"the report has no check {check!r}, but "
            f"{', '.join(row.check for row in self.rows)}"
        )

    def raise_on_failure(self) -> Report:
        """Returns the report if no check failed.

        Raises:
          OpCheckError: With the table and how to reproduce what failed.
        """
        if not self.ok:
            raise OpCheckError(str(self))
        return self

    def __str__(self) -> str:
        header = ("check", "result", "detail")
        cells = [header, *((r.check, r.result, r.detail) for r in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(2)]
        indent = " " * (sum(widths) + 6)
        lines = [f"{self.op}:"]
        for check, result, detail in cells:
            start = f"{check:<{widths[0]}} | {result:<{widths[1]}} | "
            lines.append(
                textwrap.fill(
                    start + " ".join(detail.split()),
                    width=100,
                    subsequent_indent=indent,
                    break_long_words=False,
                ).rstrip()
            )
            if check == "check":
                lines.append("-" * 99)
        for row in self.failures:
            lines += ["", f"To reproduce {row.check}:", ""]
            lines.append(textwrap.indent(row.reproduce, "    "))
        return "\n".join(lines)


def opcheck(
    op: Callable,
    sample_inputs: Any,
    *,
    stateful: bool | None = None,
    reset: Callable[[], Any] | None = None,
    state: Callable[[], Any] | None = None,
    seed: int = 0,
    only: Sequence[str] | None = None,
    skip: Sequence[str] = (),
    raise_exception: bool = False,
) -> Report:
    """Checks an op, be it an `Op` or an op of a kernel library.

    It is called in eager code, in graphs, from threads; with its inputs' shapes
    unknown, empty and scalar; its derivatives are compared to finite
    differences; its memory is looked at. The module's docstring lists all checks.

        print(opcheck(DoubleOp1(), [np.ones((5, 4))]))
        opcheck(multiplex, [([True, False], [1.0, 2.0], [3.0, 4.0])])
            .raise_on_failure()

    Choose inputs as the op's users do, but of different sizes in different
    dimensions: a mistaken dimension does not show where all are equal.

    Args:
      op: an `Op`, or any callable that takes tensors and returns a tensor, a
        nest of them, or nothing: a generated wrapper, or a function around it.
      sample_inputs: a tuple of inputs, or a list of such tuples; a list of
        tensors or arrays is one tuple. Inputs are tensors, arrays, or what NumPy
        makes arrays of.
      stateful: whether the outputs depend on more than the inputs. Then no
        values are compared unless there is a `reset`. None asks the op's
        registration; a Python op is stateless.
      reset: puts the state of a stateful op to where each call is to start from.
      state: returns tensors that show the state. They are compared as outputs.
      seed: of all random numbers.
      only: names of the checks that are wanted, and "outputs".
      skip: names of checks that are not wanted.
      raise_exception: whether to raise at the end if a check failed.

    Returns:
      The report.

    Raises:
      ValueError: If there are no inputs, or a check's name is unknown.
      TypeError: If `op` cannot be called or an input is no tensor.
      OpCheckError: If a check failed and `raise_exception` is True.
    """
    if not callable(op):
        raise TypeError(f"op must be an Op or a function, but is {op!r}")
    for name in (*(only or ()), *skip):
        if name not in _CHECKS:
            raise ValueError(
                f"there is no check {name!r}; there are {', '.join(CHECKS)}"
            )
    samples = _samples(sample_inputs)
    subject = opcheck_subject.Subject(op, samples, seed, stateful, reset, state)
    rows = []
    broken = None
    for name, check in _CHECKS.items():
        if only is not None and name not in (*only, "outputs"):
            continue
        if name in skip:
            row = Row(name, SKIPPED, "not wanted")
        elif broken is not None and not (
            subject.is_python and name in _OF_PYTHON_OPS
        ):
            row = Row(name, SKIPPED, broken)
        else:
            row = _row(name, check, subject)
        subject.results[name] = row.result
        rows.append(row)
        if broken is None:
            broken = _breaks(row, subject)
    report = Report(subject.name, rows)
    return report.raise_on_failure() if raise_exception else report


def _samples(sample_inputs: Any) -> list[Sequence[Any]]:
    if isinstance(sample_inputs, tuple):
        samples = [sample_inputs]
    elif isinstance(sample_inputs, list) and all(
        isinstance(x, tuple) for x in sample_inputs
    ):
        samples = sample_inputs
    elif isinstance(sample_inputs, list):
        samples = [tuple(sample_inputs)]
    else:
        raise TypeError(
            f"sample_inputs must be a tuple of inputs or a list of such tuples, "
            f"but is a {type(sample_inputs).__name__}: {sample_inputs!r}"
        )
    if not samples:
        raise ValueError(
            "sample_inputs is empty: one tuple of inputs is needed"
        )
    return samples


def _row(name: str, check: Callable, subject: Any) -> Row:
    try:
        detail = check(subject)
    except opcheck_subject.Skipped as e:
        return Row(name, SKIPPED, str(e))
    except opcheck_subject.NotSupported as e:
        return Row(name, NOT_SUPPORTED, str(e))
    except opcheck_subject.Failed as e:
        return Row(name, FAIL, str(e), _reproduce(subject, name, e.steps))
    except Exception as e:
        where = traceback.extract_tb(e.__traceback__)[-1]
        detail = (
            f"{type(e).__name__}: {opcheck_subject.first_line(e)} "
            f"({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
        )
        return Row(name, FAIL, detail, _reproduce(subject, name, []))
    return Row(name, PASS, detail or "")


def _breaks(row: Row, subject: Any) -> str | None:
    """Says why nothing more can be found out after a row."""
    if row.check == "outputs" and row.result == FAIL:
        return "the op does not run: see outputs"
    if row.check == "inputs unchanged" and row.result == FAIL:
        return "the op changes its inputs"
    if row.check == "deterministic" and row.result == FAIL:
        # No two calls need to be alike from here on.
        subject.comparable = False
    return None


def _reproduce(subject: Any, name: str, steps: Sequence[str]) -> str:
    module = opcheck.__module__.rpartition(".")
    lines = [
        "import numpy as np",
        "import tensorflow as tf",
        f"from {module[0]} import {module[2]}",
        "",
        f"op = ...  # {subject.name}",
        "samples = [",
    ]
    for sample in subject.samples:
        lines.append("    (")
        arrays = dict(zip(sample.free, sample.arrays, strict=True))
        for i, x in enumerate(sample.inputs):
            if i in arrays:
                source = opcheck_subject.array_source(arrays[i])
            else:
                source = f"...  # {x!r}"
            code, comment, text = source.partition("  # ")
            lines.append(f"        {code},{comment}{text}")
        lines.append("    ),")
    lines.append("]")
    lines += steps
    arguments = f"seed={subject.seed}, only=[{name!r}]"
    if subject.stateful:
        lines.append("# with the reset and state that it was given, if any")
        arguments += ", stateful=True"
    lines.append(f"print({module[2]}.opcheck(op, samples, {arguments}))")
    return "\n".join(lines)
