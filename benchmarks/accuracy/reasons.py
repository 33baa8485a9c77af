"""Reasons: sets of columns chosen to show why a model fails, beside ones where it doesn't.

Unlike the sets of `subsets` these were chosen with the answers in sight; they explain, and count
nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.marked_page import rows
from reidrisk.models.contract import Model

from .predicting import judged, made, sparse_share
from .real_tables import FILES, RealTable, load


class Shown(NamedTuple):
    """What a set shows."""

    table: str
    columns: tuple[str, ...]
    shows: str


SHOWN = (
    Shown("nist_national2019", ("PUMA", "NOC", "POVPIP"), "a household shares all three"),
    Shown("nist_national2019", ("PUMA", "AGEP", "EDU"), "people's own values"),
    Shown(
        "be_motor97", ("expo", "nclaims", "bm", "agec", "fuel", "long"), "365 days by 583 places"
    ),
    Shown("be_motor97", ("nclaims", "bm", "agec", "fuel", "long"), "the same without the days"),
    Shown("be_motor97", ("nclaims", "bm", "agec", "fuel", "long", "lat", "postcode"),
          "three columns that say the same"),
    Shown("belgium_2015", ("municipality", "district", "province", "age", "sex"), "a hierarchy"),
)  # fmt: skip
MODELS = ("independent", "tree", "pairwise")


def lines(data: Path, shown: tuple[Shown, ...] = SHOWN) -> list[str]:
    """One row a set."""
    loaded: dict[str, RealTable] = {}
    body = []
    for each in shown:
        if (data / FILES[each.table]).exists():
            table = loaded.setdefault(each.table, load(each.table, data))
            body.append([each.shows, *of_set(table.of(each.columns))])
    head = ["what it shows", "columns", "sparse", "counted ORR, alone", *MODELS, "log_z_fresh"]
    return rows(head, body)


def of_set(part: RealTable) -> Iterator[str]:
    """Facts, each model's errors, and how far the pairwise fit is from rows it hasn't seen."""
    known, truth = part.knowledge(), part.crowds()
    counted = (truth.overall_risk, truth.alone_share)
    yield f"{part.name}: {', '.join(part.columns)}"
    yield f"{sparse_share(part, known):.0%}"
    yield f"{counted[0]:.4f}, {counted[1]:.4f}"
    model: Model | None = None
    for name in MODELS:
        model = made(known, name, 0)
        found = judged(model, counted, 0.0)
        yield f"{found.overall:+.4f}, {found.alone:+.4f}"
    fresh = model.fit.get("log_z_fresh") if model is not None else None
    yield "–" if fresh is None else f"{fresh:.2f}"
