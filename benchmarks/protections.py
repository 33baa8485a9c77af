"""What each protection of `publish` costs: `python -m benchmarks.protections`, from the root.

Overall risk predicted from a published file less the one counted on the records, with the model
that `predict` chooses, for every protection; on the sets of columns of docs/accuracy.md
(`benchmarks.accuracy.subsets`), of each table and each number of columns the first one. Then how
long publishing takes. Fills its part of docs/accuracy.md.

Keys and noise are drawn anew, as they are for everybody: another run differs a little.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

import reidrisk as rr
from benchmarks import marked_page
from benchmarks.accuracy.real_tables import FILES, RealTable, load
from benchmarks.accuracy.subsets import RULES, Rule, subsets
from reidrisk.errors import ReidriskError

ROOT = Path(__file__).resolve().parents[1]
# Public tables that aren't part of the repository; docs/accuracy.md says where each can be had.
DATA = ROOT.parent / "shared" / "data"
BEGIN, END = "<!-- protections -->", "<!-- end of protections -->"
PLACE = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
PEOPLE = "(people)"

ROUNDED, EXACT_1, EXACT_2 = "rounded to 5", "exact, width 1", "exact, width 2"
UNPROTECTED, EPSILON_1 = "every count as it is", "epsilon 1"
PROTECTIONS: Mapping[str, Mapping[str, Any]] = {
    UNPROTECTED: {"unprotected": True},
    ROUNDED: {},
    EXACT_1: {"exact": True, "width": 1},
    EXACT_2: {"exact": True, "width": 2},
    "epsilon 10": {"epsilon": 10.0},
    EPSILON_1: {"epsilon": 1.0},
}
LARGE, MANY_ATTRIBUTES, PEOPLE_DRAWN = "census_kdd", 15, 100_000


class Price(NamedTuple):
    """One set of columns under one protection: predicted less counted; None where none is given."""

    table: str
    columns: int
    protection: str
    error: float | None


class Pace(NamedTuple):
    """Seconds of the processor that publishing takes, whatever else runs, and the goal if any."""

    table: str
    people: int
    attributes: int
    protection: str
    seconds: float
    at_most: float | None


def as_records(table: RealTable) -> rr.Table:
    """The columns as texts that are no numbers, each row for so many people."""
    held = {
        name: pa.DictionaryArray.from_arrays(codes, [f"v{value}" for value in values])
        for name, codes, values in zip(table.columns, table.codes.T, table.values, strict=True)
    }
    return rr.read(pa.table({**held, PEOPLE: table.people}), list(table.columns), count=PEOPLE)


def prices(rule: Rule, data: Path) -> Iterator[Price]:
    """Every protection on the first set of each number of columns."""
    whole = load(rule.table, data)
    for columns in first_of_each(subsets(rule, whole.columns)):
        table = as_records(whole.of(columns))
        counted = rr.measure(table).overall_risk
        for name, options in PROTECTIONS.items():
            predicted = predicted_risk(table, options)
            error = None if predicted is None else predicted - counted
            yield Price(rule.table, len(columns), name, error)


def first_of_each(sets: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """One set for each number of columns."""
    found: dict[int, tuple[str, ...]] = {}
    for columns in sets:
        found.setdefault(len(columns), columns)
    return list(found.values())


def predicted_risk(table: rr.Table, options: Mapping[str, Any]) -> float | None:
    """What a reader of the file predicts; None where it isn't published or can't be read."""
    try:
        return float(rr.predict(rr.publish(table, **options)).overall_risk)
    except ReidriskError as error:
        print(f"{', '.join(table.columns)}, {dict(options)}: {error}", file=sys.stderr, flush=True)
        return None


def paces(data: Path) -> Iterator[Pace]:
    """15 attributes of about 100,000 people, of three times as many, and a country."""
    most = {ROUNDED: 3.0, EXACT_1: 10.0, EXACT_2: 10.0, EPSILON_1: 10.0}
    large = load(LARGE, data)
    asked: list[tuple[RealTable, Mapping[str, float | None]]] = [
        (load("diabetes130", data), most),
        (some_people(large), most),
        (large, dict.fromkeys(most)),
        (load("belgium_2015", data), dict.fromkeys(most, 60.0)),
    ]
    for whole, goals in asked:
        part = whole.of(whole.columns[:MANY_ATTRIBUTES])
        for protection, at_most in goals.items():
            table = as_records(part)
            begin = time.process_time()
            rr.publish(table, **PROTECTIONS[protection])
            seconds = time.process_time() - begin
            yield Pace(whole.name, whole.n, len(part.columns), protection, seconds, at_most)


def some_people(table: RealTable) -> RealTable:
    """100,000 rows drawn, each of which is a person."""
    drawn = np.random.default_rng(0).permutation(len(table.codes))[:PEOPLE_DRAWN]
    return table.rows(drawn, table.people[drawn])


# -- what is said of them --------------------------------------------------------------------------


def mean_error(found: Iterable[Price]) -> float:
    """Of those that were predicted, either way."""
    errors = [abs(each.error) for each in found if each.error is not None]
    return sum(errors) / len(errors) if errors else float("nan")


def overall(found: Sequence[Price]) -> list[str]:
    """A row a protection, over all sets."""
    body = []
    for name in PROTECTIONS:
        own = [each for each in found if each.protection == name]
        errors = [each.error for each in own if each.error is not None]
        few = f"{len(own) - len(errors)} of {len(own)}"
        body.append([name, f"{mean_error(own):.4f}", f"{max(map(abs, errors)):.3f}",
                     f"{sum(errors) / len(errors):+.4f}", few])  # fmt: skip
    return marked_page.rows(
        ["protection", "ORR off by, mean", "most", "mean with sign", "sets not published"], body
    )


def by_table(found: Sequence[Price]) -> list[str]:
    """A row a table: the mean error under each protection, and the largest."""
    body = []
    for table in dict.fromkeys(each.table for each in found):
        cells = []
        for name in PROTECTIONS:
            own = [e for e in found if (e.table, e.protection) == (table, name)]
            errors = [abs(each.error) for each in own if each.error is not None]
            cells.append(f"{mean_error(own):.4f} ({max(errors):.3f})" if errors else "–")
        sets = len({each.columns for each in found if each.table == table})
        body.append([table, str(sets), *cells])
    return marked_page.rows(["ORR off by, mean (most)", "sets", *PROTECTIONS], body)


def goals(found: Sequence[Price]) -> list[str]:
    """What was asked for before it was measured."""
    mean = {name: mean_error(e for e in found if e.protection == name) for name in PROTECTIONS}
    large = [e for e in found if (e.table, e.protection) == (LARGE, EPSILON_1)]
    asked = [
        ("rounded to 5", "at most every count as it is + 0.003", mean[ROUNDED],
         mean[UNPROTECTED] + 0.003),
        ("exact, width 1", "at most 0.03", mean[EXACT_1], 0.03),
        ("exact, width 2", "at most 0.03", mean[EXACT_2], 0.03),
        (f"epsilon 1, {LARGE}", "at most 0.01", mean_error(large), 0.01),
    ]  # fmt: skip
    body = [[what, goal, f"{error:.4f}", reached(error <= most)]
            for what, goal, error, most in asked]  # fmt: skip
    return marked_page.rows(["mean error of ORR", "goal", "found", ""], body)


def durations(found: Sequence[Pace]) -> list[str]:
    """A row a table and protection."""
    body = []
    for each in found:
        goal, verdict = "–", ""
        if each.at_most is not None:
            goal, verdict = f"under {each.at_most:g} s", reached(each.seconds < each.at_most)
        what = f"{each.table}: {each.people:,} people, {each.attributes} attributes"
        body.append([what, each.protection, f"{each.seconds:.1f} s", goal, verdict])
    return marked_page.rows(["publishing", "protection", "took", "goal", ""], body)


def reached(is_it: bool) -> str:
    """As on the rest of the page."""
    return "reached" if is_it else "**missed**"


def lines(data: Path, kept_in: Path | None = None) -> list[str]:
    """Everything measured, as the page's block."""
    tables = [rule for rule in RULES if (data / FILES[rule.table]).exists()]
    found = [
        Price(*each)
        for rule in tables
        for each in kept(f"price-{rule.table}", lambda rule=rule: list(prices(rule, data)), kept_in)  # type: ignore[misc]
    ]
    took = [Pace(*each) for each in kept("pace", lambda: list(paces(data)), kept_in)]
    return [*overall(found), "", *goals(found), "", *by_table(found), "", *durations(took)]


