"""Common codes: the same text has the same code in every release, so that combinations meet.

Each release was coded on its own; a column's codes become places in the list of all releases' texts
together. The empty cell stays the last code. Rows of all releases then lie one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.records import CodedTuples


class Stacked(NamedTuple):
    """The rows of all releases as one, and the release, from 0, that each row stands in."""

    tuples: CodedTuples
    release: NDArray[np.uint8]


class Unmet(NamedTuple):
    """Values of a column that two releases don't share: of each how many there are, how many only
    it has, and the share of its people who hold one of those.
    """

    column: str
    values: tuple[int, int]
    only: tuple[int, int]
    share: tuple[float, float]


def stacked(releases: Sequence[CodedTuples]) -> Stacked:
    """Rows one after the other, coded alike."""
    columns = [
        recoded_alike(
            [each.values[place] for each in releases], [each.codes[place] for each in releases]
        )
        for place in range(len(releases[0].columns))
    ]
    tuples = CodedTuples.of_codes(
        releases[0].columns,
        [np.concatenate(codes) for codes, _ in columns],
        [len(values) + 1 for _, values in columns],
        _people(releases),
        [values for _, values in columns],
    )
    rows = [each.rows for each in releases]
    return Stacked(tuples, np.repeat(np.arange(len(rows), dtype=np.uint8), rows))


def recoded_alike(
    values: Sequence[pa.Array], codes: Sequence[NDArray[np.integer]]
) -> tuple[list[NDArray[np.integer]], pa.Array]:
    """Each release's codes in terms of all their values, and these."""
    texts = [each.cast(pa.large_string()) for each in values]
    united = pa.concat_arrays(texts).dictionary_encode()
    places = united.indices.to_numpy(zero_copy_only=False)
    kind = np.min_scalar_type(len(united.dictionary))
    ends = np.cumsum([len(each) for each in texts])[:-1]
    code_of = (
        np.append(part, len(united.dictionary)).astype(kind) for part in np.split(places, ends)
    )
    found = [table[each] for table, each in zip(code_of, codes, strict=True)]
    return found, united.dictionary


def _people(releases: Sequence[CodedTuples]) -> Ints | None:
    if all(each.people is None for each in releases):
        return None
    parts = [
        np.ones(each.rows, dtype=np.int64) if each.people is None else each.people
        for each in releases
    ]
    return np.concatenate(parts)


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
