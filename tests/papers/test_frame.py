"""Papers rerun: values as data, joined with ours, judged, and never filled in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from reidrisk.errors import InputError
from reidrisk_papers import rerunning
from reidrisk_papers.expected import PAPERS, Expected, _expected, paper
from reidrisk_papers.figure import Figure, NotRun, Ours, Rerun
from reidrisk_papers.judging import auc, roc
from reidrisk_papers.public_tables import TABLES
from reidrisk_papers.scored_people import DrawnPeople
from reidrisk_papers.setting import Setting


@pytest.mark.parametrize(
    ("held", "inside", "outside", "said"),
    [
        ({"between": [0.2, 0.3]}, 0.25, 0.31, "0.2000 to 0.3000"),
        ({"below": 0.05}, 0.01, 0.06, "below 0.0500"),
        ({"above": 0.93}, 0.95, 0.92, "above 0.9300"),
        ({"about": 0.72, "within": 0.05}, 0.76, 0.6, "0.7200"),
        ({"about": 0.4, "within": 0.05, "form": "share"}, 0.41, 0.5, "40.0 %"),
    ],
)
def test_a_value_of_a_paper_is_an_interval(
    held: dict, inside: float, outside: float, said: str
) -> None:
    value = _expected("key", {"what": "something", **held})
    assert value.said == said
    assert value.holds(inside) is True
    assert value.holds(outside) is False
    assert value.holds((min(inside, outside), max(inside, outside))) is False
    assert value.holds((inside, inside)) is True


def test_without_a_number_nothing_is_judged() -> None:
    assert Expected("key", "something").holds(1.0) is None
    with pytest.raises(ValueError, match="beneath"):
        _expected("key", {"what": "something", "beneath": 1})
    with pytest.raises(ValueError, match="key"):
        _expected("key", {"what": "something", "about": 1})


def test_every_value_of_the_paper_needs_one_of_ours() -> None:
    from reidrisk_papers.expected import Reported

    reported = Reported("f", "Figure", "did", "ran", {"a": Expected("a", "A", 0, 1)})
    figure = Figure.of(reported, Rerun({"a": Ours(0.5)}, "as in the paper"), 1.0)
    assert figure.lines[0].agrees
    for wrong in ({}, {"b": Ours(0.5)}, {"a": Ours(0.5), "b": Ours(1.0)}):
        with pytest.raises(ValueError, match="don't match"):
            Figure.of(reported, Rerun(wrong, "as in the paper"), 1.0)


@pytest.mark.parametrize("key", PAPERS)
def test_each_figure_of_a_paper_is_run_by_one_function(key: str) -> None:
    assert set(paper(key).reported) == set(rerunning.figures_of(key))


def test_a_table_that_is_not_there_is_not_run(tmp_path: Path) -> None:
    with pytest.raises(NotRun, match="--data"):
        Setting().public_table("adult")
    with pytest.raises(NotRun, match="adult_arx"):
        Setting(data=tmp_path).public_table("adult")
    assert all(each.source for each in TABLES.values())


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="no paper"):
        rerunning.reproduce("tffr", quick=True)
    with pytest.raises(InputError, match="directory"):
        rerunning.reproduce("all", data="nowhere")
    with pytest.raises(InputError, match="generated"):
        rerunning.reproduce("all", quick=True, data=".")


def test_the_area_under_the_curve_is_the_auc() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, truth = rng.integers(0, 6, 40) / 6, rng.random(40) < 0.5
        across, up = np.transpose(roc(scores, truth))
        assert np.trapezoid(up, across) == pytest.approx(auc(scores, truth))


def test_people_whose_values_all_differ_are_scored_by_every_column() -> None:
    """Of a few people a column looks like an identifier; it still counts."""
    rng = np.random.default_rng(0)
    records = pa.table({"a": rng.integers(0, 400, 5000), "b": rng.integers(0, 9, 5000)})
    drawn = DrawnPeople.of(records, 12, rng, pairs="none")
    counts = [
        np.bincount(records.column(name).to_numpy())[drawn.people.column(name).to_numpy()]
        for name in ("a", "b")
    ]
    law = stats.hypergeom(4999, *(each - 1 for each in counts))
    assert drawn.scores((2,))[2] == pytest.approx(law.sf(0))
