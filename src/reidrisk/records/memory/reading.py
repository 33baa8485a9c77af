"""Reading: from a source to an engine that holds its records as codes; what is odd about values.

Texts that often mean that there is no value (?, NA, NULL, nan, -9) are noticed and named, never
changed: NA may be Namibia. All are from the list here, so naming them tells nothing of a record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import UnusableColumn
from reidrisk.machine import Progress, no_progress
from reidrisk.printable import shell_word
from reidrisk.records.files.source import Source
from reidrisk.records.memory.coding import (
    CodedColumn,
    Labelling,
    code_column,
    narrowest,
    summed,
    text_array,
)
from reidrisk.records.memory.engine import CodesEngine
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.recoding import Recoding, fitted
from reidrisk.records.roles import Faults, refuse_faults
from reidrisk.records.text_forms import number_of


def coded_records(
    source: Source, options: ReadOptions, progress: Progress = no_progress
) -> CodesEngine:
    """Read and code the quasi-identifiers and the columns that say what a row stands for."""
    names = options.needed
    unchanged = {*options.unit_columns, options.key} - {*options.counted}
    warnings: list[str] = []
    marks: dict[str, dict[str, int]] = {}

    def use(name: str, chunks: Iterable[pa.Array]) -> CodedColumn:
        empty = frozenset() if name in unchanged else options.empty
        column = code_column(name, chunks, Labelling(empty, source.decimal_comma))
        if name in options.counted:
            marks[name] = missing_marks(column)
        if name not in options.recoding:
            return column
        column, said = recoded(column, options.recoding[name])
        warnings.extend(said)
        return column

    columns = dict(zip(names, source.each_column(names, use, options.cores, progress), strict=True))
    coded = {name: columns[name] for name in options.counted}
    records = len(next(iter(coded.values())).codes)
    faults = {name: faults_of(coded[name]) for name in options.columns}
    refuse_faults(faults, options, records)
    warnings += _empty_rows([coded[name] for name in options.columns])
    if options.count:
        warnings += corrections_left_out(columns[options.count])
    return CodesEngine(
        coded=coded,
        options=options,
        records=records,
        count=_people(columns, options),
        person=persons_of(columns[options.person]) if options.person else None,
        key=columns[options.key] if options.key else None,
        weight=weights_of(columns[options.weight]) if options.weight else None,
        household=households_of(columns[options.household]) if options.household else None,
        warnings=(*value_warnings(options, faults, marks), *sorted(warnings)),
        threads=options.cores,
        progress=progress,
    )


def value_warnings(options: ReadOptions, faults: Faults, marks: Marks) -> list[str]:
    """What may mean missing, and coordinates that are seen in full."""
    said = marks_warnings({name: marks[name] for name in options.counted if name in marks})
    fine = [n for n, (*_, fractions) in faults.items() if fractions and n not in options.recoding]
    if fine:
        option = shell_word(",".join(f"{name}=2" for name in fine))
        said.append(
            f"Coordinates as recorded ({', '.join(fine)}) make nearly everyone stand out. To see "
            f"them rounded, to about a kilometre, add --decimals {option}."
        )
    return said


def _empty_rows(coded: Sequence[CodedColumn]) -> list[str]:
    """Say how many rows have no quasi-identifier at all: they may be no people."""
    if not all(column.has_missing for column in coded):
        return []
    empty = int(np.logical_and.reduce([column.gaps for column in coded]).sum())
    if not empty:
        return []
    rows = "1 row is" if empty == 1 else f"{empty:,} rows are"
    return [f"{rows} empty in every quasi-identifier, and counted as people all the same."]


def faults_of(column: CodedColumn) -> tuple[int, int, bool, bool]:
    """Values held, longest text, all are numbers, some have fractions."""
    measured = column.is_measurement()
    return len(column.values), max(map(len, column.texts()), default=0), measured, measured


def _people(columns: Mapping[str, CodedColumn], options: ReadOptions) -> Ints | None:
    if options.count is None:
        return None
    return people_per_row(columns[options.count], options.corrections)


def people_per_row(column: CodedColumn, corrections: bool = False) -> Ints:
    """The numbers of a --count column: whole, not negative, no gaps.

    With `corrections` a negative number counts nobody.
    """
    fault = _count_fault(column, corrections)
    if fault:
        raise UnusableColumn(
            f"--count {column.name}: {fault}",
            "it has to be a whole number of people, 0 or more, in every row",
        )
    people = np.array([int(Decimal(text)) for text in column.texts()], np.int64)
    return np.maximum(people, 0)[column.codes]


def corrections_left_out(column: CodedColumn) -> list[str]:
    """Say how many rows of a --count column are negative, and of how many people; or nothing."""
    numbers = [number_of(text) or 0.0 for text in column.texts()]
    held = [(int(n), rows) for n, rows in zip(numbers, column.held.tolist(), strict=False) if n < 0]
    if not held:
        return []
    rows, people = sum(rows for _, rows in held), -sum(n * rows for n, rows in held)
    verb = "row has" if rows == 1 else "rows have"
    return [
        f"{rows:,} {verb} a negative {column.name} ({people:,} people in all): corrections of an "
        "earlier release, left out."
    ]


def _count_fault(column: CodedColumn, corrections: bool) -> str:
    if column.has_missing:
        return f"{column.held[-1]:,} rows have no number"
    numbers = [number_of(text) for text in column.texts()]
    if any(number is None for number in numbers):
        return "some rows hold something that isn't a number"
    known = [number for number in numbers if number is not None]
    if any(number < 0 for number in known) and not corrections:
        return "some rows hold a negative number"
    if any(math.isinf(number) or not number.is_integer() for number in known):
        return "some rows hold a number with a fraction"
    people = sum(
        max(int(n), 0) * held for n, held in zip(known, column.held.tolist(), strict=False)
    )
    if people >= 2**62 or any(abs(number) >= 2**53 for number in known):
        return "the numbers are too large to be people"
    return "" if people else "no row stands for anybody"


def unclaimed_rows(name: str, rows: int) -> None:
    """Refuse a --person column with gaps."""
    if rows:
        raise UnusableColumn(
            f"--person {name}: {rows:,} rows don't say whose they are",
            "every row needs its person",
        )


def persons_of(column: CodedColumn) -> CodedColumn:
    """The column that says whose each row is; a row of nobody is refused."""
    unclaimed_rows(column.name, int(column.held[-1]))
    return column


def households_of(column: CodedColumn) -> CodedColumn:
    """The column that says who lives together; everybody lives somewhere."""
    if column.has_missing:
        raise UnusableColumn(
            f"--household {column.name}: {int(column.held[-1]):,} rows don't say with whom they "
            f"live",
            "every row needs its household",
        )
    return column


def weights_of(column: CodedColumn) -> Floats:
    """Each record's survey weight."""
    return _weights(column)[column.codes]


