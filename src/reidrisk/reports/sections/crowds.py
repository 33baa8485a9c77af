"""Crowds in a report: their sizes, and how many people are in crowds of at least k.

Values in a report: which groups of people are most often alone. Never in one to be published.
"""

from __future__ import annotations

from functools import partial

from reidrisk.reports.charts.attributes import Share, shares, shares_alt_text
from reidrisk.reports.charts.crowds import (
    USUAL_TARGET,
    AtLeast,
    Bin,
    at_least,
    crowd_histogram,
    crowd_histogram_alt_text,
)
from reidrisk.reports.charts.crowds import at_least_alt_text as line_described
from reidrisk.reports.charts.drawing import ALONE
from reidrisk.reports.crowd_figures import crowd_figures, told_sizes
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import Grid, listed, number, share


def crowd_sizes_section(found: Found, told: Discretion) -> Section:
    """How many people are in crowds of which size."""
    risk = found.risk
    figures = crowd_figures(risk.crowd_sizes, told)
    bins = figures.bins()
    rows = tuple((each.label, *_in_bin(each, told), each.told) for each in bins)
    largest = max(bins, key=lambda each: each.share)
    are = "are expected to be" if risk.predicted else "are"
    most = f"{'Most' if largest.share > 0.5 else 'The largest share of the'} {found.people}"
    most = f"All {found.people}" if largest.share == 1 else f"{most}, {largest.told},"
    sentences = (
        "A person's crowd (equivalence class) is everyone who shares their values of the "
        f"quasi-identifiers. {most} {are} {_in_crowds(largest)}.",
        "The smaller the crowd, the easier it is to pick someone out of it: in a crowd of four, "
        "one guess in four is right.",
    )
    distinct = figures.distinct
    heads = (f"{found.people} in the crowd", *(() if told.folds else (found.people,)), "share")
    return Section(
        "crowd_sizes",
        "How large are the crowds?",
        sentences,
        (Picture(partial(crowd_histogram, bins), crowd_histogram_alt_text(bins)),),
        (Grid(heads, rows),),
        {} if distinct is None else {"crowds": distinct},
        "share(s) = s·N_{s} / n, where N_{s} is the number of crowds of size s, n of people",
        "Crowds are counted among the people in the table and by these quasi-identifiers only. An "
        "attacker who knows more faces smaller crowds; one who doesn't know that the person is in "
        "the table, or has a value wrong, faces larger ones.",
    )


def _in_crowds(largest: Bin) -> str:
    return "alone" if largest.high == 1 else f"in crowds of {largest.label}"


def _in_bin(each: Bin, told: Discretion) -> tuple[str, ...]:
    """People and share; the share alone where that is all there is to tell."""
    return () if told.folds else (told.people(each.share * told.everyone).text,)


def at_least_section(found: Found, told: Discretion) -> Section:
    """The share of people in crowds of at least k."""
    figures = crowd_figures(found.risk.crowd_sizes, told)
    people = told_sizes(figures, found.risk.at_crowds)
    shares = {k: told.as_share(each) for k, each in people.items()}
    points = [AtLeast(k, part.drawn, part.text) for k, part in shares.items()]
    rows = tuple((f"at least {number(k)}", people[k].text, part.text) for k, part in shares.items())
    smallest = figures.smallest
    k = f"k {'≥' if told.folds else '='} {smallest}" if smallest.value else f"k < {told.at_least}"
    sentences = (
        f"A table is k-anonymous if every crowd has at least k {found.people}: here {k}.",
        *(
            f"{_begun(part.text)} of the {found.people} are in crowds of at least {k}, a common "
            "target."
            for k, part in shares.items()
            if k == USUAL_TARGET
        ),
    )
    return Section(
        "at_least",
        "How many people are well hidden?",
        sentences,
        (Picture(partial(at_least, points), line_described(points)),),
        (Grid(("crowd", found.people, "share"), rows),),
        {f"share_in_crowds_of_at_least_{k}": part for k, part in shares.items()},
        "share(k) = Σ_{s ≥ k} s·N_{s} / n",
        "A large crowd hides who someone is, not what everyone in it has in common: if all have "
        "the same diagnosis, it is no secret (attribute disclosure).",
    )


def _begun(text: str) -> str:
    return text[0].upper() + text[1:]


TITLE = "of them alone"


def value_section(found: Found, told: Discretion) -> Section | None:
    """None for a report to be published, and where nobody is alone."""
    held = found.values
    if told.folds or held is None or not held.values:
        return None
    named = [(f"{each.column}: {_text(each.value)}", each) for each in held.values]
    parts = [
        Share(
            f"{name} ({number(each.people)} {found.people})",
            each.alone_share,
            share(each.alone_share),
        )
        for name, each in named
    ]
    rows = tuple(
        (
            each.column,
            _text(each.value),
            number(each.people),
            number(each.alone),
            share(each.alone_share),
        )
        for each in held.values
    )
    once = [f"{number(many)} of {name}" for name, many in held.held_once.items() if many]
    first = held.values[0]
    sentences = [
        f"Of the {number(first.people)} {found.people} with {first.column} {_text(first.value)}, "
        f"{number(first.alone)} ({share(first.alone_share)}) are alone: the highest share among "
        f"values that at least {number(held.fewest)} {found.people} have."
    ]
    if once:
        sentences.append(f"Values that occur only once: {listed(once)}.")
    return Section(
        "values",
        "Who stands out?",
        tuple(sentences),
        (Picture(partial(shares, parts, TITLE, colour=ALONE), shares_alt_text(parts, TITLE)),),
        (Grid(("attribute", "value", found.people, "alone", "share"), rows, (0, 1)),),
        {},
        "share(v) = a_{v} / h_{v}: of the h_{v} people who have value v, the a_{v} who are alone",
        f"Values that fewer than {number(held.fewest)} people have aren't listed, though these "
        "people are most at risk; at most three are listed for each attribute. A report for "
        "publication doesn't have this section.",
    )


def _text(value: str | None) -> str:
    return "(empty)" if value is None else value
