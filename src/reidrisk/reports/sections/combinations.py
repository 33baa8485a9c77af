"""Combinations in a report: the riskiest of each size, the smallest ones, and who adds what."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reidrisk.reports.charts.attributes import Known, Share, riskiest, riskiest_alt_text, shares
from reidrisk.reports.charts.attributes import shares_alt_text as bars_described
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import Grid, agreed, listed, number
from reidrisk.searches import Ranked, Ranking

DANGEROUS, BEYOND = 0.05, "5 %"
MOST_LISTED = 12
ALONE = "people alone"


def combinations_section(found: Found, told: Discretion) -> Section | None:
    """None where combinations couldn't be counted."""
    if found.ranking is None:
        return None
    ranked = _as_told(found.ranking, told)
    sizes = [size for size in range(1, ranked.up_to + 1) if ranked.of_size(size)]
    known = [_known(ranked, size, told) for size in sizes]
    smallest = ranked.smallest_beyond(DANGEROUS)[:MOST_LISTED]
    picture = Picture(
        partial(riskiest, known, ALONE),
        riskiest_alt_text(known, ALONE),
        "Bars: the worst combination of that size. Vertical mark: the mean of all combinations of "
        "that size.",
    )
    return Section(
        "combinations",
        "Which combinations are riskiest?",
        tuple(_sentences(ranked, smallest, told, found.people)),
        (picture,),
        (_by_size(ranked, sizes, told), *_beyond(smallest, told, found.people)),
        {f"worst_of_{size}": told.share(ranked.of_size(size)[0].alone_share) for size in sizes},
        "alone(S) = N_{1}(S) / n for each set S of attributes: the share of people who are alone "
        "(unique) on S",
        _limits(ranked, found),
    )


def _as_told(ranked: Ranking, told: Discretion) -> Ranking:
    """Each combination by what may be told of it, so that order and means tell no more."""
    if not told.folds:
        return ranked
    views = [
        replace(view, alone_share=_seen(view, told), overall_risk=0.0) for view in ranked.views
    ]
    ordered = sorted(views, key=lambda view: (len(view.columns), -view.alone_share, view.columns))
    return replace(ranked, views=tuple(ordered))


def _seen(view: Ranked, told: Discretion) -> float:
    share = told.share(view.alone_share)
    return share.drawn if share.low else 0.0


def _known(ranked: Ranking, size: int, told: Discretion) -> Known:
    worst = ranked.of_size(size)[0]
    share = told.share(worst.alone_share)
    return Known(size, worst.columns, share.drawn, _mean(ranked, size, told).drawn, share.text)


def _mean(ranked: Ranking, size: int, told: Discretion) -> Told:
    views = ranked.of_size(size)
    return told.share(sum(view.alone_share for view in views) / len(views))


def _by_size(ranked: Ranking, sizes: list[int], told: Discretion) -> Grid:
    rows = []
    for size in sizes:
        worst = ranked.of_size(size)[0]
        shares = (told.share(worst.alone_share).text, _mean(ranked, size, told).text)
        rows.append((number(size), ", ".join(worst.columns), *shares))
    return Grid(("known", "worst combination", "alone", "on average"), tuple(rows), (1,), "By size")


def _beyond(smallest: list[Ranked], told: Discretion, people: str) -> list[Grid]:
    rows = [
        (
            ", ".join(view.columns),
            told.share(view.alone_share).text,
            *(() if told.folds else (told.share(view.overall_risk).text,)),
        )
        for view in smallest
    ]
    heads = ("combination", "alone", *(() if told.folds else ("overall risk",)))
    title = f"Smallest combinations with more than {BEYOND} of the {people} alone"
    return [Grid(heads, tuple(rows), (0,), title)] if rows else []


def _sentences(ranked: Ranking, smallest: list[Ranked], told: Discretion, people: str) -> list[str]:
    said = [
        "No attacker knows everything. Some combinations of attributes single out far more people "
        "than others."
    ]
    if smallest:
        first = smallest[0]
        said.append(
            f"Knowing {listed(list(first.columns))} is enough to single out "
            f"{told.share(first.alone_share)} of the {people}."
        )
    else:
        said.append(
            f"No combination of up to {agreed(ranked.up_to, 'attribute', 'attributes')} singles "
            f"out more than {BEYOND} of the {people}."
        )
    return said


def _limits(ranked: Ranking, found: Found) -> str:
    said = (
        f"All {number(ranked.wanted)} combinations of up to {ranked.up_to} attributes were counted."
    )
    if ranked.wanted == 1:
        said = "There is only one attribute."
    if not ranked.complete:
        said = (
            f"Of the {number(ranked.wanted)} combinations of up to {ranked.up_to} attributes "
            f"{number(len(ranked.views))} were counted within the time limit, so a worse one may "
            "exist."
        )
    if ranked.up_to < ranked.attributes:
        said += (
            f" Larger ones of the {ranked.attributes} attributes weren't counted; they are at "
            "least as risky as what they contain. `reidrisk search` goes further."
        )
    if found.risk.predicted:
        said += " Without records, they were counted in tables drawn from the model."
    return said


def _contributions(adds: list[tuple[str, Told]]) -> str:
    (first, most), (last, least) = adds[0], adds[-1]
    if most.text == least.text:
        return f"All attributes contribute equally to the overall risk: {most} of it each."
    return (
        f"{first} contributes most to the overall risk: {most} of it. {last} contributes least: "
        f"{least}."
    )


def adds_section(found: Found, told: Discretion) -> Section | None:
    """What each attribute adds to the risk; None where not all combinations were counted."""
    if found.ranking is None or len(found.ranking.adds) < 2:
        return None
    adds = [(each.attribute, told.ratio(each.share)) for each in found.ranking.adds]
    parts = [Share(name, part.drawn, part.text) for name, part in adds]
    title = "share of the overall risk"
    shown = parts[:MOST_LISTED]
    return Section(
        "adds",
        "What does each attribute contribute?",
        (
            _contributions(adds),
            "Making the attributes at the top coarser, or leaving them out, lowers the risk most.",
        ),
        (Picture(partial(shares, shown, title), bars_described(shown, title)),),
        (Grid(("attribute", "share"), tuple((name, part.text) for name, part in adds)),),
        dict(adds),
        "φ_{i}: the mean of v(S + i) − v(S) over all sets S without i, each size counting equally, "
        "v the overall risk (Shapley's value)",
        f"Averaged over the other attributes known, up to {found.ranking.up_to} in all. "
        "Attributes that carry the same information share their contribution.",
    )
