"""Speaking: the one door to standard output and standard error.

What goes through it holds no control character but line breaks and our own bold, and no password.
Colour only on a terminal, NO_COLOR respected.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from reidrisk.printable import (
    printable,
    printable_text,
    secret_pieces,
    sentence_without_passwords,
    without_passwords,
)

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
    click.echo(apart + _shown(shown.removeprefix("\n"), printable), err=err)


def say_text(text: str, err: bool = False, nl: bool = True) -> None:
    """Print several lines: JSON, or an answer whose sentences and cells are printable already."""
    click.echo(_shown(without_passwords(text), printable_text), err=err, nl=nl)


def _shown(text: str, door: Callable[[str], str]) -> str:
    for piece, hidden in _pieces.items():
        for written in (piece, json.dumps(piece, ensure_ascii=False)[1:-1]):
            text = text.replace(written, hidden)
    parts = _BOLD.split(text) if _is_bold_wanted() else [text]
    return "".join(part if at % 2 else door(part) for at, part in enumerate(parts))


def strong(text: str) -> str:
    """Bold on a terminal; one line."""
    shown = printable(text)
    return click.style(shown, bold=True) if _is_bold_wanted() else shown


def _is_bold_wanted() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def aside(text: str) -> None:
    """A line for --verbose, on standard error."""
    say(text, err=True)


def say_how(about: Any, done: str, seconds: float) -> None:
    """For --verbose: what an answer's envelope says was found out, and how long it took."""
    for note in about.input.notes:
        aside(f"found out: {note}")
    how = f"engine {about.engine}" if about.origin == "records" else f"model {about.model}"
    aside(f"{how}: {about.input.people:,} people {done} in {seconds:.2f} s")


def say_counted(records: Any, seconds: float) -> None:
    """For --verbose: what was found out about records, and how long counting took."""
    for note in records.notes:
        aside(f"found out: {note}")
    say_queries(records, f" and counted in {seconds:.2f} s")


def say_queries(records: Any, more: str = "") -> None:
    """For --verbose: rows read, and the queries an engine ran for all that was asked of it."""
    aside(f"engine {records.engine.name}: {records.engine.records:,} rows read{more}")
    account = getattr(records.engine, "account", None)
    if account is not None:
        aside(account.said())
