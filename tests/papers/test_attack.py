"""The attack simulation rerun: its promises, and search against counting everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from reidrisk.reports.charts.drawing import svg
from reidrisk_papers.attack.anonymised import KS, anonymised
from reidrisk_papers.figure import Line
from reidrisk_papers.rerunning import rerun
from reidrisk_papers.setting import Setting

SMALL = Setting(quick=True, scale=0.2)


def lines_of(setting: Setting) -> dict[tuple[str, str], Line]:
    figures = list(rerun("attack", setting))
    for figure in figures:
        assert not figure.not_run
        for picture in figure.pictures:
            assert all("<svg" in svg(picture.draw(width)) for width in (640, 340))
    return {(f.reported.key, line.expected.key): line for f in figures for line in f.lines}


@pytest.fixture(scope="module")
def lines() -> dict[tuple[str, str], Line]:
    return lines_of(SMALL)


def check(lines: dict[tuple[str, str], Line]) -> None:
    """What search finds, counting everything finds too."""
    assert all(line.ours.why for line in lines.values() if line.agrees is False)
    for key in ("risky", "minimal"):
        ours = lines["algorithm_4", key].ours
        assert ours.published == ours.improved
    best = lines["algorithm_6", "best"].ours
    assert best.published == pytest.approx(best.improved)
    afford = lines["algorithm_6", "affordable"].ours
    assert afford.published == afford.improved
    reached = lines["algorithm_7", "smallest_crowd"].ours.published
    assert isinstance(reached, int)
    assert reached >= 5


def test_generated(lines: dict[tuple[str, str], Line]) -> None:
    check(lines)


def test_played_attacks_succeed_as_often_as_counted(lines: dict[tuple[str, str], Line]) -> None:
    ours = lines["figure_1", "overall_10"].ours
    assert isinstance(ours.published, float)
    assert ours.improved == pytest.approx(ours.published, abs=0.02)


def test_a_city_made_safe_here_is(lines: dict[tuple[str, str], Line]) -> None:
    import pyarrow.compute as pc

    held = anonymised(SMALL)
    for k in KS:
        table = held.tables[k]
        counted = table.group_by(list(held.columns)).aggregate([([], "count_all")])
        assert pc.min(counted["count_all"]).as_py() >= k


def test_without_the_tables_nothing_is_filled_in() -> None:
    assert all(figure.not_run and not figure.lines for figure in rerun("attack", Setting()))


def test_adult(shared_data: Path) -> None:
    found = lines_of(Setting(data=shared_data))
    check(found)
    assert all(found["figure_1", f"highest_{k}"].ours.published == 1 / k for k in KS)
    assert found["algorithm_7", "counted"].ours.published == 12_960
    assert found["algorithm_7", "loss"].ours.improved == pytest.approx(2 / 3)
