"""What releases of the same people reveal together, in words."""

from __future__ import annotations

from reidrisk.crowds import CrowdSizes
from reidrisk.reports.words.blocks import Blocks, Grid, Part, agreed, number, people, share
from reidrisk.republication import ReleasesRisk, TableOfCounts

MOST_TABLES = 10


def releases_blocks(risk: ReleasesRisk) -> Blocks:
    """The whole answer."""
    parts: list[Part] = [sentences(risk), difference_grid(risk)]
    if len(risk.steps) > 1:
        parts.append(steps_grid(risk))
    if risk.tables:
        parts.append(tables_grid(risk.tables, risk.k))
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def since(risk: ReleasesRisk) -> str:
    """The earlier releases."""
    return " or ".join(each.name for each in risk.compared[:-1])


def headline(risk: ReleasesRisk) -> str:
    """How many of those who came, or else left or changed, are alone among them."""
    nouns, last = risk.envelope.input.nouns, risk.compared[-1]
    about = f"{last.name}: {people(last.people, nouns)}"
    for kind, crowds in (
        ("added", risk.added),
        ("removed", risk.removed),
        ("changed", risk.changed),
    ):
        if crowds is not None and crowds.people:
            return f"{_alone_of(crowds, kind, since(risk), nouns)} ({about})"
    return f"Nothing differs since {since(risk)} ({about})"


def _alone_of(crowds: CrowdSizes, kind: str, earlier: str, nouns: tuple[str, str]) -> str:
    alone, every = crowds.alone.people, crowds.people
    if every == 1:
        return f"The only {nouns[0]} {kind} since {earlier} is alone in the difference"
    among = f"the {people(every, nouns)} {kind} since {earlier}"
    if not alone:
        return f"None of {among} is alone among them"
    verb = "is" if alone == 1 else "are"
    return f"{number(alone)} of {among} {verb} alone among them ({share(crowds.alone_share)})"


def sentences(risk: ReleasesRisk) -> list[str]:
    """The release beside the difference, and who is alone in the difference only."""
    told = [_beside(risk), _only(risk)]
    if risk.tables:
        told.insert(0, _of_table(risk))
    elif risk.changed is None:
        told.append(
            "Who was added and removed follows from the counts of each combination; who came and "
            "who left with the same values cancel. A key of persons (--person) would tell them "
            "apart."
        )
    return told


def _beside(risk: ReleasesRisk) -> str:
    nouns, release = risk.envelope.input.nouns, risk.release
    return (
        f"In the release itself {number(release.alone.people)} of {people(release.people, nouns)} "
        f"{'is' if release.alone.people == 1 else 'are'} alone ({share(release.alone_share)}). "
        "Somebody known to be new in it stands only among those added, and somebody known to be "
        "gone among those removed."
    )


def _only(risk: ReleasesRisk) -> str:
    nouns, alone = risk.envelope.input.nouns, risk.alone_in_difference_only
    if not alone:
        return (
            f"Nobody who stands in crowds of {risk.k} or more in each release is alone in the "
            "difference."
        )
    verb = "is" if alone == 1 else "are"
    return (
        f"{people(alone, nouns)} {verb} alone in the difference only: hidden in a crowd of "
        f"{risk.k} or more in each release, and alone once one release is subtracted from "
        "another."
    )


def _of_table(risk: ReleasesRisk) -> str:
    names = " × ".join(risk.tables[0].of)
    count = agreed(len(risk.tables), "table", "tables")
    return (
        f"The files list {count} of counts in common; these figures are of {names}, the one with "
        "most people alone in the difference. What follows from all tables of two files together, "
        "hidden counts included: reidrisk check LATER --after EARLIER."
    )


def difference_grid(risk: ReleasesRisk) -> Grid:
    """Release, added, removed and changed beside each other."""
    rows = [("in the release", risk.release), ("added", risk.added), ("removed", risk.removed)]
    if risk.changed is not None and risk.last.moved is not None:
        rows += [("changed", risk.changed), ("changed, former values known too", risk.last.moved)]
    heads = (
        "",
        risk.envelope.input.nouns[1],
        "alone",
        "share",
        "overall risk",
        f"in crowds of {risk.k} or more",
    )
    return Grid(heads, tuple(_row(name, crowds, risk.k) for name, crowds in rows))


def _row(name: str, crowds: CrowdSizes, k: int) -> tuple[str, ...]:
    if not crowds.people:
        return (name, "0", "–", "–", "–", "–")
    return (
        name,
        number(crowds.people),
        number(crowds.alone.people),
        share(crowds.alone_share),
        share(crowds.overall_risk),
        share(crowds.share_in_crowds_of_at_least(k)),
    )


def steps_grid(risk: ReleasesRisk) -> Grid:
    """Each release against all before it."""
    rows = tuple(
        (
            each.name,
            number(step.added.people),
            share(step.added.alone_share),
            number(step.removed.people),
            share(step.removed.alone_share),
            number(step.alone_only),
        )
        for each, step in zip(risk.compared[1:], risk.steps, strict=True)
    )
    heads = ("release", "added", "alone", "removed", "alone", "alone in the difference only")
    return Grid(heads, rows, title="Each release against all before it")


def tables_grid(tables: tuple[TableOfCounts, ...], k: int) -> Grid:
    """The tables of counts that both files list."""
    shown = tables[:MOST_TABLES]
    rows = tuple(
        (
            " × ".join(each.of),
            number(each.cells),
            number(each.small),
            number(each.difference.added.alone.people + each.difference.removed.alone.people),
        )
        for each in shown
    )
    title = "Tables of counts that both files list"
    if len(tables) > len(shown):
        title += f" ({len(shown)} of {number(len(tables))})"
    heads = ("table", "cells", f"differ by fewer than {k} people", "by one person")
    return Grid(heads, rows, title=title)
