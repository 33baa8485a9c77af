"""The guard: who may ask, and what every answer forbids."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reidrisk.web.app import application
from reidrisk.web.guard import Settings, is_loopback
from tests.web.conftest import Page, client_of

ROUTES = [
    ("GET", "/"),
    ("GET", "/static/page.js"),
    ("GET", "/sources"),
    ("POST", "/sources"),
    ("POST", "/demo"),
    ("GET", "/sources/x"),
    ("DELETE", "/sources/x"),
    ("POST", "/sources/x/view"),
    ("POST", "/sources/x/picture"),
    ("POST", "/sources/x/choices"),
    ("POST", "/sources/x/person"),
    ("POST", "/sources/x/group"),
    ("POST", "/jobs"),
    ("GET", "/jobs/x"),
    ("GET", "/jobs/x/events"),
    ("POST", "/jobs/x/stop"),
    ("GET", "/jobs/x/report.html"),
    ("GET", "/nothing"),
    ("OPTIONS", "/sources"),
]


@pytest.fixture(scope="module")
def gate() -> Page:
    """A page that isn't begun: what is refused needs nothing behind the guard."""
    settings = Settings()
    return Page(client_of(application(settings)), settings)


@pytest.fixture(scope="module")
def token_gate() -> Page:
    settings = Settings(host="192.168.1.5", token="the-token")
    return Page(client_of(application(settings)), settings)


