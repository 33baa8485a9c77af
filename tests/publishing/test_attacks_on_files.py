"""Files that `publish` writes, attacked: no small count may be worked out from any of them.

Pinned: of all counts that a small cell may have by what the attacker knows, only one is left, and
it is 1 to m − 1. The attackers know the file, the program, and n as it is published.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.publishing import derivable_counts
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.derivable_counts import attacked
from reidrisk.publishing.publication import not_derivable, unnamed_values
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.wish import Wish
from reidrisk.statistics import Attribute, KeyedRounding, PairCounts
from tests.publishing.alternatives import Search, without_alternative
from tests.publishing.attackers import Programs, records_of, small_cells, without_small_cells
from tests.publishing.enumerated_tables import Tables, allows, counted_of, numbers_of
from tests.publishing.populations import KINDS, Population, population
from tests.publishing.reruns import Program

BELOW = 5
PROTECTIONS: dict[str, dict[str, Any]] = {
    "rounded": {},
    "rounded to 3": {"at_least": 3},
    "rounded to 10": {"at_least": 10},
    "exact, width 1": {"exact": True, "width": 1},
    "exact, width 2": {"exact": True, "width": 2},
}
# Of so many small cells of a rounded file one may need more changes than are tried.
ONE_UNPROVEN_OF = 5000
SEEDS = 40


def rounded(table: rr.Table, seed: int) -> RoundedCounts:
    """As `publish` makes it."""
    key = np.random.default_rng(seed).bytes(32)
    return not_derivable(CountedTables.of(table), key, Wish(at_least=BELOW))[0]


# -- linear programs and intervals -----------------------------------------------------------------


def three_of(kind: str, seed: int) -> Population:
    """Few combinations: the attribute that the kind is about, the one it goes with, and work."""
    made = population(kind, seed, 300)
    first = 1 if kind in ("band", "derived", "skip") else 0
    kept = [first, 3, 4]
    return Population(made.codes[:, kept], [made.sizes[i] for i in kept], [])


def ends(file: rr.Statistics, table: rr.Table, most: int, seed: int = 0) -> tuple[int, int]:
    """For how many of some small cells one number is left, and how many of these are wrong."""
    true = small_cells(table, file.published, file.small_below)
    drawn = np.random.default_rng(seed).permutation(len(true))[:most]
    cells = [list(true)[at] for at in drawn]
    left = Programs(file).ranges(cells)
    wrong = sum(not each.least - 1e-6 <= true[of] <= each.most + 1e-6
                for of, each in left.items() if each.whole < 2)  # fmt: skip
    return sum(each.whole < 2 for each in left.values()), wrong


@pytest.mark.parametrize("kind", ["hierarchy", "derived", "skip"])
def test_the_attackers_pin_a_file_whose_small_cells_are_only_left_out(kind: str) -> None:
    table = records_of(three_of(kind, 0))
    file = without_small_cells(rr.publish(table, unprotected=True), BELOW)
    pinned, wrong = ends(file, table, 1000)
    assert pinned >= 3
    assert wrong == 0
    assert derivable_counts(file).derived >= 3


def test_a_county_minus_its_other_postcodes() -> None:
    table = rr.read(rr.city())
    file = without_small_cells(rr.publish(table, unprotected=True), BELOW)
    found = derivable_counts(file)
    assert found.derived >= 20
    assert {"postcode"} & {name for pair in found.by_pair for name in pair}


def nothing_follows(kind: str, protection: str, seed: int, cells: int) -> None:
    table = records_of(three_of(kind, seed))
    file = rr.publish(table, **PROTECTIONS[protection])
    assert derivable_counts(file).derived == 0
    assert ends(file, table, cells, seed) == (0, 0)


@pytest.mark.parametrize("protection", PROTECTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_pin_nothing(kind: str, protection: str) -> None:
    nothing_follows(kind, protection, seed=0, cells=15)


@pytest.mark.slow
@pytest.mark.parametrize("protection", PROTECTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_pin_nothing_of_any_population(kind: str, protection: str) -> None:
    for seed in range(1, SEEDS):
        nothing_follows(kind, protection, seed, cells=6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_bounds_pin_nothing_of_whole_populations(kind: str) -> None:
    """Five attributes, the exact protections; those rounded are in the next section."""
    for seed in range(SEEDS):
        table = records_of(population(kind, seed))
        file = rr.publish(table, exact=True, width=1 + seed % 2)
        assert derivable_counts(file, seconds=10).derived == 0


@pytest.mark.slow
@pytest.mark.parametrize("base", [3, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_pin_nothing_of_few_people(kind: str, base: int) -> None:
    """120 people, whose rounding is large beside their counts."""
    for seed in range(SEEDS):
        made = population(kind, seed, 120)
        kept = [1 if kind in ("band", "derived", "skip") else 0, 3, 4]
        few = Population(made.codes[:, kept], [made.sizes[i] for i in kept], [])
        table = records_of(few)
        assert ends(rr.publish(table, at_least=base), table, 12, seed) == (0, 0)


# -- rounded files: other tables for which they are possible too -----------------------------------


def every_cell_may_be_another(table: rr.Table, seed: int) -> None:
    made = rounded(table, seed)
    assert derivable_counts(made.statistics(), seconds=10).derived == 0
    told = without_alternative(table, made, seed)
    assert told.small > 0
    assert told.unproven <= told.small / ONE_UNPROVEN_OF


@pytest.mark.parametrize("kind", KINDS)
def test_every_small_count_of_a_rounded_file_may_be_another(kind: str) -> None:
    every_cell_may_be_another(records_of(population(kind, 0)), 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_small_count_of_any_rounded_population_may_be_another(kind: str) -> None:
    for seed in range(1, SEEDS):
        every_cell_may_be_another(records_of(population(kind, seed)), seed)


def test_every_small_count_of_the_rounded_city_may_be_another() -> None:
    every_cell_may_be_another(rr.read(rr.city()), 0)


@pytest.mark.parametrize("kind", ["independent", "skip", "skewed"])
def test_the_other_tables_do_allow_the_file(kind: str) -> None:
    """Each change is made, and the file checked number by number; not every change allows it."""
    made = population(kind, 3, 300)
    table, key = records_of(made), bytes(range(32))
    search = Search(
        table, RoundedCounts(CountedTables.of(table), key, BELOW), np.random.default_rng(0)
    )
    codes = np.array([[int(str(search.counted.values[i][code])[1:]) for i, code in enumerate(row)]
                      for row in search.codes.tolist()])  # fmt: skip
    # Rows of the search are tuples; here each is one person of it.
    people = table.engine.coded_tuples(search.counted.names).each_once()[1]
    whole = np.repeat(codes, people, axis=0)
    first = np.cumsum(people) - people
    file = numbers_of(whole, made.sizes, key, BELOW)
    assert file is not None
    assert allows(file, whole, BELOW)
    for row, i, value in search.changes(100):
        other = whole.copy()
        other[first[row], i] = int(str(search.counted.values[i][value])[1:])
        assert allows(file, other, BELOW)
    rng, refused = np.random.default_rng(1), 0
    for _ in range(50):
        other = whole.copy()
        other[rng.integers(len(whole)), 0] = rng.integers(made.sizes[0])
        refused += not allows(file, other, BELOW)
    assert refused > 5


# -- the minimality attack -------------------------------------------------------------------------


def test_the_likelihood_of_a_rounded_file_is_how_often_it_comes() -> None:
    """The files that 3,000 keys make of one table are nearly all there are: they add up to 1."""
    records = Tables([2, 2], 20, 29, BELOW)
    truth = int(np.flatnonzero((records.rows == [6, 5, 5, 9]).all(axis=1))[0])
    codes, rng = records.records(truth), np.random.default_rng(5)
    files: dict[str, list[Any]] = {}
    for _ in range(3000):
        file = numbers_of(codes, [2, 2], rng.bytes(32), BELOW)
        assert file is not None
        files.setdefault(repr(file), [file, 0])[1] += 1
    likely = {}
    for name, (file, _) in files.items():
        rows, found = records.likelihood(file)
        likely[name] = float(found[rows == truth][0])
    assert 0.97 < sum(likely.values()) <= 1.0 + 1e-9
    for name, (_, times) in files.items():
        expected = 3000 * likely[name]
        assert abs(times - expected) < 5 * np.sqrt(expected) + 3


def nobody_is_sure(sizes: list[int], people: range, base: int, files: int, seed: int) -> float:
    """What is believed at most of any count, of files of random little tables."""
    records = Tables(sizes, people.start - base, people.stop - 2 + base, base)
    rng = np.random.default_rng(seed)
    some = [margin.min(axis=1) > 0 for margin in records.margins]
    drawn = np.flatnonzero(np.logical_and.reduce(some) & np.isin(records.people, people))
    most, done = 0.0, 0
    while done < files:
        truth = int(rng.choice(drawn))
        file = numbers_of(records.records(truth), sizes, rng.bytes(32), base)
        if file is None:
            continue
        done += 1
        for cell in records.believed(truth, file):
            assert cell.of_counts[cell.true] > 0
            assert (cell.of_counts > 0).sum() > 1
            most = max(most, float(cell.of_counts.max()))
    return most


def test_who_knows_all_tables_and_the_law_is_not_sure_of_any_small_count() -> None:
    assert 0.3 < nobody_is_sure([2, 3], range(15, 20), BELOW, files=20, seed=1) < 0.8


@pytest.mark.slow
def test_who_knows_all_tables_of_three_attributes_is_not_sure_either() -> None:
    assert 0.3 < nobody_is_sure([2, 2, 2], range(12, 15), BELOW, files=60, seed=2) < 0.8


def certain_cells(sizes: list[int], people: range, base: int, files: int, seed: int) -> list[int]:
    """Of files of random little tables that the attack before writing lets pass, and of those it
    doesn't: how many small counts are certain to who goes through all tables.
    """
    records = Tables(sizes, people.start - base, people.stop - 2 + base, base)
    rng = np.random.default_rng(seed)
    some = [margin.min(axis=1) > 0 for margin in records.margins]
    drawn = np.flatnonzero(np.logical_and.reduce(some) & np.isin(records.people, people))
    found, done = [0, 0], 0
    while done < files:
        truth, key = int(rng.choice(drawn)), rng.bytes(32)
        codes = records.records(truth)
        file = numbers_of(codes, sizes, key, base)
        if file is None:
            continue
        done += 1
        made = RoundedCounts(counted_of(codes), key, base)
        tells = any(
            attacked(made.statistics(), base, 10.0, known)[0].derived
            for known in ({}, unnamed_values(made))
        )
        found[tells] += sum((cell.of_counts > 0).sum() == 1
                            for cell in records.believed(truth, file))  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("sizes", "people", "base", "files"),
    [
        ([2, 2], range(18, 34), 3, 700),
        pytest.param([2, 2], range(26, 40), 4, 600, marks=pytest.mark.slow),
        pytest.param([2, 3], range(17, 19), 3, 1000, marks=pytest.mark.slow),
        pytest.param([2, 2, 2], range(12, 14), 3, 300, marks=pytest.mark.slow),
        pytest.param([3, 3], range(15, 16), 3, 300, marks=pytest.mark.slow),
    ],
)
def test_what_passes_the_attack_leaves_who_knows_all_tables_unsure(
    sizes: list[int], people: range, base: int, files: int
) -> None:
    """Small bases leave few tables: a cell whose number isn't its row's shows who is elsewhere."""
    passed, stopped = certain_cells(sizes, people, base, files, seed=1)
    assert passed == 0
    if base == 3:
        assert stopped > 0


def test_the_attack_knows_that_everybody_of_a_value_carries_its_number() -> None:
    """8 people rounded to 6, 7 of them to 9: the one who is left is derived."""
    attributes = (Attribute("a", {"p": 12, "q": 6}), Attribute("b", {"x": 12, "y": 9}))
    cells = PairCounts(("a", "b"), {("p", "x"): 12, ("q", "y"): 9})
    file = rr.Statistics(21, attributes, (cells,), protection=KeyedRounding(3))
    assert dict(derivable_counts(file).by_pair) == {("a", "b"): 1}


def pinned_by_reruns(program: Program, shape: tuple[int, int], people: int, files: int,
                     rounds: list[int], seed: int) -> tuple[int, int]:  # fmt: skip
    """How many small counts only one of the tables with the same file gives it, and of how many."""
    rng = np.random.default_rng(seed)
    done = pinned = cells = 0
    while done < files:
        shares = rng.dirichlet(np.full(shape[0] * shape[1], 0.7))
        table = rng.multinomial(people, shares).reshape(shape)
        if min(table.sum(axis=0).min(), table.sum(axis=1).min()) < program.at_least:
            continue
        done += 1
        found = program.attacked(table, rng, rounds)
        pinned += sum(each.pinned for each in found)
        cells += len(found)
    return pinned, cells


def test_without_chance_rerunning_the_program_pins_small_counts() -> None:
    pinned, cells = pinned_by_reruns(Program(3, 1, draws=False), (3, 4), 60, 40, [1], 1)
    assert pinned >= 2
    assert cells > 30


@pytest.mark.parametrize(
    ("files", "rounds"),
    [(3, [10, 50, 200]), pytest.param(12, [20, 100, 500], marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("width", [1, 2])
def test_rerunning_the_program_pins_nothing(files: int, rounds: list[int], width: int) -> None:
    pinned, cells = pinned_by_reruns(Program(3, width), (3, 4), 60, files, rounds, 2)
    assert cells > files / 2
    assert pinned == 0


# -- the same people under several names -----------------------------------------------------------


def test_the_same_people_of_several_attributes_are_rounded_once() -> None:
    """Whoever wasn't asked answered nothing: 24 names of one count, which could be averaged."""
    rng = np.random.default_rng(0)
    asked = rng.random(3000) < 0.6
    land = rng.choice(["a", "b", "c"], 3000)
    land[:14] = "rare"
    asked[:2], asked[2:14] = False, True
    held = {"land": land.tolist()}
    for k in range(24):
        held[f"q{k}"] = np.where(asked, rng.choice(["y", "n"], 3000), "not asked").tolist()
    file = rounded(rr.read(held, list(held), rows_are_people=True), 0).statistics()
    assert len({file.attribute(f"q{k}").counts["not asked"] for k in range(24)}) == 1
    cells = [file.pair("land", f"q{k}") for k in range(24)]
    assert len({cell.counts.get(("rare", "not asked"), 0) for cell in cells if cell}) == 1


