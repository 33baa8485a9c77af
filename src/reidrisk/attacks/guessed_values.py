"""Guessed values, simulated: people are drawn, their sensitive values guessed, the hits counted.

A person is drawn, each equally likely and with replacement. With the table the attacker guesses a
value that most people of the person's crowd have, and without it one that most of all people have;
where several are equally common, each of them with the same chance. The shares of right guesses
are compared with those computed (`learning`), Σ_c max_s n_cs / n and max_s m_s / n, with Wilson's
95 % interval.

Where it fails: it says nothing of an attacker who also weighs how values go together, or who knows
some columns only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.attacks.monte_carlo import Hits
from reidrisk.errors import ContradictoryOptions
from reidrisk.learning import SensitiveCounts, sensitive_counts
from reidrisk.records import Table

# People drawn where no number is asked for.
USUAL_TARGETS = 10_000


@dataclass(frozen=True)
class Guessed(Hits):
    """Right guesses among the people drawn, beside the share that was computed."""

    computed: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "hits": self.hits,
            "hit_rate": self.hit_rate,
            "interval": list(self.interval),
            "computed": self.computed,
        }


@dataclass(frozen=True)
class GuessedValues:
    """One sensitive column, guessed of the same people with the table and without it."""

    column: str
    targets: int
    with_table: Guessed
    without: Guessed

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "sensitive": self.column,
            "targets": self.targets,
            "with": self.with_table.to_dict(),
            "without": self.without.to_dict(),
        }


def guessed_values(
    table: Table,
    knows: Sequence[str],
    sensitive: Sequence[str],
    targets: int,
    rng: np.random.Generator,
) -> tuple[GuessedValues, ...]:
    """Play against so many people of a table, for each sensitive column."""
    if table.engine.options.missing == "wildcard":
        raise ContradictoryOptions(
            "--sensitive and --missing wildcard can't both hold",
            "a value is guessed from a crowd, and where an empty cell matches anything there are "
            "none; use --missing own",
        )
    found = []
    for name in sensitive:
        people = table.engine.coded_people((*knows, name))
        places = range(len(knows))
        counts = sensitive_counts(people, places, len(knows), table.engine.threads)
        found.append(guessed_of(counts, targets, rng))
    return tuple(found)


def guessed_of(counts: SensitiveCounts, targets: int, rng: np.random.Generator) -> GuessedValues:
    """Draw people, guess their values, count the hits."""
    ends = np.cumsum(counts.all_people)
    cells = np.searchsorted(ends, rng.integers(0, counts.n, targets), side="right")
    # Below, a guess is a value's code.
    right = _commonest_of_crowds(counts, counts.crowd[cells], rng) == counts.value[cells]
    commonest = np.flatnonzero(counts.totals == counts.totals.max())
    anybody = commonest[rng.integers(0, len(commonest), targets)] == counts.value[cells]
    with_table = int(np.dot(counts.most, counts.alike)) / counts.n
    without = int(counts.totals.max()) / counts.n
    return GuessedValues(
        counts.column,
        targets,
        Guessed(targets, int(np.count_nonzero(right)), with_table),
        Guessed(targets, int(np.count_nonzero(anybody)), without),
    )


def _commonest_of_crowds(counts: SensitiveCounts, crowds: Ints, rng: np.random.Generator) -> Ints:
    """For each of these crowds one of its commonest values, each of them with the same chance."""
    commonest = np.flatnonzero(counts.people == counts.most[counts.crowd])
    crowd = counts.crowd[commonest]
    first = np.searchsorted(crowd, crowds)
    many = np.searchsorted(crowd, crowds, side="right") - first
    return np.asarray(counts.value[commonest[first + rng.integers(0, many)]])
