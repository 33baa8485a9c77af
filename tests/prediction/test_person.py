"""One person's crowd, predicted and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.prediction.person_risk import UsedPair
from reidrisk.prediction.person_values import UnknownValue
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics

INDEPENDENT = Statistics(
    30162,
    (
        Attribute("age", {"38": 800, "39": 816, "40-44": 4000}, 0, Other(24546, 60)),
        Attribute("sex", {"Male": 20380, "Female": 9782}),
        Attribute("race", {"White": 25933, "Black": 2817, "Elsewhere": 1412}),
    ),
)
PERSON = {"age": 39, "sex": "Male", "race": "Black"}


def test_the_exact_law_of_a_member() -> None:
    risk = rr.person(INDEPENDENT, PERSON, crowds=[2, 5, 50])
    law = rr.RecursiveHypergeometric(30161, [815, 20379, 2816])
    assert risk.k_indistinguishable[5] == pytest.approx(law.sf(3), rel=1e-9)
    assert risk.expected_crowd == pytest.approx(1 + law.mean(), rel=1e-12)
    ks = np.arange(0, 800)
    assert risk.risk == pytest.approx(float(np.sum(law.pmf(ks) / (1 + ks))), rel=1e-9)
    assert risk.without_dependence is None
    assert risk.pairs == ()


def test_what_is_known_of_the_person() -> None:
    law = rr.RecursiveHypergeometric(30162, [816, 20380, 2817])
    paper = rr.person(INDEPENDENT, PERSON, given="paper", crowds=[2, 40])
    assert paper.k_indistinguishable[40] == pytest.approx(law.sf(39) / law.sf(0), rel=1e-9)
    unknown = rr.person(INDEPENDENT, PERSON, given="unknown", crowds=[2, 40])
    assert unknown.k_indistinguishable[40] == pytest.approx(law.sf(39), rel=1e-9)
    assert unknown.crowd.nobody == pytest.approx(law.pmf(0), rel=1e-9)
    assert unknown.expected_crowd < paper.expected_crowd + 1e-9
    member = rr.person(INDEPENDENT, PERSON, crowds=[2, 40])
    assert member.k_indistinguishable[40] > paper.k_indistinguishable[40]


def test_what_gives_most_away() -> None:
    risk = rr.person(INDEPENDENT, PERSON)
    assert [each.attribute for each in risk.gives_away] == ["age", "race", "sex"]
    without = rr.person(INDEPENDENT, {"sex": "Male", "race": "Black"})
    assert risk.gives_away[0].risk_without_it == pytest.approx(without.risk)
    assert rr.person(INDEPENDENT, {"sex": "Male"}).gives_away[0].risk_without_it == 1 / 30162


def test_one_value_is_its_count() -> None:
    risk = rr.person(INDEPENDENT, {"age": "39"}, crowds=[816, 817])
    assert risk.expected_crowd == 816
    assert risk.k_indistinguishable == {816: 1.0, 817: 0.0}
    assert risk.risk == pytest.approx(1 / 816)


def test_values_are_forgiven_and_said() -> None:
    risk = rr.person(INDEPENDENT, {"AGE": 42, "Sex": "male"})
    assert "age 42 was taken as the band 40-44." in risk.envelope.assumptions
    assert "sex male was taken as the value Male." in risk.envelope.assumptions
    lumped = rr.person(INDEPENDENT, {"age": 17})
    assert any("one of the 60 values merged into other" in s for s in lumped.envelope.assumptions)
    # 24,546 people over 60 values, 409.1 each on average: a member's value is one of the larger.
    assert rr.person(INDEPENDENT, {"age": 17}, given="unknown").expected_crowd == pytest.approx(
        409.1, rel=1e-3
    )
    assert lumped.expected_crowd > 409.1
    assert lumped.risk == pytest.approx(1 / 409.1, rel=1e-3)
    assert lumped.limits["risk"][0] < 1 / 10_000
    assert lumped.limits["risk"][1] == 1.0


DEPENDENT = Statistics(
    1000,
    (
        Attribute("zip", {"1": 10, "2": 990}),
        Attribute("county", {"A": 100, "B": 900}),
        Attribute("sex", {"f": 500, "m": 500}),
    ),
    (PairCounts(("zip", "county"), {("1", "A"): 8, ("1", "B"): 2, ("2", "A"): 92}),),
)


@pytest.mark.parametrize("model", ["tree", "groups", "pair"])
def test_a_strong_pair_is_one_value(model: str) -> None:
    """One pair table: whether it is used as a tree, a group or TFRR's pair is all the same."""
    asked = {"zip": 1, "county": "A", "sex": "f"}
    risk = rr.person(DEPENDENT, asked, crowds=[2, 3], model=model)
    assert risk.pairs == (UsedPair(("zip", "county"), 8.0, 0.8),)
    law = rr.RecursiveHypergeometric(999, [7, 499])
    assert risk.k_indistinguishable[3] == pytest.approx(law.sf(1))
    plain = rr.RecursiveHypergeometric(999, [9, 99, 499])
    assert risk.without_dependence is not None
    assert risk.without_dependence.at_least[3] == pytest.approx(plain.sf(1))
    alone = rr.person(DEPENDENT, asked, model="independent")
    assert alone.expected_crowd == pytest.approx(1 + plain.mean())


