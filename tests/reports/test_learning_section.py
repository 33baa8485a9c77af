"""What would be learnt, in a report: for oneself all of it, for publication nothing of a few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.learning import SensitiveCounts, SensitiveRisk
from reidrisk.reports.crowd_figures import crowd_figures
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.sections.what_would_be_learnt import figures_of, values_seen
from tests.reports import tables

Crowds = tuple[tuple[int, int], ...]


def stays() -> dict[str, list[str]]:
    """Ten crowds: one of twenty all burnt, one of three all burnt, the others mixed."""
    wards = ["burns"] * 20 + ["eyes"] * 3 + [f"w{place % 8}" for place in range(160)]
    found = ["burnt"] * 23 + [("flu", "cut", "burnt", "cut", "flu")[i % 5] for i in range(160)]
    return {"ward": wards, "diagnosis": found}


def section_of(report: rr.Report) -> Any:
    return next(each for each in report.sections if each.key == "learning")


def test_for_oneself_everything_is_said() -> None:
    section = section_of(rr.report(stays(), columns=["ward"], sensitive="diagnosis"))
    said = " ".join(section.sentences)
    assert "20 people (10.9 %) are in crowds of five or more, and yet" in said
    assert "certain for 3 more, people alone included" in said
    assert section.figures["certain_diagnosis"].value == 23
    assert [grid.rows[0][0] for grid in section.grids][:2] == ["at least 50 %", "burnt"]
    (picture,) = section.pictures
    described = picture.draw(640).to_dict()["description"]
    assert described == picture.description
    assert "burnt: 30.1 %, then" in described


def test_the_picture_shows_mean_posteriors() -> None:
    table = {"a": ["x"] * 4 + ["y"] * 2, "s": ["p", "p", "p", "q", "q", "q"]}
    risk = rr.learn(table, columns=["a"], sensitive="s").sensitive["s"]
    seen = {each.name: each for each in values_seen(risk)}
    assert seen["p"].prior == pytest.approx(1 / 2)
    assert seen["p"].posterior == pytest.approx(3 / 4)
    # One of them among four people, two among two.
    assert seen["q"].posterior == pytest.approx((1 / 4 + 1 + 1) / 3)


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_published_it_names_no_value_and_no_small_count(kind: str) -> None:
    published = rr.report(stays(), columns=["ward"], sensitive="diagnosis", publishable=True)
    text = published.written(kind)
    text = tables.Seen(text).text if kind == "html" else text
    for value in ("burnt", "flu", "burns", "eyes"):
        assert value not in text
    for measure in ("entropy", "t-closeness", "β", "δ-disclosure"):
        assert measure not in text
    assert "What would be learnt?" in text
    section = section_of(published)
    assert "23" not in " ".join(section.sentences)
    assert section.figures["certain_diagnosis"].text == "20"


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_hostile_names_and_values_stay_text(kind: str) -> None:
    name = f"s{tables.SCRIPT}"
    held = {"a": ["x", "y"] * 60, name: [f"v{i % 3}{tables.SCRIPT}" for i in range(120)]}
    text = rr.report(held, columns=["a"], sensitive=[name]).written(kind)
    if kind == "html":
        assert "script" not in {tag for tag, _ in tables.Seen(text).elements}
        assert "v0&lt;script&gt;" in text
    elif kind == "md":
        # A command to copy stands indented, as code.
        lines = [line for line in text.splitlines() if not line.startswith("    ")]
        assert not [line for line in lines if "<script>" in line]


def test_what_cannot_be_learnt_of_is_refused() -> None:
    table = rr.read(stays(), columns=["ward"])
    with pytest.raises(InputError, match="read without 'diagnosis' as sensitive"):
        rr.report(table, sensitive="diagnosis")
    with pytest.raises(ContradictoryOptions, match="these are statistics"):
        rr.report(rr.publish(table), sensitive="diagnosis")
    assert "learning" not in [each.key for each in rr.report(table).sections]


def every_table(people: int, largest: tuple[int, int] | None = None) -> Iterator[Crowds]:
    """Every way in which so many people, each with one of two values, can be in crowds."""
    if not people:
        yield ()
        return
    for size in range(people, 0, -1):
        for first in range(size, -1, -1):
            crowd = (size, first)
            if largest is None or crowd <= largest:
                for rest in every_table(people - size, crowd):
                    yield (crowd, *rest)


def risk_of(crowds: Crowds) -> SensitiveRisk:
    cells = [
        (place, value, amount)
        for place, (size, first) in enumerate(crowds)
        for value, amount in enumerate((first, size - first))
        if amount
    ]
    crowd, value, people = (np.array(each, dtype=np.int64) for each in zip(*cells, strict=True))
    return SensitiveRisk(
        SensitiveCounts("s", crowd, value, people, ("p", "q"), np.ones(len(crowds), int))
    )


def told(crowds: Crowds, risk: SensitiveRisk, discretion: Discretion) -> tuple[object, ...]:
    """All that a published report takes from crowds and sensitive values."""
    sizes = tuple(size for size, _ in crowds)
    return of_crowds(sizes, discretion), *map(str, figures_of(risk, discretion).values())


@cache
def of_crowds(sizes: tuple[int, ...], discretion: Discretion) -> tuple[object, ...]:
    figures = crowd_figures(CrowdSizes.of(sizes), discretion)
    return figures.alone, figures.small, figures.smallest, tuple(figures.bins())


def kept(crowds: Crowds, least: int) -> dict[str, int]:
    """Numbers of people that nobody may be told to be 1 to t − 1."""
    one = [size for size, first in crowds if first in (0, size)]
    small = [size for size in one if size < least]
    n = sum(size for size, _ in crowds)
    guessed = sum(max(first, size - first) for size, first in crowds)
    of_first = sum(first for _, first in crowds)
    return {
        "certain": sum(one), "certain in small crowds": sum(small),
        "certain in small crowds, not alone": sum(size for size in small if size > 1),
        "not certain": n - sum(one), "certain in other crowds": sum(one) - sum(small),
        "in small crowds, not certain": sum(s for s, _ in crowds if s < least) - sum(small),
        "guessed wrong": n - guessed, "the rarer value": min(of_first, n - of_first),
        "more guessed with the table": guessed - max(of_first, n - of_first),
        "certain of the first value": sum(s for s, first in crowds if s == first),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("people", "least"),
    [(12, 2), (13, 2), pytest.param(18, 3, marks=pytest.mark.slow)],
)
def test_no_small_number_follows_whatever_is_tried(people: int, least: int) -> None:
    """An attacker who tries every table and keeps those whose report reads the same."""
    discretion = Discretion(people, least)
    possible: dict[object, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for crowds in every_table(people):
        agreeing = possible[told(crowds, risk_of(crowds), discretion)]
        for what, amount in kept(crowds, least).items():
            agreeing[what].add(amount)
    assert len(possible) > 3
    small = set(range(1, least))
    pinned = {what for agreeing in possible.values() for what, n in agreeing.items() if n <= small}
    assert not pinned
