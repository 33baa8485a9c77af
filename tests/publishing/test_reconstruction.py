"""Reconstruction: shares counted the slow way, and what is about the people where it is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.publishing import Reconstruction, Wish, expected_reconstruction, published
from reidrisk.publishing import reconstruction as reconstructed
from reidrisk.publishing.published_information import information, informative_pairs
from reidrisk.publishing.reconstruction import NOWHERE, FileLaw, overlap
from reidrisk.statistics import Attribute, Other, PairCounts, Statistics

UNPROTECTED = Wish(unprotected=True)
WISHES = [Wish(), UNPROTECTED, Wish(exact=True), Wish(epsilon=2.0)]
NAMES = ["default", "unprotected", "exact", "epsilon"]


def table(columns: dict[str, Any], **options: Any) -> rr.Table:
    held = {name: [str(value) for value in values] for name, values in columns.items()}
    chosen = options.pop("quasi", list(held))
    return rr.read(held, columns=chosen, **options)


def independent(people: int, seed: int = 0) -> rr.Table:
    """Three columns that say nothing of each other."""
    rng = np.random.default_rng(seed)
    return table({name: rng.integers(0, 4, people) for name in "abc"}, rows_are_people=True)


def nearly_an_id(people: int = 3000, seed: int = 0) -> rr.Table:
    """Two columns of 200 values each: nearly everybody alone has both of theirs, by chance."""
    rng = np.random.default_rng(seed)
    return table({name: rng.integers(0, 200, people) for name in "ab"}, rows_are_people=True)


def shares(found: Reconstruction) -> tuple[float, float]:
    assert found.own is not None
    assert found.other is not None
    return found.own, found.other


rows_of_two = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=30)


@given(rows_of_two, st.randoms(use_true_random=False))
def test_the_overlap_is_the_sum_of_the_smaller_counts(rows: list[Any], random: Any) -> None:
    other = [random.choice(rows) for _ in rows]
    both = Counter(rows) & Counter(other)
    by_hand = sum(count for row, count in both.items() if NOWHERE not in row) / len(rows)
    one, two = (np.array(each, dtype=np.int32) for each in (rows, other))
    assert overlap(one, two) == pytest.approx(by_hand)
    assert overlap(two, one) == pytest.approx(by_hand)


def test_a_table_overlaps_with_itself_but_for_values_that_are_not_named() -> None:
    rows = np.array([[0, 1], [0, 1], [2, 2], [NOWHERE, 2]], dtype=np.int32)
    assert overlap(rows, rows[::-1]) == 0.75
    assert overlap(rows, np.full_like(rows, NOWHERE)) == 0.0


def test_combinations_of_many_columns_are_told_apart() -> None:
    """More combinations than 63 bits have numbers."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 50, (400, 15)).astype(np.int32)
    changed = rows.copy()
    changed[:100, 14] = 50
    assert overlap(rows, changed) == 0.75


@pytest.mark.parametrize("wish", WISHES, ids=NAMES)
def test_where_nothing_depends_nothing_is_about_the_people(wish: Wish) -> None:
    """64 combinations of 300 people in each half, one law for both: twice about the same share.

    Not quite: how a half deviates from the law is in its file, in three tables of 16 cells.
    """
    own, other = shares(reconstructed(independent(40_000), wish))
    assert 0.94 < other < 1.0
    assert abs(own - other) < 0.025
    alone = replace(wish, pairs="none")
    own, other = shares(reconstructed(independent(40_000), alone))
    assert abs(own - other) < 0.012


def test_exact_counts_of_an_identifier_give_its_people_away() -> None:
    """One table, all of it published: every record is reproduced, of others hardly any."""
    own, other = shares(reconstructed(nearly_an_id(), UNPROTECTED))
    assert own == 1.0
    assert other < 0.1


