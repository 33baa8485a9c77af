from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from reidrisk.web.app import application
from reidrisk.web.guard import Settings

pytest.importorskip("starlette", reason="pip install 'reidrisk[page]'")

with warnings.catch_warnings():
    # Starlette would rather have another client of the same manners.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient


PEOPLE = "age,sex,town\n" + "".join(
    f"{20 + place % 7},{'fm'[place % 2]},{'north' if place % 3 else 'south'}\n"
    for place in range(60)
)


def client_of(app: Any) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False)


class Page:
    """A page's client: knows the session, as the page does."""

    def __init__(self, client: TestClient, settings: Settings) -> None:
        self.client, self.settings = client, settings
        self.headers = {"X-Reidrisk-Session": settings.session}

    def post(self, path: str, question: Any = None, **more: Any) -> Any:
        return self.client.post(path, json=question or {}, headers=self.headers, **more)

    def upload(self, content: bytes | str, name: str = "people.csv") -> Any:
        body = content.encode() if isinstance(content, str) else content
        return self.client.post(
            "/sources", content=body, headers=self.headers | {"X-File-Name": name}
        )

    def opened(self, content: bytes | str = PEOPLE, name: str = "people.csv") -> Any:
        answer = self.upload(content, name)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Page]]:
    """Pages of their own, ended with the test; their temporary files lie in `tmp_path`."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ExitStack() as ending:

        def made(*held: Any, begun: bool = True, **settings: Any) -> Page:
            chosen = Settings(**settings)
            client = client_of(application(chosen, held))
            return Page(ending.enter_context(client) if begun else client, chosen)

        yield made


@pytest.fixture
def page(pages: Callable[..., Page]) -> Page:
    return pages()
