"""Speaking: the one door to standard output and standard error.

What goes through it holds no control character but line breaks and our own bold, and no password.
Colour only on a terminal, NO_COLOR respected.

Answers of commands that write a file: the keys every answer has, and their own.

Progress on standard error: a bar, only on a terminal, only once work turns out long.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from reidrisk.printable import (
    json_text,
    printable,
    printable_text,
    secret_pieces,
    sentence_without_passwords,
    without_passwords,
)
from reidrisk.version import __version__

# Parts of addresses that hold a password, with what is shown in their place.
_pieces: dict[str, str] = {}
_BOLD = re.compile(r"(\x1b\[[01]m)")


def hide_passwords_of(arguments: Sequence[str]) -> None:
    """Remember the addresses of this command: a message may repeat a part of one."""
    _pieces.clear()
    _pieces.update(secret_pieces(arguments))


def say(line: str, err: bool = False, own_token: bool = False) -> None:
    """Print one line, behind an empty one where it begins with a line break.

    `own_token` is for the page's address, which holds the token that its reader needs.
    """
    apart = "\n" if line.startswith("\n") else ""
    shown = line if own_token else sentence_without_passwords(line)
    click.echo(apart + _cleaned(shown.removeprefix("\n"), printable), err=err)


def say_text(text: str, err: bool = False, nl: bool = True) -> None:
    """Print several lines: JSON, or an answer whose sentences and cells are printable already."""
    click.echo(_cleaned(without_passwords(text), printable_text), err=err, nl=nl)


def _cleaned(text: str, escape: Callable[[str], str]) -> str:
    for piece, hidden in _pieces.items():
        for written in (piece, json.dumps(piece, ensure_ascii=False)[1:-1]):
            text = text.replace(written, hidden)
    parts = _BOLD.split(text) if _is_bold_wanted() else [text]
    return "".join(part if at % 2 else escape(part) for at, part in enumerate(parts))


def bold(text: str) -> str:
    """Bold on a terminal; one line."""
    shown = printable(text)
    return click.style(shown, bold=True) if _is_bold_wanted() else shown


def _is_bold_wanted() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def say_note(text: str) -> None:
    """A line for --verbose, on standard error."""
    say(text, err=True)


IN_FULL = "--verbose"


def say_answer(answer: Any, verbose: bool = False) -> None:
    """Print an answer; its assumptions in full where more is to be said."""
    from reidrisk.reports import text

    say_text(text(answer, bold, in_full=verbose, where=IN_FULL))


def say_how(about: Any, done: str, seconds: float) -> None:
    """For --verbose: what an answer's envelope says was found out, and how long it took."""
    for note in about.input.notes:
        say_note(f"detected: {note}")
    how = f"engine {about.engine}" if about.origin == "records" else f"model {about.model}"
    say_note(f"{how}: {about.input.people:,} people {done} in {seconds:.2f} s")


def say_counted(records: Any, seconds: float) -> None:
    """For --verbose: what was found out about records, and how long counting took."""
    for note in records.notes:
        say_note(f"detected: {note}")
    say_queries(records, f" and counted in {seconds:.2f} s")


def say_queries(records: Any, more: str = "") -> None:
    """For --verbose: rows read, and the queries an engine ran for all that was asked of it."""
    say_note(f"engine {records.engine.name}: {records.engine.records:,} rows read{more}")
    account = getattr(records.engine, "account", None)
    if account is not None:
        say_note(account.describe())


def answer_json(
    command: str,
    origin: str,
    paths: Sequence[str | Path],
    people: int,
    columns: Sequence[str],
    *,
    engine: str = "none",
    model: str | None = None,
    missing: str = "own",
    assumptions: Sequence[str] = (),
    warnings: Sequence[str] = (),
    **own: Any,
) -> str:
    """One JSON object: where the answer comes from, what it takes for granted, what was done."""
    from reidrisk.input_hash import sha256_of, state_of

    files = [Path(path) for path in paths if Path(path).is_file()]
    told = {
        "command": command,
        "version": __version__,
        "from": origin,
        "input": {
            "sha256": sha256_of(files, state_of(files)) if files else None,
            "people": people,
            "columns": list(columns),
        },
        "missing": missing,
        "engine": engine,
        "seed": None,
        "model": model,
        "assumptions": list(assumptions),
        "warnings": list(warnings),
    }
    return json_text(told | own)


SECONDS_BEFORE_SHOWN = 0.8


class ProgressBar:
    """Called by the engine with what is done; shows itself after `PATIENCE` seconds."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._began = time.monotonic()
        self._progress: Any = None
        self._tasks: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """`done` of `total` of `what`."""
        if not self._wanted or time.monotonic() - self._began < SECONDS_BEFORE_SHOWN:
            return
        with self._lock:
            self._show(what, done, total)

    def _show(self, what: str, done: int, total: int) -> None:
        if self._progress is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(printable(what), total=total)
        self._progress.update(self._tasks[what], completed=done, total=total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
