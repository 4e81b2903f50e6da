"""The results of rows, as a table, as Markdown and as JSON."""

import dataclasses
import os
import platform
import re

import tensorflow as tf

from benchmarks import ratios
from benchmarks import row

_HEAD = ("row", "ours", "peer", "peer's", "ratio", "quartiles", "floor")


@dataclasses.dataclass(frozen=True)
class PeerResult:
    """What came out for one peer of a row."""

    peer: row.Peer
    cost: ratios.Spread
    ratio: ratios.Spread
    # Of each round.
    ratios: list[float]

    @property
    def misses_its_floor(self) -> bool:
        """Whether the ratio is below the floor by more than its spread."""
        return self.peer.floor is not None and self.ratio.is_below(
            self.peer.floor
        )


@dataclasses.dataclass(frozen=True)
class Result:
    """What came out for a row."""

    row: row.Row
    # How many items a call worked on.
    items: int
    cost: ratios.Spread
    peers: list[PeerResult]


def result_of(measured: row.Row, items: int, costs: row.Costs) -> Result:
    """Works out the result of a row from the costs of its sides.

    Raises:
      ValueError: The costs are not of the row's sides, or are no costs.
    """
    if sorted(costs) != sorted(measured.sides):
        raise ValueError(
            f"{measured.name} is of {sorted(measured.sides)}, but costs are of "
            f"{sorted(costs)}"
        )
    ours = costs[measured.ours]
    peers = []
    for peer in measured.peers:
        each = ratios.ratios(ours, costs[peer.name])
        peers.append(
            PeerResult(
                peer=peer,
                cost=ratios.spread(costs[peer.name]),
                ratio=ratios.spread(each),
                ratios=each,
            )
        )
    return Result(measured, items, ratios.spread(ours), peers)


def machine() -> dict[str, object]:
    """Returns what the figures depend on besides the code."""
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    return {
        "cpu": model[1] if model else platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "memory_gib": round(
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        ),
        "system": platform.platform(),
        "tensorflow": tf.__version__,
    }


def as_json(results: list[Result]) -> list[dict[str, object]]:
    """Returns the results as JSON takes them."""

    def spread(of: ratios.Spread) -> dict[str, float]:
        return dataclasses.asdict(of)

    return [
        {
            "name": result.row.name,
            "about": result.row.about,
            "item": result.row.item,
            "items": result.items,
            "unit": f"{result.row.unit} per {result.row.item}",
            "ours": {"name": result.row.ours, "cost": spread(result.cost)},
            "peers": [
                {
                    "name": of.peer.name,
                    "is_limit": of.peer.is_limit,
                    "cost": spread(of.cost),
                    "ratio": spread(of.ratio),
                    "ratios": of.ratios,
                    "floor": of.peer.floor,
                    "misses_its_floor": of.misses_its_floor,
                }
                for of in result.peers
            ],
        }
        for result in results
    ]


def cost_text(cost: float, unit: str) -> str:
    """Returns a cost with three digits and the unit that suits it."""
    if unit == "bytes":
        return f"{digits(cost)} B"
    for limit, name in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if cost < limit:
            return f"{digits(cost / limit * 1e3)} {name}"
    return f"{digits(cost / 1e9)} s"


def digits(value: float) -> str:
    """Returns a positive number with three digits, or all of its whole part."""
    if value >= 100:
        return f"{value:.0f}"
    return (
        f"{value:.{2 if value < 10 else 1}f}" if value >= 1 else f"{value:.3f}"
    )


def lines_of(result: Result) -> list[tuple[str, ...]]:
    """Returns the cells of a row's lines, one for each peer."""
    return [
        (
            result.row.name if i == 0 else "",
            cost_text(result.cost.median, result.row.unit) if i == 0 else "",
            of.peer.name + (" (limit)" if of.peer.is_limit else ""),
            cost_text(of.cost.median, result.row.unit),
            f"{digits(of.ratio.median)}x",
            f"{digits(of.ratio.low)}-{digits(of.ratio.high)}",
            ("-" if of.peer.floor is None else f"{of.peer.floor:g}x")
            + (" MISSED" if of.misses_its_floor else ""),
        )
        for i, of in enumerate(result.peers)
    ]


def head_text(rows: list[row.Row]) -> str:
    """Returns the head of the table, as wide as what `rows` need."""
    return _line(_HEAD, _widths(rows))


def table_text(result: Result, rows: list[row.Row]) -> str:
    """Returns a row's lines of the table."""
    return "\n".join(_line(cells, _widths(rows)) for cells in lines_of(result))


def _widths(rows: list[row.Row]) -> tuple[int, ...]:
    names = max(len(of.name) for of in rows)
    peers = max(len(peer.name) for of in rows for peer in of.peers)
    return names, 8, peers + len(" (limit)"), 8, 8, 12, 0


def _line(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    left = (0, 2, 6)  # The others are numbers.
    return "  ".join(
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


def as_markdown(results: list[Result], notes: list[str]) -> str:
    """Returns the results as a Markdown table, with notes below it."""
    lines = [_HEAD, ("---",) * len(_HEAD)]
    for result in results:
        lines += lines_of(result)
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    about = "\n".join(
        f"- **{result.row.name}**, {result.items:,} x 1 {result.row.item}: "
        f"{result.row.about}"
        for result in results
    )
    return "\n\n".join([table, about, *notes]) + "\n"
