"""Case: one set of columns and a sensitive one, counted, and what each model predicted of it.

Figures stand in the order of `NAMES`. `sparse` as in `Signs`. A `chosen` case was named by hand,
before it was measured; the others were drawn by a rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.model_error.cases import KIND_OF
from reidrisk.learning.learning_error import FAMILIES, Interval
from reidrisk.prediction import Signs

CROWD = 5
NAMES = tuple(f"{name}{CROWD}" if name.endswith("_") else name for name in FAMILIES)


class Prediction(NamedTuple):
    """One model's means over the draws, the ends of these, and means by the next simpler model."""

    figures: tuple[float, ...]
    ends: tuple[Interval, ...]
    simpler: tuple[float, ...]


class Published(NamedTuple):
    """The set as published in one way: predictions by model."""

    sparse: float
    predictions: Mapping[str, Prediction]


class Case(NamedTuple):
    """One set of columns."""

    table: str
    columns: tuple[str, ...]
    sensitive: str
    people: int
    chosen: bool
    truth: tuple[float, ...]
    published: Mapping[str, Published]
    # The column that says whose rows they are, where people have several.
    person: str | None = None

    def signs(self, way: str, model: str) -> Signs:
        """What is seen of how far off figures may be."""
        published = self.published[way]
        simpler = published.predictions[model].simpler
        figures = dict(zip(NAMES, simpler, strict=True)) if simpler else {}
        return Signs(len(self.columns) + 1, published.sparse, figures, kind=KIND_OF[way])

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Case:
        """Read it back."""
        published = {
            way: Published(
                each["sparse"],
                {
                    model: Prediction(
                        tuple(one["figures"]),
                        tuple((low, high) for low, high in one["ends"]),
                        tuple(one["simpler"]),
                    )
                    for model, one in each["predictions"].items()
                },
            )
            for way, each in held["published"].items()
        }
        return cls(
            held["table"], tuple(held["columns"]), held["sensitive"], held["people"],
            held["chosen"], tuple(held["truth"]), published,
            held.get("person"),
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As in the file of cases."""
        published = {
            way: {
                "sparse": each.sparse,
                "predictions": {model: one._asdict() for model, one in each.predictions.items()},
            }
            for way, each in self.published.items()
        }
        found: dict[str, Any] = _rounded(self._asdict() | {"published": published})
        return found


def _rounded(held: Any) -> Any:
    if isinstance(held, float):
        return round(held, 5)
    if isinstance(held, Mapping):
        return {key: _rounded(value) for key, value in held.items()}
    return [_rounded(each) for each in held] if isinstance(held, (list, tuple)) else held


def save(cases: Sequence[Case], path: Path) -> None:
    """Write a file of cases, one a line."""
    lines = [json.dumps(case.to_json(), ensure_ascii=False, separators=(",", ":"))
             for case in cases]  # fmt: skip
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def load(path: Path) -> list[Case]:
    """Read a file of cases."""
    return [Case.from_json(each) for each in json.loads(path.read_text(encoding="utf-8"))]
