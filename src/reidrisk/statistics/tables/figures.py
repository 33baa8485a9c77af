"""Figures: a table's numbers, what they are (counts, shares, per cent), and whether totals hold.

**Subtotals.** A line that is the sum of others, under a name that doesn't say so, counts them
twice. One line may be the sum of others by chance. If its k summands reach the sums s₁ … s_c in c
columns, about k/∏(sⱼ + 1) of such lines would be; a line is reported where that, times the places
it could have been found in, stays below `CHANCE`. A stated total that holds, or the number of
records, decides. Only sums that hold to the digit are found, so not those of rounded numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, NamedTuple

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
CHANCE = 0.1
# Two summands in a single column: rarely reported, as where 40,112 and 35,211 are above 75,323.
CHANCE_OF_TWO = 0.001
MOST_REPORTED = 5


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

    @property
    def side(self) -> int:
        """The side whose labels shares are within."""
        return 1 if self.over == "second" else 0

    @property
    def step(self) -> Decimal:
        """The last decimal of a number."""
        return Decimal(1).scaleb(-self.decimals)

    def members(self, total: Place) -> list[Number]:
        """The cells a total is the sum of."""
        return [
            number
            for place, number in self.cells.items()
            if all(b in (Sum.ALL, a) for a, b in zip(place, total, strict=True))
        ]


def figures_of(layout: Layout, records: int | None, decimal: str | None = None) -> Figures:
    """Read a table's numbers in the way in which its totals hold, or else without fractions."""
    found = readings(list(layout.texts.values()), decimal)
    if not found:
        raise _not_a_number(layout)
    tried = [_with_numerals(layout, numerals, records) for numerals in found]
    usable = [figures for figures in tried if isinstance(figures, Figures)]
    if not usable:
        raise UnreadableInput(f"{layout.file}: {tried[0]}", "counts, shares or per cent are needed")
    return next((figures for figures in usable if _adds_up(figures, records)), usable[0])


def _with_numerals(layout: Layout, numerals: Numerals, records: int | None) -> Figures | str:
    """The figures; a sentence where they can't be counts, shares or per cent."""
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
    says_share = layout.says_share or numerals.percent_signs
    if layout.times > 1 and not says_share:
        return _multiplied(plain, layout.times)
    if (
        not numerals.decimals
        and not says_share
        and (records is None or _counts_all(plain, records))
    ):
        return plain
    for shares in _as_shares(plain, _WHOLES[:1] if numerals.percent_signs else _WHOLES):
        return shares
    # Shares come first where there are decimals: 50.0 and 50.0 are rather per cent than people.
    if numerals.whole_but_for_zeros and not says_share:
        return replace(plain, decimals=0)
    what = (
        "it announces shares, but they add" if says_share else "its numbers have fractions and add"
    )
    return f"{what} up to {_known(cells.values()):f}, neither to 1 nor to 100"


def _known(numbers: Iterable[Number]) -> Decimal:
    """The sum of the numbers that aren't suppressed."""
    return sum((number for number in numbers if isinstance(number, Decimal)), Decimal(0))


def _multiplied(plain: Figures, times: int) -> Figures | str:
    """Numbers in thousands as people."""
    step = times * plain.step
    if step < 1:
        return f"its numbers are in units of {times:,}, yet are fractions of people"

    def people(numbers: Mapping[Place, Number]) -> dict[Place, Number]:
        return {
            place: Decimal(int(number * times))
            if isinstance(number, Decimal)
            else Suppressed(None if number.below is None else number.below * times)
            for place, number in numbers.items()
        }

    notes = (*plain.notes, f"its numbers were multiplied by {times:,}, as it says")
    cells, totals = people(plain.cells), people(plain.totals)
    return replace(plain, cells=cells, totals=totals, decimals=0, notes=notes, known_to=int(step))


def _counts_all(figures: Figures, records: int) -> bool:
    known = _known(figures.cells.values())
    suppressed = any(isinstance(number, Suppressed) for number in figures.cells.values())
    return known == records or (suppressed and 100 < known <= records)


