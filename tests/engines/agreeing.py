"""Every question of the contract, asked of an engine and of the plain one: equal answers."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.records.contract import Engine
from tests.engines.tables import Drawn

# Names each record where records have no order; put beside the drawn columns.
KEY = "which row"


def people_per_size(crowds) -> dict[int, int]:
    held = zip(crowds.sizes.tolist(), (crowds.sizes * crowds.crowds).tolist(), strict=True)
    return {size: round(people) for size, people in held}


def check(drawn: Drawn, asked: Engine, data: st.DataObject) -> None:
    truth = drawn.truth
    assert people_per_size(asked.crowd_sizes()) == truth.people_per_size()
    some = data.draw(st.lists(st.sampled_from(drawn.names), min_size=1, unique=True))
    assert people_per_size(asked.crowd_sizes(some)) == truth.people_per_size(some)
    check_crowd_of_each(drawn, asked, some)
    coded = asked.coded_tuples(some)
    assert (coded.columns, coded.rows >= 1) == (tuple(some), True)
    assert all(c.max() < k for c, k in zip(coded.codes, coded.cardinalities, strict=True))
    if truth.missing == "own" and truth.person is None:
        assert coded.total == sum(truth.people_per_size(some).values())
        held: Counter[tuple[int, ...]] = Counter()
        people = np.ones(coded.rows, int) if coded.people is None else coded.people
        for row, number in zip(zip(*coded.codes, strict=True), people.tolist(), strict=True):
            held[row] += number
        sizes: Counter[int] = Counter()
        for size in held.values():
            sizes[size] += size
        assert {s: n for s, n in sizes.items() if s} == truth.people_per_size(some)
    for name in drawn.names:
        found = asked.marginal(name)
        counted = dict(zip(found.values, found.counts.tolist(), strict=True))
        if found.missing:
            counted[None] = found.missing
        assert counted == truth.marginal(name)
    # In any order, the same one twice, and both ways round.
    ways = list(permutations(drawn.names, 2))
    pairs = data.draw(st.lists(st.sampled_from(ways), max_size=9)) if ways else []
    wanted = truth.pair_tables(pairs)
    found_tables = list(asked.pair_tables(pairs))
    assert [each.of for each in found_tables] == pairs
    assert [each.counts for each in found_tables] == wanted
    assert [each.distinct for each in found_tables] == [len(cells) for cells in wanted]
    sizes = [rr.CrowdSizes.of(list(cells.values())) for cells in wanted]
    assert [each.crowd_sizes for each in found_tables] == sizes
    assert list(asked.pair_crowd_sizes(pairs)) == sizes
    assert coded.counts == truth.tuple_table(some)
    check_texts_of_each(drawn, asked, some)
    check_people(drawn, asked, some)
    row = data.draw(st.sampled_from(truth.rows(some) or [(None,) * len(some)]))
    person = dict(zip(some, row, strict=True)) | data.draw(st.sampled_from([{}, {some[0]: "¬"}]))
    assert asked.people_with(person) == truth.people_with(person)
    drawn_rows = asked.sample(5, seed=3).to_pylist()
    assert [tuple(row[n] for n in drawn.names) for row in drawn_rows] == truth.sample(5, 3)


def check_crowd_of_each(drawn: Drawn, asked: Engine, some: list[str]) -> None:
    """In the order of the records or persons; elsewhere by their key."""
    found = asked.crowd_of_each(some).read_all()
    names = [str(row) for row in range(1, len(drawn.truth.rows()) + 1)]
    if drawn.truth.person is not None:
        names = list(dict.fromkeys(drawn.truth.person))
    wanted = dict(zip(names, drawn.truth.crowd_of_each(some), strict=True))
    held = dict(zip(map(str, found.column(0).to_pylist()), found.column("crowd").to_pylist(),
                    strict=True))  # fmt: skip
    assert found.num_rows == len(wanted)
    assert held == wanted
    if not stays(asked):
        assert list(held) == list(wanted)


def check_people(drawn: Drawn, asked: Engine, some: list[str]) -> None:
    """People as multisets of rows, any columns of which are seen; and described by their values."""
    truth = drawn.truth
    if truth.missing == "own":
        coded = asked.coded_people(drawn.names)
        assert coded.total == sum(truth.people_per_size().values())
        places = [drawn.names.index(name) for name in some]
        assert people_per_size(coded.crowd_sizes(places)) == truth.people_per_size(some)
        assert people_per_size(coded.of(places).crowd_sizes(range(len(some)))) == (
            truth.people_per_size(some)
        )
    if truth.person is None:
        return
    told, described = truth.by_person(), asked.by_person()
    assert (described.people, described.records) == (asked.people, asked.people)
    for name in drawn.names:
        found = described.marginal(name)
        counted = dict(zip(found.values, found.counts.tolist(), strict=True))
        assert counted | ({None: found.missing} if found.missing else {}) == told.marginal(name)
        assert sorted(described.value_counts(name).tolist()) == sorted(told.marginal(name).values())
    pairs = list(combinations(drawn.names, 2))
    assert [each.counts for each in described.pair_tables(pairs)] == told.pair_tables(pairs)
    sizes = [rr.CrowdSizes.of(list(cells.values())) for cells in told.pair_tables(pairs)]
    assert list(described.pair_crowd_sizes(pairs)) == sizes
    assert described.coded_tuples(some).counts == told.tuple_table(some)


def check_texts_of_each(drawn: Drawn, asked: Engine, some: list[str]) -> None:
    if stays(asked):
        with pytest.raises(InputError, match="records stay where they are"):
            asked.texts_of_each(some)
        return
    texts = asked.texts_of_each(some).read_all()
    assert texts.column_names == some
    assert [tuple(row.values()) for row in texts.to_pylist()] == drawn.truth.rows(some)


def stays(asked: Engine) -> bool:
    """Whether the records stay elsewhere."""
    return asked.name not in ("embedded", "duckdb")