def test_protections_leave_little_of_it() -> None:
    for wish in (Wish(), Wish(exact=True)):
        own, other = shares(reconstructed(nearly_an_id(), wish))
        assert own < 0.45
        assert own - other < 0.4
    exact = reconstructed(nearly_an_id(), UNPROTECTED).about_the_people
    rounded = reconstructed(nearly_an_id(), Wish()).about_the_people
    assert exact is not None
    assert rounded is not None
    assert rounded < exact / 2


@pytest.mark.parametrize("wish", WISHES, ids=NAMES)
@pytest.mark.parametrize("people", [60, 301, 1200])
def test_shares_lie_between_none_and_all(wish: Wish, people: int) -> None:
    found = reconstructed(independent(people), wish)
    if found.own is None:
        assert found.limits
        assert found.about_the_people is None
        return
    own, other = shares(found)
    assert 0.0 <= other <= 1.0
    assert 0.0 <= own <= 1.0
    assert found.people == people // 2
    assert found.about_the_people == own - other


def test_a_seed_gives_the_same_figures_again() -> None:
    people = independent(900)
    for wish in (Wish(), UNPROTECTED, Wish(exact=True)):
        first = reconstructed(people, wish, seed=3)
        assert first == reconstructed(people, wish, seed=3)
        assert shares(first) != shares(reconstructed(people, wish, seed=4))
    noisy = reconstructed(people, Wish(epsilon=5.0), seed=3)
    assert any("whatever the seed" in sentence for sentence in noisy.limits)


def test_people_of_several_rows_are_people() -> None:
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(800), 2)
    columns = {
        "who": person,
        "a": rng.integers(0, 4, 1600),
        "b": np.repeat(rng.integers(0, 3, 800), 2),
    }
    found = reconstructed(table(columns, quasi=["a", "b"], person="who"), UNPROTECTED)
    assert found.people == 400
    own, other = shares(found)
    assert other < own <= 1.0


def test_rows_that_stand_for_several_are_so_many_people() -> None:
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 5, 3000) for _ in range(2))
    kinds, count = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    counted = table(
        {"a": kinds[0], "b": kinds[1], "people": count}, quasi=["a", "b"], count="people"
    )
    found = reconstructed(counted, UNPROTECTED)
    assert found.people == 1500
    own, other = shares(found)
    assert own == 1.0
    # Two halves of 25 combinations of 60 people each differ by a few in each.
    assert 0.85 < other < 0.97