def pair_cells(xx: int, xy: int, yx: int, yy: int) -> dict[tuple[str, str], int]:
    return {("x", "x"): xx, ("x", "y"): xy, ("y", "x"): yx, ("y", "y"): yy}


def test_a_tree_of_pair_tables() -> None:
    """a with b, b with c: of the 60 who hold b, 20 hold a and 30 hold c."""
    n, cells = 200, {"b": 60, "ab": 20, "bc": 30}
    held = Statistics(
        n,
        (
            Attribute("a", {"x": 50, "y": 150}),
            Attribute("b", {"x": 60, "y": 140}),
            Attribute("c", {"x": 80, "y": 120}),
        ),
        (
            PairCounts(("a", "b"), pair_cells(20, 30, 40, 110)),
            PairCounts(("b", "c"), pair_cells(30, 30, 50, 90)),
        ),
    )
    asked = {"a": "x", "b": "x", "c": "x"}
    law = rr.RecursiveHypergeometric(cells["b"] - 1, [cells["ab"] - 1, cells["bc"] - 1])
    risk = rr.person(held, asked, crowds=[2, 10, 12])
    assert risk.k_indistinguishable[10] == pytest.approx(law.sf(8), rel=1e-9)
    assert risk.expected_crowd == pytest.approx(1 + law.mean())
    free = rr.RecursiveHypergeometric(cells["b"], [cells["ab"], cells["bc"]])
    unknown = rr.person(held, asked, crowds=[12], given="unknown")
    assert unknown.k_indistinguishable[12] == pytest.approx(free.sf(11), rel=1e-9)
    paper = rr.person(held, asked, crowds=[12], given="paper")
    assert paper.k_indistinguishable[12] == pytest.approx(free.sf(11) / free.sf(0), rel=1e-9)


def test_two_values_of_known_joint_count() -> None:
    """The joint count is the answer; the paper prints a binomial around it."""
    risk = rr.person(DEPENDENT, {"zip": 1, "county": "A"}, crowds=[8, 9])
    assert risk.k_indistinguishable == {8: 1.0, 9: 0.0}
    assert risk.risk == pytest.approx(1 / 8)
    printed = rr.person(
        DEPENDENT, {"zip": 1, "county": "A"}, crowds=[8, 9], model="paper", given="unknown"
    )
    from scipy.stats import binom

    assert printed.k_indistinguishable[8] == pytest.approx(binom.sf(7, 10, 0.8))
    assert printed.expected_crowd == pytest.approx(8)
    ks = np.arange(1, 11)
    assert printed.risk == pytest.approx(float(np.sum(binom.pmf(ks, 10, 0.8) / ks)), rel=1e-6)


def test_the_papers_form_with_three_values() -> None:
    from scipy.stats import binom

    printed = rr.person(
        DEPENDENT,
        {"zip": 1, "county": "A", "sex": "f"},
        crowds=[2, 3],
        model="paper",
        given="paper",
    )
    assert printed.k_indistinguishable[3] == pytest.approx(
        binom.sf(2, 8, 0.5) / binom.sf(0, 8, 0.5)
    )


BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "attribute": ({"size": 3}, {}, "there is no attribute 'size'"),
    "value": ({"sex": "Mal"}, {}, "isn't one of its 2 values\nclose to it: Male"),
    "nothing": ({}, {}, "no value was given"),
    "missing": ({"sex": ""}, {}, "everybody in the statistics has one"),
    "twice": ({"sex": "Male", "SEX": "Male"}, {}, "'sex' was given twice"),
    "given": ({"sex": "Male"}, {"given": "maybe"}, "given='maybe'"),
    "model": ({"sex": "Male"}, {"model": "all"}, "model='all'"),
    "crowds": ({"sex": "Male"}, {"crowds": [0]}, "whole numbers from 1"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_questions(fault: str) -> None:
    person, options, said = BAD[fault]
    with pytest.raises(InputError, match=said):
        rr.person(INDEPENDENT, person, **options)


def test_a_value_nobody_has() -> None:
    held = Statistics(10, (Attribute("a", {"x": 10, "y": 0}),))
    with pytest.raises(InputError, match="nobody has the value given"):
        rr.person(held, {"a": "y"})
    assert rr.person(held, {"a": "y"}, given="unknown").crowd.nobody == 1.0


def test_bands_that_overlap() -> None:
    held = Statistics(10, (Attribute("age", {"0-10": 4, "10-20": 6}),))
    with pytest.raises(
        InputError, match="2 of its bands contain the value given\nwhich: 0-10, 10-20"
    ):
        rr.person(held, {"age": 10})


def test_no_message_carries_the_value() -> None:
    with pytest.raises(InputError) as told:
        rr.person(INDEPENDENT, {"sex": "Zebra"})
    assert "Zebra" not in str(told.value)


TABLE = {"age": [39, 39, 40, 41, None], "sex": ["f", "f", "m", "f", "m"]}


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_counted_in_a_table(engine: str) -> None:
    table = rr.read(TABLE, columns=["age", "sex"], engine=engine)
    risk = rr.person(table, {"age": 39, "sex": "F"}, crowds=[2, 3])
    assert risk.expected_crowd == 2
    assert risk.risk == 0.5
    assert risk.k_indistinguishable == {2: 1.0, 3: 0.0}
    assert risk.gives_away[0].attribute == "age"
    assert risk.gives_away[0].risk_without_it == pytest.approx(1 / 3)
    nobody = rr.person(table, {"age": 99})
    assert nobody.expected_crowd == 0
    said = "age: the table has no such value, and close to it: 41, 40, 39."
    assert said in nobody.envelope.warnings
    with pytest.raises(UnknownValue, match="age: the value 'thirty-nine' is unknown"):
        rr.person(table, {"age": "thirty-nine"})
    with pytest.raises(UnknownValue, match="sex: the value 'female' is unknown"):
        rr.person(table, {"sex": "female"})
    assert "Nobody in the table has this combination of values." in str(nobody)
    assert rr.person(table, {"age": None}).expected_crowd == 1


def test_it_says_itself() -> None:
    risk = rr.person(DEPENDENT, {"zip": 1, "county": "A", "sex": "f"})
    text = str(risk)
    assert "zip and county go together: 8 people have both values, 80.0 % of those" in text
    assert "If all values were independent" in text
    assert "contributes most to the risk" in text
    assert "at least 2" in text
    told = risk.to_dict()
    assert told["k_indistinguishable"]["2"] == risk.k_indistinguishable[2]
    assert told["model"] == "recursive hypergeometric along a tree of pair tables"
    assert told["pairs"] == [{"of": ["zip", "county"], "people": 8.0, "confidence": 0.8}]
    assert "<table>" in risk._repr_html_()


def test_values_that_chance_brings_together_do_not_go_together() -> None:
    """Half of everybody is x, and half of those with the rarer value: no more than chance."""
    cells = {("f", "39"): 51, ("f", "40"): 449, ("m", "39"): 49, ("m", "40"): 451}
    statistics = Statistics(
        1000,
        (Attribute("sex", {"f": 500, "m": 500}), Attribute("age", {"39": 100, "40": 900})),
        (PairCounts(("sex", "age"), cells),),
    )
    told = " ".join(str(rr.person(statistics, {"sex": "f", "age": "39"})).split())
    assert "go together" not in told
    assert "1 two-way table used" in told