# -- real tables -----------------------------------------------------------------------------------

MOST_VALUES, MOST_COLUMNS = 500, 15
NO_ATTRIBUTES = ("count", "instance_weight", "split", "PWGTP", "WGTP", "encounter_id")
# Tables, and which sets of fifteen columns.
REAL = {
    "adult/adult.parquet": (0,), "adult/adult_arx.parquet": (0,), "atus/atus.parquet": (0, 1),
    "be_motor97/be_motor97.parquet": (0,), "belgium_2015/belgium_2015.parquet": (0,),
    "census_kdd/census_kdd.parquet": (0, 1, 2), "diabetes130/diabetes130.parquet": (0, 1, 2),
    "natality2014/natality2014.parquet": (0, 1),
    "nist_national2019/national2019.parquet": (0, 1), "nl_pc4/nl_pc4.parquet": (0,),
    "ny_microdata/ny_10000.parquet": (0,), "rki_releases/rki_2020-04-07.parquet": (0,),
    "sdcmicro/free1.parquet": (0, 1), "sdcmicro/testdata.parquet": (0,),
    "sepsis_events/sepsis_events.parquet": (0,),
    "us_fertility1980/us_fertility1980.parquet": (0,), "us_military/us_military.parquet": (0,),
    "febrl4/febrl4a.parquet": (0,), "febrl4/febrl4b.parquet": (0,),
    "ny_microdata/ny_1000.parquet": (0,), "ny_microdata/ny_5000.parquet": (0,),
    "rki_releases/rki_2020-04-01.parquet": (0,), "rki_releases/rki_2020-04-06.parquet": (0,),
    "adult/adult_anonymized_k3.parquet": (0,), "adult/adult_anonymized_k10.parquet": (0,),
    "adult/adult_anonymized_k20.parquet": (0,),
}  # fmt: skip


