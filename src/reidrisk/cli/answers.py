"""Answers of commands that write a file: the keys every answer has, and their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reidrisk.printable import json_text
from reidrisk.version import __version__


def answer(
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
    from reidrisk.engines.provenance import sha256_of, state_of

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
