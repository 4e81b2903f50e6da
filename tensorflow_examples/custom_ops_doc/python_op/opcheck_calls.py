"""Checks of `opcheck` that call an op in all the ways that TensorFlow has."""

from __future__ import annotations

import re
import tempfile
import threading
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import opcheck_subject

Failed = opcheck_subject.Failed
NotSupported = opcheck_subject.NotSupported
Skipped = opcheck_subject.Skipped

_THREADS = 8
_CALLS_OF_A_THREAD = 4

# What TensorFlow says where XLA has no kernel for an op.
_NO_XLA = [
    re.compile(r"No registered '[^']*' OpKernel for XLA\w*"),
    re.compile(
        r"[^.\n]*(unsupported operations|not compilable|uncompilable"
        r"|compile-time constant|not supported by XLA|DT_STRING|DT_RESOURCE"
        r"|DT_VARIANT)"
    ),
]


def graph(subject: Any) -> str:
    """A `tf.function` gives what eager code does."""
    for sample in subject.samples:
        subject.compare(
            sample,
            subject.reference(sample),
            subject.graph(sample),
            "between eager code and a tf.function",
            [
                f"inputs = samples[{sample.index}]",
                "print(op(*inputs))",
                "print(tf.function(lambda *xs: op(*xs))(*inputs))",
            ],
        )
        try:
            found = subject.run(_of_constants(subject, sample), [])
        except tf.errors.InvalidArgumentError as e:
            if "infer_shape said" in str(e):
                continue  # There is a check of shapes.
            raise
        subject.compare(
            sample,
            subject.reference(sample),
            found,
            "between eager code and a tf.function of constants",
            [
                f"inputs = samples[{sample.index}]",
                "print(op(*inputs))",
                "print(tf.function(lambda: op(*inputs))())",
            ],
        )
    return _values_note(subject)


def _of_constants(subject, sample):
    """Returns the op in a graph that may compute it before it runs."""
    return opcheck_subject.graph_function(
        lambda: subject.call(
            sample,
            [tf.constant(x, tf.as_dtype(x.dtype)) for x in sample.arrays],
        ),
        [],
    )


def _values_note(subject):
    return "" if subject.comparable else "dtypes alone, not values"


def xla(subject: Any) -> str:
    """`tf.function(jit_compile=True)` gives what eager code does."""
    if subject.is_python:
        raise NotSupported("XLA calls no Python")
    for sample in subject.samples:
        traced = subject.traced(sample).graph
        if any(
            y.dtype == tf.string
            for operation in traced.get_operations()
            for y in operation.outputs
        ):
            # It is not tried: it may end the process.
            raise NotSupported("XLA has no strings")
        function = subject.function(sample, sample.specs(), jit_compile=True)
        try:
            found = subject.run(
                function, opcheck_subject.tensors_of(sample.arrays)
            )
        except tf.errors.OpError as e:
            for pattern in _NO_XLA:
                why = pattern.search(str(e))
                if why is not None:
                    raise NotSupported(why[0]) from e
            raise
        subject.compare(
            sample,
            subject.reference(sample),
            found,
            "between eager code and XLA",
            [
                f"inputs = samples[{sample.index}]",
                "print(op(*inputs))",
                "print(tf.function(lambda: op(*inputs), jit_compile=True)())",
            ],
        )
    return _values_note(subject)


def threads(subject: Any) -> str:
    """Many threads, each with inputs of its own, get what one alone gets."""
    for sample in subject.samples:
        if subject.stateful:
            _call_twice(subject, sample)
        _run_threads(subject, sample)
    return _values_note(subject)


