"""Figure 4: four entropies of the forty targets.

Symbols: ME = log2 n; EE = Σ_j H(A_j); RDE the entropy of a shuffled table (mean of those shuffled,
or its expectation); TDE the target's own. EE ≥ RDE, EE ≥ TDE, ME ≥ RDE and ME ≥ TDE always;
ME ≥ EE needs n ≥ 2^EE people; RDE ≥ TDE is usual and no theorem.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.pictures import Curve, curves
from reidrisk_papers.r3a.predictions import Random, by_random_sampling
from reidrisk_papers.r3a.targets import study
from reidrisk_papers.setting import Setting

# Sums of many logarithms: differences below this are none.
ROUNDED = 1e-9


class Bits(NamedTuple):
    """One target's entropies and ORRs; `published` is RDE by shuffling, `random` in closed form."""

    subset: int
    people: int
    strong: bool
    maximum: float
    experience: float
    published: float
    random: float
    table: float
    risk: float
    shuffled: float
    closed: float
    within: tuple[float, float]

    @classmethod
    def of(cls, found: Random) -> Bits:
        """From a target counted and shuffled."""
        target, held = found.target, found.target.entropy
        return cls(target.subset, target.people, target.strong, held.maximum, held.experience,
                   found.shuffled_entropy, held.random, held.table, target.risk, found.shuffled,
                   found.closed, found.within)  # fmt: skip

    def chain(self, random: float) -> bool:
        """ME ≥ EE ≥ RDE ≥ TDE."""
        held = (self.maximum, self.experience, random, self.table)
        return all(a >= b - ROUNDED for a, b in pairwise(held))


def bits_of(setting: Setting) -> list[Bits]:
    """All forty."""
    return [Bits.of(each) for each in by_random_sampling(setting)]


def figure_4(setting: Setting) -> Rerun:
    """The picture, and how often the chain holds."""
    found = bits_of(setting)
    ours = {}
    for size, people in zip(("small", "large"), study(setting).sizes, strict=True):
        some = [each for each in found if each.people == people]
        broken = [each for each in some if not each.chain(each.random)]
        by = ", ".join(str(each.subset) for each in broken if each.experience > each.maximum)
        why = f"EE is above ME = {some[0].maximum:.2f} bits in sets {by}." if by else ""
        ours[f"chain_{size}"] = Ours(
            float(sum(each.chain(each.published) for each in some)),
            float(len(some) - len(broken)),
            why,
        )
    most = max(found, key=lambda each: each.experience)
    ours["enough"] = Ours(
        2.0**most.experience, why=f"Set {most.subset} has EE = {most.experience:.2f} bits."
    )
    return Rerun(ours, study(setting).said, [_picture(found)], [_grid(found)])


def by_size(found: Sequence[Bits]) -> tuple[list[Bits], list[Bits]]:
    """The smaller targets and the larger ones, each in the order of the subsets."""
    least = min(each.people for each in found)
    return ([each for each in found if each.people == least],
            [each for each in found if each.people > least])  # fmt: skip


def _picture(found: Sequence[Bits]) -> Picture:
    parts = []
    for some, dashed in zip(by_size(found), (False, True), strict=True):
        for name, key in (("ME", "maximum"), ("EE", "experience"), ("RDE", "random"),
                          ("TDE", "table")):  # fmt: skip
            line = [(float(each.subset), getattr(each, key)) for each in some]
            parts.append(Curve(name, line, dashed=dashed))
    small, large = (some[0].people for some in by_size(found))
    return Picture(
        lambda width: curves(parts, "number of the subset", "entropy, bits", width),
        "Four entropies of each subset, for two numbers of people.",
        f"Solid: {small:,} people, dashed: {large:,}. EE hardly moves with the people; where it is "
        "above ME there are too few of them. TDE falls below RDE at sets 6, 13–16 and 20.",
    )


def _grid(found: Sequence[Bits]) -> Grid:
    rows = tuple(
        (str(each.subset), f"{each.people:,}", f"{each.maximum:.3f}", f"{each.experience:.3f}",
         f"{each.published:.3f}", f"{each.random:.3f}", f"{each.table:.3f}",
         f"{2**each.experience:,.0f}")
        for each in found
    )  # fmt: skip
    heads = ("subset", "people", "ME", "EE", "RDE, shuffled", "RDE, closed form", "TDE",
             "people for ME ≥ EE")  # fmt: skip
    return Grid(heads, rows, ())
