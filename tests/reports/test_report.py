"""The report: the answer differs with the table, and the page, the text and JSON tell the same."""

from __future__ import annotations

import json
import re
from typing import Any

import html5lib
import numpy as np
import pyarrow as pa
import pytest

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.reports.document import first_screen
from reidrisk.searches.combination_ranking import every_view
from tests.reports import tables

SECTIONS = [
    "crowd_sizes", "at_least", "values", "combinations", "adds", "dependence", "attack", "group",
    "prediction",
]  # fmt: skip


@pytest.fixture(scope="module")
def middling() -> rr.Report:
    return rr.report(tables.middling(), title="The city", hierarchies={})


@pytest.mark.parametrize(
    ("table", "level", "words"),
    [
        (tables.safe(), "hidden", "the smallest crowd has 250 people"),
        (
            tables.grouped(),
            "grouped",
            "Nobody is alone (unique), but 6 of the 1,000 people (0.6 %)",
        ),
        (tables.middling(), "few", "alone (unique): nobody else has their combination of county"),
        (tables.bad(), "most", "of the 2,000 people"),
    ],
)
def test_the_answer_differs_with_the_table(table: rr.Table, level: str, words: str) -> None:
    found = rr.report(table)
    assert found.answer.level == level
    assert words in found.answer.sentences[0]
    assert len(set(found.answer.sentences)) == 3


def test_no_two_tables_get_the_same_sentences() -> None:
    every = [tables.safe(), tables.grouped(), tables.middling(), tables.bad()]
    answers = [rr.report(table).answer for table in every]
    for place in range(3):
        assert len({answer.sentences[place] for answer in answers}) >= 3
    assert len({answer.verdict for answer in answers}) == 4


def test_the_first_sentence_is_what_measure_counts() -> None:
    table = tables.middling()
    found, risk = rr.report(table), rr.measure(table)
    assert f"{risk.alone.people:,} of the 100,000 people" in found.answer.sentences[0]
    assert found.to_dict()["figures"]["overall_risk"]["value"] == risk.overall_risk
    assert found.value("alone_share") == risk.alone_share


def test_all_sections_are_there(middling: rr.Report) -> None:
    assert [section.key for section in middling.sections] == [*SECTIONS, "generalisation"]
    for section in middling.sections:
        assert section.sentences
        assert section.formula
        assert section.limits
        assert section.pictures
        assert section.grids
        assert all(len(row) == len(grid.heads) for grid in section.grids for row in grid.rows)


def test_three_renderings_tell_the_same(middling: rr.Report) -> None:
    page = tables.Seen(middling.to_html()).text
    text = middling.to_markdown().replace("\\", "")
    told = middling.to_dict()
    for words in [*told["answer"], told["verdict"], told["title"], told["reproduce"]]:
        assert words in page
        assert words in text
    for section in told["sections"]:
        cells = [cell for grid in section["tables"] for row in grid["rows"] for cell in row]
        for words in [*section["sentences"], section["title"], section["limits"], *cells]:
            assert words in page
            assert words in text
    assert json.loads(middling.to_json()) == told


