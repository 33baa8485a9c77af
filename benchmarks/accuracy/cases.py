"""Case: some columns of a table, counted, and what each predictor said of them.

Errors are predicted less counted: of ORR, of the share alone. `inside` says whether the counted
figure lies in the 90 % interval, which holds chance only, not what the model leaves out. MAD is the
largest gain ratio among the columns' ordered pairs (R3A eq. 9). `sparse` is the share of people one
of whose pairs of values is held by at most three people.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BANDS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Whole(NamedTuple):
    """A whole table by one model."""

    overall: float
    alone: float
    overall_inside: bool
    alone_inside: bool
    seconds: float

    @property
    def worst(self) -> float:
        """The larger of the two errors, either way."""
        return max(abs(self.overall), abs(self.alone))


class Told(NamedTuple):
    """Its people by one predictor at one k: how well P(crowd ≥ k) foretells crowd ≥ k."""

    auc: float
    calibration: float
    brier: float
    positive: float


class Case(NamedTuple):
    """One set of columns: the facts, then predictors by name; people by predictor and k."""

    table: str
    columns: tuple[str, ...]
    people: int
    mad: float
    sparse: float
    counted: tuple[float, float]
    whole: dict[str, Whole]
    told: dict[str, dict[int, Told]]

    @property
    def size(self) -> int:
        """Attributes."""
        return len(self.columns)

    @property
    def band(self) -> str:
        """Its band of MAD."""
        place = next(at for at, high in enumerate(BANDS[1:]) if self.mad < high or high == 1.0)
        return f"{BANDS[place]:g}–{BANDS[place + 1]:g}"

    def to_json(self) -> dict[str, Any]:
        """As in the figures file; five digits."""
        told = {way: {str(k): _rounded(each) for k, each in by.items()}
                for way, by in self.told.items()}  # fmt: skip
        whole = {name: _rounded(each) for name, each in self.whole.items()}
        facts = (self.mad, self.sparse, *self.counted)
        return {
            "table": self.table, "columns": list(self.columns), "people": self.people,
            "facts": _rounded(facts), "whole": whole, "told": told,
        }  # fmt: skip

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Case:
        """Read it back."""
        mad, sparse, overall, alone = held["facts"]
        return cls(
            held["table"], tuple(held["columns"]), held["people"], mad, sparse, (overall, alone),
            {name: Whole(*each) for name, each in held["whole"].items()},
            {way: {int(k): Told(*each) for k, each in by.items()}
             for way, by in held["told"].items()},
        )  # fmt: skip


def _rounded(values: Sequence[float | bool]) -> list[float | bool]:
    return [each if isinstance(each, bool) else round(float(each), 5) for each in values]


def _compact(held: Mapping[str, Any]) -> str:
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


class Figures(NamedTuple):
    """All that was measured.

    `bins`: by predictor and k ten bins of (people, sum of scores, people it came true for), each
    case counting as one. `blocks`: tables of the other questions, line by line. `seconds` of the
    processor, which other work on the machine doesn't lengthen much.
    """

    cases: tuple[Case, ...]
    bins: dict[str, dict[int, list[list[float]]]]
    blocks: dict[str, list[str]]
    seconds: float = 0.0

    def save(self, path: Path) -> None:
        """Write the figures file, a case a line."""
        bins = {way: {str(k): [_rounded(each) for each in ten] for k, ten in by.items()}
                for way, by in self.bins.items()}  # fmt: skip
        lines = ",\n".join(_compact(case.to_json()) for case in self.cases)
        rest = _compact({"bins": bins, "blocks": self.blocks, "seconds": round(self.seconds)})
        path.write_text(f'{{"cases": [\n{lines}\n],\n{rest[1:]}\n', encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Figures:
        """Read a figures file."""
        held = json.loads(path.read_text(encoding="utf-8"))
        bins = {way: {int(k): ten for k, ten in by.items()} for way, by in held["bins"].items()}
        cases = tuple(Case.from_json(each) for each in held["cases"])
        return cls(cases, bins, held["blocks"], held["seconds"])


def by(cases: Iterable[Case], key: Callable[[Case], Any]) -> dict[Any, list[Case]]:
    """Cases by a fact of theirs, in the order the facts come."""
    found: dict[Any, list[Case]] = {}
    for case in cases:
        found.setdefault(key(case), []).append(case)
    return found
