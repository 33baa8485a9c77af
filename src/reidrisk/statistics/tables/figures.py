"""Figures: a table's numbers, what they are (counts, shares, per cent), and whether totals hold.

Subtotals: a line that is the sum of others, under a name that doesn't say so, counts them twice.

One line may be the sum of others by chance. If its k summands reach the sums s₁ … s_c in c columns,
about k/∏(sⱼ + 1) of such lines would be; a hit is told where that, times the places it could have
been found in, stays below `CHANCE`. A stated total that holds, or the number of records, settles
it. Only sums that hold to the digit are found, so not those of numbers that were rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from reidrisk.errors import UnreadableInput
from reidrisk.statistics.statistics import Suppressed
from reidrisk.statistics.tables.cells import (
    Label,
    Number,
    Numerals,
    Place,
    Sum,
    is_number,
    readings,
)
from reidrisk.statistics.tables.layout import Layout

# Which cells make up the whole that shares are of: all of them, or those of one label.
Over = Literal["all", "first", "second"]
_WHOLES = (Decimal(100), Decimal(1))


@dataclass(frozen=True)
class Figures:
    """A table's numbers by place; `whole` is 100 or 1 for shares, None for counts."""

    file: str
    attributes: tuple[str, ...]
    cells: Mapping[Place, Number]
    totals: Mapping[Place, Number]
    decimals: int = 0
    whole: Decimal | None = None
    over: Over = "all"
    notes: tuple[str, ...] = ()
    # How finely counts are known, in people: 100 where they are in thousands with one decimal.
    known_to: int = 1

    @property
    def unit(self) -> str:
        """For people: counts, shares, per cent of all, per cent within each age."""
        if self.whole is None:
            return "counts"
        word = "per cent" if self.whole == 100 else "shares"
        within = {"all": "", "first": self.attributes[0], "second": self.attributes[-1]}[self.over]
        return f"{word} within each {within}" if within else word

    def members(self, total: Place) -> list[Number]:
        """The cells a total is the sum of."""
        return [
            number
            for place, number in self.cells.items()
            if all(b in (Sum.ALL, a) for a, b in zip(place, total, strict=True))
        ]

    def step(self) -> Decimal:
        """The last decimal of a number."""
        return Decimal(1).scaleb(-self.decimals)


def figures_of(layout: Layout, records: int | None, decimal: str | None = None) -> Figures:
    """Read a table's numbers in the way in which its totals hold, or else without fractions."""
    found = readings(list(layout.texts.values()), decimal)
    if not found:
        raise _not_a_number(layout)
    tried = [_placed(layout, each, records) for each in found]
    usable = [each for each in tried if isinstance(each, Figures)]
    if not usable:
        assert isinstance(tried[0], str)
        raise UnreadableInput(f"{layout.file}: {tried[0]}", "counts, shares or per cent are needed")
    good = [each for each in usable if _adds_up(each, records)]
    return (good or usable)[0]


def _placed(layout: Layout, numerals: Numerals, records: int | None) -> Figures | str:
    """With these numerals; a sentence where they can't be counts, shares or per cent."""
    by_place = dict(zip(layout.texts, numerals.numbers, strict=True))
    if any(isinstance(number, Decimal) and number < 0 for number in by_place.values()):
        return "a number is negative"
    totals = {place: number for place, number in by_place.items() if Sum.ALL in place}
    cells = {place: number for place, number in by_place.items() if Sum.ALL not in place}
    if not cells:
        return "it contains nothing but totals"
    plain = Figures(
        layout.file, layout.attributes, cells, totals, numerals.decimals, notes=layout.notes
    )
    said = layout.says_share or numerals.percent_signs
    if layout.times > 1 and not said:
        return _multiplied(plain, layout.times)
    if numerals.whole and not said and (records is None or _is_sum(plain, records)):
        return plain
    for each in _as_shares(plain, _WHOLES[:1] if numerals.percent_signs else _WHOLES):
        return each
    # Shares come first where there are decimals: 50.0 and 50.0 are rather per cent than people.
    if numerals.whole_but_for_zeros and not said:
        return replace(plain, decimals=0)
    known = f"{sum(n for n in cells.values() if isinstance(n, Decimal)):f}"
    what = "it announces shares, but they add" if said else "its numbers have fractions and add"
    return f"{what} up to {known}, neither to 1 nor to 100"


