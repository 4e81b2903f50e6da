"""Runs nodes on TensorFlow: at once in eager code, as one op in a graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.eager import record
from tensorflow.python.framework import ops

from tensorflow_examples.custom_ops_doc.python_op import derivatives
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import implementation
from tensorflow_examples.custom_ops_doc.python_op import python_call
from tensorflow_examples.custom_ops_doc.python_op import shape_inference
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable

# Of a tf.Graph: the nodes that are in it, by what they compute.
_NODES_ATTRIBUTE = "_python_op_nodes"
# Of a tf.Operation: the Apply that it computes.
NODE_ATTRIBUTE = "_python_op_node"

_LOCAL_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def run(node: graph.Apply) -> list[tf.Tensor]:
    """Computes the outputs of a node whose inputs have tensors.

    Args:
      node: the node.

    Returns:
      A tensor for each output, which the tapes and accumulators know about.
    """
    if context.executing_eagerly():
        outputs = _run_eagerly(node)
    else:
        outputs = _run_in_graph(node)
    if record.could_possibly_record():
        derivatives.record(node, outputs)
    return outputs


def defer(node: graph.Apply) -> None:
    """Prepares a node some of whose inputs have no tensors yet."""
    for v in node.inputs:
        if isinstance(v, tensor_variable.TensorConstant):
            v.freeze()


def _run_eagerly(node: graph.Apply) -> list[tf.Tensor]:
    arrays = []
    for v in node.inputs:
        if isinstance(v, tensor_variable.TensorConstant):
            arrays.append(graph.read_only(v.data))
        else:
            arrays.append(_array_of(v.tensor))
    outputs = implementation.compute(node, arrays)
    tensors = []
    for v, array in zip(node.outputs, outputs, strict=True):
        for i, x in enumerate(arrays):
            if array is x:
                # A tensor is never changed, so an input can be the output.
                tensors.append(tf.convert_to_tensor(node.inputs[i].tensor))
                break
        else:
            tensors.append(_eager_tensor(array, v.type.tf_dtype))
    return tensors


def _array_of(tensor: tf.Tensor) -> np.ndarray:
    """Returns a view of an eager tensor's memory, without a copy on a CPU."""
    array = tensor._numpy()
    if type(array) is not np.ndarray:  # A scalar, bytes for a string.
        array = np.asarray(array, object if tensor.dtype == tf.string else None)
    array.flags.writeable = False
    return array


def _eager_tensor(array: np.ndarray, dtype: tf.DType) -> tf.Tensor:
    """Makes a tensor of an array, whose memory it may share."""
    ctx = context.context()
    device = _LOCAL_CPU
    if ctx.get_server_def() is not None:  # This process is one of a cluster.
        device = f"{ctx.host_address_space()}/device:CPU:0"
    return ops.EagerTensor(array, device, dtype.as_datatype_enum)


def _run_in_graph(node: graph.Apply) -> list[tf.Tensor]:
    default = ops.get_default_graph()
    node.inputs = [_captured(v, default) for v in node.inputs]
    tensors = [v.tensor for v in node.inputs]
    nodes = graph.attached(default, _NODES_ATTRIBUTE)
    key = (node.op, *map(id, tensors), graph.control_flow_context(default))
    if key in nodes:
        return [v.tensor for v in nodes[key].outputs]

    kernel = _Kernel(node)
    # The tapes are to see the op, not the call that it is made of.
    with record.stop_recording():
        outputs = python_call.python_call(
            kernel,
            tensors,
            [v.type.tf_dtype for v in node.outputs],
            _node_name(node),
        )
    for v, tensor, shape in zip(
        node.outputs, outputs, kernel.shapes, strict=True
    ):
        tensor.set_shape(shape)
        v.tensor = tensor
        tensor_variable.register(v)
    if outputs:
        operation = outputs[0].op
        setattr(operation, NODE_ATTRIBUTE, node)
        operation._gradient_function = derivatives.graph_gradient(node)
    # The node keeps its tensors alive: the key is made of their ids.
    nodes[key] = node
    return list(outputs)


def _captured(
    variable: tensor_variable.TensorVariable, default: tf.Graph
) -> tensor_variable.TensorVariable:
    """Returns the variable of an input as an operation of a graph sees it.

    In the graph of a function, a branch or a loop's body, a tensor from outside
    is another one, and gradients must be made of that.
    """
    outside = variable.tensor
    inside = default.capture(outside) if default.building_function else outside
    if inside is outside:
        return variable
    captured = tensor_variable.TensorVariable(
        variable.type, variable.owner, variable.index, variable.name
    )
    captured.tensor = inside
    captured._tag = variable._tag
    return captured


def _node_name(node: graph.Apply) -> str:
    return type(node.op).__name__.lstrip("_") or "PythonOp"


class _Kernel:
    """What TensorFlow calls, from one of its threads, to compute a node.

    It lives as long as the process, and so holds nothing of the graph.
    """

    def __init__(self, node: graph.Apply):
        self._node = graph.Apply(
            node.op,
            [_without_tensor(v) for v in node.inputs],
            [_without_tensor(v) for v in node.outputs],
        )
        self._shapes = shape_inference.static_shapes(node)
        self.__name__ = str(node.op)

    @property
    def shapes(self) -> list[tf.TensorShape]:
        """What is known of the outputs' shapes."""
        return self._shapes

    def __call__(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        outputs = implementation.compute(self._node, list(arrays))
        for i, (shape, array) in enumerate(
            zip(self._shapes, outputs, strict=True)
        ):
            if not shape.is_compatible_with(array.shape):
                raise TypeError(
                    f"{self._node.op}: output {i} has shape {array.shape}, but "
                    f"infer_shape said {shape}"
                )
        return outputs


def _without_tensor(
    variable: tensor_variable.TensorVariable,
) -> tensor_variable.TensorVariable:
    if isinstance(variable, tensor_variable.TensorConstant):
        copy = tensor_variable.TensorConstant(variable.type, variable.data)
        copy.freeze()
    else:
        copy = type(variable)(variable.type)
    copy.name = variable.name
    copy._tag = variable._tag
    return copy
