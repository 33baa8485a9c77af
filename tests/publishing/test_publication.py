"""Publishing: what is in the file under each protection, and what is refused."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.derivable_counts import derivable_counts
from reidrisk.publishing.publication import not_derivable
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.rare_values import published_attribute
from reidrisk.publishing.wish import Wish
from reidrisk.statistics.consistency import disagreements
from reidrisk.statistics.imputation import completed, completed_attribute
from reidrisk.statistics.protection import (
    CertifiedSuppression,
    DifferentialPrivacy,
    KeyedRounding,
    Unprotected,
)
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics
from reidrisk.statistics.statistics_file import load_statistics, save_statistics


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
    held = rr.publish(table(a, b), exact=True, at_least=m)
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


def test_unprotected_is_the_whole_table(tmp_path: Path) -> None:
    held = rr.publish(rr.read(rr.city(2000)), unprotected=True)
    assert len(held.pairs) == 15
    assert all(pair.known == 2000 for pair in held.pairs)
    assert held.protection == Unprotected()
    save_statistics(held, tmp_path / "s.json")
    assert load_statistics(tmp_path / "s.json") == held


@pytest.mark.parametrize(
    ("how", "off"),
    [({}, 0.02), ({"exact": True}, 0.02), ({"exact": True, "width": 2}, 0.02),
     ({"epsilon": 10.0}, 0.15), ({"at_least": 20}, 0.15)],
)  # fmt: skip
def test_a_round_trip(how: dict[str, Any], off: float, tmp_path: Path) -> None:
    """Published, saved, loaded, checked, predicted from."""
    table = rr.read(rr.city(5000), columns=["county", "postcode", "age", "sex"], bands={"age": 10})
    held = rr.publish(table, **how)
    save_statistics(held, tmp_path / "s.json")
    again = load_statistics(tmp_path / "s.json")
    assert again == held
    assert again.names == ("county", "postcode", "age", "sex")
    assert disagreements(again) == []
    true, risk = rr.measure(table), rr.predict(again)
    assert risk.people == pytest.approx(5000, abs=60)
    low, high = risk.intervals["overall_risk"]
    assert low <= risk.overall_risk <= high
    assert risk.overall_risk == pytest.approx(true.overall_risk, abs=off)
    counted = rr.publish(table, unprotected=True).attribute("county").counts
    read = completed(again, ["county"]).attributes[0]
    for county, people in counted.items():
        assert read.counts[read.place[county]] == pytest.approx(people, abs=150)


def test_strong_pairs_only() -> None:
    held = rr.publish(rr.read(rr.city(5000)), pairs="strong", unprotected=True)
    assert [pair.of for pair in held.pairs] == [("postcode", "county")]
    assert rr.publish(rr.read(rr.city(500)), pairs="none").pairs == ()


def test_a_determined_attribute_is_published_once() -> None:
    """Counties follow from postcodes: no number of theirs is in the file."""
    table = rr.read(rr.city(5000), columns=["county", "postcode", "sex"])
    held = rr.publish(table)
    assert set(held.determined) == {"county"}
    assert held.published.names == ("postcode", "sex")
    true = dict(rr.publish(table, unprotected=True).pair("postcode", "county").counts)
    listed = held.published.attribute("postcode").counts
    assert held.determined["county"].labels == {a: b for a, b in true if a in listed}
    for county, people in held.attribute("county").counts.items():
        parts = [listed[a] for a, b in true if b == county and a in listed]
        assert people == sum(parts)


@pytest.mark.parametrize("how", [{"unprotected": True}, {"key_file": "key"}, {"exact": True}])
def test_both_engines_publish_the_same(how: dict[str, Any], tmp_path: Path) -> None:
    """Exactly: the same margins; what is hidden besides is chance."""
    city = rr.city(3000)
    how = {**how, "key_file": tmp_path / "key"} if "key_file" in how else how
    one, other = (rr.publish(rr.read(city, engine=engine), **how) for engine in ("codes", "duckdb"))
    assert [a.counts for a in one.attributes] == [a.counts for a in other.attributes]
    assert [list(a.counts) for a in one.attributes] == [list(a.counts) for a in other.attributes]
    if "exact" not in how:
        assert [dict(p.counts) for p in one.pairs] == [dict(p.counts) for p in other.pairs]


def test_missing_values() -> None:
    few = rr.publish(table(["x"] * 10 + ["y"] * 10 + [None] * 2, ["z"] * 22), exact=True)
    attribute = few.attribute("a")
    assert attribute.missing == 0
    assert attribute.other is not None
    assert (attribute.other.count, attribute.other.values) == (12, 2)
    many = rr.publish(table(["x"] * 10 + [None] * 6, ["z"] * 16), exact=True)
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
    held = rr.publish(rr.read({"a": column}, columns=["a"]), exact=True).attribute("a")
    assert held.other is not None
    assert (held.other.count, held.other.values) == other


def test_the_file_says_what_was_done() -> None:
    table = rr.read(rr.city(500), columns=["county", "age", "sex"])
    assert rr.publish(table, at_least=7).protection == KeyedRounding(7)
    assert rr.publish(table, exact=True, width=2).protection == CertifiedSuppression(5, 2)
    assert rr.publish(table, unprotected=True).at_least is None
    noisy = rr.publish(table, epsilon=3.0).protection
    assert isinstance(noisy, DifferentialPrivacy)
    assert (noisy.epsilon, noisy.delta) == (3.0, 1e-9)


@given(st.lists(st.integers(1, 15), min_size=3, max_size=7), st.integers(2, 6))
@example([3, 3, 3, 4, 8, 9], 4)
@example([14, 3, 11, 7, 3, 3], 4)
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
    held = rr.publish(rr.read(rr.city(3000)), population=100_000)
    assert held.sample_of == 100_000
    assert abs(held.records - 3000) < 5
    assert all(count % 5 == 0 for pair in held.pairs for count in pair.counts.values())
    assert disagreements(held) == []


def test_everybody_is_a_number_of_its_own() -> None:
    """251 people rounded up, 248 of one value down, and three without one to nobody."""
    held = Statistics(255, (Attribute("a", {"v": 245}),), protection=KeyedRounding(5))
    assert disagreements(held) == []
    held = Statistics(255, (Attribute("a", {"v": 240}),), protection=KeyedRounding(5))
    assert "add up to 240, fewer" in disagreements(held)[0]


@settings(max_examples=60)
@given(
    st.integers(12, 400),
    st.tuples(st.integers(1, 40), st.integers(1, 12), st.integers(1, 4)),
    st.sampled_from([5, 7, 10, 25, 100, 1000]),
    st.integers(0, 2**32 - 1),
)
def test_rounded_statistics_agree_with_themselves(
    n: int, values: tuple[int, int, int], base: int, seed: int
) -> None:
    """Whatever was rounded: check finds nothing, and it can be predicted from."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(many, n, p=rng.dirichlet(np.full(many, 0.4))) for many in values]
    columns = {
        f"c{place}": [None if rng.random() < 0.01 else f"v{value}" for value in column]
        for place, column in enumerate(drawn)
    }
    table = rr.read(columns, columns=list(columns))
    most = max(max(Counter(column).values()) for column in columns.values())
    if most <= base or n < base:
        with pytest.raises(InputError, match="too small"):
            rr.publish(table, at_least=base)
        return
    try:
        held = rr.publish(table, at_least=base)
    except InputError as error:
        # Between one base and two chance decides whether a number is 0, b or 2b.
        assert most < 2 * base or n < 2 * base, error  # noqa: PT017
        return
    assert disagreements(held) == []
    assert rr.predict(held).people == pytest.approx(n, abs=4 * base)


