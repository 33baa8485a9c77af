"""What is in a table, in words.

What to try next, as options to copy.
"""

from __future__ import annotations

from dataclasses import replace

from reidrisk.measurement import ColumnProfile, ColumnsProfile, TableRisk
from reidrisk.printable import shell_word
from reidrisk.records import QUASI_IDENTIFIER, Table, number_of
from reidrisk.reports.words.blocks import Blocks, Characters, Grid
from reidrisk.reports.words.layout import agreed, number, share


def columns_blocks(profile: ColumnsProfile, command: str = "") -> Blocks:
    """One line a column, then the option to copy, behind the `command` it belongs to."""
    rows = tuple(
        (
            column.name,
            _distinct(column),
            number(column.empty) if column.empty else "–",
            column.kind,
            column.role + (f" ({column.why})" if column.why else ""),
        )
        for column in profile.columns
    )
    seen = profile.envelope.input
    heads = ("column", "distinct", "empty", "kind", "likely role")
    likely = sum(column.role == QUASI_IDENTIFIER for column in profile.columns)
    headline = (
        f"{agreed(likely, 'likely quasi-identifier', 'likely quasi-identifiers')} ({seen.named}: "
        f"{agreed(profile.rows, 'row', 'rows')}, {agreed(len(rows), 'column', 'columns')})"
    )
    parts = (
        Grid(heads, rows, (0, 3, 4)),
        [f"Detected: {note}." for note in seen.notes],
        _estimated(profile),
        Characters(f"  {_option(profile, command)}"),
    )
    unanswered = profile.unit.unanswered
    note = (f"{profile.unit.question} {profile.unit.answers}",) if unanswered else ()
    about = replace(profile.envelope, warnings=(*note, *profile.envelope.warnings))
    return Blocks(headline, about, parts)


def _estimated(profile: ColumnsProfile) -> list[str]:
    errors = [each.distinct_error for each in profile.columns if each.distinct_error is not None]
    if not errors:
        return []
    return [
        "Distinct values of long columns are estimated, not counted: 99 of 100 such figures are "
        f"off by less than {share(max(errors))}."
    ]


def _distinct(column: ColumnProfile) -> str:
    """No more digits than are known."""
    if not column.approximate:
        return number(column.distinct)
    digits = max(len(str(column.distinct)) - 2, 0)
    return f"about {number(round(column.distinct, -digits))}"


def _option(profile: ColumnsProfile, command: str) -> str:
    if not profile.columns_option:
        return "No column is likely a quasi-identifier; choose some with --columns."
    return f"To copy: {command}{profile.columns_option}"


MANY_VALUES = 20
TOO_MANY_VALUES = 100_000


def next_steps(risk: TableRisk, table: Table, wrote_risk_file: bool = False) -> list[str]:
    """Options to add to the command just run, each with what it answers."""
    steps = []
    coarser = _coarser_option(table) if risk.alone.people else ""
    if coarser:
        steps.append((coarser, "how much do coarser values help?"))
    if not wrote_risk_file:
        named = " --key COL" if table.stays else ""
        steps.append((f"--risk-file risk.parquet{named}", "each record's crowd and risk"))
    steps.append(("--fail-above overall_risk=0.05", "as a check in a pipeline"))
    width = max(len(option) for option, _ in steps)
    return [f"{option.ljust(width)}  {answers}" for option, answers in steps]


def _coarser_option(table: Table) -> str:
    """Bands for the number with most values, or fewer digits for the code with most."""
    held = {name: len(table.engine.value_counts(name)) for name in table.columns}
    # Values themselves are looked at only where they are few enough to be worth it.
    tried = [name for name in held if MANY_VALUES <= held[name] <= TOO_MANY_VALUES]
    for name in sorted(tried, key=lambda name: -held[name]):
        if name in table.engine.seeing.coarser or "," in name:
            continue
        values = table.engine.marginal(name).values
        numbers = [number_of(value) for value in values[:1000]]
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers):
            if _is_code(values):
                return f"--levels {shell_word(f'{name}={len(values[0]) // 2 or 1}')}"
            return f"--bands {shell_word(f'{name}={_width(max(known) - min(known))}')}"
    return ""


def _is_code(values: tuple[str, ...]) -> bool:
    """Codes are of one length and long, or begin with a zero: postcodes, not ages."""
    some = values[:1000]
    leading = any(text[0] == "0" and len(text) > 1 for text in some)
    return leading or (len({len(text) for text in some}) == 1 and len(some[0]) >= 4)


def _width(span: float) -> str:
    """A round width that makes about fifteen bands: 5 for ages."""
    width = 1.0
    while span / width > 40:
        for step in (2, 2.5, 2):
            width *= step
            if span / width <= 25:
                return f"{width:g}"
    return f"{max(width, 5):g}"
