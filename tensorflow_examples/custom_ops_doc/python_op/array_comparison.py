"""Comparisons of arrays: bit for bit, up to rounding, and of their memory."""

from __future__ import annotations

from typing import Any

import numpy as np


def identical(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether arrays are the same, bit for bit; one NaN is as good as another."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind == "O":
        return all(a == b for a, b in zip(x.flat, y.flat, strict=True))
    if x.tobytes() == y.tobytes():
        return True
    try:
        nan = np.isnan(x)
        if not np.array_equal(nan, np.isnan(y)):
            return False
    except TypeError:
        return False
    return x[~nan].tobytes() == y[~nan].tobytes()


def close(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether arrays are the same up to rounding; NaN equals NaN."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind in "biuOSU":
        return identical(x, y)
    tolerance = rounding(x.dtype)
    if x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
        x, y = x.astype(np.float32), y.astype(np.float32)
    finite = np.abs(x[np.isfinite(x)])
    scale = finite.max() if finite.size else 0
    # TensorFlow's threads flush to zero what is smaller than the normal numbers.
    slack = tolerance * scale + np.finfo(x.dtype).tiny
    return np.allclose(x, y, tolerance, slack, equal_nan=True)


def rounding(dtype: Any) -> float:
    """Returns a relative difference that rounding may cause in a dtype."""
    dtype = np.dtype(dtype)
    if dtype in (np.float64, np.complex128):
        return 1e-10
    if dtype in (np.float32, np.complex64):
        return 1e-4
    return 3e-2


def share_memory(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether arrays have an element in common; True if that is hard to say."""
    if not np.may_share_memory(x, y):
        return False
    try:
        return np.shares_memory(x, y, max_work=100_000)
    except np.exceptions.TooHardError:
        return True


def difference(x: np.ndarray, y: np.ndarray) -> str:
    """Says where two arrays differ first."""
    if x.dtype != y.dtype:
        return f"dtype {x.dtype}, then {y.dtype}"
    if x.shape != y.shape:
        return f"shape {x.shape}, then {y.shape}"
    different = np.asarray(x != y)
    if x.dtype.kind not in "biuOSU":
        different &= ~(np.isnan(x) & np.isnan(y))
    if not different.any():
        return "0.0, then -0.0"
    position = np.unravel_index(np.argmax(different), x.shape)
    where = f" at {tuple(map(int, position))}" if position else ""
    return (
        f"{x[position]}, then {y[position]}{where}, one of "
        f"{int(different.sum())} values that differ"
    )
