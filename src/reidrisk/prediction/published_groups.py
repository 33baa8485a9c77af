"""What a file of κ for publication tells of each group, by the law of random rounding.

People are the number that `publish` writes of the group under the same key: its value's, rounded to
a multiple of b. A group that `publish` wouldn't name isn't named here. Where people with values
that aren't listed were left out, those who remain are another number, rounded by a name of its own.

κ = log N − H follows from H, the entropy of the group's tuples, which tells more of them than any
count does: for five people, to full precision, in which of seven ways they form crowds. Of m people
who all differ H = log m; a pair of them takes 2·log 2/m off it. So with y people published what H
lacks of log y is rounded like a count, in steps of what b pairs take off:

    s = 2·b·log 2/y,   L = min(max(log y − H, 0), log y − 1),   L = q·s + r
    κ published = log N − log y + q·s + s·[u·s < r]

with u drawn by the key and the group's name, whatever the columns: the same H is rounded the same
way under each set of them. Groups of H < 1, of fewer than e tuples, as it were, aren't told apart.

`exact` and the discrepancy are left out: they are further functions of the same crowds, and each
would be another rounding of what κ tells (P(2 members unique) is 1 − Σp², and so is the discrepancy
up to a factor).

Where it stops: as random rounding does. Two columns that hold the same groups under other names
have two roundings of one κ, and so have groups of nearly the same people.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reidrisk.errors import InputError
from reidrisk.prediction.group_risk import GroupFigures, GroupRisk
from reidrisk.prediction.questions import LoadedStatistics, refuse_unprotected
from reidrisk.publishing import Wish, chances_of, published, rounded
from reidrisk.records import Table
from reidrisk.statistics import KeyedRounding, Statistics

UNPROTECTED = "unprotected"
# Groups of fewer than e tuples, as it were, aren't told apart.
LEAST_ENTROPY = 1.0
LEAST_BASE = 3
Name = list[object]


@dataclass(frozen=True)
class ToldGroup:
    """A row of the file: figures of a group, and the law by which they were changed."""

    figures: GroupFigures
    protection: str
    base: int | None = None
    kappa_step: float | None = None

    def row(self) -> dict[str, Any]:
        """By the names of the file's columns."""
        each = self.figures
        of_group = {"group": each.group or "", "outcomes": each.outcomes, "people": each.people,
                    "kappa": each.kappa}  # fmt: skip
        of_size = {"exact": each.exact, "size": each.size, "discrepancy": each.discrepancy}
        law = {"protection": self.protection, "base": self.base, "kappa_step": self.kappa_step}
        return of_group | (dict.fromkeys(of_size) if self.kappa_step else of_size) | law


def published_groups(
    risk: GroupRisk, base: int, key_file: str | os.PathLike[str] | None
) -> list[ToldGroup]:
    """A row for each group that may be named.

    Parameters:
        risk: of groups, from records or statistics.
        base: people are rounded to its multiples.
        key_file: the key of rounding; None draws one and forgets it.
    """
    if base < LEAST_BASE:
        raise InputError(
            "--at-least is 1 or a whole number from 3: multiples of 2 tell most counts of one",
            "--at-least 1 writes every figure as it is, for yourself",
        )
    if isinstance(risk.asked, LoadedStatistics):
        told = _from_statistics(risk, risk.asked.statistics)
    elif isinstance(risk.asked, Table):
        made = published(risk.asked, Wish(at_least=base, key_file=key_file))
        secret = secrets.token_bytes(32) if made.key is None else made.key.secret
        told = list(_KeyedGroups(risk, risk.asked, made.statistics, secret, base).rows())
    else:
        raise InputError(
            "the figures come from a file of κ, and can't be protected again", "copy that file"
        )
    if not told:
        raise InputError(
            f"no group has {2 * base} people once rounded, so none may be named in the file",
            "--at-least 1 writes every group, for yourself",
        )
    return told


