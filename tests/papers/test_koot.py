"""Koot et al. rerun: lines, bands and forms against what is known of them."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest

from reidrisk.reports.charts.drawing import svg
from reidrisk_papers.figure import Line
from reidrisk_papers.koot.kappa_line import fitted
from reidrisk_papers.koot.towns import towns
from reidrisk_papers.rerunning import rerun
from reidrisk_papers.setting import Setting

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("koot")]
SMALL = Setting(quick=True, scale=0.05)


@pytest.fixture(scope="module")
def lines() -> dict[tuple[str, str], Line]:
    figures = list(rerun("koot", SMALL))
    for figure in figures:
        assert not figure.not_run
        for picture in figure.pictures:
            assert all("<svg" in svg(picture.draw(width)) for width in (640, 340))
    return {(f.reported.key, line.expected.key): line for f in figures for line in f.lines}


def test_what_is_not_as_reported_has_a_reason(lines: dict[tuple[str, str], Line]) -> None:
    assert all(line.ours.why for line in lines.values() if line.agrees is False)


def test_the_uniform_law_is_the_birthday_problem(lines: dict[tuple[str, str], Line]) -> None:
    for figure, size, n in (("figure_1", 29, 95), ("figure_2", 41, 190)):
        direct = np.prod([1 - i / n for i in range(size)])
        line = lines[figure, "uniform"]
        assert line.ours.published == pytest.approx(direct)
        assert line.agrees
    assert lines["figure_3", "below_uniform"].agrees


def test_equal_bands_always_lower_kappa(lines: dict[tuple[str, str], Line]) -> None:
    assert lines["figure_4", "falls_2"].ours.improved == 1
    assert lines["figure_4", "falls_5"].ours.improved == 1


def test_pair_tables_know_what_marginals_do_not(lines: dict[tuple[str, str], Line]) -> None:
    civil = lines["marginals", "age_civil"].ours
    assert civil.improved == pytest.approx(1, abs=1e-6)
    assert isinstance(civil.published, float)
    assert civil.published > 2
    four = lines["dependence", "k41"].ours
    assert isinstance(four.published, float)
    assert isinstance(four.improved, float)
    assert abs(np.log(four.improved)) < abs(np.log(four.published))


def test_a_towns_figures_are_those_of_its_counts() -> None:
    held = towns(SMALL)
    town = held.group(["age"], 2)[0]
    kept = held.records.filter(np.array(held.records["town"].to_pylist()) == town.group)
    people: dict[int, int] = {}
    for age, count in zip(kept["age"].to_pylist(), kept["count"].to_pylist(), strict=True):
        people[age] = people.get(age, 0) + count
    total = sum(people.values())
    share = np.array(list(people.values())) / total
    assert town.people == total
    assert town.outcomes == 95
    assert town.exact == pytest.approx(1 - (share**2).sum())
    assert town.kappa == pytest.approx((share * np.log(95 * share)).sum())
    pairs = sum(comb(each, 2) for each in people.values())
    assert town.exact_finite == pytest.approx(1 - pairs / comb(total, 2))


def test_a_line_explains_what_lies_on_it() -> None:
    line = fitted(np.array([0.1, 0.2, 0.4]), np.array([-1.0, -2.0, -4.0]))
    assert line.slope == pytest.approx(-10)
    assert line.r_squared == pytest.approx(1)
    assert line.ends(np.array([0.1, 0.4])) == [(0.1, pytest.approx(-1)), (0.4, pytest.approx(-4))]


def test_without_the_table_nothing_is_filled_in() -> None:
    assert all(figure.not_run and not figure.lines for figure in rerun("koot", Setting()))


def test_belgium(shared_data: Path) -> None:
    held = towns(Setting(data=shared_data))
    groups = held.group(["age"], 29)
    assert len(groups) == 589
    assert sum(each.people for each in groups) == 11_209_044 - 14_036
    kept = [each for each in groups if each.people != 86]
    line = fitted(np.array([e.kappa for e in kept]), np.log([e.exact for e in kept]))
    assert line.r_squared == pytest.approx(0.984, abs=0.001)
