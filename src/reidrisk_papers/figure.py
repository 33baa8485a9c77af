"""Figure: one figure or table of a paper, rerun: the paper's values beside ours, and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reidrisk.reports import Grid, Picture
from reidrisk_papers.expected import Expected, Reported

Value = float | tuple[float, float]


class NotRun(Exception):
    """A figure whose public table isn't at hand; the reason is its text."""


@dataclass(frozen=True)
class Ours:
    """Our value of one line: by the paper's own method, by a better one, and why they differ."""

    published: Value | None = None
    improved: Value | None = None
    why: str = ""


@dataclass(frozen=True)
class Rerun:
    """What running a figure gives: values by key, what they were computed on, what shows them.

    `data` says on what: "as in the paper", or what stands in for it.
    """

    ours: Mapping[str, Ours]
    data: str
    pictures: Sequence[Picture] = ()
    grids: Sequence[Grid] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Line:
    """One value: the paper's and ours."""

    expected: Expected
    ours: Ours

    @property
    def agrees(self) -> bool | None:
        """Whether ours, as published, lies where the paper says; None where it can't be told."""
        value = self.ours.published
        return None if value is None else self.expected.holds(value)

    @property
    def verdict(self) -> str:
        """In two words."""
        return {True: "as reported", False: "not as reported", None: "–"}[self.agrees]

    @property
    def told(self) -> tuple[str, str, str, str, str, str]:
        """What, the paper's, ours as published, ours improved, verdict, why."""
        cells = (self._cell(self.ours.published), self._cell(self.ours.improved))
        return (self.expected.what, self.expected.said, *cells, self.verdict, self.ours.why)

    def _cell(self, value: Value | None) -> str:
        return "–" if value is None else self.expected.written(value)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "key": self.expected.key,
            "what": self.expected.what,
            "paper": self.expected.said,
            "as_published": self.ours.published,
            "improved": self.ours.improved,
            "agrees": self.agrees,
            "why": self.ours.why,
        }


@dataclass(frozen=True)
class Figure:
    """A figure or table rerun, or the reason why it was not."""

    reported: Reported
    lines: tuple[Line, ...] = ()
    data: str = ""
    pictures: tuple[Picture, ...] = field(default=(), compare=False)
    grids: tuple[Grid, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    not_run: str = ""

    @classmethod
    def of(cls, reported: Reported, rerun: Rerun, seconds: float) -> Figure:
        """Join the paper's values and ours by key: each expected value needs one of ours."""
        missing, unknown = set(reported.expected) ^ set(rerun.ours), set(rerun.ours)
        if missing:
            raise ValueError(f"{reported.key}: {sorted(missing)} of {sorted(unknown)} don't match")
        lines = tuple(Line(value, rerun.ours[key]) for key, value in reported.expected.items())
        return cls(
            reported, lines, rerun.data, tuple(rerun.pictures), tuple(rerun.grids),
            tuple(rerun.notes), seconds,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "key": self.reported.key,
            "title": self.reported.title,
            "run": not self.not_run,
            "not_run": self.not_run or None,
            "data": self.data,
            "lines": [line.to_dict() for line in self.lines],
            "pictures": [
                {"description": each.description, "caption": each.caption} for each in self.pictures
            ],
            "tables": [grid.to_dict() for grid in self.grids],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 2),
        }