@pytest.mark.parametrize(("name", "columns"), [
    ("adult/adult", "age,education,race,sex"),
    ("diabetes130/diabetes130", "race,gender,age,weight"),
    ("be_motor97/be_motor97", "coverage,ageph,nclaims"),
    ("atus/atus", "state,edu"),
    ("belgium_2015/belgium_2015", None),
])  # fmt: skip
@pytest.mark.parametrize("base", [5, 10, 100, 1000])
def test_rounded_statistics_of_public_tables(
    name: str, columns: str | None, base: int, shared_data: Path, tmp_path: Path
) -> None:
    place = shared_data / f"{name}.parquet"
    chosen = columns.split(",") if columns else list(rr.read(place).columns)[:3]
    table = rr.read(place, columns=chosen, rows_are_people=True)
    held = rr.publish(table, at_least=base)
    save_statistics(held, tmp_path / "s.json")
    again = load_statistics(tmp_path / "s.json")
    assert again == held
    assert rr.predict(again).people == pytest.approx(held.records, abs=4 * base)


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
    with pytest.raises(InputError, match="too small"):
        rr.publish(rr.read({"a": ["x", "y"]}, columns=["a"]))
    with pytest.raises(InputError, match="fewer than 5 people"):
        rr.publish(rr.read({"a": ["x", "y"]}, columns=["a"]), exact=True)
    people = rr.read({"a": ["x"] * 20 + ["y"] * 20}, columns=["a"])
    for wrong in ({"pairs": "some"}, {"at_least": 1}, {"at_least": 0}, {"population": 1},
                  {"epsilon": 0.0}, {"epsilon": -1.0}, {"epsilon": math.nan},
                  {"epsilon": math.inf}, {"epsilon": 1e9}, {"epsilon": 1e-12},
                  {"exact": True, "width": 3},
                  {"exact": True, "width": 2, "at_least": 2}):  # fmt: skip
        with pytest.raises(InputError):
            rr.publish(people, **wrong)
    for both in ({"exact": True, "epsilon": 1.0}, {"exact": True, "unprotected": True},
                 {"width": 1}, {"key_file": "k", "exact": True}, {"ledger": "l"}, {"budget": 2.0},
                 {"epsilon": 1.0, "pairs": "strong"}):  # fmt: skip
        with pytest.raises(ContradictoryOptions):
            rr.publish(people, **both)