def total_weight(column: CodedColumn) -> float:
    """Σ weights: how many people a sample stands for."""
    return float(np.dot(column.held[:-1], _weights(column)))


def _weights(column: CodedColumn) -> Floats:
    """The weight that each value of the column is."""
    numbers = [number_of(text) for text in column.texts()]
    if column.has_missing or any(not number or not 0 < number < math.inf for number in numbers):
        raise UnusableColumn(
            f"--weight {column.name}: some rows have no positive number",
            "a survey weight is a positive number in every row",
        )
    return np.array(numbers, dtype=float)


def recoded(column: CodedColumn, how: Recoding) -> tuple[CodedColumn, list[str]]:
    """The column recoded, and sentences: how it was read, and which values can't be."""
    how, read_as = fitted(how, column.name, list(column.texts()))
    labels = [how.label(text) for text in column.texts()]
    odd = labels.count(None)
    if odd and odd == len(labels):
        raise UnusableColumn(
            f"no value of column {column.name!r} can be recoded ({how.describe()})",
            "that needs numbers, or for bands dates such as 1984-03-01 and a unit, as in 10y",
        )
    kept = [t if label is None else label for t, label in zip(column.texts(), labels, strict=True)]
    if odd:
        read_as.append(
            f"{column.name}: {odd:,} of its {len(labels):,} values can't be recoded "
            f"({how.describe()}) and stay as they are."
        )
    return _relabelled(column, kept), read_as


