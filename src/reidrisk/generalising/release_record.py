"""The record of a release: what `generalise -o` did to a table, in a file beside it.

`safer.csv` gets `safer.csv.reidrisk.json`: target, levels, loss, how many people were left out, and
the measures before and after. It holds no value of a record, and neither name nor hash of the
original; but the counts before, so it stays with those who hold the original and only they can
read it. The released file's own hash says which file it is about.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.engines.provenance import sha256_of, state_of
from reidrisk.errors import UnwritableOutput
from reidrisk.generalising.generalised import Generalised
from reidrisk.writing import made_at, refuse_unwritable, whole_file

FORMAT = "reidrisk-release/1"
ENDING = ".reidrisk.json"
LARGEST_BYTES = 1 << 20


@dataclass(frozen=True)
class ReleaseRecord:
    """What was done to make a table safer; `told` is the file's content."""

    told: Mapping[str, Any]

    @property
    def levels(self) -> dict[str, tuple[int, int]]:
        """{column: (level, height of its hierarchy)}."""
        heights = self.told["heights"]
        return {name: (level, heights[name]) for name, level in self.told["levels"].items()}

    def before(self, name: str) -> float:
        """A measure before."""
        return float(self.told["before"][name])

    def suits(self, sha256: str | None) -> bool:
        """Whether it is about the file with this hash."""
        return sha256 is not None and self.told["sha256"] == sha256


def record_place(output: str | os.PathLike[str]) -> Path:
    """Where the record of a released file is."""
    place = Path(output)
    return place.with_name(place.name + ENDING)


def refuse_foreign_record(output: str | os.PathLike[str]) -> None:
    """A file in the record's place that is no record would be lost."""
    place = record_place(output)
    if place.is_file() and record_at(place) is None:
        raise UnwritableOutput(
            f"{place} is in the way: the record of what was done is written there",
            "name another output, or move that file",
        )
    refuse_unwritable(place)


def recorded(found: Generalised, output: str | os.PathLike[str]) -> Generalised:
    """The same answer, recorded beside the released file, readable by its owner alone."""
    files = [Path(output)]
    told = found.to_dict()
    kept = (
        "version", "engine", "seed", "target", "levels", "heights", "loss", "loss_name", "gap",
        "suppressed",
    )  # fmt: skip
    content = {
        "format": FORMAT,
        "internal": "This record holds counts of the original table: don't pass it on.",
        "made": made_at().isoformat(),
        "sha256": sha256_of(files, state_of(files)),
        **{name: told[name] for name in kept},
        "before": _plain(told["before"]),
        "after": _plain(told["after"]),
    }
    with whole_file(record_place(output), private=True) as place:
        place.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return found


def _plain(side: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in side.items() if not isinstance(value, dict)}


def record_of(table: str | os.PathLike[str]) -> ReleaseRecord | None:
    """The record beside a file; None where there is none."""
    return record_at(record_place(table))


def record_at(place: Path) -> ReleaseRecord | None:
    """What a file records; None where it isn't there or is something else."""
    try:
        if not place.is_file() or place.stat().st_size > LARGEST_BYTES:
            return None
        told = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return ReleaseRecord(told) if _is_whole(told) else None


def _is_whole(told: Any) -> bool:
    """Whether it has what a report needs of it, each of its kind."""
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return False
    objects = ("levels", "heights", "target", "suppressed", "before", "after")
    if not all(isinstance(told.get(name), dict) for name in objects):
        return False
    if not isinstance(told.get("sha256"), str):
        return False
    numbers = [*told["levels"].values(), *told["heights"].values(), *told["before"].values(),
               told["suppressed"].get("people"), told["target"].get("allowable_risk")]  # fmt: skip
    there = {"people", "overall_risk", "alone_share", "smallest_crowd"} <= told["before"].keys()
    named = isinstance(told["target"].get("measure"), str)
    same = told["levels"].keys() == told["heights"].keys()
    return there and named and same and all(_is_number(each) for each in numbers)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
