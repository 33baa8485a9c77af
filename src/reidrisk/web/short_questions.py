"""Short questions that a process under the memory limit answers: what is in a file, and whatever is
asked of statistics, whose numbers nobody has counted.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reidrisk.charts.plotting import pictures_of
from reidrisk.prediction.group import group
from reidrisk.prediction.person import person
from reidrisk.reports.found import groups_of_all_sizes
from reidrisk.web.asked_view import AskedView
from reidrisk.web.drawn import drawn
from reidrisk.web.long_questions import unpacked
from reidrisk.web.opened import read_in
from reidrisk.web.telling import told_of_group, told_of_person


def answered(kind: str, *question: Any) -> Any:
    """The answer to one of them."""
    return QUESTIONS[kind](*question)


def _opened(paths: list[Path], how: dict[str, Any], into: Path) -> bool:
    """What is held comes through a file: neither process has it twice."""
    found = read_in(paths, **how)
    with into.open("wb") as file:
        pickle.dump(found, file, protocol=5)
    return True


def about_person(
    source: Any, view: AskedView, values: dict[str, str], width: int
) -> dict[str, Any]:
    """What about somebody with these values?"""
    risk = person(unpacked(source, view), values)
    pictures = {name: drawn(draw(width)) for name, draw in pictures_of(risk).items()}
    return told_of_person(risk) | {"pictures": pictures}


def about_group(source: Any, view: AskedView, size: int, curve: bool, width: int) -> dict[str, Any]:
    """Are all members of a group unique? With `curve`, for every size up to almost never."""
    seen = unpacked(source, view)
    told = told_of_group(group(seen, size))
    if not curve:
        return told
    found = groups_of_all_sizes(seen)
    largest = found.groups[-1].size
    return told | {"largest": largest, "picture": drawn(found.plot(width=width))}


QUESTIONS: dict[str, Callable[..., Any]] = {
    "open": _opened,
    "person": about_person,
    "group": about_group,
}