def kept(name: str, work: Callable[[], Sequence[Any]], folder: Path | None) -> Sequence[Any]:
    """A part's figures, read where a folder has them, else measured and kept there."""
    path = None if folder is None else folder / f"{name}.json"
    if path is not None and path.exists():
        return list(json.loads(path.read_text(encoding="utf-8")))
    begin = time.process_time()
    found = work()
    print(f"{name}: {time.process_time() - begin:.0f} s", file=sys.stderr, flush=True)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def filled(page: str, measured: Sequence[str]) -> str:
    """The page with new tables between this command's marks; those of other commands stay."""
    if not PLACE.search(page):
        raise ValueError("the page has no place for what protections cost")
    block = "\n".join([BEGIN, *measured, END])
    return PLACE.sub(lambda _: block, page)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then write it where the page has its place."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.protections", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--keep", type=Path, help="folder of parts, measured once and kept")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "accuracy.md")
    asked = parser.parse_args(arguments)
    if not (asked.data / FILES[LARGE]).exists():
        raise SystemExit(f"the public tables aren't in {asked.data}: --data says where they are")
    page = asked.page.read_text(encoding="utf-8")
    asked.page.write_text(filled(page, lines(asked.data, asked.keep)), encoding="utf-8")


if __name__ == "__main__":
    main()