def test_the_routes_above_are_all_there_are(gate: Page) -> None:
    there = {
        (method, re.sub(r"{\w+}", "x", route.path).replace("/static/x", "/static/page.js"))
        for route in gate.client.app.routes  # type: ignore[attr-defined]
        for method in route.methods - {"HEAD"}
    }
    assert there == set(ROUTES[:-2])


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "",
     "192.168.1.5:8000", "[::1", "127.0.0.1@evil.example", "2130706433"],
)  # fmt: skip
def test_names_that_somebody_else_can_point_here(
    gate: Page, method: str, path: str, host: str
) -> None:
    answer = gate.client.request(method, path, headers=gate.headers | {"Host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "host", ["localhost:9", "127.0.0.1", "[::1]:8000", "LOCALHOST", "127.0.0.2"]
)
def test_loopback_by_any_port(gate: Page, host: str) -> None:
    """A tunnel changes the port; a name of loopback can't be pointed elsewhere."""
    assert gate.client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8000"]
)
def test_what_another_page_sends(gate: Page, method: str, path: str, origin: str) -> None:
    """Even one that knows the session: another port of this machine is another site."""
    answer = gate.client.request(method, path, headers=gate.headers | {"Origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_browsers_say_came_from_elsewhere(
    gate: Page, method: str, path: str, site: str
) -> None:
    answer = gate.client.request(method, path, headers=gate.headers | {"Sec-Fetch-Site": site})
    assert answer.status_code == 403


def test_a_link_to_the_page_may_stand_anywhere(gate: Page) -> None:
    said = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert gate.client.get("/", headers=said).status_code == 200
    assert gate.client.get("/sources", headers=said).status_code == 403
    framed = said | {"Sec-Fetch-Dest": "iframe"}
    assert gate.client.get("/", headers=framed).status_code == 403


@pytest.mark.parametrize(("method", "path"), [each for each in ROUTES if each[0] != "GET"])
@pytest.mark.parametrize("session", [None, "", "wrong", "é"])
def test_questions_need_the_session(
    gate: Page, method: str, path: str, session: str | None
) -> None:
    headers = {} if session is None else {b"x-reidrisk-session": session.encode()}
    assert gate.client.request(method, path, headers=headers).status_code == 403


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_answer_forbids(gate: Page, method: str, path: str) -> None:
    for headers in (gate.headers, {}, {"Host": "evil.example"}, {"Origin": "null"}):
        answer = gate.client.request(method, path, headers=headers)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src 'self'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_itself(gate: Page) -> None:
    shown = gate.client.get("/").text
    assert gate.settings.session in shown
    # Nothing inline for a policy to make an exception of, nothing from elsewhere.
    assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", shown)
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", shown)
    assert not re.search(r"(src|href)=\"(https?:)?//", shown)
    for name in re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", shown):
        assert gate.client.get(name).status_code == 200


def test_the_page_is_valid_html(gate: Page) -> None:
    html5lib = pytest.importorskip("html5lib")
    html5lib.HTMLParser(strict=True).parse(gate.client.get("/").text)


@pytest.mark.parametrize(
    "name", ["..%2Fapp.py", "../app.py", "nothing.js", "page.html", "%2e%2e/x"]
)
def test_only_what_lies_in_static(gate: Page, name: str) -> None:
    assert gate.client.get(f"/static/{name}").status_code == 404


class TestToken:
    def test_without_it_nothing(self, token_gate: Page) -> None:
        page = Page(client_of(token_gate.client.app), token_gate.settings)
        for method, path in ROUTES:
            answer = page.client.request(method, path, headers=page.headers)
            assert answer.status_code == 401, path
            assert "session" not in answer.text

    def test_once_in_the_address_then_a_cookie(self, token_gate: Page) -> None:
        page = Page(client_of(token_gate.client.app), token_gate.settings)
        entered = page.client.get("/?token=the-token", follow_redirects=False)
        assert entered.status_code == 303
        assert entered.headers["location"] == "/"
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "the-token" not in cookie
        assert page.client.get("/").status_code == 200
        assert page.client.get("/sources").status_code == 200

    @pytest.mark.parametrize("shown", ["", "the-toke", "the-token2", "é", "the-token%00"])
    def test_a_wrong_one(self, token_gate: Page, shown: str) -> None:
        page = Page(client_of(token_gate.client.app), token_gate.settings)
        assert page.client.get(f"/?token={shown}").status_code == 401
        assert page.client.get(f"/sources?token={shown}").status_code == 401
        forged = page.client.get("/", headers={"Cookie": f"{page.settings.cookie}=the-token"})
        assert forged.status_code == 401

    def test_it_is_compared_in_constant_time(
        self, token_gate: Page, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import secrets

        compared: list[Any] = []
        really = secrets.compare_digest
        monkeypatch.setattr(
            secrets, "compare_digest", lambda a, b: compared.append((a, b)) or really(a, b)
        )
        page = Page(client_of(token_gate.client.app), token_gate.settings)
        page.client.get("/?token=wrong")
        assert (b"wrong", b"the-token") in compared

    @pytest.mark.parametrize(
        ("host", "status"),
        [("192.168.1.5:80", 401), ("10.0.0.7", 401), ("evil.example", 421), ("localhost", 401)],
    )
    def test_names_beyond_loopback(self, host: str, status: int) -> None:
        page = Page(client_of(application(Settings(host="0.0.0.0", token="t"))), Settings())
        assert page.client.get("/", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("host", "only_here"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.0.1", False), ("box.example", False)],
)  # fmt: skip
def test_loopback(host: str, only_here: bool) -> None:
    assert is_loopback(host) == only_here


def test_the_session_is_new_each_time_and_not_shown() -> None:
    one, two = Settings(), Settings()
    assert one.session != two.session
    assert one.session not in repr(one)


def test_a_fault_is_told_by_its_place(
    page: Page, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """Its own words may quote a record."""
    from reidrisk.web import questions

    def fails(*given: Any, **named: Any) -> None:
        raise ValueError("Zaphod Beeblebrox")

    source = page.opened()
    monkeypatch.setattr(questions, "person", fails)
    asked = {"values": {"age": "22"}, "view": {"columns": ["age"]}}
    answer = page.post(f"/sources/{source['id']}/person", asked)
    assert answer.status_code == 500
    assert answer.json()["error"]["kind"] == "fault"
    assert "ValueError" in answer.text
    assert "Zaphod" not in answer.text + caplog.text