def _as_shares(plain: Figures, wholes: Sequence[Decimal]) -> Iterator[Figures]:
    """The ways in which the numbers are shares of a whole."""
    overs: tuple[Over, ...] = ("all", "first", "second") if len(plain.attributes) == 2 else ("all",)
    for whole in wholes:
        for over in overs:
            shares = replace(plain, whole=whole, over=over)
            if all(_fills(shares, total) for total in _wholes_of(shares)):
                yield shares


def _wholes_of(shares: Figures) -> list[Place]:
    """The totals that shares add up to."""
    if shares.over == "all":
        return [(Sum.ALL,) * len(shares.attributes)]
    labels = dict.fromkeys(place[shares.side] for place in shares.cells)
    return [(label, Sum.ALL) if shares.side == 0 else (Sum.ALL, label) for label in labels]


def _fills(shares: Figures, total: Place) -> bool:
    members, whole = shares.members(total), shares.whole or Decimal(0)
    slack = shares.step * len(members) / 2
    if any(isinstance(number, Suppressed) for number in members):
        return whole / 2 <= _known(members) <= whole + slack
    return abs(_known(members) - whole) <= slack


def _adds_up(figures: Figures, records: int | None) -> bool:
    if figures.totals:
        return not list(disagreeing_totals(figures, None))
    return figures.whole is not None or records is None or _counts_all(figures, records)


def disagreeing_totals(figures: Figures, rounded_to: int | None) -> Iterator[str]:
    """Totals that aren't the sum of their cells, each with both numbers."""
    for place, total in figures.totals.items():
        members = figures.members(place)
        if isinstance(total, Suppressed) or not members:
            continue
        known = _known(members)
        bounds = [number.most for number in members if isinstance(number, Suppressed)]
        hidden = None if None in bounds else sum(most for most in bounds if most is not None)
        known_to = max(rounded_to or 0, figures.known_to if figures.known_to > 1 else 0)
        step = figures.step if figures.whole is not None else Decimal(known_to)
        slack = step * (len(members) + 1) / 2
        if total < known - slack or (hidden is not None and total > known + hidden + slack):
            word = "at least " if hidden is None else "at most " if bounds and total > known else ""
            sum_ = known + (hidden or 0) if word == "at most " else known
            yield (
                f"{figures.file}: the total{_where(place)} is {total:,f}, its cells add up to "
                f"{word}{sum_:,f}"
            )


def _where(place: Place) -> str:
    labels = [label for label in place if label is not Sum.ALL]
    return "".join(f" of {'no value' if label is None else repr(label)}" for label in labels)


def _not_a_number(layout: Layout) -> UnreadableInput:
    wrong = [place for place, text in layout.texts.items() if text and not is_number(text)]
    more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    cell = f"the cell{_where(wrong[0])} is" if wrong else "its cells are"
    return UnreadableInput(
        f"{layout.file}: {cell} neither a number nor suppressed{more}",
        'suppressed are "<5", "x", "..", ":" and empty cells; say --decimal where marks are mixed',
    )


# A line's numbers by column; None where they were suppressed.
Line = Sequence[Decimal | None]


class Subtotal(NamedTuple):
    """Line `at` is the sum of `many` lines: those after it (step 1), before it (-1), all (0)."""

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
    if not wrong and records is not None and _known(figures.cells.values()) == records:
        return
    for side in range(len(figures.attributes)):
        stated = any(
            place[side] is Sum.ALL and isinstance(n, Decimal) for place, n in figures.totals.items()
        )
        if wrong or not stated:
            yield from _on_side(figures, side, math.inf if wrong else 1.0)


def _on_side(figures: Figures, side: int, lenience: float) -> Iterator[str]:
    labels = list(dict.fromkeys(place[side] for place in figures.cells))
    found = _found(_lines(figures, side, labels), lenience)
    named = [subtotal for subtotal in found if labels[subtotal.at] is not None]
    for at, many, step in named[:MOST_REPORTED]:
        word = "lines" if side == 0 else "values"
        after, before = ("below", "above") if side == 0 else ("after", "before")
        which = (
            f"the {many} {word} {after if step == 1 else before} it"
            if step
            else f"all {many} others"
        )
        yield f"{labels[at]!r} is the sum of {which}: is it a subtotal?"
    if len(named) > MOST_REPORTED:
        yield f"and {len(named) - MOST_REPORTED} more"


