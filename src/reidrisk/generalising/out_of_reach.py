"""Out of reach: a target that no release meets, and people whom no level helps.

With every column hidden, people of one row each are one crowd; people of several rows are one for
each number of rows. Who has a number of rows that few share stands out in every release.
"""

from __future__ import annotations

import math

from reidrisk.errors import InputError
from reidrisk.generalising.levelled import Levelled, histogram_of
from reidrisk.generalising.releases import Releases
from reidrisk.generalising.target import Target, best_reachable


def out_of_reach(table: Levelled, releases: Releases, target: Target) -> InputError:
    """The error that says what can be reached, and what would do."""
    coarsest = table.whole(releases.highest)
    least = best_reachable([each.crowd_sizes for each in coarsest], target)
    out = max(target.needed(histogram_of(each.crowd_sizes)) for each in coarsest)
    limit = "up to" if target.yardstick.rising else "of at least"
    asked = f"{target.yardstick.name} {limit} {target.yardstick.allowable:.6g}"
    alone = _standing_out(table, target)
    return InputError(
        f"no release has {asked}: the coarsest reaches {least:.6g}{f'; {alone}' if alone else ''}",
        f"allow more, leave more people out{_enough(out, table.people)}, or let columns be coarser"
        + (", or keep fewer rows of each person" if alone else ""),
    )


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
    out = max(target.needed(histogram_of(each.crowd_sizes)) for each in table.whole(top))
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


def said_of_persons(table: Levelled, loss: str) -> list[str]:
    """What is taken for granted of people of several rows."""
    if not table.asked.several_rows:
        return []
    left_out = "and people where some are left out"
    weighed = {"levels": f"columns alike, {left_out}", "entropy": f"the values of rows, {left_out}"}
    return [
        "Each row is released at the levels chosen; crowds are of people with the same rows, and "
        "whoever is left out is left out with all their rows.",
        f"The loss weighs {weighed.get(loss, 'people')}.",
    ]
