"""Protections: what was done to counts before they were published, and the law it was done by.

The file states it, so that whoever reads the counts can take it into account (`reading_back`):

- `KeyedRounding`: every number is a multiple of a base, correct on average, drawn by a secret key;
- `CertifiedSuppression`: numbers are exact, small ones are left out, each with a proof that it
  could be another (`publishing.swap_certificates`);
- `DifferentialPrivacy`: every number has noise of a stated law;
- `Unprotected`: exact counts, for those who may see the records. Not to be shared.

A file without one (compiled from tables, or written by an earlier version) says nothing of it.

Symbols: x a count, y the number published of it; the *reach* is the most that |y − x| can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.laws import DiscreteGaussian, DiscreteNoise, PublishedLaw, RandomRounding

# Of δ for open domains: values whose being there is private too.
OPEN_SHARE = 0.1


class Protection(Protocol):
    """What was done to counts."""

    @property
    def kind(self) -> str:
        """As the file names it."""

    @property
    def shareable(self) -> bool:
        """Whether counts with it may be given to others."""

    @property
    def reach(self) -> int | None:
        """The most that a listed number is off; None where that has no bound."""

    @property
    def of_margins(self) -> PublishedLaw | None:
        """How an attribute's number comes from its count; None where it is the count."""

    @property
    def of_cells(self) -> PublishedLaw | None:
        """How a pair table's number comes from its count."""

    def stated(self) -> dict[str, Any]:
        """As in the file."""


@dataclass(frozen=True)
class Unprotected:
    """Exact counts, small ones too."""

    kind: ClassVar[str] = "none"
    shareable: ClassVar[bool] = False
    reach: ClassVar[int | None] = 0
    of_margins: ClassVar[PublishedLaw | None] = None
    of_cells: ClassVar[PublishedLaw | None] = None

    def stated(self) -> dict[str, Any]:
        """As in the file."""
        return {"kind": self.kind}


@dataclass(frozen=True)
class KeyedRounding:
    """Every number rounded at random to a multiple of `base`, by a secret key."""

    base: int
    kind: ClassVar[str] = "random rounding"
    shareable: ClassVar[bool] = True

    @property
    def reach(self) -> int:
        """|y − x| < base."""
        return self.base - 1

    @property
    def of_margins(self) -> PublishedLaw:
        """P(y | x) = 1 − |x − y|/base."""
        return RandomRounding(self.base)

    @property
    def of_cells(self) -> PublishedLaw:
        """The same; a cell that isn't listed was rounded to 0."""
        return RandomRounding(self.base)

    @property
    def named_from(self) -> int:
        """The least number of people that a value listed may have: it rounded to 2·base."""
        return self.base + 1

    def stated(self) -> dict[str, Any]:
        """As in the file."""
        return {"kind": self.kind, "base": self.base}


@dataclass(frozen=True)
class CertifiedSuppression:
    """Exact numbers; counts below `at_least` are left out, each with `width` proven others."""

    at_least: int
    width: int = 1
    kind: ClassVar[str] = "certified suppression"
    shareable: ClassVar[bool] = True
    reach: ClassVar[int | None] = 0
    of_margins: ClassVar[PublishedLaw | None] = None
    of_cells: ClassVar[PublishedLaw | None] = None

    def stated(self) -> dict[str, Any]:
        """As in the file."""
        return {"kind": self.kind, "at_least": self.at_least, "width": self.width}


@dataclass(frozen=True)
class DifferentialPrivacy:
    """Discrete Gaussian noise on every number: all that a reader needs to know of it.

    (ε, δ) is what is promised of one person more or less, ρ what it costs (zero-concentrated). A
    value of an attribute is listed where its noisy count is above `values_above`, a cell where its
    own is above `cells_above`.
    """

    epsilon: float
    delta: float
    rho: float
    margins: DiscreteGaussian
    cells: DiscreteGaussian
    values_above: int
    cells_above: int
    kind: ClassVar[str] = "differential privacy"
    shareable: ClassVar[bool] = True
    reach: ClassVar[int | None] = None

    @property
    def delta_of_domains(self) -> float:
        """δ_s; nothing where all domains are closed, and no value has a threshold."""
        return OPEN_SHARE * self.delta if self.values_above else 0.0

    @property
    def of_margins(self) -> PublishedLaw:
        """Noise of σ_m²; those listed are above T."""
        return DiscreteNoise(self.margins)

    @property
    def of_cells(self) -> PublishedLaw:
        """Noise of σ_c²; a cell that isn't listed had C or less."""
        return DiscreteNoise(self.cells, self.cells_above)

    def stated(self) -> dict[str, Any]:
        """As in the file; variances are fractions of powers of two, which JSON keeps."""
        return {
            "kind": self.kind,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rho": self.rho,
            "margin_variance": self.margins.variance,
            "cell_variance": self.cells.variance,
            "values_above": self.values_above,
            "cells_above": self.cells_above,
        }


def stated_protection(held: Mapping[str, Any]) -> Protection:
    """The protection that a file states."""
    kind = held.get("kind")
    try:
        if kind == Unprotected.kind:
            return Unprotected()
        if kind == KeyedRounding.kind:
            return KeyedRounding(_whole(held["base"], least=2))
        if kind == CertifiedSuppression.kind:
            return CertifiedSuppression(_whole(held["at_least"], 2), _whole(held["width"], 1))
        if kind == DifferentialPrivacy.kind:
            return DifferentialPrivacy(
                epsilon=float(held["epsilon"]),
                delta=float(held["delta"]),
                rho=float(held["rho"]),
                margins=DiscreteGaussian.at_least(float(held["margin_variance"])),
                cells=DiscreteGaussian.at_least(float(held["cell_variance"])),
                values_above=_whole(held["values_above"], 0),
                cells_above=_whole(held["cells_above"], 0),
            )
    except (KeyError, TypeError, ValueError, OverflowError, InputError) as error:
        raise UnreadableInput(
            f"the statistics' protection ({kind}) isn't stated as it should be"
        ) from error
    raise UnreadableInput(
        "the statistics state a protection that this version doesn't know",
        "they were written by a later version",
    )


def _whole(held: Any, least: int) -> int:
    if isinstance(held, bool) or int(held) != held or not least <= held <= 10**9:
        raise ValueError("not such a number")
    return int(held)
