"""Reproduction: papers rerun, figure by figure; made once, shown as a page, in words, as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.version import __version__
from reidrisk_papers.expected import Paper
from reidrisk_papers.figure import Figure, Line

PAGE, DATA, PICTURES = "reproduction.html", "reproduction.json", "pictures"


@dataclass(frozen=True)
class PaperRerun:
    """One paper's figures, in its order."""

    paper: Paper
    figures: tuple[Figure, ...]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "key": self.paper.key,
            "title": self.paper.title,
            "reference": self.paper.reference,
            "figures": [figure.to_dict() for figure in self.figures],
        }


@dataclass(frozen=True)
class Reproduction:
    """Every figure that was asked for, run or not."""

    papers: tuple[PaperRerun, ...]
    quick: bool
    seed: int
    command: str
    seconds: float

    @property
    def figures(self) -> Iterator[Figure]:
        """Of all papers."""
        return (figure for each in self.papers for figure in each.figures)

    @property
    def lines(self) -> list[Line]:
        """Every value of every figure that was run."""
        return [line for figure in self.figures for line in figure.lines]

    @property
    def headlines(self) -> list[tuple[PaperRerun, Figure, Line]]:
        """The values a paper is known for."""
        return [
            (each, figure, line)
            for each in self.papers
            for figure in each.figures
            for line in figure.lines
            if line.expected.headline
        ]

    @property
    def not_run(self) -> list[Figure]:
        """Figures whose tables weren't at hand."""
        return [figure for figure in self.figures if figure.not_run]

    def summary(self) -> str:
        """One sentence: how many values, how many as reported."""
        judged = [line for line in self.lines if line.agrees is not None]
        same = sum(bool(line.agrees) for line in judged)
        run = sum(not figure.not_run for figure in self.figures)
        left = f"; {len(self.not_run)} were not run" if self.not_run else ""
        of = "paper" if len(self.papers) == 1 else "papers"
        told = f"{run} figures and tables of {len(self.papers)} {of} rerun{left}."
        if not judged:
            return told
        return (
            f"{told} Of {len(judged)} values that a paper gives, {same} come out as reported (=) "
            f"and {len(judged) - same} otherwise (≠), with the reason beside them."
        )

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "command": "reproduce",
            "version": __version__,
            "quick": self.quick,
            "seed": self.seed,
            "reproduce": self.command,
            "seconds": round(self.seconds, 1),
            "summary": self.summary(),
            "papers": [each.to_dict() for each in self.papers],
        }

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_html(self) -> str:
        """One page that needs nothing beside it."""
        from reidrisk_papers.page import page

        return page(self)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the page, its values as JSON and its pictures into a folder; where the page is."""
        from reidrisk.output_files import refuse_unwritable, whole_file

        place = Path(folder)
        (place / PICTURES).mkdir(parents=True, exist_ok=True)
        files = ((PAGE, self.to_html()), (DATA, self.to_json()), *self._pictures())
        for name, _ in files:
            refuse_unwritable(place / name)
        for name, text in files:
            with whole_file(place / name) as file:
                file.write_text(text, encoding="utf-8")
        return place / PAGE

    def _pictures(self) -> Iterator[tuple[str, str]]:
        """(file, drawing): PAPER-FIGURE-1.svg and so on."""
        from reidrisk.reports import WIDE, svg_file

        for each in self.papers:
            for figure in each.figures:
                for number, picture in enumerate(figure.pictures, 1):
                    name = f"{each.paper.key}-{figure.reported.key}-{number}.svg"
                    yield f"{PICTURES}/{name}", svg_file(picture.draw(WIDE))
