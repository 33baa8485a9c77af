"""What was measured, as the tables of docs/method/population.md and docs/accuracy.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.marked_page import rows, write

from .cases import FIGURES, Case
from .errors import calibration_error, errors, floor

PAGE = Path(__file__).resolve().parents[2] / "docs" / "method" / "population.md"
NAMES = {
    "ewens": "Ewens", "pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB",
    "dankar": "Dankar's rule, as in ARX", "benedetti_franconi": "Benedetti–Franconi",
    "main_effects": "log-linear, main effects", "two_way": "log-linear, two-way",
}  # fmt: skip
CALLED = {
    "tau1": "sample uniques that are population unique", "tau2": "right guesses (τ2)",
    "alone": "people alone in the population", "overall_risk": "overall risk",
}  # fmt: skip


def estimators(cases: Sequence[Case]) -> list[str]:
    """Every estimator's error."""
    body = [_row(name, errors(cases, lambda case, key=key: case.panel[key]))  # type: ignore[misc]
            for key, name in NAMES.items()]  # fmt: skip
    alone = errors(cases, lambda case: case.totals.get("pairs"))
    body.append(_row("two-way tables alone (step 6)", alone))
    body.append(_row("calibrated laws (steps 1–5)", errors(cases, _laws)))
    body.append(_row("**`population`**", errors(cases, lambda case: case.estimate["tau1"])))
    return rows(("τ1 by", "samples", "RMSE of ln", "within ±0.25", "bias"), body)


def _laws(case: Case) -> float:
    return (case.totals["stack"] + case.totals["chain"]) / 2.0


def _row(name: str, found: Any) -> tuple[str, ...]:
    return (name, f"{found.samples}", f"{found.rmse:.3f}", f"{100 * found.within:.0f} %",
            f"{found.bias:+.2f}")  # fmt: skip


def by_table(cases: Sequence[Case], held: Mapping[str, Any]) -> list[str]:
    """Error, calibration and coverage, table by table."""
    body = []
    for table in held["tables"]:
        own = [case for case in cases if case.table == table]
        enough = any(case.truth["tau1"] >= 20 for case in own)
        found = errors(own, lambda case: case.estimate["tau1"]) if enough else None
        body.append((
            table, f"{len(own)}", "–" if found is None else f"{found.rmse:.3f}",
            f"{calibration_error(own):.4f}",
            *(_percent(held["coverage_by_table"][table][name]) for name in FIGURES),
        ))  # fmt: skip
    whole = errors(cases, lambda case: case.estimate["tau1"])
    body.append((
        "**all**", f"{len(cases)}", f"{whole.rmse:.3f}", f"{calibration_error(cases):.4f}",
        *(_percent(held["coverage"][name]) for name in FIGURES),
    ))  # fmt: skip
    head = ("table", "samples", "RMSE of ln τ1", "calibration error", "τ1 held", "τ2 held",
            "alone held", "overall risk held")  # fmt: skip
    return rows(head, body)


def others(cases: Sequence[Case]) -> list[str]:
    """The errors of the other figures, and what chance leaves."""
    body = [
        (CALLED[name], f"{found.rmse:.3f}", f"{100 * found.within:.0f} %")
        for name in FIGURES
        for found in [errors(cases, lambda case, name=name: case.estimate[name], name)]  # type: ignore[misc]
    ]
    body.append(("τ1, if every probability were known", f"{floor(cases):.3f}", "–"))
    return rows(("figure", "RMSE of ln", "within ±0.25"), body)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100.0 * share:.0f} %"


def fill(cases: Sequence[Case], held: Mapping[str, Any]) -> None:
    """Write them into the page."""
    write(PAGE, {
        "population-estimators": estimators(cases),
        "population-tables": by_table(cases, held),
        "population-figures": others(cases),
    })  # fmt: skip
