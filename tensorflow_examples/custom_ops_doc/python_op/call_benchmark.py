"""Times a call of a Python op beside `tf.numpy_function`, and its parts.

    ./bazelw run //tensorflow_examples/custom_ops_doc/python_op:call_benchmark

Ours and the peer take turns in one process; a row gives the medians, and the
median of the ratios with its 10th and 90th percentile.
"""

import time
from collections.abc import Callable

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

from tensorflow_examples.custom_ops_doc.python_op import python_op

_ROUNDS = flags.DEFINE_integer("rounds", 40, "How often both take a turn.")
_CALLS = flags.DEFINE_integer("calls", 200, "Calls in a turn.")

tensor = python_op.tensor


class Double(python_op.Op):
    """Doubles a tensor, by NumPy."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return python_op.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_gradients):
        return [output_gradients[0] * 2]


class Loop(Double):
    """Doubles a vector, by three lines of Python."""

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        z = np.empty_like(x)
        for i in range(len(x)):
            z[i] = x[i] * 2
        output_storage[0][0] = z


class LoopInC(Loop):
    """Doubles a vector, by three lines of C."""

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            if (!{z} || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0) ||
                !PyArray_IS_C_CONTIGUOUS({z})) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_NewLikeArray(
                    {x}, NPY_CORDER, NULL, 0);
                if (!{z}) {sub["fail"]}
            }}
            const npy_double* in = (const npy_double*)PyArray_DATA({x});
            npy_double* out = (npy_double*)PyArray_DATA({z});
            const npy_intp n = PyArray_SIZE({x});
            for (npy_intp i = 0; i < n; ++i) out[i] = in[i] * 2;
        """


def compare(
    ours: Callable[[], object],
    peer: Callable[[], object],
    rounds: int,
    calls: int,
) -> tuple[float, float, np.ndarray]:
    """Times two functions that take turns.

    Args:
      ours: a function.
      peer: what it is compared with.
      rounds: how often both take a turn.
      calls: how often a function is called in a turn.

    Returns:
      The median time of a call of each, in seconds, and the ratio of each round.
    """
    times = np.empty([rounds, 2])
    for i in range(-1, rounds):  # The first is for what happens once.
        for j, function in enumerate((ours, peer)):
            start = time.perf_counter()
            for _ in range(calls):
                function()
            times[i, j] = (time.perf_counter() - start) / calls
    return (*np.median(times, axis=0), times[:, 0] / times[:, 1])


def main(_) -> None:
    """Prints the table."""
    op, x = Double(), tf.ones([5])

    def bare(x):
        return tf.numpy_function(lambda a: a * 2, [x], tf.float32)

    def in_graph(function):
        return tf.function(function, autograph=False)

    def gradient(function):
        def run():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

        return run

    # A function each: tf.function is slower for other callables.
    op_graph, bare_graph = in_graph(lambda x: op(x)), in_graph(bare)
    million = tf.ones([1_000_000], tf.float64)
    loop, loop_in_c = Loop(), LoopInC()
    calls = _CALLS.value
    rows = (
        ("eager call", lambda: op(x), lambda: bare(x), "numpy_function", calls),
        (
            "call in tf.function",
            lambda: op_graph(x),
            lambda: bare_graph(x),
            "numpy_function",
            calls,
        ),
        (
            "eager call and gradient",
            gradient(op),
            gradient(lambda x: x * 2),
            "x * 2",
            calls,
        ),
        (
            "c_code, 1M doubles",
            lambda: loop_in_c(million),
            lambda: loop(million),
            "perform's loop",
            1,
        ),
    )
    print(f"{'':26}{'ours':>10}{'peer':>10}{'ratio':>9}  10-90 %")
    for name, ours, peer, peer_name, calls in rows:
        rounds = _ROUNDS.value if calls > 1 else 15
        a, b, ratios = compare(ours, peer, rounds, calls)
        low, mid, high = np.percentile(ratios, [10, 50, 90])
        print(
            f"{name:26}{a * 1e6:8.1f}us{b * 1e6:8.1f}us{mid:9.4f}  "
            f"{low:.4f}-{high:.4f} of {peer_name}"
        )


if __name__ == "__main__":
    app.run(main)
