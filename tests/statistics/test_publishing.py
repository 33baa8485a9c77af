"""Publishing: what is shown, and that nothing small can be worked out from it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.consistency import disagreements
from reidrisk.statistics.imputation import completed, completed_attribute
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics
from reidrisk.statistics.statistics_file import load_statistics, save_statistics
from reidrisk.statistics.suppression import published_attribute


def table(a: list, b: list) -> rr.Table:
    return rr.read({"a": a, "b": b}, columns=["a", "b"])


def range_of(i: int, j: int, hidden: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> tuple:
    """The least and most people a left-out cell can hold, given what is left out of each line."""
    cells = list(zip(*np.nonzero(hidden), strict=True))
    sums = [[float(r == line) for r, _ in cells] for line in range(len(rows))]
    sums += [[float(c == line) for _, c in cells] for line in range(len(columns))]
    aim = np.array([float(cell == (i, j)) for cell in cells])
    totals = np.concatenate([rows, columns])
    bounds = [linprog(sign * aim, A_eq=sums, b_eq=totals, bounds=(0, None)).fun for sign in (1, -1)]
    return bounds[0], -bounds[1]


values = st.lists(st.sampled_from("pqrstu"), min_size=25, max_size=25)


@settings(max_examples=40)
@given(values, values, st.integers(2, 5))
def test_no_small_cell_follows(a: list[str], b: list[str], m: int) -> None:
    check_that_nothing_follows(a, b, m)


@settings(max_examples=60)
@given(st.integers(30, 200), st.integers(2, 5), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_no_small_cell_follows_in_skewed_tables(n: int, rows: int, columns: int, seed: int) -> None:
    """A few large cells shown, a few small ones left: where subtraction is easiest."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(rows * columns, 0.4))
    drawn = rng.choice(rows * columns, n, p=shares)
    check_that_nothing_follows(
        [f"a{v // columns}" for v in drawn], [f"b{v % columns}" for v in drawn], 5
    )


def test_a_cell_doesnt_hide_itself() -> None:
    """Margins 12 and 176, 27 and 161, and one cell of 18 shown: the rest would follow."""
    a = ["a0"] * 12 + ["a1"] * 176
    b = ["b0"] * 9 + ["b1"] * 3 + ["b0"] * 18 + ["b1"] * 158
    check_that_nothing_follows(a, b, 5)


def check_that_nothing_follows(a: list[str], b: list[str], m: int) -> None:
    """Solve the bounds of every small cell with a linear program: none is pinned down."""
    held = rr.publish(table(a, b), pairs="all", at_least=m)
    assert disagreements(held) == []
    first, second = held.attributes
    for attribute, column in ((first, a), (second, b)):
        assert all(count >= m for count in attribute.counts.values())
        if attribute.other is not None and attribute.counts:
            assert attribute.other.values >= 2
            assert attribute.other.count >= m
        assert attribute.known == len(column)
    shown = held.pairs[0].counts if held.pairs else {}
    names = [[*first.counts, None], [*second.counts, None]]
    lumped = Counter(
        (x if x in first.counts else None, y if y in second.counts else None)
        for x, y in zip(a, b, strict=True)
    )
    truth = np.array([[lumped[x, y] for y in names[1]] for x in names[0]])
    public = np.array([[(x, y) in shown for y in names[1]] for x in names[0]])
    assert all(truth[public] >= m)
    left = np.where(public, 0, truth)
    for i, j in zip(*np.nonzero((left > 0) & (left < m)), strict=True):
        low, high = range_of(i, j, ~public, left.sum(axis=1), left.sum(axis=0))
        if high - low < 0.5:
            # Then the attributes' counts alone say it, without any pair table.
            assert not public.any()


def test_folding_nothing_is_the_whole_table(tmp_path: Path) -> None:
    held = rr.publish(rr.read(rr.city(2000)), pairs="all", at_least=1)
    assert len(held.pairs) == 15
    assert all(pair.known == 2000 for pair in held.pairs)
    save_statistics(held, tmp_path / "s.json")
    assert load_statistics(tmp_path / "s.json") == held


def test_strong_pairs_only() -> None:
    held = rr.publish(rr.read(rr.city(5000)), pairs="strong", at_least=1)
    assert [pair.of for pair in held.pairs] == [("postcode", "county")]
    assert rr.publish(rr.read(rr.city(500)), pairs="none").pairs == ()