def test_the_page_is_valid_and_alone(middling: rr.Report) -> None:
    page = middling.to_html()
    html5lib.HTMLParser(strict=True).parse(page)
    seen = tables.Seen(page)
    assert not {tag for tag, _ in seen.elements} & {"script", "link", "img", "iframe", "object"}
    assert all(address.startswith("#") for address in seen.all("href") + seen.all("src"))
    names = seen.all("id")
    assert len(names) == len(set(names))
    assert {address[1:] for address in seen.all("href")} <= set(names)
    addresses = set(re.findall(r"https?://[^\s\"'<)]*", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in page.replace("url(#", "")
    assert len(page) < 2_000_000


def test_pictures_are_told_to_those_who_do_not_see(middling: rr.Report) -> None:
    seen = tables.Seen(middling.to_html())
    pictures = [each for tag, each in seen.elements if tag == "div" and each.get("role") == "img"]
    assert len(pictures) == 1 + sum(len(section.pictures) for section in middling.sections)
    assert all(len(each["aria-label"] or "") > 20 for each in pictures)
    assert sum(tag == "table" for tag, _ in seen.elements) >= len(middling.sections)


def test_hostile_names_values_and_titles_are_text() -> None:
    found = rr.report(rr.read(tables.HOSTILE), title=tables.SCRIPT)
    page = found.to_html()
    html5lib.HTMLParser(strict=True).parse(page)
    seen = tables.Seen(page)
    assert not any(tag == "script" for tag, _ in seen.elements)
    assert not any(name.startswith("on") for _, each in seen.elements for name in each)
    assert tables.SCRIPT in seen.text
    # An indented line is code, which Markdown shows as it is.
    lines = [line for line in found.to_markdown().splitlines() if not line.startswith("    ")]
    text = "\n".join(lines)
    assert "<script" not in text.replace("\\<", "")
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert tables.SCRIPT in json.loads(found.to_json())["title"]
    assert "<script" not in first_screen(found)
    assert "<script" not in found._repr_html_()


def test_a_notebook_shows_the_answer(middling: rr.Report, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = middling._repr_html_()
    assert shown.count("<svg") == 1
    assert middling.answer.verdict in shown
    monkeypatch.setattr("reidrisk.reports.document.can_draw", lambda: False)
    assert "<svg" not in middling._repr_html_()
    assert middling.answer.verdict in middling._repr_html_()


def test_statistics_are_reported(tmp_path) -> None:  # type: ignore[no-untyped-def]
    statistics = rr.publish(rr.read(rr.city(3000), columns=["county", "age", "sex"]))
    found = rr.report(statistics)
    told = found.to_dict()
    assert told["from"] == "statistics"
    assert told["seed"] == 0
    assert "expected to be alone" in found.answer.sentences[0]
    risk = rr.predict(statistics)
    assert told["figures"]["alone_share"]["value"] == risk.alone_share
    keys = [section.key for section in found.sections]
    assert keys == [*(key for key in SECTIONS if key != "values"), "given_away"]
    given_away = " ".join(found.sections[-1].sentences)
    assert "rounded at random to a multiple of 5" in given_away
    assert "No hidden count of fewer than 5 people could be derived" in given_away
    assert "To print with the file" in given_away
    found.save(tmp_path / "of_statistics.html")
    assert "Does dependence matter?" in (tmp_path / "of_statistics.html").read_text()


def test_statistics_are_held_against_records() -> None:
    table = rr.read(rr.city(3000), columns=["county", "age", "sex"])
    given = rr.publish(table, pairs="none")
    section = next(s for s in rr.report(table, statistics=given).sections if s.key == "prediction")
    assert section.figures["alone_share_counted"].value == rr.measure(table).alone_share
    predicted = rr.predict(given).alone_share
    assert section.figures["alone_share_predicted"].value == pytest.approx(predicted)
    with pytest.raises(ContradictoryOptions):
        rr.report(given, statistics=given)


def test_statistics_of_something_else_are_refused() -> None:
    other = rr.publish(rr.read(rr.city(500), columns=["postcode", "sex"]))
    with pytest.raises(UnknownColumn):
        rr.report(rr.read(rr.city(500), columns=["county", "age"]), statistics=other)


def test_statistics_are_seen_as_the_records_are() -> None:
    city = rr.city(3000)
    plain = rr.publish(rr.read(city, columns=["county", "age"]))
    banded = rr.read(city, columns=["county", "age"], bands={"age": 10})
    found = rr.report(banded, statistics=plain, bands={"age": "10"})
    section = next(s for s in found.sections if s.key == "prediction")
    expected = rr.predict(plain, bands={"age": "10"}).alone_share
    # Sums differ in their last digit with where in memory numbers lie.
    assert section.figures["alone_share_predicted"].value == pytest.approx(expected, rel=1e-12)


def test_the_same_seed_gives_the_same_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    statistics = rr.publish(rr.read(rr.city(2000), columns=["county", "age", "sex"]))
    assert rr.report(statistics, seed=7).to_json() == rr.report(statistics, seed=7).to_json()


@pytest.mark.parametrize("options", [{"missing": "wildcard"}, {"person": "who"}])
def test_what_can_not_be_told_says_why(options: dict[str, str]) -> None:
    held = {"who": [1, 2, 3, 4] * 5, "a": ["x", None] * 10, "b": ["1", "2", "3", "4"] * 5}
    found = rr.report(rr.read(held, columns=["a", "b"], **options))  # type: ignore[arg-type]
    left = dict(found.provenance)["Left out"]
    # Combinations of persons are counted by all their rows.
    sections = [section.key for section in found.sections]
    assert ("combinations" in sections) == ("person" in options)
    assert ("combinations: " in left) != ("person" in options)
    assert all(f"{what}: " in left for what in ("values", "prediction"))
    assert "attack" in sections


def test_small_tables_are_reported() -> None:
    for held in ({"a": ["x"]}, {"a": ["x", "y"]}, {"a": ["x"] * 9, "b": ["y"] * 9}):
        found = rr.report(rr.read(held))
        html5lib.HTMLParser(strict=True).parse(found.to_html())
    assert rr.report(rr.read({"a": ["x"]})).answer.sentences[0].startswith("The only person")


def test_many_columns_are_limited_and_say_so() -> None:
    rng = np.random.default_rng(1)
    held = {f"c{place}": rng.integers(0, 3, 400) for place in range(30)}
    found = rr.report(rr.read(pa.table(held)))
    limits = next(s for s in found.sections if s.key == "combinations").limits
    assert "Larger ones of the 30 attributes weren't counted" in limits
    assert "up to 16 columns" in dict(found.provenance)["Left out"]


def test_a_clock_that_runs_out_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rr.report(tables.bad(), time_limit=1e-9)
    assert "no combination was counted" in dict(found.provenance)["Left out"]

    def some(*asked: Any) -> Any:
        return dict(list(every_view(*asked).items())[:5])

    monkeypatch.setattr("reidrisk.searches.combination_ranking.every_view", some)
    found = rr.report(tables.bad())
    limits = next(s for s in found.sections if s.key == "combinations").limits
    assert "5 were counted within the time limit" in limits
    assert "adds" not in [section.key for section in found.sections]


def test_what_is_asked_wrongly() -> None:
    with pytest.raises(InputError, match="model='nonsense'"):
        rr.report(tables.safe(), model="nonsense")


def test_everyone_alone_is_said_so() -> None:
    found = rr.report(rr.read({"a": [str(place) for place in range(40)]}, columns=["a"]))
    first, second, _ = found.answer.sentences
    assert first == "Everyone is alone (unique): no two of the 40 people share their a."
    assert second.endswith("re-identifies them with certainty.")


@pytest.mark.parametrize("table", [tables.grouped(), tables.middling(), tables.bad()])
def test_even_chance_of_a_group_is_as_the_table_of_sizes_has_it(table: rr.Table) -> None:
    section = next(each for each in rr.report(table).sections if each.key == "group")
    size = section.figures["even_chance_at"].value
    assert size is not None
    assert f"In groups of up to {size:.0f} people" in section.sentences[1]
    here, above = rr.group(table, sizes=[int(size), int(size) + 1]).groups
    assert here.exact is not None
    assert above.exact is not None
    assert above.exact < 0.5 <= here.exact
    assert f"{size:.0f}" in [row[0] for row in section.grids[0].rows]


def test_no_difference_is_explained_where_none_is_shown() -> None:
    """One column: counted, predicted and independent are the same to the digits shown."""
    from reidrisk.reports.sections.comparison import COUNTED, INDEPENDENT, PREDICTED, _sentences

    class Side:
        def __init__(self, text: str) -> None:
            self.text = text
            self.told, self.alone = self, self
            self.drawn = 0.079

        def as_share(self, _: object) -> Side:
            return self

        def __str__(self) -> str:
            return self.text

    def said(counted: str, predicted: str, independent: str) -> str:
        sides = {COUNTED: counted, PREDICTED: predicted, INDEPENDENT: independent}
        made: Any = {name: Side(text) for name, text in sides.items()}
        return " ".join(_sentences(made, "100,000 people"))

    assert "due to dependence" not in said("7.9 %", "8.1 %", "7.9 %")
    assert "due to dependence" not in said("8.1 %", "7.9 %", "7.9 %")
    assert "due to dependence" in said("7.9 %", "8.0 %", "14.2 %")
    assert "0 %" not in said("0 %", "0 %", "0 %")
    assert "good estimate" not in said("0 %", "0 %", "0 %")
