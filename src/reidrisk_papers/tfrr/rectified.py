"""Figure 6: one strongly dependent pair of values treated as one, as published and honestly.

As published, P(X ≥ k | X ≥ 1) is computed anew from B(n_i·p_ij, p') (eqs. 10, 11) for those people
who are k-indistinguishable and scored below 0.5: it takes the answer to know who they are. Honestly
everybody is scored anew. Only pair tables of strongly dependent attributes are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.scored_people import DrawnPeople
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import STRONG
from reidrisk_papers.tfrr.compared import compared, per_cent
from reidrisk_papers.tfrr.real_people import crowded
from reidrisk_papers.tfrr.real_tables import RealTable, standing_in, told_of_stand_in
from reidrisk_papers.tfrr.roc_pictures import roc_picture
from reidrisk_papers.tfrr.scored_subsets import (
    KS,
    Case,
    Scores,
    Way,
    at,
    cases,
    improved,
    mean,
    published,
)

FIGURE = "figure_6"
MISSED = 0.5
NAMED = {
    "published": "figure 5, nothing rectified",
    "rectified": "as published (uses the answer)",
    "honest": "everybody scored anew by the pair",
    "improved": "improved: tree, known member",
}
NOTE = (
    "As published uses the answer: only people who are k-indistinguishable and were scored too low "
    "are scored anew, so those who aren't can't rise with them. Nobody who doesn't know the answer "
    "can do that. Honestly, everybody is scored anew by the same pair; improved, by a tree of all "
    "pair tables."
)


def figure_6(setting: Setting) -> Rerun:
    """ROC curves rectified as published, beside everybody scored anew."""
    table = standing_in(setting)
    found = list(cases(setting, table, ways_for(table)))
    ours: dict[str, Ours] = {"least": _least(found)}
    for k in KS:
        ours |= _lines(table, k, at(found, k))
    pictures = [_picture(table, at(found, k), k) for k in KS]
    return Rerun(ours, told_of_stand_in(setting), pictures, (_grid(found),), (NOTE,))


def ways_for(table: RealTable) -> Mapping[str, Way]:
    """Scores in four ways; the pair tables of strongly dependent attributes are the table's own."""

    def with_strong_pairs(people: DrawnPeople) -> DrawnPeople:
        pairs = people.statistics.pairs
        kept = tuple(each for each in pairs if table.strength[frozenset(each.of)] >= STRONG)
        return replace(people, statistics=replace(people.statistics, pairs=kept))

    def rectified(people: DrawnPeople) -> Scores:
        anew = with_strong_pairs(people).scores(KS, "paper", "paper")
        return rectified_scores(people, published(people), anew)

    def honest(people: DrawnPeople) -> Scores:
        return with_strong_pairs(people).scores(KS, "pair", "paper")

    return {
        "published": published, "rectified": rectified, "honest": honest, "improved": improved
    }  # fmt: skip


def rectified_scores(people: DrawnPeople, before: Scores, anew: Scores) -> Scores:
    """The new score for who is k-indistinguishable and had less than a half, else the old one."""
    return {
        k: np.where((people.crowds >= k) & (before[k] < MISSED), anew[k], before[k]) for k in before
    }


def _least(found: Sequence[Case]) -> Ours:
    worst = min(found, key=lambda case: case.judged["rectified"].auc)
    better = min(case.judged["improved"].auc for case in found)
    why = (
        f"in the worst subset, of MAD {worst.subset.mad:.2f} and so not rectified, "
        f"{per_cent(1 - worst.judged['published'].positive, 1)} of the people drawn aren't "
        "k-indistinguishable: their few scores decide the AUC"
    )
    return compared(FIGURE, "least", [worst.judged["rectified"].auc, better], why)


def _lines(table: RealTable, k: int, held: Sequence[Case]) -> dict[str, Ours]:
    auc, positive, honest = f"auc_k{k}", f"positive_k{k}", f"honest_k{k}"
    better, rate = mean(held, "improved"), [mean(held, "published", "positive")]
    return {
        auc: compared(FIGURE, auc, [mean(held, "rectified"), better], _mirrored(held)),
        honest: compared(FIGURE, honest, [mean(held, "honest"), better]),
        positive: compared(FIGURE, positive, rate, crowded(table, held)),
    }


def _mirrored(held: Sequence[Case]) -> str:
    """What the average of scores that use the answer says."""
    strong = [case for case in held if case.subset.strong]
    rest = [case for case in held if not case.subset.strong]
    return (
        f"the answer being used, the {len(strong)} subsets with the pair come out at "
        f"{mean(strong, 'rectified'):.3f}, and the {len(rest)} without it stay at "
        f"{mean(rest, 'rectified'):.3f}: the average tells how many of each there are"
    )


def _picture(table: RealTable, held: Sequence[Case], k: int) -> Picture:
    named = {
        "as published": [case.curves["rectified"] for case in held],
        "honestly": [case.curves["honest"] for case in held],
    }
    title = (
        f"{table.name}, k = {k}: AUC {mean(held, 'published'):.3f} before, "
        f"{mean(held, 'rectified'):.3f} rectified as published, {mean(held, 'honest'):.3f} "
        f"honestly, {mean(held, 'improved'):.3f} improved"
    )
    caption = (
        "Thin: a subset of attributes; bold: their average; dashed: the average, improved. As "
        "published uses the answer; honestly, everybody is scored anew."
    )
    return roc_picture(named, title, caption, [case.curves["improved"] for case in held])


def _grid(found: Sequence[Case]) -> Grid:
    heads = (
        "k",
        "subsets",
        "number",
        "positive rate",
        *(f"AUC, {name}" for name in NAMED.values()),
    )
    rows = []
    for k in KS:
        held = at(found, k)
        parts = {"all": held, "with a strong pair": [c for c in held if c.subset.strong]}
        for name, part in parts.items():
            rows.append((f"{k}", name, f"{len(part)}", f"{mean(part, 'published', 'positive'):.3f}",
                         *(f"{mean(part, way):.3f}" for way in NAMED)))  # fmt: skip
    return Grid(heads, tuple(rows), (1,))
