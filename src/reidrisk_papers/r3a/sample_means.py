"""Figure 1: sample means of shuffled tables about their average, and the closed form beside them.

Symbols: a sample mean m_i is the mean ORR of `CAPACITY` shuffled tables; their average M over all
samples is the prediction. The paper shows |m_i − M|. The closed form E under independence needs no
shuffles; |E − M| is its own error and the shuffles' remaining chance together.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

import reidrisk as rr
from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.pictures import Cloud, points
from reidrisk_papers.r3a.avfms import AVFMS, PEOPLE, avfm
from reidrisk_papers.setting import Setting

SAMPLES, QUICK_SAMPLES, CAPACITY = 100, 5, 50
SHUFFLED = 30


class Averaged(NamedTuple):
    """One AVFM: its sample means, the closed form, seconds of each, and what looks dependent."""

    values: tuple[int, ...]
    means: tuple[float, ...]
    closed: float
    shuffling: float
    predicting: float
    plugin: float
    corrected: float

    @property
    def average(self) -> float:
        """M, the average sample mean."""
        return float(np.mean(self.means))

    @property
    def deviation(self) -> float:
        """max |m_i − M|."""
        return float(np.abs(np.subtract(self.means, self.average)).max())


def averaged(setting: Setting, place: int) -> Averaged:
    """Shuffle one AVFM, and predict it."""
    matrix = avfm(place, setting.seed, setting.scaled(PEOPLE, 1000))
    statistics = rr.Statistics.of_avfm(matrix)
    samples = setting.scaled(QUICK_SAMPLES if setting.quick else SAMPLES, 2)
    began = time.perf_counter()
    found = rr.predict(
        statistics, model="shuffle", samples=samples, capacity=CAPACITY, seed=setting.seed + place
    )
    between = time.perf_counter()
    closed = rr.predict(statistics, model="independent").overall_risk
    ended = time.perf_counter()
    values = tuple(np.count_nonzero(matrix, axis=0).tolist())
    means = tuple((found.fit or {})["sample_means"])
    looks = _looks_dependent(statistics, setting.rng(SHUFFLED, place))
    return Averaged(values, means, closed, between - began, ended - between, *looks)


def _looks_dependent(statistics: rr.Statistics, rng: np.random.Generator) -> tuple[float, float]:
    """The largest gain ratio in one shuffled table, as published and corrected."""
    columns = rng.permuted(statistics.standard_data_set(), axis=0).T
    table = rr.read(dict(zip(statistics.names, columns, strict=True)), columns=statistics.names)
    found = rr.measure(table, dependence=True).dependence or ()
    return max(each.uncorrected for each in found), max(each.corrected for each in found)


def figure_1(setting: Setting) -> Rerun:
    """All AVFMs, or every second one."""
    places = range(0, AVFMS, 2 if setting.quick else 1)[-setting.scaled(AVFMS, 3) :]
    found = []
    for done, place in enumerate(places):
        setting.progress("r3a: Figure 1, shuffling", done, len(places))
        found.append(averaged(setting, place))
    people = setting.scaled(PEOPLE, 1000)
    off = max(abs(each.closed - each.average) for each in found)
    deviation = max(each.deviation for each in found)
    steps = np.diff([each.average for each in found]) * AVFMS / (places.step)
    ours = {
        "deviation": Ours(deviation, off, _few(deviation, people)),
        "gaps": Ours((float(steps.min()), float(steps.max()))),
        "strong": Ours(
            float(sum(each.plugin >= 0.5 for each in found)),
            float(sum(each.corrected >= 0.5 for each in found)),
            _looks(found),
        ),
    }
    return Rerun(
        ours,
        f"generated, as in the paper: {len(found)} AVFMs, tables of {people:,} people",
        [_picture(found)],
        [_grid(found)],
        [_pace(found)],
    )


def _few(deviation: float, people: int) -> str:
    """The deviation is the tables' own chance over √50, and falls with their people."""
    if deviation < 0.001:
        return ""
    return (
        f"A sample mean's chance falls as 1/√(50·people): tables of {people:,} people are too "
        "small for 0.001, and the paper doesn't say how large its own are."
    )


def _looks(found: list[Averaged]) -> str:
    strong = [each for each in found if each.plugin >= 0.5]
    if not strong:
        return ""
    sizes = "; ".join(" × ".join(map(str, each.values)) for each in strong)
    return (
        f"Independent columns of many values look dependent: where nearly all pairs differ, "
        f"I = H(A) + H(B) − log2 n is large whatever the columns. It concerns {sizes} values. "
        f"With chance taken off the largest is {max(each.corrected for each in strong):.4f}."
    )


def _pace(found: list[Averaged]) -> str:
    shuffling = sum(each.shuffling for each in found)
    predicting = sum(each.predicting for each in found)
    tables = sum(len(each.means) for each in found) * CAPACITY
    published = shuffling / tables * SAMPLES * CAPACITY * len(found)
    return (
        f"In this run {tables:,} shuffles took {shuffling:.1f} s and the closed forms "
        f"{predicting:.1f} s, with their intervals and entropies: the published "
        f"{SAMPLES * CAPACITY:,} shuffles an AVFM take {published / predicting:,.0f} times as long."
    )


def _picture(found: list[Averaged]) -> Picture:
    clouds = [
        Cloud("50 shuffled tables",
              [(each.average, abs(mean - each.average)) for each in found for mean in each.means]),
        Cloud("the closed form",
              [(each.average, abs(each.closed - each.average)) for each in found]),
    ]  # fmt: skip

    def draw(width: int) -> object:
        return points(
            clouds, "average sample mean, ORR", "absolute error of ORR", width,
            line=[(0.0, 0.001), (1.0, 0.001)],
        )  # fmt: skip

    return Picture(
        draw,
        "How far sample means of shuffled tables and the closed form lie from the average.",
        "Each column of points is one AVFM, each point the mean of 50 tables. The dashed line is "
        "the paper's 0.001.",
    )


def _grid(found: list[Averaged]) -> Grid:
    rows = tuple(
        (" × ".join(map(str, each.values)), f"{each.average:.5f}", f"{each.deviation:.5f}",
         f"{each.closed:.5f}", f"{each.closed - each.average:+.5f}", f"{each.plugin:.3f}",
         f"{each.corrected:.3f}")
        for each in found
    )  # fmt: skip
    heads = ("values of each attribute", "average sample mean", "largest deviation", "closed form",
             "closed form − average", "largest g, shuffled", "corrected")  # fmt: skip
    return Grid(heads, rows)
