"""Triple tables in the statistics file, in every way they can be wrong, and as complete counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.statistics import completed
from reidrisk.statistics.consistency import InconsistentStatistics, disagreements, merged
from reidrisk.statistics.recoded import coarser
from reidrisk.statistics.statistics import Statistics, Suppressed, TripleCounts
from reidrisk.statistics.statistics_file import load_statistics, save_statistics
from reidrisk.statistics.triple_cells import Pairs, expected_cells, possible_cells


def held(n: int = 300, seed: int = 0) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 30, n), rng.integers(0, 2, n)
    # No value is ruled out by others, so that tables read back one by one go together.
    town = (age // 3 + sex + rng.integers(0, 2, n) + 2 * (rng.random(n) < 0.5)) % 5
    work = rng.integers(0, 3, n)
    columns = {"age": age, "sex": sex, "town": town, "work": work}
    return {name: [str(code) for code in column.tolist()] for name, column in columns.items()}


def table(n: int = 300, seed: int = 0) -> rr.Table:
    found = held(n, seed)
    return rr.read(found, list(found), rows_are_people=True)


def statistics() -> Statistics:
    return rr.publish(table(), triples=True, unprotected=True)


def good() -> dict[str, Any]:
    return {
        "format": "reidrisk-statistics/2",
        "records": 10,
        "attributes": [
            {"name": "sex", "counts": {"f": 6, "m": 4}},
            {"name": "age", "counts": {"17": 3, "18": 5}, "missing": 2},
            {"name": "town", "counts": {"A": 7, "B": 3}},
        ],
        "pairs": [{"of": ["sex", "age"], "counts": [["f", "17", 2], ["m", None, 1]]}],
        "triples": [
            {"of": ["sex", "age", "town"], "counts": [["f", "17", "A", 2], ["m", None, "B", 1]]}
        ],
    }


def changed(place: list[Any], value: Any) -> dict[str, Any]:
    content: Any = good()
    *steps, last = place
    at = content
    for step in steps:
        at = at[step]
    at[last] = value
    return content


CELL = ["triples", 0, "counts", 0]
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "more than the attribute": (changed([*CELL, 3], 4), "add up to 4, more than the 3 people"),
    "more than the pair": (changed([*CELL, 3], 3), "'sex' and 'age', first: 3 people, more than 2"),
    "unknown value": (changed([*CELL, 2], "C"), "'town' has no value 'C'"),
    "unknown attribute": (changed(["triples", 0, "of"], ["sex", "age", "size"]), "no attribute"),
    "itself": (changed(["triples", 0, "of"], ["sex", "age", "sex"]), "can't be beside itself"),
    "two attributes": (changed(["triples", 0, "of"], ["sex", "age"]), "triples.0.of"),
    "negative": (changed([*CELL, 3], -1), "a count is a whole number from 0"),
    "fraction": (changed([*CELL, 3], 1.5), "a count is a whole number from 0"),
    "true": (changed([*CELL, 3], True), "not true or false"),
    "a text": (changed([*CELL, 3], "many"), "a count is a whole number from 0"),
    "enormous": (changed([*CELL, 3], 10**16), "the largest allowed"),
    "short": (changed(CELL, None), "triples.0.counts"),
    "three fields": (changed(["triples", 0, "counts", 0], ["f", "17", 2]), "triples.0.counts"),
    "cell twice": (changed(["triples", 0, "counts", 1], ["f", "17", "A", 1]), "1 cells twice"),
    "table twice": (
        changed(["triples"], [*good()["triples"], {"of": ["town", "sex", "age"], "counts": []}]),
        "listed 2 times",
    ),
    "strange key": (changed(["triples", 0, "colour"], "red"), "colour"),
    "no list": (changed(["triples"], {"of": []}), "triples"),
    "an earlier format": (changed(["format"], "reidrisk-statistics/1"), "no three-way tables"),
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "statistics.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_named(tmp_path: Path, fault: str) -> None:
    content, words = FAULTS[fault]
    with pytest.raises(InputError) as told:
        load_statistics(written(tmp_path, content))
    assert words in told.value.message


def test_a_file_without_faults_is_read(tmp_path: Path) -> None:
    read = load_statistics(written(tmp_path, good()))
    assert read.triples == (
        TripleCounts(("sex", "age", "town"), {("f", "17", "A"): 2, ("m", None, "B"): 1}),
    )
    save_statistics(read, tmp_path / "again.json")
    assert load_statistics(tmp_path / "again.json") == read
    assert rr.predict(read).envelope.model == "triples"


def test_a_whole_table_lacks_nobody(tmp_path: Path) -> None:
    made = statistics()
    assert disagreements(made) == []
    first = made.triples[0]
    values, count = next(iter(first.counts.items()))
    other = next(each for each in first.counts if each != values and each[0] == values[0])
    moved = dict(first.counts) | {values: count - 1, other: first.counts[other] + 1}
    wrong = replace(made, triples=(TripleCounts(first.of, moved), *made.triples[1:]))
    assert any("than" in sentence for sentence in disagreements(wrong))


@given(st.permutations(range(3)))
@settings(deadline=None)
def test_turned_and_summed(order: list[int]) -> None:
    triple = statistics().triples[0]
    names = [triple.of[at] for at in order]
    turned = triple.turned(names)
    assert turned.of == tuple(names)
    assert turned.known == triple.known == 300
    assert turned.turned(triple.of) == triple
    assert turned.sums((0,)) == triple.sums((order[0],))


def test_two_files_are_put_together() -> None:
    made = statistics()
    parts = [replace(made, triples=(triple,)) for triple in made.triples]
    assert merged(parts) == made
    first = made.triples[0]
    values = next(iter(first.counts))
    turned = first.turned(first.of[::-1])
    other = replace(made, triples=(TripleCounts(turned.of, {values[::-1]: 299}),))
    with pytest.raises(InconsistentStatistics, match="three-way table"):
        merged([made, other])


def test_triples_are_seen_coarser() -> None:
    made = rr.publish(table(), triples=True, unprotected=True)
    seen = coarser(made, {"age": "5"}, {})
    assert disagreements(seen) == []
    assert {value for triple in seen.triples if "age" in triple.of
            for value in (v[triple.of.index("age")] for v in triple.counts)} == {
        "20-24", "25-29",
    }  # fmt: skip
    rounded = rr.publish(table(2000), triples=True)
    known = completed(coarser(rounded, {"age": "5"}, {}))
    exact = completed(rounded)
    for of, cells in known.knowledge.triples.items():
        assert cells.people.sum() == pytest.approx(known.records, rel=1e-6)
        assert of in exact.knowledge.triples


def test_complete_counts_are_those_of_the_records() -> None:
    made, records = statistics(), held()
    known = completed(made, ["town", "age", "sex", "work"])
    for (i, j, k), cells in known.knowledge.triples.items():
        columns = [[known.attributes[at].place[value] for value in records[known.names[at]]]
                   for at in (i, j, k)]  # fmt: skip
        true: dict[tuple[int, ...], int] = {}
        for row in zip(*columns, strict=True):
            true[row] = true.get(row, 0) + 1
        assert {
            tuple(row): n for row, n in zip(cells.codes.tolist(), cells.people, strict=True)
        } == true


def test_cells_that_are_hidden_are_as_the_pairs_have_it() -> None:
    made = statistics()
    first = made.triples[0]
    small = {
        values: Suppressed(5) if count < 5 else count for values, count in first.counts.items()
    }
    assert any(isinstance(count, Suppressed) for count in small.values())
    partial = replace(made, triples=(TripleCounts(first.of, small),))
    known = completed(partial)
    ((of, cells),) = known.knowledge.triples.items()
    exact = completed(made).knowledge.triples[of]
    assert cells.people.sum() == pytest.approx(300, abs=3)
    large = exact.people >= 5
    assert cells.at(exact.codes[large].T) == pytest.approx(exact.people[large])
    assert (cells.at(exact.codes[~large].T) <= 4).all()
    assert any("aren't published" in str(each) for each in known.assumptions)


def test_expected_cells_have_the_pairs_and_no_interaction_of_three() -> None:
    rng = np.random.default_rng(3)
    dense = rng.integers(1, 9, (3, 2, 4)).astype(float)
    pairs = Pairs(dense.sum(axis=2), dense.sum(axis=1), dense.sum(axis=0))
    codes = possible_cells(pairs, np.empty((0, 3), dtype=np.int64))
    assert codes is not None
    assert codes.tolist() == [list(at) for at in product(range(3), range(2), range(4))]
    found = expected_cells(pairs, codes).reshape(3, 2, 4)
    for axis, wanted in zip((2, 1, 0), pairs, strict=True):
        assert found.sum(axis=axis) == pytest.approx(wanted, abs=1e-3)
    three = np.diff(np.diff(np.diff(np.log(found), axis=0), axis=1), axis=2)
    assert np.abs(three).max() < 1e-3
    assert possible_cells(pairs, codes, most=5) is None


@pytest.mark.parametrize("seed", range(2))
def test_rounded_triples_are_read_back_closer_than_they_were_published(seed: int) -> None:
    records = table(4000, seed)
    tables = CountedTables.of(records).with_triples(records, [("age", "sex", "town")])
    true = tables.triples[0, 1, 2]
    made = RoundedCounts(tables, bytes([seed]) * 32, 5).statistics()
    known = completed(made, ["age", "sex", "town", "work"])
    cells = known.knowledge.triples[0, 1, 2]
    assert cells.people.sum() == pytest.approx(known.records, rel=1e-6)
    for one, other in combinations(range(3), 2):
        assert cells.pair(one, other) == pytest.approx(known.knowledge.pairs[one, other], abs=0.1)
    published = made.triples[0].counts
    names = [known.attributes[at].values for at in range(3)]
    listed = np.array([published.get(tuple(values[code] for values, code in
                                           zip(names, row, strict=True)), 0)
                       for row in true.codes.tolist()])  # fmt: skip
    off, as_published = (np.abs(each - true.people).mean() for each in
                         (cells.at(true.codes.T), listed))  # fmt: skip
    assert off < as_published
    drawn = completed(made, None, np.random.default_rng(0)).knowledge.triples[0, 1, 2]
    assert drawn.people.sum() == pytest.approx(known.records, rel=0.1)


def test_the_check_command_knows_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from reidrisk.cli.main import reidrisk as group

    def call(*arguments: object) -> str:
        capfd.readouterr()
        group.main([str(each) for each in arguments], standalone_mode=False)
        return capfd.readouterr().out

    calling: Callable[..., str] = call
    save_statistics(statistics(), tmp_path / "s.json")
    assert "2 three-way tables" in calling("check", tmp_path / "s.json")
    found = json.loads(calling("check", tmp_path / "s.json", "--json"))
    assert found["triples"] == [list(each.of) for each in statistics().triples]


def test_a_pair_table_that_only_a_triple_implies_is_used() -> None:
    made = statistics()
    alone = replace(made, pairs=(), triples=made.triples[:1])
    assert rr.predict(alone, columns=made.triples[0].of).crowd_sizes.overall_risk == pytest.approx(
        rr.measure(held(), columns=list(made.triples[0].of), rows_are_people=True).overall_risk,
        abs=0.03,
    )
