"""Case: one set of columns of a table, counted, and what each model said of it as published.

Figures stand in the order of `NAMES`. `alpha` is the chance that two different people share all
values, in truth and by a model's law (Σp_t²). `crowds` are the true crowds of some members,
`expected` the expected ones; None for a member whom the published numbers rule out. `sparse` as in
`Signs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from reidrisk.measurement import AT_LEAST
from reidrisk.prediction.error_scale import Interval
from reidrisk.prediction.model_error import (
    COUNTED_ALL,
    LEFT_OUT,
    READ_BACK,
    SIMPLER,
    Signs,
    chance_of_crowds,
)

KS = (2, 3, 5, 10, 20, 50)
# Crowds of a size between two of these are taken as of one in the middle.
SIZES = (1.0, 2.0, 3.4, 6.8, 13.7, 30.9)
# How counts published in each way come to be known.
KIND_OF = {"unprotected": COUNTED_ALL, "rounded": READ_BACK, "exact": LEFT_OUT}
NAMES = ("overall_risk", "alone_share", *(f"{AT_LEAST}{k}" for k in KS))


class Prediction(NamedTuple):
    """One model's figures, and the ends of what chance leaves of the first two of them."""

    figures: tuple[float, ...]
    chance: tuple[Interval, ...]

    def chance_of(self, place: int, people: int) -> Interval:
        """The ends of what chance leaves of a figure."""
        if place < len(self.chance):
            return self.chance[place]
        low, high = self.chance[1]
        squares = [share * size * people for share, size in zip(self._shares(), SIZES, strict=True)]
        small, figure = sum(squares[: place - 1]), self.figures[place]
        d = chance_of_crowds(small, squares[0], (high - low) / 2.0, people)
        return figure - d, figure + d

    def _shares(self) -> list[float]:
        """Of people alone, in crowds of 2, of 3 to 4, and so on up to the last of `KS`."""
        at_least = (1.0, *self.figures[2:])
        return [max(more - fewer, 0.0) for more, fewer in pairwise(at_least)]


class Published(NamedTuple):
    """The set under one protection; predictions, alphas and expected crowds by model."""

    sparse: float
    predictions: Mapping[str, Prediction]
    alphas: Mapping[str, float]
    expected: Mapping[str, Sequence[float | None]]


class Case(NamedTuple):
    """One set of columns; published by protection."""

    table: str
    columns: tuple[str, ...]
    people: int
    truth: tuple[float, ...]
    alpha: float
    crowds: tuple[int, ...]
    published: Mapping[str, Published]

    def signs(self, protection: str, model: str) -> Signs:
        """What `signs_of` says of it."""
        published = self.published[protection]
        simpler = SIMPLER.get(model)
        kind = KIND_OF[protection]
        if simpler is None:
            return Signs(len(self.columns), 0.0, {}, kind=kind)
        figures = dict(zip(NAMES, published.predictions[simpler].figures, strict=True))
        return Signs(len(self.columns), published.sparse, figures, kind=kind)

    def to_json(self) -> dict[str, Any]:
        """As in the file of cases; figures to five digits."""
        published = {name: _to_json(each) for name, each in self.published.items()}
        return {
            "table": self.table, "columns": list(self.columns), "people": self.people,
            "truth": _rounded(self.truth), "alpha": _digits(self.alpha),
            "crowds": list(self.crowds), "published": published,
        }  # fmt: skip

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Case:
        """Read it back."""
        return cls(
            held["table"], tuple(held["columns"]), held["people"], tuple(held["truth"]),
            held["alpha"], tuple(held["crowds"]),
            {name: _from_json(each) for name, each in held["published"].items()},
        )  # fmt: skip


def _to_json(published: Published) -> dict[str, Any]:
    predictions = {
        model: {"figures": _rounded(each.figures), "chance": [_rounded(two) for two in each.chance]}
        for model, each in published.predictions.items()
    }
    expected = {
        model: [None if crowd is None else _digits(crowd, 4) for crowd in crowds]
        for model, crowds in published.expected.items()
    }
    alphas = {model: _digits(alpha) for model, alpha in published.alphas.items()}
    sparse = round(published.sparse, 5)
    return {"sparse": sparse, "predictions": predictions, "alphas": alphas, "expected": expected}


def _from_json(held: Mapping[str, Any]) -> Published:
    predictions = {
        model: Prediction(
            tuple(each["figures"]), tuple((low, high) for low, high in each["chance"])
        )
        for model, each in held["predictions"].items()
    }
    return Published(held["sparse"], predictions, held["alphas"], held["expected"])


def _rounded(values: Sequence[float]) -> list[float]:
    return [_digits(round(float(each), 5)) for each in values]


def _digits(value: float, digits: int = 5) -> float | int:
    """Significant digits: of chances that may be very small, and of crowds."""
    found = float(f"{value:.{digits}g}")
    return int(found) if found.is_integer() else found


def save(cases: Sequence[Case], path: Path) -> None:
    """Write a file of cases, one a line."""
    lines = [json.dumps(case.to_json(), ensure_ascii=False, separators=(",", ":"))
             for case in cases]  # fmt: skip
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def load(path: Path) -> list[Case]:
    """Read a file of cases."""
    return [Case.from_json(each) for each in json.loads(path.read_text(encoding="utf-8"))]
