"""What was done to published counts, and what to print beside them."""

from __future__ import annotations

from reidrisk.publishing import Expected, Publication, Reconstruction
from reidrisk.reports.words.blocks import agreed, listed, number
from reidrisk.statistics import (
    CertifiedSuppression,
    DifferentialPrivacy,
    KeyedRounding,
    Protection,
    Statistics,
)

# Shares below this say nothing; differences in points below this are chance.
LITTLE, CHANCE = 0.01, 0.3


def protection_line(protection: Protection | None) -> str:
    """One line: the protection, its law, and whether it is proven."""
    if isinstance(protection, KeyedRounding):
        return (
            f"every number rounded at random to a multiple of {protection.base} (tested, not "
            "proven)"
        )
    if isinstance(protection, CertifiedSuppression):
        return (
            f"exact; counts of fewer than {protection.at_least} people left out, each with "
            f"{agreed(protection.width, 'other possible number', 'other possible numbers')} "
            "(proven)"
        )
    if isinstance(protection, DifferentialPrivacy):
        return (
            f"differential privacy, ε = {protection.epsilon:g}, δ = {protection.delta:.2g} (proven)"
        )
    if protection is None:
        return "not stated"
    return "none: every count as it is, not to be shared"


def to_print(statistics: Statistics) -> str:
    """The paragraph to print with the file; nothing where the file isn't to be shared."""
    protection = statistics.protection
    if isinstance(protection, KeyedRounding):
        base = protection.base
        return (
            f"Every number was rounded at random to a multiple of {number(base)}, correct on "
            f"average. No count of 1 to {base - 1} could be worked out by the attacks we know; "
            f"this is tested, not proven. A {base} says that somebody is there. Records drawn from "
            "this file can coincide with real ones, nearly as often for people not in it. A second "
            "file about nearly the same people can reveal who came or left."
        )
    if isinstance(protection, CertifiedSuppression):
        others = agreed(protection.width, "other table", "other tables")
        has = "has" if protection.width == 1 else "have"
        return (
            f"Counts of 1 to {protection.at_least - 1} people, where there are any, were left out "
            "of the two-way tables, and some larger ones with them. Each of them could be another "
            f"number: at least {others} of people {has} exactly these published numbers. Sums of "
            "counts left out, and which numbers are likely, aren't protected. A second file about "
            "nearly the same people can reveal who came or left."
        )
    if isinstance(protection, DifferentialPrivacy):
        return (
            f"Every number has random noise. Whatever somebody knows, the odds that a person is in "
            f"the data change by a factor of at most e^{protection.epsilon:g} through this file, "
            f"except with probability {protection.delta:.2g}. Further files about the same people "
            "add to it."
        )
    return ""


def protected_sentences(made: Publication) -> list[str]:
    """What was done, where the secret lies, and what couldn't be published."""
    sentences = [f"Protection: {protection_line(made.statistics.protection)}."]
    if made.key is not None:
        new = "is new" if made.key.new else "was used again, so that the same numbers round alike"
        sentences.append(
            f"The key {made.key.path} {new}. Keep it to yourself: whoever has it can undo the "
            "rounding."
        )
    if made.ledger is not None:
        sentences.append(
            f"Releases entered in {made.ledger_path}: {number(len(made.ledger.releases))}. "
            f"Together they spent ε = {made.ledger.epsilon:.3g} of {made.ledger.budget:g}."
        )
    unnamed = [each.name for each in made.statistics.published.attributes if not each.stated]
    if unnamed:
        sentences.append(
            f"No value of {listed(unnamed)} is named: for so few people the protection hides them "
            "all. What is predicted from this file is worth little."
        )
    if made.proven:
        counts = agreed(made.proven, "small count is", "small counts are")
        sentences.append(f"{counts} left out, each with its proof, checked once more.")
    if made.left_out:
        named = listed([" with ".join(pair) for pair in made.left_out])
        tables = agreed(len(made.left_out), "two-way table is", "two-way tables are")
        sentences.append(
            f"{tables} left out whole, because a small count in them couldn't be proven: {named}."
        )
    first = made.ledger is not None and len(made.ledger.releases) == 1
    if made.beside is not None and first:
        sentences.append(
            "The ledger is new: if the earlier file had noise too, enter both in one (--ledger)."
        )
    if made.beside is not None:
        alone = " Each file's proofs hold for that file alone." if made.proven else ""
        sentences.append(f"Beside the earlier file: {made.beside.why}{alone}")
    for name, of in made.statistics.determined.items():
        sentences.append(f"{name} follows from {of.by}: published as a map, its counts are sums.")
    return sentences


def reconstruction_sentences(tried: Reconstruction) -> list[str]:
    """How much of the records tables drawn from the file reproduce, own against other people's."""
    if tried.own is None or tried.other is None:
        return [f"Reconstruction: {tried.limits[0][:1].lower()}{tried.limits[0][1:]}"]
    if tried.own < LITTLE:
        return [
            "Records drawn from this file coincide with fewer than 1 % of those it was made from."
        ]
    points = 100.0 * (tried.own - tried.other)
    about = (
        f"{points:.1f} points are about these people"
        if points >= CHANCE
        else ("the difference is no more than chance")
    )
    return [
        f"Records drawn from this file coincide with {100 * tried.own:.1f} % of the records it was "
        f"made from, and with {100 * tried.other:.1f} % of as many other people's: {about} "
        f"(reconstruction, tried on halves of {number(tried.people)} people). A better attack may "
        "find more. This was worked out from the records: it is for you, and not to be published."
    ]


def expected_sentence(found: Expected) -> str:
    """The same of a file whose records aren't at hand."""
    return (
        f"Two tables of {number(found.people)} people drawn from this file coincide with each "
        f"other in {100 * found.share:.1f} % of their records (reconstruction). Much of that "
        "anybody would guess of people like these; how much is about these people, `publish` says "
        "to whoever has the records."
    )
