"""Each measure is one record: what it says of itself holds, and a new one is known everywhere."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import CrowdSizes, measure_named
from reidrisk.crowds.measures import MEASURES, Measure, measure_names
from reidrisk.errors import InputError

PARAMETERS = {"share_above": "0.3", "share_in_crowds_of_at_least": "4"}
EACH = [f"{name}:{PARAMETERS[name]}" if name in PARAMETERS else name for name in MEASURES]
WORDS = Path(__file__).resolve().parents[2] / "docs" / "words.md"

each_crowd = st.lists(st.integers(1, 12), min_size=2, max_size=30)


def share_of_pairs(crowds: CrowdSizes) -> float:
    """Merging two crowds of one makes one of two: it may rise as well as fall."""
    return float(2 * crowds.crowds[crowds.sizes == 2].sum() / crowds.people)


def share_in_the_largest(crowds: CrowdSizes) -> float:
    """Merging makes the largest crowd no smaller."""
    return crowds.largest_crowd / crowds.people


PAIRS = Measure("pairs", "in pairs", ("doubles",), share_of_pairs, "share", merging="either")
LARGEST = Measure(
    "largest_share", "in the largest crowd", ("largest class",), share_in_the_largest, "share",
    safer_when_larger=True, instead="highest_risk=0.2",
)  # fmt: skip
SPREAD = Measure(
    "spread", "crowds to the people", ("classes by records",),
    lambda crowds: crowds.distinct**2 / crowds.people**2, "share",
)  # fmt: skip


def merged(sizes: list[int], one: int, other: int) -> list[int]:
    left = [size for place, size in enumerate(sizes) if place not in (one, other)]
    return [*left, sizes[one] + sizes[other]]


@given(st.sampled_from(EACH), each_crowd, st.data())
def test_merging_crowds_does_what_the_record_says(
    name: str, sizes: list[int], data: st.DataObject
) -> None:
    """`lowest_risk` as well: the largest crowd only grows."""
    measure = measure_named(name)
    one, other = sorted(
        data.draw(st.lists(st.integers(0, len(sizes) - 1), min_size=2, max_size=2, unique=True))
    )
    before = measure.value(CrowdSizes.of(sizes))
    after = measure.value(CrowdSizes.of(merged(sizes, one, other)))
    assert not measure.worse(after, before)
    assert (after == before) or measure.merging == "improves"


def test_pairs_may_rise_and_fall_as_crowds_merge() -> None:
    values = [PAIRS.value(CrowdSizes.of(sizes)) for sizes in ([1, 1, 2], [2, 2], [4])]
    assert values == [0.5, 1.0, 0.0]


@given(st.sampled_from(EACH), each_crowd)
def test_the_part_that_decides_a_measure_does(name: str, sizes: list[int]) -> None:
    measure, crowds = measure_named(name), CrowdSizes.of(sizes)
    value = measure.value(crowds)
    assert measure.bounds[0] <= value <= measure.bounds[1]
    if measure.part is None:
        return
    of_each = np.array(sizes)
    part = {
        "crowds": len(sizes),
        "below": of_each[of_each < measure.part.size].sum(),
        "smallest": min(sizes),
    }[measure.part.of]
    assert measure.part.measure(part, crowds.people) == value


@given(st.integers(1, 500), st.sampled_from(["highest_risk", "smallest_crowd"]))
def test_a_crowd_size_and_the_limit_it_means(size: int, name: str) -> None:
    measure = measure_named(name)
    assert measure.least_crowd(measure.limit(f"k={size}", "--limit")) == size


def test_a_measure_with_a_parameter() -> None:
    above = measure_named("share_above:1/5")
    assert (above.plain, above.name) == ("risk above 20 %", "share_above:1/5")
    assert measure_named("share_in_crowds_of_at_least:5").plain == "in crowds of at least 5"
    for wrong in ("share_above", "share_above:often", "share_above:nan", "overall_risk:2"):
        with pytest.raises(InputError):
            measure_named(wrong)


@pytest.mark.parametrize("name", EACH)
def test_a_measure_goes_to_other_processes(name: str) -> None:
    assert pickle.loads(pickle.dumps(measure_named(name))) == measure_named(name)


@pytest.mark.parametrize("name", MEASURES)
def test_the_documentation_has_each_measure(name: str) -> None:
    measure, words = MEASURES[name], WORDS.read_text()
    assert f"| `{name}" in words
    for term in measure.field_terms:
        assert term in words, term


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    rows = [f"{20 + i % 5},{'fm'[i % 2]}" for i in range(60)] + ["80,f", "81,f"]
    file.write_text("age,sex\n" + "\n".join(rows) + "\n")
    return file


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for measure in (PAIRS, LARGEST, SPREAD):
        monkeypatch.setitem(MEASURES, measure.name, measure)


def test_a_new_measure_is_known_everywhere(
    command: Callable, people: Path, registered: None
) -> None:
    """Only its record was added: the gate, a search, a release and a report ask the record."""
    gate = command("measure", people, "--fail-above", "spread=0.01", "--json")
    assert gate.status == 1
    assert gate.json["gate"]["thresholds"][0]["value"] == pytest.approx((12 / 62) ** 2)
    refused = command("measure", people, "--fail-above", "largest_share=0.1")
    assert refused.status == 2
    assert "largest_share is safer when it is larger" in refused.err
    found = rr.search(rr.read(people), measure="spread", allowable_risk=0.02)
    assert [view.columns for view in found.minimal_risky] == [("age", "sex")]
    assert "spread above 2.0 %" in str(found)
    safer = rr.generalise(rr.read(people), measure="spread", allowable_risk=0.02, play=0)
    assert safer.after.value("spread") <= 0.02 < safer.before.value("spread")
    assert rr.generalise(
        rr.read(people), measure="largest_share", allowable_risk=0.5, play=0
    ).after.value("largest_share") >= 0.5  # fmt: skip
    known = rr.attack(rr.read(people), up_to=1, measure="pairs")
    assert known.all_knowledge is not None
    assert known.all_knowledge.measure == "pairs"
    report = rr.report(rr.read(people), limits={"spread": 0.02, "largest_share": 0.5})
    shown = " ".join(report.to_markdown().replace("\\", "").split())
    assert "spread up to 2.0 %" in shown
    assert "largest_share at least 50.0 %" in shown
    with pytest.raises(InputError, match="may be published"):
        rr.report(rr.read(people), limits={"spread": 0.02}, publishable=True)


def test_a_measure_that_merging_may_worsen_is_refused(people: Path, registered: None) -> None:
    """One release says nothing about coarser ones, which is all that searches conclude from."""
    for question in (rr.search, rr.generalise):
        with pytest.raises(InputError, match="pairs isn't monotone: merging crowds"):
            question(rr.read(people), measure="pairs", allowable_risk=0.1)
    with pytest.raises(InputError, match="isn't monotone"):
        rr.search(rr.read(people), measure="pairs", costs={"age": 1, "sex": 1}, budget=1)


def test_nobody_is_left_out_for_a_measure_that_doesnt_say_who(
    people: Path, registered: None
) -> None:
    with pytest.raises(InputError, match="how many people to leave out for spread"):
        rr.generalise(rr.read(people), measure="spread", allowable_risk=0.02, suppress=0.1)
    lowest = rr.generalise(rr.read(people), measure="lowest_risk", allowable_risk=0.2, suppress=0.1)
    assert lowest.suppressed == 0


def test_unknown_names_list_the_known(registered: None) -> None:
    assert measure_names()[-5:] == [
        "share_above:RISK", "share_in_crowds_of_at_least:K", "pairs", "largest_share", "spread",
    ]  # fmt: skip
    with pytest.raises(InputError, match="largest_share"):
        measure_named("riskiness")
