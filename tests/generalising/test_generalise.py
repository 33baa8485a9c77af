"""`rr.generalise`: known answers, the file that is written, what statistics propose."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import hypothesis.strategies as st
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import reidrisk as rr
from reidrisk.errors import InputError

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"]  # fmt: skip


@pytest.fixture
def adult(shared_data: Path) -> rr.Table:
    return rr.read(shared_data / "adult" / "adult_arx.parquet", columns=ADULT)


def test_adult_without_leaving_anybody_out(adult, shared_data: Path) -> None:
    found = rr.generalise(
        adult, k=5, hierarchies=shared_data / "adult" / "hierarchies", frontier=False
    )
    assert found.searched.views == 12_960
    assert found.searched.complete
    assert found.searched.counted <= 200
    assert found.loss == pytest.approx(0.66667, abs=5e-6)
    assert tuple(found.levels.values()) == (0, 4, 1, 1, 3, 2, 2, 1, 0)
    assert found.after.value("smallest_crowd") >= 5
    assert found.suppressed == 0


def test_adult_with_five_per_cent_left_out(adult, shared_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "safer.parquet"
    found = rr.generalise(
        adult, k=5, suppress=0.05, hierarchies=shared_data / "adult" / "hierarchies", output=file
    )
    assert found.loss == pytest.approx(0.36563, abs=5e-6)
    assert tuple(found.levels.values()) == (0, 4, 0, 0, 3, 1, 0, 1, 0)
    assert found.searched.counted <= 2_000
    measured = rr.measure(rr.read(file, columns=ADULT))
    assert measured.smallest_crowd >= 5
    assert measured.people == 30_162 - found.suppressed
    assert found.suppressed <= 0.05 * 30_162
    losses = [step.loss for step in found.frontier]
    assert losses == sorted(losses)
    assert len(losses) == 8
    assert all(step.proven for step in found.frontier)
    played = found.after.played
    assert played is not None
    low, high = played.interval
    assert low <= played.overall_risk <= high


def test_each_frontier_step_is_the_optimum_of_its_own_search(adult, shared_data: Path) -> None:
    place = shared_data / "adult" / "hierarchies"
    some = ["age", "education", "occupation", "sex"]
    table = rr.read(shared_data / "adult" / "adult_arx.parquet", columns=some)
    found = rr.generalise(table, k=5, hierarchies=place, suppress=0.01, frontier=[0.5, 0.1, 0.02])
    assert [step.allowable for step in found.frontier] == [0.5, 0.2, 0.1, 0.02]
    for step in found.frontier:
        alone = rr.generalise(table, allowable_risk=step.allowable, hierarchies=place,
                              suppress=0.01, frontier=False)  # fmt: skip
        assert alone.loss == pytest.approx(step.loss, abs=1e-12)
        assert alone.levels == step.levels
        assert alone.suppressed == step.suppressed
        assert alone.after.value("highest_risk") == step.measure <= step.allowable


FORMATS = ["csv", "tsv", "parquet", "arrow", "jsonl"]


def people(rows: int = 300) -> dict[str, list[object]]:
    return {
        "age": [20 + (i * 7) % 50 for i in range(rows)],
        "zip": [f"{1000 + (i * 13) % 90}" for i in range(rows)],
        "sex": [None if i % 11 == 0 else "fm"[i % 2] for i in range(rows)],
        "illness": [f"say \"a,{i % 3}\"" for i in range(rows)],
    }  # fmt: skip


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_the_written_table_is_the_release(ending: str, engine: str, tmp_path: Path) -> None:
    """Row by row, in the order of the records, against labels made one by one."""
    held = people()
    table = rr.read(_written(held, tmp_path), engine=engine,
                    columns=["age", "zip", "sex", "illness"])  # fmt: skip
    file = tmp_path / f"safer.{ending}"
    judged = ["age", "zip", "sex"]
    found = rr.generalise(
        table, k=4, suppress=0.1, columns=judged, keep=["illness"], output=file, frontier=False
    )
    assert found.suppressed > 0
    from reidrisk.hierarchies.proposed_hierarchies import proposed

    hierarchies = {name: proposed(name, sorted({str(v) for v in held[name]} - {"None"}))
                   for name in judged}  # fmt: skip

    def shown(name: str, value: object) -> str | None:
        hierarchy, level = hierarchies[name], found.levels[name]
        if level == hierarchy.height:
            return "*"
        return None if value is None else hierarchy.label(str(value), level)

    wanted = [
        (*(shown(name, held[name][i]) for name in judged), held["illness"][i]) for i in range(300)
    ]
    again = rr.read(file, columns=[*judged, "illness"]).engine.texts_of_each([*judged, "illness"])
    got = [tuple(row.values()) for row in again.read_all().to_pylist()]
    crowds = Counter(row[:3] for row in wanted)
    assert got == [row for row in wanted if crowds[row[:3]] >= 4]
    assert len(got) == 300 - found.suppressed


def _written(held: dict[str, list[object]], folder: Path) -> Path:
    import pyarrow as pa

    file = folder / "people.parquet"
    pq.write_table(pa.table(held), file)
    return file


TARGETS = [
    ("highest_risk", 0.5), ("overall_risk", 0.2), ("alone_share", 0.05), ("share_above:0.3", 0.1),
    ("smallest_crowd", 3), ("distinct", 4),
]  # fmt: skip


@settings(max_examples=25)
@given(st.data())
def test_whatever_is_asked_the_file_keeps_it(data: st.DataObject) -> None:
    import tempfile

    rows = data.draw(st.integers(5, 60))
    held = {
        name: data.draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        for name, values in (
            ("a", [1, 2, 3, 4, 5, 6]),
            ("b", ["x", "y", None]),
            ("c", ["01", "02"]),
        )
    }
    measure, allowable = data.draw(st.sampled_from(TARGETS))
    suppress = data.draw(st.sampled_from([0.0, 0.1, 0.3]))
    counted = data.draw(st.booleans())
    if counted:
        held["n"] = data.draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows))
    table = rr.read(held, columns=["a", "b", "c"], count="n" if counted else None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"safer.{data.draw(st.sampled_from(FORMATS))}"
        asked = {"measure": measure, "allowable_risk": allowable, "suppress": suppress}
        # Everything hidden is one crowd: it meets all these targets if it has three people.
        found = rr.generalise(table, output=file, frontier=False, **asked)
        again = rr.read(file, columns=["a", "b", "c"], count="n" if counted else None)
        value = rr.measure(again).value(measure)
        assert value >= allowable if measure == "smallest_crowd" else value <= allowable
        assert again.people == table.people - found.suppressed
        assert found.suppressed <= suppress * table.people + 1e-9


def test_statistics_propose_levels_that_hold_on_the_records(tmp_path: Path) -> None:
    """What is proposed without records is tried on the records themselves."""
    table = rr.read(rr.city(4000), columns=["age", "sex", "marital_state"])
    statistics = rr.publish(table, pairs="all", unprotected=True)
    found = rr.generalise(statistics, k=5, suppress=0.05, draws=3)
    assert found.draws == 3
    assert found.envelope.origin == "statistics"
    assert found.envelope.seed == 0
    fixed = dict(found.levels)
    tried = rr.generalise(table, k=5, suppress=0.08, at_least=fixed, at_most=fixed)
    assert dict(tried.levels) == fixed
    assert found.after.interval("overall_risk") is not None
    with pytest.raises(InputError, match="no records to write"):
        rr.generalise(statistics, k=5, output=tmp_path / "x.csv")


def test_the_best_reachable_is_said(tmp_path: Path) -> None:
    table = rr.read({"a": ["x", "y", "z"], "b": ["1", "1", "2"]}, columns=["a", "b"])
    with pytest.raises(InputError, match=r"the coarsest reaches 0\.333333"):
        rr.generalise(table, k=5)
    with pytest.raises(InputError, match=r"the coarsest reaches 1"):
        rr.generalise(table, k=3, at_most={"a": 0})
    with pytest.raises(InputError, match="at level 1 at least"):
        rr.generalise(table, k=2, at_least={"a": 1}, at_most={"a": 0})
