"""The tour: the city looked at more and more closely, then more coarsely."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from reidrisk.demo.generated_city import PEOPLE, SEED, city
from reidrisk.measurement import TableRisk, measure
from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.prediction import PersonRisk, person, predict
from reidrisk.publishing import as_published
from reidrisk.records import Table, read
from reidrisk.reports import bar, listed, number, paragraph, share, table, text
from reidrisk.statistics import Statistics

STEPS = (
    ("sex",),
    ("age", "sex"),
    ("county", "age", "sex"),
    ("postcode", "age", "sex"),
    ("postcode", "age", "sex", "marital_state"),
    ("postcode", "age", "sex", "marital_state", "occupation"),
)
SOMEBODY = {"age": "39", "sex": "female", "marital_state": "divorced", "occupation": "teaching"}
COARSER: dict[str, Any] = {"bands": {"age": 10}, "levels": {"postcode": 2}}


@dataclass(frozen=True)
class Tour:
    """The city and what is said about it."""

    people: int = PEOPLE
    seed: int = SEED

    @cached_property
    def table(self) -> Table:
        """The city as recorded."""
        return read(city(self.people, self.seed), columns=list(STEPS[-1]))

    @cached_property
    def closely(self) -> TableRisk:
        """Everything known."""
        found = measure(self.table)
        about = found.envelope
        named = replace(about.input, named="the generated city")
        return replace(found, envelope=replace(about, input=named))

    @cached_property
    def steps(self) -> list[tuple[tuple[str, ...], TableRisk]]:
        """One more thing known at a time."""
        held = city(self.people, self.seed)
        return [(known, measure(read(held, columns=list(known)))) for known in STEPS]

    @cached_property
    def coarsely(self) -> TableRisk:
        """Everything known, but ages by decade and postcodes by their first two digits."""
        held = city(self.people, self.seed)
        return measure(read(held, columns=list(STEPS[-1]), **COARSER))

    @cached_property
    def statistics(self) -> Statistics:
        """What is published of the city: every number rounded at random to a multiple of five."""
        return as_published(self.table)

    @cached_property
    def predicted(self) -> TableRisk:
        """The same measures, from the statistics alone."""
        return predict(self.statistics)

    @cached_property
    def somebody(self) -> PersonRisk:
        """One person, from the statistics alone."""
        return person(self.statistics, SOMEBODY)

    def told(self, strong: Callable[[str], str]) -> Iterator[str]:
        """The tour in words, part by part."""
        yield strong(f"A city of {number(self.people)} generated people (seed {self.seed})")
        yield paragraph(
            "Nobody in it is real. Postcodes lie in counties, marital state depends on age, "
            "occupation on age and sex. How well can someone be picked out of it, knowing a "
            "little more each time?",
            "  ",
        )
        yield "\n" + _steps_table(self.steps)
        yield "\n" + paragraph(_lesson(self.steps), "  ")
        yield "\n" + strong(f"Measured in full: {listed(STEPS[-1])}")
        yield text(self.closely, strong=strong, where="reidrisk measure FILE --verbose")
        yield "\n" + strong("Seen more coarsely: ages by decade, the postcode's first two digits")
        yield paragraph(_relief(self.closely, self.coarsely), "  ")
        yield "\n" + strong("Without the records: from published counts alone")
        yield paragraph(_foretold(self.predicted, self.closely), "  ")
        yield paragraph(_one(self.somebody), "  ") + "\n"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "command": "demo",
            "seed": self.seed,
            "measure": self.closely.to_dict(),
            "steps": [{"knows": list(k), "alone_share": r.alone_share} for k, r in self.steps],
            "coarser": self.coarsely.to_dict(),
            "predict": self.predicted.to_dict(),
            "person": self.somebody.to_dict(),
        }


def _steps_table(steps: list[tuple[tuple[str, ...], TableRisk]]) -> str:
    rows = [
        (listed(known), number(risk.distinct), share(risk.alone_share), bar(risk.alone_share))
        for known, risk in steps
    ]
    return table(("knowing", "crowds", "alone", ""), rows, left=(0, 3))


def _lesson(steps: list[tuple[tuple[str, ...], TableRisk]]) -> str:
    (before, less), (after, more) = steps[-2:]
    last = next(name for name in after if name not in before)
    return (
        f"Each attribute splits the crowds. With {listed(before)}, {share(less.alone_share)} of "
        f"the people are alone; {last} on top makes it {share(more.alone_share)}."
    )


def _relief(closely: TableRisk, coarsely: TableRisk) -> str:
    return (
        f"{number(coarsely.alone.people)} people are alone instead of "
        f"{number(closely.alone.people)} ({share(coarsely.alone_share)} instead of "
        f"{share(closely.alone_share)}), and the overall risk falls from "
        f"{share(closely.overall_risk)} to {share(coarsely.overall_risk)}."
    )


def _foretold(predicted: TableRisk, counted: TableRisk) -> str:
    assert predicted.reference is not None
    # Rounded: the last digits hang on the processor's arithmetic.
    expected = number(round(predicted.alone.people, -3))
    independent = number(round(predicted.reference.alone.people, -3))
    return (
        "Counts of the values and of pairs of values, rounded at random to multiples of five, are "
        f"all that `predict` sees. It expects about {expected} people to be alone; "
        f"{number(counted.alone.people)} are. As if the columns were independent, it would be "
        f"about {independent}."
    )


def _one(risk: PersonRisk) -> str:
    known = listed([f"{name} {value}" for name, value in SOMEBODY.items()])
    most, crowd = risk.gives_away[0], number(round(risk.expected_crowd, 1))
    return (
        f"And one person, {known}: {crowd} people are to be expected in the same crowd, a risk of "
        f"{share(risk.risk)}; without {most.attribute} it would be {share(most.risk_without_it)}."
    )


def write_city(target: str | os.PathLike[str]) -> None:
    """Keep the city as CSV or Parquet."""
    held, kind = city(), table_kind(Path(target))
    with whole_file(target) as beside, table_writer(beside, kind, held.schema) as write:
        for batch in held.to_batches():
            write(batch)
