"""Statistics seen coarser are those of the table seen coarser."""

from __future__ import annotations

import pytest

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.statistics.recoded import coarser
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed

COLUMNS = ["postcode", "age", "sex"]


def as_counts(statistics: Statistics) -> tuple[object, object]:
    return (
        {a.name: dict(a.counts) for a in statistics.attributes},
        {p.of: dict(p.counts) for p in statistics.pairs},
    )


def test_coarser_before_or_after_counting_is_the_same() -> None:
    city = rr.city(2000)
    fine = rr.publish(rr.read(city, columns=COLUMNS), pairs="all", unprotected=True)
    bands, levels = {"age": "5"}, {"postcode": "2"}
    seen = rr.read(city, columns=COLUMNS, bands=bands, levels=levels)
    wanted = rr.publish(seen, pairs="all", unprotected=True)
    assert as_counts(coarser(fine, bands, levels)) == as_counts(wanted)


AGES = {"20-24": 30, "25-29": 20, "30-34": Suppressed(5), "85+": 10}
HELD = Statistics(
    100,
    (
        Attribute("age", AGES, 3, Other(33, 4)),
        Attribute("sex", {"f": 50, "m": 50}),
    ),
    (PairCounts(("age", "sex"), {("20-24", "f"): 10, ("25-29", "f"): 5, (None, "f"): 1}),),
)  # fmt: skip


def test_bands_go_into_wider_bands() -> None:
    age = coarser(HELD, {"age": "10"}, {}).attribute("age")
    assert dict(age.counts) == {"20-29": 50, "30-39": Suppressed(5), "85+": 10}
    assert (age.missing, age.other) == (3, Other(33, 4))
    pair = coarser(HELD, {"age": "10"}, {}).pairs[0]
    assert dict(pair.counts) == {("20-29", "f"): 15, (None, "f"): 1}
    both = coarser(HELD, {"age": "20"}, {}).attribute("age")
    # 50 stated and up to 4 held back.
    assert both.counts["20-39"] == Suppressed(55, 50)


@pytest.mark.parametrize(
    ("bands", "levels", "said"),
    [
        ({"age": "3"}, {}, "has to hold each of its values whole"),
        ({"sex": "5"}, {}, "'sex' has values that can't be seen"),
        ({"size": "5"}, {}, "no attribute 'size'"),
        ({"age": "5"}, {"age": "1"}, "both name 'age'"),
        ({"age": "-1"}, {}, "isn't a positive number"),
    ],
)
def test_what_cant_be_seen_coarser(
    bands: dict[str, str], levels: dict[str, str], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        coarser(HELD, bands, levels)
