"""What the keys of JSON answers mean: looked up by path in `json_keys.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

Section = dict[str, str]
Path_ = tuple[str, ...]

# Sections that hold for every answer, for those that measure a table, and those with --fail-above.
EVERYWHERE = ("every_answer", "measures", "gate")


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "json_keys.toml").read_text(encoding="utf-8"))


def section(name: str) -> Section:
    """The paths of one section with their meanings."""
    return dict(_file()[name])


def runs() -> dict[str, list[str]]:
    """{command: the command lines whose answers show its keys}."""
    return dict(_file()["runs"])


def paths(answer: Any, before: Path_ = ()) -> Iterator[Path_]:
    """The path of every value in an answer; of a list of objects, those of its objects."""
    if isinstance(answer, dict) and answer:
        for key, value in answer.items():
            yield from paths(value, (*before, key))
    elif isinstance(answer, list) and answer and isinstance(answer[0], dict):
        for each in answer:
            yield from paths(each, (*before[:-1], f"{before[-1]}[]"))
    else:
        yield before


def explained(command: str, path: Path_) -> set[tuple[str, str]]:
    """Every (section, key) that explains a path of a command's answer."""
    found = _in_section(command, path)
    for name in EVERYWHERE:
        found |= _in_section(name, path)
    return found


def _in_section(name: str, path: Path_) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for key in section(name):
        parts = tuple(key.split("."))
        inner = parts[-1][1:-1] if parts[-1].startswith("{") else None
        if inner is None:
            if _matches(parts, path):
                found.add((name, key))
        elif _matches(parts[:-1], path[: len(parts) - 1]):
            deeper = _inner(inner, path[len(parts) - 1 :])
            found |= deeper | ({(name, key)} if deeper else set())
    return found


def _inner(name: str, path: Path_) -> set[tuple[str, str]]:
    """A whole answer inside another has what every answer has."""
    return explained(name, path) if name in runs() else _in_section(name, path)


def _matches(parts: Path_, path: Path_) -> bool:
    """Whether a path is the one of a key, or an empty list or object above it."""
    if len(path) > len(parts):
        return False
    pairs = list(zip(parts, path, strict=False))
    whole = len(path) == len(parts)
    last = pairs[-1] if pairs else ("", "")
    alike = all(part in ("*", each) for part, each in pairs[:-1])
    bare = last[0].removesuffix("[]") == last[1]
    return (alike and (last[0] in ("*", last[1]) if whole else bare)) or (alike and whole and bare)


def meaning_anywhere(name: str) -> str:
    """What a field of a record means: as a field, else as a key of any answer; "" if unknown."""
    for place in ("fields", *EVERYWHERE, *_file()):
        if place != "runs" and name in section(place):
            return section(place)[name]
    return ""
