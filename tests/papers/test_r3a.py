"""R3A rerun: each figure's ours against what is known otherwise."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.reports.charts.drawing import svg
from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Figure, NotRun
from reidrisk_papers.r3a.avfms import AVFMS, avfm
from reidrisk_papers.r3a.entropies import bits_of
from reidrisk_papers.r3a.entropy_rules import rules
from reidrisk_papers.r3a.figures import RERUNS
from reidrisk_papers.r3a.hospitals import (
    Places,
    Ratios,
    drawn_choice,
    drawn_hospitals,
    hospital_law,
    ratios,
)
from reidrisk_papers.r3a.population import population
from reidrisk_papers.r3a.predictions import (
    by_random_sampling,
    by_semi_random_sampling,
    error_knowing,
)
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.r3a.targets import study
from reidrisk_papers.r3a.worked_examples import AVFM, KINDS, equation_17, kind_of
from reidrisk_papers.rerunning import reproduce, rerun
from reidrisk_papers.setting import Setting

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("r3a")]
SMALL = Setting(quick=True, scale=0.05)


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    """All figures, at a small scale."""
    return {figure.reported.key: figure for figure in rerun("r3a", SMALL)}


def test_every_figure_is_run_and_every_difference_has_its_reason(
    figures: dict[str, Figure],
) -> None:
    assert set(figures) == set(paper("r3a").reported) == set(RERUNS)
    for figure in figures.values():
        assert not figure.not_run
        assert figure.data
        for line in figure.lines:
            assert line.agrees is not False or line.ours.why, line.expected.key
    assert sum(line.expected.headline for each in figures.values() for line in each.lines) == 4


def test_pictures_are_drawn(figures: dict[str, Figure]) -> None:
    drawn = [picture for figure in figures.values() for picture in figure.pictures]
    assert len(drawn) == 6
    for picture in drawn:
        for width in (640, 340):
            assert "<svg" in svg(picture.draw(width))
        assert picture.description
        assert picture.caption


def test_without_the_register_its_figures_are_not_run(tmp_path: Path) -> None:
    for key in ("tables_3_4", "table_5", "figure_2", "figure_3", "figure_4", "rules"):
        with pytest.raises(NotRun, match="Belgium"):
            RERUNS[key](Setting(data=tmp_path, scale=0.001))


def test_the_same_seed_gives_the_same_values(figures: dict[str, Figure]) -> None:
    study.cache_clear()
    by_random_sampling.cache_clear()
    for key in ("tables_3_4", "figure_2"):
        again = Figure.of(paper("r3a").reported[key], RERUNS[key](SMALL), 0.0)
        assert again.lines == figures[key].lines


def test_the_papers_tables_are_whole() -> None:
    held = stand_ins()
    assert len(held.gain_ratios) == 81
    assert all(held.gain_ratios[name, name] == 1 for name in held.columns)
    strong = {pair for pair, ratio in held.gain_ratios.items() if 0.5 <= ratio < 1}
    assert strong == {
        ("district", "hospital"),
        ("district", "municipality"),
        ("hospital", "municipality"),
    }
    # The paper's own statement: its six sets are those that hold one of the three.
    with_one = {n for n, each in held.subsets.items() if any(set(p) <= set(each) for p in strong)}
    assert with_one == held.strong
    assert len(held.subsets) == 20
    assert held.subsets[20][-1] == "district"


def test_table_1_is_mended(figures: dict[str, Figure]) -> None:
    lines = {line.expected.key: line for line in figures["table_1"].lines}
    assert lines["age_25"].agrees is False
    assert lines["age_25"].ours.published == 3
    assert figures["table_1"].grids[0].rows[1][0] == "3"
    assert lines["confidence"].agrees


def test_kinds_of_dependence_by_exact_entropies() -> None:
    def bits(counts: list[int]) -> float:
        share = np.array(counts) / sum(counts)
        return float(-(share * np.log2(share)).sum())

    for name, cells in KINDS.items():
        sides = [
            [sum(n for *pair, n in cells if pair[side] == value)
             for value in {pair[side] for *pair, _ in cells}]
            for side in (0, 1)
        ]  # fmt: skip
        of, on, both = bits(sides[0]), bits(sides[1]), bits([n for *_, n in cells])
        found = kind_of(cells)
        assert found.gain_ratio == pytest.approx((of + on - both) / of, abs=1e-12)
        assert found.told == {"none": "independent"}.get(name, name)
        assert found.supports


def test_the_mean_of_all_shuffled_tables() -> None:
    """All 6!·6! orders of equation 16's second and third columns, one by one."""
    standard = rr.Statistics.of_avfm(AVFM).standard_data_set().T.tolist()
    columns = [set(permutations(column)) for column in standard[1:]]
    tables = [len(set(zip(standard[0], *each, strict=True))) for each in product(*columns)]
    exact = Fraction(sum(tables), 6 * len(tables))
    ours = equation_17(Setting(quick=True)).ours["average"]
    assert ours.improved == pytest.approx(float(exact), abs=1e-9)
    assert ours.published == pytest.approx(float(exact), abs=0.005)