def test_a_key_of_another_table_is_refused(tmp_path: Path) -> None:
    one, other = (rr.read({name: ["x"] * 20 + ["y"] * 20}) for name in ("a", "b"))
    rr.publish(one, key_file=tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="another table"):
        rr.publish(other, key_file=tmp_path / "key")
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(InputError, match="read or written by others"):
        rr.publish(one, key_file=tmp_path / "key")


def test_the_budget_is_kept_over_releases(tmp_path: Path) -> None:
    people = rr.read({"a": ["x"] * 200 + ["y"] * 200}, columns=["a"])
    ledger = tmp_path / "ledger"
    rr.publish(people, epsilon=1.0, ledger=ledger, budget=1.5)
    assert ledger.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ContradictoryOptions, match=r"was begun with 1\.5"):
        rr.publish(people, epsilon=0.1, ledger=ledger, budget=3.0)
    rr.publish(people, epsilon=0.5, ledger=ledger)
    with pytest.raises(InputError, match=r"budget of epsilon 1\.5 doesn"):
        rr.publish(people, epsilon=1.0, ledger=ledger)
    with pytest.raises(InputError, match="another table"):
        rr.publish(rr.read({"b": ["x"] * 200}, columns=["b"]), epsilon=0.1, ledger=ledger)


def test_nothing_exact_stands_beside_noise(tmp_path: Path) -> None:
    """Neither the file's name, which may say how many there are, nor what follows from what."""
    path = tmp_path / "exactly_5000_people.csv"
    path.write_text("\n".join(["town,land,sex", *(f"t{i % 9},l{i % 9 // 3},{'fm'[i % 2]}"
                                                  for i in range(5000))]))  # fmt: skip
    columns = ["town", "land", "sex"]
    held = rr.publish(path, epsilon=0.5, columns=columns)
    save_statistics(held, tmp_path / "s.json")
    text = (tmp_path / "s.json").read_text()
    assert "5000" not in text or held.records == 5000
    assert held.title == ""
    assert held.determined == {}
    assert any(rr.publish(path, epsilon=0.5, columns=columns).records != 5000 for _ in range(8))


