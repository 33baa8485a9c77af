"""ROC curves as the paper draws them: a thin line for each case, a bold one for their average.

The average is vertical: at each false positive rate the mean of the true positive rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.reports import Picture
from reidrisk_papers.judging import Truth, roc
from reidrisk_papers.pictures import Curve, curves

# Denser where ROC curves bend.
ACROSS: NDArray[np.float64] = np.linspace(0.0, 1.0, 41) ** 2
TINY = 1e-9


def curve_of(scores: Floats, truth: Truth) -> Floats:
    """The true positive rate at each of `ACROSS`; on a vertical stretch its upper end."""
    across, up = np.transpose(roc(scores, truth))
    # Vertical stretches are leant by less than anybody sees, so that x rises.
    leant = across + TINY * np.linspace(0.0, 0.5, len(across))
    found: Floats = np.interp(np.minimum(ACROSS + TINY, leant[-1]), leant, up)
    return found


def roc_picture(
    cases: Mapping[str, Sequence[Floats]], title: str, caption: str, dashed: Sequence[Floats] = ()
) -> Picture:
    """Cases by name, each name with its average; `dashed` are averaged into one more line."""
    thin = [
        Curve(name, _points(up), thin=True)
        for name, held in cases.items()
        for up in held
    ]  # fmt: skip
    bold = [Curve(name, _points(np.mean(held, axis=0))) for name, held in cases.items() if held]
    more = [Curve("improved", _points(np.mean(dashed, axis=0)), dashed=True)] if dashed else []
    draw = partial(curves, [*thin, *bold, *more], "false positive rate", "true positive rate")
    return Picture(draw, f"ROC curves: {title}.", f"{title}. {caption}")


def _points(up: Floats) -> list[tuple[float, float]]:
    return [(0.0, 0.0), *zip(ACROSS.round(4).tolist(), up.round(4).tolist(), strict=True)]
