"""Every chart is drawn, described, self-contained, and shows hostile names as text."""

from __future__ import annotations

import builtins
import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.errors import InputError, MissingExtra
from reidrisk.reports.charts import drawing
from reidrisk.reports.charts.attributes import Share, shares
from reidrisk.reports.charts.crowds import Part, bins_of, hundred_people, of_a_hundred
from reidrisk.reports.charts.curves import Bought, curve_of, generalisation_frontier
from reidrisk.reports.charts.drawing import svg
from reidrisk.reports.rendering import pictures_of, plot
from reidrisk_papers.pictures import Cloud, Curve, curves, points

HOSTILE = "</text><script>alert(1)</script>&\"' ]]> datum.x {{7*7}}"


def results() -> Mapping[str, Any]:
    table = rr.read(rr.city(3000), columns=["county", "age", "sex"])
    statistics = rr.publish(table)
    costs = {"county": 2, "age": 3, "sex": 1}
    return {
        "measure": rr.measure(table),
        "predict": rr.predict(statistics, model="tree"),
        "attack": rr.attack(table, up_to=2),
        "group": rr.group(table, size=29),
        "groups": rr.group(table, sizes=[2, 10, 40]),
        "person": rr.person(statistics, {"county": "Calder", "age": 39, "sex": "male"}),
        "plan": rr.plan(statistics, asked=["age"], could_ask=["sex"], size=100),
        "border": rr.search(table, allowable_risk=0.05, measure="alone_share"),
        "ratio": rr.search(table, ratio=2, attributes=2),
        "costs": rr.search(table, costs=costs, budget=5),
    }


@pytest.fixture(scope="module")
def every() -> Mapping[str, Any]:
    return results()


PICTURES = {
    "measure": ["crowds", "at_least", "people", "dependence"],
    "predict": ["crowds", "at_least", "people", "dependence"],
    "attack": ["curve", "knowledge", "crowds", "at_least", "people"],
    "group": ["laws"],
    "groups": ["sizes"],
    "person": ["curve", "gives_away"],
    "plan": ["options"],
    "border": ["risky"],
    "ratio": ["combinations", "adds"],
    "costs": ["frontier"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_result_plots_itself(every: Mapping[str, Any], name: str) -> None:
    result = every[name]
    assert list(pictures_of(result)) == PICTURES[name]
    for what in PICTURES[name]:
        for width in (drawing.WIDE, drawing.NARROW):
            chart = result.plot(what, width)
            told = chart.to_dict()
            assert len(told["description"]) > 20
            drawn = ET.fromstring(svg(chart))
            assert abs(float(drawn.get("width", 0)) - width) <= 2
    assert "<svg" in result._repr_html_()
    with pytest.raises(InputError, match=PICTURES[name][0]):
        result.plot("nonsense")


def test_nothing_to_draw() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        plot(object())


def test_nothing_is_fetched(every: Mapping[str, Any]) -> None:
    for name, result in every.items():
        for what in PICTURES[name]:
            text = svg(result.plot(what))
            assert "<script" not in text
            assert not re.search(r"(?:href|src)=", text)
            assert set(re.findall(r"https?://[^\s\"<]*", text)) <= {"http://www.w3.org/2000/svg"}


def test_colours_tell_apart_without_colour_sight() -> None:
    """For the red-blind the three colours stay a tenth of the range apart."""
    seen = [
        _as_seen_by_the_red_blind(colour)
        for colour in (drawing.ALONE, drawing.SMALL, drawing.HIDDEN)
    ]
    for one in range(3):
        for other in range(one):
            apart = max(abs(a - b) for a, b in zip(seen[one], seen[other], strict=True))
            assert apart > 25


def _as_seen_by_the_red_blind(colour: str) -> tuple[float, ...]:
    """Viénot's matrix for protanopia, on the colour as it is written."""
    r, g, b = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * r - 0.00401 * g + b


def test_names_are_text_whatever_they_say() -> None:
    text = svg(shares([Share(HOSTILE, 0.3, HOSTILE), Share(HOSTILE, 0.2, "20 %")], HOSTILE))
    drawn = ET.fromstring(text)
    shown = [element.text or "" for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert shown.count(HOSTILE) == 4
    assert "<script" not in text


def test_two_drawings_share_no_name() -> None:
    chart = shares([Share("a", 0.3, "30 %")], "share")
    names = [re.findall(r'id="([^"]*)"', svg(chart)) for _ in range(2)]
    assert not set(names[0]) & set(names[1])


def test_ink_takes_the_pages_colour() -> None:
    text = svg(shares([Share("a", 0.3, "30 %")], "share"))
    colours = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]{3,6})"', text))
    assert colours <= {drawing.HIDDEN}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3).filter(lambda parts: sum(parts) > 0))