def test_values_that_are_not_named_are_not_reproduced() -> None:
    """Half of the people have a value of one or two people, which rounding doesn't name."""
    rng = np.random.default_rng(6)
    job = np.where(np.arange(4000) % 2 == 0, 0, 1 + np.arange(4000) // 2)
    people = table({"job": job, "sex": rng.integers(0, 2, 4000)}, rows_are_people=True)
    own, other = shares(reconstructed(people, Wish()))
    assert 0.4 < other < 0.53
    assert 0.4 < own < 0.53


def test_a_column_of_which_no_value_is_named_is_left_out() -> None:
    rng = np.random.default_rng(7)
    columns = {
        "number": np.arange(2000),
        "a": rng.integers(0, 3, 2000),
        "b": rng.integers(0, 3, 2000),
    }
    found = reconstructed(table(columns, rows_are_people=True), Wish())
    own, other = shares(found)
    assert own > 0.9
    assert other > 0.9
    assert "Left out, as no value is named: number." in found.limits


def test_values_have_to_follow_from_others_as_the_file_says() -> None:
    """A few people of the other half alone live in another county than their postcode's."""
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 10, 2000)
    right = table({"code": codes, "county": codes // 5, "a": rng.integers(0, 2, 2000)})
    statistics = published(right, UNPROTECTED).statistics
    rounded = published(right, Wish()).statistics
    assert rounded.determined.keys() == {"county"}
    wrong = table({"code": codes, "county": (codes // 5 + (np.arange(2000) < 500)) % 3,
                   "a": rng.integers(0, 2, 2000)})  # fmt: skip
    law = FileLaw.of(rounded, rng)
    assert (law.recognised(_columns(right)) != NOWHERE).all()
    gone = (law.recognised(_columns(wrong)) == NOWHERE).all(axis=1)
    assert gone.sum() == 500
    assert gone[:500].all()
    assert {each.name for each in FileLaw.of(statistics, rng).attributes} == {"code", "county", "a"}


def _columns(held: rr.Table) -> Any:
    return held.engine.coded_rows(held.columns, "a test").columns


def test_records_of_drawn_people_have_the_files_values() -> None:
    """Places of the file's values, whatever order the records' codes are in."""
    people = nearly_an_id(600)
    law = FileLaw.of(published(people, UNPROTECTED).statistics, np.random.default_rng(0))
    rows = law.recognised(_columns(people))
    texts = people.engine.texts_of_each(["a", "b"]).read_all()
    for place, attribute in enumerate(law.attributes):
        named = [attribute.values[code] for code in rows[:, place].tolist()]
        assert named == texts.column(attribute.name).to_pylist()


def test_information_is_that_of_the_cells_less_what_chance_brings() -> None:
    cells: dict[Any, Any] = {("x", "u"): 300, ("x", "v"): 100, ("y", "u"): 100, ("y", "v"): 500}
    joint = np.array([[300, 100], [100, 500]]) / 1000
    plain = float((joint * np.log(joint / np.outer(joint.sum(1), joint.sum(0)))).sum())
    pair = PairCounts(("a", "b"), cells)
    # One degree of freedom.
    assert information(pair, 1000) == pytest.approx(plain - 1 / 2000)
    assert information(pair, 2000) == pytest.approx((plain - 1 / 2000) / 2)
    noise = sum(6.0 / count for count in cells.values()) / 2000
    assert information(pair, 1000, 6.0) == pytest.approx(plain - 1 / 2000 - noise)
    assert information(PairCounts(("a", "b"), {}), 1000) == 0.0


@pytest.mark.parametrize("wish", [Wish(), UNPROTECTED, Wish(epsilon=3.0)], ids=["5", "0", "e"])
def test_the_tree_follows_what_depends(wish: Wish) -> None:
    """d copies c, c copies b, b copies a, three times of four each; many values beside."""
    rng = np.random.default_rng(9)
    columns = [rng.integers(0, 4, 6000)]
    for _ in range(3):
        new = rng.integers(0, 4, 6000)
        columns.append(np.where(rng.random(6000) < 0.75, columns[-1], new))
    held = dict(zip("abcd", columns, strict=True)) | {"many": rng.integers(0, 150, 6000)}
    statistics = published(table(held, rows_are_people=True), wish).statistics
    names = [each.name for each in statistics.attributes if each.stated]
    chosen = {frozenset((names[i], names[j])) for i, j in informative_pairs(statistics, names)}
    assert {frozenset("ab"), frozenset("bc"), frozenset("cd")} <= chosen
    assert len(chosen) == len(names) - 1


def test_nothing_is_kept_of_the_halves(tmp_path: Path) -> None:
    key, ledger = tmp_path / "key", tmp_path / "ledger"
    shares(reconstructed(independent(600), Wish(key_file=key)))
    shares(reconstructed(independent(600), Wish(epsilon=5.0, ledger=ledger, budget=6.0)))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pairs", ["strong", "none"])
def test_only_the_pairs_that_are_published_are_used(pairs: str) -> None:
    """Dependence of less than the bound isn't in the file, so it isn't drawn."""
    rng = np.random.default_rng(10)
    a = rng.integers(0, 8, 3000)
    columns = {"a": a, "b": np.where(rng.random(3000) < 0.8, a, rng.integers(0, 8, 3000))}
    people = table(columns, rows_are_people=True)
    every, _ = shares(reconstructed(people, Wish()))
    few, _ = shares(reconstructed(people, Wish(pairs=pairs, strong=0.9)))
    assert few < every - 0.3
    same, _ = shares(reconstructed(people, Wish(pairs="strong", strong=0.2)))
    assert abs(same - every) < 0.05


def test_some_people_are_enough_of_many() -> None:
    found = reconstructed(independent(3000), Wish(), most=1000)
    assert found.people == 500
    assert found.limits == ("Tried with 1,000 of 3,000 people, drawn at random.",)


def test_where_it_cannot_be_tried_it_says_why(tmp_path: Path) -> None:
    lines = ["a,b", *(f"{i % 3},{i % 2}" for i in range(300))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines))
    on_disk = rr.read(path, columns=["a", "b"], engine="duckdb")
    found = reconstructed(on_disk, Wish())
    assert (found.own, found.other, found.people) == (None, None, 0)
    assert "in memory" in found.limits[0]
    assert reconstructed(table({"a": ["1"], "b": ["2"]}), Wish()).own is None
    few = reconstructed(table({"a": range(12), "b": range(12)}, rows_are_people=True), Wish())
    assert few.own is None
    assert few.limits == ("Not tried: the file names no value.",)


def test_without_records_two_drawn_tables_are_compared() -> None:
    """Independent columns: the smaller of two numbers of people drawn alike, by simulation."""
    rng = np.random.default_rng(11)
    shares_of = [np.array([0.5, 0.3, 0.2]), np.array([0.7, 0.3])]
    law = np.outer(*shares_of).ravel()
    drawn = rng.multinomial(2000, law, size=(4000, 2))
    by_simulation = drawn.min(axis=1).sum(axis=1) / 2000
    attributes = tuple(
        Attribute(name, {str(i): int(2000 * share) for i, share in enumerate(each)})
        for name, each in zip("ab", shares_of, strict=True)
    )
    found = [
        expected_reconstruction(Statistics(2000, attributes), seed).share for seed in range(20)
    ]
    # Tables drawn with exactly these margins differ from each other no more than any two.
    assert by_simulation.mean() - 0.01 < np.mean(found) < 1.0
    assert expected_reconstruction(Statistics(2000, attributes), 3).share == found[3]
    assert expected_reconstruction(Statistics(2000, attributes), 3).people == 2000


def test_without_records_values_without_a_name_count_as_not_reproduced() -> None:
    of_a = Attribute("a", {"x": 600}, other=Other(400, 20))
    of_b = Attribute("b", {}, other=Other(1000, 900))
    found = expected_reconstruction(Statistics(1000, (of_a, of_b)))
    assert found.share == pytest.approx(0.6, abs=0.05)
    assert "Left out, as no value is named: b." in found.limits


@pytest.mark.parametrize(
    ("file", "columns", "exact", "rounded"),
    [
        ("adult/adult_arx.parquet",
         ["age", "race", "education", "native-country", "salary-class"],
         (0.799, 0.750), (0.779, 0.744)),
        ("nist_national2019/national2019.parquet",
         ["MSP", "HISP", "EDU", "POVPIP", "DREM"], (0.640, 0.535), (0.558, 0.518)),
    ],
    ids=["adult", "nist"],
)  # fmt: skip
def test_on_real_tables(
    shared_data: Path,
    file: str,
    columns: list[str],
    exact: tuple[float, float],
    rounded: tuple[float, float],
) -> None:
    """Measured figures; rounding takes away part of what is about the people, noise nearly all."""
    people = rr.read(shared_data / file, columns=columns, rows_are_people=True)
    found = [shares(reconstructed(people, wish)) for wish in (UNPROTECTED, Wish(), Wish(epsilon=1))]
    assert found[0] == pytest.approx(exact, abs=0.01)
    assert found[1] == pytest.approx(rounded, abs=0.015)
    about = [own - other for own, other in found]
    assert about[0] > about[1] + 0.003 > about[2] + 0.003
    assert abs(about[2]) < 0.02
