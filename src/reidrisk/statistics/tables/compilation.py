"""`compile`: several small tables about the same people become one set of statistics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from pathlib import Path

from reidrisk.errors import InputError, UnwritableOutput
from reidrisk.output_files import refuse_unwritable, whole_file
from reidrisk.records import ReadOptions
from reidrisk.statistics.consistency import InconsistentStatistics, disagreements
from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    PairCounts,
    Statistics,
    TripleCounts,
    Value,
)
from reidrisk.statistics.tables.cells import Label, Sum
from reidrisk.statistics.tables.figures import (
    Figures,
    disagreeing_totals,
    figures_of,
    refuse_subtotals,
    subtotals,
)
from reidrisk.statistics.tables.layout import layout_of
from reidrisk.statistics.tables.margins import (
    People,
    Side,
    counts_as_people,
    disagreeing_sides,
    margin_by,
    named_alike,
    overlaps,
    shares_as_people,
    sides_of,
    spelled_by,
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
    writing: ReadOptions | None = None,
) -> Statistics:
    """Statistics from small tables: CSV or Excel files of counts, shares or per cent.

    What contradicts is refused.

    Parameters:
        tables: a file, or several.
        records: how many people they are about, which shares need.
        rounded_to: counts were rounded to its multiples.
        population: they are a sample from so many people.
        title: what they are about.
        writing: how the files are written; detected by default.
    """
    listed = [tables] if isinstance(tables, (str, os.PathLike)) else list(tables)
    paths = [Path(table) for table in listed]
    return compiled(
        paths, records, rounded_to, population, title, writing or ReadOptions()
    ).statistics


def compiled(
    paths: Sequence[Path],
    records: int | None,
    rounded_to: int | None,
    population: int | None,
    title: str,
    writing: ReadOptions,
) -> Compiled:
    """The same, with what was detected on the way."""
    for option, number in (("--records", records), ("--rounded-to", rounded_to)):
        if number is not None and number < 1:
            raise InputError(f"{option} is a whole number from 1")
    if not paths:
        raise InputError("no table was named", "as in: compile age.csv -o statistics.json")
    read = [figures_of(layout_of(path, writing), records, writing.decimal) for path in paths]
    tables, notes = named_alike(read)
    wrong = [sentence for table in tables for sentence in disagreeing_totals(table, rounded_to)]
    if wrong:
        wrong += [sentence for table in tables for sentence in subtotals(table, records)]
        raise InconsistentStatistics("what the tables say", [*wrong, *_rounding_hint(tables)])
    for table in tables:
        refuse_subtotals(table, records)
    people, records = _in_people(tables, records, rounded_to)
    sides = sides_of(people)
    pair_tables = [table for table in people if len(table.attributes) == 2]
    triples = [table for table in people if len(table.attributes) == 3]
    pairs = [_pair(table, sides, notes) for table in pair_tables]
    statistics = Statistics(
        records,
        tuple(_attribute(name, of_name[0]) for name, of_name in sides.items()),
        (*pairs, *_pairs_of_totals(triples, sides, pairs)),
        title or ", ".join(path.stem for path in paths),
        population,
        _rounded_to([*pair_tables, *triples], sides, rounded_to),
        triples=tuple(_triple(table, sides, notes) for table in triples),
    )
    wrong = [
        *(s for name, each in sides.items() for s in disagreeing_sides(name, each, rounded_to)),
        *disagreements(statistics),
    ]
    if wrong:
        raise InconsistentStatistics(TOGETHER, [*wrong, *_rounding_hint(tables)])
    notes += [sentence for each in statistics.attributes for sentence in overlaps(each)]
    return Compiled(statistics, tuple(map(_summary, tables)), tuple(dict.fromkeys(notes)))


def _in_people(
    tables: Sequence[Figures], records: int | None, rounded_to: int | None
) -> tuple[list[People], int]:
    """Every table in people: counts first, since shares are of them."""
    people: dict[int, People] = {
        at: counts_as_people(table) for at, table in enumerate(tables) if table.whole is None
    }
    if records is None:
        records = _records(list(people.values()), rounded_to)
    shares = [at for at, table in enumerate(tables) if table.whole is not None]
    for at in sorted(shares, key=lambda at: tables[at].over != "all"):
        margin = _margin_for(tables[at], sides_of(list(people.values())))
        people[at] = shares_as_people(tables[at], records, margin)
    return [people[at] for at in range(len(tables))], records


def _records(counted: Sequence[People], rounded_to: int | None) -> int:
    """How many people the tables are about, which all of them have to agree on."""
    known = [(table, people) for table in counted if (people := table.everyone()) is not None]
    if not known:
        raise InputError(
            "the tables don't say how many people they are about", "say it with --records N"
        )
    most = max(len(table.cells) for table in counted)
    step = max(rounded_to or 1, *(table.step for table in counted), 1)
    totals = [people for _, people in known]
    if max(totals) - min(totals) > (most * step if step > 1 else 0):
        counts = {table.figures.file: people for table, people in known}
        differing = [f"{file} counts {people:,} people" for file, people in counts.items()]
        raise InconsistentStatistics(TOGETHER, differing)
    _, records = min(known, key=lambda of_table: of_table[0].step)
    if records == 0:
        raise InputError("the tables count nobody", "every count in them is 0")
    return records


def _margin_for(figures: Figures, sides: Mapping[str, Sequence[Side]]) -> dict[Label, Count]:
    """The counts that a table's shares are of, by that table's labels."""
    if figures.over == "all":
        return {}
    name = figures.attributes[figures.side]
    if name not in sides:
        raise InputError(
            f"{figures.file} holds {figures.unit}, which needs the counts of {name!r}",
            f"add a table of two columns: {name}, people",
        )
    return margin_by([place[figures.side] for place in figures.cells], sides[name][0].counts)


def _rounded_to(
    pair_tables: Sequence[People], sides: Mapping[str, Sequence[Side]], rounded_to: int | None
) -> int | None:
    """How finely the counts that were taken are known; None where they are exact."""
    steps = [of_name[0].step for of_name in sides.values()] + [each.step for each in pair_tables]
    step = max(*steps, rounded_to or 1)
    return step if step > 1 else None


def _attribute(name: str, side: Side) -> Attribute:
    counts = {label: count for label, count in side.counts.items() if isinstance(label, str)}
    return Attribute(name, counts, side.counts.get(None, 0))


def _pair(people: People, sides: Mapping[str, Sequence[Side]], notes: list[str]) -> PairCounts:
    """A pair table with its attributes' spelling."""
    first, second = people.attributes
    spellings = _spellings(people, sides, notes)
    cells: dict[tuple[Value, Value], Count] = {
        (_value(spellings[0][a]), _value(spellings[1][b])): count
        for (a, b), count in people.cells.items()
    }
    return PairCounts((first, second), cells)


