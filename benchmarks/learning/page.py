"""What was measured, as a table of docs/accuracy.md: every set that was chosen, then by table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.marked_page import rows
from reidrisk.prediction.model_error import KINDS

from .cases import NAMES, Case

ACCURACY = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
BEGIN, END = "<!-- learning -->", "<!-- end of learning -->"
WAYS = {"unprotected": "as counted", "rounded": "rounded", "exact": "`--exact`"}
WITH, CERTAIN = 0, 3
CALLED = ("guessed with the table", "without own record", "what being in it costs", "certain",
          "certain in crowds of at least 5")  # fmt: skip


def model_of(case: Case, way: str) -> str:
    """The model that `learn` chooses."""
    held = case.published[way].predictions
    return "pairwise" if "pairwise" in held else "tree"


def error(case: Case, way: str, place: int) -> float:
    """Predicted − counted."""
    return case.published[way].predictions[model_of(case, way)].figures[place] - case.truth[place]


def chosen_lines(cases: Sequence[Case]) -> list[str]:
    """Every set that was chosen by hand."""
    body = []
    for case in (case for case in cases if case.chosen):
        by = f", by {case.person}" if case.person else ""
        told = [f"{case.table}: {', '.join(case.columns)} → {case.sensitive}{by}"]
        for place in (WITH, CERTAIN):
            told.append(f"{case.truth[place]:.3f}")
            told += [
                f"{error(case, way, place):+.3f}" if way in case.published else "–"
                for way in list(WAYS)[:2]
            ]
        body.append(tuple(told))
    heads = ("columns → sensitive", "guessed with the table", "off, as counted", "off, rounded",
             "certain", "off, as counted", "off, rounded")  # fmt: skip
    return rows(heads, body)


def drawn_lines(cases: Sequence[Case]) -> list[str]:
    """Mean absolute errors of sets drawn by a rule, by table and way."""
    drawn = [case for case in cases if not case.chosen]
    body = []
    for table in (*dict.fromkeys(case.table for case in drawn), "all"):
        mine = [case for case in drawn if table in (case.table, "all")]
        for way, called in WAYS.items():
            held = [case for case in mine if way in case.published]
            if held:
                means = [np.mean([abs(error(case, way, at)) for case in held])
                         for at in range(len(NAMES))]  # fmt: skip
                body.append((table, called, str(len(held)), *(f"{mean:.4f}" for mean in means)))
    return rows(("table: mean error", "published", "sets", *CALLED), body)


def coverage_lines(found: Mapping[str, Any]) -> list[str]:
    """How often intervals held the truth of a table left out."""
    body = []
    for model, held in found["models"].items():
        for kind, called in zip(KINDS, WAYS.values(), strict=True):
            each = held["figures"][kind].values()
            body.append((model, called, *(f"{100 * one['coverage']:.0f} %" for one in each)))
    return rows(("model: 90 % interval held", "published", *CALLED), body)


def fill(cases: Sequence[Case], found: Mapping[str, Any]) -> None:
    """Write the tables between their marks."""
    text = ACCURACY.read_text(encoding="utf-8")
    parts = [*chosen_lines(cases), "", *drawn_lines(cases), "", *coverage_lines(found)]
    told = "\n".join([BEGIN, "", *parts, "", END])
    place = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
    ACCURACY.write_text(place.sub(lambda _: told, text), encoding="utf-8")
