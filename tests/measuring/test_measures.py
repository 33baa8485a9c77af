"""The answer of measure and columns: keys, entropies, words."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr

ENVELOPE = {"command", "version", "from", "input", "missing", "engine", "seed", "model",
            "assumptions", "warnings"}  # fmt: skip
MEASURES = {"overall_risk", "alone_share", "highest_risk", "smallest_crowd", "lowest_risk",
            "share_above", "share_in_crowds_of_at_least", "expected_reidentifications",
            "distinct", "people", "entropy", "alone", "crowd_sizes", "dependence",
            "intervals"}  # fmt: skip


def test_json_keys_are_fixed() -> None:
    answer = rr.measure(rr.read({"a": ["x", "x", "y"]}, columns=["a"])).to_dict()
    assert set(answer) >= ENVELOPE | MEASURES
    assert set(answer["input"]) >= {"sha256", "people", "columns"}
    assert set(answer["entropy"]) == {"maximum", "experience", "random", "table"}
    assert answer["crowd_sizes"] == {"1": 1, "2": 1}
    assert json.loads(json.dumps(answer)) == answer


columns = st.lists(st.integers(0, 3), min_size=1, max_size=30)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(1, 4), st.randoms())
def test_entropies_keep_their_order(cells: list[int], width: int, random: object) -> None:
    """EE ≥ TDE, EE ≥ RDE, ME ≥ TDE, ME ≥ RDE."""
    table = {f"c{j}": np.roll(cells, j * j + j).tolist() for j in range(width)}
    entropy = rr.measure(rr.read(table, columns=list(table))).entropy
    assert entropy.experience is not None
    assert entropy.random is not None
    for larger in (entropy.experience, entropy.maximum):
        assert larger >= entropy.table - 1e-9
        assert larger >= entropy.random - 1e-9


def test_entropies_of_a_product_table() -> None:
    """Every pair of two letters once: TDE = ME = log2 9; EE = 2·log2 3 as well."""
    table = {"a": list("aaabbbccc"), "b": list("xyzxyzxyz")}
    entropy = rr.measure(rr.read(table, columns=["a", "b"])).entropy
    assert entropy.table == pytest.approx(math.log2(9))
    assert entropy.maximum == pytest.approx(math.log2(9))
    assert entropy.experience == pytest.approx(2 * math.log2(3))
    assert entropy.random is not None
    assert entropy.random < entropy.table


def test_random_entropy_is_the_mean_over_shuffles() -> None:
    rng = np.random.default_rng(5)
    table = {
        "a": rng.integers(0, 6, 300),
        "b": rng.integers(0, 9, 300),
        "c": rng.integers(0, 3, 300),
    }
    entropy = rr.measure(rr.read({k: v.tolist() for k, v in table.items()})).entropy
    shuffled = [
        rr.measure(
            rr.read({k: rng.permutation(v).tolist() for k, v in table.items()})
        ).entropy.table
        for _ in range(100)
    ]
    spread = np.std(shuffled) / 10
    assert entropy.random == pytest.approx(np.mean(shuffled), abs=4 * spread + 1e-4)


def test_persons_and_wildcards_have_no_product_law() -> None:
    table = {"a": ["x", None, "y"], "who": ["p", "p", "q"]}
    assert rr.measure(rr.read(table, columns=["a"], person="who")).entropy.random is None
    assert rr.measure(rr.read(table, columns=["a"], missing="wildcard")).entropy.random is None


def test_the_hash_is_of_the_files_bytes(tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    risk = rr.measure(rr.read(path, columns=["a"]))
    assert risk.envelope.input.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert rr.measure(rr.read({"a": [1]})).envelope.input.sha256 is None


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_risk_file_keeps_the_order(tmp_path: Path, kind: str, engine: str) -> None:
    table = rr.read({"a": list("xyxzx"), "n": [1, 2, 1, 0, 1]}, columns=["a"], count="n",
                    engine=engine)  # fmt: skip
    path = tmp_path / f"risk.{kind}"
    rr.write_risk_file(table, path, crowds=[2, 3])
    if kind == "parquet":
        rows = pq.read_table(path).to_pydict()
        assert rows["row"] == [1, 2, 3, 4, 5]
        assert rows["crowd"] == [3, 2, 3, 0, 3]
        assert rows["risk"] == [1 / 3, 1 / 2, 1 / 3, None, 1 / 3]
        assert rows["k3"] == [1, 0, 1, 0, 1]
    else:
        assert path.read_text().splitlines()[:3] == [
            "row,crowd,risk,k2,k3",
            "1,3,0.3333333333333333,1,1",
            "2,2,0.5,1,0",
        ]


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_the_risk_file_of_persons(tmp_path: Path, engine: str) -> None:
    table = rr.read({"a": list("xyxy"), "who": ["q", "p", "r", "p"]}, columns=["a"], person="who",
                    engine=engine)  # fmt: skip
    rr.write_risk_file(table, tmp_path / "risk.parquet")
    rows = pq.read_table(tmp_path / "risk.parquet").to_pydict()
    assert rows == {"person": ["q", "p", "r"], "crowd": [2, 1, 2], "risk": [0.5, 1.0, 0.5]}


WORDS = {
    "Everyone is alone (unique): no two of the 3 people share a combination of values.": [1, 2, 3],
    "everyone shares their combination of values with at least 1 other.": [1, 1, 2, 2],
    "Nobody is alone (unique):": [1, 1, 2, 2],
    "1 person of 3 (33.3 %) is alone (unique): nobody else has their combination of values.": [
        1, 1, 2,
    ],
    "Every crowd has 2 people (k-anonymity: k = 2)": [1, 1, 2, 2],
}  # fmt: skip


@pytest.mark.parametrize("sentence", WORDS)
def test_sentences_differ_with_the_answer(sentence: str) -> None:
    told = str(rr.measure(rr.read({"a": WORDS[sentence]}, columns=["a"])))
    assert sentence in " ".join(told.split())


def test_a_notebook_shows_names_as_text() -> None:
    html = rr.measure(rr.read({"<script>alert(1)</script>": [1, 2]}))._repr_html_()
    assert "<table>" in html
    assert "<script>" not in html


def test_doctests() -> None:
    import doctest

    from reidrisk.measurement import table_measures

    assert doctest.testmod(table_measures).attempted > 0
    assert doctest.testmod(table_measures).failed == 0
