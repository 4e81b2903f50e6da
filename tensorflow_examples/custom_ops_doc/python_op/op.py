"""`Op`: the contract of an operation that is written in Python."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.keras_layers import op_layer
from tensorflow_examples.custom_ops_doc.python_op import execution
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import implementation
from tensorflow_examples.custom_ops_doc.python_op import tensor_type
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable


class Op:
    """An operation on tensors, implemented in Python.

    A subclass defines `make_node`, or `itypes` and `otypes`; and how its values
    are computed, in this order of precedence: `make_thunk`, `c_code`, `perform`.
    Everything else is optional. An instance is called with tensors and returns
    tensors: in eager code, in a `tf.function`, in a Keras functional model.

    An op's outputs must depend on its inputs and `__props__` alone: TensorFlow
    may run it once for equal calls, again, or not at all where nobody needs the
    outputs.

    Attributes:
      __props__: tuple of names of the attributes that the computation depends
        on. It gives `==`, `hash` and `str`: two ops are equal if they are of one
        class and these are equal. Without it an op equals itself alone.
      itypes: list of the inputs' types, such as `tensor.dmatrix`.
      otypes: list of the outputs' types.
      default_output: index of the output that a call returns; None for all.
      check_input: whether the types of inputs are checked in compiled `c_code`.
      view_map: dict from an output's index to the list of inputs that it may be
        a view of.
      destroy_map: dict from an output's index to the list of inputs that
        `perform` may overwrite. It is given copies of them.
    """

    itypes: Sequence[tensor_type.Type] | None = None
    otypes: Sequence[tensor_type.Type] | None = None
    default_output: int | None = None
    check_input: bool = True
    view_map: dict[int, list[int]] = {}
    destroy_map: dict[int, list[int]] = {}

    # What op_layer looks for.
    takes_keras_tensors = True

    # AutoGraph then calls an op as it is: there is nothing in it to convert.
    autograph_info__: dict[str, Any] = {}

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        props = cls.__dict__.get("__props__", ())
        if not isinstance(props, tuple) or not all(
            isinstance(p, str) for p in props
        ):
            raise TypeError(
                f"{cls.__name__}.__props__ must be a tuple of names, such as "
                f'("a", "b"), but is {props!r}'
            )

    # Equality.

    def _props(self) -> tuple[Any, ...] | None:
        names = getattr(self, "__props__", None)
        if names is None:
            return None
        return tuple(getattr(self, name) for name in names)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        props = self._props()
        return props is not None and props == other._props()

    def __hash__(self) -> int:
        props = self._props()
        if props is None:
            return object.__hash__(self)
        try:
            return hash((type(self), props))
        except TypeError as e:
            raise TypeError(
                f"{self} cannot be hashed: {e}. Values of __props__ must be "
                f"hashable; use a tuple where there is a list"
            ) from None

    def __str__(self) -> str:
        names = getattr(self, "__props__", None)
        if not names:
            return type(self).__name__
        props = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}{{{props}}}"

    def __repr__(self) -> str:
        return str(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            k: v
            for k, v in self.__dict__.items()
            if k != implementation.CACHE_ATTRIBUTE
        }

    # Application.

    def make_node(self, *inputs: Any) -> graph.Apply:
        """Checks the inputs, and returns the application of the op to them.

        This one serves ops with `itypes` and `otypes`.

        Args:
          *inputs: what the op was called with: variables, tensors, arrays,
            numbers.

        Returns:
          An Apply with input Variables and new output Variables. It holds no
          values; the outputs' types say what `perform` will give.

        Raises:
          NotImplementedError: If the op has no `itypes` and `otypes`.
          ValueError: If the number of inputs is wrong.
          TypeError: If the op cannot be applied to inputs of their types.
        """
        if self.itypes is None or self.otypes is None:
            raise NotImplementedError(
                f"{type(self).__name__} must define make_node, or itypes and "
                f"otypes"
            )
        if len(inputs) != len(self.itypes):
            raise ValueError(
                f"{self} takes {len(self.itypes)} inputs, but was given "
                f"{len(inputs)}"
            )
        variables = []
        for i, (x, itype) in enumerate(zip(inputs, self.itypes, strict=True)):
            variable = tensor_variable.as_tensor_variable(x, dtype=itype.dtype)
            if not itype.accepts(variable):
                raise TypeError(
                    f"{self}: input {i} must be of type {itype}, but is of type "
                    f"{_describe(variable)}"
                )
            variables.append(variable)
        return graph.Apply(self, variables, [t() for t in self.otypes])

    def __call__(
        self,
        *inputs: Any,
        name: str | None = None,
        return_list: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Applies the op.

        Args:
          *inputs: tensors, or what `make_node` makes tensors of; or variables.
          name: a name for what is returned.
          return_list: whether to return a list where there is one output.
          **kwargs: passed to `make_node`.

        Returns:
          The output, or a list of them: tensors, or Variables if any input is
          one, or Keras tensors if any input is one.

        Raises:
          TypeError: As `make_node` does; and if `perform` gives an output of
            another dtype or shape than it should.
        """
        if op_layer.has_keras_tensor(inputs):
            options = {"return_list": True} if return_list else {}
            return op_layer.apply(
                self, inputs, {**kwargs, **options, "name": name}
            )
        node = self.make_node(*inputs, **kwargs)
        if name is not None:
            outputs = _select(self, node.outputs, True)
            for i, v in enumerate(outputs):
                v.name = name if len(outputs) == 1 else f"{name}_{i}"
        for v in node.inputs:
            if v.tensor is None:
                execution.defer(node)
                return _select(self, node.outputs, return_list)
        tensors = execution.run(node)
        for x in inputs:
            if isinstance(x, graph.Variable):
                for v, tensor in zip(node.outputs, tensors, strict=True):
                    v.tensor = tensor
                return _select(self, node.outputs, return_list)
        return _select(self, tensors, return_list)

    # Implementations.

    def perform(
        self,
        node: graph.Apply,
        inputs: list[np.ndarray],
        output_storage: list[list[np.ndarray | None]],
    ) -> None:
        """Computes the outputs.

        Args:
          node: the application; its `outputs` know the declared types.
          inputs: the inputs' values. They must not be changed, and cannot be,
            except for those in `destroy_map`.
          output_storage: a list with one item for each output. The value goes
            there: a new array of the declared type. An array that is there
            already is of the right dtype, may have any shape, and may be
            overwritten and left there as the output.
        """
        raise NotImplementedError(
            f"{type(self).__name__} defines neither perform, c_code nor "
            f"make_thunk"
        )

    def make_thunk(
        self,
        node: graph.Apply,
        storage_map: dict[graph.Variable, list],
        compute_map: dict[graph.Variable, list[bool]],
        no_recycling: list[graph.Variable],
        impl: str | None = None,
    ) -> Callable[[], Any]:
        """Returns a function without arguments that computes the node once.

        An op that overrides it is run by it alone.

        Args:
          node: the application.
          storage_map: for each variable a list of one item, its value.
          compute_map: for each variable a list of one item, whether the value
            is computed. The thunk sets it for the outputs.
          no_recycling: outputs whose storage must not be reused.
          impl: "py" for `perform`, "c" for `c_code`, None for the better.

        Raises:
          NotImplementedError: If `impl` is "c" and there is none.
        """
        return implementation.make_thunk(
            self, node, storage_map, compute_map, no_recycling, impl
        )

    # Derivatives. Those that a subclass does not define raise this.

    def _has(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Op, method)

    def grad(
        self,
        inputs: list[tensor_variable.TensorVariable],
        output_gradients: list[graph.Variable],
    ) -> list[graph.Variable | tf.Tensor]:
        """Returns the gradients with respect to the inputs.

        Args:
          inputs: the inputs.
          output_gradients: the gradient with respect to each output; of
            DisconnectedType where there is none.

        Returns:
          A list with an item for each input: a variable or tensor of the input's
          shape, or one of DisconnectedType or NullType.
        """
        raise NotImplementedError(f"{self} defines no grad")

    def L_op(self, inputs, outputs, output_gradients):  # noqa: N802
        """As `grad`, which it defaults to, but is given the outputs too."""
        return self.grad(inputs, output_gradients)

    def pullback(self, inputs, outputs, cotangents):
        """The newer name of `L_op`, which it defaults to."""
        return self.L_op(inputs, outputs, cotangents)

    def R_op(  # noqa: N802
        self,
        inputs: list[tensor_variable.TensorVariable],
        eval_points: list[graph.Variable | None],
    ) -> list[graph.Variable | tf.Tensor | None]:
        """Returns the Jacobian times a vector: the tangents of the outputs.

        Args:
          inputs: the inputs.
          eval_points: the tangent of each input, or None where it has none.

        Returns:
          A list with an item for each output, or None where it has no tangent.
        """
        raise NotImplementedError(f"{self} defines no R_op")

    def pushforward(self, inputs, outputs, tangents):
        """The newer `R_op`: an input without tangent is of DisconnectedType."""
        eval_points = [
            None if isinstance(t.type, tensor_type.DisconnectedType) else t
            for t in tangents
        ]
        return self.R_op(inputs, eval_points)

    # `infer_shape(self, node, input_shapes)` is defined by those who can. It is
    # given a tuple of dimensions for each input, numbers or int64 scalars, and
    # returns one for each output.

    # `c_code(self, node, name, inputs, outputs, sub)` likewise: see c_op.


def _describe(variable: graph.Variable) -> str:
    shape = tensor_type.known_shape(variable)
    if isinstance(variable.type, tensor_type.TensorType) and shape is not None:
        return str(tensor_type.TensorType(variable.type.dtype, shape))
    return str(variable.type)


def _select(op: Op, outputs: Sequence[Any], return_list: bool) -> Any:
    if op.default_output is not None:
        outputs = [outputs[op.default_output]]
    if return_list or len(outputs) != 1:
        return list(outputs)
    return outputs[0]