@pytest.mark.parametrize("place", [0, 5, 10, AVFMS - 1])
def test_avfms_spread_over_all_risks(place: int) -> None:
    statistics = rr.Statistics.of_avfm(avfm(place))
    assert statistics.records == 30_000
    assert len(statistics.names) == 2 + place % 4
    found = rr.predict(statistics, model="independent").overall_risk
    assert found == pytest.approx((place + 0.5) / AVFMS, abs=0.03)


def test_figure_1_is_within_chance(figures: dict[str, Figure]) -> None:
    """The closed form lies within what sample means of the same tables spread over."""
    ours = {line.expected.key: line.ours for line in figures["figure_1"].lines}
    assert 0 < ours["deviation"].improved < 2 * ours["deviation"].published < 0.02  # type: ignore[operator]
    assert ours["strong"].improved == 0


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 1000))
def test_hospitals_of_a_law(districts: int, more: int, seed: int) -> None:
    """Everybody goes somewhere; nobody leaves the district unless they go anywhere."""
    rng = np.random.default_rng(seed)
    of = np.concatenate([np.arange(districts), rng.integers(0, districts, 5)])
    places = Places(rng.integers(1, 50, len(of)), of)
    choice = drawn_choice(places, districts * more, rng)
    for away, own in ((0.0, 0.5), (0.3, 1.0)):
        law = choice.law(away, own)
        assert law.sum(axis=1) == pytest.approx(1)
    at_home = ratios(places, choice.law(0.0, 0.7))
    assert at_home.district == pytest.approx(1 if districts > 1 else 0, abs=1e-9)
    assert ratios(places, choice.law(1.0, 0.7)).hospital == pytest.approx(0, abs=1e-9)


def test_hospitals_have_the_gain_ratios_asked_for() -> None:
    rng = np.random.default_rng(0)
    places = Places(rng.integers(500, 20_000, 300), np.sort(rng.integers(0, 20, 300)))
    goals = Ratios(0.588, 0.795)
    law, found = hospital_law(places, 150, goals, rng)
    assert found == pytest.approx(goals, abs=0.001)
    municipality = np.repeat(np.arange(300), places.people)
    hospital = drawn_hospitals(municipality, law, rng)
    table = rr.read({"m": municipality, "h": hospital}, columns=["m", "h"])
    drawn = {each.of[0]: each.corrected for each in rr.measure(table, dependence=True).dependence}  # type: ignore[union-attr]
    assert drawn["h"] == pytest.approx(0.588, abs=0.005)


def test_the_city_stands_in() -> None:
    made = population(SMALL)
    assert tuple(made.records.column_names) == stand_ins().columns
    assert len(made.records) == 25_000
    held = study(SMALL)
    assert held.dependence["district", "municipality"].kind == "complete"
    # Chance adds to a gain ratio, and less than to independent columns.
    near = held.dependence["district", "hospital"]
    assert near.corrected < 0.795 < near.uncorrected < 0.85
    assert abs(held.dependence["quarter", "age"].corrected) < 0.001
    for name, bits in held.entropies.items():
        alone = rr.measure(rr.read(made.records, columns=[name])).entropy.table
        assert bits == pytest.approx(alone)
    assert held.sizes == (500, 1500)


