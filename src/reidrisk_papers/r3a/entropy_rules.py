"""Rules 1 to 4 on entropies and ORR, each counted over the forty targets, with its exceptions.

EE ≥ RDE and EE ≥ TDE (rules 1 and 3) are theorems: a joint entropy is at most the sum of its parts.
That the larger RDE or TDE has the larger ORR, TDE ≤ RDE and the lower ORR of dependent attributes
(rules 3 and 4) are usual, and no theorems.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

import reidrisk as rr
from reidrisk.reports import Grid
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.r3a.entropies import ROUNDED, Bits, bits_of, by_size
from reidrisk_papers.r3a.targets import study
from reidrisk_papers.setting import Setting

SIDE = 100


def rules(setting: Setting) -> Rerun:
    """Each rule counted, with its exceptions."""
    found = bits_of(setting)
    small, large = by_size(found)
    pairs = list(zip(small, large, strict=True))
    designed = rr.measure(
        {"a": np.repeat(np.arange(SIDE), SIDE), "b": np.tile(np.arange(SIDE), SIDE)},
        dependence=False,
    )
    thousand = rr.predict(rr.Statistics.of_avfm(np.full((10, 4), 100)), model="independent").entropy
    rows: list[tuple[str, str]] = []
    ours = {
        "rule_1_below": _counted(
            found,
            [max(each.table, each.published) <= each.experience + ROUNDED for each in found],
            [max(each.table, each.random) <= each.experience + ROUNDED for each in found]),
        "rule_1_alone": Ours(designed.overall_risk),
        "rule_2_close": Ours(max(abs(a.experience - b.experience) for a, b in pairs)),
        "rule_2_maximum": Ours(thousand.maximum),
        "rule_2_experience": Ours(thousand.experience),
        "rule_3_nearer": _counted(
            large,
            [b.experience - b.published <= a.experience - a.published for a, b in pairs],
            [b.experience - b.random <= a.experience - a.random for a, b in pairs]),
        "rule_3_volume": _counted(
            large,
            [b.published >= a.published and b.shuffled <= a.shuffled for a, b in pairs],
            [b.random >= a.random and b.closed <= a.closed for a, b in pairs]),
        "rule_3_order": _rule_3_order(found, rows),
        "rule_4_below": _rule_4_below(found, rows),
        "rule_4_design": _designed(designed),
        "rule_4_lower": _rule_4_lower(found, rows),
        **_gaps(found),
        "rule_4_order": _rule_4_order(found, rows),
    }  # fmt: skip
    above = [each for each in found if each.experience > each.maximum]
    rows.insert(0, ("Rule 2: EE above ME", _listed(above)))
    grid = Grid(("rule", "where it is so: subset (people)"), tuple(rows), (0, 1), "Exceptions")
    return Rerun(ours, study(setting).said, grids=[grid])


def _counted(found: Sequence[Bits], published: Sequence[bool], improved: Sequence[bool]) -> Ours:
    """How many times a rule holds; where it doesn't, in which sets."""
    broken = [each for each, holds in zip(found, published, strict=True) if not holds]
    chance = "; the closed form says otherwise: few shuffles have their chance"
    why = f"Not in {_listed(broken)}{chance if all(improved) else ''}." if broken else ""
    return Ours(float(sum(published)), float(sum(improved)), why)


def _listed(found: Sequence[Bits]) -> str:
    return ", ".join(f"{each.subset} ({each.people:,})" for each in found) or "none"


def _rule_3_order(found: Sequence[Bits], rows: list[tuple[str, str]]) -> Ours:
    pairs = [pair for some in by_size(found) for pair in combinations(some, 2)]
    against = [(a, b) for a, b in pairs if (a.random - b.random) * (a.closed - b.closed) < 0]
    shuffled = [
        (a, b) for a, b in pairs if (a.published - b.published) * (a.shuffled - b.shuffled) < 0
    ]
    told = "; ".join(f"{a.subset} and {b.subset} ({a.people:,})" for a, b in against)
    rows.append(("Rule 3: the larger RDE has the lower ORR", told or "none"))
    why = ""
    if against or shuffled:
        a, b = max(against or shuffled, key=lambda pair: abs(pair[0].closed - pair[1].closed))
        why = (
            f"No theorem: entropy weighs crowds by their size, the ORR counts them. Sets "
            f"{a.subset} and {b.subset} of {a.people:,} people: RDE {a.random:.3f} and "
            f"{b.random:.3f}, ORR {a.closed:.4f} and {b.closed:.4f}."
        )
    return Ours(1.0 - len(shuffled) / len(pairs), 1.0 - len(against) / len(pairs), why)


