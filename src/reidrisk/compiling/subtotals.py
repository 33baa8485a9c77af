"""Subtotals: a line that is the sum of others, under a name that doesn't say so, counts them twice.

One line may be the sum of others by chance. If its k summands reach the sums s₁ … s_c in c columns,
about k/∏(sⱼ + 1) of such lines would be; a hit is told where that, times the places it could have
been found in, stays below `CHANCE`. A stated total that holds, or the number of records, settles
it. Only sums that hold to the digit are found, so not those of numbers that were rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from reidrisk.compiling.figures import Figures, disagreeing_totals
from reidrisk.compiling.labels import Label, Sum
from reidrisk.errors import UnreadableInput

CHANCE = 0.1
# Two summands in a single column: rarely told, as where 40,112 and 35,211 stand above 75,323.
CHANCE_OF_TWO = 0.001
MOST_TOLD = 5

# A line's numbers by column; None where they were held back.
Line = Sequence[Decimal | None]


@dataclass(frozen=True)
class Hit:
    """Line `at` is the sum of `many` lines: those behind it (step 1), before it (-1), all (0)."""

    at: int
    many: int
    step: int


def refuse_subtotals(figures: Figures, records: int | None) -> None:
    """Refuse a table that counts people twice, naming the lines that seem to."""
    found = list(subtotals(figures, records))
    if found:
        raise UnreadableInput(
            f"{figures.file}: {'; '.join(found)}",
            "take it out, or name it Total if it is the sum of all; if it is a value like the "
            "others, add a line Total or say --records",
        )


def subtotals(figures: Figures, records: int | None) -> Iterator[str]:
    """A sentence for every line that seems to be the sum of others."""
    if figures.whole is not None:
        return
    wrong = next(disagreeing_totals(figures, None), None) is not None
    known = [n for n in figures.cells.values() if isinstance(n, Decimal)]
    if not wrong and records is not None and sum(known) == records:
        return
    for side in range(len(figures.attributes)):
        stated = any(
            place[side] is Sum.ALL and isinstance(n, Decimal) for place, n in figures.totals.items()
        )
        if wrong or not stated:
            yield from _on_side(figures, side, math.inf if wrong else 1.0)


def _on_side(figures: Figures, side: int, lenience: float) -> Iterator[str]:
    labels = list(dict.fromkeys(place[side] for place in figures.cells))
    lines = _lines(figures, side, labels)
    hits = [hit for hit in _found(lines, lenience) if labels[hit.at] is not None]
    for hit in hits[:MOST_TOLD]:
        yield f"{labels[hit.at]!r} is the sum of {_which(hit, side)}: is it a subtotal?"
    if len(hits) > MOST_TOLD:
        yield f"and {len(hits) - MOST_TOLD} more"


def _which(hit: Hit, side: int) -> str:
    if hit.step == 0:
        return f"all {hit.many} others"
    word = "lines" if side == 0 else "values"
    behind, before = ("below", "above") if side == 0 else ("behind", "before")
    return f"the {hit.many} {word} {behind if hit.step == 1 else before} it"


def _lines(figures: Figures, side: int, labels: Sequence[Label]) -> list[Line]:
    """Every label's numbers, column by column; a cell that isn't there is nobody."""
    across = list(dict.fromkeys(place[1 - side] for place in figures.cells if len(place) == 2))
    columns = across or [None]
    found: dict[Label, list[Decimal | None]] = {
        label: [Decimal(0)] * len(columns) for label in labels
    }
    at = {label: place for place, label in enumerate(columns)}
    for place, number in figures.cells.items():
        column = at[place[1 - side]] if across else 0
        found[place[side]][column] = number if isinstance(number, Decimal) else None
    return list(found.values())


def _found(lines: Sequence[Line], lenience: float) -> list[Hit]:
    """Groups that make up the whole side, a line that is the sum of all others, else any block."""
    for step in (1, -1):
        groups = _groups(lines, step)
        chance = 2 * math.prod(_chance(lines, hit) for hit in groups)
        told = any(_tellable(lines, hit, lenience) for hit in groups)
        if told and chance < CHANCE * lenience:
            return groups
    whole = [_added(column) for column in zip(*lines, strict=True)]
    for at in range(len(lines)):
        hit = Hit(at, len(lines) - 1, 0)
        if _same(lines[at], _less(whole, lines[at])) and _is_rare(lines, hit, lenience):
            return [hit]
    blocks = [_block(lines, at, step) for step in (1, -1) for at in range(len(lines))]
    return [hit for hit in blocks if hit is not None and _is_rare(lines, hit, lenience)]


def _groups(lines: Sequence[Line], step: int) -> list[Hit]:
    """Every line a subtotal or a summand of the last one; none where that fails."""
    found: list[Hit] = []
    at = 0 if step == 1 else len(lines) - 1
    while 0 <= at < len(lines):
        hit = _block(lines, at, step)
        if hit is None:
            return []
        found.append(hit)
        at += step * (hit.many + 1)
    return found


def _block(lines: Sequence[Line], at: int, step: int) -> Hit | None:
    """The longest run of lines next to this one that adds up to it."""
    line = lines[at]
    if not any(line):
        return None
    held: Line = [Decimal(0)] * len(line)
    found = None
    place = at + step
    while 0 <= place < len(lines):
        held = [_added(pair) for pair in zip(held, lines[place], strict=True)]
        known = _known(held, line)
        if not known or any(reached > number for reached, number in known):
            break
        if _same(line, held):
            found = Hit(at, abs(place - at), step)
        place += step
    return found


def _added(numbers: Sequence[Decimal | None]) -> Decimal | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Decimal(0)) if len(known) == len(numbers) else None


def _less(whole: Line, line: Line) -> Line:
    return [None if w is None or n is None else w - n for w, n in zip(whole, line, strict=True)]


def _same(line: Line, held: Line) -> bool:
    """Equal where both are known, and somewhere they are, with people in it."""
    known = _known(line, held)
    return any(number for number, _ in known) and all(one == other for one, other in known)


def _known(one: Line, other: Line) -> list[tuple[Decimal, Decimal]]:
    """The columns in which neither was held back."""
    pairs = zip(one, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _is_rare(lines: Sequence[Line], hit: Hit, lenience: float) -> bool:
    """Whether chance is no explanation for a single line."""
    places = 2 * len(lines) if hit.step else 2
    chance = places * _chance(lines, hit)
    return chance < CHANCE * lenience and _tellable(lines, hit, lenience)


def _tellable(lines: Sequence[Line], hit: Hit, lenience: float) -> bool:
    """Three summands that count anybody, or two in several columns, or in large numbers."""
    people = sum(any(line) for line in _summands(lines, hit))
    columns = sum(bool(number) for number in lines[hit.at])
    if people < 2:
        return False
    return people > 2 or columns > 1 or _chance(lines, hit) < CHANCE_OF_TWO * lenience


def _summands(lines: Sequence[Line], hit: Hit) -> list[Line]:
    if hit.step == 0:
        return [line for at, line in enumerate(lines) if at != hit.at]
    ends = sorted((hit.at + hit.step, hit.at + hit.step * hit.many))
    return list(lines[ends[0] : ends[1] + 1])


def _chance(lines: Sequence[Line], hit: Hit) -> float:
    reached = [number for number in lines[hit.at] if number]
    return hit.many / math.prod(float(number) + 1 for number in reached)
