"""A box for each parameter set, as in figures 1 and 3: a sector for N, λ along it, d by colour."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from numpy.typing import ArrayLike

from reidrisk.reports import Picture
from reidrisk_papers.pictures import Box, boxes
from reidrisk_papers.tfrr.parameter_sets import ParameterSet, sector


def set_boxes(values: Mapping[ParameterSet, ArrayLike], title: str, caption: str) -> Picture:
    """The values of each set as a box."""
    parts = [
        Box.of(sector(chosen), f"{chosen.lambda_:g}", f"d = {chosen.attributes}", each)
        for chosen, each in values.items()
    ]
    draw = partial(boxes, parts, title, "λ")
    return Picture(draw, f"A box of {title} for each set.", caption)
