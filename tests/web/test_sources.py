"""What is held, and what is answered about it at once."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import reidrisk as rr
from reidrisk.reports.words.blocks import share
from reidrisk.web import answers, guard
from tests.web.conftest import PEOPLE, Page

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def page(pages: Callable[..., Page]) -> Page:
    """Without the process that waits for long work: nothing here takes long."""
    return pages(begun=False)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "given.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def statistics(tmp_path: Path, people: Path) -> Path:
    path = tmp_path / "statistics.json"
    rr.save_statistics(rr.publish(people, unprotected=True), path)
    return path


def test_opening_a_table(page: Page, tmp_path: Path) -> None:
    source = page.opened()
    assert (source["kind"], source["people"], source["title"]) == ("records", 60, "people.csv")
    assert [each["name"] for each in source["attributes"]] == ["age", "sex", "town"]
    ways = source["attributes"][0]["ways"]
    assert ways[0]["option"] == "bands"
    assert page.client.get("/sources").json()["sources"] == [
        {"id": source["id"], "title": "people.csv"}
    ]
    # The records are held as codes; the file is gone.
    assert not list(tmp_path.rglob("people.csv"))


def test_opening_statistics(page: Page, statistics: Path, tmp_path: Path) -> None:
    source = page.opened(statistics.read_bytes(), "statistics.json")
    assert (source["kind"], source["people"]) == ("statistics", 60)
    kept = [path for path in tmp_path.rglob("statistics.json") if path != statistics]
    assert len(kept) == 1
    page.client.delete(f"/sources/{source['id']}", headers=page.headers)
    assert not kept[0].exists()
    assert page.client.get(f"/sources/{source['id']}").status_code == 404


def test_columns_that_are_no_quasi_identifiers_are_there_unticked(page: Page) -> None:
    rows = "".join(f"{place},{place % 3},{place / 7:.4f}\n" for place in range(200))
    source = page.opened("person_id,floor,income\n" + rows)
    found = {each["name"]: each for each in source["attributes"]}
    assert [found[name]["ticked"] for name in found] == [False, True, False]
    assert found["person_id"]["why"]
    assert found["income"]["measured"]
    assert found["income"]["ways"]
    bad = page.post(f"/sources/{source['id']}/view", {"view": {"columns": ["income"]}})
    assert bad.status_code == 400
    assert "fractions" in bad.json()["error"]["message"]
    way = found["income"]["ways"][0]
    seen = {"columns": ["income"], way["option"]: {"income": way["how"]}}
    assert page.post(f"/sources/{source['id']}/view", {"view": seen}).status_code == 200


@pytest.mark.parametrize(
    "view",
    [
        {"columns": ["age", "sex"]},
        {"columns": ["sex", "town", "age"], "bands": {"age": "5"}},
        {"columns": ["town"], "levels": {"town": "1"}},
        {"columns": ["sex", "town"], "missing": "wildcard"},
        {"columns": ["sex", "town"], "count": "age"},
    ],
)
def test_a_view_is_what_measure_says(page: Page, people: Path, view: dict[str, Any]) -> None:
    source = page.opened()
    told = page.post(f"/sources/{source['id']}/view", {"view": view}).json()["told"]
    risk = rr.measure(rr.read(people, **view))
    figures = {each["key"]: each["text"] for each in told["figures"]}
    assert figures["alone_share"] == share(risk.alone_share)
    assert figures["overall_risk"] == share(risk.overall_risk)
    assert figures["smallest_crowd"] == str(risk.smallest_crowd)
    assert sum(each["many"] for each in told["hundred"]) == 100
    assert set(risk.envelope.assumptions) == set(told["assumptions"])


@pytest.mark.parametrize("name", ["crowds", "attack"])
@pytest.mark.parametrize("width", ["wide", "narrow"])
def test_pictures_are_trees_of_harmless_elements(page: Page, name: str, width: str) -> None:
    source = page.opened(PEOPLE.replace("town", HOSTILE))
    asked = {"view": {"columns": ["age", HOSTILE]}, "picture": name, "width": width}
    picture = page.post(f"/sources/{source['id']}/picture", asked).json()
    elements, texts = set[str](), list[str]()
    for element in _elements(picture["tree"]):
        elements.add(element[0])
        assert set(element[1]) <= answers.ATTRIBUTES
        texts += [child for child in element[2] if isinstance(child, str)]
    assert elements <= answers.ELEMENTS
    assert "style" not in answers.ATTRIBUTES
    assert picture["described"]
    if name == "attack" and width == "wide":
        assert any(HOSTILE in text for text in texts)


def _elements(tree: list[Any]) -> Iterator[list[Any]]:
    yield tree
    for child in tree[2]:
        if not isinstance(child, str):
            yield from _elements(child)


def test_what_a_drawing_may_not_carry() -> None:
    import xml.etree.ElementTree as ET

    svg = ET.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script>'
        '<a href="javascript:x()"><text>a</text></a><g style="fill: red; opacity: 0.5">b</g>'
        '<image href="http://elsewhere"/><foreignObject/></svg>'
    )
    assert answers.tree_of(svg) == ["svg", {}, [["g", {"fill": "red", "opacity": "0.5"}, ["b"]]]]


def test_person_is_what_person_says(page: Page, people: Path) -> None:
    source = page.opened()
    asked = {"values": {"age": "22", "sex": "f", "town": " "}, "view": {"columns": ["age", "sex"]}}
    told = page.post(f"/sources/{source['id']}/person", asked).json()
    risk = rr.person(rr.read(people), {"age": "22", "sex": "f"})
    assert told["sentences"][0].startswith(f"{int(risk.expected_crowd)} people")
    assert set(told["pictures"]) == {"curve", "gives_away"}
    assert told["columns"] == ["age", "sex"]
    none = page.post(f"/sources/{source['id']}/person", {"values": {}, "view": {}})
    assert none.status_code == 400


def test_a_person_in_statistics(page: Page, statistics: Path) -> None:
    source = page.opened(statistics.read_bytes(), "statistics.json")
    asked = {
        "values": {"age": "22", "sex": "f"},
        "view": {"columns": ["age"], "bands": {"age": "5"}},
    }
    told = page.post(f"/sources/{source['id']}/person", asked).json()
    assert "are expected" in told["sentences"][0]
    assert told["model"]
    unknown = page.post(f"/sources/{source['id']}/person", {"values": {"sex": "zz"}, "view": {}})
    assert unknown.status_code == 400


def test_group_is_what_group_says(page: Page, people: Path, statistics: Path) -> None:
    from reidrisk.reports.words.blocks import probability

    for content, name in ((PEOPLE, "people.csv"), (statistics.read_bytes(), "s.json")):
        source = page.opened(content, name)
        asked = {"view": {"columns": ["age", "sex"]}, "size": 4, "curve": True}
        told = page.post(f"/sources/{source['id']}/group", asked).json()
        read: Any = rr.read(people) if name == "people.csv" else statistics
        assert told["exact"] == probability(rr.group(read, 4, columns=["age", "sex"]).exact)
        assert told["largest"] > 3
        assert told["picture"]["tree"]


def test_choices(page: Page, statistics: Path) -> None:
    source = page.opened()
    path = f"/sources/{source['id']}/choices"
    assert page.post(path, {"attribute": "sex"}).json()["choices"] == ["f", "m"]
    ages = page.post(path, {"attribute": "age"}).json()["choices"]
    assert ages == [str(age) for age in range(20, 27)]
    many = "town\n" + "".join(f"t{place}\n" for place in range(300))
    source = page.opened(many)
    answer = page.post(f"/sources/{source['id']}/choices", {"attribute": "town"})
    assert answer.json()["choices"] == []


class TestUploads:
    def test_too_large_as_said(self, pages: Callable[..., Page], tmp_path: Path) -> None:
        page = pages(begun=False, upload_limit=100)
        answer = page.upload(PEOPLE)
        assert answer.status_code == 413
        assert "100 bytes" in answer.json()["error"]["message"]
        assert not list(tmp_path.rglob("people.csv"))

    def test_too_large_as_it_comes(self, pages: Callable[..., Page], tmp_path: Path) -> None:
        """No length is said: what has come is cleared away, and the rest isn't read."""
        page, taken = pages(begun=False, upload_limit=10_000), 0

        def coming() -> Iterator[bytes]:
            nonlocal taken
            for _ in range(1000):
                taken += 1
                yield b"x" * 1000

        headers = page.headers | {"X-File-Name": "big.csv"}
        answer = page.client.post("/sources", content=coming(), headers=headers)
        assert answer.status_code == 413
        assert not list(tmp_path.rglob("big.csv"))

    @pytest.mark.parametrize(
        ("content", "name", "words"),
        [
            (b"", "empty.csv", "empty"),
            (b"PK\x03\x04", "x.csv", "zip"),
            (b"a,a\n1,2\n", "x.csv", "more than once"),
            (b'{"format": "reidrisk-statistics/1"}', "s.json", "records"),
            (b"PAR1 and nothing more", "x.parquet", "Parquet"),
        ],
    )
    def test_what_can_t_be_read(
        self, page: Page, tmp_path: Path, content: bytes, name: str, words: str
    ) -> None:
        answer = page.upload(content, name)
        assert answer.status_code == 400
        assert words in json.dumps(answer.json())
        assert not list(tmp_path.rglob(name))

    @pytest.mark.parametrize(
        ("given", "kept"),
        [("../../etc/passwd", "passwd"), ("..%2F..%2Fx.csv", "x.csv"), ("C:\\a\\b.csv", "b.csv"),
         ("", "table"), ("..", "table"), ("%00a%0a.csv", "a.csv"), ("%3Cb%3E.csv", "<b>.csv"),
         ("x" * 300 + ".csv", "x" * 116 + ".csv")],
    )  # fmt: skip
    def test_names(self, page: Page, given: str, kept: str) -> None:
        assert page.opened(PEOPLE, given)["title"] == kept

    def test_statistics_beyond_memory(self, pages: Callable[..., Page], statistics: Path) -> None:
        page = pages(begun=False, memory_limit=10 * statistics.stat().st_size)
        answer = page.upload(statistics.read_bytes(), "statistics.json")
        assert answer.status_code == 400
        assert "memory" in answer.json()["error"]["message"]

    def test_what_is_small_when_compressed(self, pages: Callable[..., Page]) -> None:
        page = pages(begun=False, memory_limit=201_000_000)
        answer = page.upload(gzip.compress(b"a,b\n" + b"1,2\n" * 200_000), "bomb.csv.gz")
        assert answer.status_code == 400
        assert "memory" in answer.json()["error"]["message"]


