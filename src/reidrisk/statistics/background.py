"""Background knowledge: one table's counts, the dependence of another (R3A's own protocol).

Symbols: the target's values have counts n_a; the background, a larger table about such people, has
pair tables x_ab. Values are matched by their labels (`value_matching`): 22 with 20-24, a band
with the years in it. A pair table of the target starts as the background's, cells of matched values
added up or shared; a pair with a value the background doesn't know starts as n_a·n_b/n. Raked to
the target's counts it keeps the background's odds ratios: its dependence.

Pair tables that the target states itself are left as they are.

For R3A's semi-random shuffles the background gives frequent tuples with their confidences,
`min(background confidence, supp(a)/supp(b))` in the target (`models.frequent_tuples`).

Where it fails: dependence that differs between the two tables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.crowds import assumed
from reidrisk.models import FrequentTuple, frequent_tuples, raked
from reidrisk.statistics.complete_counts import CompleteAttribute, CompleteCounts

# People off a row or column before the background's empty cells are opened a little.
OFF = 0.5


def with_background(target: CompleteCounts, background: CompleteCounts) -> CompleteCounts:
    """The target with pair tables worked out from the background's dependence."""
    place_behind = {name: place for place, name in enumerate(background.names)}
    links = {
        place: linked(attribute, background.attributes[place_behind[attribute.name]])
        for place, attribute in enumerate(target.attributes)
        if attribute.name in place_behind
    }
    pairs, opened = dict(target.knowledge.pairs), 0
    for i in links:
        for j in links:
            known = background.knowledge.pair(
                place_behind[target.names[i]], place_behind[target.names[j]]
            )
            if i < j and (i, j) not in pairs and known is not None:
                cells, was_opened = _pair(target, i, j, links[i] @ known @ links[j].T)
                pairs[i, j] = cells
                opened += was_opened
    knowledge = replace(target.knowledge, pairs=pairs)
    sentences = _said(target, links, len(pairs) - len(target.knowledge.pairs), opened)
    assumptions = (
        *target.assumptions,
        *assumed("dependence-of-background", "statistics", sentences),
    )
    return CompleteCounts(
        target.records, target.attributes, knowledge, assumptions, target.warnings
    )


def linked(target: CompleteAttribute, background: CompleteAttribute) -> Floats:
    """1 where a value here (row) and one in the background (column) are the same people."""
    link = np.zeros((len(target.counts), len(background.counts)))
    for value, place in background.place.items():
        match = target.known.match(value) if value is not None else None
        if match is not None:
            link[target.place[match.value], place] = 1.0
    for value, place in target.place.items():
        if value is None:
            link[place, background.place.get(None, slice(0, 0))] = 1.0
        elif not link[place].any():
            match = background.known.match(value)
            if match is not None:
                link[place, background.place[match.value]] = 1.0
    link[:, background.counts == 0] = 0.0
    return link


def _pair(target: CompleteCounts, i: int, j: int, cells: Floats) -> tuple[Floats, bool]:
    """The background's cells raked to the target's counts; whether empty ones had to be opened."""
    rows, columns = (target.knowledge.counts[place].astype(float) for place in (i, j))
    product = np.outer(rows, columns) / max(target.records, 1)
    known = np.outer(cells.any(axis=1), cells.any(axis=0))
    scale = product[known].sum() / max(float(cells[known].sum()), 1e-300)
    start = np.where(known, cells * scale, product)
    fit = raked(start, rows, columns)
    if fit.off_by <= OFF:
        return fit.cells, False
    # One person of the background more, spread as chance would.
    start = np.where(known, cells * scale + product * scale / max(target.records, 1), product)
    return raked(start, rows, columns).cells, True


def _said(
    target: CompleteCounts, links: dict[int, Floats], worked_out: int, opened: int
) -> list[str]:
    """What was assumed, in sentences."""
    if not worked_out:
        return ["The background shares no pair of attributes that the statistics lack."]
    tables = "One pair table has" if worked_out == 1 else f"{worked_out} pair tables have"
    sentences = [f"{tables} the background's dependence, raked to these counts."]
    for place, link in links.items():
        unknown = ~link.any(axis=1) & (target.knowledge.counts[place] > 0)
        if unknown.any():
            people = int(target.knowledge.counts[place][unknown].sum())
            sentences.append(
                f"{target.names[place]}: {int(unknown.sum()):,} values of {people:,} people are "
                "unknown to the background and taken as independent."
            )
    if opened:
        sentences.append(
            f"In {opened} of them, cells that are empty in the background had to be given people."
        )
    return sentences


def background_tuples(target: CompleteCounts, background: CompleteCounts) -> list[FrequentTuple]:
    """R3A's frequent tuples of the background, in the target's values; unknown ones left out."""
    place_of = {name: place for place, name in enumerate(target.names)}
    tuples = []
    for frequent in frequent_tuples(background.knowledge):
        names = background.names[frequent.of], background.names[frequent.on]
        if not set(names) <= place_of.keys():
            continue
        of, on = (place_of[name] for name in names)
        value = _same_value(
            target.attributes[of], background.attributes[frequent.of], frequent.value
        )
        given = _same_value(
            target.attributes[on], background.attributes[frequent.on], frequent.given
        )
        if value is not None and given is not None:
            tuples.append(
                FrequentTuple(of, on, value, given, frequent.confidence, frequent.strength)
            )
    return tuples


def _same_value(target: CompleteAttribute, background: CompleteAttribute, place: int) -> int | None:
    if place >= len(background.values):
        return None
    value = background.values[place]
    if value is None:
        return target.place.get(None)
    match = target.known.match(value)
    return None if match is None else target.place[match.value]
