"""Long work: its own process, progress as events, an answer, and an end when told so."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.web import jobs
from tests.web.conftest import PEOPLE, Page


def events(page: Page, work: str) -> list[dict[str, Any]]:
    """All there are, until it is over."""
    answer = page.client.get(f"/jobs/{work}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in answer.text.split("\n\n") if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def finished(page: Page, question: dict[str, Any]) -> dict[str, Any]:
    started = page.post("/jobs", question)
    assert started.status_code == 202, started.text
    return events(page, started.json()["id"])[-1]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def endless() -> str:
    """A table whose combinations take longer to search than any test."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (4000, 30))
    head = ",".join(f"c{place}" for place in range(30))
    return head + "\n" + "\n".join(",".join(map(str, row)) for row in codes) + "\n"


def started(page: Page, table: str) -> str:
    """A search of the table's combinations; its id."""
    source = page.opened(table, "wide.csv")
    options = {"allowable_risk": 0.5, "measure": "overall_risk", "up_to": 30}
    view = {"columns": [each["name"] for each in source["attributes"]]}
    question = {"source": source["id"], "kind": "search", "view": view, "options": options}
    work: str = page.post("/jobs", question).json()["id"]
    return work


def begun(page: Page, table: str) -> tuple[str, int]:
    """The same under way: its id and its process."""
    work = started(page, table)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        told = page.client.get(f"/jobs/{work}").json()
        if told["state"] == "running" and told["progress"]:
            return work, told["pid"]
        assert told["state"] in ("waiting", "running"), told
        time.sleep(0.05)
    raise AssertionError("it never began")


def test_stop_ends_the_process(page: Page, endless: str) -> None:
    work, pid = begun(page, endless)
    assert alive(pid)
    told = page.post(f"/jobs/{work}/stop").json()
    assert told["state"] == "stopped"
    assert not alive(pid)
    assert events(page, work)[-1]["state"] == "stopped"
    # Once more does no harm.
    assert page.post(f"/jobs/{work}/stop").json()["state"] == "stopped"


def test_the_page_s_end_is_the_work_s(
    pages: Callable[..., Page], endless: str, tmp_path: Path
) -> None:
    page = pages()
    _, pid = begun(page, endless)
    page.client.__exit__(None, None, None)
    assert not alive(pid)
    assert not list(tmp_path.glob("reidrisk-*"))
    page.client.__enter__()


