"""LinkageRisk: the answer of `link`, how many of a register each person released could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reidrisk.crowds import Answer, CrowdSizes, Envelope, Measure, measure_named
from reidrisk.samples import Figure


@dataclass(frozen=True)
class RegisterSide:
    """What the attacker holds: the register's name, people, and the share of everybody in it."""

    named: str
    people: int
    covers: float
    # {column of the release: column of the register}
    on: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"people": self.people, "covers": self.covers, "on": dict(self.on)}


@dataclass(frozen=True)
class MeasuredClaims:
    """Claims compared with the truth: how many of those made are right, and how many of the
    released people who are in the register were named.
    """

    claims: int
    right: int
    in_both: int

    @property
    def precision(self) -> float | None:
        """Right claims of those made; None where none was."""
        return self.right / self.claims if self.claims else None

    @property
    def recall(self) -> float | None:
        """Right claims of the people who are in both; None where nobody is."""
        return self.right / self.in_both if self.in_both else None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "claims": self.claims,
            "right": self.right,
            "in_both": self.in_both,
            "precision": self.precision,
            "recall": self.recall,
        }


@dataclass(frozen=True, eq=False)
class LinkageRisk(Answer):
    """How many people of the `register` could be each person released, up to `errors` wrong values.

    `candidates` is the histogram of released people by how many candidates they have; `none` have
    no candidate. `by_differences[m]` people have candidates that differ in m values at least.
    `made` claims name the only candidate; `right` of them are expected to be right, and
    `expected_links` guesses if everybody is guessed once, None where that isn't estimated.
    `presence` is the least and the highest chance that somebody of the register was released;
    `measured` holds claims compared with the truth; `fit` says how the laws of the population were
    fitted, where the register is a sample of it.
    """

    envelope: Envelope
    register: RegisterSide
    errors: int
    candidates: CrowdSizes
    none: int
    by_differences: tuple[int, ...]
    made: int
    right: Figure | None
    expected_links: Figure | None
    presence: tuple[float, float]
    measured: MeasuredClaims | None = None
    fit: Mapping[str, Any] = field(default_factory=dict)

    @property
    def people(self) -> int:
        """How many were released."""
        return self.envelope.input.people

    @property
    def one(self) -> int:
        """People released who have exactly one candidate."""
        return self.made

    @property
    def more(self) -> int:
        """People released who have several."""
        return self.people - self.none - self.made

    @property
    def k_map(self) -> int | None:
        """The fewest candidates of anybody who has some; None where nobody has."""
        return self.candidates.smallest_crowd if self.people > self.none else None

    @property
    def journalist_risk(self) -> float:
        """1/k_map; 0 where nobody has a candidate."""
        return 0.0 if self.k_map is None else 1.0 / self.k_map

    @property
    def one_share(self) -> float:
        """Of the people released, those with exactly one candidate."""
        return self.made / self.people

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        return linkage_measure(name).value(self)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        told: dict[str, Any] = {
            "register": self.register.to_dict(),
            "up_to_errors": self.errors,
            "k_map": self.k_map,
            "journalist_risk": self.journalist_risk,
            "candidates": {"none": self.none, "one": self.one, "more": self.more},
            "by_differences": list(self.by_differences),
            "expected_links": _told(self.expected_links),
            "presence": {"least": self.presence[0], "most": self.presence[1]},
            "claims": {
                "made": self.made,
                "right": _told(self.right),
            },
            "fit": dict(self.fit),
        }
        if self.measured is not None:
            told["measured"] = self.measured.to_dict()
        return self.envelope.to_dict() | told


def _told(figure: Figure | None) -> dict[str, object] | None:
    return None if figure is None else figure.to_dict()


def linkage_measure(name: str) -> Measure:
    """The measure of linking that has a name; an unknown one lists what there is."""
    return measure_named(name, LINKAGE_MEASURES)


def _links_share(risk: LinkageRisk) -> float:
    return 0.0 if risk.expected_links is None else risk.expected_links.value / risk.people


LINKAGE_MEASURES: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure(
            "one_candidate_share",
            "released people with exactly one candidate",
            (),
            lambda risk: risk.one_share,
            "share",
        ),
        Measure(
            "journalist_risk",
            "one over the fewest candidates",
            ("journalist risk", "k-map"),
            lambda risk: risk.journalist_risk,
            "share",
        ),
        Measure(
            "expected_links_share",
            "right guesses to be expected, of the people released",
            (),
            _links_share,
            "share",
        ),
        Measure(
            "presence",
            "the highest chance that somebody of the register was released",
            ("δ-presence",),
            lambda risk: risk.presence[1],
            "share",
        ),
    )
}
