"""Checks of `opcheck` that look at an op's values, memory and identity."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import array_comparison
from tensorflow_examples.custom_ops_doc.python_op import debug_mode
from tensorflow_examples.custom_ops_doc.python_op import opcheck_subject
from tensorflow_examples.custom_ops_doc.python_op import python_op

Failed = opcheck_subject.Failed
NotSupported = opcheck_subject.NotSupported
Skipped = opcheck_subject.Skipped

_OFF = {
    "check_agreement": False,
    "check_inputs": False,
    "check_views": False,
    "check_determinism": False,
    "check_preallocated_output": "",
    "check_shapes": False,
}


def _debug(subject, error, **options) -> None:
    """Checks a Python op as DebugMode does, apart from TensorFlow.

    Args:
      subject: the subject.
      error: the class of errors that the check is for. For others there is
        another check.
      **options: which of DebugMode's checks to make.
    """
    if subject.results.get("outputs") == "FAIL":
        raise Skipped("see outputs")
    mode = debug_mode.DebugMode(**{**_OFF, **options})
    for sample in subject.samples:
        node, arrays = _node(subject, sample)
        try:
            mode.computed(node, arrays)
        except debug_mode.DebugModeError as e:
            if not isinstance(e, error):
                raise Skipped(f"see another row: {e}") from e
            raise Failed(str(e), _debug_steps(sample, options)) from e


def _debug_steps(sample, options):
    given = ", ".join(f"{k}={v!r}" for k, v in options.items())
    return [
        "from tensorflow_examples.custom_ops_doc.python_op import debug_mode",
        f"with debug_mode.DebugMode():  # of it {given}",
        f"    op(*samples[{sample.index}])",
    ]


def _node(subject, sample) -> tuple[python_op.Apply, list[np.ndarray]]:
    inputs = list(sample.inputs)
    tensors = opcheck_subject.tensors_of(sample.arrays)
    for i, tensor in zip(sample.free, tensors, strict=True):
        inputs[i] = tensor
    node = subject.op.make_node(*inputs)
    # `make_node` may convert its inputs, and add some.
    return node, [np.asarray(tf.convert_to_tensor(v)) for v in node.inputs]


def outputs(subject: Any) -> str:
    """The op runs; the number, dtypes and shapes of outputs are as declared."""
    if subject.is_python:
        mode = debug_mode.DebugMode(**_OFF)
        for sample in subject.samples:
            node, arrays = _node(subject, sample)
            try:
                mode.computed(node, arrays)
            except debug_mode.DebugModeError as e:
                raise Failed(str(e), _debug_steps(sample, {})) from e
    described = []
    for sample in subject.samples:
        try:
            values = subject.reference(sample)
        except ValueError as e:
            if subject.is_python and "read-only" in str(e):
                return "but it writes to its inputs"
            raise
        described = [
            "a handle"
            if x is opcheck_subject.OPAQUE
            else f"{x.dtype.name} {x.shape}"
            for x in values
        ]
    state = ", stateful" if subject.stateful else ""
    return f"{', '.join(described) or 'none'}{state}"


def inputs_unchanged(subject: Any) -> str:
    """The inputs are as before, bit for bit."""
    if subject.is_python:
        _debug(subject, debug_mode.BadDestroyMap, check_inputs=True)
        destroyed = subject.op.destroy_map
        return f"except those of destroy_map {destroyed}" if destroyed else ""
    for sample in subject.samples:
        _check_unchanged(subject, sample, "eager code", subject.applied(sample))
        function = subject.function(sample, sample.specs())
        try:
            _check_unchanged(subject, sample, "a graph", function)
        except Failed:
            raise
        except Exception:
            continue  # There is a check of graphs.
    return ""


def _check_unchanged(subject, sample, where, function):
    tensors = opcheck_subject.tensors_of(sample.arrays)
    subject.run(function, tensors)
    for i, before, tensor in zip(
        sample.free, sample.arrays, tensors, strict=True
    ):
        after = opcheck_subject.value_of(tensor)
        if not array_comparison.identical(before, after):
            raise Failed(
                f"sample {sample.index}: input {i} is changed in {where}: "
                f"{array_comparison.difference(before, after)}",
                [
                    f"inputs = [tf.constant(x) for x in samples[{sample.index}]]",
                    "op(*inputs)",
                    "print(inputs)",
                ],
            )


def new_memory(subject: Any) -> str:
    """Outputs share no memory with inputs or one another."""
    if subject.is_python:
        _debug(subject, debug_mode.BadViewMap, check_views=True)
        views = subject.op.view_map
        return f"except those of view_map {views}" if views else ""
    shared = set()
    for sample in subject.samples:
        tensors = opcheck_subject.tensors_of(sample.arrays)
        subject.reset()
        results = subject.call(sample, tensors)
        memory = [
            *zip(map("input {}".format, sample.free), tensors, strict=True),
            *((f"output {i}", y) for i, y in enumerate(results)),
        ]
        for i, y in enumerate(results):
            for name, x in memory[: len(tensors) + i]:
                if _address(x) is not None and _address(x) == _address(y):
                    shared.add(f"output {i} is {name}'s buffer")
    if shared:
        # A kernel may hand a buffer on, since no tensor is ever written to.
        return f"{'; '.join(sorted(shared))}, as TensorFlow allows"
    return ""


def _address(tensor: tf.Tensor) -> int | None:
    """Returns where a tensor's elements are, if that can be told."""
    try:
        array = np.asarray(memoryview(tensor))
    except (BufferError, TypeError, ValueError, NotImplementedError):
        return None
    except tf.errors.OpError:
        return None
    return array.ctypes.data if array.size else None


