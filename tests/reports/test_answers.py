"""Every result is an answer: equal by value, the same after pickling, shown without a network."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.crowds import Answer, Assumption, Envelope, Input
from reidrisk.crowds.answer import same

COLUMNS = ("county", "age", "sex")
NETWORK = re.compile(r"https?://(?!www\.w3\.org/)")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table in a file, and another."""
    from reidrisk.output_files import table_writer

    folder = tmp_path_factory.mktemp("answers")
    for name, seed in (("people", 1), ("others", 2)):
        table = rr.city(600, seed=seed)
        with table_writer(folder / f"{name}.parquet", "parquet", table.schema) as write:
            for batch in table.to_batches():
                write(batch)
    return folder


def table(place: Path, other: bool = False) -> rr.Table:
    """The people; or others."""
    name = "others" if other else "people"
    return rr.read(place / f"{name}.parquet", columns=list(COLUMNS))


def statistics(place: Path, other: bool = False) -> rr.Statistics:
    """Counts of the people."""
    return rr.publish(table(place, other).by_rows(), unprotected=True)


Made = Callable[[Path, bool], Answer]


def people_scored(place: Path, other: bool) -> Answer:
    records = table(place)
    return rr.people(statistics(place, other), records, place / "scored.csv", crowds=[2 + other])


def generalised(place: Path, other: bool) -> Answer:
    return rr.generalise(table(place), k=3 if other else 2, play=20)


EVERY: dict[str, Made] = {
    "measure": lambda place, other: rr.measure(table(place, other)),
    "columns": lambda place, other: rr.columns(
        place / f"{'others' if other else 'people'}.parquet"
    ),
    "predict": lambda place, other: rr.predict(statistics(place, other)),
    "person": lambda place, other: rr.person(
        statistics(place), {"age": "30" if other else "40", "sex": "female"}, given="unknown"
    ),
    "people": people_scored,
    "group": lambda place, other: rr.group(statistics(place), 5 if other else 4),
    "groups": lambda place, other: rr.group(table(place), sizes=[2, 3 + other]),
    "plan": lambda place, other: rr.plan(statistics(place), ["sex"], 5 if other else 4),
    "attack": lambda place, other: rr.attack(
        table(place), knows=["age", "sex"], errors=0.2 if other else 0.1, play=50, unique_up_to=2
    ),
    "unique sets": lambda place, other: rr.unique_sets(table(place, other), up_to=2),
    "border": lambda place, other: rr.search(
        table(place), measure="overall_risk", allowable_risk=0.2 if other else 0.1
    ),
    "ratio": lambda place, other: rr.search(table(place, other), ratio=2, attributes=2),
    "costs": lambda place, other: rr.search(
        table(place), costs=dict.fromkeys(COLUMNS, 1), budget=1 + other
    ),
    "generalise": generalised,
    "report": lambda place, other: rr.report(table(place, other), time_limit=None, up_to=2),
}


@pytest.fixture(scope="module", params=EVERY)
def answers(request: pytest.FixtureRequest, place: Path) -> tuple[Answer, Answer, Answer]:
    """An answer, the same computed again, and another."""
    make = EVERY[request.param]
    return make(place, False), make(place, False), make(place, True)


def without_time(answer: Answer) -> dict[str, Any]:
    """When a report was made is no part of what it says."""
    told = answer.to_dict()
    if "made" in told:
        told["made"] = told["provenance"]["Made"] = ""
    return told


def test_equal_by_value(answers: tuple[Answer, Answer, Answer]) -> None:
    one, again, other = answers
    assert isinstance(one, Answer)
    assert without_time(one) == without_time(again)
    assert one != other
    assert one == again


def test_one_line_at_the_prompt(answers: tuple[Answer, Answer, Answer]) -> None:
    one = answers[0]
    shown = repr(one)
    assert "\n" not in shown
    assert shown.startswith(f"<{type(one).__name__}: ")
    assert "Envelope(" not in shown
    if not isinstance(one, rr.Report):
        assert shown == f"<{type(one).__name__}: {str(one).splitlines()[0]}>"


