"""`link`: figures against pairs counted one by one, claims against drawn populations, files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr

rows_drawn = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("123")), min_size=1, max_size=25
)
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def table_of(rows: list[tuple[str, str]]) -> dict[str, list[str]]:
    return {"a": [a for a, _ in rows], "b": [b for _, b in rows]}


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@given(released=rows_drawn, register=rows_drawn)
def test_figures_are_those_of_the_pairs(
    engine: str, released: list[tuple[str, str]], register: list[tuple[str, str]]
) -> None:
    found = rr.link(
        table_of(released),
        table_of(register),
        engine=engine,
        register_options={"engine": engine},
    )
    held, given_away = Counter(register), Counter(released)
    each = [held[row] for row in released]
    assert found.none == each.count(0)
    assert found.one == each.count(1)
    assert found.more == sum(n > 1 for n in each)
    assert found.k_map == min((n for n in each if n), default=None)
    presence = [min(given_away[row] / n, 1.0) for row, n in held.items()]
    assert found.presence == pytest.approx((min(presence), max(presence)))
    assert found.expected_links is not None
    assert found.expected_links.value == pytest.approx(sum(1 / n for n in each if n))
    assert found.right is not None
    assert found.right.value == each.count(1)


def test_columns_of_other_names_and_coarser_ones() -> None:
    released = {"age": [31, 47], "zip": ["0123", "0456"]}
    register = {
        "years": [33, 44, 58],
        "postcode": ["0199", "0400", "0400"],
        "name": ["u", "v", "w"],
    }
    found = rr.link(
        released,
        register,
        on=["age=years", "zip=postcode"],
        bands={"age": 10},
        levels={"zip": 2},
        register_options={"bands": {"years": 10}, "levels": {"postcode": 2}},
    )
    assert found.register.on == {"age": "years", "zip": "postcode"}
    assert (found.one, found.none, found.more) == (2, 0, 0)


def test_the_truth_is_never_matched_on() -> None:
    released = {"a": ["x", "y", "z"], "id": ["1", "2", "3"]}
    register = {"a": ["x", "y", "y"], "number": ["1", "9", "2"]}
    found = rr.link(released, register, on=["a"], truth="id=number")
    measured = found.measured
    assert measured is not None
    # x is claimed and right; y has two candidates, z none.
    assert (measured.claims, measured.right, measured.in_both) == (1, 1, 2)
    assert (measured.precision, measured.recall) == (1.0, 0.5)
    wrong = rr.link(released, register | {"number": ["7", "9", "2"]}, on=["a"], truth="id=number")
    assert wrong.measured is not None
    assert wrong.measured.precision == 0.0


def drawn_world(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """A population whose columns hang together, as a table of codes."""
    rng = np.random.default_rng(seed)
    size = 40_000
    place = rng.choice(60, size, p=rng.dirichlet(np.ones(60)))
    age = np.clip(rng.normal(40 + place % 7, 18, size).round(), 0, 95).astype(int)
    job = (age // 12 + rng.integers(0, 6, size) + place % 3) % 14
    return {"place": place, "age": age, "job": job}, np.arange(size)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_claims_are_right_as_often_as_said(share: float) -> None:
    """A register that is a random part of a population; released people are any of it."""
    inside = 0
    for seed in range(4):
        world, person = drawn_world(seed)
        rng = np.random.default_rng([seed, 1])
        size = len(person)
        released = rng.choice(size, 6_000, replace=False)
        register = np.flatnonzero(rng.random(size) < share)
        mine, theirs = (
            {name: held[rows] for name, held in world.items()} | {"id": person[rows]}
            for rows in (released, register)
        )
        found = rr.link(
            mine,
            theirs,
            on=list(world),
            register_covers=share,
            truth="id",
            rows_are_people=True,
            register_options={"rows_are_people": True},
        )
        assert found.right is not None
        assert found.measured is not None
        low, high = found.right.interval
        inside += low <= found.measured.right <= high
        assert found.right.value == pytest.approx(found.measured.right, rel=0.15)
        assert found.measured.right < 0.95 * found.made
    assert inside >= 3


def test_files_name_nobody_unless_asked(tmp_path: Path) -> None:
    released = {"a": ["x", "y", "z"]}
    register = {"a": ["x", "y", "y"], "name": ["Ann", "Ben", "Cy"]}
    risks, matches = tmp_path / "risks.csv", tmp_path / "matches.csv"
    rr.link(released, register, on=["a"], risk_file=risks, show_matches=matches,
            register_options={"key": "name"})  # fmt: skip
    told = arrow_csv.read_csv(risks).to_pydict()
    assert told["row"] == [1, 2, 3]
    assert told["candidates"] == [1, 2, 0]
    assert told["claim_probability"] == [1.0, 0.5, 0.0]
    assert "Ann" not in risks.read_text()
    claimed = arrow_csv.read_csv(matches, convert_options=arrow_csv.ConvertOptions(
        strings_can_be_null=True)).to_pydict()  # fmt: skip
    assert claimed["match"] == ["Ann", None, None]
    for place in (risks, matches):
        assert place.stat().st_mode & 0o77 == 0


def test_the_picture_has_a_text() -> None:
    register = {"a": ["x", "y", "y"]}
    drawn = rr.link({"a": ["x", "y", "z"]}, register, register_covers=0.5).plot()
    described = str(drawn.to_dict()["description"])
    for words in ("no candidate (1): 33.3 %", "exactly one (1): 33.3 %", "several (1): 33.3 %"):
        assert words in described
    assert "exactly one, and right" in described


def test_the_answer_names_nobody() -> None:
    register = {"a": ["x", "y"], "name": ["Ann Example", "Ben"]}
    found = rr.link({"a": ["x"]}, register, on=["a"], register_options={"key": "name"})
    assert "Ann" not in found.to_json()
    assert "Ann" not in str(found)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"on": ["a=c"]}, "there is no column 'c'"),
        ({"on": ["a", "a=b"]}, "names 'a' twice"),
        ({"errors": 2}, "from 0 to 1"),
        ({"errors": -1}, "whole number from 0"),
        ({"register_covers": 0.0}, "above 0 and at most 1"),
        ({"register_covers": 0.5, "population": 9}, "both say how many"),
        ({"population": 1}, "the register alone has 3"),
        ({"tolerance": {"a": 1}}, "its values are no numbers"),
        ({"tolerance": {"q": 1}}, "there is no column 'q'"),
        ({"compare": {"a": "loud"}}, "no such form"),
        ({"truth": "id"}, "there is no column 'id'"),
        ({"person": "a"}, "linking compares rows"),
        ({"show_matches": "m.csv"}, "--register-key"),
    ],
)
def test_what_is_refused(
    asked: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    released = {"a": ["x", "y", "x"], "b": ["1", "2", "3"]}
    register = {"a": ["x", "y", "z"], "b": ["1", "1", "2"]}
    told = {"columns": ["b"]} if "person" in asked else {}
    asked = ({"on": ["b"]} if "person" in asked else {}) | asked
    with pytest.raises(rr.InputError) as error:
        rr.link(released, register, **asked, **told)
    assert words.replace("--register-key", "register") in str(error.value) or words in str(
        error.value
    )


def test_two_tables_without_a_common_column() -> None:
    with pytest.raises(rr.InputError, match="no column of the same name"):
        rr.link({"a": ["x"]}, {"b": ["x"]})


def test_what_does_not_meet_is_said() -> None:
    found = rr.link({"a": ["x", "y"], "b": ["1", "1"]}, {"a": ["X", "Y", "x"], "b": ["1"] * 3})
    assert any("1 of the 2 values of a, those of 50%" in each for each in found.warnings)
    assert any("right way round" in each for each in
               rr.link({"a": ["x"] * 3}, {"a": ["x"] * 2}).warnings)  # fmt: skip
    nobody = rr.link({"a": ["x"]}, {"a": ["z"]})
    assert nobody.k_map is None
    assert nobody.journalist_risk == 0.0
    assert "Nobody released agrees" in str(nobody)


@pytest.mark.skipif(not (DATA / "febrl4").is_dir(), reason="febrl4 isn't at hand (../shared/data)")
def test_febrl4() -> None:
    """Names, address, date of birth and postcode, up to two of them wrong."""
    texts = ["given_name", "surname", "address_1", "suburb"]
    found = rr.link(
        DATA / "febrl4" / "febrl4a.parquet",
        DATA / "febrl4" / "febrl4b.parquet",
        on=[*texts, "postcode", "date_of_birth"],
        compare=dict.fromkeys(texts, "phonetic"),
        errors=2,
        missing="wildcard",
        truth="person",
        rows_are_people=True,
        register_options={"rows_are_people": True},
    )
    assert found.measured is not None
    assert found.measured.recall is not None
    assert found.measured.precision is not None
    assert found.measured.recall >= 0.95
    assert found.measured.precision >= 0.99
