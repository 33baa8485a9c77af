"""Groups from statistics, from tables, by groups, in bands, and read back from a file."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError, UnknownColumn, UnreadableInput, UnusableColumn
from reidrisk.laws.group_law import GroupLaw
from reidrisk.prediction.group_risk import FORMS
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics

AGES = Statistics(100, (Attribute("age", {"20": 10, "21": 40, "22": 30, "23": 20, "24": 0}),))
JOINT = {("20", "f"): 25, ("20", "m"): 5, ("21", "f"): 25, ("21", "m"): 45}
TWO = Statistics(
    100,
    (
        Attribute("age", {"20": 30, "21": 70}),
        Attribute("sex", {"f": 50, "m": 50}),
        Attribute("region", {"n": 60, "s": 40}),
    ),
    (PairCounts(("age", "sex"), JOINT),),
)


def test_one_attribute_of_statistics() -> None:
    risk = rr.group(AGES, size=3, columns=["age"])
    law = GroupLaw.of_counts(np.array([10, 40, 30, 20, 0]))
    assert risk.outcomes == 5
    assert risk.exact == pytest.approx(law.exact(3), rel=1e-12)
    assert risk.exact_finite == pytest.approx(law.exact_finite(3), rel=1e-12)
    assert risk.kappa == pytest.approx(law.kappa)
    assert risk.people == 100
    assert risk.envelope.model == "counted"
    assert rr.group(AGES, 6).exact == 0.0
    assert rr.group(AGES, 1).exact == 1.0


def test_the_answer_says_what_it_is() -> None:
    told = rr.group(AGES, 3).to_dict()
    assert told["command"] == "group"
    assert told["from"] == "statistics"
    assert told["assumptions"]
    assert {"size", "outcomes", "kappa", "discrepancy", *FORMS} <= told.keys()
    assert json.loads(rr.group(AGES, 3).to_json())["exact"] == told["exact"]
    several = rr.group(AGES, sizes=[2, 3]).to_dict()
    assert [each["size"] for each in several["groups"]] == [2, 3]
    assert "exact" not in several
    with pytest.raises(InputError, match="figures of 2 groups"):
        _ = rr.group(AGES, sizes=[2, 3]).exact
    with pytest.raises(AttributeError):
        _ = rr.group(AGES, 3).nothing_of_the_kind
    assert "All 3 members are unique" in str(rr.group(AGES, 3))
    assert "<table>" in rr.group(AGES, 3)._repr_html_()
    assert "<table>" in rr.group(AGES, sizes=[2, 3])._repr_html_()


def test_listed_values_are_the_outcomes() -> None:
    """Values nobody holds count in N; people with others are left out."""
    wide = rr.group(AGES, 3, values={"age": "0-94"})
    assert wide.outcomes == 95
    assert wide.exact == pytest.approx(rr.group(AGES, 3).exact, rel=1e-12)
    assert wide.uniform > rr.group(AGES, 3).uniform
    narrow = rr.group(AGES, 3, values={"age": range(21, 40)})
    law = GroupLaw.of_counts(np.array([40, 30, 20]), 19)
    assert (narrow.outcomes, narrow.people) == (19, 90)
    assert narrow.exact == pytest.approx(law.exact(3), rel=1e-12)
    assert any("10 people with values that aren't listed" in s for s in narrow.envelope.assumptions)
    with pytest.raises(InputError, match="nobody is left"):
        rr.group(AGES, 3, values={"age": "70-80"})
    with pytest.raises(InputError, match="a range goes up"):
        rr.group(AGES, 3, values={"age": "9-0"})
    with pytest.raises(InputError, match="no values are listed"):
        rr.group(AGES, 3, values={"age": ""})
    with pytest.raises(UnknownColumn):
        rr.group(AGES, 3, values={"size": "0-9"})


def test_bands_of_statistics() -> None:
    risk = rr.group(AGES, 2, bands={"age": [1, 2, 5]}, values={"age": "20-29"})
    assert [each.outcomes for each in risk.groups] == [10, 5, 2]
    wanted = [[10, 40, 30, 20], [50, 50], [100]]
    for each, counts in zip(risk.groups, wanted, strict=True):
        assert each.exact == pytest.approx(GroupLaw.of_counts(np.array(counts)).exact(2), abs=1e-15)
    assert risk.groups[1].bands == {"age": "2"}
    assert risk.to_dict()["groups"][2]["bands"] == {"age": "5"}
    assert "in bands of 5" in str(risk)


def test_two_attributes_with_their_pair_table_are_counted() -> None:
    risk = rr.group(TWO, 2, columns=["age", "sex"])
    law = GroupLaw.of_counts(np.array([25, 5, 25, 45]))
    assert risk.exact == pytest.approx(law.exact(2), rel=1e-12)
    assert risk.exact_finite == pytest.approx(law.exact_finite(2), rel=1e-12)
    assert risk.envelope.model == "tree"
    plain = rr.group(TWO, 2, columns=["age", "sex"], model="independent")
    assert plain.exact == pytest.approx(1 - (0.3**2 + 0.7**2) * 0.5, rel=1e-12)
    assert plain.exact_finite is None
    assert plain.envelope.model == "independent"


def test_three_attributes_by_listing_the_tree() -> None:
    risk = rr.group(TWO, 3)
    p = [held / 100 * share for held, share in product(JOINT.values(), (0.6, 0.4))]
    exact = sum(
        p[a] * p[b] * p[c] for a, b, c in product(range(8), repeat=3) if len({a, b, c}) == 3
    )
    assert risk.exact == pytest.approx(exact, rel=1e-12)
    assert risk.outcomes == 8
    assert risk.exact_finite is None
    assert "exact_finite" in " ".join(risk.envelope.assumptions)


def test_a_member_with_known_values() -> None:
    risk = rr.group(TWO, 4, member={"age": 20, "SEX": "m", "region": "s"})
    assert risk.given_member_unique == pytest.approx((1 - 0.05 * 0.4) ** 3)
    table = rr.read({"age": [1, 1, 2, 3], "sex": ["f", "f", "m", "m"]}, columns=["age", "sex"])
    assert rr.group(table, 3, member={"age": 1, "sex": "f"}).given_member_unique == 0.25
    assert rr.group(table, 3, member={"age": 7, "sex": "f"}).given_member_unique == 1.0
    with pytest.raises(InputError, match="no value of 'sex'"):
        rr.group(table, 3, member={"age": 1})


def test_from_which_size_on() -> None:
    year = Statistics(3650, (Attribute("day", {str(day): 10 for day in range(365)}),))
    risk = rr.group(year, under=0.5)
    assert (risk.size, risk.smallest_under) == (23, 23)
    assert "From 23 members on" in str(risk)
    assert rr.group(year, 60, under=0.01).to_dict()["smallest_under"] == 57
    assert rr.group(year, 60, under=0.01).to_dict()["under"] == 0.01


def test_simulation_is_seeded_and_states_its_interval() -> None:
    one, again = (rr.group(AGES, 3, simulate=0.1, seed=7) for _ in range(2))
    assert one.simulated == again.simulated
    told = one.to_dict()
    assert told["seed"] == 7
    low, high = told["intervals"]["simulated"]
    assert low <= one.exact <= high
    assert told["simulated"]["reached"]
    assert "Simulated:" in str(one)
    assert rr.group(AGES, 3).to_dict()["seed"] is None


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.sampled_from(["f", "m", None])),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 5),
)
def test_tables_by_counting(rows: list[tuple[str, int, str | None]], k: int) -> None:
    held = dict(zip(("town", "age", "sex"), map(list, zip(*rows, strict=True)), strict=True))
    table = rr.read(held, columns=["town", "age", "sex"])
    outcomes = len(set(held["age"])) * len(set(held["sex"]))
    for name, each in _by_town(table, k).items():
        mine = [row[1:] for row in rows if name is None or row[0] == name]
        counts = np.array([mine.count(one) for one in dict.fromkeys(mine)])
        law = GroupLaw.of_counts(counts, outcomes)
        assert each.outcomes == outcomes
        assert each.people == len(mine)
        assert each.exact == pytest.approx(law.exact(k), rel=1e-12)
        assert each.kappa == pytest.approx(law.kappa, abs=1e-12)


def _by_town(table: rr.Table, k: int) -> dict:
    whole = rr.group(table, k, columns=["age", "sex"])
    by_town = rr.group(table, k, columns=["age", "sex"], by="town")
    return {each.group: each for each in (*whole.groups, *by_town.groups)}


def test_a_row_may_stand_for_several_people() -> None:
    held = {"age": [20, 21, 22], "n": [10, 0, 30]}
    table = rr.read(held, columns=["age"], count="n")
    risk = rr.group(table, 2)
    assert risk.people == 40
    # A value nobody holds is listed all the same.
    assert risk.outcomes == 3
    assert risk.exact == pytest.approx(2 * 0.25 * 0.75)
    assert risk.envelope.origin == "records"
    assert not any("attacker" in said for said in risk.envelope.assumptions)


def test_bands_of_a_table_leave_out_unlisted_people_first() -> None:
    table = rr.read({"age": [0, 1, 2, 3, 95, 94]}, columns=["age"])
    risk = rr.group(table, 2, bands={"age": "2,5"}, values={"age": "0-94"})
    assert [each.people for each in risk.groups] == [5, 5]
    assert [each.outcomes for each in risk.groups] == [48, 19]
    assert risk.groups[1].exact == pytest.approx(1 - (16 + 1) / 25)
    texts = rr.read({"town": ["x", "y"]}, columns=["town"])
    with pytest.raises(UnusableColumn):
        rr.group(texts, 2, bands={"town": 5})


def test_the_file_of_groups_is_read_back(tmp_path: Path) -> None:
    table = rr.read(
        {"town": ["a"] * 4 + ["b, c"] * 3, "age": [1, 2, 3, 3, 1, 1, 2]}, columns=["town", "age"]
    )
    risk = rr.group(table, sizes=[2, 3], by="town", values={"age": "0-9"})
    for name in ("groups.csv", "groups.parquet"):
        rr.write_group_file(risk, tmp_path / name, at_least=1)
        back = rr.group(tmp_path / name, sizes=[3, 4])
        assert [(each.group, each.size) for each in back.groups] == [
            ("a", 3), ("a", 4), ("b, c", 3), ("b, c", 4)
        ]  # fmt: skip
        held = {(each.group, each.size): each for each in risk.groups}
        for each in back.groups:
            known = held.get((each.group, each.size))
            wanted = rr.group(table, each.size, by="town", values={"age": "0-9"}).groups
            same = next(one for one in wanted if one.group == each.group)
            for form in ("uniform", "alpha_squared", "kullback_leibler", "uniform_exponential"):
                assert getattr(each, form) == pytest.approx(getattr(same, form), rel=1e-12)
            assert each.exact == (None if known is None else known.exact)
            finite = None if known is None else known.exact_finite
            assert each.exact_finite == (None if finite is None else pytest.approx(finite))
        assert back.to_dict()["from"] == "statistics"
        assert len(back.to_dict()["input"]["sha256"]) == 64
    header = (tmp_path / "groups.csv").read_text().splitlines()[0]
    assert header == "group,outcomes,people,kappa,exact,size,discrepancy,protection,base,kappa_step"
    bad = tmp_path / "bad.csv"
    bad.write_text("group,outcomes,people,kappa,exact\nx,ten,5,0.1,0.2\n")
    with pytest.raises(UnreadableInput, match="no number"):
        rr.group(bad, 3)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("no group size", {}),
        ("can't both hold", {"size": 3, "sizes": [3]}),
        ("whole numbers from 1", {"size": 0}),
        ("model='guess'", {"size": 3, "model": "guess"}),
        ("under is a probability", {"size": 3, "under": 1.5}),
        ("simulate is a relative half-width", {"size": 3, "simulate": 0.0}),
        ("confidence lies between", {"size": 3, "confidence": 0.1}),
        ("by needs records", {"size": 3, "by": "age"}),
        ("no width", {"size": 3, "bands": {"age": []}}),
        ("both name", {"size": 3, "bands": {"age": 2}, "levels": {"age": 1}}),
    ],
)
def test_what_is_refused(said: str, asked: dict) -> None:
    with pytest.raises(InputError, match=said):
        rr.group(AGES, **asked)


def test_tables_that_are_refused() -> None:
    held = {"who": ["p", "p", "q"], "age": [1, 2, 3]}
    with pytest.raises(InputError, match="one combination of values"):
        rr.group(rr.read(held, columns=["age"], person="who"), 2)
    table = rr.read(held, columns=["age"])
    with pytest.raises(UnknownColumn):
        rr.group(table, 2, by="town")
    with pytest.raises(InputError, match="no quasi-identifiers"):
        rr.group(table, 2, by="age")


def test_samples_and_lumped_values() -> None:
    sample = Statistics(26, (Attribute("age", {"20": 20}, 0, Other(6, 3)),), sample_of=2600)
    risk = rr.group(sample, 2)
    assert risk.outcomes == 4
    assert risk.people == 2600
    # Of the ten ways three are like 4 + 1 + 1, six like 3 + 2 + 1, and one is 2 + 2 + 2.
    squares = (3 * 18 + 6 * 14 + 12) / 10
    assert risk.exact == pytest.approx(1 - (400 + squares) / 26**2)
    assert risk.limits["exact"] == pytest.approx((1 - 418 / 26**2, 1 - 412 / 26**2))
    assert risk.to_dict()["intervals"]["exact"] == list(risk.limits["exact"])


BELGIUM = {"count": "count", "columns": ["municipality", "age", "sex"]}


def test_belgium_by_municipality(shared_data: Path) -> None:
    table = rr.read(shared_data / "belgium_2015" / "belgium_2015.parquet", **BELGIUM)
    risk = rr.group(table, 41, by="municipality", columns=["age", "sex"], values={"age": "0-94"})
    assert len(risk.groups) == 589
    assert {each.outcomes for each in risk.groups} == {190}
    assert sum(each.people or 0 for each in risk.groups) == 11_195_008
    assert {round(each.uniform, 7) for each in risk.groups} == {0.0094665}
    for each in risk.groups:
        assert 0.0 < each.exact < each.uniform
    smallest = min(risk.groups, key=lambda each: each.people)
    assert (smallest.people, smallest.group) == (86, "73028")
    assert smallest.exact_finite == pytest.approx(
        smallest.exact / math.prod(1 - i / 86 for i in range(41))
    )
    alone = rr.group(table, 29, columns=["age"], values={"age": "0-94"})
    assert round(alone.uniform, 7) == 0.0083993
