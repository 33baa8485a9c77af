"""Report: sections of figures and sentences, made once and shown as a page, as text or as JSON.

The report as Markdown: every sentence and table of the page, no picture.

The report as one page: no script, no network, pictures drawn in; everything else is escaped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from reidrisk.crowds import Answer, Envelope
from reidrisk.errors import InputError, MissingExtra
from reidrisk.printable import printable
from reidrisk.publishing import keys_beside
from reidrisk.reports.charts.drawing import NARROW, WIDE, altair, can_draw, svg
from reidrisk.reports.discretion import Told
from reidrisk.reports.words.blocks import Grid

FORMATS = ("html", "md", "json")
_ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart at any width, what it shows in words, and a line below it."""

    draw: Callable[[int], Any]
    description: str
    caption: str = ""


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
class FirstScreen:
    """The first screen: how bad it is in a few words, three sentences, the figures, one picture."""

    level: str
    verdict: str
    sentences: tuple[str, str, str]
    figures: Mapping[str, tuple[str, Told]]
    picture: Picture
    # (number of a hundred, who they are), as the picture shows them.
    hundred: tuple[tuple[int, str], ...]


@dataclass(frozen=True, eq=False)
class Report(Answer):
    """The whole report; `reproduce` is the command it came from."""

    envelope: Envelope
    title: str
    answer: FirstScreen
    sections: tuple[Section, ...]
    # (what, in words): where the figures come from, and when they were made.
    provenance: tuple[tuple[str, str], ...] = field(compare=False)
    reproduce: str
    made: datetime = field(compare=False)
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

    def to_markdown(self) -> str:
        """Text for a repository or a letter."""

        return markdown_page(self)

    def to_html(self) -> str:
        """One page that needs nothing beside it."""
        return html_page(self)

    def written(self, kind: str) -> str:
        """The report in one of the formats."""
        return {"html": self.to_html, "md": self.to_markdown, "json": self.to_json}[kind]()

    def save(self, path: str | os.PathLike[str], kind: str | None = None) -> None:
        """Write it; html, md or json by the name's ending where `kind` doesn't say.

        A publishable one of records isn't written beside a key of the same name: a table that is no
        single file has its key beside its statistics.
        """
        from reidrisk.output_files import whole_file

        if self.publishable and self.envelope.origin == "records":
            refuse_beside_keys(keys_beside([Path(path)], ()))
        text = self.written(chosen_format(path, kind))
        with whole_file(path) as place:
            place.write_text(text, encoding="utf-8")


def refuse_beside_keys(keys: Sequence[Path]) -> None:
    """Where statistics of a table were rounded, both may tell more than each."""
    if keys:
        raise InputError(
            f"statistics of this table were rounded with {keys[0].name}, and a publishable report "
            "of the records may tell more beside them than each does",
            "make the report from the statistics file: reidrisk report STATISTICS --publishable",
        )


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
            f"the format of {Path(path).name!r} is unknown: a report is HTML, Markdown or JSON",
            "end its name in .html, .md or .json, or give --format",
        )
    return _ENDINGS[ending]


# What Markdown or the HTML inside it would take for its own; values must stay what they are.
_OWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def markdown_page(report: Report) -> str:
    """The whole report."""
    answer = report.answer
    parts = [
        f"# {plain(report.title)}",
        f"Made {plain(when(report.made))}.",
        *([f"**Warning: {plain(warned)}**"] if (warned := report.envelope.unit_warning) else []),
        f"**{plain(answer.verdict)}.**",
        *(plain(sentence) for sentence in answer.sentences),
        _table(Grid(("", ""), tuple((name, told.text) for name, told in answer.figures.values()))),
        f"Of a hundred {report.envelope.input.nouns[1]}: "
        + ", ".join(f"{many} {who}" for many, who in answer.hundred)
        + ".",
        *([publishable_note(report.at_least)] if report.at_least is not None else []),
        *(part for section in report.sections for part in _section(section)),
        "## Assumptions",
        _listed(report.envelope.assumptions),
        *(["## Notes", _listed(report.envelope.warnings)] if report.envelope.warnings else []),
        "## Provenance",
        _table(Grid(("", ""), report.provenance, (0, 1))),
        "To reproduce this report:",
        _code(report.reproduce),
    ]
    return "\n\n".join(parts) + "\n"


