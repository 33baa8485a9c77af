"""`releases` on tables, compared with going through people one after the other."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from tests.places import sqlite
from tests.places.cluster import Cluster
from tests.places.postgres import Postgres
from tests.republication import plainly_compared as plain
from tests.republication.plainly_compared import sizes

# The same person has one row; values are few, so that combinations meet.
people = st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", None]))
ROWS = st.lists(people, max_size=14).map(lambda rows: [("a", "x"), *rows])
COLUMNS = ["one", "two"]


def table_of(rows: list[tuple[str, str | None]]) -> dict[str, list[str | None]]:
    return {"one": [a for a, _ in rows], "two": [b for _, b in rows]}


def compare(found: rr.ReleasesRisk, wanted: plain.Plain) -> None:
    assert sizes(found.added) == wanted.added
    assert sizes(found.removed) == wanted.removed
    assert found.alone_in_difference_only == wanted.alone_only
    if found.changed is not None:
        assert sizes(found.changed) == wanted.changed


@given(st.lists(ROWS, min_size=2, max_size=4), st.integers(2, 4))
def test_each_release_against_all_before_it(
    drawn: list[list[tuple[str, str | None]]], k: int
) -> None:
    found = rr.releases(*map(table_of, drawn), columns=COLUMNS, k=k)
    compare(found, plain.by_counts(drawn, k))
    for at, step in enumerate(found.steps, 2):
        told = rr.releases(*map(table_of, drawn[:at]), columns=COLUMNS, k=k)
        assert sizes(step.added) == sizes(told.added)
        assert step.alone_only == told.alone_in_difference_only
    assert found.release == rr.measure(table_of(drawn[-1]), columns=COLUMNS).crowd_sizes


@given(st.lists(ROWS, min_size=2, max_size=2))
def test_backwards_who_came_has_left(drawn: list[list[tuple[str, str | None]]]) -> None:
    one, other = map(table_of, drawn)
    forth = rr.releases(one, other, columns=COLUMNS)
    back = rr.releases(other, one, columns=COLUMNS)
    assert (forth.added, forth.removed) == (back.removed, back.added)
    assert forth.alone_in_difference_only == back.alone_in_difference_only
    change = forth.added.people - forth.removed.people
    assert change == len(drawn[1]) - len(drawn[0])


# A person has several rows, in any order.
PERSONS = st.dictionaries(
    st.sampled_from("pqrstuvw"), st.lists(people, min_size=1, max_size=3), max_size=8
).map(lambda held: {"always": [("a", "x"), ("b", "y")], **held})


def rows_of(held: dict[str, list[tuple[str, str | None]]]) -> dict[str, list[str | None]]:
    listed = [(person, *row) for person, rows in held.items() for row in rows]
    return {
        "id": [person for person, *_ in listed],
        "one": [row[1] for row in listed],
        "two": [row[2] for row in listed],
    }


@given(st.lists(PERSONS, min_size=2, max_size=4), st.integers(2, 3))
def test_persons_are_followed_by_their_key(
    drawn: list[dict[str, list[tuple[str, str | None]]]], k: int
) -> None:
    found = rr.releases(*map(rows_of, drawn), columns=COLUMNS, person="id", k=k)
    combined = [
        {person: tuple(sorted(map(repr, rows))) for person, rows in each.items()} for each in drawn
    ]
    compare(found, plain.by_persons(combined, k))
    told = rr.measure(rows_of(drawn[-1]), columns=COLUMNS, person="id")
    assert found.release == told.crowd_sizes


def test_people_who_swap_are_seen_by_their_key_alone() -> None:
    """Counts show net changes: nobody seems to have come."""
    before = {"id": ["p", "q", "r"], "age": ["1", "2", "2"]}
    after = {"id": ["p", "q", "r"], "age": ["2", "1", "2"]}
    by_counts = rr.releases(before, after, columns=["age"])
    assert (by_counts.added.people, by_counts.removed.people) == (0, 0)
    by_key = rr.releases(before, after, columns=["age"], person="id")
    assert by_key.changed is not None
    assert (by_key.changed.people, by_key.changed.alone.people) == (2, 2)


FIRST = [("a", "x")] * 6 + [("b", "y")] * 3 + [("b", None)]
SECOND = [("a", "x")] * 7 + [("b", "y")] * 3 + [("a", "y")] * 2
WANTED = plain.by_counts([FIRST, SECOND], 5)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("form", ["csv", "parquet", "memory"])
def test_every_engine_here(tmp_path: Path, engine: str, form: str) -> None:
    read = []
    for name, rows in (("first", FIRST), ("second", SECOND)):
        held: object = pa.table(table_of(rows))
        if form == "csv":
            held = tmp_path / f"{name}.csv"
            arrow_csv.write_csv(pa.table(table_of(rows)), held)
        elif form == "parquet":
            held = tmp_path / f"{name}.parquet"
            pq.write_table(pa.table(table_of(rows)), held)
        read.append(held)
    found = rr.releases(*read, columns=COLUMNS, engine=engine)
    compare(found, WANTED)
    named = ["release 1", "release 2"] if form == "memory" else ["first", "second"]
    assert [each.name for each in found.compared] == named


CORRECTED = {"one": ["a", "a", "b", "b"], "two": ["x", "x", "y", "z"], "n": [3, -1, 2, -2]}
BEFORE = {"one": ["a", "b"], "two": ["x", "y"], "n": [2, 2]}


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_negative_rows_are_left_out_and_said(engine: str) -> None:
    found = rr.releases(BEFORE, CORRECTED, columns=COLUMNS, count="n", engine=engine)
    assert (sizes(found.added), sizes(found.removed)) == ([1], [])
    assert found.release.people == 5
    (said,) = (each for each in found.warnings if "negative" in each)
    assert "release 2: 2 rows have a negative n (3 people in all)" in said
    with pytest.raises(rr.UnusableColumn, match="negative number"):
        rr.measure(CORRECTED, columns=COLUMNS, count="n", engine=engine)


def test_negative_rows_in_a_database(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
    address = sqlite.write(tmp_path / "held.db", "corrected", pa.table(CORRECTED))
    told = {"columns": COLUMNS, "count": "n"}
    with rr.read(address, table_name="corrected", corrections=True, **told) as there:
        found = rr.releases(rr.read(BEFORE, **told), there)
        assert (sizes(found.added), sizes(found.removed)) == ([1], [])
        assert any("2 rows have a negative n" in each for each in found.warnings)
    with pytest.raises(rr.UnusableColumn, match="negative number"):
        rr.read(address, table_name="corrected", **told)


def test_persons_in_a_database_are_refused_with_the_reason(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
    held = pa.table({"id": ["p", "q"], "one": ["a", "b"], "two": ["x", "y"]})
    address = sqlite.write(tmp_path / "held.db", "held", held)
    told = {"columns": COLUMNS, "person": "id"}
    with (
        rr.read(address, table_name="held", **told) as there,
        pytest.raises(rr.InputError, match="added, removed and changed needs the records"),
    ):
        rr.releases(rr.read(held, **told), there)


def refused(match: str, *tables: object, **options: object) -> None:
    with pytest.raises(rr.InputError, match=match):
        rr.releases(*tables, **options)


def test_bad_input(tmp_path: Path) -> None:
    one, other = table_of(FIRST), table_of(SECOND)
    refused("one release has no difference", one)
    refused("k is a whole number", one, other, k=1)
    place, copy = tmp_path / "held.csv", tmp_path / "copy.csv"
    arrow_csv.write_csv(pa.table(one), place)
    copy.write_bytes(place.read_bytes())
    refused("the same file is named twice", place, place)
    refused("byte by byte", place, copy)
    refused("no quasi-identifier in common", {"age": [1, 2]}, other)
    refused("there is no two", {"one": ["a", "b"]}, other)
    with pytest.raises(rr.InputError, match=r"by what both have: columns=.'one'"):
        rr.releases({"one": ["a", "b"]}, other)
    refused("empty cell matches anything", one, other, missing="wildcard")
    read = [rr.read(one, columns=["one"]), rr.read(other, columns=COLUMNS)]
    refused("read by different columns: only one of them has two", *read)
    refused("read otherwise", rr.read({"a": [1, 2]}, bands={"a": 5}), rr.read({"a": [1, 2]}))


def test_different_codings_are_counted_and_never_quoted() -> None:
    plainly = {"sex": ["f", "m", "f"], "age": ["1", "1", "2"]}
    coded = {"sex": ["secret1", "secret2", "secret2"], "age": ["1", "2", "2"]}
    with pytest.raises(rr.InputError) as caught:
        rr.releases(plainly, coded)
    said = str(caught.value)
    assert "'sex': no value is in both release 1 (2 values) and release 2 (2 values)" in said
    assert "secret" not in str(caught.value)
    partly = {"sex": ["f", "secret2", "secret2"], "age": ["1", "2", "2"]}
    (said,) = (each for each in rr.releases(plainly, partly).warnings if each.startswith("sex"))
    assert "1 of the 2 values in release 1 (33.3 % of its people) don't occur in release 2" in said
    assert "1 of the 2 values in release 2 (66.7 % of its people)" in said
    assert "secret" not in said


def test_releases_of_different_people_are_said_to_be() -> None:
    one = {"id": ["p", "q"], "age": ["1", "2"]}
    other = {"id": ["s", "t"], "age": ["1", "2"]}
    refused("no person of release 2 is in release 1", one, other, columns=["age"], person="id")
    apart = rr.releases({"age": ["1"] * 9 + ["2"]}, {"age": ["1"] + ["2"] * 9})
    assert any(each.startswith("At most 2 of 10 people are in both") for each in apart.warnings)


def test_the_wrong_order_is_noticed() -> None:
    small, large = {"age": ["1"] * 20}, {"age": ["1"] * 40 + ["2"] * 2}
    assert any("name the earliest first" in each for each in rr.releases(large, small).warnings)
    assert rr.releases(small, large).warnings == ()


def test_more_codes_than_a_key_holds_meet_all_the_same() -> None:
    """Packed keys are renumbered on the way, for all releases together."""
    wide = {f"c{j}": [str((i * (j + 3)) % 97) for i in range(120)] for j in range(14)}
    more = {name: [*values, values[0]] for name, values in wide.items()}
    found = rr.releases(wide, more)
    assert (sizes(found.added), sizes(found.removed)) == ([1], [])


def test_negative_rows_in_postgresql(postgres: Postgres) -> None:
    postgres.write("before", pa.table(BEFORE))
    postgres.write("corrected", pa.table(CORRECTED))
    found = rr.releases(
        postgres.address, postgres.address, columns=COLUMNS, count="n",
        table_name=["before", "corrected"],
    )  # fmt: skip
    assert (sizes(found.added), sizes(found.removed)) == ([1], [])
    assert any("2 rows have a negative n" in each for each in found.warnings)


def test_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    """Both releases are asked about in one session, and neither takes the other's place."""
    for name, rows in (("before", BEFORE), ("corrected", CORRECTED)):
        pq.write_table(pa.table(rows), tmp_path / f"{name}.parquet")
    read = [str(tmp_path / f"{name}.parquet") for name in ("before", "corrected")]
    found = rr.releases(*read, columns=COLUMNS, count="n", engine=cluster.address)
    assert (sizes(found.added), sizes(found.removed)) == ([1], [])
    assert any("2 rows have a negative n" in each for each in found.warnings)
