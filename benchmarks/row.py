"""What a row of the comparison is: ours, its peers, and what must hold."""

import contextlib
import dataclasses
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

# The costs of each side, by its name: one number a round.
Costs = Mapping[str, Sequence[float]]


@dataclasses.dataclass(frozen=True)
class Run:
    """How a row is to be measured."""

    # How many items a call works on.
    items: int
    rounds: int
    # The least time that a side takes in a round, in seconds, by as many calls
    # as that needs.
    turn_seconds: float
    threads: int
    # What is registered here is closed once the row is measured.
    cleanup: contextlib.ExitStack
    # Whether it is only to be seen that the row works.
    quick: bool = False


@dataclasses.dataclass(frozen=True)
class Peer:
    """What ours is held against.

    `floor` is the least ratio, cost of the peer to cost of ours, that
    `--check` accepts; None says that none is promised.
    """

    name: str
    floor: float | None = None
    # A physical limit, such as memcpy's speed, and not what users would pick:
    # the ratio is the part of it that ours reaches.
    is_limit: bool = False


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the comparison, which `--filter` knows by its name."""

    name: str
    # How both sides are measured, in a sentence.
    about: str
    # What the costs are of, such as "key".
    item: str
    items: int
    quick_items: int
    ours: str
    peers: tuple[Peer, ...]
    # Gives the costs of an item, by the names of `ours` and of the peers.
    measure: Callable[[Run], Costs]
    # "ns" or "bytes".
    unit: str = "ns"
    # Fewer for what takes long; None leaves it to the command line.
    rounds: int | None = None

    @property
    def sides(self) -> list[str]:
        """The names of ours and of the peers."""
        return [self.ours, *(peer.name for peer in self.peers)]
