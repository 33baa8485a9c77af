"""Figure 5: people of real tables, by the largest dependence of the attributes known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import BANDS
from reidrisk_papers.tfrr.compared import compared, per_cent
from reidrisk_papers.tfrr.real_tables import RealTable, real_tables, told
from reidrisk_papers.tfrr.roc_pictures import roc_picture
from reidrisk_papers.tfrr.scored_subsets import KS, Case, at, cases, improved, mean, published

FIGURE = "figure_5"
WAYS = {"published": published, "improved": improved}
WORST = 10
Found = Mapping[str, Sequence[Case]]


def figure_5(setting: Setting) -> Rerun:
    """ROC curves by bands of MAD, positive rate and AUC for each k."""
    tables = real_tables(setting)
    found = {role: list(cases(setting, table, WAYS)) for role, table in tables.items()}
    spd = found["spd"]
    ours: dict[str, Ours] = {"range": _range(tables, found), "weak": _weak(spd)}
    for k in KS:
        held = at(spd, k)
        auc, positive = f"auc_k{k}", f"positive_k{k}"
        ours[auc] = compared(FIGURE, auc, (mean(held, way) for way in WAYS), by_bands(held))
        rate = [mean(held, "published", "positive")]
        ours[positive] = compared(FIGURE, positive, rate, crowded(tables["spd"], held))
    pictures = [_picture(tables["spd"].name, spd, k) for k in KS]
    pictures += [_picture(tables[role].name, found[role], KS[0]) for role in found if role != "spd"]
    grids = (_by_band(tables, found), _worst(tables, found))
    return Rerun(ours, told(setting), pictures, grids, ())


def _range(tables: Mapping[str, RealTable], found: Found) -> Ours:
    """The average AUC of each table and k, least and most."""
    means = [[mean(at(held, k), way) for held in found.values() for k in KS] for way in WAYS]
    each = (f"{tables[role].name} {mean(held, 'published'):.3f}" for role, held in found.items())
    why = f"over the three k together: {', '.join(each)}"
    return compared(FIGURE, "range", map(_span, means), why)


def _weak(spd: Sequence[Case]) -> Ours:
    """The average AUC of subsets without a strongly dependent pair, least and most over the k."""
    weak = [case for case in spd if not case.subset.strong]
    means = [[mean(at(weak, k), way) for k in KS] for way in WAYS]
    why = (
        f"{by_bands(weak)}. The less attributes depend, the better the independent law tells "
        "people apart; the paper has its weakly dependent subsets below the average of all"
    )
    return compared(FIGURE, "weak", map(_span, means), why)


def _span(means: Sequence[float]) -> tuple[float, float]:
    return min(means), max(means)


def by_bands(held: Sequence[Case]) -> str:
    """Which subsets make the average: the AUC in each band of MAD."""
    parts = {band: [case for case in held if case.subset.band == band] for band in BANDS}
    told = ", ".join(
        f"{mean(part, 'published'):.3f} where MAD is {band}" for band, part in parts.items() if part
    )
    return f"the attributes are others than SPD's, and the average follows theirs: {told}"


def crowded(table: RealTable, held: Sequence[Case]) -> str:
    """Why more people, or fewer, are k-indistinguishable than in SPD."""
    full = [case.judged["published"].positive for case in held]
    return (
        f"other attributes and other people: of {table.records.num_rows:,} people six attributes "
        f"are known at most, and in {per_cent(np.array(full) > 0.95)} of the "
        "subsets more than 95 % of the people are k-indistinguishable"
    )


def _picture(name: str, held: Sequence[Case], k: int) -> Picture:
    chosen = at(held, k)
    bands = {
        f"MAD {band}": [case.curves["published"] for case in chosen if case.subset.band == band]
        for band in BANDS
    }
    title = (
        f"{name}, k = {k}: {len(chosen)} subsets, positive rate "
        f"{mean(chosen, 'published', 'positive'):.2f} and AUC {mean(chosen, 'published'):.3f} "
        f"on average, improved {mean(chosen, 'improved'):.3f}"
    )
    caption = (
        "Thin: a subset of attributes, 1,000 people each, as published; bold: the average of those "
        "whose largest dependence lies in the band; dashed: the average of all, improved."
    )
    kept = {band: curves for band, curves in bands.items() if curves}
    return roc_picture(kept, title, caption, [case.curves["improved"] for case in chosen])


def _by_band(tables: Mapping[str, RealTable], found: Found) -> Grid:
    heads = ("table", "k", "MAD", "subsets", "positive rate", "AUC", "AUC, improved",
             "calibration error", "the same, improved")  # fmt: skip
    rows = []
    for role, held in found.items():
        for k in KS:
            for band in ("all", *BANDS):
                chosen = [case for case in at(held, k) if band in ("all", case.subset.band)]
                if chosen:
                    rows.append((tables[role].name, f"{k}", band, f"{len(chosen)}",
                                 *_figures(chosen)))  # fmt: skip
    return Grid(heads, tuple(rows), (0, 2), "Averages over the subsets of each band")


def _figures(chosen: Sequence[Case]) -> tuple[str, ...]:
    asked = (("published", "positive"), ("published", "auc"), ("improved", "auc"),
             ("published", "calibration"), ("improved", "calibration"))  # fmt: skip
    return tuple(f"{mean(chosen, way, name):.3f}" for way, name in asked)


def _worst(tables: Mapping[str, RealTable], found: Found) -> Grid:
    """Where the improved scores tell apart least."""
    every = [(role, case) for role, held in found.items() for case in held]
    every.sort(key=lambda each: each[1].judged["improved"].auc)
    rows = tuple(
        (tables[role].name, ", ".join(case.subset.columns), f"{case.k}",
         per_cent(case.judged['published'].positive, 1), f"{case.judged['published'].auc:.3f}",
         f"{case.judged['improved'].auc:.3f}")
        for role, case in every[:WORST]
    )  # fmt: skip
    heads = ("table", "attributes", "k", "positive rate", "AUC", "AUC, improved")
    return Grid(heads, rows, (0, 1), f"The {WORST} subsets that are told apart worst, improved")
