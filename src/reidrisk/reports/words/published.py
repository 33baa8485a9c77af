"""What published counts give away, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reidrisk.publishing import DerivableCounts, HomogeneousValue, TrueCounts, TwoReleases
from reidrisk.reports.words.blocks import agreed, listed, number, share
from reidrisk.reports.words.protection import protection_line
from reidrisk.statistics import DifferentialPrivacy, Statistics

MOST_NAMED = 3


def derivable_sentences(
    found: DerivableCounts,
    statistics: Statistics | None = None,
    true: TrueCounts | None = None,
    releases: TwoReleases | None = None,
) -> list[str]:
    """What a file gives away: its protection, the small counts that it shows or that can be
    derived, how many of the records' they are, and what it reveals beside an earlier file.
    """
    sentences = []
    if statistics is not None:
        sentences.append(f"Protection: {protection_line(statistics.protection)}.")
    sentences += _derived(found, statistics)
    if true is not None:
        sentences += _true(true)
    if releases is not None:
        sentences += _together(releases)
    return sentences


def homogeneous_sentences(
    sensitive: str, found: Sequence[HomogeneousValue], without: Sequence[str] = ()
) -> list[str]:
    """Which values of other columns tell the sensitive one, by the counts as published, and what to
    do about it; `without` are the columns that have no two-way table with it.
    """
    lacking = [f"{listed(list(without))}: no two-way table with {sensitive}."] if without else []
    mine = [each for each in found if each.sensitive == sensitive]
    if not mine:
        return [
            f"By no two-way table do all people with a value of another column, or nearly all of "
            f"them, have the same {sensitive} (homogeneity).",
            *lacking,
        ]
    columns = list(dict.fromkeys(each.column for each in mine))
    these = agreed(len(mine), "value", "values")
    tell = "reveals" if len(mine) == 1 else "reveal"
    more = f", and {number(len(mine) - MOST_NAMED)} more" if len(mine) > MOST_NAMED else ""
    named = "; ".join(map(_homogeneous, mine[:MOST_NAMED]))
    return [
        f"{these} of {listed(columns)} {tell} {sensitive} (attribute disclosure), by the counts "
        f"as published: {named}{more}.",
        f"Use coarser bands or levels of {listed(columns)}, or publish {sensitive} without them.",
        *lacking,
    ]


def _homogeneous(each: HomogeneousValue) -> str:
    value = "empty" if each.value is None else each.value
    part = "all" if each.share == 1 else share(each.share)
    return (
        f"of {number(each.people)} people with {each.column} {value}, {part} have "
        f"{each.sensitive_value} ({share(each.prior)} of everybody)"
    )


def shared_sentences(statistics: Statistics) -> list[str]:
    """Who shares all of some attributes, where the file says so."""
    shared = statistics.published.shared
    if shared is None:
        return []
    return [
        f"{number(shared.in_groups)} people share {listed(shared.of)} with somebody: "
        f"{agreed(shared.combinations, 'combination', 'combinations')} (household structure)."
    ]


def _derived(found: DerivableCounts, statistics: Statistics | None) -> list[str]:
    """Which small counts a file shows, and which that it hides can be derived from it."""
    if statistics is not None and isinstance(statistics.protection, DifferentialPrivacy):
        return ["Every number has noise: no bounds follow from it, so no count can be derived."]
    small = f"of fewer than {number(found.below)} people"
    sentences = []
    if found.shown:
        shows = agreed(found.shown, f"count {small}", f"counts {small}")
        sentences.append(f"The file shows {shows}.")
    if not found.derived:
        sentences.append(
            f"No hidden count {small} could be derived from all tables together (tested by "
            "interval propagation, not proven)."
        )
    else:
        counts = agreed(found.derived, f"hidden count {small}", f"hidden counts {small}")
        sentences.append(
            f"{counts} can be derived exactly from several tables together: don't share this file "
            f"with anybody who may not know them. Most: {_most(found.by_pair)}."
        )
        if found.by_attribute:
            sentences.append(
                f"What helps most: {listed(list(found.by_attribute)[:MOST_NAMED])}; publish fewer "
                "two-way tables, or leave out attributes that follow from others."
            )
    if found.narrowed:
        more = agreed(found.narrowed, "more is narrowed down", "more are narrowed down")
        sentences.append(f"{more} to a few of these numbers.")
    if not found.complete:
        sentences.append(f"The test is incomplete: {found.limits}.")
    return sentences


def _true(true: TrueCounts) -> list[str]:
    """How many of the records' small counts a file gives away."""
    small = f"of fewer than {number(true.attacked.below)} people"
    have = agreed(true.small, f"count {small}", f"counts {small}")
    sentences = [
        f"The records have {have}, over all attributes and pairs of them: {number(true.shown)} "
        f"shown, {number(true.derived)} derived, {number(true.narrowed)} narrowed down."
    ]
    if true.derived:
        right = "all" if true.right == true.derived else number(true.right)
        sentences.append(f"Of those derived, {right} are the true counts.")
    return sentences


def _together(releases: TwoReleases) -> list[str]:
    """What a file reveals beside an earlier one."""
    sentences = [f"Beside the earlier file: {releases.why}"]
    if releases.tells:
        sentences.append(
            "Don't publish this file after that one; differential privacy (--epsilon) keeps its "
            "bound whatever was published before."
        )
    return sentences


def _most(by_pair: Mapping[tuple[str, ...], int]) -> str:
    named = [
        f"{' with '.join(filter(None, pair))} ({number(count)})"
        for pair, count in list(by_pair.items())[:MOST_NAMED]
    ]
    return listed(named)
