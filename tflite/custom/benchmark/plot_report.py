"""Draws what benchmark_model measured, from what its --json writes.

    ./bazelw run //tflite/custom/benchmark:plot_report -- report.json report.png

The ending of the picture's name is its format, png or svg. Without names it
reads standard input and writes standard output: so benchmark_model's --plot
runs it.
"""

import argparse
import io
import json
import os
import sys
import tempfile
import textwrap
from collections.abc import Sequence

_FORMATS = ("png", "svg")
_COLORS = ("#4c72b0", "#dd8452")
_GREY = "#8c8c8c"
_MARKED = ("p50", "p90", "p99")
_TABLE = ("avg", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
_MOST_OPS = 16
_LABEL_LENGTH = 46
_BINS = 80
_WIDTH = 9.5  # Inches.


def time_text(micros: float) -> str:
    """Returns three digits and a unit: `12.3 us`."""
    if micros == 0:
        return "0"
    for scale, unit in ((1e6, "s"), (1e3, "ms"), (1, "us")):
        # What would be rounded up to the unit has it.
        if micros >= 0.9995 * scale:
            return f"{_three_digits(micros / scale)} {unit}"
    return f"{_three_digits(micros * 1e3)} ns"


def _three_digits(number: float) -> str:
    return f"{number:.0f}" if number >= 99.95 else f"{number:#.3g}".rstrip(".")


def op_shares(model: dict) -> list[tuple[str, float]]:
    """Returns what the ops of a model take in a run, the longest first.

    Args:
      model: of the report; its ops were measured.

    Returns:
      Labels and microseconds, which sum to the mean of the runs: beyond the 16
      that take longest the other ops are one, and the last is the time outside
      ops.
    """
    runs = model["inference_us"]["count"]
    shares = [
        (_op_label(op), op["avg_us"] * op["calls"] / runs)
        for op in model["ops"]
        # The time of the others is part of that of the op that they run in.
        if not op["nested"]
    ]
    shares.sort(key=lambda share: -share[1])
    rest = shares[_MOST_OPS:]
    outside = model["inference_us"]["avg"] - sum(time for _, time in shares)
    del shares[_MOST_OPS:]
    if rest:
        shares.append((f"{len(rest)} other ops", sum(time for _, time in rest)))
    return [*shares, ("outside ops", outside)]


def _op_label(op: dict) -> str:
    """Returns an op's type and its output, cut to what there is room for."""
    name, _, index = op["name"].rpartition(":")
    # The converter joins the names of what it has fused; the last is the
    # output's.
    name = name.strip("[]").split(";")[-1]
    if name == f"Delegate/{op['type']}":
        return f"{_cut(op['type'], _LABEL_LENGTH - 5)}  #{index}"
    room = _LABEL_LENGTH - len(op["type"]) - 2
    return f"{_cut(op['type'], 30)}  {_cut(name, max(room, 14))}"


def _cut(text: str, length: int) -> str:
    """Leaves out the middle: names differ at their ends."""
    if len(text) <= length:
        return text
    begin = (length - 1) // 3
    return text[:begin] + "…" + text[-(length - 1 - begin) :]


def draw(report: dict, picture_format: str) -> bytes:
    """Returns the picture of a report.

    Args:
      report: what --json writes.
      picture_format: png or svg.
    """
    # It would warn of a home that is not writable, and keep a list of fonts.
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MPLCONFIGDIR", folder)
        import matplotlib

        # Text stays text; the same report gives the same file.
        matplotlib.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "report",
                # Names of ops may have a $.
                "text.parse_math": False,
            }
        )
        picture = io.BytesIO()
        _figure(report).savefig(
            picture,
            format=picture_format,
            dpi=150,
            metadata={"Date": None} if picture_format == "svg" else None,
        )
        return picture.getvalue()


