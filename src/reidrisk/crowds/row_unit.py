"""RowUnit: what a row stands for, and what has to be answered before figures are about people.

A row is one person, a number of people (``--count``), or one of several rows of a person
(``--person``). While columns speak against one person a row, and nobody has said which it is,
figures count rows, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from reidrisk.errors import UnansweredUnit
from reidrisk.printable import shell_word

Kind = Literal["row", "count", "person"]


@dataclass(frozen=True)
class LikelyUnit:
    """A column that says a row isn't one person: whose it is, or how many people it holds."""

    column: str
    kind: Literal["count", "person"]
    why: str


@dataclass(frozen=True)
class RowUnit:
    """What a row stands for; `stated` where the user said so, `likely` what speaks against it."""

    kind: Kind = "row"
    column: str | None = None
    stated: bool = False
    likely: tuple[LikelyUnit, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether figures count rows that may not be people."""
        return not self.stated and bool(self.likely)

    @property
    def nouns(self) -> tuple[str, str]:
        """What the figures count: one, several."""
        return ("row", "rows") if self.unanswered else ("person", "people")

    @property
    def question(self) -> str:
        """What has to be answered; empty where nothing has."""
        if not self.unanswered:
            return ""
        return f"Is each row one person? {' '.join(each.why for each in self.likely)}"

    @property
    def warning(self) -> str:
        """The question, what the figures are meanwhile, and the options that answer it."""
        if not self.unanswered:
            return ""
        return f"{self.question} The figures below count rows, not people. {self.answers}"

    @property
    def answers(self) -> str:
        """The options that answer the question."""
        told = {"person": "a person may have several rows", "count": "a row stands for many people"}
        ways = [
            f"if {told[each.kind]}, add --{each.kind} {shell_word(each.column)}"
            for each in self.likely
        ]
        said = "; ".join([*ways, "if each row is one person, add --rows-are-people"])
        return said[0].upper() + said[1:] + "."

    def refuse_unanswered(self, what: str, answers: str = "") -> None:
        """`what` would promise something about people without knowing who they are.

        `answers` says where to answer; by default, the options that do.
        """
        if self.unanswered:
            said = f"{what} needs to know what a row stands for. {self.question}"
            raise UnansweredUnit(said, answers or self.answers)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "is": self.kind,
            "column": self.column,
            "stated": self.stated,
            "likely": [vars(each).copy() for each in self.likely],
        }