def test_a_picture_says_at_the_prompt_what_it_shows() -> None:
    pytest.importorskip("altair")
    shown = repr(rr.measure({"age": [39, 39, 40]}).plot())
    assert shown.startswith("<Chart: Bars: share of the people")
    assert "\n" not in shown


def test_the_same_after_pickling(answers: tuple[Answer, Answer, Answer]) -> None:
    one = answers[0]
    back = pickle.loads(pickle.dumps(one))
    assert back == one
    assert back.to_json() == one.to_json()
    assert str(back) == str(one)
    assert _unnumbered(back._repr_html_()) == _unnumbered(one._repr_html_())


def _unnumbered(page: str) -> str:
    """Drawings are numbered through a process."""
    return re.sub(r"drawing\d+-", "", page)


def test_a_notebook_needs_no_network(answers: tuple[Answer, Answer, Answer]) -> None:
    page = answers[0]._repr_html_()
    assert page.startswith("<div")
    assert "<script" not in page
    assert not NETWORK.search(page)


def test_a_chart_in_a_notebook_needs_no_network(place: Path) -> None:
    chart = rr.measure(table(place)).plot()
    shown = chart._repr_mimebundle_()
    assert shown.keys() == {"text/html"}
    assert "<svg" in shown["text/html"]
    assert "<script" not in shown["text/html"]
    assert not NETWORK.search(shown["text/html"])
    # It is still a chart of the library it is drawn with.
    assert chart.to_dict()["layer"]
    chart.save(place / "chart.svg")
    assert (place / "chart.svg").read_text().startswith("<svg")


def test_arrays_are_compared_by_their_contents() -> None:
    assert same(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    assert not same(np.array([1, 2]), np.array([1, 3]))
    assert same({"a": (np.arange(3),)}, {"a": (np.arange(3),)})
    assert not same({"a": 1}, {"b": 1})
    assert same(float("nan"), float("nan"))


def about(*assumptions: Assumption) -> Envelope:
    return Envelope("measure", "records", Input(3, ("a",)), "own", "codes", assumptions=assumptions)


def test_contradictory_assumptions_cannot_meet() -> None:
    exact = Assumption("exact", "attacker", "The attacker makes no error.")
    erring = Assumption("erring", "attacker", "The attacker errs.", ["exact"])
    assert about(erring).assumptions == (erring,)
    for pair in ((exact, erring), (erring, exact)):
        with pytest.raises(ValueError, match="erring can't be assumed together with exact"):
            about(*pair)


def test_an_assumption_does_not_change() -> None:
    exact = Assumption("exact", "attacker", "The attacker makes no error.")
    back = pickle.loads(pickle.dumps(exact))
    assert (back, back.key, back.about, back.excludes) == (
        exact,
        "exact",
        "attacker",
        frozenset(),
    )
    with pytest.raises(AttributeError):
        exact.key = "other"


def test_an_attack_with_errors_does_not_claim_there_are_none(place: Path) -> None:
    usual = rr.attack(table(place), knows=["age"]).envelope.assumptions
    erring = rr.attack(table(place), knows=["age"], errors=0.1).envelope.assumptions
    assert "attacker-without-error" in {each.key for each in usual}
    assert not any("without error" in sentence for sentence in erring)
    assert "attacker-with-errors" in {each.key for each in erring}


def test_a_group_assumes_nothing_of_an_attacker(place: Path) -> None:
    found = rr.group(table(place), 4).envelope.assumptions
    assert found
    assert "attacker" not in {each.about for each in found}


def test_people_of_several_rows_are_told_what_sets_them_apart() -> None:
    """With --person the number of rows counts too: said beside the figures, not only in full."""
    visits = {"patient": ["a", "b", "b"], "sex": ["f", "f", "f"]}
    risk = rr.measure(rr.read(visits, columns=["sex"], person="patient"))
    assert risk.alone.people == 2
    said = " ".join(str(risk).split())
    assert "how many rows somebody has sets them apart too" in said
    assert "have the same rows, each as often" in " ".join(risk.envelope.assumptions)
    plain = rr.measure(rr.read({"sex": ["f", "f"]}, columns=["sex"]))
    assert "sets them apart too" not in str(plain)