def test_work_that_nobody_hears_of_ends(
    page: Page, endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser was closed, or never asked how far it is."""
    monkeypatch.setattr(jobs, "SECONDS_UNFOLLOWED", 0.5)
    work = started(page, endless)
    until = time.monotonic() + 60
    while (told := page.client.get(f"/jobs/{work}").json())["state"] != "stopped":
        assert told["state"] in ("waiting", "running")
        assert time.monotonic() < until
        time.sleep(0.1)
    assert told["pid"] is None or not alive(told["pid"])


def test_work_goes_on_while_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SECONDS_UNFOLLOWED", 0.2)

    async def listened() -> list[str]:
        all_of_them = jobs.Jobs(10**9)
        # A question that can't even be packed fails by itself, but not before it is its turn.
        work = all_of_them.start("search", lambda: time.sleep(1.0) or ("search", lambda: None))
        return [state["state"] async for state in all_of_them.follow(work)]

    import asyncio

    assert asyncio.run(listened()) == ["waiting", "failed"]


def test_a_search(page: Page) -> None:
    source = page.opened()
    view = {"columns": ["age", "sex", "town"]}
    options = {"allowable_risk": 0.25, "measure": "highest_risk", "up_to": 3}
    question = {"source": source["id"], "kind": "search", "view": view, "options": options}
    last = finished(page, question)
    assert last["state"] == "done", last
    import io

    import pyarrow.csv

    table = rr.read(pyarrow.csv.read_csv(io.BytesIO(PEOPLE.encode())))
    found = rr.search(table, allowable_risk=0.25)
    assert last["answer"]["views"] == [list(view.columns) for view in found.minimal_risky]
    assert last["answer"]["sentences"]
    for both in last["answer"]["pictures"].values():
        assert both["wide"]["tree"][0] == "svg"


def test_a_prediction_is_kept(page: Page, tmp_path: Path) -> None:
    (tmp_path / "given.csv").write_text(PEOPLE)
    statistics = rr.publish(tmp_path / "given.csv", unprotected=True)
    rr.save_statistics(statistics, tmp_path / "statistics.json")
    source = page.opened((tmp_path / "statistics.json").read_bytes(), "statistics.json")
    view = {"columns": ["age", "sex"], "bands": {"age": "5"}}
    path = f"/sources/{source['id']}/view"
    assert page.post(path, {"view": view}).json()["told"] is None
    drawing = page.post(f"/sources/{source['id']}/picture", {"view": view, "picture": "crowds"})
    assert drawing.status_code == 400
    last = finished(page, {"source": source["id"], "kind": "predict", "view": view})
    risk = rr.predict(statistics, columns=["age", "sex"], bands={"age": "5"})
    told = last["answer"]["told"]
    from reidrisk.reports.words.blocks import share

    assert told["figures"][1]["text"] == share(risk.overall_risk)
    assert told["predicted"]
    assert told["model"] == risk.envelope.model
    assert page.post(path, {"view": view}).json()["told"] == told
    asked = {"view": view, "picture": "crowds"}
    assert page.post(f"/sources/{source['id']}/picture", asked).status_code == 200


@pytest.mark.parametrize("publishable", [False, True])
def test_a_report_to_download(page: Page, publishable: bool) -> None:
    rare = PEOPLE.replace("north", "Zaphodsville", 1)
    source = page.opened(rare, "<b>people.csv")
    view = {"columns": ["age", "sex", "town"], "bands": {"age": "5"}}
    options = {"title": "<script>alert(1)</script>", "publishable": publishable}
    question = {"source": source["id"], "kind": "report", "view": view, "options": options}
    last = finished(page, question)
    assert last["state"] == "done", last
    assert "file" not in last["answer"]
    answer = page.client.get(f"/jobs/{last['id']}/report.html")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "<script" not in answer.text
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "--bands age=5" in answer.text
    assert "&lt;b&gt;people.csv" in answer.text
    assert ("Zaphodsville" in answer.text) <= (not publishable)
    assert ("--publishable" in answer.text) == publishable


def test_a_plan_from_a_table(page: Page) -> None:
    source = page.opened()
    question = {
        "source": source["id"], "kind": "plan", "view": {"columns": ["age", "sex", "town"]},
        "options": {"size": 10, "asked": ["age", "sex"]},
    }  # fmt: skip
    last = finished(page, question)
    assert last["state"] == "done", last
    kinds = {option["kind"] for option in last["answer"]["options"]}
    assert {"as_asked", "one_more"} <= kinds
    assert len(last["answer"]["grids"][0]["rows"]) == len(last["answer"]["options"])


def test_a_sample_is_estimated_for_its_population(page: Page) -> None:
    source = page.opened()
    question = {
        "source": source["id"], "kind": "population", "view": {"columns": ["age", "sex", "town"]},
        "options": {"population": 100_000},
    }  # fmt: skip
    last = finished(page, question)
    assert last["state"] == "done", last
    assert "alone in the sample" in " ".join(last["answer"]["sentences"])
    assert any("journalist" in row[0] for row in last["answer"]["grids"][0]["rows"])
    few = finished(page, question | {"options": {"population": 1}})
    assert "the sample alone has" in json.dumps(few)


def test_a_sensitive_column_is_learnt_and_never_part_of_a_crowd(page: Page) -> None:
    source = page.opened()
    view = {"columns": ["age", "sex"], "sensitive": ["town"]}
    question = {"source": source["id"], "kind": "learn", "view": view, "options": {}}
    last = finished(page, question)
    assert last["state"] == "done", last
    answer = last["answer"]
    assert answer["columns"] == ["age", "sex"]
    assert "everybody's town" in " ".join(answer["sentences"])
    assert any("t-closeness" in row[0] for grid in answer["grids"] for row in grid["rows"])
    (picture,) = answer["pictures"].values()
    assert "without the table and with it" in picture["wide"]["described"]
    twice = question | {"view": {"columns": ["age", "town"], "sensitive": ["town"]}}
    assert "both a quasi-identifier and sensitive" in page.post("/jobs", twice).text
    none = finished(page, question | {"view": {"columns": ["age"]}})
    assert "no sensitive column is named" in json.dumps(none)


def test_a_report_of_a_sensitive_column_says_what_would_be_learnt(page: Page) -> None:
    source = page.opened()
    view = {"columns": ["age", "sex"], "sensitive": ["town"]}
    question = {"source": source["id"], "kind": "report", "view": view, "options": {}}
    last = finished(page, question)
    assert last["state"] == "done", last
    text = page.client.get(f"/jobs/{last['id']}/report.html").text
    assert "What would be learnt?" in text
    assert "--sensitive town" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "nothing"}, "no such job"),
        ({"source": "nothing"}, "no longer open"),
        ({"view": {"columns": ["nobody"]}}, "no column"),
        ({"options": "x"}, "object"),
    ],
)
def test_work_that_can_t_begin(page: Page, change: dict[str, Any], words: str) -> None:
    source = page.opened()
    question = {"source": source["id"], "kind": "report", "view": {"columns": ["age"]}} | change
    answer = page.post("/jobs", question)
    assert answer.status_code in (400, 404)
    assert words in json.dumps(answer.json())


@pytest.mark.parametrize(
    "options",
    [{}, {"allowable_risk": "x"}, {"allowable_risk": 2},
     {"allowable_risk": 0.1, "measure": "__class__", "up_to": 2},
     {"allowable_risk": 0.1, "measure": "alone_share", "up_to": 0}],
)  # fmt: skip
def test_work_that_fails_says_why(page: Page, options: dict[str, Any]) -> None:
    source = page.opened()
    question = {"source": source["id"], "kind": "search", "view": {"columns": ["age"]}}
    last = finished(page, question | {"options": options})
    assert last["state"] == "failed"
    assert last["error"]["kind"] == "input"
    assert last["error"]["message"]


@pytest.mark.parametrize("path", ["/jobs/nothing", "/jobs/nothing/events", "/jobs/x/report.html"])
def test_work_nobody_knows(page: Page, path: str) -> None:
    assert page.client.get(path).status_code == 400


def test_a_worker_ends_with_whoever_asked() -> None:
    """Also when the page's process was killed and could end nothing itself."""
    import subprocess
    import sys

    worker = subprocess.Popen(
        [sys.executable, "-m", "reidrisk.web.worker", "1000000000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.close()
    assert worker.wait(timeout=60) == 0
    worker.stdout.close()


def test_faults_of_a_worker_don_t_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    from reidrisk.web import worker

    def fails(*given: Any) -> None:
        raise ValueError("Zaphod Beeblebrox")

    told = worker._outcome(fails, (), None)
    assert told["error"]["kind"] == "fault"
    assert "Zaphod" not in json.dumps(told)
