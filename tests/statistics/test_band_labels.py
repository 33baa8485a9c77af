"""Labels of published tables, and the numbers they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.statistics.value_matching import KnownValues, band_of


def label_that_holds(number: float, labels: list[str]) -> str | None:
    match = KnownValues(labels).match(number)
    return None if match is None else match.value


HOLDS: dict[str, tuple[list[float], list[float]]] = {
    "20-24": ([20, 24, 24.9], [19.9, 25]),
    "20–24": ([20, 24], [25]),
    "20 to 24": ([20, 24], [25]),
    "20-24 years": ([20, 24], [25]),
    "[20-30)": ([20, 29.9], [30]),
    "(20, 30]": ([20.1, 30], [20]),
    "85+": ([85, 120], [84]),
    "65 and over": ([65, 99], [64]),
    "65 or older": ([65], [64]),
    "≥65": ([65], [64]),
    ">65": ([65.5, 66], [65]),
    "<5": ([0, 4.9], [5]),
    "under 5": ([4], [5]),
    "≤5": ([5], [6]),
    "17 and under": ([17], [18]),
    "0.5-1.5": ([0.5, 1.5], [1.6]),
    "-5 to -1": ([-5, -1, -0.5], [0, -6]),
    "−10 – −1": ([-10, -1], [0]),
    "[-1--0.5)": ([-1, -0.6], [-0.5]),
    "under -5": ([-6], [-5]),
    "65 und mehr": ([65], [64]),
    "65 und älter": ([65], [64]),
    "65 Jahre und älter": ([65], [64]),
    "ab 65 Jahren": ([65], [64]),
    "unter 5": ([4], [5]),
    "unter 18 Jahre": ([17], [18]),
    "15 bis 17 Jahre": ([17.5], [18]),
    "15 bis unter 18 Jahre": ([15, 17], [18]),
    "65 ans ou plus": ([65], [64]),
    "65 ans et plus": ([65], [64]),
    "moins de 5 ans": ([4], [5]),
    "15 à 19 ans": ([15, 19], [20]),
    "65 jaar en ouder": ([65], [64]),
    "jonger dan 5": ([4], [5]),
    "0 tot 15 jaar": ([0, 14], [15]),
}


@pytest.mark.parametrize("label", HOLDS)
def test_what_a_label_holds(label: str) -> None:
    band = band_of(label)
    assert band is not None
    inside, outside = HOLDS[label]
    assert all(number in band for number in inside)
    assert not any(number in band for number in outside)


NO_BANDS = ["Male", "39", "", "24-20", "1984-03-01", "A-B", "+", "5 - ", "-5", "012-34-567",
            "1984-03", "5--1", "en ouder", "65 sans plus"]  # fmt: skip


@pytest.mark.parametrize("label", NO_BANDS)
def test_what_is_no_band(label: str) -> None:
    assert band_of(label) is None


@given(st.integers(0, 120), st.integers(1, 20))
def test_every_age_finds_its_band(age: int, width: int) -> None:
    top = 100 // width * width
    labels = [f"{low}-{low + width - 1}" for low in range(0, top, width)] + [f"{top}+"]
    found = label_that_holds(age, labels)
    assert found is not None
    assert age in band_of(found)


def test_bands_that_overlap_are_no_answer() -> None:
    assert label_that_holds(22, ["20-24", "18-29"]) is None
    assert label_that_holds(22, ["30-34", "unknown"]) is None


def test_bands_we_write_are_understood() -> None:
    from reidrisk.records.recoding import parsed_bands

    for width, number in (("5", 37), ("10", 0), ("0.5", 0.7), ("5", -3), ("10", -10), ("0.5", -2)):
        label = parsed_bands("x", width).label(str(number))
        assert label is not None
        assert number in band_of(label)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("0-10", "10-20", True),
        ("0-9", "10-19", False),
        ("0-19", "15-24", True),
        ("[0-10)", "[10-20)", False),
        ("[0-10]", "[10-20)", True),
        ("65+", "80+", True),
        ("<5", "5-9", False),
    ],
)
def test_bands_that_overlap(first: str, second: str, same: bool) -> None:
    one, other = band_of(first), band_of(second)
    assert one is not None
    assert other is not None
    assert one.overlaps(other) is same
    assert other.overlaps(one) is same