def columns_of(path: Path, which: int) -> rr.Table:
    """Fifteen columns of few values, as texts that are no numbers."""
    held = pq.read_table(path)
    texts = {name: pc.fill_null(pc.cast(held[name].combine_chunks(), pa.string()), "(empty)")
             for name in held.column_names if name not in NO_ATTRIBUTES}  # fmt: skip
    few = [
        name
        for name, values in texts.items()
        if 2 <= pc.count_distinct(values).as_py() <= MOST_VALUES
    ]
    names = few[which * MOST_COLUMNS : (which + 1) * MOST_COLUMNS]
    table = pa.table({name: pc.binary_join_element_wise("v", texts[name], "") for name in names})
    if "count" not in held.column_names:
        return rr.read(table, names, rows_are_people=True)
    return rr.read(table.append_column("count", held["count"]), names, count="count")


@pytest.mark.slow
@pytest.mark.parametrize("file", REAL)
def test_every_small_count_of_rounded_real_tables_may_be_another(
    shared_data: Path, file: str
) -> None:
    for which in REAL[file]:
        table = columns_of(shared_data / file, which)
        made = rounded(table, which)
        assert derivable_counts(made.statistics(), seconds=10).derived == 0
        told = without_alternative(table, made, which)
        assert told.unproven <= told.small / ONE_UNPROVEN_OF


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("file", REAL)
def test_nothing_follows_from_exact_real_tables(shared_data: Path, file: str, width: int) -> None:
    table = columns_of(shared_data / file, 0)
    found = derivable_counts(rr.publish(table, exact=True, width=width), seconds=10)
    assert found.derived == 0
