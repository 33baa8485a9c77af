"""Figure 4: people of random tables, told apart by P(crowd ≥ k).

As published a person is scored by P(X ≥ k | X ≥ 1) (eq. 12, which the text calls eq. 11), improved
as a known member: the crowd is 1 + RH(N−1; n_1−1, …, n_d−1). A set in which everybody or nobody is
k-indistinguishable has nothing to tell apart and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.reports import Grid
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.judging import Judged, judged, one_class
from reidrisk_papers.scored_people import DrawnPeople
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.compared import compared
from reidrisk_papers.tfrr.parameter_sets import SETS, ParameterSet, followed, random_table, told
from reidrisk_papers.tfrr.roc_pictures import curve_of, roc_picture

KS = (2, 3, 4)
PEOPLE = 1000
DRAWING = 4
GIVEN = {"published": "paper", "improved": "member"}
FIGURE = "figure_4"
FIGURES = {
    "auc": "AUC", "precision": "precision", "calibration": "calibration error",
    "brier": "Brier score",
}  # fmt: skip
SAID = {"published": "as published", "improved": "improved"}


class Case(NamedTuple):
    """One set at one k, as published and improved: how well scores foretell, and the ROC curve."""

    chosen: ParameterSet
    k: int
    judged: Mapping[str, Judged]
    curve: Floats


def figure_4(setting: Setting) -> Rerun:
    """ROC thin and average, positive rate and precision for each k."""
    cases = [
        case for chosen in followed(setting, "figure 4") for case in told_apart(setting, chosen)
    ]
    by_k = {k: [case for case in cases if case.k == k] for k in KS}
    ours: dict[str, Ours] = {}
    for k, held in by_k.items():
        for name in ("auc", "precision", "calibration"):
            key = f"{name}_k{k}"
            ours[key] = compared(
                FIGURE, key, (mean(held, name, way) for way in GIVEN), _scatter(held, name)
            )
    fall = mean(by_k[KS[0]], "positive") - mean(by_k[KS[-1]], "positive")
    ours["positive_fall"] = compared(FIGURE, "positive_fall", [fall])
    pictures = [
        roc_picture(
            {"as published": [case.curve for case in held]},
            f"k = {k}: {len(held)} sets, positive rate {mean(held, 'positive'):.2f} and AUC "
            f"{mean(held, 'auc'):.3f} on average",
            "Thin: one random table of 1,000 people each; bold: their average.",
        )
        for k, held in by_k.items()
    ]
    return Rerun(ours, told(setting), pictures, (_summary(by_k), _grid(by_k)), (NOTE,))


NOTE = (
    "Improved tells people apart as well and no better: both scores rise with the crowd to be "
    "expected. What changes is what a score means: of those given 0.7, seven in ten are "
    "k-indistinguishable. "
    "Calibration error: the mean distance between score and share that came true, in ten bins. "
    "The precision of the improved scores is of more people, who are now above 0.6."
)


def told_apart(setting: Setting, chosen: ParameterSet) -> list[Case]:
    """The people of a set's first table."""
    rng = setting.rng(DRAWING, SETS.index(chosen))
    many = setting.scaled(PEOPLE, least=100)
    drawn = DrawnPeople.of(random_table(setting, chosen), many, rng, pairs="none")
    scores = {way: drawn.scores(KS, "independent", given) for way, given in GIVEN.items()}
    found = []
    for k in KS:
        truth = drawn.crowds >= k
        if not one_class(truth):
            held = {way: judged(scores[way][k], truth) for way in GIVEN}
            found.append(Case(chosen, k, held, curve_of(scores["published"][k], truth)))
    return found


def mean(held: Sequence[Case], name: str, way: str = "published") -> float:
    """The average over the sets; a set in which nobody scores above 0.6 has no precision."""
    return float(np.nanmean([getattr(case.judged[way], name) for case in held]))


def _scatter(held: Sequence[Case], name: str) -> str:
    """How far an average over so few sets can be off."""
    values = [getattr(case.judged["published"], name) for case in held]
    error = np.nanstd(values) / np.sqrt(np.count_nonzero(np.isfinite(values)))
    return (
        f"the average of {len(held)} sets, of one table each, has a standard error of {error:.3f}"
    )


def _summary(by_k: Mapping[int, Sequence[Case]]) -> Grid:
    both = (f"{name}, {SAID[way]}" for name in FIGURES.values() for way in GIVEN)
    heads = ("k", "sets", "positive rate", *both, "least AUC", "least precision")
    rows = tuple(
        (f"{k}", f"{len(held)}", f"{mean(held, 'positive'):.3f}",
         *(f"{mean(held, name, way):.4f}" for name in FIGURES for way in GIVEN),
         *(f"{_least(held, name):.3f}" for name in ("auc", "precision")))
        for k, held in by_k.items()
    )  # fmt: skip
    return Grid(heads, rows, (), "Averages over the sets")


def _least(held: Sequence[Case], name: str) -> float:
    return float(np.nanmin([getattr(case.judged["published"], name) for case in held]))


def _grid(by_k: Mapping[int, Sequence[Case]]) -> Grid:
    heads = ("N", "d", "λ", "k", "positive rate", "AUC", "precision at 0.6", "calibration error",
             "the same, improved", "Brier score", "the same, improved")  # fmt: skip
    rows = []
    for case in (case for held in by_k.values() for case in held):
        ours, better = case.judged["published"], case.judged["improved"]
        n, d, lambda_ = case.chosen
        rows.append((f"{n:,}", f"{d}", f"{lambda_:g}", f"{case.k}", f"{ours.positive:.3f}",
                     f"{ours.auc:.3f}", f"{ours.precision:.3f}", f"{ours.calibration:.3f}",
                     f"{better.calibration:.3f}", f"{ours.brier:.4f}",
                     f"{better.brier:.4f}"))  # fmt: skip
    return Grid(heads, tuple(rows), (), "Each set")
