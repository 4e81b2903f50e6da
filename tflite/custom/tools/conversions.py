"""What the converter makes of each op, as facts and as a page."""

import collections
import dataclasses
import json
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from tflite.custom.tools import demand

# The classes of a conversion.
BUILTIN = "built-in"
CUSTOM = "custom"
NOT_CONVERTIBLE = "not convertible"

# The custom ones by where there is a kernel, or who misses it.
_HERE = "custom, and here"
_IN_RUNTIMES = "custom, and in the runtimes"
_MISSING = "custom, and missing"
_NO_GAP = "custom, and no gap"

_CLASSES = [BUILTIN, _HERE, _IN_RUNTIMES, _MISSING, _NO_GAP, NOT_CONVERTIBLE]

_PAGE = """\
# TensorFlow's ops in TFLite

What the converter of TensorFlow {version} makes of every op of `tf.raw_ops` that takes and gives dense tensors: a function of the
op alone, float32 4 by 4 where the op allows it, converted with `allow_custom_ops`. One call stands for the op; with other
types, shapes or attributes the converter may do something else.

Written by `./bazelw run //tflite/custom/tools:scan_converter`; with `-- --update_kernels_only`, which takes a second, from the
conversions of the last scan. Do not edit.

| class | ops |
|---|---|
{summary}

## Custom ops with a kernel

{have} of the {wanted} that somebody would want. Those of here run once they are registered, the others in the runtimes that register
them by themselves.

| op | kernel | call | gives |
|---|---|---|---|
{custom}

These are not in `tf.raw_ops`, but runtimes register them too; what `litert` alone knows, it leaves to XNNPACK:

| op | registered by |
|---|---|
{others}

## Missing custom ops, by who would want them

Nothing runs these; an interpreter says `Encountered unresolved custom op`.

{missing}

## No gap

Custom ops without a kernel that nobody would want.

| ops of | why | ops |
|---|---|---|
{no_gap}

## Built-in ops

What the op becomes; "nothing" where the converter computes or removes it.

| op | becomes | call |
|---|---|---|
{builtin}

## Not convertible

{not_convertible}
"""


@dataclasses.dataclass(frozen=True)
class Conversion:
    """What the converter made of one op."""

    op: str
    call: str  # The arguments; empty where none was found.
    result: str = ""  # What the call gives.
    builtin_ops: tuple[str, ...] = ()
    custom_ops: tuple[str, ...] = ()
    error: str = ""  # Why it could not be converted, as a class of reasons.

    @property
    def kind(self) -> str:
        if self.error:
            return NOT_CONVERTIBLE
        return CUSTOM if self.custom_ops else BUILTIN

    def missing(self, kernels: Collection[str]) -> list[str]:
        """Returns the custom ops of it that have no kernel."""
        return [each for each in self.custom_ops if each not in kernels]


@dataclasses.dataclass(frozen=True)
class Scan:
    """The conversions of all ops, by one version of the converter."""

    version: str
    conversions: tuple[Conversion, ...]
    # The runtimes that register a custom op by themselves, by its name.
    runtime_ops: Mapping[str, Sequence[str]] = dataclasses.field(
        default_factory=dict
    )

    def to_json(self) -> str:
        """Returns the text of which `from_json` makes the scan again."""
        lines = []
        for each in sorted(self.conversions, key=lambda each: each.op):
            fields = dataclasses.asdict(each)
            lines.append(
                json.dumps(
                    {key: value for key, value in fields.items() if value}
                )
            )
        return (
            f'{{"version": {json.dumps(self.version)},\n"runtime_ops": '
            + json.dumps(self.runtime_ops, sort_keys=True)
            + ',\n"conversions": [\n'
            + ",\n".join(lines)
            + "\n]}\n"
        )

    @classmethod
    def from_json(cls, text: str) -> "Scan":
        """Reads what `to_json` wrote."""
        content = json.loads(text)
        return cls(
            content["version"],
            tuple(
                conversion_from_dict(each) for each in content["conversions"]
            ),
            content["runtime_ops"],
        )

    def updated(self, other: "Scan") -> "Scan":
        """Returns the scan with the other's conversions in the place of its own.

        Raises:
          ValueError: they are of different versions of the converter.
        """
        if self.version != other.version:
            raise ValueError(
                f"the last scan is of TensorFlow {self.version}, this one of"
                f" {other.version}: scan all ops"
            )
        by_op = {
            each.op: each for each in (*self.conversions, *other.conversions)
        }
        conversions = tuple(by_op[op] for op in sorted(by_op))
        return Scan(self.version, conversions, other.runtime_ops)

    def counts(self, kernels: Collection[str]) -> dict[str, int]:
        """Returns how many of TensorFlow's ops are in each class, and in all.

        Two of them may become the same custom op.

        Args:
          kernels: names of the custom ops that have a kernel here.
        """
        counts = dict.fromkeys(_CLASSES, 0)
        for each in self.conversions:
            counts[self.kind(each, kernels)] += 1
        return counts | {"all": len(self.conversions)}

    def kind(self, conversion: Conversion, kernels: Collection[str]) -> str:
        """Returns the class of a conversion, the custom ones by their kernel."""
        if conversion.kind != CUSTOM:
            return conversion.kind
        missing = conversion.missing(kernels)
        if not missing:
            return _HERE
        if all(op in self.runtime_ops for op in missing):
            return _IN_RUNTIMES
        return _MISSING if demand.demand(conversion.op).is_gap else _NO_GAP