def test_errors_are_against_what_is_counted() -> None:
    """Distinct tuples over people, by plain Python."""
    held = study(SMALL)
    for each in by_random_sampling(SMALL):
        records = held.targets[each.target.people].select(each.target.columns)
        rows = set(zip(*(column.to_pylist() for column in records.columns), strict=True))
        assert each.target.risk == pytest.approx(len(rows) / each.target.people)
        assert each.shuffled == pytest.approx(each.closed, abs=0.02)
        assert each.error == pytest.approx(each.shuffled - each.target.risk)
    for known in by_semi_random_sampling(SMALL):
        assert (known.frequent > 0) == known.target.strong
        if not known.target.strong:
            assert known.shuffled == known.random
        elif known.target.subset in (13, 14, 15):
            # The district follows from the municipality: knowing that is nearly all there is.
            assert abs(known.error) < (known.random - known.target.risk) / 4


def test_the_reason_of_an_error_is_looked_up() -> None:
    """Civil status follows age, which set 9 leaves out: with that pair table little is left."""
    held = study(SMALL)
    assert set(held.strongest_weak_in(stand_ins().subsets[9])) == {"age", "civil_status"}
    assert set(held.strongest_weak_in(stand_ins().subsets[20])) == {"age", "civil_status"}
    each = next(each for each in by_random_sampling(SMALL) if each.target.key == (9, 1500))
    pair = frozenset([frozenset(["age", "civil_status"])])
    left = error_knowing(SMALL, each.target.key, pair)
    assert abs(left) < abs(each.improved) / 2
    assert error_knowing(SMALL, each.target.key, frozenset()) == pytest.approx(each.improved)


def test_rules_that_are_theorems_hold_and_others_have_exceptions() -> None:
    for each in bits_of(SMALL):
        assert max(each.table, each.random) <= min(each.experience, each.maximum) + 1e-9
        assert each.maximum == pytest.approx(np.log2(each.people))
    ours = rules(SMALL).ours
    assert ours["rule_1_below"].improved == 40
    assert ours["rule_2_maximum"].published == pytest.approx(np.log2(1000))
    assert ours["rule_2_experience"].published == pytest.approx(4 * np.log2(10))
    assert ours["rule_4_design"].published > 0.5  # type: ignore[operator]
    exceptions = dict(rules(SMALL).grids[0].rows)
    assert "20 (500)" in exceptions["Rule 2: EE above ME"]


def test_on_the_register(shared_data: Path) -> None:
    """A fiftieth of the people: the mapping, the dependences, and one subset with a strong pair."""
    setting = Setting(data=shared_data, scale=0.02)
    found = {key: RERUNS[key](setting).ours for key in ("tables_3_4", "table_5")}
    assert found["tables_3_4"]["ages"].published == 86
    assert found["tables_3_4"]["same"].published == 20
    assert found["table_5"]["district_municipality"].published == 1
    assert found["table_5"]["district_hospital"].improved == pytest.approx(0.795, abs=0.01)
    drawn = found["table_5"]["hospital_municipality"]
    assert drawn.improved < 0.588 < drawn.published  # type: ignore[operator]
    held = study(setting)
    assert 585 <= len(held.background.attribute("municipality").counts) <= 589
    table = rr.read(held.targets[6000], columns=stand_ins().subsets[13])
    counted = rr.measure(table, dependence=False).overall_risk
    statistics = rr.publish(table, pairs="none", unprotected=True)
    independent, law, kept = (
        rr.predict(statistics, samples=2, capacity=5, **options).overall_risk - counted  # type: ignore[arg-type]
        for options in (
            {"model": "independent"},
            {"background": held.background},
            {"model": "shuffle", "background": held.background},
        )
    )
    assert independent > 0.2
    assert abs(kept) < 0.09
    assert abs(law) < 0.02


def test_the_whole_paper_is_asked_for_by_name() -> None:
    assert paper("r3a").reference.endswith("2020.2977404")
    with pytest.raises(rr.ReidriskError):
        reproduce("r3b", quick=True)