def test_both_engines_publish_the_same() -> None:
    city = rr.city(3000)
    one, other = (
        rr.publish(rr.read(city, engine=engine), pairs="all", at_least=5)
        for engine in ("codes", "duckdb")
    )
    assert {a.name: dict(a.counts) for a in one.attributes} == {
        a.name: dict(a.counts) for a in other.attributes
    }
    assert [dict(p.counts) for p in one.pairs] == [dict(p.counts) for p in other.pairs]
    assert [list(a.counts) for a in one.attributes] == [list(a.counts) for a in other.attributes]


def test_missing_values() -> None:
    few = rr.publish(table(["x"] * 10 + ["y"] * 10 + [None] * 2, ["z"] * 22), at_least=5)
    attribute = few.attribute("a")
    assert attribute.missing == 0
    assert attribute.other is not None
    assert (attribute.other.count, attribute.other.values) == (12, 2)
    many = rr.publish(table(["x"] * 10 + [None] * 6, ["z"] * 16), at_least=5)
    assert many.attribute("a").missing == 6


@pytest.mark.parametrize(
    ("counts", "other"),
    [
        ([1, 20, 30], (21, 2)),  # one small value alone would be known by subtraction
        ([1, 1, 1, 1, 1, 40], (45, 6)),  # five ones: each must be 1
        ([4, 4, 10, 40], (18, 3)),  # two values of at most 4 that add up to 8
        ([2, 3, 40], (5, 2)),  # 1 + 4 or 2 + 3
        ([2, 4, 40], (6, 2)),
        # 4 + 5 would follow: the five that joined is no more than the next one, which is listed
        ([4, 5, 5, 89], (14, 3)),
    ],
)
def test_other_can_not_be_undone(counts: list[int], other: tuple[int, int]) -> None:
    column = [f"v{i}" for i, people in enumerate(counts) for _ in range(people)]
    held = rr.publish(rr.read({"a": column}, columns=["a"]), at_least=5).attribute("a")
    assert held.other is not None
    assert (held.other.count, held.other.values) == other


def test_the_file_says_what_was_folded() -> None:
    held = rr.publish(rr.read(rr.city(500)), at_least=7)
    assert held.at_least == 7
    assert rr.publish(rr.read(rr.city(500)), at_least=1).at_least is None


@given(st.lists(st.integers(1, 15), min_size=3, max_size=7), st.integers(2, 6))
def test_what_was_lumped_is_among_the_ways_to_share_it_out(held: list[int], m: int) -> None:
    """Whoever reads the file goes through ways of which the true one is one."""
    counts = {f"v{place}": people for place, people in enumerate(held)}
    if sum(held) < m:
        return
    attribute = published_attribute("a", counts, m).attribute
    found = completed_attribute(attribute, sum(held), at_least=m)
    lumped = sorted(counts[value] for value in counts if value not in attribute.counts)
    joined = sum(1 for people in lumped if people >= m)
    if attribute.other is None or joined > 2 or len(lumped) == len(counts):
        return
    ways = (
        [found.counts]
        if found.hidden is None
        else [way for _, way in found.hidden.listed(10_000) or ()]
    )
    assert lumped in [sorted(way[len(attribute.counts) :].tolist()) for way in ways]


def test_rounding_and_samples() -> None:
    held = rr.publish(rr.read(rr.city(3000)), pairs="all", round_to=5, population=100_000)
    assert (held.rounded_to, held.sample_of, held.records) == (5, 100_000, 3000)
    assert all(count % 5 == 0 for pair in held.pairs for count in pair.counts.values())
    assert disagreements(held) == []


