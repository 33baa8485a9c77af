"""Loss: what a release takes away, from 0 (as recorded) to 1 (everything hidden).

Symbols: n people, R of them left out, s = R/n; l_j the level of attribute j and h_j its height;
crowds of sizes c among those who stay. Who is left out loses everything:

- ``levels``         (1 − s)·m + s,  m the mean of l_j/h_j
- ``entropy``        (1 − s)·m + s,  m = Σ_j (H_j(0) − H_j(l_j)) / Σ_j H_j(0), H_j(l) the entropy of
                     attribute j at level l: the share of its information that is gone
- ``discernibility`` (Σ c² + R·n)/n²: how likely two people can't be told apart; who is left out
                     can't be told from anybody
- ``average_crowd``  (1 − s)·a/n + s,  a the mean size of the crowds that stay

Bounds. m is known without counting; the last two rest on t = Σ c²/n² and t = 1/(number of crowds)
of *all* crowds, nobody left out, which never fall as releases coarsen. With r ≤ R and t' ≤ t known,

- ``levels``, ``entropy``   m + r/n·(1 − m)
- ``discernibility``        t' + r·(n − 2c)/n², c the largest crowd that may be left out
- ``average_crowd``         (1 − σ)²·t' + σ, σ = max(r/n, 1 − 1/(2t')): its least for s ≥ r/n
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats
from reidrisk.crowds import entropy
from reidrisk.errors import InputError
from reidrisk.generalisation.target import Histogram

Name = Literal["levels", "entropy", "discernibility", "average_crowd"]
LOSSES: tuple[Name, ...] = ("levels", "entropy", "discernibility", "average_crowd")


class Remaining(NamedTuple):
    """Those who stay: Σ c² of their crowds, and how many crowds they are."""

    squares: int
    crowds: int


NOT_NEEDED = Remaining(0, 0)


@dataclass(frozen=True, eq=False)
class Loss:
    """One of `LOSSES`; `parts[j][l]` is what level l of attribute j adds to m."""

    name: Name
    parts: tuple[Floats, ...]
    people: int
    # The largest crowd of which somebody may be left out.
    leavable: int

    @property
    def of_crowds(self) -> bool:
        """Whether whole histograms are needed for it."""
        return self.name in ("discernibility", "average_crowd")

    def part(self, levels: Sequence[int]) -> float:
        """m of a release; of the first attributes' levels alone, what they add."""
        sums = float(sum(part[level] for part, level in zip(self.parts, levels, strict=False)))
        # Parts that add up to everything may miss it by a rounding error.
        return min(sums, 1.0)

    def together(self, held: Histogram) -> float:
        """t of all crowds; 0 where it isn't needed."""
        if self.name == "discernibility":
            return squares(held.sizes, held.crowds) / self.people**2
        return 1.0 / held.number if self.name == "average_crowd" else 0.0

    def of(self, part: float, out: int, stay: Remaining) -> float:
        """The loss itself."""
        share = out / self.people
        if not self.of_crowds:
            return part + share * (1.0 - part)
        if self.name == "discernibility":
            return (stay.squares + out * self.people) / self.people**2
        if not stay.crowds:
            return 1.0
        return (1.0 - share) * (self.people - out) / stay.crowds / self.people + share

    def bound(self, part: Any, out: Any, together: Any) -> Any:
        """No release with this m loses less, if so many are left out at least; arrays too."""
        share = out / self.people
        if not self.of_crowds:
            return part + share * (1.0 - part)
        if self.name == "discernibility":
            spread = max(self.people - 2 * self.leavable, 0) / self.people
            return together + share * spread
        least = np.maximum(share, 1.0 - 0.5 / np.maximum(together, 1e-300))
        return (1.0 - least) ** 2 * together + least


def without_smallest(held: Histogram, out: int) -> Remaining:
    """The crowds that stay when so many people are left out, the smallest crowds first."""
    reached = np.cumsum(held.sizes * held.crowds)
    at = int(np.searchsorted(reached, out, side="right"))
    before = int(reached[at - 1]) if at else 0
    left = squares(held.sizes[at:], held.crowds[at:])
    crowds = int(held.crowds[at:].sum())
    rest = out - before
    if rest:
        # Whole crowds of this size, and a part of one more.
        size = int(held.sizes[at])
        whole, partly = divmod(rest, size)
        left -= whole * size**2 + (size**2 - (size - partly) ** 2 if partly else 0)
        crowds -= whole
    return Remaining(left, crowds)


def squares(sizes: NDArray[np.int64], crowds: NDArray[np.int64]) -> int:
    """Σ c² over crowds; exact, also where a square outgrows 64 bits."""
    if not len(sizes) or int(sizes[-1]) * int(sizes @ crowds) < 1 << 63:
        return int(crowds @ sizes**2)
    each = zip(sizes.tolist(), crowds.tolist(), strict=True)
    return sum(size**2 * number for size, number in each)


def loss_of(name: str, counts: Sequence[Sequence[Any]], people: int, leavable: int) -> Loss:
    """The loss called `name`; `counts[j][l]` are the people per label of attribute j at level l."""
    if name not in LOSSES:
        raise InputError(f"--loss {name}: there are {', '.join(LOSSES)}")
    known: Name = next(each for each in LOSSES if each == name)
    return Loss(known, _parts(known, counts), people, leavable)


def _parts(name: Name, counts: Sequence[Sequence[Any]]) -> tuple[Floats, ...]:
    if name == "entropy":
        each = [np.array([entropy(np.asarray(level)) for level in levels]) for levels in counts]
        total = float(sum(levels[0] for levels in each)) or 1.0
        return tuple((levels[0] - levels) / total for levels in each)
    if name == "levels":
        return tuple(
            np.arange(len(levels)) / max(len(levels) - 1, 1) / len(counts) for levels in counts
        )
    return tuple(np.zeros(len(levels)) for levels in counts)
