"""What is in a table, in words."""

from __future__ import annotations

from collections.abc import Callable

from reidrisk.measuring.columns_profile import ColumnProfile, ColumnsProfile
from reidrisk.reporting.answer_form import plainly
from reidrisk.reporting.layout import paragraph, table
from reidrisk.reporting.wording import number, share


def columns_text(
    profile: ColumnsProfile, strong: Callable[[str], str] = plainly, command: str = ""
) -> str:
    """One line a column, then the option to copy, behind the `command` it belongs to."""
    rows = [
        (
            column.name,
            _distinct(column),
            number(column.empty) if column.empty else "–",
            column.kind,
            column.role + (f" ({column.why})" if column.why else ""),
        )
        for column in profile.columns
    ]
    seen = profile.envelope.input
    heads = ("column", "distinct", "empty", "kind", "likely role")
    parts = [
        strong(f"{seen.named}: {number(profile.rows)} rows, {len(rows)} columns"),
        table(heads, rows, left=(0, 3, 4)),
    ]
    if seen.notes:
        parts.append("\n".join(paragraph(f"Found out: {note}.", "  ") for note in seen.notes))
    if profile.unit.unanswered:
        parts.append(paragraph(f"Note: {profile.unit.question} {profile.unit.answers}", "  "))
    for warning in profile.envelope.warnings:
        parts.append(paragraph(f"Note: {warning}", "  "))
    errors = [each.distinct_error for each in profile.columns if each.distinct_error is not None]
    if errors:
        said = (
            f"Distinct values of long columns are estimated, not counted: 99 of 100 such figures "
            f"are off by less than {share(max(errors))}."
        )
        parts.append(paragraph(said, "  "))
    parts.append(_option(profile, command))
    return "\n\n".join(parts)


def _distinct(column: ColumnProfile) -> str:
    """No more digits than are known."""
    if not column.approximate:
        return number(column.distinct)
    digits = max(len(str(column.distinct)) - 2, 0)
    return f"about {number(round(column.distinct, -digits))}"


def _option(profile: ColumnsProfile, command: str) -> str:
    if not profile.columns_option:
        return "  No column is likely a quasi-identifier; choose some with --columns."
    return f"  To copy: {command}{profile.columns_option}"
