"""`reidrisk population`: what it prints, what it writes, its exit status, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import reidrisk as rr

COLUMNS = ("--columns", "county,age,sex,occupation")
DRAWN = (*COLUMNS, "--population", 60_000)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sample") / "sample.csv"
    people = rr.city(1500)
    weights = [30.0 + (row % 3) * 10 for row in range(len(people))]
    houses = [f"h{row // 2}" for row in range(len(people))]
    people = people.append_column("w", pa.array(weights))
    pacsv.write_csv(people.append_column("house", pa.array(houses)), place)
    return place


def test_what_it_prints_and_its_json(command: Callable, sample: Path) -> None:
    said = command("population", sample, *DRAWN)
    assert said.status == 0
    assert "1,500 people sampled of 60,000" in said.out
    for words in ("sample uniques", "population uniques, τ1", "90 % interval", "journalist",
                  "prosecutor", "marketer"):  # fmt: skip
        assert words in said.out
    told = command("population", sample, *DRAWN, "--panel", "--json").json
    held = told["population"]
    assert (held["size"], held["sampled"]) == (60_000, 1500)
    for figure in (held["tau1"], held["tau2"], held["alone"]["people"], held["alone"]["share"],
                   held["overall_risk"], held["highest_risk"]):  # fmt: skip
        low, high = figure["interval"]
        assert low <= figure["value"] <= high
    assert held["tau1"]["value"] <= told["sample"]["alone"]["people"]
    assert set(told["panel"]) >= {"ewens", "pitman", "zayatz", "snb", "dankar", "main_effects"}
    assert told["seed"] == 0
    assert told["model"] == "calibrated laws"
    assert told["fit"]["ended"] == "converged"


def test_the_panel_and_households_are_printed(command: Callable, sample: Path) -> None:
    said = command("population", sample, *DRAWN, "--panel", "--household", "house")
    for words in ("Dankar's rule (ARX)", "Benedetti–Franconi", "this answer", "750 households"):
        assert words in said.out


def test_a_limit_is_judged_in_the_population(command: Callable, sample: Path) -> None:
    assert command("population", sample, *DRAWN, "--fail-above", "overall_risk=0.9").status == 0
    said = command("population", sample, *DRAWN, "--fail-above", "overall_risk=0.001")
    assert said.status == 1
    assert "Not met: overall_risk is" in said.err
    said = command("population", sample, *DRAWN, "--fail-above", "lowest_risk=0.001")
    assert said.status == 2
    assert "isn't estimated for the population" in said.err


def test_the_risk_file_names_records_by_a_key(
    command: Callable, sample: Path, tmp_path: Path
) -> None:
    place = tmp_path / "risks.csv"
    options = (*COLUMNS, "--weight", "w", "--risk-file", place)
    said = command("population", sample, *options)
    assert said.status == 0
    assert str(place) in said.out
    names = place.read_text().splitlines()[0].split(",")
    assert names == ["row", "crowd", "risk", "population_unique", "population_risk",
                     "individual_risk"]  # fmt: skip
    said = command("population", sample, *options, "--key", "postcode", "--force")
    assert said.status == 0
    assert place.read_text().startswith("postcode,")
    assert len(place.read_text().splitlines()) == 1501
    said = command("population", sample, *DRAWN, "--risk-file", sample, "--force")
    assert said.status == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--population N, --fraction F or --weight COL"),
        (("--population", 5), "the sample alone has 1,500 people"),
        (("--fraction", 2), "above 0 and at most 1"),
        (("--population", 60_000, "--fraction", 0.1), "both say how large it is"),
        (("--weight", "nowhere"), "nowhere"),
        (("--weight", "house"), "no positive number"),
        (("--population", 60_000, "--key", "house"), "--risk-file isn't given"),
        (("--population", 60_000, "--missing", "wildcard"), "no crowds"),
        (("--population", 60_000, "--engine", "duckdb", "--household", "house"), "in memory"),
    ],
)
def test_what_it_refuses(
    command: Callable, sample: Path, options: tuple[object, ...], said: str
) -> None:
    found = command("population", sample, *COLUMNS, *options)
    assert found.status == 2
    assert said in found.err


def test_counted_on_disk_it_says_the_same(command: Callable, sample: Path) -> None:
    here = command("population", sample, *DRAWN, "--json").json
    there = command("population", sample, *DRAWN, "--engine", "duckdb", "--json").json
    assert here["population"] == there["population"]
    assert here["sample"] == there["sample"]


def test_publish_takes_equal_weights_and_refuses_others(
    command: Callable, sample: Path, tmp_path: Path
) -> None:
    said = command("publish", sample, *COLUMNS, "--weight", "w", "-o", tmp_path / "s.json")
    assert said.status == 2
    assert "the weights differ" in said.err
    assert "reidrisk population" in said.err
    equal = tmp_path / "equal.csv"
    table = pacsv.read_csv(sample).drop_columns(["w"])
    pacsv.write_csv(table.append_column("w", pa.array([40.0] * len(table))), equal)
    said = command("publish", equal, *COLUMNS, "--weight", "w", "-o", tmp_path / "s.json")
    assert said.status == 0
    assert rr.load_statistics(tmp_path / "s.json").sample_of == 60_000


def test_a_report_has_a_section_of_it_but_none_to_publish(command: Callable, sample: Path) -> None:
    said = command("report", sample, *DRAWN, "--format", "md")
    assert said.status == 0
    assert "## In the population" in said.out
    assert "journalist" in said.out
    said = command("report", sample, *DRAWN, "--format", "md", "--publishable")
    assert "## In the population" not in said.out


def test_words_of_the_field_lead_here(command: Callable) -> None:
    for word in ("popuniques", "journalist", "k-map", "pitman", "indivRisk"):
        assert "did you mean 'population'?" in command(word).err


def test_attack_and_person_answer_for_the_population_too(
    command: Callable, sample: Path, tmp_path: Path
) -> None:
    told = command("attack", sample, *DRAWN, "--json").json
    assert told["people"] == 60_000
    assert told["model"] == "calibrated laws"
    values = ("county=Eastvale", "age=40", "sex=female")
    said = command("person", sample, *values, *DRAWN)
    assert said.status == 0
    assert "of the population" in said.out
    assert command("person", sample, *values, *DRAWN, "--json").json["intervals"]["risk"][0] > 0
    refused = command("attack", sample, *DRAWN, "--risk-file", tmp_path / "risk.csv")
    assert refused.status == 2
    assert "population --risk-file" in refused.err
    statistics = tmp_path / "statistics.json"
    assert command("publish", sample, *DRAWN, "--unprotected", "-o", statistics).status == 0
    for asked in (("attack", statistics), ("person", statistics, *values)):
        assert command(*asked, "--population", 60_000).status == 2
