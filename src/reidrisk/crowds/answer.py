"""The envelope: what every answer says of itself. A number never travels alone.

Plotted: results that can be drawn. The charts themselves lie further along the road.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reidrisk.records import RowUnit
from reidrisk.version import __version__


@dataclass(frozen=True)
class Input:
    """What was read: its hash (worked out when asked for), people and columns."""

    people: int
    columns: tuple[str, ...]
    hashed: Callable[[], str | None]
    named: str = ""
    notes: tuple[str, ...] = ()
    # What a row of the table stands for; None where there is no row.
    unit: RowUnit | None = None
    # Whether `hashed` takes a key that isn't told: then nobody else can try values.
    keyed: bool = False

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the input's bytes; None for a table in memory."""
        return self.hashed()

    @property
    def nouns(self) -> tuple[str, str]:
        """What is counted, one and several: a person, people; rows while that isn't settled."""
        return ("person", "people") if self.unit is None else self.unit.nouns

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "sha256": None if self.keyed else self.sha256,
            **({"keyed_sha256": self.sha256} if self.keyed else {}),
            "people": self.people,
            "columns": list(self.columns),
            "notes": list(self.notes),
            "unit": None if self.unit is None else self.unit.to_dict(),
        }


@dataclass(frozen=True)
class Envelope:
    """Where an answer comes from and what it takes for granted."""

    command: str
    origin: Literal["records", "statistics"]
    input: Input
    missing: str
    engine: str
    seed: int | None = None
    model: str | None = None
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def unit_warning(self) -> str:
        """What stands above every figure where a row may not be a person; empty otherwise."""
        return "" if self.input.unit is None else self.input.unit.warning

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "command": self.command,
            "version": __version__,
            "from": self.origin,
            "input": self.input.to_dict(),
            "missing": self.missing,
            "engine": self.engine,
            "seed": self.seed,
            "model": self.model,
            "assumptions": list(self.assumptions),
            "warnings": [*filter(None, [self.unit_warning]), *self.warnings],
        }


def named(paths: Sequence[Path], form: str) -> str:
    """A table's file, or the first of its files and how many more."""
    if not paths:
        return f"the table from {form}"
    return paths[0].name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


class Plotted:
    """A result that plots itself."""

    def plot(self, what: str | None = None, width: int = 640) -> Any:
        """An Altair chart; `what` names another than the first (a wrong name lists them)."""
        from reidrisk.reports import plot

        return plot(self, what, width)

    def _pictured(self, words: str) -> str:
        """The words for a notebook, and the picture below them."""
        from reidrisk.reports import with_picture

        return with_picture(words, self)
