"""The command line, run in this process, its real ending included."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from reidrisk.cli import process
from reidrisk.cli.main import run


class Said(NamedTuple):
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """Run the command line in this process, its real ending included."""

    def left(status: int) -> None:
        raise _Left(status)

    monkeypatch.setattr(process, "_leave", left)

    def call(*arguments: object) -> Said:
        capfd.readouterr()
        status = 0
        try:
            run([str(argument) for argument in arguments])
        except _Left as leaving:
            status = leaving.status
        return Said(status, *capfd.readouterr())

    return call


class _Left(BaseException):
    def __init__(self, status: int) -> None:
        self.status = status