def _figure(report: dict):
    import matplotlib.figure

    models = [report[key] for key in ("model", "compare") if key in report]
    ran = all(model["inference_us"]["count"] > 0 for model in models)
    profiled = [model for model in models if ran and "ops" in model]
    shares = [op_shares(model) for model in profiled]
    heights = [3.2, 0.35 + 0.24 * len(models)] if ran else [0.6]
    heights += [0.45 + 0.23 * len(ops) for ops in shares]
    figure = matplotlib.figure.Figure(
        figsize=(_WIDTH, sum(heights) + 1.5), layout="constrained"
    )
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.15, hspace=0.03)
    figure.suptitle(_title(report, models), fontsize=10, x=0.02, ha="left")
    figure.supxlabel(_footer(report, models), fontsize=7.5, x=0.02, ha="left")
    panels = figure.subplots(
        len(heights), 1, height_ratios=heights, squeeze=False
    )[:, 0]
    if not ran:
        panels[0].axis("off")
        panels[0].text(0, 0.5, "no runs", fontsize=11)
        return figure
    names = _short_names(models)
    _draw_histograms(panels[0], models, names)
    _draw_table(panels[1], models, names)
    for panel, model, ops in zip(panels[2:], profiled, shares, strict=True):
        index = models.index(model)
        heading = "What a run's time goes to"
        if len(models) > 1:
            heading += f": {names[index]}"
        _draw_ops(panel, heading, ops, _COLORS[index])
        # Bars of one length are of one time, in both.
        longest = max(time for every in shares for _, time in every)
        panel.set_xlim(0, 1.2 * max(longest, 1e-3))
    return figure


def _title(report: dict, models: list[dict]) -> str:
    lines = [
        f"{_cut(os.path.basename(model['path']), 60)} in "
        f"{model['runtime_version']}"
        + (f", {model['delegation']}" if model["delegation"] else "")
        for model in models
    ]
    if report["benchmark_name"]:
        lines.insert(0, report["benchmark_name"])
    if "ratio" in report:
        lines.append(report["ratio"]["verdict"])
    if report["interrupted"]:
        lines.append("interrupted: the runs until then")
    return "\n".join(
        part for line in lines for part in textwrap.wrap(line, 120)
    )


def _footer(report: dict, models: list[dict]) -> str:
    host = report["host"]
    threads = report["num_threads"]
    inputs = ", ".join(
        f"{_cut(tensor['name'], 40)} {tensor['type']} {tensor['shape']}"
        for tensor in models[0]["inputs"]
    )
    runtimes = dict.fromkeys(model["runtime_version"] for model in models)
    lines = [
        f"{host['processor']}, {host['cores']} cores, {host['system']}",
        " and ".join(runtimes)
        + (f", threads: {threads}" if threads >= 0 else ", default threads")
        + f", {report['date'].replace('T', ' ').replace('Z', ' UTC')}",
        f"inputs: {inputs or 'none'}",
    ]
    return "\n".join(
        part for line in lines for part in textwrap.wrap(line, 130)[:2]
    )


def _short_names(models: list[dict]) -> list[str]:
    """Returns what tells the models apart."""
    files = [_cut(os.path.basename(model["path"]), 40) for model in models]
    runtimes = [model["runtime"] for model in models]
    if len(models) == 1:
        return files
    if len({model["path"] for model in models}) == 1:
        if len(set(runtimes)) == 1:
            return [f"{files[0]} (first)", f"{files[0]} (second)"]
        return runtimes
    if len(set(files)) == 1:
        files = [_cut(model["path"], 60) for model in models]
    if len(set(runtimes)) == 1:
        return files
    return [
        f"{file} in {runtime}"
        for file, runtime in zip(files, runtimes, strict=True)
    ]


def bins(histogram: list, edges: list[float]) -> list[float]:
    """Returns the share of the runs between each two edges, in percent."""
    total = sum(count for _, _, count in histogram)
    shares = [0.0] * (len(edges) - 1)
    at = 0
    for low, last, count in histogram:
        # The clock counts nanoseconds. A bucket's runs are anywhere in it, and
        # both buckets and edges ascend.
        high = last + 1e-3
        while at < len(shares) and edges[at + 1] <= low:
            at += 1
        for i in range(at, len(shares)):
            if edges[i] >= high:
                break
            part = min(high, edges[i + 1]) - max(low, edges[i])
            shares[i] += 100 * count / total * max(part, 0) / (high - low)
    return shares


def _edges(models: list[dict]) -> tuple[list[float], bool]:
    """Returns the bins' edges, and whether they are logarithmic."""
    times = [model["inference_us"] for model in models]
    low = min(time["min"] for time in times)
    # The slowest percent may be anywhere.
    high = max(1.05 * time["p99"] for time in times)
    medians = [max(time["p50"], 1e-3) for time in times]
    log = max(medians) / min(medians) > 4
    if log:
        # With room on both sides.
        low = 0.9 * max(low, 1e-3)
        step = (high / low) ** (1 / _BINS)
        return [low * step**i for i in range(_BINS + 1)], True
    low = max(0.0, low - 0.05 * (high - low))
    # The clock does not see less than a nanosecond.
    step = max((high - low) / _BINS, 1e-3)
    return [low + step * i for i in range(_BINS + 1)], False