def _run_threads(subject, sample):
    jobs = _jobs(subject, sample)
    # A graph beside eager code: TensorFlow calls it from other threads.
    function = _graph_that_works(subject, sample)
    barrier = threading.Barrier(_THREADS)
    errors: list[Exception] = []
    steps = [
        "from concurrent import futures",
        "# with other values in each thread",
        f"with futures.ThreadPoolExecutor({_THREADS}) as pool:",
        "    print(list(pool.map(lambda x: op(*x), 8 * samples)))",
    ]

    def work(k):
        other, expected = jobs[k % len(jobs)]
        barrier.wait()
        try:
            for _ in range(_CALLS_OF_A_THREAD):
                tensors = opcheck_subject.tensors_of(other.arrays)
                if function is not None and k % 2:
                    results = function(*tensors)
                else:
                    results = subject.call(sample, tensors)
                found = [opcheck_subject.value_of(y) for y in results]
                if expected is not None:
                    what = f"in one of {_THREADS} threads"
                    subject.compare(sample, expected, found, what, steps)
        except Exception as error:
            errors.append(error)

    workers = [
        threading.Thread(target=work, args=(k,)) for k in range(_THREADS)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for error in errors:
        if isinstance(error, Failed):
            raise error
        raise Failed(
            f"in one of {_THREADS} threads: {type(error).__name__}: "
            f"{opcheck_subject.first_line(error)}",
            steps,
        ) from error


def _call_twice(subject, sample):
    """Makes sure that an op takes a call after another without a reset."""
    subject.reset()
    for _ in range(2):
        try:
            subject.call(sample, opcheck_subject.tensors_of(sample.arrays))
        except tf.errors.OpError as e:
            raise Skipped(
                f"a second call is refused: {opcheck_subject.first_line(e)}"
            ) from e


def _jobs(subject, sample):
    """Returns samples and what they give, for different threads.

    Threads that work on equal values would hide that one sees another's.
    """
    if not subject.comparable or subject.stateful:
        return [(sample, None)]
    jobs = [(sample, subject.reference(sample))]
    for k in range(1, _THREADS):
        other = sample.with_arrays(
            [
                np.roll(x, k)
                if x.ndim
                else x * x.dtype.type(1 + k)
                if x.dtype.kind == "f"
                else x
                for x in sample.arrays
            ]
        )
        try:
            jobs.append((other, subject.eager(other)))
        except Exception:  # The op takes no such values.
            continue
    return jobs


def _graph_that_works(subject, sample):
    if subject.results.get("eager equals graph") == "FAIL":
        return None
    return subject.function(sample, sample.specs())


def _hidden(x: tf.Tensor) -> tf.Tensor:
    """Returns a tensor of a graph of whose shape only the rank is known."""
    return tf.compat.v1.placeholder_with_default(x, [None] * x.shape.rank)


def _calls_hidden(subject, sample, tensors):
    return subject.call(sample, [_hidden(x) for x in tensors])


def tf_data(subject: Any) -> str:
    """The op works in `tf.data.Dataset.map`."""
    for sample in subject.samples:
        if _has_opaque_output(subject, sample):
            raise NotSupported("a dataset holds no handles")
        tensors = opcheck_subject.tensors_of(sample.arrays)

        def mapped(*xs, sample=sample):
            return (*_calls_hidden(subject, sample, xs), tf.constant(0))

        def run(*xs, mapped=mapped):
            # The index only makes a dataset where there are no inputs.
            dataset = tf.data.Dataset.from_tensors((tf.constant(0), *xs)).map(
                tf.autograph.experimental.do_not_convert(
                    lambda _, *xs: mapped(*xs)
                ),
                num_parallel_calls=None if subject.stateful else 2,
            )
            (element,) = list(dataset)
            return element[:-1]

        subject.compare(
            sample,
            subject.expected(sample),
            subject.run(run, tensors),
            "in tf.data",
            [
                f"inputs = samples[{sample.index}]",
                "dataset = tf.data.Dataset.from_tensors(inputs).map(op)",
                "print(list(dataset))",
            ],
        )
    return _values_note(subject)


def _has_opaque_output(subject, sample):
    return any(x is opcheck_subject.OPAQUE for x in subject.reference(sample))


def while_loop(subject: Any) -> str:
    """The op works in the body of `tf.while_loop`."""
    for sample in subject.samples:
        if _has_opaque_output(subject, sample):
            raise NotSupported("its handles are no loop variables")

        def loop(*xs, sample=sample):
            structure = subject.traced(sample).structured_outputs
            # Their shapes are no matter: those of loop variables may change.
            start = [tf.zeros([0], y.dtype) for y in structure]

            def body(i, *unused):
                del unused
                return (i + 1, *_calls_hidden(subject, sample, xs))

            unknown = tf.TensorShape(None)
            # What the last of the rounds gives.
            return tf.while_loop(
                lambda i, *unused: i < (1 if subject.stateful else 3),
                body,
                (tf.constant(0), *start),
                (tf.TensorShape([]), *[unknown for _ in start]),
                parallel_iterations=1 if subject.stateful else 10,
            )[1:]

        function = opcheck_subject.graph_function(loop, sample.specs())
        subject.compare(
            sample,
            subject.expected(sample),
            subject.run(function, opcheck_subject.tensors_of(sample.arrays)),
            "in tf.while_loop",
            [
                f"inputs = samples[{sample.index}]",
                "print(tf.function(lambda: tf.while_loop(",
                "    lambda i, y: i < 3,",
                "    lambda i, y: (i + 1, op(*inputs)),",
                "    (0, op(*inputs))))())",
            ],
        )
    return _values_note(subject)


def registered_as_stateful(subject: Any) -> str:
    """TensorFlow knows of the state, so that it runs every call, and in order."""
    if not subject.stateful:
        raise Skipped("of stateful ops alone")
    if subject.is_python:
        raise NotSupported(
            "a Python op has no state: TensorFlow may run equal calls once"
        )
    operations = subject.traced(subject.samples[0]).graph.get_operations()
    stateful = {
        op.type
        for op in operations
        if op.op_def.is_stateful and op.type != "Placeholder"
    }
    if not stateful:
        types = {op.type for op in operations} - {"Placeholder", "Identity"}
        raise Failed(
            f"it is stateful, but none of {', '.join(sorted(types))} is "
            f"registered as such: TensorFlow may run equal calls once, or none. "
            f"Call SetIsStateful in REGISTER_OP"
        )
    return ", ".join(sorted(stateful))


def saved_model(subject: Any) -> str:
    """What a SavedModel of the op gives is what the op gives."""
    if subject.uses_python:
        raise NotSupported("a Python function is no part of a SavedModel")
    for sample in subject.samples:
        module = tf.Module()
        # A method's object holds the state that is to be saved.
        owner = getattr(subject.op, "__self__", None)
        if isinstance(owner, tf.__internal__.tracking.Trackable):
            module.owner = owner
        module.function = subject.function(sample, sample.specs())
        with tempfile.TemporaryDirectory() as folder:
            try:
                subject.reset()
                tf.saved_model.save(module, folder)
            except (AssertionError, KeyError, ValueError) as e:
                if not re.search("untracked|captures tensor", str(e)):
                    raise
                raise NotSupported(
                    "it works on a resource that no tf.Module tracks; pass the "
                    "method of an object that tracks it"
                ) from e
            loaded = tf.saved_model.load(folder)
            tensors = opcheck_subject.tensors_of(sample.arrays)
            results = loaded.function(*tensors)
        found = [opcheck_subject.value_of(y) for y in results]
        # The state that was looked at is the original's.
        expected = subject.expected(sample)[: len(found)]
        subject.compare(
            sample,
            expected,
            found,
            "in a SavedModel that is loaded",
            [
                "module = tf.Module()",
                "module.f = tf.function(op)",
                f"module.f(*samples[{sample.index}])",
                'tf.saved_model.save(module, "/tmp/saved")',
                'tf.saved_model.load("/tmp/saved").f'
                f"(*samples[{sample.index}])",
            ],
        )
    return _values_note(subject)


def keras_layer(subject: Any) -> str:
    """The op works as a layer of a Keras functional model."""
    if not getattr(subject.op, "takes_keras_tensors", False):
        raise Skipped("the function does not take Keras tensors")
    for sample in subject.samples:
        if any(x.dtype == object for x in sample.arrays):
            raise NotSupported("Keras has no strings")
        if not sample.arrays or len(sample.free) < len(sample.inputs):
            raise NotSupported("Keras has no handles")
        inputs = [
            tf.keras.Input(batch_shape=[None] * x.ndim, dtype=x.dtype.name)
            for x in sample.arrays
        ]
        outputs = (
            subject.call(sample, inputs)
            if subject.is_python
            else tf.nest.flatten(subject.op(*inputs))
        )
        model = tf.keras.Model(inputs, outputs)
        results = model(opcheck_subject.tensors_of(sample.arrays))
        found = [
            opcheck_subject.value_of(tf.convert_to_tensor(y))
            for y in tf.nest.flatten(results)
        ]
        subject.compare(
            sample,
            subject.reference(sample),  # It is called in eager code.
            found,
            "in a Keras model",
            [
                "inputs = [",
                "    tf.keras.Input(batch_shape=[None] * np.ndim(x),",
                "                   dtype=np.asarray(x).dtype)",
                f"    for x in samples[{sample.index}]",
                "]",
                "model = tf.keras.Model(inputs, op(*inputs))",
                f"print(model(list(samples[{sample.index}])))",
            ],
        )
    return _values_note(subject)
