"""Crowds in a report: their sizes, and how many people are in crowds of at least k."""

from __future__ import annotations

from reidrisk.charts.at_least import AtLeast, at_least
from reidrisk.charts.at_least import described as line_described
from reidrisk.charts.crowd_histogram import (
    USUAL_TARGET,
    Bin,
    bins_of,
    crowd_histogram,
    described,
)
from reidrisk.reporting.wording import number
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section


def crowd_sizes_section(found: Found, told: Discretion) -> Section:
    """How many people share their tuple with how many others."""
    risk = found.risk
    merged = merged_bins(bins_of(risk.crowd_sizes), told)
    rows = tuple(
        (each.label, told.people(each.share * told.everyone).text, told.share(each.share).text)
        for each in merged
    )
    bins = [
        each._replace(share=part.drawn, told=part.text)
        for each, part in ((each, told.share(each.share)) for each in merged)
    ]
    largest = max(bins, key=lambda each: each.share)
    are = "are expected to be" if risk.predicted else "are"
    sentences = (
        "Everybody who shares all looked-at values with a person forms that person's crowd. The "
        f"largest part of the people, {largest.told}, {are} {_in_crowds(largest)}.",
        "The smaller the crowd, the easier it is to pick somebody out of it: in a crowd of four, "
        "every fourth guess is right.",
    )
    return Section(
        "crowd_sizes",
        "How large are the crowds?",
        sentences,
        (Picture(lambda width: crowd_histogram(bins, width), described(bins)),),
        (Grid(("people in the crowd", "people", "share"), rows),),
        {"crowds": told.people(risk.distinct)},
        "share(s) = s·N_{s} / n, where N_{s} is the number of crowds of size s, n of people",
        "Crowds are counted among the people in the table and by these attributes only. Whoever "
        "knows more sees smaller crowds; whoever doesn't know that the person is in the table, or "
        "gets a value wrong, sees larger ones.",
    )


def _in_crowds(largest: Bin) -> str:
    return "alone" if largest.high == 1 else f"in crowds of {largest.label}"


def merged_bins(bins: list[Bin], told: Discretion) -> list[Bin]:
    """Bins of too few people join the next; the last ones the one before."""
    if not told.folds:
        return bins
    merged: list[Bin] = []
    for each in bins:
        few = merged and told.people(merged[-1].share * told.everyone).value is None
        if few:
            last = merged.pop()
            each = Bin(last.low, each.high, last.share + each.share)
        merged.append(each)
    while len(merged) > 1 and told.people(merged[-1].share * told.everyone).value is None:
        last = merged.pop()
        before = merged.pop()
        merged.append(Bin(before.low, last.high, before.share + last.share))
    return merged


def at_least_section(found: Found, told: Discretion) -> Section:
    """The share of people in crowds of at least k."""
    risk = found.risk
    shares = {k: told.share(part) for k, part in risk.share_in_crowds_of_at_least.items()}
    points = [AtLeast(k, part.drawn, part.text) for k, part in shares.items()]
    rows = tuple(
        (f"at least {number(k)}", told.people(part * told.everyone).text, shares[k].text)
        for k, part in risk.share_in_crowds_of_at_least.items()
    )
    smallest = told.least(risk.smallest_crowd)
    k = f"up to k = {smallest}" if smallest.value is not None else f"only for a k of {smallest}"
    sentences = (
        "A table in which nobody's crowd is smaller than k is called k-anonymous. This one is so "
        f"{k}.",
        *(
            f"{_begun(part.text)} of the people are in crowds of at least 5, a common target."
            for k, part in shares.items()
            if k == USUAL_TARGET
        ),
    )
    return Section(
        "at_least",
        "How many are hidden well?",
        sentences,
        (Picture(lambda width: at_least(points, width), line_described(points)),),
        (Grid(("crowd", "people", "share"), rows),),
        {f"share_in_crowds_of_at_least_{k}": part for k, part in shares.items()},
        "share(k) = Σ_{s ≥ k} s·N_{s} / n",
        "A large crowd hides who somebody is, not what is said about everybody in it: if all of "
        "them have the same diagnosis, it is no secret.",
    )


def _begun(text: str) -> str:
    return text[0].upper() + text[1:]
