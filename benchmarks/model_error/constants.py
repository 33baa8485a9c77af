"""The file of constants: what was fitted, how often it held, and what models predicted then.

`coverage`, `median_width` and `recentring` are of the model that `predict` chooses for a table:
pairwise, or the tree where pairwise wasn't fitted. Each model's own coverage stands with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import reidrisk as rr
from reidrisk.arrays import Floats
from reidrisk.models import chosen_model
from reidrisk.prediction.model_error import FAMILIES, KINDS
from reidrisk.prediction.questions import complete_counts

from . import judging
from .cases import Case
from .fitting import MOVED, Moving, model_entry
from .judging import Judgement
from .widening import Ends, Part, beside, left_of

MODELS = ("pairwise", "triples", "tree", "independent")
DEFAULT, ELSE = "pairwise", "tree"
MADE_BY = "python -m benchmarks.model_error"
CITY = 3_000
FINGERPRINTS = (
    ("age", "sex", "marital_state"),
    ("county", "age", "sex", "occupation"),
    ("postcode", "sex", "marital_state", "occupation"),
)


def of(cases: Sequence[Case]) -> dict[str, Any]:
    """Fit the constants, judge them on tables left out, and take the models' fingerprint."""
    moving = {model: judging.worth_moving(cases, model) if model in MOVED else Moving()
              for model in MODELS}  # fmt: skip
    entries = {model: judging.left_out(cases, model, moving[model]) for model in MODELS}
    factors, without = _factors(cases, entries)
    models = {
        model: _model(cases, model, moving[model], entries[model], factors[model])
        for model in MODELS
    }
    by_default = {family: _by_default(cases, entries, factors, family) for family in FAMILIES}
    found = {
        "made_by": MADE_BY,
        "tables": list(dict.fromkeys(case.table for case in cases)),
        "sets": len(cases),
        **_summary(by_default),
        "coverage_by_table_widened_without_it": without,
        **_errors(cases, moving),
        "reliability": {
            kind: judging.reliability(
                cases, entries[DEFAULT], DEFAULT, judging.part_of(kind, FAMILIES[0])
            )
            for kind in KINDS
        },
        "models": models,
    }
    return {**_digits(found), "fingerprint": fingerprint()}


def _factors(
    cases: Sequence[Case], entries: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Ends]], dict[str, dict[str, float]]]:
    """How far each model's quantiles are moved out; by table, coverage with those of the others."""
    found: dict[str, dict[str, Ends]] = {model: {} for model in MODELS}
    without: dict[str, dict[str, float]] = {}
    for family in FAMILIES:
        left = {model: left_of(cases, entries[model], model, family) for model in MODELS}
        for model in MODELS:
            if model != DEFAULT:
                found[model][family] = Part(left[model]).ends(every_table=False)
        answered = [each.widened(found[ELSE][family]) for each in left[ELSE]]
        part = Part(left[DEFAULT], beside(left[DEFAULT], answered))
        found[DEFAULT][family] = part.ends(every_table=True)
        for table, held in part.held_by_others().items():
            without.setdefault(table, {})[family] = held
    for model, what in product(MODELS, judging.OTHERS):
        found[model][what] = judging.factor_of(cases, entries[model], model, what)
    return found, without


def _errors(cases: Sequence[Case], moving: Mapping[str, Moving]) -> dict[str, Any]:
    """Errors of tables left out, as fitted and moved: their mean, and the largest."""

    def of_each(measure: Callable[[Floats], Floats]) -> dict[str, Any]:
        return {
            model: {
                kind: {
                    family: _moved_errors(cases, model, moving[model], kind, family, measure)
                    for family in FAMILIES
                }
                for kind in KINDS
            }
            for model in MOVED
        }

    return {
        "mean_error_before_and_after_moving": of_each(lambda errors: errors.mean(axis=0)),
        "largest_error_before_and_after_moving": of_each(lambda errors: errors.max(axis=0)),
    }


