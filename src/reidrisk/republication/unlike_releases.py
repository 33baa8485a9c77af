"""Unlike releases: what speaks against two tables being releases of the same people.

Refused: the same file twice, other columns, a column none of whose values meet, keys of which none
is in both. Said: values that don't meet, few people in common, and what looks like a wrong order.
How many values don't meet is said, never which.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.errors import InputError
from reidrisk.records import CodedTuples, Table
from reidrisk.republication.differences import Difference

# Values that don't meet are said where so many people hold one.
MANY_UNMET = 0.1
# Fewer people in common, of the smaller release, are hardly the same people.
FEW_IN_COMMON = 0.5
# So many times as many people removed as added: the order may be the wrong one.
WRONG_WAY = 10
SWAPPED_SHARE = 0.01
COMPARE = "nothing differs between a file and itself: name two releases"


class Unmet(NamedTuple):
    """Values of a column that two releases don't share: of each how many there are, how many only
    it has, and the share of its people who hold one of those.
    """

    column: str
    values: tuple[int, int]
    only: tuple[int, int]
    share: tuple[float, float]


def names_of_files(paths: Sequence[Path | None]) -> list[str]:
    """What each release is called: its file without the ending, its folder too where two have the
    same; by its number where it has no file.
    """
    for with_folder in (False, True):
        names = [
            f"release {place}" if path is None else _told(path, with_folder)
            for place, path in enumerate(paths, 1)
        ]
        if max(Counter(names).values()) == 1:
            return names
    return [f"{name} ({place})" for place, name in enumerate(names, 1)]


def _told(path: Path, with_folder: bool) -> str:
    stem = path.name.split(".")[0] or path.name
    return f"{path.parent.name}/{stem}" if with_folder else stem


def release_names(read: Sequence[Table]) -> list[str]:
    """Of tables."""
    return names_of_files([each.paths[0] if len(each.paths) == 1 else None for each in read])


def refuse_same_file(tables: Sequence[Any]) -> None:
    """The same path twice."""
    paths = [
        Path(each).resolve()
        for each in tables
        if isinstance(each, (str, os.PathLike)) and "://" not in os.fspath(each)
    ]
    if len(set(paths)) < len(paths):
        raise InputError("the same file is named twice", COMPARE)


def refuse_same_hashes(hashes: Sequence[str | None]) -> None:
    """Files that are the same byte by byte."""
    known = [each for each in hashes if each is not None]
    if len(set(known)) < len(known):
        raise InputError("two of the files are the same, byte by byte", COMPARE)


def refuse_other_columns(there: Sequence[str], last: Sequence[str], place: int) -> None:
    """Quasi-identifiers of the last release that an earlier one doesn't have."""
    lacking = [name for name in last if name not in there]
    common = [name for name in last if name in there]
    if not common:
        raise InputError(
            f"release {place} and the last have no quasi-identifier in common",
            "name columns that every release has: --columns a,b",
        )
    if lacking:
        raise InputError(
            f"release {place} doesn't have every quasi-identifier of the last: there is no "
            f"{', '.join(lacking)}",
            f"compare them by what both have: --columns {','.join(common)}",
        )


def refuse_other_views(read: Sequence[Table]) -> None:
    """Tables that were read by other columns, or otherwise recoded."""
    last = read[-1].engine.options
    for place, each in enumerate(read[:-1], 1):
        own = each.engine.options
        unlike = sorted({*own.columns} ^ {*last.columns})
        if unlike:
            raise InputError(
                f"release {place} and the last were read by different columns: only one of them "
                f"has {', '.join(unlike)}",
                "read every release with the same columns=",
            )
        if own.recoding != last.recoding or own.person != last.person:
            raise InputError(
                f"release {place} was read otherwise than the last: other bands, levels or persons",
                "read every release with the same options",
            )


