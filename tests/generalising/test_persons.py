"""`rr.generalise` where a person has several rows: judged, left out and written by people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.crowds import measure_named
from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.hierarchies.hierarchy import Hierarchy
from tests.generalising.exhaustive import entropy, least_left_out, staying

ENGINES = ["codes", "duckdb"]
LABELS = {
    "a": [{}, {"1": "low", "2": "low", "3": "high", "4": "high"}, None],
    "b": [{}, None],
}
Row = tuple[str, str | None, str | None]


def hierarchies() -> dict[str, Hierarchy]:
    return {
        "a": Hierarchy("a", ({"1": "low", "2": "low", "3": "high", "4": "high"},)),
        "b": Hierarchy("b", ()),
    }


@st.composite
def histories(draw: st.DrawFn) -> list[Row]:
    """Up to 14 rows of up to six people."""
    row = st.tuples(
        st.sampled_from("pqrstu"), st.sampled_from(["1", "2", "3", None]), st.sampled_from("xy")
    )
    return [("p", "1", "x"), ("p", "4", "y"), *draw(st.lists(row, max_size=12))]


def label(name: str, value: str | None, level: int) -> str | None:
    labels = LABELS[name][level]
    return "*" if labels is None else value if value is None else labels.get(value, value)


def histories_at(rows: Sequence[Row], levels: tuple[int, int]) -> dict[str, Counter[Any]]:
    held: dict[str, Counter[Any]] = {}
    for who, a, b in rows:
        held.setdefault(who, Counter())[label("a", a, levels[0]), label("b", b, levels[1])] += 1
    return held


def crowds(rows: Sequence[Row], levels: tuple[int, int]) -> list[int]:
    held = histories_at(rows, levels)
    return sorted(Counter(frozenset(each.items()) for each in held.values()).values())


def loss(rows: Sequence[Row], levels: tuple[int, int], out: int, name: str) -> float:
    """As the documentation defines it: columns or values of rows, and people left out."""
    n = len({who for who, _, _ in rows})
    stay = staying(crowds(rows, levels), out)
    if name == "discernibility":
        return (sum(size**2 for size in stay) + out * n) / n**2
    if name == "average_crowd":
        return (1 - out / n) * (sum(stay) / len(stay)) / n + out / n
    mean = (levels[0] / 2 + levels[1]) / 2
    if name == "entropy":
        before = sum(entropy(column) for column in list(zip(*rows, strict=True))[1:])
        after = sum(
            entropy([label(each, row[1 + place], level) for row in rows])
            for place, (each, level) in enumerate(zip("ab", levels, strict=True))
        )
        mean = (before - after) / before
    return (1 - out / n) * mean + out / n


def read(rows: Sequence[Row], engine: str = "codes") -> rr.Table:
    who, a, b = map(list, zip(*rows, strict=True))
    return rr.read({"who": who, "a": a, "b": b}, columns=["a", "b"], person="who", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40)
@given(
    rows=histories(), target=st.sampled_from([("highest_risk", 0.5), ("overall_risk", 0.5),
                                              ("alone_share", 0.2)]),
    suppress=st.sampled_from([0.0, 0.2, 0.5]),
    name=st.sampled_from(["levels", "entropy", "discernibility", "average_crowd"]),
)  # fmt: skip
def test_the_least_loss_of_all_releases(
    engine: str, rows: list[Row], target: tuple[str, float], suppress: float, name: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    n = len({who for who, _, _ in rows})
    best = None
    for levels in product(range(3), range(2)):
        out = least_left_out(crowds(rows, levels), *target)
        if out <= suppress * n + 1e-9 and out < n:
            lost = loss(rows, levels, out, name)
            best = lost if best is None else min(best, lost)
    table = read(rows, engine)
    file = tmp_path_factory.mktemp("safer") / "safer.csv"
    asked = {"measure": target[0], "allowable_risk": target[1], "suppress": suppress,
             "hierarchies": hierarchies(), "loss": name, "output": file, "play": 10}  # fmt: skip
    if best is None:
        with pytest.raises(InputError, match="no release"):
            rr.generalise(table, **asked)
        return
    found = rr.generalise(table, **asked)
    assert found.loss == pytest.approx(best, abs=1e-9)
    check_file(file, rows, found, target)


def check_file(file: Path, rows: Sequence[Row], found: Any, target: tuple[str, float]) -> None:
    """Whole people, at the levels chosen, under numbers that say nothing; the target is met."""
    written = read_back(file)
    levels = (found.levels["a"], found.levels["b"])
    inside, outside = histories_at(rows, levels), Counter()
    for each in inside.values():
        outside[frozenset(each.items())] += 1
    people: dict[str, Counter[Any]] = {}
    for who, a, b in written:
        people.setdefault(who, Counter())[a, b] += 1
    left = Counter(frozenset(each.items()) for each in people.values())
    assert left <= outside
    assert len(people) == len(inside) - found.suppressed
    assert sorted(map(int, people)) == list(range(1, len(people) + 1))
    sizes = CrowdSizes.of(list(left.values()))
    assert measure_named(target[0]).value(sizes) <= target[1] + 1e-12
    assert found.after.tables[0] == sizes


def read_back(file: Path) -> list[Row]:
    table = rr.read(file, columns=["who", "a", "b"])
    return [tuple(row.values()) for row in table.engine.texts_of_each(["who", "a", "b"]).read_all()
            .to_pylist()]  # fmt: skip


def hospital(people: int, seed: int) -> dict[str, list[Any]]:
    """Visits of generated patients, in no order; one has many more than anybody else."""
    rng = np.random.default_rng(seed)
    visits = rng.choice([1, 2, 3], people, p=[0.75, 0.2, 0.05])
    visits[7] = 9
    who = np.repeat(np.arange(people) * 7 + 100_003, visits)
    who = rng.permutation(who)
    age = np.array([f"[{d}0-{d + 1}0)" for d in range(10)])
    return {
        "patient": who.tolist(),
        "age": age[rng.integers(3, 8, len(who))].tolist(),
        "sex": rng.choice(["female", "male"], len(who)).tolist(),
        "ward": rng.choice(["eye", "heart", "skin"], len(who)).tolist(),
    }


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_crowds_of_eleven_are_crowds_of_eleven_people(ending: str, tmp_path: Path) -> None:
    table, file = hospital(3000, 1), tmp_path / f"safer.{ending}"
    asked = rr.read(table, columns=["age", "sex"], person="patient")
    found = rr.generalise(asked, k=11, suppress=0.01, output=file, keep=[], frontier=False)
    assert found.suppressed >= 1
    assert any("1 person of 3,000 stands out" in said for said in found.envelope.warnings)
    again = rr.measure(rr.read(file, columns=["age", "sex"], person="patient"))
    assert again.smallest_crowd >= 11
    assert again.people == 3000 - found.suppressed
    written = rr.read(file, columns=["patient"])
    assert written.there == ("patient", "age", "sex")
    named = {int(value) for value in written.engine.marginal("patient").values}
    assert named == set(range(1, again.people + 1))


def test_columns_kept_stay_with_their_rows(tmp_path: Path) -> None:
    table, file = hospital(500, 2), tmp_path / "safer.csv"
    asked = rr.read(table, columns=["sex", "ward"], person="patient")
    rr.generalise(asked, k=2, suppress=0.1, columns=["sex"], keep=["ward"], output=file)
    read = rr.read(file, columns=["ward", "patient", "sex"]).engine
    rows = read.texts_of_each(["patient", "sex", "ward"]).read_all().to_pylist()
    wards: dict[str, Counter[str]] = {}
    for row in rows:
        wards.setdefault(row["patient"], Counter())[row["ward"]] += 1
    truth: dict[int, Counter[str]] = {}
    for who, ward in zip(table["patient"], table["ward"], strict=True):
        truth.setdefault(who, Counter())[ward] += 1
    there = Counter(frozenset(each.items()) for each in truth.values())
    assert Counter(frozenset(each.items()) for each in wards.values()) <= there


def test_numbers_are_drawn_by_the_seed(tmp_path: Path) -> None:
    """The same seed gives the same file, another one other numbers for the same rows."""
    asked = rr.read(hospital(300, 3), columns=["sex"], person="patient")
    texts = []
    for turn, seed in enumerate((1, 1, 2)):
        found = rr.generalise(asked, k=2, suppress=0.05, seed=seed, play=0,
                              output=tmp_path / f"{turn}.csv")  # fmt: skip
        assert found.envelope.seed == seed
        texts.append((tmp_path / f"{turn}.csv").read_text())
    assert texts[0] == texts[1] != texts[2]
    numbers = [[int(line.split(",")[0].strip('"')) for line in text.splitlines()[1:]]
               for text in texts]  # fmt: skip
    assert numbers[0] != sorted(numbers[0])
    assert rows_alone(texts[0]) == rows_alone(texts[2])


def rows_alone(text: str) -> list[str]:
    return [line.split(",", 1)[1] for line in text.splitlines()]


def test_what_would_do_is_said() -> None:
    """One patient has nine visits: no level helps; leaving out as many as is said does."""
    asked = rr.read(hospital(300, 4), columns=["age", "sex"], person="patient")
    with pytest.raises(InputError, match="1 person of 300 stands out by the number") as refused:
        rr.generalise(asked, k=5)
    hint = refused.value.hint
    assert hint is not None
    share = float(hint.split("--suppress ")[1].split(" ")[0])
    assert rr.generalise(asked, k=5, suppress=share).suppressed == 1


def test_patients_of_diabetes(shared_data: Path, tmp_path: Path) -> None:
    """Crowds of 11 patients, not of 11 encounters; in the file, counted by hand."""
    columns = ["race", "gender", "age"]
    path = shared_data / "diabetes130" / "diabetes130.parquet"
    table = rr.read(path, columns=columns, person="patient_nbr")
    file = tmp_path / "safer.parquet"
    found = rr.generalise(table, k=11, suppress=0.02, output=file, frontier=False)
    assert found.before.tables[0].people == 71_518
    rows = pq.read_table(file).to_pylist()
    held: dict[int, Counter[Any]] = {}
    for row in rows:
        held.setdefault(row["patient_nbr"], Counter())[tuple(row[name] for name in columns)] += 1
    sizes = Counter(frozenset(each.items()) for each in held.values())
    assert min(sizes.values()) >= 11
    assert len(held) == 71_518 - found.suppressed
    assert found.suppressed <= 0.02 * 71_518
    assert not {row["patient_nbr"] for row in rows} - set(range(1, len(held) + 1))