def _draw_histograms(axes, models: list[dict], names: list[str]) -> None:
    import matplotlib.ticker

    edges, log = _edges(models)
    highest = 0.0
    beyond = 0.0
    for model, name, color in zip(models, names, _COLORS, strict=False):
        times = model["inference_us"]
        shares = bins(times["histogram"], edges)
        highest = max(highest, *shares)
        beyond = max(beyond, 100 - sum(shares))
        axes.stairs(
            shares,
            edges,
            fill=True,
            color=color,
            alpha=0.75,
            label=f"{name}: {times['count']:,} runs",
        )
        for percentile, style in zip(_MARKED, ("-", "--", ":"), strict=True):
            axes.axvline(
                times[percentile],
                color=color,
                linestyle=style,
                linewidth=1.2,
                label=f"{percentile} {time_text(times[percentile])}",
            )
    if log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(
            matplotlib.ticker.LogLocator(subs=(1, 2, 5))
        )
        axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.xaxis.set_major_formatter(lambda value, _: time_text(value))
    axes.yaxis.set_major_formatter("{x:g}%")
    axes.set_xlim(edges[0], edges[-1])
    # The legend has a place of its own, above the bars.
    axes.set_ylim(0, 1.08 * max(highest, 1e-6))
    axes.set_ylabel("share of the runs", fontsize=8.5)
    note = "time of a run"
    if beyond >= 0.05:
        note += f"; up to {beyond:.1f}% of the runs take longer than shown"
    axes.set_xlabel(note, fontsize=8.5)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(
        fontsize=8,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        # A column for each of two models, or all of one in a row.
        ncols=len(models) if len(models) > 1 else 1 + len(_MARKED),
        frameon=False,
    )


def _draw_table(axes, models: list[dict], names: list[str]) -> None:
    axes.axis("off")
    table = axes.table(
        cellText=[
            [time_text(model["inference_us"][column]) for column in _TABLE]
            for model in models
        ],
        colLabels=["mean" if column == "avg" else column for column in _TABLE],
        rowLabels=[_cut(name, 26) for name in names]
        if len(models) > 1
        else None,
        bbox=(0, 0, 1, 1),
        cellLoc="center",
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    for (row, column), cell in table.get_celld().items():
        cell.set_linewidth(0.5)
        if row == 0:
            cell.set_text_props(weight="bold")
        elif column < 0:
            cell.set_text_props(color=_COLORS[row - 1], weight="bold")


def _draw_ops(
    axes, heading: str, ops: list[tuple[str, float]], color: str
) -> None:
    whole = sum(time for _, time in ops)
    for i, (label, time) in enumerate(ops):
        is_op = label != "outside ops" and not label.endswith(" other ops")
        axes.barh(i, max(time, 0), color=color if is_op else _GREY)
        axes.annotate(
            f" {'-' if time < 0 else ''}{time_text(abs(time))}"
            f"  {100 * time / whole:.1f}%",
            (max(time, 0), i),
            va="center",
            fontsize=8,
        )
    axes.set_title(f"{heading} ({time_text(whole)})", fontsize=9.5, loc="left")
    axes.set_yticks(range(len(ops)), [label for label, _ in ops], fontsize=7.5)
    axes.set_ylim(len(ops) - 0.4, -0.6)
    axes.xaxis.set_visible(False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def main(arguments: Sequence[str]) -> None:
    """Draws one picture."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("json", nargs="?", help="what --json wrote")
    parser.add_argument("picture", nargs="?", help="the file to write")
    parser.add_argument(
        "--format", choices=_FORMATS, help="of a picture without a name"
    )
    options = parser.parse_args(arguments)
    if options.json is None:
        if options.format is None:
            parser.error("a report and a picture must be named")
        sys.stdout.buffer.write(draw(json.load(sys.stdin), options.format))
        return
    if options.picture is None:
        parser.error(f"a picture of {options.json} must be named")
    ending = os.path.splitext(options.picture)[1].removeprefix(".")
    if ending not in _FORMATS:
        parser.error(
            f"the picture is {options.picture!r}; it must end in .png or .svg"
        )
    # What a user of `bazel run` means by a relative path.
    caller = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    with open(os.path.join(caller, options.json), encoding="utf-8") as file:
        picture = draw(json.load(file), ending)
    with open(os.path.join(caller, options.picture), "wb") as file:
        file.write(picture)


if __name__ == "__main__":
    main(sys.argv[1:])