def deterministic(subject: Any) -> str:
    """Equal calls give equal outputs, bit for bit."""
    if not subject.comparable:
        raise Skipped("stateful; give a reset to compare calls")
    if subject.is_python:
        if subject.stateful:
            raise Skipped("stateful")
        _debug(subject, debug_mode.BadThunkOutput, check_determinism=True)
        return ""
    rounded = False
    for sample in subject.samples:
        first = subject.reference(sample)
        for _ in range(2):
            again = subject.eager(sample)
            subject.compare(
                sample, first, again, "between calls with the same inputs"
            )
            rounded |= not all(
                x is opcheck_subject.OPAQUE or array_comparison.identical(x, y)
                for x, y in zip(first, again, strict=True)
            )
    return "up to rounding" if rounded else ""


def output_storage(subject: Any) -> str:
    """What is in output_storage has no influence."""
    if not subject.is_python:
        raise Skipped("of Python ops alone")
    if subject.results.get("deterministic") == "FAIL" or subject.stateful:
        raise Skipped("outputs differ from call to call")
    _debug(subject, debug_mode.BadThunkOutput, check_preallocated_output="ALL")
    return ""


def implementations(subject: Any) -> str:
    """`perform` and `c_code` agree."""
    if not subject.is_python:
        raise Skipped("of Python ops alone")
    node, _ = _node(subject, subject.samples[0])
    names = [name for name, _ in debug_mode.DebugMode().implementations(node)]
    if len(names) < 2:
        raise Skipped(f"has {' and '.join(names)} alone")
    if subject.results.get("deterministic") == "FAIL" or subject.stateful:
        raise Skipped("outputs differ from call to call")
    _debug(subject, debug_mode.BadThunkOutput, check_agreement=True)
    return ""


def equality(subject: Any) -> str:
    """The op equals itself and a copy, with one hash, and nothing else."""
    if not subject.is_python:
        raise Skipped("of Python ops alone")
    op = subject.op
    if not op == op or op != op:
        raise Failed("the op does not equal itself", ["assert op == op"])
    try:
        hashed = hash(op)
    except TypeError as e:
        raise Failed(f"it cannot be hashed: {e}", ["hash(op)"]) from e
    if hash(op) != hashed:
        raise Failed("its hash differs from call to call", ["hash(op)"])
    if op == object() or op == None:  # noqa: E711
        raise Failed("it equals any object", ["assert op != object()"])
    if getattr(op, "__props__", None) is None:
        return "no __props__: it equals itself alone"
    # Not by copy.copy, which asks the op how to: that is for the check of pickle.
    twin = object.__new__(type(op))
    twin.__dict__.update(op.__dict__)
    steps = [
        "twin = object.__new__(type(op))",
        "twin.__dict__.update(op.__dict__)",
        "assert op == twin",
    ]
    if not (op == twin and twin == op):
        raise Failed("it does not equal a copy, which has its __props__", steps)
    if hash(twin) != hashed:
        raise Failed(
            f"a copy is equal but has another hash: {hashed} and {hash(twin)}",
            [*steps, "assert hash(op) == hash(twin)"],
        )
    return f"__props__ {op.__props__}"


def pickling(subject: Any) -> str:
    """The op can be pickled, and what comes back is like it."""
    if not subject.is_python:
        raise Skipped("of Python ops alone")
    op = subject.op
    steps = ["import pickle", "restored = pickle.loads(pickle.dumps(op))"]
    try:
        data = pickle.dumps(op)
    except (AttributeError, pickle.PicklingError, TypeError) as e:
        local = "<locals>" in f"{type(op).__qualname__} {e}"
        if local or isinstance(e, pickle.PicklingError):
            raise NotSupported(
                f"Python pickles what can be imported: "
                f"{opcheck_subject.first_line(e)}"
            ) from e
        raise Failed(f"it cannot be pickled: {e}", steps) from e
    try:
        restored = pickle.loads(data)
    except Exception as e:
        raise Failed(f"what is pickled cannot be restored: {e}", steps) from e
    if type(restored) is not type(op):
        raise Failed(
            f"what comes back is a {type(restored).__name__}: {restored}", steps
        )
    if getattr(op, "__props__", None) is not None and restored != op:
        raise Failed(
            f"what comes back is not equal: {restored}, not {op}",
            [*steps, "assert restored == op"],
        )
    if subject.results.get("outputs") == "FAIL" or not subject.comparable:
        return "its outputs cannot be compared"
    mode = debug_mode.DebugMode(**_OFF)
    for sample in subject.samples:
        found = []
        for each in (op, restored):
            node, arrays = _node(subject, sample)
            node.op = each
            found.append(mode.computed(node, arrays))
        for i, (x, y) in enumerate(zip(*found, strict=True)):
            if not array_comparison.close(x, y):
                raise Failed(
                    f"sample {sample.index}: output {i} differs after pickling: "
                    f"{array_comparison.difference(x, y)}",
                    steps,
                )
    return ""
