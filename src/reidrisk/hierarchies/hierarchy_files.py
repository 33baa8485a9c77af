"""The hierarchies of a table's columns: those given, and proposed ones for the others.

Hierarchies from files: a CSV for each attribute, or one TOML file of rules for several.

A CSV has a line for each value: the value, then its label at level 1, 2 …; a last column of `*`
may stand there or not. It belongs to the column its name ends in: `age.csv`,
`adult_hierarchy_age.csv.gz`. A TOML file has a table for each column (`hierarchy`).
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.hierarchies.hierarchy import (
    HIDDEN,
    Hierarchy,
    HoleInHierarchy,
    UnusableHierarchy,
    hierarchies_by_rules,
)
from reidrisk.hierarchies.proposed_hierarchies import code_system, proposed
from reidrisk.output_files import refuse_unwritable, whole_file
from reidrisk.printable import shell_word
from reidrisk.records import find_dialect, text_form
from reidrisk.statistics import normalised

Values = Mapping[str, Sequence[str]]


def load_hierarchies(
    place: Path, values: Values, there: Sequence[str] = ()
) -> dict[str, Hierarchy]:
    """The hierarchies in a folder, a CSV or a TOML file, for the columns with these values.

    `there` names all columns: those of a column that isn't a quasi-identifier are left aside.
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
    fitting = [name for name in columns if normalised(name) in endings]
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
    return {normalised(stem[at:]) for at in starts}


Given = Mapping[str, Hierarchy] | str | os.PathLike[str] | None


def hierarchies_of(
    given: Given, values: Mapping[str, Sequence[str]], there: Sequence[str]
) -> tuple[dict[str, Hierarchy], list[str]]:
    """A hierarchy for each column with these values, and sentences that say where from.

    `there` are all columns of the table: one that isn't a quasi-identifier needs no hierarchy.
    """
    found = dict(given_hierarchies(given, values, there))
    missing = [name for name in values if name not in found]
    found |= {name: proposed(name, values[name]) for name in missing}
    return {name: found[name] for name in values}, _said(missing, found, values)


def given_hierarchies(
    given: Given, values: Mapping[str, Sequence[str]], there: Sequence[str]
) -> Mapping[str, Hierarchy]:
    """Those of the columns with these values that somebody gave."""
    if given is None:
        return {}
    if isinstance(given, (str, os.PathLike)):
        return load_hierarchies(Path(given), values, there)
    for name in given:
        if name not in there:
            raise UnusableHierarchy(
                f"there is a hierarchy for {name!r}, which is no column",
                f"there are: {', '.join(there)}",
            )
    return {name: given[name].checked(values[name]) for name in given if name in values}


def _said(
    missing: Sequence[str], found: Mapping[str, Hierarchy], values: Mapping[str, Sequence[str]]
) -> list[str]:
    if not missing:
        return []
    shown = [name for name in missing if found[name].height > 1]
    hidden = [name for name in missing if found[name].height == 1]
    said = []
    if shown:
        said.append(f"The hierarchies of {', '.join(shown)} are proposed from their values.")
    systems = {name: code_system(name, values[name]) for name in shown}
    said += [
        f"{name} is seen by the first characters of its codes ({system.called}). If it holds "
        "others, give its hierarchy."
        for name, system in systems.items()
        if system is not None
    ]
    if hidden:
        said.append(f"No hierarchy is known for {', '.join(hidden)}: shown as recorded, or hidden.")
    return said


def write_hierarchies(
    hierarchies: Mapping[str, Hierarchy],
    values: Mapping[str, Sequence[str]],
    folder: str | os.PathLike[str],
    private: bool = False,
) -> list[Path]:
    """Write a CSV for each column, a line a value, to be edited and given back."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place} can't be made: {error.strerror}") from None
    written = []
    for name in hierarchies:
        refuse_unwritable(place / f"{file_stem(name)}.csv")
    for name, hierarchy in hierarchies.items():
        path = place / f"{file_stem(name)}.csv"
        with (
            whole_file(path, private=private) as beside,
            beside.open("w", encoding="utf-8", newline="") as file,
        ):
            csv.writer(file, quoting=_quoting(values[name])).writerows(
                [*_line(hierarchy, value), HIDDEN] for value in values[name]
            )
        written.append(path)
    return written


def _line(hierarchy: Hierarchy, value: str) -> list[str]:
    """A value and its labels, empty where there is none."""
    return [value, *(level.get(value, "") for level in hierarchy.levels)]


def write_hole(hole: HoleInHierarchy, folder: str | os.PathLike[str]) -> UnusableHierarchy:
    """Write the hierarchy with its hole, what is to be filled in first; and the error to end with.

    The file names values of records, so nobody else may read it.
    """
    name, levels = hole.hierarchy.name, hole.hierarchy.levels
    every = dict.fromkeys([*hole.values, *(value for level in levels for value in level)])
    open_first = sorted(every, key=lambda value: all(value in level for level in levels))
    (path,) = write_hierarchies({name: hole.hierarchy}, {name: open_first}, folder, private=True)
    return UnusableHierarchy(
        hole.message,
        f"{path} begins with the values that have none: fill in their labels, and give the folder "
        f"by --hierarchies {shell_word(str(folder))}",
    )


def _quoting(values: Sequence[str]) -> Literal[0, 1]:
    """All in quotes where a value holds what might be taken for what parts columns."""
    odd = any(mark in value for value in values for mark in ";|\t'\"")
    return csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
