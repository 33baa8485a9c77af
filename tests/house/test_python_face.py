"""The Python face: what works on the command line works on a data frame, in threads and processes.

Every parameter of every public function is documented.
"""

from __future__ import annotations

import inspect
import logging
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pandas as pd
import polars as pl
import pytest

import reidrisk as rr
from reidrisk.records import Reading

COLUMNS = ["county", "age", "sex"]
FUNCTIONS = [name for name in rr.__all__ if inspect.isfunction(getattr(rr, name))]
# Each takes records that nobody has read yet, with the options of `read`.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "measure": rr.measure,
    "search": lambda *a, **o: rr.search(*a, allowable_risk=0.1, **o),
    "attack": lambda *a, **o: rr.attack(*a, knows=["age"], **o),
    "unique_sets": rr.unique_sets,
    "generalise": lambda *a, **o: rr.generalise(*a, k=2, **o),
    "publish": lambda *a, **o: rr.publish(*a, unprotected=True, **o),
    "group": lambda *a, **o: rr.group(*a, 5, **o),
    "person": lambda *a, **o: rr.person(*a, {"age": 39}, **o),
    "report": lambda *a, **o: rr.report(*a, time_limit=1.0, **o),
}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return rr.city(2_000, seed=3).to_pandas()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_data_frame_takes_the_options_of_read(name: str, people: pd.DataFrame) -> None:
    ask = QUESTIONS[name]
    # A group has bands of its own, and a person's value is matched as it is.
    recoded = {} if name in {"person", "group"} else {"bands": {"age": 10}}
    options = {"columns": COLUMNS, **recoded}
    unread, read = ask(people, **options), ask(rr.read(people, **options))
    assert figures(unread) == figures(read)
    assert figures(ask(pl.from_pandas(people), **options)) == figures(read)


def figures(answer: Any) -> Any:
    """What is compared: an answer's JSON without where it came from and when it was made."""
    if isinstance(answer, rr.Statistics):
        return answer.attributes, answer.pairs
    held = answer.to_dict()
    for key in ("input", "made", "made_at", "command", "reproduce"):
        held.pop(key, None)
    text = repr(held)
    return re.sub(r"the table from \w+|\d+\.\d+ seconds|\d{4}-\d\d-\d\d[T ][\d:+]+", "…", text)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_table_has_been_read_already(name: str, people: pd.DataFrame) -> None:
    table = rr.read(people, columns=COLUMNS)
    with pytest.raises(rr.ContradictoryOptions, match="has been read") as refused:
        QUESTIONS[name](table, person="age")
    assert "person" in str(refused.value)
    statistics = rr.publish(table)
    if name not in {"measure", "publish", "unique_sets"}:
        with pytest.raises(rr.ContradictoryOptions, match="person"):
            QUESTIONS[name](statistics, person="age")


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_unknown_option_is_a_type_error(name: str, people: pd.DataFrame) -> None:
    with pytest.raises(TypeError, match="colums"):
        QUESTIONS[name](people, colums=COLUMNS)


def test_the_options_passed_on_are_those_of_read() -> None:
    # Whoever asks of sensitive columns, or of releases, has an argument of its own.
    own = {"table", "progress", "sensitive", "corrections"}
    assert set(Reading.__annotations__) == set(inspect.signature(rr.read).parameters) - own


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented(name: str) -> None:
    function = getattr(rr, name)
    _, marked, listed = inspect.getdoc(function).partition("\nParameters:\n")
    wanted = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    if not wanted:
        return
    assert marked, f"{name} has no list of parameters"
    explained = re.findall(r"^    (\w+): \S", listed, re.MULTILINE)
    assert explained[: len(wanted)] == wanted


def test_answers_compare_pickle_and_come_from_threads_and_processes(people: pd.DataFrame) -> None:
    table = rr.read(people, columns=COLUMNS)
    answers = [ask(table) for name, ask in QUESTIONS.items() if name != "report"]
    for answer in answers:
        assert pickle.loads(pickle.dumps(answer)) == answer
    wanted = rr.measure(table)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: rr.measure(table), range(16))) == [wanted] * 16
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        found = list(processes.map(measured, [people, people]))
    assert [each.crowd_sizes for each in found] == [wanted.crowd_sizes] * 2


def measured(frame: pd.DataFrame) -> rr.TableRisk:
    return rr.measure(frame, columns=COLUMNS)


def test_what_is_done_is_logged_without_a_value(
    people: pd.DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    secret = people.assign(county="Zzyzx-9")
    with caplog.at_level(logging.DEBUG, logger="reidrisk"):
        statistics = rr.publish(secret, columns=COLUMNS)
        rr.predict(statistics)
    assert {record.name.partition(".")[0] for record in caplog.records} == {"reidrisk"}
    assert any("engine embedded" in record.getMessage() for record in caplog.records)
    assert any("model" in record.getMessage() for record in caplog.records)
    assert "Zzyzx-9" not in caplog.text


def test_nothing_is_logged_unless_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    rr.measure({"age": [1, 2]}, columns=["age"])
    assert capfd.readouterr() == ("", "")
    assert any(
        isinstance(each, logging.NullHandler) for each in logging.getLogger("reidrisk").handlers
    )
