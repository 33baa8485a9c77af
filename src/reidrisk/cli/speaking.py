"""Speaking: colour only on a terminal, NO_COLOR respected."""

from __future__ import annotations

import os
import sys

import click


def strong(text: str) -> str:
    """Bold on a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, bold=True)


def aside(text: str) -> None:
    """A line for --verbose, on standard error."""
    click.echo(text, err=True)
