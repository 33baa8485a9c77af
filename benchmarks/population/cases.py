"""Case: one sample, what is true of its population, and what was estimated from it.

`shifts` are the δ by which the log odds of every P would have to be moved to give τ1 − 1, τ1 and
τ1 + 1: by them, whether an interval of any width holds τ1 can be told without the sample. `bins`
count, by tenths of P: sample uniques, the sum of their P, and how many are population unique.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reidrisk.samples.population_error import Signs

FIGURES = ("tau1", "tau2", "alone", "overall_risk")


class Case(NamedTuple):
    """A sample of some columns of a table."""

    table: str
    columns: tuple[str, ...]
    fraction: float
    seed: int
    population: int
    n: int
    sample_alone: int
    truth: Mapping[str, float]
    estimate: Mapping[str, float]
    totals: Mapping[str, float]
    panel: Mapping[str, float | None]
    signs: Signs
    chance: float
    shifts: tuple[float, float, float]
    bins: tuple[tuple[int, float, int], ...]

    @property
    def with_pairs(self) -> bool:
        """Whether the total of the two-way tables had a say."""
        return "pairs" in self.totals

    def to_json(self) -> dict[str, Any]:
        """As in the file of cases."""
        held = self._asdict()
        for name in ("truth", "estimate", "totals"):
            held[name] = {key: _digits(value) for key, value in held[name].items()}
        held["panel"] = {
            key: None if value is None else _digits(value) for key, value in self.panel.items()
        }
        held["signs"] = [_digits(each) for each in self.signs]
        held["shifts"] = [_digits(each) for each in self.shifts]
        held["bins"] = [[count, _digits(total), hits] for count, total, hits in self.bins]
        return held | {"chance": _digits(self.chance)}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Case:
        """Read it back."""
        tuples = {name: tuple(held[name]) for name in ("columns", "signs", "shifts")}
        bins = tuple((count, total, hits) for count, total, hits in held["bins"])
        return cls(**(dict(held) | tuples | {"bins": bins}))


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


def save(cases: Sequence[Case], path: Path) -> None:
    """One a line."""
    lines = [json.dumps(each.to_json(), separators=(",", ":")) for each in cases]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def load(path: Path) -> list[Case]:
    """Read a file of cases."""
    return [Case.from_json(each) for each in json.loads(path.read_text(encoding="utf-8"))]