def refuse_no_common_values(coded: Sequence[CodedTuples], names: Sequence[str]) -> None:
    """A column of which no value is in both releases: it is coded otherwise."""
    for name, each in zip(names, coded[:-1], strict=False):
        for unmet in unmet_values(each, coded[-1]):
            if unmet.only == unmet.values:
                raise InputError(
                    f"column {unmet.column!r}: no value is in both {name} "
                    f"({_values(unmet.values[0])}) and {names[-1]} ({_values(unmet.values[1])}): "
                    "they are coded differently",
                    f"bring them to one form (--bands {unmet.column}=5, --levels), or leave the "
                    "column out of --columns",
                )


def _values(number: int) -> str:
    return "1 value" if number == 1 else f"{number:,} values"


def refuse_other_persons(states: Ints, names: Sequence[str]) -> None:
    """Keys of persons of which none is in an earlier release and in the last."""
    for name, each in zip(names, states[:-1], strict=False):
        if not np.any((each >= 0) & (states[-1] >= 0)):
            raise InputError(
                f"no person of {names[-1]} is in {name}: they are releases of different people, "
                "or their keys were drawn anew",
                "without --person, releases are compared by counts",
            )


def unlike_warnings(
    people: Sequence[int], names: Sequence[str], coded: Sequence[CodedTuples], last: Difference
) -> tuple[str, ...]:
    """Sentences; none where nothing is odd."""
    said = [
        _unmet(unmet, (name, names[-1]))
        for name, each in zip(names, coded[:-1], strict=False)
        for unmet in unmet_values(each, coded[-1])
        if max(unmet.share) >= MANY_UNMET
    ]
    return (*said, *few_in_common(people, last), *wrong_order(people, last))


def _unmet(unmet: Unmet, names: tuple[str, str]) -> str:
    parts = [
        f"{only:,} of the {values:,} values in {name} ({100 * share:.1f} % of its people) don't "
        f"occur in {other}"
        for only, values, share, name, other in zip(
            unmet.only, unmet.values, unmet.share, names, names[::-1], strict=True
        )
        if only
    ]
    return (
        f"{unmet.column}: {', and '.join(parts)}. If the same values are written "
        "differently, these figures are too high."
    )


def few_in_common(people: Sequence[int], last: Difference) -> list[str]:
    """Say so where the releases can't be of nearly the same people."""
    smaller = min(people[-1], max(people[:-1]))
    if last.in_common >= FEW_IN_COMMON * smaller:
        return []
    most = "" if last.changed is not None else "at most "
    return [
        f"{most}{last.in_common:,} of {smaller:,} people are in both releases: are they about the "
        "same people?".capitalize()
    ]


def wrong_order(people: Sequence[int], last: Difference) -> list[str]:
    """Say so where nearly all of what differs was removed."""
    removed, added = last.removed.people, last.added.people
    if removed <= WRONG_WAY * added or removed < SWAPPED_SHARE * max(people[:-1]):
        return []
    return [
        f"The last release has {people[-1]:,} people and an earlier one {max(people[:-1]):,}: "
        f"{removed:,} were removed and {added:,} added. If the order is wrong, name the earliest "
        "first."
    ]


def unmet_values(one: CodedTuples, other: CodedTuples) -> list[Unmet]:
    """The columns in which some value of one release doesn't occur in the other."""
    found = []
    for place, name in enumerate(one.columns):
        held = [_held(each, place) for each in (one, other)]
        both = set(held[0]) & set(held[1])
        apart = [{value: n for value, n in each.items() if value not in both} for each in held]
        if any(apart):
            shares = [sum(a.values()) / sum(h.values()) for a, h in zip(apart, held, strict=True)]
            values, only = map(len, held), map(len, apart)
            found.append(Unmet(name, (*values,), (*only,), (shares[0], shares[1])))  # type: ignore[arg-type]
    return found


def _held(release: CodedTuples, place: int) -> dict[str | None, int]:
    """{value: people} of those that somebody holds."""
    texts = [*release.values[place].to_pylist(), None]
    people = release.held[place].tolist()
    return {text: n for text, n in zip(texts, people, strict=False) if n}
