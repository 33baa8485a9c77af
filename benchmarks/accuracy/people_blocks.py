"""People in tables: AUC, calibration and Brier score along every axis; the headline; the worst."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.marked_page import rows

from .cases import Case, Told
from .people_ways import KS, NAMES
from .predicting import MODELS
from .whole_blocks import AXES, MEASURES, WORST, errors, grouped, named

FIGURES = {"AUC": "auc", "calibration error": "calibration", "Brier score": "brier"}


def told(cases: Sequence[Case], way: str, k: int | None = None) -> list[Told]:
    """Every case and k at which there was something to tell apart, or those of one k."""
    return [each for case in cases for size, each in case.told[way].items() if k in (None, size)]


def mean(found: Sequence[Told], figure: str) -> str:
    """The mean of one figure."""
    return f"{np.mean([getattr(each, figure) for each in found]):.4f}" if found else "–"


def along(cases: Sequence[Case], axis: str) -> list[str]:
    """One table a figure."""
    lines: list[str] = []
    for title, figure in FIGURES.items():
        body = [
            [str(key), str(len(told(some, NAMES[0]))),
             *(mean(told(some, way), figure) for way in NAMES)]
            for key, some in grouped(cases, axis).items()
        ]  # fmt: skip
        lines += [*rows([f"{title}: {AXES[axis][0]}", "sets × k", *NAMES], body), ""]
    return lines


def by_k(cases: Sequence[Case]) -> list[str]:
    """Every predictor at every k."""
    body = [
        [way, str(k), str(len(found)), *(mean(found, figure) for figure in FIGURES.values()),
         f"{min(each.auc for each in found):.4f}", f"{max(each.calibration for each in found):.4f}"]
        for way in NAMES
        for k in KS
        if (found := told(cases, way, k))
    ]  # fmt: skip
    return rows(["predictor", "k", "sets", *FIGURES, "least AUC", "largest calibration error"],
                body)  # fmt: skip


def worst(cases: Sequence[Case]) -> list[str]:
    """The sets whose probabilities are furthest off, and those told apart least."""
    body = []
    for way in ("independent", "tree", "pairwise"):
        found = [(case, k, each) for case in cases for k, each in case.told[way].items()]
        chosen = sorted(found, key=lambda one: -one[2].calibration)[:WORST]
        chosen += sorted(found, key=lambda one: one[2].auc)[:WORST]
        for place, (case, k, each) in enumerate(chosen):
            why = "calibration" if place < WORST else "AUC"
            body.append([
                f"{way}: {why}", str(k), f"{each.auc:.3f}", f"{each.calibration:.3f}",
                f"{each.positive:.2%}", f"{case.sparse:.0%}", named(case),
            ])  # fmt: skip
    head = ["predictor: worst by", "k", "AUC", "calibration error", "in crowds of k", "sparse",
            "columns"]  # fmt: skip
    return rows(head, body)


def headline(cases: Sequence[Case]) -> list[str]:
    """One line a predictor: whole tables, then people."""
    body = []
    for name in dict.fromkeys((*MODELS, *NAMES)):
        cells = [name]
        for figure in MEASURES.values():
            off = errors(cases, name, figure) if name in MODELS else []
            cells.append(f"{np.mean(off):.4f} ({max(off):.3f})" if off else "–")
        low = [-case.whole[name].overall for case in cases if name in case.whole]
        cells.append(f"{max(low):.4f}" if low else "–")
        people = told(cases, name) if name in NAMES else []
        cells += [mean(people, figure) for figure in FIGURES.values()]
        body.append(cells)
    return rows(
        [
            "predictor",
            "ORR off by, mean (most)",
            "share alone off by",
            "ORR too low by at most",
            *FIGURES,
        ],
        body,
    )