def when(made: datetime) -> str:
    """18 November 2026, 19:20 UTC."""
    return f"{made.day} {made:%B %Y, %H:%M} {made.tzname() or ''}".rstrip()


def publishable_note(at_least: int) -> str:
    """What was left out of a report to be published."""
    return (
        "For publication: this report contains no value of a record, no hash and no file name. "
        f"Counts of people are rounded to multiples of {2 * at_least}; a count below "
        f"{3 * at_least}, zero included, is only given as that. People in larger crowds are given "
        "as rounded shares. All other figures are computed from these, so no number of people "
        f"below {at_least} can be derived from them."
    )


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _OWN.sub(r"\\\1", printable(" ".join(text.split())))


def _section(section: Section) -> list[str]:
    return [
        f"## {plain(section.title)}",
        " ".join(plain(sentence) for sentence in section.sentences),
        *(_table(grid) for grid in section.grids),
        f"*Formula:* `{section.formula}`",
        f"*Limits:* {plain(section.limits)}",
    ]


def _table(grid: Grid) -> str:
    rule = ["---" if place in grid.left else "--:" for place in range(len(grid.heads))]
    rows = [[plain(cell) for cell in row] for row in (grid.heads, *grid.rows)]
    lines = [_row(rows[0]), _row(rule), *map(_row, rows[1:])]
    title = f"{plain(grid.title)}:\n\n" if grid.title else ""
    return title + "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)


def _code(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


ROOM = "reidrisk.reports"
# An index of a formula: N_{s}.
_INDEX = re.compile(r"_\{([^{}]*)\}")


def html_page(report: Report) -> str:
    """The whole page."""
    return rendered(
        "report.html",
        report=report,
        made=when(report.made),
        note=_note(report),
        widths=(WIDE, NARROW),
    )


def rendered(name: str, room: str = ROOM, **held: Any) -> str:
    """A template of a room, in the report's dress; what it holds is escaped."""
    page: str = _templates(room).get_template(name).render(style=_resource("report.css"), **held)
    return page


def first_screen(report: Report) -> str:
    """The answer alone, for a notebook; in words where nothing can be drawn."""
    if not can_draw():
        said = (f"{report.answer.verdict}.", *report.answer.sentences)
        return "".join(f"<p>{escape(printable(sentence))}</p>" for sentence in said)
    return f"<div>{rendered('answer.html', report=report, widths=(WIDE,))}</div>"


def _note(report: Report) -> str:
    return "" if report.at_least is None else publishable_note(report.at_least)


def refuse_without_libraries() -> None:
    """Say what is missing before hours of counting, not after."""
    _templates(ROOM)
    altair()
    if not can_draw():
        raise MissingExtra("charts", "report", "drawing")


@cache
def _templates(room: str) -> Any:
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise MissingExtra("a page", "report", "writing") from None
    loader = jinja2.FunctionLoader(lambda name: _resource(name, room))
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda held: held if isinstance(held, Markup) or not isinstance(held, str)
        else printable(held),
    )  # fmt: skip
    # The only text that goes in unescaped: drawings, in which the chart library escapes.
    made.globals["drawn"] = lambda picture, widths: Markup(_drawn(picture, widths))
    made.globals["style_of"] = Markup
    made.filters["formula"] = lambda text: Markup(_INDEX.sub(r"<sub>\1</sub>", str(escape(text))))
    return made


def _drawn(picture: Picture, widths: Sequence[int]) -> str:
    """For a wide and for a narrow page; the style shows one of them."""
    return "".join(
        f'<div class="{"wide" if width == WIDE else "narrow"}">{svg(picture.draw(width))}</div>'
        for width in widths
    )


def _resource(name: str, room: str = ROOM) -> str:
    """A room's own template, or the report's, which others are made of."""
    own = files(room) / "templates" / name
    place = own if own.is_file() else files(ROOM) / "templates" / name
    return place.read_text(encoding="utf-8")