def _moved_errors(
    cases: Sequence[Case],
    model: str,
    moving: Moving,
    kind: str,
    family: str,
    measure: Callable[[Floats], Floats],
) -> list[float]:
    before, after = measure(judging.moving(cases, model, moving.by, kind, family)).tolist()
    return [before, after if kind in moving.kinds else before]


def _model(
    cases: Sequence[Case],
    model: str,
    moving: Moving,
    entries: Mapping[str, Any],
    factors: Mapping[str, Ends],
) -> dict[str, Any]:
    """A model's entry, with how often it held and how far its quantiles were moved out."""
    own = judging.widened(model_entry(cases, model, moving), factors)
    own["widened"] = {what: list(ends) for what, ends in factors.items()}
    for what in judging.OTHERS:
        judged = judging.judged(cases, entries, model, what, factors[what])
        own[what] = {**own[what], "coverage": judging.coverage(judged)}
    for kind, families in own["figures"].items():
        for family, each in families.items():
            what = judging.part_of(kind, family)
            judged = judging.judged(cases, entries, model, what, factors[family])
            each["coverage"] = judging.coverage(judged) if judged else None
    return own


def _by_default(
    cases: Sequence[Case],
    entries: Mapping[str, Mapping[str, Any]],
    factors: Mapping[str, Mapping[str, Ends]],
    family: str,
) -> list[Judgement]:
    """A family's judgements by the model that `predict` chooses."""
    parts = [judging.part_of(kind, family) for kind in KINDS]
    first, rest = (
        [each for part in parts
         for each in judging.judged(cases, entries[model], model, part, factors[model][family])]
        for model in (DEFAULT, ELSE)
    )  # fmt: skip
    fitted = {each[:3] for each in first}
    return [*first, *(each for each in rest if each[:3] not in fitted)]


def _summary(by_default: Mapping[str, Sequence[Judgement]]) -> dict[str, Any]:
    def by(key: Callable[[Judgement], str]) -> dict[str, dict[str, float]]:
        apart = {family: judging.coverage_by(each, key) for family, each in by_default.items()}
        names = dict.fromkeys(name for parts in apart.values() for name in parts)
        return {name: {family: apart[family][name] for family in apart} for name in names}

    widths = {
        family: float(np.median([each.width for each in judgements]))
        for family, judgements in by_default.items()
    }
    return {
        "coverage": {family: judging.coverage(each) for family, each in by_default.items()},
        "coverage_by_table": by(lambda each: each.table),
        "coverage_by_protection": by(lambda each: each.protection),
        "coverage_by_attributes": by(lambda each: str(len(each.columns))),
        "coverage_by_sparsity": by(lambda each: judging.band_of(each.sparse)),
        "median_width": widths,
    }


def fingerprint() -> list[dict[str, Any]]:
    """What models predict of sets of columns of the generated city, unprotected."""
    found = []
    for columns in FINGERPRINTS:
        table = rr.read(rr.city(CITY), list(columns))
        plain, with_triples = (
            complete_counts(rr.publish(table, unprotected=True, triples=triples), None, {}, {})
            for triples in (False, True)
        )
        for model in MODELS:
            known = with_triples if model == "triples" else plain
            rng = np.random.default_rng(0)
            crowds = chosen_model(known.knowledge, model, rng).model.crowd_sizes()
            figures = round(crowds.overall_risk, 6), round(crowds.alone_share, 6)
            names = ("overall_risk", "alone_share")
            found.append(
                {"columns": list(columns), "model": model, **dict(zip(names, figures, strict=True))}
            )
    return found


def _digits(held: Any) -> Any:
    """Numbers to five significant digits."""
    if isinstance(held, float):
        return float(f"{held:.5g}")
    if isinstance(held, Mapping):
        return {key: _digits(each) for key, each in held.items()}
    return [_digits(each) for each in held] if isinstance(held, list) else held


def save(found: Mapping[str, Any], path: Path) -> None:
    """Write the file."""
    text = json.dumps(found, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