def _rule_4_below(found: Sequence[Bits], rows: list[tuple[str, str]]) -> Ours:
    over = [each for each in found if each.table > each.random + ROUNDED]
    shuffled = [each for each in found if each.table > each.published + ROUNDED]
    rows.append(("Rule 4: TDE above RDE", _listed(over)))
    why = ""
    if over or shuffled:
        most = max(each.table - min(each.random, each.published) for each in over + shuffled)
        why = f"By {most:.4f} bits at most: RDE is a mean, and single tables lie about it."
    return Ours(float(len(found) - len(shuffled)), float(len(found) - len(over)), why)


def _designed(found: rr.TableRisk) -> Ours:
    held = found.entropy
    assert held.random is not None
    return Ours(
        held.table - held.random,
        why=f"No theorem: where each pair occurs once, TDE is {held.table:.3f} = ME and a shuffled "
        f"table has {held.random:.3f}. Its columns lie more evenly over each other than chance "
        "would have it.",
    )


def _rule_4_lower(found: Sequence[Bits], rows: list[tuple[str, str]]) -> Ours:
    over = [each for each in found if each.risk > each.closed]
    shuffled = [each for each in found if each.risk > each.shuffled]
    rows.append(("Rule 4: ORR above that of shuffled tables", _listed(over)))
    why = ""
    if over or shuffled:
        a = max(over or shuffled, key=lambda each: each.risk - each.closed)
        low, high = a.within
        why = (
            f"No theorem: set {a.subset} of {a.people:,} people has ORR {a.risk:.4f}, and nine in "
            f"ten shuffled tables lie between {low:.4f} and {high:.4f}. "
        ) + (
            "Weak dependence may raise an ORR."
            if a.risk > high
            else "Weak dependence moves an ORR by less than chance does."
        )
    return Ours(float(len(found) - len(shuffled)), float(len(found) - len(over)), why)


def _gaps(found: Sequence[Bits]) -> dict[str, Ours]:
    """RDE − TDE with and without a strong pair: the two ranges overlap where ME holds both down."""
    ours = {}
    for key, strong in (("rule_4_near", False), ("rule_4_far", True)):
        some = [each for each in found if each.strong == strong]
        published = [each.published - each.table for each in some]
        improved = [each.random - each.table for each in some]
        end = some[int(np.argmin(improved) if strong else np.argmax(improved))]
        which = "Least" if strong else "Most"
        ours[key] = Ours(
            (min(published), max(published)),
            (min(improved), max(improved)),
            f"{which} in set {end.subset} of {end.people:,} people.",
        )
    return ours


def _rule_4_order(found: Sequence[Bits], rows: list[tuple[str, str]]) -> Ours:
    pairs = [(a, b) for some in by_size(found) for a, b in combinations(some, 2)
             if abs(a.table - b.table) > 1]  # fmt: skip
    against = [(a, b) for a, b in pairs if (a.table - b.table) * (a.risk - b.risk) < 0]
    told = "; ".join(f"{a.subset} and {b.subset} ({a.people:,})" for a, b in against)
    rows.append(("Rule 4: more than a bit more TDE, and a lower ORR", told or "none"))
    why = ""
    if against:
        a, b = max(against, key=lambda pair: abs(pair[0].risk - pair[1].risk))
        why = (
            f"No theorem, as rule 3. Sets {a.subset} and {b.subset} of {a.people:,} people: TDE "
            f"{a.table:.3f} and {b.table:.3f}, ORR {a.risk:.4f} and {b.risk:.4f}."
        )
    return Ours(1.0 - len(against) / max(len(pairs), 1), why=why)
