"""Out of reach: a target that no release meets, and people whom no level helps.

With every column hidden, people of one row each are one crowd; people of several rows are one for
each number of rows. Who has a number of rows that few share stands out in every release.
"""

from __future__ import annotations

import math

from reidrisk.errors import InputError
from reidrisk.generalisation.levelled import Levelled
from reidrisk.generalisation.releases import Releases
from reidrisk.generalisation.target import Target, best_reachable
from reidrisk.learning import learning_measure


def out_of_reach(table: Levelled, releases: Releases, target: Target) -> InputError:
    """The error that says what can be reached, and what would do."""
    if target.limits is not None and (found := _learning_out_of_reach(table, releases, target)):
        return found
    coarsest = table.whole(releases.highest)
    least = best_reachable([each.crowd_sizes for each in coarsest], target)
    out = table.needed(releases.highest, target)
    limit = "up to" if target.yardstick.rising else "of at least"
    asked = f"{target.yardstick.name} {limit} {target.yardstick.allowable:.6g}"
    alone = _standing_out(table, target)
    return InputError(
        f"no release has {asked}: the coarsest reaches {least:.6g}{f'; {alone}' if alone else ''}",
        f"allow more, leave more people out{_enough(out, table.people)}, or let columns be coarser"
        + (", or keep fewer rows of each person" if alone else ""),
    )


def _learning_out_of_reach(
    table: Levelled, releases: Releases, target: Target
) -> InputError | None:
    """Where the coarsest release fails a limit on what is learnt: the best it reaches."""
    missed = _missed(table, releases, target)
    if missed is None:
        return None
    out = table.needed(releases.highest, target)
    ways = ["ask for less"]
    if out < table.people:
        ways.append(f"leave people out{_enough(out, table.people)}")
    if releases.highest != releases.heights:
        ways.append("let columns be coarser")
    *most, last = ways
    either = f"{', '.join(most)} or {last}" if most else last
    return InputError(f"no release has {missed}", either)


def _missed(table: Levelled, releases: Releases, target: Target) -> str | None:
    """The first limit that the coarsest release fails, with what it reaches."""
    assert target.limits is not None
    for risks in table.risks(releases.highest, table.whole(releases.highest)):
        for name, limit in target.limits.limits.items():
            for column, risk in risks.items():
                if not target.limits.met(name, risk):
                    side = "of at least" if learning_measure(name).safer_when_larger else "up to"
                    return (
                        f"{name} of {column} {side} {limit:g}: the coarsest reaches "
                        f"{risk.value(name):.6g}"
                    )
    return None


def _enough(out: int, people: int) -> str:
    """The share of people without whom the coarsest release would do."""
    if out >= people:
        return " (--suppress)"
    # Four digits, never rounded down.
    scale = 10.0 ** (3 - math.floor(math.log10(out / people)))
    return f" (--suppress {math.ceil(out / people * scale) / scale:.4g} is enough)"


def _standing_out(table: Levelled, target: Target) -> str:
    """How many have to be left out even where every column is hidden."""
    if not table.asked.several_rows:
        return ""
    top = tuple(each.height for each in table.levels)
    out = table.needed(top, target)
    if not out:
        return ""
    stand = "person of {:,} stands" if out == 1 else "people of {:,} stand"
    return (
        f"{out:,} {stand.format(table.people)} out by the number of their rows, which no level "
        "hides"
    )


def whom_no_level_helps(table: Levelled, target: Target) -> list[str]:
    """Said beside a release that meets the target."""
    alone = _standing_out(table, target)
    return [f"{alone}: the target can only be met without them."] if alone else []
