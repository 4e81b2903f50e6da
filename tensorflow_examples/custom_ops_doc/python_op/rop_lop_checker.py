"""`RopLop_checker`: tests of an op's `R_op` and `grad`, as Jacobians.

class DoubleRopTest(RopLop_checker):
    def test_double(self):
        self.check_rop_lop(Double()(self.x), self.in_shape)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow_examples.custom_ops_doc.python_op import config
from tensorflow_examples.custom_ops_doc.python_op import derivatives
from tensorflow_examples.custom_ops_doc.python_op import evaluation
from tensorflow_examples.custom_ops_doc.python_op import function as functions
from tensorflow_examples.custom_ops_doc.python_op import gradient_check
from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import op as op_module
from tensorflow_examples.custom_ops_doc.python_op import seeding
from tensorflow_examples.custom_ops_doc.python_op import tensor
from tensorflow_examples.custom_ops_doc.python_op import tensor_variable
from tensorflow_examples.custom_ops_doc.python_op import unittest_tools


class BreakRop(op_module.Op):
    """The identity, without derivatives of any kind.

    Put between a variable and what depends on it, it leaves no differentiable
    path.
    """

    __props__ = ()

    def make_node(self, x):
        """Applies it to a tensor."""
        x = tensor.as_tensor_variable(x)
        return graph.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        """Copies the input."""
        output_storage[0][0] = inputs[0].copy()

    def grad(self, inputs, output_gradients):
        """Says that there is none."""
        return [derivatives.grad_undefined(self, 0, inputs[0])]

    def R_op(self, inputs, eval_points):  # noqa: N802
        """Says that there is none."""
        return [None]


break_op = BreakRop()


class RopLop_checker(unittest_tools.SeededTestCase):  # noqa: N801
    """Checks of `Rop` and `Lop`, for a test class to inherit.

    A test makes a symbolic output of one of the symbolic inputs, and hands it to
    a check. Other inputs of the op under test are constants or arrays; each of
    them is checked by a test of its own in which it is `x` or `mx`.

    Attributes:
      x: a symbolic vector of `config.floatX`.
      v: a symbolic vector: an eval point for `x`, or for an output.
      rv: as `v`, for a test's own use.
      in_shape: the shape that `x` is tested with, a tuple of one number.
      mx: a symbolic matrix of `config.floatX`.
      mv: a symbolic matrix: an eval point for `mx`.
      mat_in_shape: the shape that `mx` is tested with, of two numbers that
        differ.
      rng: the `np.random.RandomState` that draws all of it, seeded.
    """

    def setUp(self):
        """Seeds the sources of random numbers, and makes the variables."""
        super().setUp()
        self.x = tensor.vector("x")
        self.v = tensor.vector("v")
        self.rv = tensor.vector("rv")
        self.rng = np.random.RandomState(seeding.fetch_seed())
        self.in_shape = (5 + self.rng.randint(3),)
        self.mx = tensor.matrix("mx")
        self.mv = tensor.matrix("mv")
        rows = 5 + self.rng.randint(3)
        # Another number, so that a transposed Jacobian shows.
        self.mat_in_shape = (rows, rows + 1 + self.rng.randint(2))

    def check_rop_lop(
        self, y: tensor_variable.TensorVariable, out_shape: Any
    ) -> None:
        """Fails unless `Rop` and `Lop` of an output of `x` are right.

        The reference for both is the Jacobian by finite differences; besides,
        both must agree with each other, closely.

        Args:
          y: a symbolic variable that depends on `self.x`.
          out_shape: the shape of `y` where `x` has `in_shape`, a tuple or, of a
            vector, a number.

        Raises:
          AssertionError: If one of it is not so, or an op between `x` and `y`
            has no `R_op`, so that there is nothing to check.
        """
        self._check(y, self.x, self.in_shape, out_shape)

    def check_mat_rop_lop(
        self, y: tensor_variable.TensorVariable, out_shape: Any
    ) -> None:
        """As `check_rop_lop`, of an output of the matrix `mx`."""
        self._check(y, self.mx, self.mat_in_shape, out_shape)

    def check_nondiff_rop(self, y: tensor_variable.TensorVariable) -> None:
        """Fails unless `Rop` of an output without derivatives is an error.

        Args:
          y: a symbolic variable that depends on `self.x` or `self.mx`, but not
            through a differentiable path.

        Raises:
          AssertionError: If `Rop` gives a result.
        """
        leaves = _leaves(y)
        if self.x not in leaves and self.mx not in leaves:
            self.fail(f"{y} depends neither on self.x nor on self.mx")
        x, shape = self.x, self.in_shape
        if self.x not in leaves:
            x, shape = self.mx, self.mat_in_shape
        try:
            result = self._rop(y, x)(self._draw(shape), self._draw(shape))
        except (
            derivatives.DisconnectedInputError,
            derivatives.NullTypeGradError,
            NotImplementedError,
        ):
            return
        self.fail(
            f"Rop of {y} must be an error, since it does not depend on {x} "
            f"through a differentiable path, but gave {result}"
        )

    def _draw(self, shape):
        return self.rng.uniform(size=shape).astype(config.floatX)

    def _check(self, y, x, in_shape, out_shape):
        if np.ndim(out_shape) == 0:
            out_shape = (out_shape,)
        out_shape = tuple(int(n) for n in out_shape)
        for node in _between(x, y):
            if isinstance(node.op, op_module.Op) and not derivatives._defines(
                node.op, "R_op", "pushforward"
            ):
                self.fail(
                    f"{node.op} defines no R_op, so that Rop does without it and "
                    f"there is nothing to check"
                )
        at = self._draw(in_shape)
        value = functions.function([x], y)(at)
        if value.shape != out_shape:
            self.fail(
                f"{y} has shape {value.shape}, but out_shape is {out_shape}"
            )
        numeric = self._numeric_jacobian(y, x, at)
        lop = self._lop(y, x)
        by_lop = np.stack(
            [
                lop(at, e.reshape(out_shape)).ravel()
                for e in np.eye(value.size, dtype=value.dtype)
            ]
        )
        self._compare("Lop, of rows of the identity,", by_lop, numeric, y)

        tangent = self._draw(in_shape)
        rop = self._rop(y, x)(at, tangent)
        if rop.shape != out_shape:
            self.fail(f"Rop of {y} has shape {rop.shape}, not {out_shape}")
        self._compare("Rop", rop.ravel(), numeric @ tangent.ravel(), y)
        unittest_tools.assert_allclose(by_lop @ tangent.ravel(), rop.ravel())

        cotangent = self._draw(out_shape)
        self._compare(
            "Lop",
            lop(at, cotangent).ravel(),
            cotangent.ravel() @ numeric,
            y,
        )

    def _numeric_jacobian(self, y, x, at):
        f = functions.function([x], y)
        columns = gradient_check.numeric_grad(lambda a: f(a).ravel(), at).gf
        return columns.reshape(at.size, -1).T

    def _compare(self, what, result, numeric, y):
        tolerance = gradient_check.tolerance(config.floatX)
        absolute, relative = gradient_check.numeric_grad.abs_rel_err(
            result.astype(np.float64), numeric
        )
        excess = np.minimum(absolute, relative) / tolerance
        excess = np.where(np.isfinite(excess), excess, np.inf)
        if not (excess > 1).any():
            return
        index = np.unravel_index(np.argmax(excess), excess.shape)
        self.fail(
            f"{what} of {y} is not what finite differences say: in "
            f"{(excess > 1).sum()} of {excess.size} elements, worst at "
            f"{list(map(int, index))}: {result[index]!s} instead of "
            f"{numeric[index]!s} (tolerance {tolerance:g}, absolute or "
            f"relative)"
        )

    def _lop(self, y, x):
        cotangent = y.type()
        lop = functions.function(
            [x, cotangent], derivatives.Lop(y, x, cotangent)
        )

        def checked(at, value):
            result = lop(at, value)
            if result.shape != at.shape:
                self.fail(
                    f"Lop of {y} has shape {result.shape}, not {at.shape}"
                )
            return result

        return checked

    def _rop(self, y, x):
        tangent = x.type()
        return functions.function([x, tangent], derivatives.Rop(y, x, tangent))


def _between(x, y) -> list[graph.Apply]:
    """Returns the nodes through whose values `y` depends on `x`."""
    order = [
        n
        for n in graph.applies_of([y])
        if not isinstance(n.op, evaluation.Shape)
    ]
    dependent, needed = {x}, {y}
    for node in order:
        if any(v in dependent for v in node.inputs):
            dependent.update(node.outputs)
    for node in reversed(order):
        if any(v in needed for v in node.outputs):
            needed.update(node.inputs)
    between = dependent & needed
    return [n for n in order if any(v in between for v in n.outputs)]


def _leaves(y) -> set[graph.Variable]:
    inputs = {v for node in graph.applies_of([y]) for v in node.inputs}
    return {v for v in inputs | {y} if v.owner is None}
