"""Derivatives: what tapes and accumulators are told, and `grad`, `Rop`, `Lop`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import forwardprop_util
from tensorflow.python.eager import record as tf_record

from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable
from tensorflow_examples.custom_ops_doc.python_op import tensorflow_function


class NullTypeGradError(ValueError):
    """A gradient is needed that an op says is undefined or not implemented."""


class DisconnectedInputError(ValueError):
    """A gradient is asked for with respect to what has no influence."""


@graph.not_converted
def grad_undefined(
    op: Any, index: int, variable: graph.Variable, comment: str = ""
) -> graph.Variable:
    """Returns what `grad` gives for an input whose gradient does not exist.

    Args:
      op: the op.
      index: the position of the input.
      variable: the input.
      comment: why.
    """
    return _null(op, index, variable, "is undefined", comment)


@graph.not_converted
def grad_not_implemented(
    op: Any, index: int, variable: graph.Variable, comment: str = ""
) -> graph.Variable:
    """Returns what `grad` gives for an input whose gradient is not written yet.

    Args:
      op: the op.
      index: the position of the input.
      variable: the input.
      comment: why.
    """
    return _null(op, index, variable, "is not implemented", comment)


def _null(op, index, variable, what, comment):
    comment = f": {comment}" if comment else ""
    why = f"the gradient of {op} for input {index} ({variable}) {what}{comment}"
    return tensor_type.NullType(why)()


# What tapes, graphs and accumulators call.


def record(node: graph.Apply, outputs: Sequence[tf.Tensor]) -> None:
    """Tells the active tapes and accumulators of a computed node."""
    inputs = [v.tensor for v in node.inputs]
    for v, tensor in zip(node.outputs, outputs, strict=True):
        v.tensor = tensor
    forward = None
    tangents = forwardprop_util.pack_tangents(inputs).tangents
    if tangents:
        has_tangent = [
            bool(forwardprop_util.pack_tangents([x]).tangents) for x in inputs
        ]
        if _defines(node.op, "R_op", "pushforward"):
            forward = _forward(node, has_tangent)
    needed = [tf_record.should_record_backprop([x]) for x in inputs]

    def backward(*output_gradients):
        # An accumulator, which has no use for `needed`, calls it too.
        return _input_gradients(node, output_gradients, needed)

    tf_record.record_operation(
        f"PythonOp.{node.op}", list(outputs), inputs, backward, forward
    )


def graph_gradient(node: graph.Apply) -> Callable:
    """Returns the gradient function of the operation that computes a node."""

    def gradient(operation, *output_gradients):
        del operation
        return _input_gradients(node, output_gradients, None)

    return gradient


def _defines(op: Any, *methods: str) -> bool:
    return any(op._has(m) for m in methods)


def _input_gradients(
    node: graph.Apply,
    output_gradients: Sequence[tf.Tensor | None],
    needed: Sequence[bool] | None,
) -> list[tf.Tensor | None]:
    """Returns the gradient for each input, None where it is disconnected.

    Args:
      node: the node.
      output_gradients: the gradient for each output, or None.
      needed: which of the inputs' gradients somebody wants. None where that is
        not known before a graph runs: then a NullType fails when it does.
    """
    op = node.op
    if not _defines(op, "grad", "L_op", "pullback"):
        raise NotImplementedError(
            f"{op} has no gradient: it defines no grad, and a gradient through "
            f"it is needed. Define grad, or keep it off the path, for example "
            f"with tf.stop_gradient"
        )
    cotangents = [_variable(g) for g in output_gradients]
    results = op.pullback(list(node.inputs), list(node.outputs), cotangents)
    if not isinstance(results, (list, tuple)):
        results = [results]
    if len(results) != len(node.inputs):
        raise ValueError(
            f"{op}.grad must return a list of {len(node.inputs)} gradients, one "
            f"for each input, but returned {len(results)}"
        )
    gradients = []
    for i, (result, v) in enumerate(zip(results, node.inputs, strict=True)):
        is_needed = None if needed is None else needed[i]
        gradients.append(_gradient(op, i, v, result, is_needed))
    return gradients


def _variable(gradient: Any) -> graph.Variable:
    if gradient is None:
        return tensor_type.DisconnectedType()()
    return tensor_variable.as_tensor_variable(tf.convert_to_tensor(gradient))


def _gradient(op, index, variable, result, needed) -> tf.Tensor | None:
    if result is None:
        return None
    if isinstance(result, graph.Variable):
        if isinstance(result.type, tensor_type.DisconnectedType):
            return None
        if isinstance(result.type, tensor_type.NullType):
            return _null_gradient(op, index, variable, result.type, needed)
    try:
        tensor = tf.convert_to_tensor(result, dtype_hint=variable.tensor.dtype)
    except (TypeError, ValueError) as e:
        raise TypeError(
            f"{op}.grad must return a tensor, or a variable, for input {index}, "
            f"but returned {result!r}: {e}"
        ) from e
    dtype = variable.tensor.dtype
    if not (dtype.is_floating or dtype.is_complex):
        return None  # TensorFlow differentiates no integers.
    if tensor.dtype != dtype:
        raise TypeError(
            f"{op}.grad gave input {index} a gradient of dtype "
            f"{tensor.dtype.name}, but the input is of dtype {dtype.name}"
        )
    if not tensor.shape.is_compatible_with(variable.tensor.shape):
        raise ValueError(
            f"{op}.grad gave input {index} a gradient of shape {tensor.shape}, "
            f"but the input is of shape {variable.tensor.shape}"
        )
    return tensor


def _null_gradient(op, index, variable, null, needed):
    message = (
        f"the gradient of {op} with respect to input {index} is needed, but it "
        f"is null: {null.why_null}"
    )
    if needed is False:
        return None
    if needed or tf.executing_eagerly():
        raise NullTypeGradError(message)

    # In a graph nobody knows yet. What is not needed is not run.
    def fail():
        raise NullTypeGradError(message)

    gradient = tf.numpy_function(
        fail, [], variable.tensor.dtype, stateful=False
    )
    gradient.set_shape(variable.tensor.shape)
    return gradient


def _forward(node: graph.Apply, has_tangent: Sequence[bool]) -> Callable:
    def forward(*tangents):
        return _output_tangents(
            node,
            [
                t if has else None
                for t, has in zip(tangents, has_tangent, strict=True)
            ],
        )

    return forward


def _output_tangents(
    node: graph.Apply, tangents: Sequence[tf.Tensor | None]
) -> list[tf.Tensor | None]:
    """Returns the tangents of a node's outputs, by its R_op; None where none is.

    Args:
      node: the node.
      tangents: the tangent of each input, or None where it has none.
    """
    given = [_variable(t) for t in tangents]
    results = _push_forward(node, given)
    if any(r is None for r in results) and any(
        t is None and v.tensor.dtype.is_floating
        for t, v in zip(tangents, node.inputs, strict=True)
    ):
        # An R_op may give up where an input has no tangent; zero is one.
        results = _push_forward(
            node,
            [
                _variable(tf.zeros_like(v.tensor))
                if t is None
                else _variable(t)
                for t, v in zip(tangents, node.inputs, strict=True)
            ],
        )
    outputs = []
    for i, (result, v) in enumerate(zip(results, node.outputs, strict=True)):
        if result is None:
            outputs.append(None)
            continue
        tangent = tf.convert_to_tensor(result, dtype_hint=v.tensor.dtype)
        if tangent.dtype != v.tensor.dtype:
            raise TypeError(
                f"{node.op}.R_op gave output {i} a tangent of dtype "
                f"{tangent.dtype.name}, but the output is of dtype "
                f"{v.tensor.dtype.name}"
            )
        if not tangent.shape.is_compatible_with(v.tensor.shape):
            raise ValueError(
                f"{node.op}.R_op gave output {i} a tangent of shape "
                f"{tangent.shape}, but the output is of shape {v.tensor.shape}"
            )
        outputs.append(tangent)
    return outputs


def _push_forward(node, tangents) -> list:
    results = node.op.pushforward(
        list(node.inputs), list(node.outputs), tangents
    )
    if not isinstance(results, (list, tuple)):
        results = [results]
    if len(results) != len(node.outputs):
        raise ValueError(
            f"{node.op}.R_op must return a list of {len(node.outputs)} tangents, "
            f"one for each output, but returned {len(results)}"
        )
    return [
        None
        if isinstance(r, graph.Variable)
        and isinstance(r.type, tensor_type.DisconnectedType)
        else r
        for r in results
    ]


# Derivatives that are asked for by name.


@graph.not_converted
def grad(
    cost: Any,
    wrt: Any,
    consider_constant: Sequence[graph.Variable] = (),
    disconnected_inputs: str = "raise",
    known_grads: dict[graph.Variable, Any] | None = None,
) -> Any:
    """Returns the gradient of a symbolic scalar.

    Args:
      cost: a symbolic scalar; None with `known_grads`.
      wrt: a variable or a list of them.
      consider_constant: variables that no gradient flows through.
      disconnected_inputs: what to do with a variable that `cost` does not
        depend on: "raise", "warn" and give zeros, or "ignore" and give zeros.
      known_grads: gradients of variables, by variable, to start from.

    Returns:
      A variable of the shape of `wrt`, or a list of them.

    Raises:
      TypeError: If `cost` is no scalar.
      DisconnectedInputError: When it is evaluated, as `disconnected_inputs` says.
    """
    seeds = dict(known_grads or {})
    if cost is not None:
        cost = tensor_variable.as_tensor_variable(cost)
        if cost.ndim != 0:
            raise TypeError(
                f"cost must be a scalar, but {cost} has {cost.ndim} dimensions"
            )
        seeds[cost] = None
    return _vector_jacobian(
        list(seeds),
        wrt,
        list(seeds.values()),
        consider_constant,
        disconnected_inputs,
    )


@graph.not_converted
def Lop(f: Any, wrt: Any, eval_points: Any) -> Any:  # noqa: N802
    """Returns `eval_points` times the Jacobian of `f`: reverse mode.

    Args:
      f: a symbolic variable or a list of them; or a function of tensors.
      wrt: what to differentiate by: a variable, or a list of them; with a
        function the tensors that it is called with.
      eval_points: the cotangent of each item of `f`.

    Returns:
      A gradient for each item of `wrt`, zeros where there is no path; a list if
      `wrt` is one. Variables, or tensors with a function.
    """
    if _is_function(f):
        xs = [tf.identity(x) for x in _as_list(wrt)]
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = f(*xs)
        gradients = [
            tf.convert_to_tensor(g)
            for g in tape.gradient(
                ys, xs, eval_points, tf.UnconnectedGradients.ZERO
            )
        ]
        return gradients if isinstance(wrt, (list, tuple)) else gradients[0]
    return _vector_jacobian(
        _as_list(f), wrt, _as_list(eval_points), (), "ignore"
    )


@graph.not_converted
def Rop(  # noqa: N802
    f: Any, wrt: Any, eval_points: Any, disconnected_outputs: str = "raise"
) -> Any:
    """Returns the Jacobian of `f` times `eval_points`: forward mode.

    Each op's `R_op` is used; where one has none, two reverse passes stand in.

    Args:
      f: a symbolic variable or a list of them; or a function of tensors.
      wrt: what to differentiate by: a variable, or a list of them; with a
        function the tensors that it is called with.
      eval_points: the tangent of each item of `wrt`, of its shape and dtype.
      disconnected_outputs: what to do with an item of `f` that does not depend
        on `wrt` through a differentiable path: "raise", or "ignore" and give
        zeros.

    Returns:
      A tangent for each item of `f`; a list if `f` is one, or returns one.
      Variables, or tensors with a function.

    Raises:
      ValueError: If there are not as many `eval_points` as items of `wrt`.
      DisconnectedInputError: When it is evaluated, as `disconnected_outputs`
        says.
      NotImplementedError: If an op on the path has neither `R_op` nor `grad`.
    """
    if disconnected_outputs not in ("raise", "ignore"):
        raise ValueError(
            f'disconnected_outputs must be "raise" or "ignore", but is '
            f"{disconnected_outputs!r}"
        )
    xs, vs = _as_list(wrt), _as_list(eval_points)
    if len(xs) != len(vs):
        raise ValueError(
            f"wrt and eval_points must have the same length: {len(xs)} and "
            f"{len(vs)}"
        )
    if _is_function(f):
        return _jacobian_vector(f, xs, vs, disconnected_outputs)
    variables = [tensor_variable.as_tensor_variable(x) for x in xs]
    fs = [tensor_variable.as_tensor_variable(y) for y in _as_list(f)]
    for x, v in zip(variables, vs, strict=True):
        v = tensor_variable.as_tensor_variable(v)
        if v.type.dtype != x.type.dtype or v.type.ndim != x.type.ndim:
            raise ValueError(
                f"the eval_point of {x} must be of its type, {x.type}, but is "
                f"of type {v.type}"
            )
    leaves = _leaves(fs, variables)

    def function(*tensors):
        xs = list(tensors[: len(variables)])
        tangents = tensors[len(variables) : 2 * len(variables)]
        rest = tensors[2 * len(variables) :]

        def of(*xs):
            values = dict(zip(variables, xs, strict=True))
            values.update(zip(leaves, rest, strict=True))
            evaluated = evaluation.Evaluation(values)
            return [evaluated.value(y) for y in fs]

        return _jacobian_vector(of, xs, tangents, disconnected_outputs)

    results = tensorflow_function.apply(
        "Rop", function, [*variables, *vs, *leaves]
    )
    results = _as_list(results)
    return results if isinstance(f, (list, tuple)) else results[0]


def _jacobian_vector(
    f: Callable, xs: Sequence, vs: Sequence, disconnected_outputs: str
) -> Any:
    # An accumulator takes each tensor once.
    xs = [tf.identity(x) for x in xs]
    vs = [
        tf.convert_to_tensor(v, dtype_hint=x.dtype)
        for v, x in zip(vs, xs, strict=True)
    ]
    with tf.autodiff.ForwardAccumulator(xs, vs) as accumulator:
        ys = f(*xs)

    def tangent(y):
        result = accumulator.jvp(y)
        if result is not None:
            return result
        if disconnected_outputs == "raise":
            raise DisconnectedInputError(
                "the Rop of a function is asked for that does not depend on "
                "what it is differentiated by through a differentiable path"
            )
        return tf.zeros_like(y)

    return tf.nest.map_structure(tangent, ys)


def _is_function(f: Any) -> bool:
    return callable(f) and not isinstance(f, (graph.Variable, tf.Tensor))


def _as_list(x: Any) -> list:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _leaves(outputs, wrt) -> list[graph.Variable]:
    """Returns the symbolic variables that outputs need besides `wrt`."""
    known = set(wrt)
    leaves = []
    stack = list(outputs)
    while stack:
        v = stack.pop()
        if v in known or v.tensor is not None:
            continue
        known.add(v)
        if v.owner is None:
            leaves.append(v)
        else:
            stack.extend(v.owner.inputs)
    return leaves


def _watch(tape: tf.GradientTape, tensors: Iterable[tf.Tensor]) -> None:
    # A tape warns of what it cannot differentiate by.
    tape.watch(
        [x for x in tensors if x.dtype.is_floating or x.dtype.is_complex]
    )


def _vector_jacobian(ys, wrt, seeds, consider_constant, disconnected_inputs):
    if disconnected_inputs not in ("raise", "warn", "ignore"):
        raise ValueError(
            f'disconnected_inputs must be "raise", "warn" or "ignore", but is '
            f"{disconnected_inputs!r}"
        )
    xs = [tensor_variable.as_tensor_variable(x) for x in _as_list(wrt)]
    ys = [tensor_variable.as_tensor_variable(y) for y in ys]
    leaves = _leaves(ys + xs, [])
    constants = list(consider_constant)
    given = [s for s in seeds if s is not None]

    def function(*tensors):
        rest = iter(tensors)
        values = {v: next(rest) for v in leaves}
        with tf.GradientTape() as tape:
            _watch(tape, values.values())
            # The variables of `wrt` may be anywhere: they are computed first,
            # and everything else from them.
            for v in [*constants, *xs]:
                value = evaluation.Evaluation(values).value(v)
                if v in constants:
                    value = tf.stop_gradient(value)
                elif v not in leaves:
                    value = tf.identity(value)
                _watch(tape, [value])
                values[v] = value
            evaluated = evaluation.Evaluation(values)
            results = [evaluated.value(y) for y in ys]
        cotangents = [
            tf.ones_like(y) if seed is None else tf.cast(next(rest), y.dtype)
            for y, seed in zip(results, seeds, strict=True)
        ]
        gradients = tape.gradient(results, [values[x] for x in xs], cotangents)
        for i, (x, g) in enumerate(zip(xs, gradients, strict=True)):
            if g is None:
                message = (
                    f"the gradient with respect to {x} is asked for, but what "
                    f"is differentiated does not depend on it through a "
                    f"differentiable path"
                )
                if disconnected_inputs == "raise":
                    raise DisconnectedInputError(message)
                if disconnected_inputs == "warn":
                    warnings.warn(message, stacklevel=2)
                gradients[i] = tf.zeros_like(values[x])
            else:
                # That of a gather is IndexedSlices.
                gradients[i] = tf.convert_to_tensor(g)
        return gradients

    results = _as_list(
        tensorflow_function.apply("grad", function, [*leaves, *given])
    )
    return results if isinstance(wrt, (list, tuple)) else results[0]
