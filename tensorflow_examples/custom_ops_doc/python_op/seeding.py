"""The seeds of tests, so that a failure comes again."""

from __future__ import annotations

import random
import secrets
import sys

import numpy as np
import tensorflow as tf

from tensorflow_examples.custom_ops_doc.python_op import config


def fetch_seed(pseed: int | None = None) -> int:
    """Returns the seed that tests are to use.

    Args:
      pseed: a seed that goes before the setting.

    Returns:
      `pseed`, or else the setting `config.unittests.rseed`. Where that is
      "random", a seed drawn once for this process, which is printed: with the
      setting at that number a failure comes again.

    Raises:
      ValueError: If the seed is no whole number from 0 to 2**32 - 1.
    """
    seed = config.unittests.rseed if pseed is None else pseed
    if seed == "random":
        seed = _drawn_seed()
        print(f"config.unittests.rseed is random; this time it is {seed}")
        return seed
    try:
        number = int(seed)
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < 2**32:
        raise ValueError(
            f'a seed (config.unittests.rseed) must be "random" or a number from '
            f"0 to 2**32 - 1, but is {seed!r}"
        )
    return number


_DRAWN_SEED: int | None = None


def _drawn_seed() -> int:
    global _DRAWN_SEED
    if _DRAWN_SEED is None:
        _DRAWN_SEED = secrets.randbits(32)
    return _DRAWN_SEED


def seed_rng(pseed: int | None = None) -> int:
    """Seeds every source of random numbers that has no seed of its own.

    These are `random`, `np.random`, `tf.random` with its global generator, and
    Keras, if it is in use.

    Args:
      pseed: as of `fetch_seed`.

    Returns:
      The seed.
    """
    seed = fetch_seed(pseed)
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    with tf.init_scope():
        tf.random.get_global_generator().reset_from_seed(seed)
    # Not imported for this: one that comes later takes its seed from `random`.
    keras = sys.modules.get("keras")
    if keras is not None:
        keras.utils.set_random_seed(seed)
    return seed
