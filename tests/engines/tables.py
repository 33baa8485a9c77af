"""Random small tables, with the values that have tripped engines up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from tests.truth.plain_engine import PlainEngine

# What a cell may hold in the file, and its one text form.
CELLS: dict[str | None, str | None] = {
    None: None,
    "": None,
    "  ": None,
    "a": "a",
    " a": "a",
    "a|b": "a|b",
    "b|c": "b|c",
    "A": "A",
    "39": "39",
    "39.0": "39",
    " 39 ": "39",
    "039": "039",
    "-0": "0",
    "0.0": "0",
    "True": "true",
    "FALSE": "false",
    "1984-03-01 00:00:00": "1984-03-01",
    "1984-03-01T10:30:00.500": "1984-03-01T10:30:00.5",
    "ü": "ü",
    "東京": "東京",
    "é\u0301": "é\u0301",
    'say "hi"; DROP TABLE seen; --': 'say "hi"; DROP TABLE seen; --',
    "it's": "it's",
    "two\nlines": "two\nlines",
    "a,b;c\td": "a,b;c\td",
    "NULL": "NULL",
    "nan": "nan",
    "\\N": "\\N",
    "?": "?",
    "a + b": "a + b",
    "+": "+",
    '"a': '"a',
    'b"': 'b"',
    "(missing)": "(missing)",
    "34:56.5000": "34:56.5000",
}
NAMES = ("age", "select", 'he said "x"', "größe", "a b", "row", "crowd", "Group By", "count", "x;y")


@dataclass(frozen=True)
class Drawn:
    """A table as it is written, and the plain engine that knows the truth about it."""

    written: pa.Table
    truth: PlainEngine
    options: dict[str, Any]

    @property
    def names(self) -> list[str]:
        return list(self.truth.columns)


@st.composite
def tables(draw: st.DrawFn, what_rows_are: str = "people", missing: str = "own") -> Drawn:
    """Up to 25 rows of up to 4 columns; few different values, so that crowds form."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 25))
    written: dict[str, list[Any]] = {}
    for name in names:
        some = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=5))
        written[name] = draw(st.lists(st.sampled_from(some), min_size=rows, max_size=rows))
    if all(CELLS[cell] is None for column in written.values() for cell in column):
        written[names[0]][0] = "a"
    truth = {name: [CELLS[cell] for cell in column] for name, column in written.items()}
    columns = {name: pa.array(cells, pa.string()) for name, cells in written.items()}
    options: dict[str, Any] = {"columns": names, "missing": missing}
    count = person = None
    if what_rows_are == "counts":
        count = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
        count[0] = max(count[0], 1)
        columns["how many"] = pa.array(count)
        options["count"] = "how many"
    if what_rows_are == "rows of persons":
        person = draw(st.lists(st.sampled_from("pqrst"), min_size=rows, max_size=rows))
        columns["who"] = pa.array(person)
        options["person"] = "who"
    return Drawn(pa.table(columns), PlainEngine(truth, missing, count, person), options)


def everything() -> Drawn:
    """Every cell and every name, cells in another order in each column; twice, so crowds form."""
    cells = list(CELLS)
    written = {
        name: [cells[(row * step + step) % len(cells)] for row in range(len(cells))] * 2
        for step, name in enumerate(NAMES, start=1)
    }
    truth = {name: [CELLS[cell] for cell in column] for name, column in written.items()}
    columns = {name: pa.array(column, pa.string()) for name, column in written.items()}
    return Drawn(pa.table(columns), PlainEngine(truth), {"columns": list(NAMES)})
