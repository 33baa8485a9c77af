"""`compile`: several small tables about the same people become one set of statistics.

Small tables to start from: made up, as an office would publish them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reidrisk.errors import InputError, UnwritableOutput
from reidrisk.output_files import refuse_unwritable, whole_file
from reidrisk.records import Writing
from reidrisk.statistics.consistency import InconsistentStatistics, faults
from reidrisk.statistics.statistics import Attribute, Count, PairCounts, Statistics, Value
from reidrisk.statistics.tables.cells import Label, Sum
from reidrisk.statistics.tables.figures import (
    Figures,
    disagreeing_totals,
    figures_of,
    refuse_subtotals,
    subtotals,
)
from reidrisk.statistics.tables.grid import grid_of
from reidrisk.statistics.tables.layout import laid_out
from reidrisk.statistics.tables.margins import (
    People,
    Side,
    Spelling,
    counts_as_people,
    disagreeing_sides,
    margin_by,
    named_alike,
    overlaps,
    shares_as_people,
    sides_of,
)

FilePath = str | os.PathLike[str]
TOGETHER = "what the tables say together"


@dataclass(frozen=True)
class Compiled:
    """The statistics, a sentence on how each table was read, and what was taken for the same."""

    statistics: Statistics
    read: tuple[str, ...]
    notes: tuple[str, ...]


def compile(
    tables: FilePath | Sequence[FilePath],
    *,
    records: int | None = None,
    rounded_to: int | None = None,
    population: int | None = None,
    title: str = "",
    writing: Writing | None = None,
) -> Statistics:
    """Statistics from small tables: CSV or Excel files of counts, shares or per cent.

    `records` says how many people they are about, which shares need; `rounded_to` that counts were
    rounded to its multiples; `population` that they are a sample. What disagrees is refused.
    """
    listed = [tables] if isinstance(tables, (str, os.PathLike)) else list(tables)
    paths = [Path(table) for table in listed]
    return compiled(paths, records, rounded_to, population, title, writing or Writing()).statistics


def compiled(
    paths: Sequence[Path],
    records: int | None,
    rounded_to: int | None,
    population: int | None,
    title: str,
    writing: Writing,
) -> Compiled:
    """The same, with what was found out on the way."""
    _refuse(paths, records, rounded_to)
    read, named = named_alike(
        [
            figures_of(laid_out(path, grid_of(path, writing)), records, writing.decimal)
            for path in paths
        ]
    )
    wrong = [said for each in read for said in disagreeing_totals(each, rounded_to)]
    if wrong:
        wrong += [said for each in read for said in subtotals(each, records)]
        raise InconsistentStatistics("what the tables say", [*wrong, *_rounding_hint(read)])
    for each in read:
        refuse_subtotals(each, records)
    people, records = _in_people(read, records, rounded_to)
    sides = sides_of(people)
    respelt: list[str] = list(named)
    pairs = [_pair(each, sides, respelt) for each in people if len(each.attributes) == 2]
    statistics = Statistics(
        records,
        tuple(_attribute(name, held[0]) for name, held in sides.items()),
        tuple(pairs),
        title or ", ".join(path.stem for path in paths),
        population,
        _rounded_to(people, sides, rounded_to),
    )
    found = [
        *(said for n, held in sides.items() for said in disagreeing_sides(n, held, rounded_to)),
        *faults(statistics),
    ]
    if found:
        raise InconsistentStatistics(TOGETHER, [*found, *_rounding_hint(read)])
    notes = [*respelt, *(said for each in statistics.attributes for said in overlaps(each))]
    return Compiled(statistics, tuple(map(_said, read)), tuple(dict.fromkeys(notes)))


def _refuse(paths: Sequence[Path], records: int | None, rounded_to: int | None) -> None:
    for name, number in (("--records", records), ("--rounded-to", rounded_to)):
        if number is not None and number < 1:
            raise InputError(f"{name} is a whole number from 1")
    if not paths:
        raise InputError("no table was named", "as in: compile age.csv -o statistics.json")


def _in_people(
    read: Sequence[Figures], records: int | None, rounded_to: int | None
) -> tuple[list[People], int]:
    """Every table in people: counts first, since shares are of them."""
    people: dict[int, People] = {
        place: counts_as_people(each) for place, each in enumerate(read) if each.whole is None
    }
    if records is None:
        records = _records(list(people.values()), rounded_to)
    shares = [place for place, each in enumerate(read) if each.whole is not None]
    for place in sorted(shares, key=lambda place: read[place].over != "all"):
        margin = _margin_for(read[place], sides_of(list(people.values())))
        people[place] = shares_as_people(read[place], records, margin)
    return [people[place] for place in range(len(read))], records


def _records(counted: Sequence[People], rounded_to: int | None) -> int:
    """How many people the tables are about, which all of them have to agree on."""
    found: dict[str, int] = {}
    for each in counted:
        if (people := each.everyone()) is not None:
            found[each.figures.file] = people
    if not found:
        raise InputError(
            "the tables don't say how many people they are about", "say it with --records N"
        )
    most = max(len(each.cells) for each in counted)
    step = max(rounded_to or 1, *(each.step for each in counted), 1)
    if max(found.values()) - min(found.values()) > (most * step if step > 1 else 0):
        told = [f"{file} counts {people:,} people" for file, people in found.items()]
        raise InconsistentStatistics(TOGETHER, told)
    finest = min(
        (each for each in counted if each.figures.file in found), key=lambda each: each.step
    )
    records = found[finest.figures.file]
    if records == 0:
        raise InputError("the tables count nobody", "every count in them is 0")
    return records


def _margin_for(figures: Figures, sides: Mapping[str, Sequence[Side]]) -> dict[Label, Count]:
    """The counts that a table's shares are of, by that table's labels."""
    if figures.over == "all":
        return {}
    side = 1 if figures.over == "second" else 0
    name = figures.attributes[side]
    if name not in sides:
        raise InputError(
            f"{figures.file} holds {figures.unit}, which needs the counts of {name!r}",
            f"add a table of two columns: {name}, people",
        )
    return margin_by([place[side] for place in figures.cells], sides[name][0].counts)


def _rounded_to(
    people: Sequence[People], sides: Mapping[str, Sequence[Side]], rounded_to: int | None
) -> int | None:
    """How finely the counts that were taken are known; None where they are exact."""
    taken = [held[0].step for held in sides.values()]
    pairs = [each.step for each in people if len(each.attributes) == 2]
    step = max(*taken, *pairs, rounded_to or 1)
    return step if step > 1 else None


def _attribute(name: str, side: Side) -> Attribute:
    held = {label: count for label, count in side.counts.items() if isinstance(label, str)}
    return Attribute(name, held, side.counts.get(None, 0))


def _pair(people: People, sides: Mapping[str, Sequence[Side]], respelt: list[str]) -> PairCounts:
    """A pair table with its attributes' spelling."""
    first, second = people.attributes
    spellings = [Spelling(sides[name][0].counts) for name in (first, second)]
    cells: dict[tuple[Value, Value], Count] = {}
    for place, count in people.cells.items():
        spelt = [spelling.of(label) for spelling, label in zip(spellings, place, strict=True)]
        for name, old, new in zip((first, second), place, spelt, strict=True):
            if old != new:
                respelt.append(f"{people.figures.file}: {name} {old} was taken as {new}")
        cells[_value(spelt[0]), _value(spelt[1])] = count
    return PairCounts((first, second), cells)


