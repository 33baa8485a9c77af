"""TFRR's figures 3 and 4, and calibration: people of random tables.

For each of the 64 sets (N, d, λ): MPD of the binomial form over 1,000 tuples drawn from all tuples
that could occur, AUC, positive rate and precision at 0.6 for k = 2, 3, 4 over 1,000 people of a
table, conditioned as in the paper (eq. 12); then the calibration at N = 100,000 for k = 2, 3, 5, of
the paper's condition and of a known member. Sets in which everybody or nobody is
k-indistinguishable have nothing to tell apart and are left out, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import reidrisk as rr
from reidrisk.laws.probability_difference import maximum_probability_difference
from reidrisk.papers.judging import Judged, judged, one_class
from reidrisk.prediction.scoring import scored

from .people_of_tables import DrawnPeople, drawn_people
from .random_sets import LAMBDAS, SETS, ParameterSet, random_tables

KS = (2, 3, 4)
CALIBRATED_KS = (2, 3, 5)
CALIBRATED_RECORDS = 100_000


def lines(people: int, tuples: int, seed: int, most_records: int) -> Iterator[str]:
    """The report, line by line."""
    yield "| N | d | λ | MPD ¼ ½ ¾ | most | AUC k = 2, 3, 4 | positive | precision at 0.6 |"
    yield "|---|---|---|---|---|---|---|---|"
    found: dict[tuple[ParameterSet, int], Judged] = {}
    largest: dict[int, float] = {}
    for chosen in (each for each in SETS if each.records <= most_records):
        drawn = _drawn(chosen, people, seed)
        differences = _differences(drawn, tuples, seed)
        quarters = " ".join(f"{each:.5f}" for each in np.quantile(differences, (0.25, 0.5, 0.75)))
        upper = float(np.quantile(differences, 0.75))
        largest[chosen.records] = max(largest.get(chosen.records, 0.0), upper)
        paper = scored(drawn.settled, drawn.codes, KS, "paper", "independent").crowds.at_least
        for place, k in enumerate(KS):
            truth = drawn.crowds >= k
            if not one_class(truth):
                found[chosen, k] = judged(paper[:, place], truth)
        listed = [found.get((chosen, k)) for k in KS]
        yield (
            f"| {chosen.records:,} | {chosen.attributes} | {chosen.lambda_:g} | {quarters} "
            f"| {differences.max():.5f} | {_cells(listed, 'auc')} | {_cells(listed, 'positive')} "
            f"| {_cells(listed, 'precision')} |"
        )
    yield ""
    yield from _summary(found, largest)
    yield ""
    yield from calibration(people, seed)


def _drawn(chosen: ParameterSet, people: int, seed: int) -> DrawnPeople:
    table = next(random_tables(chosen, 1, seed))
    rng = np.random.default_rng([seed, 1])
    return drawn_people(table, table.column_names, people, rng, pairs="none")


def _differences(drawn: DrawnPeople, tuples: int, seed: int) -> NDArray[np.float64]:
    """MPD as printed (eq. 2) of tuples that could occur."""
    rng = np.random.default_rng([seed, 3])
    counts = [rng.choice(each, tuples) for each in drawn.settled.knowledge.counts]
    n = drawn.settled.records
    found = [maximum_probability_difference(n, row.tolist()) for row in np.stack(counts, axis=1)]
    return np.array([each.signed for each in found])


def _cells(listed: list[Judged | None], figure: str) -> str:
    return " ".join("–" if each is None else f"{getattr(each, figure):.3f}" for each in listed)


def _summary(
    found: dict[tuple[ParameterSet, int], Judged], largest: dict[int, float]
) -> Iterator[str]:
    for records, most in largest.items():
        yield f"- N = {records:,}: in every set three quarters of the MPDs below {most:.5f}"
    for k in KS:
        of_k = [each for (_, size), each in found.items() if size == k]
        if of_k:
            aucs = [each.auc for each in of_k]
            precise = [each.precision for each in of_k if np.isfinite(each.precision)]
            yield (
                f"- k = {k}: AUC {np.mean(aucs):.3f} on average over {len(aucs)} sets, "
                f"{min(aucs):.3f} at least; precision at 0.6 {np.mean(precise):.3f} on average, "
                f"{min(precise):.3f} at least over {len(precise)} sets"
            )


def calibration(people: int, seed: int) -> Iterator[str]:
    """Expected calibration error and Brier score at N = 100,000: member beside the paper."""
    yield "| N = 100,000 | k | ECE member | ECE paper | Brier member | Brier paper |"
    yield "|---|---|---|---|---|---|"
    for attributes in (2, 3, 4, 5):
        for lambda_ in LAMBDAS:
            rng = np.random.default_rng([seed, 2, attributes, int(lambda_ * 10)])
            table = rr.random_table(CALIBRATED_RECORDS, attributes, lambda_, rng)
            drawn = drawn_people(table, table.column_names, 20 * people, rng, pairs="none")
            yield from _calibrated(drawn, f"d = {attributes}, λ = {lambda_:g}")


def _calibrated(drawn: DrawnPeople, named: str) -> Iterator[str]:
    scores = {
        given: scored(
            drawn.settled, drawn.codes, CALIBRATED_KS, given, "independent"
        ).crowds.at_least
        for given in ("member", "paper")
    }
    for place, k in enumerate(CALIBRATED_KS):
        truth = drawn.crowds >= k
        if one_class(truth):
            continue
        member, paper = (judged(scores[given][:, place], truth) for given in ("member", "paper"))
        yield (
            f"| {named} | {k} | {member.calibration:.4f} | {paper.calibration:.4f} "
            f"| {member.brier:.4f} | {paper.brier:.4f} |"
        )