def _lines(figures: Figures, side: int, labels: Sequence[Label]) -> list[Line]:
    """Every label's numbers, column by column; a cell that isn't there is nobody."""
    across = list(dict.fromkeys(_others(place, side) for place in figures.cells))
    lines: dict[Label, list[Decimal | None]] = {
        label: [Decimal(0)] * max(len(across), 1) for label in labels
    }
    columns = {label: column for column, label in enumerate(across)}
    for place, number in figures.cells.items():
        column = columns[_others(place, side)]
        lines[place[side]][column] = number if isinstance(number, Decimal) else None
    return list(lines.values())


def _others(place: Place, side: int) -> Place:
    return place[:side] + place[side + 1 :]


def _found(lines: Sequence[Line], lenience: float) -> list[Subtotal]:
    """Groups that make up the whole side, a line that is the sum of all others, else any block."""
    for step in (1, -1):
        groups = _groups(lines, step)
        chance = 2 * math.prod(_chance(lines, group) for group in groups)
        if chance < CHANCE * lenience and any(_is_many(lines, g, lenience) for g in groups):
            return groups
    whole = [_sum(column) for column in zip(*lines, strict=True)]
    for at, line in enumerate(lines):
        others = [
            None if w is None or n is None else w - n for w, n in zip(whole, line, strict=True)
        ]
        subtotal = Subtotal(at, len(lines) - 1, 0)
        if _same(line, others) and _is_rare(lines, subtotal, lenience):
            return [subtotal]
    blocks = [_block(lines, at, step) for step in (1, -1) for at in range(len(lines))]
    return [block for block in blocks if block is not None and _is_rare(lines, block, lenience)]


def _groups(lines: Sequence[Line], step: int) -> list[Subtotal]:
    """Every line a subtotal or a summand of the last one; none where that fails."""
    groups: list[Subtotal] = []
    at = 0 if step == 1 else len(lines) - 1
    while 0 <= at < len(lines):
        block = _block(lines, at, step)
        if block is None:
            return []
        groups.append(block)
        at += step * (block.many + 1)
    return groups


def _block(lines: Sequence[Line], at: int, step: int) -> Subtotal | None:
    """The longest run of lines next to this one that adds up to it."""
    line = lines[at]
    if not any(line):
        return None
    reached: Line = [Decimal(0)] * len(line)
    block = None
    last = at + step
    while 0 <= last < len(lines):
        reached = [_sum(pair) for pair in zip(reached, lines[last], strict=True)]
        known = _both_known(reached, line)
        if not known or any(number > goal for number, goal in known):
            break
        if _same(line, reached):
            block = Subtotal(at, abs(last - at), step)
        last += step
    return block


def _sum(numbers: Sequence[Decimal | None]) -> Decimal | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Decimal(0)) if len(known) == len(numbers) else None


def _same(line: Line, other: Line) -> bool:
    """Equal where both are known, and somewhere they are, with people in it."""
    known = _both_known(line, other)
    return any(number for number, _ in known) and all(a == b for a, b in known)


def _both_known(line: Line, other: Line) -> list[tuple[Decimal, Decimal]]:
    """The columns in which neither was suppressed."""
    pairs = zip(line, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _is_rare(lines: Sequence[Line], subtotal: Subtotal, lenience: float) -> bool:
    """Whether chance is no explanation for a single line."""
    places = 2 * len(lines) if subtotal.step else 2
    chance = places * _chance(lines, subtotal)
    return chance < CHANCE * lenience and _is_many(lines, subtotal, lenience)


def _is_many(lines: Sequence[Line], subtotal: Subtotal, lenience: float) -> bool:
    """Three summands that count anybody, or two in several columns, or in large numbers."""
    at, many, step = subtotal
    first, last = sorted((at + step, at + step * many))
    summands = [*lines[:at], *lines[at + 1 :]] if step == 0 else lines[first : last + 1]
    people = sum(any(line) for line in summands)
    columns = sum(bool(number) for number in lines[at])
    if people < 2:
        return False
    return people > 2 or columns > 1 or _chance(lines, subtotal) < CHANCE_OF_TWO * lenience


def _chance(lines: Sequence[Line], subtotal: Subtotal) -> float:
    reached = [number for number in lines[subtotal.at] if number]
    return subtotal.many / math.prod(float(number) + 1 for number in reached)
