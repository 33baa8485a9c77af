"""Who in a register could be whom in a released table, in words."""

from __future__ import annotations

from reidrisk.linkage import LinkageRisk
from reidrisk.reports.words.blocks import Blocks, Grid, Part, listed, number, people, share
from reidrisk.reports.words.population import amount, ends


def linkage_blocks(risk: LinkageRisk) -> Blocks:
    """The whole answer."""
    parts: list[Part] = [sentences(risk), candidate_grid(risk)]
    if risk.errors:
        parts.append(difference_grid(risk))
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def headline(risk: LinkageRisk) -> str:
    """How many have a single candidate, and what it is about."""
    seen = risk.envelope.input
    register = f"{risk.register.named}: {people(risk.register.people)}"
    about = f"{seen.named}: {people(seen.people, seen.nouns)} released; {register}"
    have = "has" if risk.one == 1 else "have"
    return (
        f"{people(risk.one, seen.nouns)} of {number(seen.people)} ({share(risk.one_share)}) "
        f"{have} exactly one candidate in the register ({about})"
    )


def sentences(risk: LinkageRisk) -> list[str]:
    """What the figures mean, and that a claim isn't a hit."""
    nouns = risk.envelope.input.nouns
    on = listed(tuple(risk.register.on))
    if risk.k_map is None:
        return [f"Nobody released agrees with anybody in the register on {on}."]
    alike = "agree" if not risk.errors else f"differ in at most {risk.errors} of these values"
    told = [
        f"Compared by {on}; candidates are the people of the register who {alike}. The fewest "
        f"candidates of anybody who has some: {number(risk.k_map)} (k-map), so the highest risk is "
        f"{share(risk.journalist_risk)} (journalist risk).",
    ]
    if risk.none:
        have = "has" if risk.none == 1 else "have"
        told.append(f"{people(risk.none, nouns)} {have} no candidate at all.")
    return [*told, *claim_sentences(risk), *measured_sentences(risk)]


def claim_sentences(risk: LinkageRisk) -> list[str]:
    """A single candidate is a claim; how many are right depends on who isn't in the register."""
    if not risk.made:
        return []
    if risk.right is None:
        return [
            "A single candidate is a claim, not a hit: with values that may differ or match "
            "anything, how many claims are right isn't estimated. Where the true pairs are known, "
            "--truth measures it."
        ]
    links = risk.expected_links
    beside = (
        "" if links is None else
        f" One guess for everybody would be right {amount(links.value)} times on average."
    )  # fmt: skip
    if risk.register.covers >= 1.0:
        return [
            "As the register holds everybody, each single candidate is the right one. If it "
            f"doesn't, say what share it holds: --register-covers 0.6.{beside}"
        ]
    return [
        f"A claim isn't a hit: the register holds {share(risk.register.covers)} of the people, so "
        f"a single candidate may be the double of somebody who isn't in it. Of {number(risk.made)} "
        f"claims {amount(risk.right.value)} are expected to be right, "
        f"{share(risk.right.value / risk.made)} ({ends(risk.right)}).{beside}"
    ]


def measured_sentences(risk: LinkageRisk) -> list[str]:
    """Claims compared with the truth."""
    found = risk.measured
    if found is None:
        return []
    if found.precision is None or found.recall is None:
        return ["Compared with the truth: no claim was made, or nobody is in both tables."]
    return [
        f"Compared with the truth: {number(found.right)} of {number(found.claims)} claims are "
        f"right (precision {share(found.precision)}), and of the {people(found.in_both)} in both "
        f"tables {share(found.recall)} were named (recall)."
    ]


def candidate_grid(risk: LinkageRisk) -> Grid:
    """Released people by how many candidates they have."""
    rows = [("none", number(risk.none), share(risk.none / risk.people))]
    rows.append(("exactly one", number(risk.one), share(risk.one_share)))
    rows.append(("several", number(risk.more), share(risk.more / risk.people)))
    return Grid(("candidates", "people released", "share"), tuple(rows))


def difference_grid(risk: LinkageRisk) -> Grid:
    """By how many values the nearest candidates differ."""
    rows = tuple((number(m), number(held)) for m, held in enumerate(risk.by_differences))
    return Grid(("values that differ from the nearest candidates", "people released"), rows)