def test_noise_covers_no_choice_that_the_records_make(tmp_path: Path) -> None:
    """One record more would change which columns are there, or every label of one of them."""
    rows = [f"{('17,50', '3,0')[i % 2]};{'pq'[i % 2]}" for i in range(600)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a;b", *rows]))
    with pytest.raises(InputError, match="which columns and the decimal mark would be chosen"):
        rr.publish(path, epsilon=1.0)
    with pytest.raises(InputError, match="the decimal mark would be chosen"):
        rr.publish(path, epsilon=1.0, columns=["a", "b"], decimals={"a": 0})
    held = rr.publish(path, epsilon=9.0, columns=["a", "b"], decimals={"a": 0}, decimal=",")
    assert set(held.attribute("a").counts) <= {"18", "3"}
    held = rr.publish(path, epsilon=9.0, columns=["b"], decimal=".")
    assert set(held.attribute("b").counts) <= {"p", "q"}
    # The other protections read as everybody does.
    assert rr.publish(path, decimals={"a": 0}).attribute("a").counts.keys() == {"18", "3"}


def test_the_type() -> None:
    assert isinstance(rr.publish(rr.read({"a": ["x"] * 19})), Statistics)


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
    assert json.loads(capfd.readouterr().out)["pairs"] == [["postcode", "county"]]
    with pytest.raises(InputError, match="is the table itself"):
        group.main(["publish", str(tmp_path / "city.parquet"), "-o",
                    str(tmp_path / "city.parquet")], standalone_mode=False)  # fmt: skip


def test_unprotected_statistics_are_refused_by_what_is_made_to_be_shared() -> None:
    table = rr.read(rr.city(3000), columns=["county", "age", "sex"])
    inside = rr.publish(table, unprotected=True)
    with pytest.raises(InputError, match="unprotected"):
        rr.report(inside, publishable=True)
    with pytest.raises(InputError, match="unprotected"):
        rr.report(table, publishable=True, statistics=inside)
    said = rr.predict(inside).envelope.assumptions
    assert any("stay with those who may see" in each for each in said)
    shared = rr.publish(table)
    assert rr.report(shared, publishable=True).publishable


@pytest.mark.parametrize("base", [3, 5])
def test_who_knows_all_values_derives_nothing_either(base: int) -> None:
    """A row whose cells were all rounded as far the other way as can be, by the codebook."""
    counts = {"F": 2, "M": 2} if base == 3 else {"a": 14, "b": 4, "c": 4, "d": 4}
    row = [value for value, people in counts.items() for _ in range(people)]
    held = {"row": np.repeat(np.arange(400), len(row)).astype(str).tolist(), "sex": row * 400}
    table = rr.read(held, columns=["row", "sex"], rows_are_people=True)
    counted = CountedTables.of(table)
    at_first = made = 0
    for seed in range(6):
        secret = bytes([seed] * 32)
        plain = RoundedCounts(counted, secret, base).statistics()
        at_first += derivable_counts(plain).derived
        drawn, found = not_derivable(counted, secret, Wish(at_least=base))
        assert found.derived == derivable_counts(drawn.statistics()).derived == 0
        made += drawn.statistics() != plain
    assert at_first > 0
    assert made > 0


def test_the_output_is_neither_the_key_nor_the_ledger(tmp_path: Path) -> None:
    from reidrisk.cli.main import reidrisk as group

    table = tmp_path / "t.csv"
    table.write_text("a\n" + "x\n" * 40 + "y\n" * 40)
    group.main(["publish", str(table), "-o", str(tmp_path / "s.json")], standalone_mode=False)
    key = tmp_path / "t.reidrisk-key"
    kept = key.read_text()
    with pytest.raises(ContradictoryOptions, match="stays with you"):
        group.main(["publish", str(table), "-o", str(key)], standalone_mode=False)
    assert key.read_text() == kept
    for option in (["--key-file"], ["--epsilon", "1", "--ledger"]):
        place = tmp_path / f"{option[-1]}.json"
        with pytest.raises(ContradictoryOptions, match="stays with you"):
            group.main(["publish", str(table), *option, str(place), "-o", str(place)],
                       standalone_mode=False)  # fmt: skip
        assert not place.exists()


def test_no_key_is_left_of_a_file_that_isnt_written(tmp_path: Path) -> None:
    table = rr.read({"a": ["x", "y"]}, columns=["a"])
    with pytest.raises(InputError, match="too small"):
        rr.publish(table, key_file=tmp_path / "key")
    assert not (tmp_path / "key").exists()
