"""Speaking: colour only on a terminal, NO_COLOR respected."""

from __future__ import annotations

import os
import sys
from typing import Any

import click


def strong(text: str) -> str:
    """Bold on a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=True)


def aside(text: str) -> None:
    """A line for --verbose, on standard error."""
    click.echo(text, err=True)


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
