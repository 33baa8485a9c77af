"""The form of an answer: what every one of them says alike, as text and for a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

from reidrisk.measuring.envelope import Envelope
from reidrisk.printable import printable
from reidrisk.reporting.layout import paragraph

Style = Callable[[str], str]


def plainly(text: str) -> str:
    """No emphasis; one line."""
    return printable(text)


def escape(text: str) -> str:
    """Text inside HTML, hidden characters visible."""
    return html.escape(printable(text))


def paragraphs(told: Iterable[str]) -> str:
    """Sentence by sentence."""
    return "\n".join(paragraph(sentence, "  ") for sentence in told)


def opening(headline: str, about: Envelope) -> list[str]:
    """The headline, and below it, above any figure, what a row may not be."""
    warned = about.unit_warning
    return [headline, *([paragraph(f"Warning: {warned}", "  ")] if warned else [])]


def closing(about: Envelope) -> list[str]:
    """What is taken for granted, and what to mind."""
    granted = "Taken for granted: " + " ".join(about.assumptions)
    warned = [paragraph(f"Note: {warning}", "  ") for warning in about.warnings]
    return [paragraph(granted, "  "), *warned]


def html_answer(about: Envelope, headline: str, told: Iterable[str], *parts: str) -> str:
    """The headline, sentences and what follows them; `parts` are HTML, the rest is escaped."""
    warned = f"<p><strong>Warning: {escape(about.unit_warning)}</strong></p>"
    said = warned if about.unit_warning else ""
    said += "".join(f"<p>{escape(sentence)}</p>" for sentence in told)
    return f"<div><p><strong>{escape(headline)}</strong></p>{said}{''.join(parts)}</div>"


def html_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", right: Sequence[int] = ()
) -> str:
    """A table, everything escaped; the cells of the columns in `right` to the right."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(
        "<tr>" + "".join(_cell(cell, place in right) for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    above = f"<p>{escape(title)}</p>" if title else ""
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_notes(warnings: Iterable[str]) -> str:
    """What to mind."""
    return "".join(f"<p><em>Note: {escape(warning)}</em></p>" for warning in warnings)


def _cell(text: str, to_the_right: bool) -> str:
    style = " style='text-align:right'" if to_the_right else ""
    return f"<td{style}>{escape(text)}</td>"
