"""Report: sections of figures and sentences, made once and shown as a page, as text or as JSON."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError
from reidrisk.measuring.envelope import Envelope
from reidrisk.printable import json_text
from reidrisk.reports.discretion import Told

FORMATS = ("html", "md", "json")
_ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart at any width, what it shows in words, and a line below it."""

    draw: Callable[[int], Any]
    description: str
    caption: str = ""


@dataclass(frozen=True)
class Grid:
    """A table in words: heads and rows of as many cells; `left` columns are texts."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)
    title: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "title": self.title,
            "heads": list(self.heads),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True)
class Section:
    """One question: what the answer means, its picture and table, its formula and its limits."""

    key: str
    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()
    grids: tuple[Grid, ...] = ()
    figures: Mapping[str, Told] = field(default_factory=dict)
    formula: str = ""
    limits: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "key": self.key,
            "title": self.title,
            "sentences": list(self.sentences),
            "figures": {name: told.to_dict() for name, told in self.figures.items()},
            "tables": [grid.to_dict() for grid in self.grids],
            "formula": self.formula,
            "limits": self.limits,
        }


@dataclass(frozen=True)
class Answer:
    """The first screen: how bad it is in a few words, three sentences, the figures, one picture."""

    level: str
    verdict: str
    sentences: tuple[str, str, str]
    figures: Mapping[str, tuple[str, Told]]
    picture: Picture
    # (number of a hundred, who they are), as the picture shows them.
    hundred: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Report:
    """The whole report; `reproduce` is the command it came from."""

    envelope: Envelope
    title: str
    answer: Answer
    sections: tuple[Section, ...]
    # (what, in words): where the figures come from.
    provenance: tuple[tuple[str, str], ...]
    reproduce: str
    made: datetime
    at_least: int | None = None
    # The measures behind --fail-above, which no rendering shows.
    measured: Any = field(default=None, repr=False, compare=False)

    @property
    def publishable(self) -> bool:
        """Whether raw values and small counts were left out."""
        return self.at_least is not None

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        value: float = self.measured.value(name)
        return value

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        answer = self.answer
        return self.envelope.to_dict() | {
            "title": self.title,
            "made": self.made.isoformat(),
            "publishable": self.publishable,
            "at_least": self.at_least,
            "level": answer.level,
            "verdict": answer.verdict,
            "answer": list(answer.sentences),
            "figures": {key: told.to_dict() for key, (_, told) in answer.figures.items()},
            "of_a_hundred": {who: many for many, who in answer.hundred},
            "sections": [section.to_dict() for section in self.sections],
            "provenance": dict(self.provenance),
            "reproduce": self.reproduce,
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Text for a repository or a letter."""
        from reidrisk.reports.markdown_page import markdown_page

        return markdown_page(self)

    def to_html(self) -> str:
        """One page that needs nothing beside it."""
        from reidrisk.reports.html_page import html_page

        return html_page(self)

    def written(self, kind: str) -> str:
        """The report in one of the formats."""
        return {"html": self.to_html, "md": self.to_markdown, "json": self.to_json}[kind]()

    def save(self, path: str | os.PathLike[str], kind: str | None = None) -> None:
        """Write it; html, md or json by the name's ending where `kind` doesn't say."""
        from reidrisk.writing import whole_file

        text = self.written(chosen_format(path, kind))
        with whole_file(path) as place:
            place.write_text(text, encoding="utf-8")

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        from reidrisk.reports.html_page import first_screen

        return first_screen(self)


def chosen_format(path: str | os.PathLike[str] | None, kind: str | None) -> str:
    """As asked, or by the ending of the name; text where there is no name."""
    if kind is not None:
        if kind not in FORMATS:
            raise InputError(f"--format {kind}: it is {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
        return kind
    if path is None:
        return "md"
    ending = Path(path).suffix.lower()
    if not ending and Path(path).exists() and not Path(path).is_file():
        # A device or a pipe is written into as standard output would be.
        return "md"
    if ending not in _ENDINGS:
        raise InputError(
            f"a report is a page, a text or JSON, and {Path(path).name!r} ends otherwise",
            "end its name in .html, .md or .json, or say which with --format",
        )
    return _ENDINGS[ending]
