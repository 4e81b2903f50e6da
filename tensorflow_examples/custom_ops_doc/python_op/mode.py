"""`Mode`: what debug_mode and nan_guard share as context managers."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import graph
from tensorflow_examples.custom_ops_doc.python_op import implementation

Run = Callable[..., list[np.ndarray]]


class Mode(contextlib.ContextDecorator):
    """A context manager in which every computed node is looked at.

    While it is active it holds for the whole process, TensorFlow's threads
    included. It may be entered again, by other threads too: it looks at each
    node once, until it was left as often. Modes nest.

    What `check` raises is raised as it is in eager code. In a graph TensorFlow
    makes a `tf.errors` error of it; leaving the context raises the original in
    its place.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._entered = 0
        self._error: Exception | None = None

    def check(
        self, node: graph.Apply, inputs: list[np.ndarray], run: Run
    ) -> list[np.ndarray]:
        """Computes a node by `run(inputs)`, and raises what is wrong with it."""
        raise NotImplementedError

    def run(
        self, node: graph.Apply, inputs: list[np.ndarray], run: Run
    ) -> list[np.ndarray]:
        """Called by `implementation` for each node."""
        try:
            return self.check(node, inputs, run)
        except self.errors as e:
            with self._lock:
                if self._error is None:
                    self._error = e
            raise

    # The classes of errors that leaving the context restores.
    errors: tuple[type[Exception], ...] = ()

    def __enter__(self):
        with self._lock:
            self._entered += 1
            if self._entered == 1:
                self._error = None
                implementation.push_mode(self)
        return self

    def __exit__(self, exc_type: Any, exc: Any, traceback: Any) -> None:
        with self._lock:
            self._entered -= 1
            if self._entered == 0:
                implementation.pop_mode(self)
            error = self._error
            if isinstance(exc, tf.errors.OpError) and error is not None:
                self._error = None
        # Its message has the original's name and text; another error has not.
        if (
            isinstance(exc, tf.errors.OpError)
            and error is not None
            and type(error).__name__ in str(exc)
        ):
            raise error from exc


def name_of(variable: graph.Variable, role: str, index: int) -> str:
    """Returns a text such as "output 0 (x)" for an input or output of a node."""
    return f"{role} {index} ({variable})"
