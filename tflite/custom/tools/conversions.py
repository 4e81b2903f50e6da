"""What the converter makes of each op, as facts and as a page."""

import collections
import dataclasses
import json
from collections.abc import Collection
from collections.abc import Iterable

# The classes of a conversion.
BUILTIN = "built-in"
CUSTOM = "custom"
NOT_CONVERTIBLE = "not convertible"

# The custom ones by whether there is a kernel.
_HERE = "custom, and here"
_MISSING = "custom, and missing"

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

## Custom ops

{here} have a kernel here and run once it is registered; without one the interpreter says `Encountered unresolved custom op`.

| op | kernel | call | gives |
|---|---|---|---|
{custom}

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
            f'{{"version": {json.dumps(self.version)}, "conversions": [\n'
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
        return Scan(self.version, tuple(by_op[op] for op in sorted(by_op)))

    def counts(self, kernels: Collection[str]) -> dict[str, int]:
        """Returns how many of TensorFlow's ops are in each class, and in all.

        Two of them may become the same custom op.

        Args:
          kernels: names of the custom ops that have a kernel here.
        """
        counts = dict.fromkeys(
            [BUILTIN, _HERE, _MISSING, NOT_CONVERTIBLE, "all"], 0
        )
        for each in self.conversions:
            kind = each.kind
            if kind == CUSTOM:
                kind = _MISSING if each.missing(kernels) else _HERE
            counts[kind] += 1
            counts["all"] += 1
        return counts


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


def _kernel(conversion: Conversion, kernels: Collection[str]) -> str:
    missing = conversion.missing(kernels)
    if not missing:
        return "here"
    if missing == [conversion.op]:
        return "missing"
    return f"missing: {', '.join(missing)}"


def _of_kind(scan: Scan, kind: str) -> list[Conversion]:
    found = [each for each in scan.conversions if each.kind == kind]
    return sorted(found, key=lambda each: each.op)


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


def page(scan: Scan, kernels: Collection[str]) -> str:
    """Returns the Markdown page of a scan.

    Args:
      scan: the conversions.
      kernels: names of the custom ops that have a kernel here.
    """
    custom = _of_kind(scan, CUSTOM)
    builtin = _of_kind(scan, BUILTIN)
    failed = _of_kind(scan, NOT_CONVERTIBLE)
    counts = scan.counts(kernels)
    return _PAGE.format(
        version=scan.version,
        summary="\n".join(
            _row(name, str(count)) for name, count in counts.items()
        ),
        here=f"{counts[_HERE]} of {len(custom)}",
        custom="\n".join(
            _row(
                _code(each.op),
                _kernel(each, kernels),
                _code(each.call),
                _code(each.result),
            )
            for each in custom
        ),
        builtin="\n".join(
            _row(
                _code(each.op),
                ", ".join(each.builtin_ops) or "nothing",
                _code(each.call),
            )
            for each in builtin
        ),
        not_convertible=_reasons(failed),
    )