def test_a_hundred_people_are_a_hundred(parts: list[float]) -> None:
    whole = of_a_hundred([Part("", part) for part in parts])
    assert sum(whole) == 100
    for many, part in zip(whole, parts, strict=True):
        assert abs(many - 100 * part / sum(parts)) < 1


def test_the_hundred_are_drawn() -> None:
    parts = [Part("alone", 0.5), Part("in between", 0.0), Part("hidden", 0.5)]
    values = hundred_people(parts).to_dict()["data"]["values"]
    assert [row["part"] for row in values] == ["50 alone"] * 50 + ["50 hidden"] * 50


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=50))
def test_bins_hold_everybody_once(each_crowd: list[int]) -> None:
    crowds = CrowdSizes.of(each_crowd)
    bins = bins_of(crowds)
    assert sum(each.share for each in bins) == pytest.approx(1)
    for each in bins:
        held = sum(s for s in each_crowd if each.low <= s <= (each.high or s))
        assert each.share == pytest.approx(held / sum(each_crowd))


@given(st.lists(st.integers(1, 1500), min_size=1, max_size=50))
def test_the_attack_curve_is_the_share_in_crowds_so_small(each_crowd: list[int]) -> None:
    for point in curve_of("", CrowdSizes.of(each_crowd)):
        held = sum(s for s in each_crowd if s <= point.size)
        assert point.share == pytest.approx(held / sum(each_crowd))


def test_a_frontier_of_generalising() -> None:
    points = [Bought(0.0, 1.0, "as recorded"), Bought(0.4, 0.2, "age 2"), Bought(1.0, 0.01, "all")]
    chart = generalisation_frontier(points, "highest risk")
    assert "step-after" in json.dumps(chart.to_dict())
    assert "loss of detail" in svg(chart)


@pytest.mark.parametrize("absent", ["altair", "vl_convert"])
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    plain = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == absent:
            raise ImportError(name)
        return plain(name, *rest)

    chart = shares([Share("a", 0.3)], "share")
    monkeypatch.delitem(sys.modules, absent, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'reidrisk\[report\]'"):
        svg(chart) if absent == "vl_convert" else shares([Share("a", 0.3)], "share")


def test_words_stay_where_nothing_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    risk = rr.measure(rr.read({"age": [39, 39, 40]}))
    monkeypatch.setattr("reidrisk.reports.rendering.can_draw", lambda: False)
    text = risk._repr_html_()
    assert "alone" in text
    assert "<svg" not in text


def test_numbers_of_things_are_ticked_whole() -> None:
    chart = points([Cloud("a", [(2, 0.1), (3, 0.9)])], "attributes", "share", whole_x=True)
    assert chart.to_dict()["layer"][0]["encoding"]["x"]["axis"]["tickMinStep"] == 1
    plain = points([Cloud("a", [(2, 0.1), (3, 0.9)])], "attributes", "share")
    assert "tickMinStep" not in str(plain.to_dict())


def test_a_legend_of_several_lines_fits_a_narrow_page() -> None:
    parts = [Curve(name, [(0.0, 0.0), (1.0, 1.0)]) for name in ("one", "two", "three")]
    for width, columns in ((640, None), (340, 2)):
        held = curves(parts, "x", "y", width).to_dict()["layer"][0]["encoding"]["color"]["legend"]
        assert held.get("columns") == columns
        assert held["symbolOpacity"] == 1
