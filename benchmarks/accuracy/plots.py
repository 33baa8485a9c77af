"""Plots of the accuracy page, as files of their own: fixed ink on white, so that they can be read
on a light page and on a dark one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from reidrisk.reports.charts.drawing import NARROW, Chart, svg_file
from reidrisk_papers.pictures import Box, Cloud, Curve, boxes, curves, points

from .cases import Case, Figures
from .people_blocks import told
from .people_ways import KS, NAMES
from .whole_blocks import errors, grouped

SHOWN = ("independent", "pair", "tree", "pairwise")


def write(figures: Figures, folder: Path) -> list[str]:
    """Every plot as an SVG file; their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, chart in plots(figures):
        (folder / f"{name}.svg").write_text(svg_file(chart), encoding="utf-8")
        names.append(f"{name}.svg")
    return names


def plots(figures: Figures) -> Iterator[tuple[str, Chart]]:
    """(file's name, chart)."""
    cases = figures.cases
    yield "predicted-against-counted", predicted_against_counted(cases)
    yield "error-by-attributes", error_by_attributes(cases)
    yield "error-by-dependence", error_by_dependence(cases)
    yield "auc-by-attributes", people_by_attributes(cases, "auc", "AUC, mean over sets and k")
    yield (
        "calibration-by-attributes",
        people_by_attributes(cases, "calibration", "calibration error, mean over sets and k"),
    )
    for way in figures.bins:
        yield file_of(way), calibration(figures.bins[way])


def file_of(way: str) -> str:
    """calibration-tree-eq-12."""
    plain = "".join(letter if letter.isalnum() else " " for letter in way.lower())
    return "calibration-" + "-".join(plain.split())


def predicted_against_counted(cases: Sequence[Case]) -> Chart:
    """ORR of every set, three models."""
    clouds = [
        Cloud(model, [(each.counted[0], each.counted[0] + each.whole[model].overall)
                      for each in cases])
        for model in ("independent", "tree", "pairwise")
    ]  # fmt: skip
    ends = ((0.0, 0.0), (1.0, 1.0))
    return points(clouds, "ORR counted", "ORR predicted", line=ends, height=340, size=40)


def error_by_attributes(cases: Sequence[Case]) -> Chart:
    """Mean error of ORR by number of attributes."""
    sizes = grouped(cases, "attributes")
    parts = [
        Curve(model, [(size, float(np.mean(errors(some, model, lambda w: w.overall))))
                      for size, some in sizes.items()])
        for model in SHOWN
    ]  # fmt: skip
    return curves(parts, "attributes", "error of ORR, mean over sets")


def error_by_dependence(cases: Sequence[Case]) -> Chart:
    """Boxes of the error of ORR by band of MAD."""
    parts = [
        Box.of("", band, model, [case.whole[model].overall for case in some])
        for band, some in grouped(cases, "dependence").items()
        for model in ("independent", "tree", "pairwise")
    ]
    return boxes(parts, "ORR predicted less counted", "strongest dependence of a pair (MAD)")


def people_by_attributes(cases: Sequence[Case], figure: str, title: str) -> Chart:
    """A figure of people by number of attributes."""
    parts = []
    for way in ("independent", "TFRR as printed", "groups", "tree", "pairwise"):
        found = [(size, [getattr(each, figure) for each in told(some, way)])
                 for size, some in grouped(cases, "attributes").items()]  # fmt: skip
        parts.append(Curve(way, [(size, float(np.mean(each))) for size, each in found if each]))
    return curves(parts, "attributes", title)


def calibration(by_k: dict[int, list[list[float]]]) -> Chart:
    """Mean probability said against the share it came true for, ten bins, each k a line."""
    parts = [
        Curve(f"k = {k}", [(said / people, true / people) for people, said, true in by_k[k]
                           if people > 0])
        for k in KS
        if k in by_k
    ]  # fmt: skip
    ideal = Curve("as said", [(0.0, 0.0), (1.0, 1.0)], dashed=True)
    return curves([*parts, ideal], "P(crowd ≥ k) as predicted", "came true for", NARROW, height=260)


CALIBRATION_FILES = tuple(f"{file_of(way)}.svg" for way in NAMES)