class TestOpenSources:
    def test_the_one_asked_for_longest_ago_goes(self, pages: Callable[..., Page]) -> None:
        page = pages(begun=False, most_held=3)
        first, second, third = (page.opened(PEOPLE, f"{place}.csv")["id"] for place in range(3))
        page.post(f"/sources/{first}/view", {"view": {"columns": ["age"]}})
        fourth = page.opened(PEOPLE, "4.csv")["id"]
        held = [each["id"] for each in page.client.get("/sources").json()["sources"]]
        assert set(held) == {first, third, fourth}
        gone = page.post(f"/sources/{second}/view", {"view": {"columns": ["age"]}})
        assert gone.status_code == 404
        assert gone.json()["error"]["kind"] == "let_go"

    def test_memory_is_bounded(self, pages: Callable[..., Page]) -> None:
        size = 60 * 3
        page = pages(begun=False, memory_limit=250_000_000)
        from reidrisk.web.routes import ServerState

        state: ServerState = page.client.app.state.server  # type: ignore[attr-defined]
        object.__setattr__(state.settings, "memory_limit", 2 * 3 * (size + 200))
        import io

        import pyarrow.csv

        from reidrisk.records.memory.held_records import hold
        from reidrisk.web.opened import OpenedTable

        table = pyarrow.csv.read_csv(io.BytesIO(PEOPLE.encode()))
        for place in range(10):
            state.sources.put(OpenedTable(hold(table), str(place)))
        held = list(state.sources)
        assert 1 <= len(held) < 10
        assert held[-1].title == "9"
        assert sum(each.size for each in held) <= state.settings.memory_limit // 2

    def test_what_was_opened_at_the_start_stays(
        self, pages: Callable[..., Page], people: Path
    ) -> None:
        from reidrisk.web.processes import WorkerProcess

        mine = WorkerProcess(10**9).open_source([people], "mine", pinned=True)
        page = pages(mine, begun=False, most_held=2)
        for place in range(4):
            page.opened(PEOPLE, f"{place}.csv")
        titles = [each["title"] for each in page.client.get("/sources").json()["sources"]]
        assert titles == ["mine", "3.csv"]


