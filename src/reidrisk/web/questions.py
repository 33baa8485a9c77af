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
from reidrisk.learning import LearningRisk, learn
from reidrisk.machine import Progress
from reidrisk.prediction import (
    LoadedStatistics,
    group,
    person,
    plan,
    predict,
    statistics_from_files,
)
from reidrisk.publishing import publish
from reidrisk.records import HeldRecords, ReadOptions, Table
from reidrisk.reports import groups_of_all_sizes, pictures_of, report
from reidrisk.samples import population
from reidrisk.searches import BorderFound, search
from reidrisk.web.answers import (
    both_widths,
    chart_elements,
    group_answer,
    learning_answer,
    person_answer,
    plan_answer,
    population_answer,
    search_answer,
    table_answer,
)
from reidrisk.web.opened import counting_people, read_in, seen_statistics
from reidrisk.web.requests import ViewRequest, part, texts, whole

LARGEST_GROUP = 100_000
LARGEST_POPULATION = 10_000_000_000
LONGEST_TITLE = 200
MEASURES = ("alone_share", "overall_risk", "highest_risk")
Options = Mapping[str, Any]
Answer = dict[str, Any]


def answer_long(
    kind: str,
    packed: HeldRecords | list[str],
    view: ViewRequest,
    options: Options,
    progress: Progress,
) -> Answer:
    """The answer as the page shows it."""
    return LONG_QUESTIONS[kind](subject_of(packed, view), view, options, progress)


def subject_of(packed: HeldRecords | list[str], view: ViewRequest) -> Table | LoadedStatistics:
    """What a question is put to."""
    if isinstance(packed, HeldRecords):
        return counting_people(packed.view(view.columns, **view.options))
    return seen_statistics(statistics_from_files(packed), view)


def _predict(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    risk = predict(source, progress=progress)
    crowds = risk.crowd_sizes
    return {
        "told": table_answer(risk),
        "sizes": crowds.sizes.tolist(),
        "crowds": crowds.crowds.tolist(),
        "kind": crowds.kind,
    }


def _search(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    measure = _one_of(MEASURES, options.get("measure"), "measure")
    found = search(
        source,
        allowable_risk=part(options.get("allowable_risk"), "limit", measure),
        measure=measure,
        up_to=min(whole(options.get("up_to"), "columns combined", 1, 1000), len(view.columns)),
        progress=progress,
    )
    assert isinstance(found, BorderFound)
    return search_answer(found) | {"pictures": _pictures(found)}


def _plan(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    """A table is planned with by its own counts, which stay here: nothing has to be folded."""
    size = whole(options.get("size"), "people asked", 2, LARGEST_GROUP)
    asked = texts(options.get("asked"), "questions asked")
    if isinstance(source, Table):
        progress("counting pairs", 0, 1)
        source = publish(source.by_rows(), unprotected=True)
    return plan_answer(found := plan(source, asked, size, progress=progress)) | {
        "pictures": _pictures(found)
    }


def _population(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    if not isinstance(source, Table):
        raise InputError(
            "a population is estimated from a sample's records, and these are statistics",
            "statistics that say which population they are a sample of are predicted for it",
        )
    size = whole(options.get("population"), "people it was drawn from", 1, LARGEST_POPULATION)
    found = population(source, population=size, progress=progress)
    return population_answer(found) | {"pictures": _pictures(found)}


def _learn(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    if not isinstance(source, Table):
        raise InputError(
            "what would be learnt is counted from records, and these are statistics",
            "`reidrisk check --sensitive` shows what their two-way tables give away",
        )
    found = learn(source, progress=progress)
    assert isinstance(found, LearningRisk)
    return learning_answer(found) | {"pictures": _pictures(found)}


def _report(source: Any, view: ViewRequest, options: Options, progress: Progress) -> Answer:
    publishable = options.get("publishable") is True
    more = ["--publishable"] if publishable else []
    found = report(
        source,
        title=str(options.get("title") or "")[:LONGEST_TITLE],
        publishable=publishable,
        command=view.command("report", [path.name for path in source.paths], *more)
        + " -o report.html",
        progress=progress,
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


LONG_QUESTIONS: dict[str, Callable[[Any, ViewRequest, Options, Progress], Answer]] = {
    "predict": _predict,
    "search": _search,
    "plan": _plan,
    "population": _population,
    "learn": _learn,
    "report": _report,
}


def answer_short(kind: str, *question: Any) -> Any:
    """The answer to one of them."""
    return SHORT_QUESTIONS[kind](*question)


def _open(paths: list[Path], options: ReadOptions, into: Path) -> bool:
    """What is held comes through a file: neither process has it twice."""
    found = read_in(paths, options)
    with into.open("wb") as file:
        pickle.dump(found, file, protocol=5)
    return True


def about_person(
    source: Any, view: ViewRequest, values: dict[str, str], width: int
) -> dict[str, Any]:
    """What about somebody with these values?"""
    risk = person(subject_of(source, view), values)
    pictures = {name: chart_elements(draw(width)) for name, draw in pictures_of(risk).items()}
    return person_answer(risk) | {"pictures": pictures}


def about_group(
    source: Any, view: ViewRequest, size: int, curve: bool, width: int
) -> dict[str, Any]:
    """Are all members of a group unique? With `curve`, for every size up to almost never."""
    seen = subject_of(source, view)
    told = group_answer(group(seen, size))
    if not curve:
        return told
    found = groups_of_all_sizes(seen)
    largest = found.groups[-1].size
    return told | {"largest": largest, "picture": chart_elements(found.plot(width=width))}


SHORT_QUESTIONS: dict[str, Callable[..., Any]] = {
    "open": _open,
    "person": about_person,
    "group": about_group,
}
