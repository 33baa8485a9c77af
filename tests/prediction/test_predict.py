"""A whole table's measures from its statistics, against counted truth; what it says of itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics import example_statistics
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed

COLUMNS = ["county", "age", "sex", "marital_state", "occupation"]


@pytest.fixture(scope="module")
def city() -> tuple[Any, Statistics]:
    table = rr.read(rr.city(20_000), columns=COLUMNS)
    return rr.measure(table), rr.publish(table, pairs="all", unprotected=True)


@pytest.mark.parametrize(
    ("model", "off"), [("pairwise", 0.01), ("tree", 0.03), ("auto", 0.01), ("independent", 0.4)]
)
def test_against_the_counted_table(city: tuple[Any, Statistics], model: str, off: float) -> None:
    truth, statistics = city
    risk = rr.predict(statistics, model=model)
    assert risk.predicted
    assert risk.people == pytest.approx(20_000)
    assert abs(risk.overall_risk - truth.overall_risk) < off
    assert abs(risk.alone_share - truth.alone_share) < off
    assert risk.reference is not None
    assert risk.reference.overall_risk == pytest.approx(
        rr.predict(statistics, model="independent").overall_risk, rel=1e-3
    )
    low, high = risk.intervals["overall_risk"]
    assert low < risk.overall_risk < high


def test_auto_says_why(city: tuple[Any, Statistics]) -> None:
    _, statistics = city
    assert rr.predict(statistics).envelope.model == "pairwise"
    two = rr.predict(statistics, columns=["age", "sex"])
    assert two.envelope.model == "tree"
    assert two.why == "The one pair table is kept by a tree, which needs no fitting."
    counted = rr.measure(rr.read(rr.city(20_000), columns=["age", "sex"]))
    assert two.overall_risk == pytest.approx(counted.overall_risk)
    alone = rr.predict(rr.publish(rr.read(rr.city(500), columns=["age", "sex"]), pairs="none"))
    assert alone.why == "There are no pair tables, so nothing is known of dependence."


def test_any_view(city: tuple[Any, Statistics]) -> None:
    _, statistics = city
    seen = rr.read(rr.city(20_000), columns=["county", "age", "sex"], bands={"age": "10"})
    counted = rr.measure(seen)
    risk = rr.predict(statistics, columns=["county", "age", "sex"], bands={"age": "10"})
    assert risk.envelope.input.columns == ("county", "age", "sex")
    assert abs(risk.overall_risk - counted.overall_risk) < 0.001


def test_what_was_counted_of_dependence_is_shown(city: tuple[Any, Statistics]) -> None:
    truth, statistics = city
    assert truth.dependence is not None
    wanted = {(each.of, each.on): each for each in truth.dependence}
    found = rr.predict(statistics, model="tree").dependence
    assert found is not None
    assert len(found) == len(wanted)
    for each in found:
        same = wanted[each.of, each.on]
        assert each.gain_ratio == pytest.approx(same.gain_ratio, abs=1e-9)
        assert each.uncorrected == pytest.approx(same.uncorrected, abs=1e-9)
        assert each.corrected == pytest.approx(same.corrected, abs=1e-9)
        assert each.kind == same.kind


def test_shuffled_as_published(city: tuple[Any, Statistics]) -> None:
    _, statistics = city
    asked = {"columns": ["county", "sex"], "model": "shuffle", "samples": 4, "capacity": 5}
    risk = rr.predict(statistics, seed=3, **asked)
    again = rr.predict(statistics, seed=3, **asked)
    other = rr.predict(statistics, seed=4, **asked)
    assert risk.fit is not None
    assert risk.fit["samples"] == 4
    assert risk.envelope.seed == 3
    assert risk.overall_risk == again.overall_risk
    assert other.overall_risk == pytest.approx(risk.overall_risk, rel=0.1)


def test_a_sample_predicts_its_population() -> None:
    whole = rr.city(20_000)
    columns = ["county", "age", "sex"]
    some = rr.read(whole.take(list(range(0, 20_000, 5))), columns=columns)
    statistics = rr.publish(some, pairs="all", unprotected=True, population=20_000)
    risk = rr.predict(statistics)
    truth = rr.measure(rr.read(whole, columns=columns))
    assert risk.people == pytest.approx(20_000)
    assert abs(risk.overall_risk - truth.overall_risk) < 0.02
    assert any("a sample of 20,000" in said for said in risk.envelope.assumptions)


def test_the_background_lends_its_dependence() -> None:
    columns = ["age", "marital_state", "occupation"]
    background = rr.publish(rr.read(rr.city(20_000), columns=columns), unprotected=True)
    table = rr.read(rr.city(3000, seed=7), columns=columns)
    target = rr.publish(table, pairs="none", unprotected=True)
    truth = rr.measure(table)
    plain, lent = rr.predict(target), rr.predict(target, background=background)
    assert abs(lent.overall_risk - truth.overall_risk) < 0.4 * abs(
        plain.overall_risk - truth.overall_risk
    )
    assert any("the background's dependence" in said for said in lent.envelope.assumptions)


def test_statistics_with_gaps() -> None:
    held = Statistics(
        1000,
        (
            Attribute("a", {"x": 600, "y": Suppressed(5)}, 10, Other(380, 40)),
            Attribute("b", {"p": 490, "q": 500}),
        ),
        rounded_to=10,
    )
    risk = rr.predict(held)
    assert risk.people == pytest.approx(1000)
    said = " ".join(risk.envelope.assumptions)
    assert "40 values merged into other" in said
    assert "add up to 990 and were scaled to 1,000" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "magic"}, "model='magic'"),
        ({"columns": ["size"]}, "no attribute 'size'"),
        ({"columns": []}, "no attribute was named"),
        ({"model": "shuffle", "samples": 0}, "whole numbers from 1"),
        ({"crowds": [0]}, "whole numbers from 1"),
    ],
)
def test_bad_questions(city: tuple[Any, Statistics], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rr.predict(city[1], **options)


def test_records_are_counted_not_predicted(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="these are records"):
        rr.predict(table)


def test_it_says_itself(city: tuple[Any, Statistics]) -> None:
    risk = rr.predict(city[1])
    text = str(risk)
    assert "are expected to be alone" in " ".join(text.split())
    assert "90 % interval" in text
    assert "Model: pairwise. No tree (decomposable model) reproduces all 10 two-way" in text
    assert "The fit converged" in text
    assert "If all columns were independent" in text
    assert "they are no bound" in " ".join(map(str, risk.envelope.assumptions))
    told = risk.to_dict()
    assert told["reference"]["overall_risk"] == risk.reference.overall_risk  # type: ignore[union-attr]
    assert told["fit"]["ended"] == "converged"
    ks = told["share_in_crowds_of_at_least"]
    assert set(told["intervals"]) == {
        "overall_risk", "alone_share", "expected_reidentifications",
        *(f"share_in_crowds_of_at_least_{k}" for k in ks),
    }  # fmt: skip
    assert told["model"] == "pairwise"


GAPS = Statistics(
    1000,
    (
        Attribute("a", {"x": 600, "y": Suppressed(5)}, 10, Other(380, 12)),
        Attribute("b", {"p": 490, "q": 500}),
        Attribute("c", {"20-29": 300, "30-39": 690}, 10),
    ),
    (
        PairCounts(("a", "b"), {("x", "p"): 100, ("x", "q"): Suppressed(), (None, "p"): 10}),
        PairCounts(("b", "c"), {("p", "20-29"): 250, ("q", None): 10}),
        PairCounts(("a", "c"), {("x", "30-39"): 500}),
    ),
    rounded_to=10,
)


@pytest.mark.parametrize("model", ["independent", "pair", "tree", "pairwise", "shuffle", "auto"])
@pytest.mark.parametrize("kind", ["gaps", "sample", "background"])
def test_every_model_takes_statistics_as_they_are(model: str, kind: str) -> None:
    """Partial pair tables, lumped, missing, held back and rounded counts; samples; backgrounds."""
    held = replace(GAPS, sample_of=5000) if kind == "sample" else GAPS
    options: dict[str, Any] = {"model": model, "samples": 2, "capacity": 2}
    if kind == "background":
        options["background"] = GAPS
        held = replace(GAPS, pairs=())
    risk = rr.predict(held, **options)
    people = 5000 if kind == "sample" else 1000
    assert risk.people == pytest.approx(people)
    assert 0 < risk.overall_risk <= 1
    assert sum(risk.crowd_sizes.sizes * risk.crowd_sizes.crowds) == pytest.approx(people)
    low, high = risk.intervals["overall_risk"]
    assert low <= risk.overall_risk <= high
    assert any("merged into other" in said for said in risk.envelope.assumptions)


def test_a_fit_that_did_not_converge_is_said_once() -> None:
    """Pair tables of different tables, which no population has."""
    cells = {("x", "p"): 400, ("x", "q"): 100, ("y", "p"): 100, ("y", "q"): 400}
    attributes = tuple(
        Attribute(name, {first: 500, second: 500})
        for name, (first, second) in {"a": "xy", "b": "pq", "c": "mn"}.items()
    )
    with_c = {("x", "m"): 450, ("x", "n"): 50, ("y", "m"): 50, ("y", "n"): 450}
    never = {("p", "m"): 50, ("p", "n"): 450, ("q", "m"): 450, ("q", "n"): 50}
    held = Statistics(
        1000,
        attributes,
        (PairCounts(("a", "b"), cells), PairCounts(("a", "c"), with_c),
         PairCounts(("b", "c"), never)),
    )  # fmt: skip
    risk = rr.predict(held)
    assert risk.fit["ended"] in ("no closer", "sweeps ran out")
    text = " ".join(str(risk).split())
    assert text.count("did not converge") == 1
    assert re.search(r"did not converge.*: the largest deviation is \d+ people \(of 1,000\)", text)


def test_a_fit_that_is_nearly_there_says_what_is_left_does_to_the_figures() -> None:
    """Half a person is as good as there; more of them are said, with what they move."""
    risk = rr.predict(example_statistics())
    ends = {"way": "listed", "sweeps": 300, "largest_pair_deviation": 0.06}

    def told(people_off: float, ended: str) -> str:
        fit = {"ended": ended, "people_off": people_off, **ends}
        return " ".join(str(replace(risk, fit=fit)).split())

    near = told(0.3, "sweeps ran out")
    assert "The fit ends within half a person of every two-way table" in near
    assert "did not converge" not in near
    farther = told(risk.people / 200, "no closer")
    assert "The fit did not converge" in farther
    assert "What is off can move the overall risk by about 0.5 %." in farther
    assert "What is off" not in told(risk.people / 200, "converged")
