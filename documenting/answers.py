"""The JSON reference: what each key of each command's answer means, held against real answers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from documenting.json_keys import explained, paths, runs, section
from documenting.made_parts import table
from documenting.running import Session

# Not about one table: they have no envelope.
OF_NO_TABLE = ("demo", "reproduce")
# Sections that stand inside others get a table of their own, under these titles.
SHARED = {
    "every_answer": "Every answer",
    "error": "An error",
    "measures": "Measures",
    "difference": "A difference of releases",
    "learnt": "What would be learnt",
    "gate": "A gate",
    "prediction": "A prediction",
    "view": "A view of an attack",
    "played": "An attack played",
    "unique_sets": "Minimal unique sets",
    "found": "A combination found",
    "crowd": "A person's crowd",
    "figures": "A group's figures",
}
MEASURED = ("measure", "predict", "attack")
GATED = (*MEASURED, "population", "learn", "link", "releases", "report")
_PREPARED = """\
import numpy as np
import reidrisk as rr
from pyarrow import csv
csv.write_csv(rr.city(2000), "small.csv")
seen = rr.read("small.csv", columns=["county", "age", "sex", "marital_state"], bands={"age": 10})
rr.save_statistics(rr.publish(seen), "small.json")
people = rr.city(2000).append_column("id", [list(range(2000))])
csv.write_csv(people.slice(30), "first.csv")
moved = people.slice(0, 1000).append_column("new", people["county"].slice(1000))
moved = moved.drop_columns(["county"]).rename_columns({"new": "county"})
csv.write_csv(moved, "second.csv")
for name in ("first", "second"):
    read = rr.read(f"{name}.csv", columns=["county", "age", "sex"], bands={"age": 10})
    rr.save_statistics(rr.publish(read, unprotected=True), f"{name}.json")
wide = rr.random_table(2000, 8, 0.0001, np.random.default_rng(1))
csv.write_csv(wide, "wide.csv")
rr.save_statistics(rr.publish(rr.read(wide), unprotected=True), "wide.json")
"""
_COSTS = "county = 3\nage = 1\nsex = 1\nmarital_state = 2\n"


def answers_part(before: str) -> str:
    """A table of keys for what answers share, then one for each command."""
    parts = []
    for name, title in SHARED.items():
        parts += [f"## {title}", _keys(name)]
    parts.append("## By command")
    for name in (each for each in runs() if each not in SHARED):
        parts += [f"### `{name}`", _also(name), _keys(name)]
    return "\n\n".join(part for part in parts if part)


def _also(name: str) -> str:
    also = ["every_answer"] if name not in OF_NO_TABLE else []
    also += ["measures"] if name in MEASURED else []
    also += ["gate"] if name in GATED else []
    links = ", ".join(_link(each) for each in also)
    if not links:
        return ""
    return f"Beside the keys of {links}:" if section(name) else f"The keys of {links}."


def _keys(name: str) -> str:
    rows = [_row(key, meaning) for key, meaning in section(name).items()]
    return table(("key", "meaning"), rows) if rows else ""


def _row(key: str, meaning: str) -> tuple[str, str]:
    before, mark, inner = key.partition("{")
    if not mark:
        return f"`{key}`", meaning
    where = _link(inner.removesuffix("}"))
    told = f"{meaning}: the keys of {where}" if meaning else f"with statistics: the keys of {where}"
    return (f"`{before.removesuffix('.')}`" if before else "…"), told


def _link(name: str) -> str:
    title = SHARED.get(name)
    if title is None:
        return f"[`{name}`](#{name})"
    anchor = title.lower().replace(" ", "-").replace("'", "")
    return f"[{title.lower()}](#{anchor})"


def real_answers(folder: Path) -> dict[str, list[Any]]:
    """What each command answers on generated people, as JSON."""
    (folder / "costs.toml").write_text(_COSTS)
    (folder / "prepared.py").write_text(_PREPARED)
    session = Session(folder)
    for command in ("python prepared.py", "reidrisk compile --example tables"):
        said = session.run(command)
        assert said.status == 0, said.text
    return {
        command: [json.loads(_standard_output(session, line)) for line in lines]
        for command, lines in runs().items()
    }


def _standard_output(session: Session, line: str) -> str:
    return session.run(f"reidrisk {line} --json 2>/dev/null").text


def unexplained_and_unseen() -> tuple[list[str], list[str]]:
    """Keys of real answers that nothing explains, and explanations that no answer has a key for."""
    with tempfile.TemporaryDirectory(prefix="reidrisk-answers-") as folder:
        answers = real_answers(Path(folder))
    used: set[tuple[str, str]] = set()
    unexplained = set()
    for command, several in answers.items():
        for path in {path for answer in several for path in paths(answer)}:
            found = explained(command, path)
            used |= found
            if not found:
                unexplained.add(f"{command}: {'.'.join(path)}")
    written = {(name, key) for name in (*SHARED, *runs()) for key in section(name)}
    unseen = [f"{name}: {key}" for name, key in sorted(written - used)]
    return sorted(unexplained), unseen
