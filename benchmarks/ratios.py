"""The statistics of a comparison: medians, quartiles and ratios of rounds."""

import dataclasses
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Spread:
    """A median, and the quartiles around it."""

    low: float
    median: float
    high: float

    def is_below(self, floor: float) -> bool:
        """Whether `floor` is missed by more than the spread.

        That is so where even the upper quartile is below it: three rounds of
        four, or more, were.
        """
        return self.high < floor


def spread(values: Sequence[float]) -> Spread:
    """Returns the median and the quartiles of values, one of each round.

    Quartiles lie between two values as `numpy.percentile` interpolates them.

    Raises:
      ValueError: There are no values, or one is not a positive number.
    """
    if not len(values):
        raise ValueError("no values: a spread needs at least one round")
    for value in values:
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"a cost or ratio must be positive: {value}")
    low, median, high = np.percentile(np.asarray(values, float), [25, 50, 75])
    return Spread(float(low), float(median), float(high))


def ratios(ours: Sequence[float], peer: Sequence[float]) -> list[float]:
    """Returns how many times as much the peer cost as ours did, each round.

    What slows a machine down for a while slows both sides of a round, and
    leaves their ratio; so ratios are taken before the median, not after.

    Raises:
      ValueError: The sides do not have one cost each a round, or one is not
        positive.
    """
    if len(ours) != len(peer):
        raise ValueError(
            f"both sides need a cost each round: {len(ours)} and {len(peer)}"
        )
    spread(ours), spread(peer)  # Names a cost that is no cost.
    return [b / a for a, b in zip(ours, peer, strict=True)]
