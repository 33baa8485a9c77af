"""Long questions: those a process of its own answers, so that Stop can end it.

Short questions that a process under the memory limit answers: what is in a file, and whatever is
asked of statistics, whose numbers nobody has counted.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError
from reidrisk.parallel import Progress
from reidrisk.prediction import Asked, asked_statistics, group, person, plan, predict
from reidrisk.records import HeldRecords, Table
from reidrisk.reports import groups_of_all_sizes, pictures_of, report
from reidrisk.searches import BorderFound, search
from reidrisk.statistics import publish
from reidrisk.web.answers import (
    both_widths,
    drawn,
    told_of_group,
    told_of_person,
    told_of_plan,
    told_of_search,
    told_of_table,
)
from reidrisk.web.asked_view import AskedView, part, texts, whole
from reidrisk.web.opened import counting_people, read_in, seen_statistics

LARGEST_GROUP = 100_000
LONGEST_TITLE = 200
MEASURES = ("alone_share", "overall_risk", "highest_risk")
Options = Mapping[str, Any]
Answer = dict[str, Any]


def answered(
    kind: str, packed: HeldRecords | list[str], view: AskedView, options: Options, said: Progress
) -> Answer:
    """The answer as the page shows it."""
    return LONG_QUESTIONS[kind](unpacked(packed, view), view, options, said)


def unpacked(packed: HeldRecords | list[str], view: AskedView) -> Table | Asked:
    """What a question is put to."""
    if isinstance(packed, HeldRecords):
        return counting_people(packed.view(view.columns, **view.options))
    return seen_statistics(asked_statistics(packed), view)


def _predicted(source: Any, view: AskedView, options: Options, said: Progress) -> Answer:
    risk = predict(source, progress=said)
    crowds = risk.crowd_sizes
    return {
        "told": told_of_table(risk),
        "sizes": crowds.sizes.tolist(),
        "crowds": crowds.crowds.tolist(),
        "kind": crowds.kind,
    }


def _searched(source: Any, view: AskedView, options: Options, said: Progress) -> Answer:
    measure = _one_of(MEASURES, options.get("measure"), "measure")
    found = search(
        source,
        allowable_risk=part(options.get("allowable_risk"), "allowable risk", measure),
        measure=measure,
        up_to=min(whole(options.get("up_to"), "attributes known", 1, 1000), len(view.columns)),
        progress=said,
    )
    assert isinstance(found, BorderFound)
    return told_of_search(found) | {"pictures": _pictures(found)}


def _planned(source: Any, view: AskedView, options: Options, said: Progress) -> Answer:
    """A table is planned with by its own counts, which stay here: nothing has to be folded."""
    size = whole(options.get("size"), "group size", 2, LARGEST_GROUP)
    asked = texts(options.get("asked"), "questions asked")
    if isinstance(source, Table):
        said("counting pairs", 0, 1)
        source = publish(source.by_rows(), at_least=1)
    return told_of_plan(found := plan(source, asked, size, progress=said)) | {
        "pictures": _pictures(found)
    }


def _reported(source: Any, view: AskedView, options: Options, said: Progress) -> Answer:
    publishable = options.get("publishable") is True
    more = ["--publishable"] if publishable else []
    found = report(
        source,
        title=str(options.get("title") or "")[:LONGEST_TITLE],
        publishable=publishable,
        command=view.command("report", [path.name for path in source.paths], *more)
        + " -o report.html",
        progress=said,
    )
    answer = found.answer
    return {
        "verdict": answer.verdict,
        "level": answer.level,
        "sentences": list(answer.sentences),
        "file": found.to_html(),
    }


def _pictures(found: Any) -> dict[str, Any]:
    return {name: both_widths(draw) for name, draw in pictures_of(found).items()}


def _one_of(choices: tuple[str, ...], given: Any, what: str) -> str:
    if given not in choices:
        raise InputError(f"{what}: it is {', '.join(choices)}")
    return str(given)


LONG_QUESTIONS: dict[str, Callable[[Any, AskedView, Options, Progress], Answer]] = {
    "predict": _predicted,
    "search": _searched,
    "plan": _planned,
    "report": _reported,
}


def answered_at_once(kind: str, *question: Any) -> Any:
    """The answer to one of them."""
    return SHORT_QUESTIONS[kind](*question)


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


SHORT_QUESTIONS: dict[str, Callable[..., Any]] = {
    "open": _opened,
    "person": about_person,
    "group": about_group,
}
