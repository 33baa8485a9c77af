"""Learning: the field's measures of attribute disclosure, by pyCANON and by reidrisk.

A difference is explained only where computing the figure that way gives pyCANON's:

    whole part          pyCANON keeps the whole part of entropy ℓ
    rarest value first  its recursive (c, ℓ) puts the rarest value's count over the ℓ-th rarest and
                        commoner ones, and gives the whole number above; Machanavajjhala et al.
                        (2007) put the commonest over the ℓ-th commonest and rarer ones
    not for ℓ = 1       it gives no c where a crowd has one value
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.marked_page import rows

KNOWN = ("age", "education", "occupation", "relationship", "sex", "native-country")
FIGURES = {
    "l": "ℓ", "entropy_l": "entropy ℓ", "recursive_c": "c", "t": "t", "beta": "β",
    "enhanced_beta": "enhanced β", "delta": "δ", "alpha": "α",
}  # fmt: skip


class Task(NamedTuple):
    """A file of Adult, what is known, and what may be learnt."""

    file: str
    columns: tuple[str, ...]
    sensitive: str


TASKS = (
    Task("adult_anonymized_k3", KNOWN, "salary-class"),
    Task("adult_anonymized_k10", KNOWN, "salary-class"),
    Task("adult_anonymized_k20", KNOWN, "salary-class"),
    Task("adult_anonymized_k20", ("native-country",), "salary-class"),
    Task("adult", ("race", "sex"), "occupation"),
    Task("adult", KNOWN, "salary"),
)


def lines(data: Path) -> list[str]:
    """The table, or why there is none."""
    if not (data / "adult").is_dir():
        return ["Not run: Adult isn't at hand."]
    if find_spec("pycanon") is None:
        return ["Not run: pyCANON isn't installed."]
    body: list[list[str]] = []
    for task in TASKS:
        path = data / "adult" / f"{task.file}.parquet"
        ours, why = of_reidrisk(path, task), []
        theirs = of_pycanon(path, task)
        for name, told in FIGURES.items():
            said = explanation(name, ours, theirs, path, task)
            why += [f"{told}: {said}"] * bool(said)
        known = f"{len(task.columns)} known, {task.sensitive}"
        body.append([f"**{task.file}**, {known}: reidrisk", *map(_shown, ours.values()), ""])
        body.append(["pyCANON", *map(_shown, theirs.values()), "; ".join(why) or "equal"])
    return rows(("table", *FIGURES.values(), "why"), body)


def of_reidrisk(path: Path, task: Task) -> dict[str, float]:
    """By `learn`."""
    import reidrisk as rr

    found = rr.learn(path, columns=task.columns, sensitive=task.sensitive)
    assert isinstance(found, rr.LearningRisk)
    risk = found.sensitive[task.sensitive]
    figures = (
        risk.distinct_l, risk.entropy_l, risk.recursive_c, risk.t_closeness, risk.beta_likeness,
        risk.enhanced_beta_likeness, risk.delta_disclosure, risk.alpha,
    )  # fmt: skip
    return dict(zip(FIGURES, map(float, figures), strict=True))


def of_pycanon(path: Path, task: Task) -> dict[str, float]:
    """By its functions, on texts, an empty cell being one too."""
    import pyarrow.parquet as pq
    from pycanon import anonymity

    columns, one = list(task.columns), [task.sensitive]
    table = pq.read_table(path, columns=[*columns, *one]).to_pandas().astype(str)
    figures = (
        anonymity.l_diversity(table, columns, one),
        anonymity.entropy_l_diversity(table, columns, one),
        anonymity.recursive_c_l_diversity(table, columns, one)[0],
        anonymity.t_closeness(table, columns, one),
        anonymity.basic_beta_likeness(table, columns, one),
        anonymity.enhanced_beta_likeness(table, columns, one),
        anonymity.delta_disclosure(table, columns, one),
        anonymity.alpha_k_anonymity(table, columns, one)[0],
    )
    return dict(zip(FIGURES, map(float, figures), strict=True))


def explanation(
    name: str, ours: Mapping[str, float], theirs: Mapping[str, float], path: Path, task: Task
) -> str:
    """Why a figure differs; empty where it doesn't."""
    value = theirs[name]
    if math.isclose(ours[name], value, rel_tol=1e-9):
        return ""
    if name == "entropy_l" and value == math.floor(ours[name] + 1e-9):
        return "whole part"
    if name == "recursive_c" and math.isnan(value) and ours["l"] == 1:
        return "not for ℓ = 1"
    if name == "recursive_c" and value == rarest_first(path, task, int(ours["l"])):
        return "rarest value first"
    return "**unexplained**"


def rarest_first(path: Path, task: Task, l: int) -> float:  # noqa: E741
    """The c that comes of counts in rising order."""
    crowds = _counts(path, task)
    found = [math.floor(rising[0] / sum(rising[l - 1 :]) + 1) for rising in crowds]
    return float(max(found))


def _counts(path: Path, task: Task) -> Sequence[list[int]]:
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=[*task.columns, task.sensitive]).to_pandas().astype(str)
    held = table.groupby(list(task.columns), sort=False)[task.sensitive]
    return [sorted(each.value_counts().tolist()) for _, each in held]


def _shown(value: float) -> str:
    return "–" if math.isnan(value) else "none" if math.isinf(value) else f"{value:.6g}"
