"""The papers rerun, in the documentation: made from the figures that the full rerun left there.

`reidrisk reproduce all --data DIRECTORY -o docs/reproduction` makes them; nothing is typed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from documenting.made_parts import table
from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Ours, Value
from reidrisk_papers.public_tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "docs" / "reproduction"
_HEADS = ("", "the paper", "ours, as published", "ours, improved", "")
_SHORT = 24
_MARKS = {True: "as reported", False: "not as reported", None: ""}


@cache
def held() -> Mapping[str, Any]:
    """What the full rerun found."""
    found: Mapping[str, Any] = json.loads((PLACE / "reproduction.json").read_text("utf-8"))
    return found


def papers_part(before: str) -> str:
    """Every figure: what the paper did, the values beside each other, why they differ, pictures."""
    parts = [held()["summary"], f"Made by `{held()['reproduce']}`."]
    for each in held()["papers"]:
        parts += [f"## {each['title']}", each["reference"]]
        for figure in each["figures"]:
            parts += _figure(each["key"], figure)
    return "\n\n".join(parts)


def headlines_part(before: str) -> str:
    """What each paper is known for, beside ours."""
    rows = [
        (_known_for(each, figure, line), *_values(each["key"], figure, line))
        for each in held()["papers"]
        for figure in each["figures"]
        for line in figure["lines"]
        if paper(each["key"]).reported[figure["key"]].expected[line["key"]].headline
    ]
    return f"{table(_HEADS, rows)}\n\n{held()['summary']}"


def _known_for(of: Mapping[str, Any], figure: Mapping[str, Any], line: Mapping[str, Any]) -> str:
    """TFRR, figure 1: what it is."""
    which = figure["title"].split(":")[0]
    return f"{of['title'].split(':')[0]}, {which[0].lower()}{which[1:]}: {line['what']}"


def tables_part(before: str) -> str:
    """Where each public table can be had."""
    rows = [(e.title, f"`{e.file}`", e.columns, e.source) for e in TABLES.values()]
    return table(("table", "file below --data", "columns", "where it can be had"), rows)


def _figure(of: str, figure: Mapping[str, Any]) -> Iterator[str]:
    reported = paper(of).reported[figure["key"]]
    yield f"### {reported.title}"
    yield reported.did
    if figure["not_run"]:
        yield f"**Not run:** {figure['not_run']}."
        return
    yield f"{reported.ran} On: {figure['data']}."
    yield table(_HEADS, [(each["what"], *_values(of, figure, each)) for each in figure["lines"]])
    yield from (f"- {each['what']}: {each['why']}" for each in figure["lines"] if each["why"])
    for number, picture in enumerate(figure["pictures"], 1):
        file = f"reproduction/pictures/{of}-{figure['key']}-{number}.svg"
        yield f"![{picture['description']}]({file})"
        if picture["caption"]:
            yield f"*{picture['caption']}*"
    yield from figure["notes"]
    yield from (_grid(each) for each in figure["tables"] if len(each["rows"]) <= _SHORT)


def _grid(found: Mapping[str, Any]) -> str:
    """A short table; the long ones are on the page of the run."""
    title = f"**{found['title']}**\n\n" if found["title"] else ""
    return title + table(tuple(found["heads"]), [tuple(row) for row in found["rows"]])


def _values(of: str, figure: Mapping[str, Any], line: Mapping[str, Any]) -> tuple[str, ...]:
    expected = paper(of).reported[figure["key"]].expected[line["key"]]
    ours = Ours(_value(line["as_published"]), _value(line["improved"]))
    cells = ("–" if v is None else expected.written(v) for v in (ours.published, ours.improved))
    return (line["paper"], *cells, _MARKS[line["agrees"]])


def _value(told: Any) -> Value | None:
    """A range is a list in JSON."""
    return (told[0], told[1]) if isinstance(told, list) else told
