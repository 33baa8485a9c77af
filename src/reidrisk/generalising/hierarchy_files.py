"""Hierarchies from files: a CSV for each attribute, or one TOML file of rules for several.

A CSV has a line for each value: the value, then its label at level 1, 2 …; a last column of `*`
may stand there or not. It belongs to the column its name ends in: `age.csv`,
`adult_hierarchy_age.csv.gz`. A TOML file has a table for each column (`hierarchy_rules`).
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from reidrisk.engines.sources.dialect import find_dialect
from reidrisk.engines.text_form import text_form
from reidrisk.errors import UnreadableInput
from reidrisk.generalising.hierarchy import HIDDEN, Hierarchy, UnusableHierarchy
from reidrisk.generalising.hierarchy_rules import hierarchies_by_rules
from reidrisk.statistics.matching import folded

Values = Mapping[str, Sequence[str]]


def load_hierarchies(
    place: Path, values: Values, there: Sequence[str] = ()
) -> dict[str, Hierarchy]:
    """The hierarchies in a folder, a CSV or a TOML file, for the columns with these values.

    `there` names all columns: those of a column that isn't looked at are left aside.
    """
    every = list(dict.fromkeys([*there, *values]))
    if not place.exists():
        raise UnreadableInput(f"there is no {place}")
    files = sorted(p for p in place.iterdir() if _is_hierarchy(p)) if place.is_dir() else [place]
    if not files:
        raise UnreadableInput(
            f"{place} holds no hierarchies", "files end in .csv, .csv.gz or .toml"
        )
    found: dict[str, Hierarchy] = {}
    for path in files:
        for each in _made(path, values, every):
            if each.name in found:
                raise UnusableHierarchy(f"two hierarchies are given for {each.name!r}")
            found[each.name] = each.checked(values[each.name])
    return found


def _made(path: Path, values: Values, every: Sequence[str]) -> list[Hierarchy]:
    if path.suffix == ".toml":
        return hierarchies_by_rules(path, values, every)
    name = column_of(path, every)
    return [_from_csv(path, name, values[name])] if name in values else []


def _is_hierarchy(path: Path) -> bool:
    return path.name.endswith((".csv", ".csv.gz", ".toml"))


def _from_csv(path: Path, name: str, values: Sequence[str]) -> Hierarchy:
    rows = _rows(path)
    if not rows and not values:
        # A column that is empty has nothing to be listed.
        return Hierarchy(name, ())
    width = max(map(len, rows), default=0)
    if width < 2:
        raise UnusableHierarchy(f"{path.name} has one column only: values need labels beside them")
    uneven = sum(1 for row in rows if len(row) != width)
    if uneven:
        raise UnusableHierarchy(f"{path.name}: {uneven:,} lines have fewer than {width} columns")
    levels: list[dict[str, str]] = [{} for _ in range(width - 1)]
    for line, row in enumerate(rows, start=1):
        value = text_form(row[0])
        if value is None:
            continue
        for level, label in zip(levels, row[1:], strict=True):
            # An empty label is one that is still to be filled in.
            if label.strip() and level.setdefault(value, label.strip()) != label.strip():
                raise UnusableHierarchy(
                    f"{path.name}: line {line:,} disagrees with one before it about the same value"
                )
    if levels and set(levels[-1].values()) == {HIDDEN}:
        levels.pop()
    return Hierarchy(name, tuple(levels))


def _rows(path: Path) -> list[list[str]]:
    try:
        held = path.read_bytes()
        held = gzip.decompress(held) if path.suffix == ".gz" else held
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UnreadableInput(f"{path} can't be read: it isn't a whole gzip file") from None
    except OSError as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    dialect = find_dialect(held, whole=True)
    text = held.decode(dialect.encoding, errors="replace")
    try:
        return [row for row in dialect.reader(io.StringIO(text, newline="")) if any(row)]
    except csv.Error:
        raise UnreadableInput(f"{path.name}: a quote is left open") from None


def column_of(path: Path, columns: Sequence[str]) -> str:
    """The column a file is named after, or its name ends in; the longest, where several fit."""
    stem = path.name.removesuffix(".gz").removesuffix(".csv")
    endings = _endings(stem)
    for name in columns:
        if file_stem(name) == stem:
            return name
    fitting = [name for name in columns if folded(name) in endings]
    if not fitting:
        listed = ", ".join(columns)
        raise UnusableHierarchy(
            f"{path.name} is a hierarchy for none of the columns", f"there are: {listed}"
        )
    return max(fitting, key=len)


def file_stem(column: str) -> str:
    """The name of a column's file; what no file's name may hold as in an address: a%2Fb for a/b."""
    marks = {"/": "%2F", "\\": "%5C", "\0": "%00", "%": "%25"}
    if not any(mark in column for mark in "/\\\0") and not column.startswith("."):
        return column
    written = "".join(marks.get(mark, mark) for mark in column)
    return f"%2E{written[1:]}" if written.startswith(".") else written


def _endings(stem: str) -> set[str]:
    """What it ends in, word by word: my_big_age in age, not in ge."""
    starts = [at for at in range(len(stem)) if at == 0 or not stem[at - 1].isalnum()]
    return {folded(stem[at:]) for at in starts}