@settings(max_examples=60)
@given(
    st.integers(12, 400),
    st.tuples(st.integers(1, 40), st.integers(1, 12), st.integers(1, 4)),
    st.sampled_from([2, 3, 5, 7, 10, 25, 100, 1000]),
    st.sampled_from([1, 3, 5, 10]),
    st.integers(0, 2**32 - 1),
)
def test_rounded_statistics_agree_with_themselves(
    n: int, values: tuple[int, int, int], step: int, least: int, seed: int
) -> None:
    """Whatever was rounded and folded: check finds nothing, and it can be predicted from."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(many, n, p=rng.dirichlet(np.full(many, 0.4))) for many in values]
    columns = {
        f"c{place}": [None if rng.random() < 0.01 else f"v{value}" for value in column]
        for place, column in enumerate(drawn)
    }
    table = rr.read(columns, columns=list(columns))
    most = min(max(Counter(column).values()) for column in columns.values())
    if most + step // 2 < step:
        with pytest.raises(InputError, match="leaves no count"):
            rr.publish(table, round_to=step, at_least=1)
        return
    held = rr.publish(table, round_to=step, at_least=least)
    assert disagreements(held) == []
    assert rr.predict(held).people == pytest.approx(n)


@pytest.mark.parametrize(("name", "columns"), [
    ("adult/adult", "age,education,race,sex"),
    ("diabetes130/diabetes130", "race,gender,age,weight"),
    ("be_motor97/be_motor97", "coverage,ageph,nclaims"),
    ("atus/atus", "state,edu"),
    ("belgium_2015/belgium_2015", None),
])  # fmt: skip
@pytest.mark.parametrize(("step", "least"), [(2, 5), (10, 5), (25, 10), (100, 10), (1000, 1)])
def test_rounded_statistics_of_public_tables(
    name: str, columns: str | None, step: int, least: int, shared_data: Path, tmp_path: Path
) -> None:
    place = shared_data / f"{name}.parquet"
    chosen = columns.split(",") if columns else list(rr.read(place).columns)[:3]
    table = rr.read(place, columns=chosen, rows_are_people=True)
    held = rr.publish(table, round_to=step, at_least=least)
    save_statistics(held, tmp_path / "s.json")
    again = load_statistics(tmp_path / "s.json")
    assert again.rounded_to == step
    assert rr.predict(again).people == pytest.approx(held.records)


def test_a_rounded_pair_table_with_cells_left_out_isnt_taken_for_whole() -> None:
    """Sixty people of one value are in cells held back; rounding alone never hides so many."""
    cells = {("x", str(place)): 10 for place in range(6)}
    cells |= {("y", str(place)): 100 for place in range(6)}
    held = Statistics(
        720,
        (
            Attribute("a", {"x": 120, "y": 600}),
            Attribute("b", {str(place): 110 for place in range(6)} | {"6": 60}),
        ),
        (PairCounts(("a", "b"), cells),),
        rounded_to=10,
    )
    assert disagreements(held) == []
    known = completed(held).knowledge.pair(0, 1)
    assert known is not None
    assert known[0, 6] == pytest.approx(60, abs=1)


def test_what_rounding_cant_explain_is_still_found() -> None:
    """A row that lacks more people than the whole table may, and one that has too many."""
    of, cells = ("a", "b"), {("x", "p"): 10, ("x", "q"): 10, ("y", "p"): 100, ("y", "q"): 100}
    attributes = (Attribute("a", {"x": 120, "y": 100}), Attribute("b", {"p": 110, "q": 110}))
    held = Statistics(220, attributes, (PairCounts(of, cells),), rounded_to=10)
    found = disagreements(held)
    assert any("'x' of 'a' add up to 20, fewer than the 120" in fault for fault in found)
    assert any("'y' of 'a' add up to 200, more than the 100" in fault for fault in found)
    lumped = Attribute("a", {"x": 90}, other=Other(10, 30))
    assert (
        "merges 30 values of only 10" in disagreements(Statistics(100, (lumped,), rounded_to=10))[0]
    )


def test_what_is_refused() -> None:
    people = {"a": ["x", "y"]}
    with pytest.raises(InputError, match="fewer than 5 people"):
        rr.publish(rr.read(people, columns=["a"]))
    for wrong in ({"pairs": "some"}, {"at_least": 0}, {"round_to": 0}, {"population": 1}):
        with pytest.raises(InputError):
            rr.publish(rr.read({"a": ["x"] * 9}), **wrong)


def test_the_type() -> None:
    assert isinstance(rr.publish(rr.read({"a": ["x"] * 9})), Statistics)


def test_the_publish_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import json

    from reidrisk.cli.main import reidrisk as group
    from reidrisk.demo.tour import write_city

    write_city(tmp_path / "city.parquet")
    path = tmp_path / "s.json"
    group.main(["publish", str(tmp_path / "city.parquet"), "-o", str(path)], standalone_mode=False)
    said = capfd.readouterr().out
    assert "100,000 people, 6 attributes" in said
    assert "Two-way tables: postcode with county, postcode with age" in said
    assert load_statistics(path).pair("county", "postcode") is not None
    given = [
        "publish",
        str(tmp_path / "city.parquet"),
        "-o",
        str(path),
        "--pairs",
        "none",
        "--json",
    ]
    group.main(given, standalone_mode=False)
    assert json.loads(capfd.readouterr().out)["pairs"] == []
    with pytest.raises(InputError, match="is the table itself"):
        group.main(["publish", str(tmp_path / "city.parquet"), "-o",
                    str(tmp_path / "city.parquet")], standalone_mode=False)  # fmt: skip
