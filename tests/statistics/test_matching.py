"""Which value is meant by what somebody wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.records.text_forms import text_form
from reidrisk.statistics.value_matching import KnownValues

AGES = KnownValues(["0-19", "20-24", "25-29", "30+"])
TOWNS = KnownValues(["Liège", "Gent", "Sint-Niklaas", "sint-niklaas ", "New York"])


@pytest.mark.parametrize(
    ("asked", "value", "how"),
    [
        ("20-24", "20-24", "exact"),
        ("20–24", "20-24", "spelling"),
        ("[20-25)", "20-24", "band"),
        ("30 and over", "30+", "band"),
        (22, "20-24", "band"),
        ("22.5", "20-24", "band"),
        (99, "30+", "band"),
    ],
)
def test_bands(asked: object, value: str, how: str) -> None:
    found = AGES.match(asked)
    assert found is not None
    assert (found.value, found.how) == (value, how)
    assert (found.said("age") is None) == (how == "exact")


@pytest.mark.parametrize(
    ("asked", "value"),
    [("liege", "Liège"), ("GENT", "Gent"), ("new  york", "New York"), ("New_York", "New York")],
)
def test_case_spaces_and_accents(asked: str, value: str) -> None:
    found = TOWNS.match(asked)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize("asked", ["SINT-NIKLAAS", "Paris", "", None, "18-29", -1])
def test_what_fits_none_or_several(asked: object) -> None:
    assert TOWNS.match(asked) is None
    assert AGES.match(asked) is None


def test_a_number_that_several_bands_hold_is_told_from_an_unknown_one() -> None:
    overlapping = KnownValues(["0-10", "10-20", "20+", "other"])
    assert overlapping.match("10") is None
    assert overlapping.fitting("10") == ["0-10", "10-20"]
    assert overlapping.fitting(5) == ["0-10"]
    assert (
        overlapping.fitting(-1) == overlapping.fitting("other") == overlapping.fitting(None) == []
    )
    assert overlapping.overlapping() == [("0-10", "10-20"), ("10-20", "20+")]
    assert AGES.overlapping() == []


def test_near_values_are_named() -> None:
    assert TOWNS.near("Ghent") == ["Gent"]


def test_a_label_that_is_a_number_isnt_the_band_that_holds_it() -> None:
    assert AGES.same("22") == "22"
    assert AGES.same("20 to 24") == "20-24"


@given(st.lists(st.text(min_size=1, max_size=6).filter(str.strip), min_size=1, unique=True))
def test_a_value_finds_itself(values: list[str]) -> None:
    """Whatever else looks like it: its one text form is its own."""
    by_form = {text_form(value): value for value in values}
    known = KnownValues(by_form.values())
    for form, value in by_form.items():
        found = known.match(value)
        assert found is not None
        assert (found.value, found.how, found.asked) == (value, "exact", form)
