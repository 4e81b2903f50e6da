"""Draws the chart of a comparison from what `compare` wrote.

    ./bazelw run //benchmarks:chart -- compare.json compare.png

A program of its own: where matplotlib can be imported TensorFlow imports it too,
which the measured process is better without.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence


def write_png(comparison: dict, path: str) -> None:
    """Draws a bar for each ratio, with its quartiles and its floor.

    Args:
      comparison: what compare.json holds.
      path: of the file to write.
    """
    # It would warn of a home that is not writable, and keep a list of fonts.
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MPLCONFIGDIR", folder)
        _draw(comparison).savefig(path, format="png", dpi=120)


def _draw(comparison: dict):
    import matplotlib.figure
    import matplotlib.ticker

    bars = [(of, peer) for of in comparison["rows"] for peer in of["peers"]]
    figure = matplotlib.figure.Figure(
        figsize=(9, 1.6 + 0.42 * len(bars)), layout="constrained"
    )
    axes = figure.subplots()
    for i, (_, peer) in enumerate(bars):
        ratio = peer["ratio"]
        axes.barh(
            i,
            ratio["median"] - 1,
            left=1,
            xerr=[
                [ratio["median"] - ratio["low"]],
                [ratio["high"] - ratio["median"]],
            ],
            color=(
                "#c44e52"
                if peer["misses_its_floor"]
                else "#a0a0a0"
                if peer["is_limit"]
                else "#4c72b0"
            ),
            error_kw={"capsize": 3},
        )
        if peer["floor"] is not None:
            axes.plot([peer["floor"]] * 2, [i - 0.4, i + 0.4], "k:")
        median = ratio["median"]
        text = f"{median:,.0f}" if median >= 100 else f"{median:.3g}"
        axes.annotate(f"  {text}x", (ratio["high"], i), va="center")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    spreads = [peer["ratio"] for _, peer in bars]
    left = min(0.5, *(0.8 * ratio["low"] for ratio in spreads))
    # There is room for the text of the longest bar.
    right = max(2.0, *(1.2 * ratio["high"] for ratio in spreads))
    right *= (right / left) ** 0.12
    axes.set_xlim(left, right)
    steps = (1, 2, 5) if right / left < 200 else (1,)
    axes.xaxis.set_major_locator(
        matplotlib.ticker.LogLocator(subs=steps, numticks=99)
    )
    axes.xaxis.set_major_formatter("{x:g}x")
    axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.set_yticks(
        range(len(bars)),
        [
            f"{of['name']}\n"
            f"{'of the limit, ' if peer['is_limit'] else 'beside '}"
            f"{peer['name']}"
            for of, peer in bars
        ],
        fontsize=8,
    )
    axes.invert_yaxis()
    axes.set_xlabel(
        "how many times as fast (or as small), with quartiles; dotted: the "
        f"floor\n{comparison['note']}",
        fontsize=8,
    )
    return figure


def main(arguments: Sequence[str]) -> None:
    """Draws one chart."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("json", help="what compare wrote")
    parser.add_argument("png", help="the file to write")
    options = parser.parse_args(arguments)
    # What a user of `bazel run` means by a relative path.
    caller = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    with open(os.path.join(caller, options.json)) as file:
        comparison = json.load(file)
    write_png(comparison, os.path.join(caller, options.png))


if __name__ == "__main__":
    main(sys.argv[1:])
