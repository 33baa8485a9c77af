"""A report to be published: no value of a record, no small count, in any of its formats."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv as arrow_csv
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.input_hash import key_file
from reidrisk.reports.crowd_figures import ProtectedCrowds, crowd_figures
from reidrisk.reports.discretion import Discretion
from tests.reports import tables

COUNTED = re.compile(
    r"\b(?:[1-4]|one|two|three|four) (?:person|people|crowds?|of the [\d,]+ people)\b"
)


@pytest.fixture(scope="module")
def planted() -> rr.Report:
    return rr.report(rr.read(tables.planted()), publishable=True)


@pytest.fixture(scope="module")
def plain() -> rr.Report:
    return rr.report(rr.read(tables.planted()))


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_no_value_of_a_record(planted: rr.Report, kind: str) -> None:
    text = planted.written(kind)
    table = tables.planted()
    assert not any(rare in text for rare in tables.RARE)
    shown = tables.Seen(text).text if kind == "html" else text
    values = {value for name in ("town", "age") for value in table[name].to_pylist()}
    # Ages of two digits may be figures as well; towns and planted ages can't be anything else.
    certain = {value for value in values if not value.isdigit() or len(value) > 2}
    assert not [value for value in certain if value in shown]


def test_the_values_would_be_there_otherwise() -> None:
    held = rr.read({"town": ["Zyzzogeton"] * 30 + ["b"] * 70, "nr": [*range(30), *([99] * 70)]})
    assert "Zyzzogeton" in rr.report(held, title="x").to_markdown()
    assert "Zyzzogeton" not in rr.report(held, title="x", publishable=True).to_markdown()


def written(people: list[Path]) -> None:
    for at, path in enumerate(people):
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = ["age,sex", *(f"{20 + i % 7},{'fm'[i % 2]}" for i in range(at, 200 + at))]
        path.write_text("\n".join(lines))


def asked_for(path: Path | str, **options: Any) -> rr.Report:
    table = rr.read(path, columns=["age", "sex"], rows_are_people=True)
    return rr.report(table, publishable=True, time_limit=1.0, **options)


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_beside_rounded_statistics_it_is_refused(tmp_path: Path, engine: str) -> None:
    """Whether a file, its table, or the command line asks; for oneself it is made."""
    path = tmp_path / "people.csv"
    written([path])
    asked_for(path)
    key = tmp_path / "people.reidrisk-key"
    table = rr.read(path, columns=["age"], rows_are_people=True, engine=engine)
    held = rr.publish(table, key_file=key)
    for each in (path, table):
        with pytest.raises(InputError, match=r"rounded with people\.reidrisk-key"):
            rr.report(each, publishable=True, **({} if each is table else {"columns": ["age"]}))
    own = rr.report(table, time_limit=1.0)
    assert own.publishable is False
    own.save(tmp_path / "people.md")
    assert rr.report(held, publishable=True).publishable
    # Of another table there, and of one in memory, nothing is known.
    (tmp_path / "people.csv").rename(tmp_path / "others.csv")
    asked_for(tmp_path / "others.csv")


def test_of_several_files_any_key_of_such_a_table_counts(tmp_path: Path) -> None:
    parts = [tmp_path / "parts" / f"{at}.csv" for at in range(2)]
    written(parts)
    pattern = str(tmp_path / "parts" / "*.csv")
    table = rr.read({"other": ["a"] * 60, "columns": ["b"] * 60}, rows_are_people=True)
    rr.publish(table, key_file=tmp_path / "parts" / "foreign.reidrisk-key")
    asked_for(pattern)
    beside = asked_for(pattern)
    together = rr.read(pattern, columns=["age", "sex"], rows_are_people=True)
    rr.publish(together, key_file=tmp_path / "s.reidrisk-key")
    with pytest.raises(InputError, match=r"rounded with s\.reidrisk-key"):
        beside.save(tmp_path / "s.md")
    assert not (tmp_path / "s.md").exists()
    rr.publish(together, key_file=tmp_path / "parts" / "city.reidrisk-key")
    with pytest.raises(InputError, match=r"rounded with city\.reidrisk-key"):
        asked_for(pattern)


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_no_small_count(planted: rr.Report, kind: str) -> None:
    text = planted.written(kind)
    text = tables.Seen(text).text if kind == "html" else text
    assert not COUNTED.search(text)
    assert "fewer than 15" in text


def figures(told: Any) -> Iterator[tuple[float | None, str]]:
    if isinstance(told, dict):
        if set(told) == {"value", "text"}:
            yield told["value"], told["text"]
        for inner in told.values():
            yield from figures(inner)
    if isinstance(told, list):
        for inner in told:
            yield from figures(inner)


def test_every_figure_stands_for_many_or_nobody(planted: rr.Report, plain: rr.Report) -> None:
    people = planted.envelope.input.people
    shares = {key: told for key, (_, told) in planted.answer.figures.items() if "share" in key}
    for section in planted.sections:
        shares |= {k: v for k, v in section.figures.items() if "alone" in k or "crowds_of" in k}
    assert len(shares) > 6
    for told in shares.values():
        if told.value not in (None, 0, 1):
            held = told.value * people  # type: ignore[operator]
            assert held == pytest.approx(round(held / 10) * 10)
            assert 15 <= held <= people - 10
    assert any(told.value is None for told in shares.values())
    exact = [value for value, _ in figures(plain.to_dict())]
    assert None not in exact


def test_pictures_hold_no_small_count_either(planted: rr.Report) -> None:
    people, looked_at = planted.envelope.input.people, 0
    pictures = [picture for section in planted.sections for picture in section.pictures]
    for picture in [planted.answer.picture, *pictures]:
        rows = picture.draw(640).to_dict()["data"]["values"]
        for name in ("share", "worst", "mean"):
            for held in (row[name] * people for row in rows if name in row):
                looked_at += 1
                assert not any(held == pytest.approx(small) for small in range(1, 5))
                assert not any(held == pytest.approx(people - small) for small in range(1, 5))
    assert looked_at > 40


def test_warnings_and_notes_stay_at_home(tmp_path) -> None:  # type: ignore[no-untyped-def]
    arrow_csv.write_csv(tables.planted(), tmp_path / "people.csv")
    table = rr.read(tmp_path / "people.csv")
    assert rr.report(table).to_dict()["input"]["notes"]
    told = rr.report(table, publishable=True).to_dict()
    assert not told["input"]["notes"]
    assert not told["warnings"]
    assert str(tmp_path) not in str(told)


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_no_hash_and_no_name_of_a_file(command, tmp_path: Path, kind: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "clinic_of_dr_quokka.csv"
    arrow_csv.write_csv(tables.planted(), path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    asked = ("report", path, "--columns", "town,age,sex", "--format", kind)
    published = command(*asked, "--publishable").out
    kept = command(*asked).out
    assert "quokka" not in published
    assert "quokka" in kept
    # Nothing that an attacker could hold a guess against: no plain hash anywhere, no key.
    assert digest not in kept + published
    assert not re.search(r"[0-9a-f]{32}", published)
    key = bytes.fromhex(key_file().read_text())
    assert hmac.new(key, bytes.fromhex(digest), "sha256").hexdigest() in kept
    assert key_file().stat().st_mode & 0o777 == 0o600


def test_the_command_to_reproduce_names_no_file(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "quokka.csv"
    arrow_csv.write_csv(tables.planted(), path)
    for options in ((), ("--hierarchies", "no-quokka-here"), ("--title", "For all")):
        said = command("report", path, "--publishable", "--columns", "town,age,sex", *options)
        assert "quokka" not in said.out


def test_thresholds_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="whole number from 2"):
        rr.report(tables.safe(), publishable=True, at_least=1)
    with pytest.raises(InputError, match="needs at least 30 people"):
        rr.report(rr.read({"a": ["x"] * 29}), publishable=True)


@given(st.integers(60, 10_000), st.integers(2, 10), st.data())
def test_counts_are_classes(everyone: int, least: int, data: st.DataObject) -> None:
    amount = data.draw(st.integers(0, everyone))
    told = Discretion(everyone, least).people(amount)
    assert told.low <= amount <= told.high
    assert told.high >= 2 * least
    assert told.high - told.low >= 2 * least - 1
    if told.value is not None:
        assert told.value % (2 * least) == 0
        assert abs(told.value - amount) <= least


@given(st.integers(60, 10_000), st.integers(2, 10), st.data())
def test_shares_tell_no_more_than_counts(everyone: int, least: int, data: st.DataObject) -> None:
    amount = data.draw(st.integers(0, everyone))
    discretion = Discretion(everyone, least)
    count, share = discretion.people(amount), discretion.share(amount / everyone)
    assert (count.low, count.high, count.drawn) == (share.low, share.high, share.drawn)
    if share.value is not None:
        assert share.value == pytest.approx((count.value or 0) / everyone)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=60), st.integers(2, 6))
def test_what_is_told_is_so(each_crowd: list[int], least: int) -> None:
    crowds = CrowdSizes.of(each_crowd)
    assume(crowds.people >= 6 * least)
    figures = crowd_figures(crowds, Discretion(crowds.people, least))
    assert isinstance(figures, ProtectedCrowds)
    for k in figures.sizes:
        people, told = sum(s for s in each_crowd if s >= k), figures.at_least(k)
        assert told is not None
        assert told.low - 1e-6 <= people <= told.high + 1e-6
    low, high = (float(part) for part in re.findall(r"([\d.]+) %", figures.overall_risk.text)[1:])
    assert low - 1e-6 <= 100 * crowds.overall_risk <= high + 1e-6
    assert sum(each.share for each in figures.bins()) == pytest.approx(1, abs=0.51)
    assert sum(part.share for part in figures.parts()) == pytest.approx(1)


def test_without_discretion_all_is_told() -> None:
    told = Discretion(1000)
    assert told.people(3).text == "3"
    assert told.share(0.003).value == 0.003
    assert told.least(1).text == "1"
    assert told.risk_of(4).value == 0.25
    assert Discretion(1000, 5).risk_of(4).value is None
    assert Discretion(1000, 5).people(3).text == "fewer than 15"
    assert Discretion(1000, 5).least(14).value == 10
