"""Somebody who knows n, the program and a published report: no small count follows from it.

The attacker of these tests is the strongest of their kind: they try every table there is and keep
those whose report reads the same. A count is given away where all of them agree that it lies
between 1 and t − 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.reports.crowd_figures import crowd_figures
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.document import Section
from reidrisk.reports.findings import Attack, Found
from reidrisk.reports.sections.answer import answer_of
from reidrisk.reports.sections.attack import attack_section
from reidrisk.reports.sections.crowds import at_least_section, crowd_sizes_section

Table = Counter[int]


def every_table(people: int) -> Iterator[Table]:
    """Every way in which so many people can be in crowds: the partitions of their number."""
    parts, last, rest = [0] * (people + 1), 1, people - 1
    while last:
        size, last = parts[last - 1] + 1, last - 1
        while 2 * size <= rest:
            parts[last], rest, last = size, rest - size, last + 1
        while size <= rest:
            parts[last], parts[last + 1] = size, rest
            yield Counter(parts[: last + 2])
            size, rest = size + 1, rest - 1
        parts[last], rest = size + rest, size + rest - 1
        yield Counter(parts[: last + 1])


def crowds_of(table: Table) -> CrowdSizes:
    return CrowdSizes.of([size for size, many in table.items() for _ in range(many)])


def told(table: Table, people: int, least: int) -> tuple[object, ...]:
    """Everything that a report takes from a table's crowds."""
    figures = crowd_figures(crowds_of(table), Discretion(people, least))
    return (
        figures.alone, figures.small, figures.smallest, figures.highest_risk, figures.distinct,
        figures.overall_risk, figures.few_alone, figures.all_hidden, tuple(figures.bins()),
        tuple(figures.parts()), tuple(figures.at_least(k) for k in (*range(1, 60), 100, 200, 500)),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "least"),
    [(12, 2), (17, 2), (26, 2), (33, 2), (18, 3), (29, 3), (31, 3), (24, 4), (31, 4), (30, 5)],
)
def test_no_small_count_follows_whatever_is_tried(people: int, least: int) -> None:
    held = [c for many in range(1, least) for c in combinations(range(1, least), many)]
    possible: dict[object, dict[Any, tuple[set[int], set[int]]]] = defaultdict(dict)
    for table in every_table(people):
        agreeing = possible[told(table, people, least)]
        for sizes in held:
            in_people, in_crowds = agreeing.setdefault(sizes, (set(), set()))
            in_people.add(sum(size * table[size] for size in sizes))
            in_crowds.add(sum(table[size] for size in sizes))
    assert len(possible) > 3
    small = set(range(1, least))
    pinned = [
        (sizes, counts)
        for agreeing in possible.values()
        for sizes, both in agreeing.items()
        for counts in both
        if counts <= small
    ]
    assert not pinned


def column(sizes: list[int]) -> rr.Table:
    """A table of one column with crowds of these sizes."""
    return rr.read({"a": [f"v{place}" for place, size in enumerate(sizes) for _ in range(size)]})


TWINS = [
    # 699 people, one crowd of three: or three alone, or eight people in small crowds.
    ([29] * 24 + [3], [[29] * 23 + [29, 1, 1, 1], [29] * 23 + [24, 2, 2, 2, 2]]),
    # One person alone beside large crowds, or seven, or none but one crowd of two.
    ([100] * 9 + [1], [[100] * 8 + [94] + [1] * 7, [100] * 8 + [99, 2]]),
    # Two pairs beside thirty people alone, or no pair, or more.
    (
        [40] * 20 + [2, 2] + [1] * 30,
        [[40] * 19 + [44] + [1] * 30, [40] * 20 + [2] * 4 + [1] * 26],
    ),
]


@pytest.mark.parametrize(("sizes", "others"), TWINS)
def test_another_table_has_the_same_report(sizes: list[int], others: list[list[int]]) -> None:
    """In every sentence, table, figure, picture and alternative text."""
    every = [everything(each) for each in (sizes, *others)]
    assert all(each == every[0] for each in every)


def test_larger_tables_have_a_twin_as_well() -> None:
    """One with more people in small crowds than anybody may tell, for tables drawn at random."""
    draw, tried = np.random.default_rng(7), 0
    while tried < 40:
        small = [int(size) for size in draw.integers(1, 5, draw.integers(1, 3))]
        large = [int(size) for size in draw.integers(5, 90, draw.integers(8, 40))]
        people = sum(small) + sum(large)
        if sum(small) > 4 or people < 30:
            continue
        tried += 1
        original = told(Counter(small + large), people, 5)
        assert any(told(Counter(each), people, 5) == original for each in twins(large, small))


def twins(large: list[int], small: list[int]) -> Iterator[list[int]]:
    """Tables in which five to nine people of one large crowd, or of two, stand alone instead."""
    places = range(len(large))
    pairs = [(i, j) for i in places for j in places if i <= j]
    for more, (i, j) in product(range(5, 10), pairs):
        each = list(large)
        each[i] -= more // 2
        each[j] -= more - more // 2
        if min(each) >= 5:
            yield [*each, *small, *[1] * more]


def everything(sizes: list[int]) -> object:
    """All that a published report shows of the crowds, each picture by the data in it."""
    risk = rr.measure(column(sizes))
    found = Found(risk, attacks=(Attack(("a",), risk.crowd_sizes),))
    discretion = Discretion(risk.people, 5)
    answer = answer_of(found, discretion)
    sections = [
        crowd_sizes_section(found, discretion),
        at_least_section(found, discretion),
        attack_section(found, discretion),
    ]
    pictures = [answer.picture, *(p for s in sections if s is not None for p in s.pictures)]
    return (
        answer.level, answer.verdict, answer.sentences, answer.hundred,
        {key: each.to_dict() for key, (_, each) in answer.figures.items()},
        [each.to_dict() for each in sections if isinstance(each, Section)],
        [(each.description, each.draw(640).to_dict()["data"]) for each in pictures],
    )  # fmt: skip


def test_the_whole_report_of_a_twin_reads_the_same() -> None:
    first, second = (
        rr.report(column(sizes), publishable=True).to_dict()
        for sizes in ([29] * 24 + [3], [29] * 23 + [24, 2, 2, 2, 2])
    )
    # What is predicted from published counts tells what those tell, and no more.
    for each in (first, second):
        each["sections"] = [s for s in each["sections"] if s["key"] != "prediction"]
    assert first == second
