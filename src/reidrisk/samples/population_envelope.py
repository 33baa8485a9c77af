"""What answers about a sample's population say of themselves: assumptions, warnings, fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reidrisk.crowds import Assumption, Envelope
from reidrisk.measurement import envelope
from reidrisk.records import Table
from reidrisk.samples.estimation import Estimate
from reidrisk.samples.population_error import SMALLEST_FRACTION

MODEL = "calibrated laws"
# Below these the answer rests on little: people sampled; above it: disagreement.
FEW, APART, FEWEST_LEARNED = 50, 0.5, 200
NOT_SAID = ("table-is-everyone", "weights-unused")
LAWS = Assumption(
    "calibrated-laws",
    "model",
    "How many people of the population share a combination is judged by laws fitted to the sample "
    "and calibrated on it: a chain of two-way tables and latent classes. Dependence of three "
    "columns "
    "that no two show is seen in part.",
)
ALIKE = Assumption(
    "sampled-alike",
    "table",
    "The sample was drawn at random, everybody of the population with the same probability.",
    ("sampled-by-weight",),
)
BY_WEIGHT = Assumption(
    "sampled-by-weight",
    "table",
    "People were drawn with probabilities that their weights say. Where the strata they were drawn "
    "by aren't among the columns, people of several strata share a combination, and the estimate "
    "is "
    "worse.",
    ("sampled-alike",),
)
JOURNALIST = Assumption(
    "sample-membership-unknown",
    "attacker",
    "The attacker knows exactly these columns of the person, without error, and doesn't know who "
    "is in "
    "the sample.",
)
EVERYBODY = Assumption(
    "sample-is-everyone", "table", "The sample is the whole population: all figures are counted."
)


def envelope_of(
    command: str, table: Table, found: Estimate, seed: int, columns: Sequence[str] | None = None
) -> Envelope:
    """What an answer of a sample's population says of itself."""
    said = envelope(command, table, columns)
    whole = found.sample.population == found.sample.n
    how = EVERYBODY if whole else BY_WEIGHT if table.engine.options.weight else ALIKE
    kept = [each for each in said.assumptions
            if each.key not in (*NOT_SAID, "attacker-without-error")]  # fmt: skip
    return replace(
        said,
        seed=None if whole else seed,
        model=None if whole else MODEL,
        assumptions=(how, JOURNALIST, *kept, *(() if whole else (LAWS,))),
        warnings=(*said.warnings, *warnings_of(found)),
    )


def warnings_of(found: Estimate) -> list[str]:
    """Where the answer rests on little."""
    sample, told = found.sample, list[str]()
    if sample.population == sample.n:
        return told
    if found.sample_alone == sample.n and sample.n > 1:
        told.append(
            "Everybody in the sample is alone in it, so nothing shows how many people share a "
            "combination: the intervals are as wide as that. Fewer or coarser columns tell more."
        )
    elif sample.n < FEW:
        told.append(f"A sample of {sample.n} people says little: mind the intervals.")
    if found.disagreement > APART:
        least, most = min(found.totals.values()), max(found.totals.values())
        told.append(
            f"The laws disagree: by themselves they expect between {least:,.0f} and {most:,.0f} "
            f"people "
            "who are alone in the sample and in the population. Little is known then, and the "
            "interval is wider."
        )
    if FEW <= sample.n < FEWEST_LEARNED or sample.n < SMALLEST_FRACTION * sample.population:
        told.append(
            f"Intervals were learned from samples of {FEWEST_LEARNED} people and more and of "
            f"{SMALLEST_FRACTION:.1%} of the population and more; this one is smaller, and they "
            f"may "
            "hold less often."
        )
    if sample.weight is not None:
        told.append(
            "With weights intervals are wider, as learned from samples by strata: of samples whose "
            "strata aren't among their columns the estimates are about twice as far off."
        )
    if any(law.calibration.ended != "converged" for law in found.laws):
        told.append("The calibration of a law did not converge: mind the figures.")
    return told


def fit_of(found: Estimate) -> dict[str, Any]:
    """How the fits ended, and what each law says by itself."""
    if found.densities is None:
        return {"ended": "counted"}
    ended = {law.calibration.ended for law in found.laws}
    stack, chain = (law.calibration for law in found.laws)
    return {
        "ended": "converged" if ended == {"converged"} else ", ".join(sorted(ended)),
        "tau1_by_law": dict(found.totals),
        "disagreement": found.disagreement,
        "weights": dict(
            zip(("chain", "classes", "independent"), found.densities.weights.tolist(), strict=True)
        ),
        "shapes": {"stack": stack.shape, "chain": chain.shape},
        "classes_fitted_on": found.densities.classes.fitted_on,
    }