def _spellings(
    people: People, sides: Mapping[str, Sequence[Side]], notes: list[str]
) -> list[dict[Label, Label]]:
    """Of each side its labels as the attribute spells them."""
    spellings = [
        spelled_by(dict.fromkeys(place[at] for place in people.cells), sides[name][0].counts)
        for at, name in enumerate(people.attributes)
    ]
    for name, spelling in zip(people.attributes, spellings, strict=True):
        notes += [
            f"{people.figures.file}: {name} {label} was taken as {own}"
            for label, own in spelling.items()
            if label != own
        ]
    return spellings


def _triple(people: People, sides: Mapping[str, Sequence[Side]], notes: list[str]) -> TripleCounts:
    """A triple table with its attributes' spelling."""
    one, two, three = _spellings(people, sides, notes)
    first, second, third = people.attributes
    cells = {
        (_value(one[a]), _value(two[b]), _value(three[c])): count
        for (a, b, c), count in people.cells.items()
    }
    return TripleCounts((first, second, third), cells)


def _pairs_of_totals(
    triples: Sequence[People], sides: Mapping[str, Sequence[Side]], known: Sequence[PairCounts]
) -> Iterator[PairCounts]:
    """Pair tables that three-way tables state as their totals, where no other table does."""
    done = {frozenset(pair.of) for pair in known}
    for table in triples:
        one_way = _spellings(table, sides, [])
        for first, second in combinations(range(3), 2):
            names = table.attributes[first], table.attributes[second]
            cells = table.pair_of_totals((first, second))
            if not cells or frozenset(names) in done:
                continue
            done.add(frozenset(names))
            yield PairCounts(names, {
                (_value(one_way[first][a]), _value(one_way[second][b])): people
                for (a, b), people in cells.items()
            })  # fmt: skip


def _value(label: Label) -> Value:
    assert label is not Sum.ALL
    return label


def _summary(figures: Figures) -> str:
    values = len({place[0] for place in figures.cells})
    text = f"{figures.file}: {figures.unit} of {values:,} values of {figures.attributes[0]}"
    for side, name in enumerate(figures.attributes[1:], start=1):
        across = len({place[side] for place in figures.cells})
        text += f" by {across:,} of {name}"
    text += "; totals checked and left out" if figures.totals else ""
    return "; ".join([text, *figures.notes])


def _rounding_hint(tables: Sequence[Figures]) -> list[str]:
    """Where every count is a multiple of 5, 10 or 100, rounding may be all that is wrong."""
    numbers = [n for each in tables for n in each.cells.values() if isinstance(n, Decimal)]
    for step in (1000, 100, 10, 5, 3):
        if len(numbers) > 3 and all(number % step == 0 for number in numbers):
            return [f"every count is a multiple of {step}: if rounded, say --rounded-to {step}"]
    return []


# Small tables to start from: made up, as an office would publish them.
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
