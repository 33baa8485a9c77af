"""Rows above the header that say what the table is: "Patients 2023", then the column names.

A record taken for a title would be lost, so a row is a title only where the rows tell it apart:
it fills one cell where all rows below fill several, and the row below it can be nothing but names.
"""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.engines.text_form import number_of
from reidrisk.engines.written_dates import NO_ORDER, written_year

MOST_TITLES = 5
# Rows that have to agree that the names are further down.
FEWEST_ROWS = 2
Rows = Sequence[Sequence[str]]


def title_rows(rows: Rows, said_by_spaces: bool = False) -> int:
    """How many of the first rows are a title; none where it isn't certain.

    `said_by_spaces`: the mark between cells also stands in sentences, as a comma does.
    """
    if not rows or not _is_title(rows[0]):
        return 0
    last = min(MOST_TITLES, len(rows) - FEWEST_ROWS - 1)
    for titles in range(1, last + 1):
        header, records = rows[titles], rows[titles + 1 :]
        if _are_names(header, records):
            return titles if _certain(rows[:titles], header, records, said_by_spaces) else 0
        if any(cell.strip() for cell in header) and not _is_title(header):
            return 0
    return 0


def title_said(titles: int, names: Sequence[str]) -> str:
    """What was skipped, for people."""
    lines = "1 line above the column names is" if titles == 1 else f"{titles} lines above are"
    listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{lines} taken for a title and skipped; the columns are {listed}."


def _certain(title: Rows, header: Sequence[str], records: Rows, said_by_spaces: bool) -> bool:
    width = len(header)
    if not all(len(row) in (1, width) for row in title):
        return False
    if not all(len(row) == width for row in records[:-1]):
        return False
    padded = all(len(row) == width for row in title)
    if not padded and said_by_spaces and any(cell.startswith(" ") for cell in header):
        return False
    certain = width > 2 and (padded or not said_by_spaces)
    return certain or _some_column_of_numbers(records, width)


def _is_title(row: Sequence[str]) -> bool:
    """One cell with words in it, and nothing beside it; no number or date, which a record has."""
    filled = [cell.strip() for cell in row if cell.strip()]
    return len(filled) == 1 and bool(row[0].strip()) and not _is_value(filled[0])


def _are_names(header: Sequence[str], records: Rows) -> bool:
    """Every cell is filled, none a number or a date, all differ, none recurs in its column."""
    names = [cell.strip() for cell in header]
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        return False
    if any(map(_is_value, names)):
        return False
    return not any(
        name == cell.strip() for row in records for name, cell in zip(names, row, strict=False)
    )


def _some_column_of_numbers(records: Rows, width: int) -> bool:
    columns = [[row[at].strip() for row in records if len(row) > at] for at in range(width)]
    return any(
        any(column) and all(_is_value(cell) for cell in column if cell) for column in columns
    )


def _is_value(cell: str) -> bool:
    return number_of(cell) is not None or written_year(cell, NO_ORDER) is not None