def test_a_body_that_doesn_t_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from starlette.requests import Request

    from reidrisk.web import requests

    monkeypatch.setattr(requests, "SECONDS_FOR_BLOCK", 0.05)

    async def silent() -> Any:
        await asyncio.sleep(60)

    async def dripping() -> Any:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def taken(receive: Any) -> None:
        scope = {"type": "http", "method": "POST", "headers": []}
        async for _ in requests.body_blocks(Request(scope, receive)):
            pass

    for receive in (silent, dripping):
        with pytest.raises(requests.TooSlow):
            asyncio.run(taken(receive))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({}, "view: an object"),
        ({"view": {"columns": []}}, "ticked"),
        ({"view": {"columns": "age"}}, "list"),
        ({"view": {"columns": [1]}}, "list"),
        ({"view": {"columns": ["nobody"]}}, "no column"),
        ({"view": {"columns": ["age"], "bands": {"age": "x"}}}, "--bands"),
        ({"view": {"columns": ["age"], "bands": ["age"]}}, "object"),
        ({"view": {"columns": ["age"], "missing": "x"}}, "--missing"),
        ({"view": {"columns": ["age", "age"]}}, "twice"),
        ({"view": {"columns": ["age"], "count": "sex"}}, "--count"),
    ],
)
def test_questions_that_can_t_be_answered(page: Page, question: Any, words: str) -> None:
    source = page.opened()
    answer = page.post(f"/sources/{source['id']}/view", question)
    assert answer.status_code == 400
    assert words in json.dumps(answer.json())


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_questions_that_are_none(page: Page, body: bytes) -> None:
    source = page.opened()
    path = f"/sources/{source['id']}/view"
    assert page.client.post(path, content=body, headers=page.headers).status_code == 400


def test_a_question_is_short(page: Page) -> None:
    source = page.opened()
    body = b" " * (guard.LARGEST_QUESTION + 1)
    path = f"/sources/{source['id']}/view"
    answer = page.client.post(path, content=body, headers=page.headers)
    assert "too long" in answer.text


def test_the_generated_city(page: Page) -> None:
    source = page.post("/demo").json()
    view = {"columns": ["postcode", "age", "sex"]}
    told = page.post(f"/sources/{source['id']}/view", {"view": view}).json()["told"]
    assert told["figures"][0]["text"] == "7.9 %"


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("person", {"values": {"age": "21"}, "view": {"columns": ["age"]}}),
        ("group", {"size": 5, "view": {"columns": ["age"]}}),
        ("view", {"view": {"columns": ["age"]}}),
    ],
)
def test_nothing_is_counted_before_the_unit_is_known(page: Page, path: str, asked: Any) -> None:
    """Wherever the work is done."""
    rows = "".join(f"p{place // 3},{20 + place % 7}\n" for place in range(300))
    source = page.opened("patient_id,age\n" + rows, "visits.csv")
    answer = page.post(f"/sources/{source['id']}/{path}", asked)
    assert answer.status_code == 400
    assert "row" in answer.json()["error"]["message"]