def _value(label: Label) -> Value:
    assert label is not Sum.ALL
    return label


def _said(figures: Figures) -> str:
    values = len({place[0] for place in figures.cells})
    text = f"{figures.file}: {figures.unit} of {values:,} values of {figures.attributes[0]}"
    if len(figures.attributes) == 2:
        across = len({place[1] for place in figures.cells})
        text += f" by {across:,} of {figures.attributes[1]}"
    text += "; totals checked and left out" if figures.totals else ""
    return "; ".join([text, *figures.notes])


def _rounding_hint(read: Sequence[Figures]) -> list[str]:
    """Where every count is a multiple of 5, 10 or 100, rounding may be all that is wrong."""
    numbers = [n for each in read for n in each.cells.values() if not hasattr(n, "below")]
    for step in (1000, 100, 10, 5, 3):
        if len(numbers) > 3 and all(number % step == 0 for number in numbers):
            return [f"every count is a multiple of {step}: if rounded, say --rounded-to {step}"]
    return []


_TABLES = {
    "age.csv": "age,people\n18-24,2000\n25-44,4500\n45-64,2500\n65+,1000\nTotal,10000\n",
    "sex.csv": "sex,per cent\nfemale,52.0\nmale,48.0\n",
    "age_by_sex.csv": (
        "age,female,male,Total\n18-24,1180,820,2000\n25-44,2300,2200,4500\n"
        "45-64,1200,1300,2500\n65+,520,480,1000\nTotal,5200,4800,10000\n"
    ),
}


def write_example_tables(folder: Path) -> list[Path]:
    """An attribute, one in per cent, and a cross-table of both, into a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableOutput(f"{folder} can't be made: {error.strerror}") from None
    written = [folder / name for name in _TABLES]
    for path in written:
        refuse_unwritable(path)
    for path in written:
        with whole_file(path) as beside:
            beside.write_text(_TABLES[path.name], encoding="utf-8")
    return written
