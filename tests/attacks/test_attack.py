"""The distribution over people, all knowledge of a size and random knowledge, against loops."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.attacks import random_knowledge
from reidrisk.attacks.known_attributes import number_of_views
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from tests.attacks import oracles
from tests.engines.tables import Drawn, tables

KINDS = [("people", "own"), ("people", "wildcard"), ("counts", "own"), ("counts", "wildcard"),
         ("rows of persons", "own")]  # fmt: skip
any_table = st.one_of([tables(*kind) for kind in KINDS])


@given(any_table, st.data())
def test_the_distribution_is_that_of_the_people(drawn: Drawn, data: st.DataObject) -> None:
    knows = data.draw(st.lists(st.sampled_from(drawn.names), min_size=1, unique=True))
    table = rr.read(drawn.written, **drawn.options)
    found = rr.attack(table, knows=knows)
    per_size = drawn.truth.people_per_size(knows)
    risks = [1 / size for size, people in per_size.items() for _ in range(people)]
    assert list(found.cdf) == oracles.cdf(risks)
    assert list(found.survival) == oracles.survival(risks)
    assert found.cdf[-1][1] == found.survival[0][1] == 1
    for steps, turned in ((found.cdf, 1), (found.survival, -1)):
        at, shares = zip(*steps, strict=True)
        assert list(at) == sorted(set(at))
        assert list(shares) == sorted(shares, reverse=turned < 0)
    assert found.overall_risk == pytest.approx(math.fsum(risks) / len(risks))
    assert found.people_above == sum(risk > 0.2 for risk in risks)
    assert found.knows == tuple(knows)


@given(any_table, st.data())
def test_all_knowledge_of_a_size(drawn: Drawn, data: st.DataObject) -> None:
    table = rr.read(drawn.written, **drawn.options)
    up_to = data.draw(st.integers(1, len(drawn.names)))
    measure = data.draw(st.sampled_from(["overall_risk", "alone_share", "smallest_crowd"]))
    found = rr.attack(table, up_to=up_to, measure=measure).all_knowledge
    assert found is not None
    assert len(found.views) == number_of_views(len(drawn.names), up_to)
    for each in found.sizes:
        values = {}
        for view in combinations(drawn.names, each.size):
            per_size = drawn.truth.people_per_size(view)
            people = sum(per_size.values())
            values[view] = {
                "overall_risk": sum(held / size for size, held in per_size.items()) / people,
                "alone_share": per_size.get(1, 0) / people,
                "smallest_crowd": min(per_size),
            }[measure]
        assert each.mean == pytest.approx(sum(values.values()) / len(values))
        riskiest = min if measure == "smallest_crowd" else max
        safest = max if measure == "smallest_crowd" else min
        assert each.worst.value == pytest.approx(riskiest(values.values()))
        assert each.best.value == pytest.approx(safest(values.values()))
        assert values[each.worst.knows] == pytest.approx(each.worst.value)


@given(tables(), st.floats(0, 1))
def test_random_knowledge_is_the_mean_over_all_knowledge(drawn: Drawn, share: float) -> None:
    found = rr.attack(rr.read(drawn.written, **drawn.options), share=share).random_knowledge
    assert found is not None
    rows = oracles.people_rows(drawn.truth, drawn.names)
    assert found.overall_risk == pytest.approx(oracles.risk_at_random(rows, share))
    assert found.crowd_sizes.people == pytest.approx(len(rows))
    assert not found.intervals


def ten_columns(rows: int = 300) -> rr.Table:
    rng = np.random.default_rng(5)
    names = [f"c{j}" for j in range(10)]
    return rr.read({name: rng.integers(0, 2 + j, rows) for j, name in enumerate(names)}, names)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_random_knowledge_drawn(share: float) -> None:
    """19 of 20 times: of 200 intervals at least 180 hold the truth, and not all of them."""
    table = ten_columns()
    counted = cache(table.engine.crowd_sizes)
    exact = random_knowledge.known_at_random(table.columns, share, counted, 300)
    inside = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        drawn = random_knowledge.drawn_at_random(table.columns, share, counted, 300, rng)
        assert drawn.crowd_sizes.people == pytest.approx(300)
        assert drawn.views < exact.views
        low, high = drawn.intervals["overall_risk"]
        assert low <= drawn.overall_risk <= high
        inside += low <= exact.overall_risk <= high
    assert 180 <= inside < 200


def test_random_knowledge_is_drawn_where_views_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_knowledge, "MOST_VIEWS", 8)
    table = ten_columns(50)
    drawn, again = (rr.attack(table, share=0.4) for _ in range(2))
    assert drawn.envelope.seed == 0
    assert drawn.random_knowledge is not None
    assert again.random_knowledge is not None
    assert drawn.random_knowledge.intervals
    assert drawn.random_knowledge.to_dict() == again.random_knowledge.to_dict()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_or_nothing_is_exact_whatever_the_attributes(share: float) -> None:
    """Nothing is drawn where only one view can be known, of however many attributes."""
    names = [f"c{j}" for j in range(14)]
    table = rr.read({name: [j % 2 for j in range(8)] for name in names}, columns=names)
    found = rr.attack(table, share=share)
    assert found.random_knowledge is not None
    assert found.random_knowledge.intervals == {}
    assert found.random_knowledge.views == 1
    assert found.random_knowledge.overall_risk == (0.25 if share else 0.125)
    assert found.envelope.seed is None


@pytest.mark.parametrize("k", [3, 10, 20])
def test_adult_anonymised_to_k(shared_data: Path, k: int) -> None:
    """All six quasi-identifiers known: nobody above 1/k, and the cdf is 1 from there on."""
    quasi = ["age", "education", "occupation", "relationship", "sex", "native-country"]
    table = rr.read(shared_data / "adult" / f"adult_anonymized_k{k}.parquet", columns=quasi)
    found = rr.attack(table, play=5000)
    assert found.cdf[-1] == (1 / k, 1.0)
    assert found.highest_risk == 1 / k
    assert found.survival[0][1] == 1
    assert found.played is not None
    low, high = found.played.interval
    assert low < found.overall_risk < high


def test_statistics(tmp_path: Path) -> None:
    columns = ["county", "age", "sex", "occupation"]
    table = rr.read(rr.city(5000), columns=columns)
    statistics = rr.publish(table, pairs="all", unprotected=True)
    counted = rr.attack(table, up_to=2, share=0.5)
    found = rr.attack(statistics, up_to=2, share=0.5, play=2000)
    assert found.envelope.origin == "statistics"
    assert found.envelope.command == "attack"
    assert found.envelope.seed == 0
    assert found.cdf[-1][1] == found.survival[0][1] == 1
    assert abs(found.overall_risk - counted.overall_risk) < 0.02
    assert found.random_knowledge is not None
    assert counted.random_knowledge is not None
    assert found.random_knowledge.overall_risk == pytest.approx(
        counted.random_knowledge.overall_risk, abs=0.01
    )
    assert found.all_knowledge is not None
    assert counted.all_knowledge is not None
    for mine, theirs in zip(found.all_knowledge.sizes, counted.all_knowledge.sizes, strict=True):
        assert mine.worst.knows == theirs.worst.knows
        assert mine.mean == pytest.approx(theirs.mean)
    erring = rr.attack(statistics, knows=["age", "sex", "county"], errors=0.1, play=4000)
    assert erring.played is not None
    assert erring.errors is not None
    low, high = erring.played.interval
    assert low < erring.errors.overall_risk < high


def test_statistics_seen_coarser() -> None:
    table = rr.read(rr.city(3000), columns=["age", "sex"])
    statistics = rr.publish(table, pairs="all", unprotected=True)
    seen = rr.read(rr.city(3000), columns=["age", "sex"], bands={"age": 10})
    found = rr.attack(statistics, bands={"age": "10"}, up_to=1)
    assert found.overall_risk == pytest.approx(rr.attack(seen).overall_risk)
    assert found.all_knowledge is not None
    assert found.all_knowledge.views[0].overall_risk == pytest.approx(
        rr.attack(seen, knows=["age"]).overall_risk
    )


def test_the_answer_in_every_form() -> None:
    table = rr.read(rr.city(2000), columns=["county", "age", "sex"])
    found = rr.attack(table, up_to=2, errors=0.1, play=500, unique_up_to=2, above=0.5)
    answer = json.loads(found.to_json())
    assert answer["command"] == "attack"
    assert answer["knows"] == ["county", "age", "sex"]
    assert answer["cdf"][-1][1] == answer["survival"][0][1] == 1
    assert answer["above"] == {
        "risk": 0.5, "people": found.people_above, "share": found.share_above
    }  # fmt: skip
    assert answer["played"]["targets"] == 500
    assert answer["errors"]["limits"][0] <= answer["errors"]["overall_risk"]
    assert answer["unique_sets"]["up_to"] == 2
    assert answer["all_knowledge"]["sizes"][1]["views"] == 3
    assert answer["random_knowledge"] is None
    words = str(found)
    assert "re-identified with at least" in words
    assert "Simulated attack on 500 targets" in words
    assert ", seed 0)" in words
    assert "<table>" in found._repr_html_()
    assert found.value("overall_risk") == found.overall_risk
    assert "seed" not in str(rr.attack(table))
    assert rr.attack(table).envelope.seed is None


def test_figures_are_told_as_their_measure_is() -> None:
    """A risk of 1 is 100 %, a crowd of one is 1."""
    table = rr.read({"age": [1], "sex": ["f"]}, columns=["age", "sex"])
    words = " ".join(str(rr.attack(table, up_to=1, measure="highest_risk", play=1)).split())
    assert "1 person (100 %) is re-identified with a probability above" in words
    assert "All combinations of up to 1 attribute, by highest_risk" in words
    assert "1 2 100 % 100 % age 100 % age" in words
    assert "Simulated attack on 1 target: 1 was re-identified" in words
    crowds = " ".join(str(rr.attack(table, up_to=1, measure="smallest_crowd")).split())
    assert "1 2 1 1 age 1 age" in crowds


def test_asking_for_more_changes_no_figure() -> None:
    table = rr.read(rr.city(2000), columns=["county", "age", "sex"])
    alone = rr.attack(table, play=3000, seed=7).played
    more = rr.attack(table, play=3000, up_to=2, unique_up_to=2, seed=7).played
    assert alone == more
    assert rr.attack(table, play=3000, seed=8).played != alone


FAULTS = {
    "unknown": ({"knows": ["agee"]}, UnknownColumn, "did you mean 'age'"),
    "nothing": ({"knows": []}, InputError, "no attribute is known"),
    "twice": ({"knows": "age,age"}, ContradictoryOptions, "twice"),
    "share": ({"share": 1.5}, InputError, "share=1.5 isn't between 0 and 1"),
    "errors": ({"errors": -0.1}, InputError, "errors=-0.1 isn't between"),
    "not a number": ({"errors": math.nan}, InputError, "isn't between"),
    "above": ({"above": 2}, InputError, "above=2"),
    "size": ({"up_to": 3}, InputError, "more than the 2 attributes"),
    "no size": ({"up_to": 0}, InputError, "whole number from 1"),
    "unique size": ({"unique_up_to": 3}, InputError, "unique_up_to=3 is more"),
    "targets": ({"play": 0}, InputError, "at least one target"),
    "everybody": ({"play": 10**9}, InputError, "at most 10,000,000 targets"),
    "both": ({"share": 0.5, "errors": 0.5}, ContradictoryOptions, "can't both hold"),
    "limit": ({"up_to": 2, "view_limit": 2}, InputError, "are 3 combinations, and at most 2"),
    "measure": ({"measure": "fame"}, InputError, "no measure is called"),
    "model": ({"model": "tree"}, InputError, "for statistics"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_input(fault: str) -> None:
    options, kind, words = FAULTS[fault]
    table = rr.read({"age": [1, 2, 2], "sex": ["f", "f", "m"]})
    with pytest.raises(kind, match=words):
        rr.attack(table, **options)


def test_what_is_not_defined_is_refused() -> None:
    rows = {"age": [1, 2, None], "sex": ["f", "f", "m"], "id": ["a", "a", "b"]}
    persons = rr.read(rows, columns=["age", "sex"], person="id")
    wild = rr.read(rows, columns=["age", "sex"], missing="wildcard")
    on_disk = rr.read(rows, columns=["age", "sex"], engine="duckdb")
    for option in ({"errors": 0.1}, {"play": 10}):
        with pytest.raises(ContradictoryOptions, match="several rows"):
            rr.attack(persons, **option)
        with pytest.raises(ContradictoryOptions, match="wildcard"):
            rr.attack(wild, **option)
    with pytest.raises(ContradictoryOptions, match="several rows"):
        rr.unique_sets(persons)
    with pytest.raises(InputError, match="engine='codes'"):
        rr.unique_sets(on_disk)
    with pytest.raises(InputError, match="unique sets are found in records"):
        rr.attack(rr.publish(rr.read(rr.city(500), columns=["age"])), unique_up_to=1)
    assert rr.attack(on_disk, up_to=2, share=0.5).overall_risk == 1


def test_errors_and_the_attack_played_where_records_are_counted_on_disk() -> None:
    rows = {"age": [1, 2, 2, 3, 3, None], "sex": list("ffmfmm")}
    memory, disk = (rr.read(rows, engine=engine) for engine in ("codes", "duckdb"))
    wanted = rr.attack(memory, errors=0.2, play=500).errors
    found = rr.attack(disk, errors=0.2, play=500)
    assert found.errors is not None
    assert wanted is not None
    assert found.errors.overall_risk == pytest.approx(wanted.overall_risk)
    assert found.played is not None
    low, high = found.played.interval
    assert low - 0.05 <= found.played.overall_risk <= high + 0.05


def test_names_with_commas() -> None:
    table = rr.read({"a,b": ["x", "y"], "c": ["x", "x"]}, columns=["a,b", "c"])
    assert rr.attack(table, knows=["a,b"]).overall_risk == 1
    assert rr.attack(table, knows="c").overall_risk == 0.5
    assert np.isclose(rr.attack(table, knows=["a,b", "c"]).overall_risk, 1)


def test_a_range_whose_ends_look_alike_is_left_out() -> None:
    from reidrisk.reports.words.attack import _between

    assert _between((0.00201, 0.00203)) == ""
    assert _between((0.212, 0.22)) == "21.2 % to 22.0 %"