def conversion_from_dict(fields: dict) -> Conversion:
    """Returns a conversion from its fields, lists for tuples."""
    return Conversion(
        **{
            key: tuple(value) if isinstance(value, list) else value
            for key, value in ({"call": ""} | fields).items()
        }
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _reasons(conversions: Iterable[Conversion]) -> str:
    by_reason = collections.defaultdict(list)
    for each in conversions:
        by_reason[each.error].append(f"`{each.op}`")
    sections = [
        f"### {reason} ({len(ops)})\n\n{', '.join(ops)}"
        for reason, ops in sorted(
            by_reason.items(), key=lambda item: (-len(item[1]), item[0])
        )
    ]
    return "\n\n".join(sections)


def _custom_rows(conversions: Iterable[Conversion], *kernel: str) -> str:
    return "\n".join(
        _row(_code(each.op), *kernel, _code(each.call), _code(each.result))
        for each in conversions
    )


def _by_demand(
    conversions: Iterable[Conversion],
) -> list[tuple[demand.Demand, list[Conversion]]]:
    groups = collections.defaultdict(list)
    for each in conversions:
        groups[demand.demand(each.op)].append(each)
    return [(each, groups[each]) for each in demand.DEMANDS if groups[each]]


def _missing(conversions: Iterable[Conversion]) -> str:
    return "\n\n".join(
        f"### {group.name} ({len(ops)})\n\n{group.who}\n\n"
        f"| op | call | gives |\n|---|---|---|\n{_custom_rows(ops)}"
        for group, ops in _by_demand(conversions)
    )


def page(scan: Scan, kernels: Collection[str]) -> str:
    """Returns the Markdown page of a scan.

    Args:
      scan: the conversions.
      kernels: names of the custom ops that have a kernel here.
    """
    of_class: dict[str, list[Conversion]] = {each: [] for each in _CLASSES}
    for each in sorted(scan.conversions, key=lambda each: each.op):
        of_class[scan.kind(each, kernels)].append(each)
    counts = scan.counts(kernels)
    have = counts[_HERE] + counts[_IN_RUNTIMES]
    converted = {op for each in scan.conversions for op in each.custom_ops}
    return _PAGE.format(
        version=scan.version,
        summary="\n".join(
            _row(name, str(count)) for name, count in counts.items()
        ),
        have=have,
        wanted=have + counts[_MISSING],
        custom="\n".join(
            _custom_rows(
                [each],
                ", ".join(
                    runtime
                    for op in each.missing(kernels)
                    for runtime in scan.runtime_ops[op]
                )
                or "here",
            )
            for each in sorted(
                [*of_class[_HERE], *of_class[_IN_RUNTIMES]],
                key=lambda each: each.op,
            )
        ),
        others="\n".join(
            _row(_code(op), ", ".join(runtimes))
            for op, runtimes in sorted(scan.runtime_ops.items())
            if op not in converted and op not in kernels
        ),
        missing=_missing(of_class[_MISSING]),
        no_gap="\n".join(
            _row(group.name, group.who, ", ".join(_code(x.op) for x in ops))
            for group, ops in _by_demand(of_class[_NO_GAP])
        ),
        builtin="\n".join(
            _row(
                _code(each.op),
                ", ".join(each.builtin_ops) or "nothing",
                _code(each.call),
            )
            for each in of_class[BUILTIN]
        ),
        not_convertible=_reasons(of_class[NOT_CONVERTIBLE]),
    )
