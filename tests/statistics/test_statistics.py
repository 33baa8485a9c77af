"""Statistics: the object, its file, and every way it can disagree with itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError, UnreadableInput
from reidrisk.records.text_forms import text_form
from reidrisk.statistics import statistics_file
from reidrisk.statistics.consistency import InconsistentStatistics, disagreements, merged
from reidrisk.statistics.example_statistics import example_statistics
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed
from reidrisk.statistics.statistics_file import FileShape, load_statistics, save_statistics

SCHEMA = Path(rr.__file__).parent / "statistics" / "statistics.schema.json"


def good() -> dict[str, Any]:
    return {
        "format": "reidrisk-statistics/1",
        "records": 10,
        "attributes": [
            {"name": "sex", "counts": {"f": 6, "m": 4}},
            {"name": "age", "counts": {"17": 3, "18": 5}, "missing": 2},
        ],
        "pairs": [{"of": ["sex", "age"], "counts": [["f", "17", 2], ["m", None, 1]]}],
    }


def written(folder: Path, content: Any) -> Path:
    path = folder / "statistics.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def changed(path: str, value: Any) -> dict[str, Any]:
    held: Any = good()
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    place = held
    for step in steps:
        place = place[step]
    place[last] = value
    return held


FAULTS: dict[str, tuple[Any, str]] = {
    "too few": (changed("attributes/0/counts/f", 5), "add up to 9, fewer than the 10 records"),
    "too many": (changed("attributes/0/counts/f", 7), "add up to 11, more than the 10 records"),
    "row": (changed("pairs/0/counts/0/2", 4), "add up to 4, more than the 3 people"),
    "unknown value": (changed("pairs/0/counts/0/1", "19"), "'age' has no value '19'"),
    "unknown attribute": (changed("pairs/0/of", ["sex", "size"]), "no attribute 'size'"),
    "itself": (changed("pairs/0/of", ["sex", "sex"]), "can't be paired with itself"),
    "negative": (changed("attributes/0/counts/f", -1), "attributes.0.counts.f"),
    "fraction": (changed("attributes/0/counts/f", 1.5), "attributes.0.counts.f"),
    "not a number": (changed("attributes/0/counts/f", "six"), "attributes.0.counts.f"),
    "true": (changed("attributes/0/counts/f", True), "attributes.0.counts.f"),
    "no records": (changed("records", 0), "records"),
    "sample": (changed("sample_of", 9), "10 records can't be a sample of 9"),
    "attribute twice": (changed("attributes/1/name", "sex"), "'sex' is listed 2 times"),
    "cell twice": (changed("pairs/0/counts/1", ["f", "17", 1]), "lists 1 cells twice"),
    "strange key": (changed("colour", "red"), "colour"),
    "other of nobody": (
        changed("attributes/0/other", {"count": 0, "values": 2}),
        "merges 2 values",
    ),
    "nothing": ({"format": "reidrisk-statistics/1"}, "records"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_named(tmp_path: Path, fault: str) -> None:
    content, words = FAULTS[fault]
    with pytest.raises(InputError) as told:
        load_statistics(written(tmp_path, content))
    assert words in told.value.message


UNREADABLE: dict[str, tuple[str, str]] = {
    "another format": ('{"format": "other/2"}', "has the format 'other/2'"),
    "no format": ('{"records": 3}', "isn't a statistics file"),
    "a list": ("[1, 2]", "isn't a statistics file"),
    "cut off": ('{"format": ', "line 1 isn't JSON"),
    "nested": ('{"format": ' + "[" * 100_000, "nested too deeply"),
    "a value twice": ('{"format": "reidrisk-statistics/1", "counts": {"a": 1, "a": 2}}', "twice"),
}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_what_is_no_statistics_file(tmp_path: Path, fault: str) -> None:
    content, words = UNREADABLE[fault]
    with pytest.raises(UnreadableInput) as told:
        load_statistics(written(tmp_path, content))
    assert words in told.value.message


def test_files_that_are_missing_or_huge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableInput, match="there is no file"):
        load_statistics(tmp_path / "none.json")
    monkeypatch.setattr(statistics_file, "LARGEST_BYTES", 10)
    with pytest.raises(UnreadableInput, match="too large"):
        load_statistics(written(tmp_path, good()))


def test_several_faults_are_all_told(tmp_path: Path) -> None:
    content = changed("attributes/0/counts/f", 5)
    content["attributes"][1]["missing"] = 9
    with pytest.raises(InconsistentStatistics) as told:
        load_statistics(written(tmp_path, content))
    assert len(told.value.disagreements) == 2


def test_rounding_and_suppression_leave_room() -> None:
    rounded = Statistics(1003, (Attribute("a", {"x": 500, "y": 505}),), rounded_to=5)
    assert disagreements(rounded) == []
    far = Statistics(1020, (Attribute("a", {"x": 500, "y": 505}),), rounded_to=5)
    assert "fewer than the 1,020" in disagreements(far)[0]
    held_back = Statistics(10, (Attribute("a", {"x": 6, "y": Suppressed(5)}),))
    assert disagreements(held_back) == []
    too_low = Statistics(12, (Attribute("a", {"x": 6, "y": Suppressed(5)}),))
    assert "at most 10, fewer than the 12" in disagreements(too_low)[0]
    assert disagreements(Statistics(12, (Attribute("a", {"x": 6, "y": Suppressed()}),))) == []


def test_a_whole_pair_table_has_to_agree_exactly() -> None:
    attributes = (Attribute("a", {"x": 6, "y": 4}), Attribute("b", {"p": 5, "q": 5}))
    right = {("x", "p"): 5, ("x", "q"): 1, ("y", "q"): 4}
    assert disagreements(Statistics(10, attributes, (PairCounts(("a", "b"), right),))) == []
    wrong = {("x", "p"): 4, ("x", "q"): 2, ("y", "q"): 4}
    told = disagreements(Statistics(10, attributes, (PairCounts(("a", "b"), wrong),)))
    assert any("fewer than the 5 people" in each for each in told)
    assert any("more than the 5 people" in each for each in told)


names = st.sampled_from(["age", "sex", "größe", "a b"])
labels = st.text(min_size=1, max_size=4).filter(lambda text: text_form(text) == text)
counts = st.dictionaries(labels, st.integers(0, 50), min_size=1)


@given(st.data())
def test_saved_and_loaded_is_the_same(data: st.DataObject) -> None:
    import tempfile

    first, second = data.draw(counts), data.draw(counts)
    records = max(sum(first.values()), sum(second.values()), 1)
    attributes = (
        Attribute("a", {**first}, records - sum(first.values())),
        Attribute("b", {**second}, 0, Other(records - sum(second.values()), 0)),
    )
    values = st.tuples(st.sampled_from([*first, None]), st.sampled_from(list(second)))
    cells = data.draw(st.dictionaries(values, st.just(0) | st.just(Suppressed(5)), max_size=5))
    held = Statistics(records, attributes, (PairCounts(("a", "b"), cells),), "t", records * 2, None)
    with tempfile.TemporaryDirectory() as folder:
        save_statistics(held, Path(folder) / "s.json")
        assert load_statistics(Path(folder) / "s.json") == held


def test_files_about_the_same_people(tmp_path: Path) -> None:
    one = Statistics(10, (Attribute("a", {"x": 6, "y": 4}),))
    two = Statistics(10, (Attribute("a", {"x": 6, "y": 4}), Attribute("b", {"p": 10})))
    assert merged([one, two]).names == ("a", "b")
    other = Statistics(11, (Attribute("a", {"x": 7, "y": 4}),))
    with pytest.raises(InconsistentStatistics) as told:
        merged([one, other])
    assert "one file has 10 records, another 11" in told.value.message
    assert "disagree about attribute 'a'" in told.value.message


def test_parts_of_a_pair_table_from_two_files() -> None:
    attributes = (Attribute("a", {"20-24": 6, "25+": 4}), Attribute("b", {"p": 5, "q": 5}))
    one = Statistics(10, attributes, (PairCounts(("a", "b"), {("20-24", "p"): 3}),))
    two = Statistics(10, attributes, (PairCounts(("b", "a"), {("q", "[20-25)"): 3}),))
    both = merged([one, two]).pair("a", "b")
    assert both is not None
    assert dict(both.counts) == {("20-24", "p"): 3, ("20-24", "q"): 3}
    two = Statistics(10, attributes, (PairCounts(("b", "a"), {("p", "20-24"): 4}),))
    with pytest.raises(InconsistentStatistics, match="3 people in one, 4 in another"):
        merged([one, two])


def test_a_pair_is_found_either_way() -> None:
    held = example_statistics()
    turned = held.pair("age", "sex")
    assert turned is not None
    assert turned.counts["18-24", "female"] == 12
    assert held.pair("sex", "sex") is None
    with pytest.raises(InputError, match="there are: sex, age"):
        held.attribute("size")


def test_r3a_worked_example() -> None:
    """Eqs. 16 and 17, and the ORR of 5/6 of the shuffled table that follows them."""
    statistics = Statistics(
        6,
        (
            Attribute("a", {"1": 2, "2": 3, "3": 1}),
            Attribute("b", {"1": 3, "2": 3}),
            Attribute("c", {"1": 2, "2": 2, "3": 2}),
        ),
    )
    assert statistics.avfm().tolist() == [[2, 3, 2], [3, 3, 2], [1, 0, 2]]
    assert statistics.standard_data_set().T.tolist() == [
        [1, 1, 2, 2, 2, 3], [1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 3, 3],
    ]  # fmt: skip
    shuffled = np.array([[2, 1, 1, 2, 3, 2], [2, 1, 1, 2, 1, 2], [3, 2, 3, 1, 2, 1]])
    table = {name: column.tolist() for name, column in zip("abc", shuffled, strict=True)}
    assert rr.measure(table).overall_risk == pytest.approx(5 / 6)


def test_r3a_table_1_corrected() -> None:
    """Age 25 occurs three times, so the first column of eq. 4 is 1, 3, 1 of n = 5."""
    held = Statistics(5, (Attribute("age", {"22": 1, "25": 3, "30": 1}),))
    assert held.avfm()[:, 0].tolist() == [1, 3, 1]
    with pytest.raises(ValueError, match="no single value"):
        Statistics(5, (Attribute("age", {"22": 1}, 0, Other(4, 2)),)).avfm()


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=1, max_size=4))
def test_statistics_of_an_avfm(columns: list[list[int]]) -> None:
    """The way back from a matrix of counts, zeros below the shorter columns."""
    people = max(map(sum, columns)) + 1
    held = [[each for each in column if each] + [people - sum(column)] for column in columns]
    matrix = np.zeros((max(map(len, held)), len(held)), dtype=int)
    for place, column in enumerate(held):
        matrix[: len(column), place] = column
    made = Statistics.of_avfm(matrix)
    assert made.records == people
    assert made.avfm().tolist() == matrix.tolist()
    assert not disagreements(made)


def test_a_matrix_that_is_no_avfm() -> None:
    assert Statistics.of_avfm([[1, 2], [0, 1], [2, 0]], ["x", "y"]).names == ("x", "y")
    for wrong, said in (
        ([[1, 2]], "add up to 1, 2|same people"),
        ([[-1, 1], [3, 1]], "negative"),
        ([1, 2], "matrix"),
        ([[0.5], [0.5]], "whole"),
        ([[0, 0]], "at least one"),
    ):
        with pytest.raises(InputError, match=said):
            Statistics.of_avfm(wrong)
    with pytest.raises(InputError, match="different names"):
        Statistics.of_avfm([[1, 1]], ["x", "x"])


def test_the_schema_is_published() -> None:
    published = json.loads(SCHEMA.read_text())
    made = FileShape.model_json_schema()
    assert {k: v for k, v in published.items() if k not in ("$schema", "title")} == {
        k: v for k, v in made.items() if k != "title"
    }


def test_the_example_is_consistent(tmp_path: Path) -> None:
    save_statistics(example_statistics(), tmp_path / "s.json")
    assert load_statistics(tmp_path / "s.json") == example_statistics()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable:
    from reidrisk.cli.main import reidrisk as group

    def call(*arguments: object) -> str:
        capfd.readouterr()
        group.main([str(each) for each in arguments], standalone_mode=False)
        return capfd.readouterr().out

    return call


def test_the_check_command(command: Callable, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    assert "Example of a statistics file" in command("check", "--example", path)
    assert "consistent" in command("check", path)
    assert json.loads(command("check", path, "--json"))["attributes"] == ["sex", "age"]
    with pytest.raises(InconsistentStatistics):
        command("check", written(tmp_path, FAULTS["too few"][0]))
    with pytest.raises(InputError, match="no statistics file"):
        command("check")