def _relabelled(column: CodedColumn, labels: Sequence[str]) -> CodedColumn:
    """The column under new labels, one for each value; equal labels become one value."""
    place_of: dict[str, int] = {}
    place = [place_of.setdefault(label, len(place_of)) for label in labels]
    missing = len(place_of)
    code_of = np.array([*place, missing], dtype=narrowest(missing))
    held = summed(code_of, missing + 1, column.held)
    return CodedColumn(column.name, code_of[column.codes], text_array(place_of), held)


TEXT_MARKS = frozenset(
    (
        *("?", "??", ".", "-", "--", "---", "\\N", "(null)", "<NA>", "NaN", "nan", "NAN", "NaT"),
        *("NA", "na", "N/A", "n/a", "#N/A", "N.A.", "n.a.", "NULL", "Null", "null", "#NULL!"),
        *("None", "Nil", "nil", "Missing", "missing", "MISSING"),
    )
)
# Codes for a missing number, where all other values are far from them: -9 among ages, 999 too.
_BELOW = ("-9", "-99", "-999", "-9999")
_ABOVE = ("999", "9999", "99999")
# How many times the largest other value a code such as 999 has to be.
_FAR = 2.0
_TWO_LETTERS = re.compile(r"[A-Z]{2}")

# Column → {text: rows that hold it}.
Marks = Mapping[str, Mapping[str, int]]


def missing_marks(column: CodedColumn) -> dict[str, int]:
    """Texts of a column that may mean missing, and how many rows hold each."""
    candidates = (TEXT_MARKS | {*_BELOW, *_ABOVE}).intersection(column.texts())
    if not candidates:
        return {}
    texts = list(column.texts())
    others = [text for text in texts if text not in candidates]
    if all(map(_TWO_LETTERS.fullmatch, others)) and others:
        # A column of two-letter codes: NA is one of them.
        candidates -= {"NA"}
    found = candidates & TEXT_MARKS
    numbers = [number_of(text) for text in others]
    if others and None not in numbers:
        known = [number for number in numbers if number is not None]
        found |= _number_codes(candidates - TEXT_MARKS, min(known), max(known))
    return {text: int(column.held[at]) for at, text in enumerate(texts) if text in found}


def _number_codes(candidates: frozenset[str], lowest: float, highest: float) -> frozenset[str]:
    """Those that lie apart from all other values, none of which is negative."""
    if lowest < 0:
        return frozenset()
    below = candidates.intersection(_BELOW)
    return below | {text for text in candidates - below if float(text) > _FAR * highest}


def marks_warnings(found: Marks) -> list[str]:
    """One sentence that names columns, texts and how often, with the option to copy; or none."""
    held = {name: marks for name, marks in found.items() if marks}
    if not held:
        return []
    columns_of: dict[tuple[str, ...], list[str]] = {}
    for name, marks in held.items():
        columns_of.setdefault(tuple(sorted(marks)), []).append(name)
    parts = []
    for texts, names in columns_of.items():
        times = sum(sum(held[name].values()) for name in names)
        shown = " or ".join(f"'{text}'" for text in texts)
        verb = "holds" if len(names) == 1 else "hold"
        parts.append(f"{_listed(names)} {verb} {shown} {_times(times)}")
    every = sorted({text for marks in held.values() for text in marks})
    option = shell_word(",".join(every))
    option = f"={option}" if every[0].startswith("-") else f" {option}"
    return [
        f"{'; '.join(parts)}: that may mean missing. To count it as an empty cell, in every "
        f"column, add --empty{option}."
    ]


def _listed(names: list[str]) -> str:
    if len(names) <= 3:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{names[0]} and {len(names) - 1} more columns"


def _times(times: int) -> str:
    return "once" if times == 1 else f"{times:,} times"
