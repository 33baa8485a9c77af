"""The hierarchies of a table's columns: those given, and proposed ones for the others."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from reidrisk.errors import InputError
from reidrisk.generalising.code_systems import code_system
from reidrisk.generalising.hierarchy import (
    HIDDEN,
    Hierarchy,
    HoleInHierarchy,
    UnusableHierarchy,
)
from reidrisk.generalising.hierarchy_files import file_stem, load_hierarchies
from reidrisk.generalising.proposing import proposed
from reidrisk.printable import shell_word
from reidrisk.writing import refuse_unwritable, whole_file

Given = Mapping[str, Hierarchy] | str | os.PathLike[str] | None


def hierarchies_of(
    given: Given, values: Mapping[str, Sequence[str]], there: Sequence[str]
) -> tuple[dict[str, Hierarchy], list[str]]:
    """A hierarchy for each column with these values, and sentences that say where from.

    `there` are all columns of the table: a hierarchy for one that isn't looked at is left aside.
    """
    found = dict(_given(given, values, there))
    missing = [name for name in values if name not in found]
    found |= {name: proposed(name, values[name]) for name in missing}
    return {name: found[name] for name in values}, _said(missing, found, values)


def _given(
    given: Given, values: Mapping[str, Sequence[str]], there: Sequence[str]
) -> Mapping[str, Hierarchy]:
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