def _from_statistics(risk: GroupRisk, statistics: Statistics) -> list[ToldGroup]:
    """Nothing but what the published numbers say, so it needs no protection of its own."""
    refuse_unprotected(statistics, "a file of κ")
    protection = statistics.protection
    base = protection.base if isinstance(protection, KeyedRounding) else None
    kind = "statistics" if protection is None else protection.kind
    return [ToldGroup(each, kind, base) for each in risk.groups]


class _KeyedGroups:
    """Groups of records, rounded under a key like the statistics of the same table."""

    def __init__(
        self, risk: GroupRisk, table: Table, statistics: Statistics, secret: bytes, base: int
    ) -> None:
        self.risk, self.statistics, self.secret, self.base = risk, statistics, secret, base
        self.everybody: dict[str, int] = {"": table.people}
        if risk.by is not None:
            marginal = table.engine.marginal(risk.by)
            values = zip(marginal.values, marginal.counts.tolist(), strict=True)
            self.everybody = {"": marginal.missing} | {str(value): n for value, n in values}

    def rows(self) -> Iterator[ToldGroup]:
        """Each group once, whatever its sizes."""
        for figures in {each.group: each for each in self.risk.groups}.values():
            people = self._people(figures)
            if people is not None and people >= 2 * self.base:
                step = kappa_step(people, self.base)
                kappa = rounded_kappa(
                    figures, people, step, self._chance([*self._name(figures), "entropy"])
                )
                told = replace(figures, people=people, kappa=kappa)
                yield ToldGroup(told, KeyedRounding.kind, self.base, step)

    def _name(self, figures: GroupFigures) -> Name:
        return ["people"] if self.risk.by is None else [self.risk.by, figures.group or None]

    def _people(self, figures: GroupFigures) -> int | None:
        """What the statistics say of the value; None where they don't name it."""
        number = self.statistics.records
        if self.risk.by is not None:
            stated = self.statistics.attribute(self.risk.by).stated.get(figures.group or None)
            if not isinstance(stated, int):
                return None
            number = stated
        if figures.people == self.everybody[figures.group or ""]:
            return number
        name = [*self._name(figures), "listed", json.dumps(self.risk.listed, sort_keys=True)]
        held = np.array([figures.people or 0])
        return int(rounded(held, np.array([self._chance(name)]), self.base)[0])

    def _chance(self, name: Name) -> float:
        return float(chances_of(self.secret, [name])[0])


def kappa_step(people: int, base: int) -> float:
    """What `base` pairs among so many people change κ by."""
    return 2.0 * base * math.log(2.0) / people


def lacking(figures: GroupFigures, people: int) -> float:
    """L: what the entropy lacks of that of so many people who all differ."""
    most = math.log(people)
    entropy = math.log(figures.outcomes) - figures.kappa
    return min(max(most - entropy, 0.0), most - LEAST_ENTROPY)


def rounded_kappa(figures: GroupFigures, people: int, step: float, chance: float) -> float:
    """κ as it is published of so many people, with u the chance."""
    steps = lacking(figures, people) / step
    # What is a whole number of steps but for the arithmetic isn't rounded.
    whole = round(steps) if abs(steps - round(steps)) < 1e-9 else math.floor(steps)
    told = whole + (chance < steps - whole)
    kappa = math.log(figures.outcomes) - math.log(people) + told * step
    return float(f"{max(kappa, 0.0):.6g}")


def kappa_limits(
    kappa: float, outcomes: int, people: int, base: int, step: float
) -> tuple[float, float]:
    """Between what κ lies of a group published like this, as the law says."""
    told = kappa - math.log(outcomes) + math.log(people)
    least, most = kappa - step, kappa + step
    if told < 0.5 * step:
        # Of more people than published, H may be larger than the logarithm of these.
        least = min(least, math.log(outcomes) - math.log(people + base - 1))
    if told > math.log(people) - LEAST_ENTROPY - step:
        most = math.log(outcomes)
    return max(least, 0.0), min(most, math.log(outcomes))