def _multiplied(plain: Figures, times: int) -> Figures | str:
    """Numbers in thousands as people."""
    step = times * plain.step()
    if step < 1:
        return f"its numbers are in units of {times:,}, yet stand for fractions of people"

    def people(number: Number) -> Number:
        if isinstance(number, Suppressed):
            return number if number.below is None else Suppressed(number.below * times)
        return Decimal(int(number * times))

    return replace(
        plain,
        cells={place: people(number) for place, number in plain.cells.items()},
        totals={place: people(number) for place, number in plain.totals.items()},
        decimals=0,
        notes=(*plain.notes, f"its numbers were multiplied by {times:,}, as it says"),
        known_to=int(step),
    )


def _is_sum(figures: Figures, records: int) -> bool:
    known = sum(n for n in figures.cells.values() if isinstance(n, Decimal))
    held_back = any(isinstance(n, Suppressed) for n in figures.cells.values())
    return known == records or (held_back and 100 < known <= records)


def _as_shares(plain: Figures, wholes: Sequence[Decimal]) -> Iterator[Figures]:
    """The ways in which the numbers are shares of a whole."""
    overs: tuple[Over, ...] = ("all",) if len(plain.attributes) == 1 else ("all", "first", "second")
    for whole in wholes:
        for over in overs:
            if all(_fills(plain, total, whole) for total in _wholes_of(plain, over)):
                yield Figures(
                    plain.file, plain.attributes, plain.cells, plain.totals, plain.decimals,
                    whole, over, plain.notes,
                )  # fmt: skip


def _wholes_of(figures: Figures, over: Over) -> list[Place]:
    """The totals that shares add up to."""
    width = len(figures.attributes)
    if over == "all":
        return [(Sum.ALL,) * width]
    if over == "first":
        return [(label, Sum.ALL) for label in dict.fromkeys(p[0] for p in figures.cells)]
    return [(Sum.ALL, label) for label in dict.fromkeys(p[1] for p in figures.cells)]


def _fills(figures: Figures, total: Place, whole: Decimal) -> bool:
    members = figures.members(total)
    known = sum((n for n in members if isinstance(n, Decimal)), Decimal(0))
    slack = figures.step() * len(members) / 2
    if any(isinstance(number, Suppressed) for number in members):
        return whole / 2 <= known <= whole + slack
    return abs(known - whole) <= slack


def _adds_up(figures: Figures, records: int | None) -> bool:
    if figures.totals:
        return not list(disagreeing_totals(figures, None))
    return figures.whole is not None or records is None or _is_sum(figures, records)


def disagreeing_totals(figures: Figures, rounded_to: int | None) -> Iterator[str]:
    """Totals that aren't the sum of their cells, each with both numbers."""
    for place, total in figures.totals.items():
        members = figures.members(place)
        if isinstance(total, Suppressed) or not members:
            continue
        known = sum((n for n in members if isinstance(n, Decimal)), Decimal(0))
        bounds = [n.most for n in members if isinstance(n, Suppressed)]
        room = None if None in bounds else sum(b for b in bounds if b is not None)
        known_to = max(rounded_to or 0, figures.known_to if figures.known_to > 1 else 0)
        step = figures.step() if figures.whole is not None else Decimal(known_to)
        slack = step * (len(members) + 1) / 2
        low, high = known - slack, None if room is None else known + room + slack
        if total < low or (high is not None and total > high):
            word = "at least " if room is None else "at most " if bounds and total > known else ""
            added = known + (room or 0) if word == "at most " else known
            yield (
                f"{figures.file}: the total{_where(place)} is {total:,f}, its cells add up to "
                f"{word}{added:,f}"
            )


def _where(place: Place) -> str:
    named = [label for label in place if label is not Sum.ALL]
    return "".join(f" of {'no value' if label is None else repr(label)}" for label in named)


def _not_a_number(layout: Layout) -> UnreadableInput:
    wrong = [place for place, text in layout.texts.items() if text and not is_number(text)]
    where = _where(wrong[0]) if wrong else ""
    many = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    cell = f"the cell{where} is" if wrong else "its cells are"
    return UnreadableInput(
        f"{layout.file}: {cell} neither a number nor suppressed{many}",
        'suppressed are "<5", "x", "..", ":" and empty cells; say --decimal where marks are mixed',
    )


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
