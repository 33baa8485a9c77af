"""ReleasesRisk: the answer of `releases`: each release against all earlier ones, in measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from reidrisk.crowds import Answer, CrowdSizes, Envelope, Measure, measure_named
from reidrisk.errors import InputError
from reidrisk.measurement import USUAL_CROWDS
from reidrisk.republication.differences import Difference

# The crowd from which somebody counts as hidden.
USUAL_HIDDEN = 5
# What differences are of, as in JSON.
PARTS = ("added", "removed", "changed")
JUDGED = ("alone_share", "overall_risk", "highest_risk")


@dataclass(frozen=True)
class Compared:
    """A release by its name, its people, and its SHA-256, None of a table in memory."""

    name: str
    people: int
    sha256: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"name": self.name, "people": self.people, "sha256": self.sha256}


@dataclass(frozen=True)
class TableOfCounts:
    """A table of counts that two statistics files list: its attributes, how many cells both show
    and how many only one does, and how many differ by fewer than the people of a crowd that hides.
    """

    of: tuple[str, ...]
    difference: Difference
    cells: int
    not_compared: int
    small: int


@dataclass(frozen=True, eq=False)
class ReleasesRisk(Answer):
    """What releases of the same people reveal together.

    `steps` has the `Difference` of each release but the first against all before it; the figures
    of the answer are those of the last one. Of statistics files `tables` has each table of counts,
    and the step is the table with most people alone in the difference.
    """

    envelope: Envelope
    # Each release by its name, with its people.
    compared: tuple[Compared, ...]
    # Each release but the first against all before it.
    steps: tuple[Difference, ...]
    # The crowd from which somebody counts as hidden.
    k: int = USUAL_HIDDEN
    at_crowds: tuple[int, ...] = USUAL_CROWDS
    tables: tuple[TableOfCounts, ...] = ()

    @property
    def last(self) -> Difference:
        """The last release against all earlier ones."""
        return self.steps[-1]

    @property
    def release(self) -> CrowdSizes:
        """The crowds of the last release."""
        return self.last.release

    @property
    def added(self) -> CrowdSizes:
        """The crowds of the people added."""
        return self.last.added

    @property
    def removed(self) -> CrowdSizes:
        """The crowds of the people removed."""
        return self.last.removed

    @property
    def changed(self) -> CrowdSizes | None:
        """The crowds of the people whose combination changed; None without a key of persons."""
        return self.last.changed

    @property
    def alone_in_difference_only(self) -> int:
        """People alone in the difference, and in each release in a crowd of `k` or more."""
        return self.last.alone_only

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        return measure_named(name, DIFFERENCE_MEASURES).value(self)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return (
            self.envelope.to_dict()
            | {"releases": [each.to_dict() for each in self.compared], "k": self.k}
            | self._of(self.last)
            | {
                "steps": [
                    {"name": each.name} | self._of(step)
                    for each, step in zip(self.compared[1:], self.steps, strict=True)
                ],
                "tables": [self._of_table(each) for each in self.tables],
            }
        )

    def _of_table(self, table: TableOfCounts) -> dict[str, Any]:
        return {
            "of": list(table.of),
            "cells": table.cells,
            "not_compared": table.not_compared,
            "small_differences": table.small,
        } | self._of(table.difference)

    def _of(self, step: Difference) -> dict[str, Any]:
        told = partial(measures_of, at_crowds=self.at_crowds)
        return {
            "release": told(step.release),
            "added": told(step.added),
            "removed": told(step.removed),
            "changed": None if step.changed is None else told(step.changed),
            "moved": None if step.moved is None else told(step.moved),
            "in_common": step.in_common,
            "alone_in_difference_only": step.alone_only,
        }


def measures_of(crowds: CrowdSizes, at_crowds: Sequence[int] = USUAL_CROWDS) -> dict[str, Any]:
    """The measures of crowds as in JSON; those of a crowd are None where there is nobody."""
    some = bool(len(crowds.sizes))
    return {
        "people": crowds.people,
        "distinct": crowds.distinct,
        "overall_risk": crowds.overall_risk,
        "alone": crowds.alone._asdict(),
        "alone_share": crowds.alone_share,
        "smallest_crowd": crowds.smallest_crowd if some else None,
        "highest_risk": crowds.highest_risk if some else None,
        "lowest_risk": crowds.lowest_risk if some else None,
        "share_above": {"0.05": crowds.share_above(0.05), "0.2": crowds.share_above(0.2)},
        "share_in_crowds_of_at_least": {
            str(k): crowds.share_in_crowds_of_at_least(k) for k in at_crowds
        },
        "expected_reidentifications": crowds.expected_reidentifications,
        "crowd_sizes": crowds.binned(),
    }


def _of_part(risk: ReleasesRisk, part: str, compute: Callable[..., float]) -> float:
    """A measure of the added, removed or changed; 0 where there is nobody."""
    crowds: CrowdSizes | None = getattr(risk, part)
    if crowds is None:
        raise InputError(
            f"who {part} isn't known without a key of persons",
            "name the column that tells persons apart in every release: --person COL",
        )
    return float(compute(crowds)) if len(crowds.sizes) else 0.0


def _measure(part: str, name: str) -> Measure:
    of_crowds = measure_named(name)
    return replace(
        of_crowds,
        name=f"{part}_{name}",
        plain=f"{of_crowds.plain} among those {part}",
        compute=partial(_of_part, part=part, compute=of_crowds.compute),
        merging="either",
    )


DIFFERENCE_MEASURES: dict[str, Measure] = {
    f"{part}_{name}": _measure(part, name) for part in PARTS for name in JUDGED
}
DIFFERENCE_MEASURES["alone_in_difference_only"] = Measure(
    "alone_in_difference_only",
    "alone in the difference only",
    (),
    lambda risk: float(risk.alone_in_difference_only),
    "count",
    merging="either",
)
