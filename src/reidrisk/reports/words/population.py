"""A sample's people in the population, in words: who is alone there too, and how sure that is."""

from __future__ import annotations

import math

from reidrisk.reports.words.blocks import Blocks, Grid, agreed, listed, number, people, share
from reidrisk.samples import Figure, Households, PopulationRisk

ESTIMATOR = {
    "ewens": "Ewens", "pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB",
    "dankar": "Dankar's rule (ARX)", "benedetti_franconi": "Benedetti–Franconi",
    "main_effects": "log-linear, main effects", "two_way": "log-linear, two-way",
}  # fmt: skip
# From so many people on tenths of them say nothing.
MANY = 10
MOST_SCATTER = 1000.0


def population_blocks(risk: PopulationRisk) -> Blocks:
    """The whole answer."""
    parts: list[list[str] | Grid] = [sentences(risk), risks(risk)]
    if risk.households is not None:
        parts.append(household_sentences(risk.households))
    if risk.panel is not None:
        parts += [panel_grid(risk), panel_sentences(risk)]
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def headline(risk: PopulationRisk) -> str:
    """How many of those alone are alone in the population too, and what it is about."""
    seen = risk.envelope.input
    about = f"{seen.named}: {people(seen.people, seen.nouns)} sampled of {number(risk.population)}"
    alone = risk.sample_alone.people
    if not alone:
        return f"Nobody is alone in the sample ({about})"
    return (
        f"Of {people(alone, seen.nouns)} alone in the sample, {amount(risk.tau1.value)} "
        f"{'is' if amount(risk.tau1.value) == '1' else 'are'} expected to be alone in the "
        f"population "
        f"({about})"
    )


def sentences(risk: PopulationRisk) -> list[str]:
    """What the figures mean."""
    alone = risk.sample_alone.people
    if risk.population == risk.sampled:
        return [
            f"The sample is the whole population: all {people(alone)} alone in it (sample uniques) "
            "are alone in the population (population uniques)."
        ]
    if not alone:
        return [
            "Nobody is alone in the sample (sample unique). In the population at most "
            f"{people(math.ceil(risk.alone.interval[1]))} are expected to be alone (population "
            "unique)."
        ]
    nouns = risk.envelope.input.nouns
    are = "is" if amount(risk.tau1.value) == "1" else "are"
    low, high = (share(end) for end in risk.uniques_share.interval)
    return [
        f"{people(alone, nouns)} of {number(risk.sampled)} {'is' if alone == 1 else 'are'} alone "
        f"in the sample (sample uniques). Of them {amount(risk.tau1.value)} {are} expected to be "
        "alone in the population as well "
        f"(population uniques, τ1): {share(risk.uniques_share.value)} "
        f"(90 % interval {low} to {high}).",
        f"An attacker who guesses that each of them is the person looked for is right "
        f"{amount(risk.tau2.value)} times on average (τ2; {ends(risk.tau2)}).",
        f"In the whole population, {amount(risk.alone.value)} people "
        f"({share(risk.alone_share.value)}) "
        f"are expected to be alone ({ends(risk.alone)}).",
    ]


def amount(value: float) -> str:
    """A number of people, as exact as it deserves."""
    if value >= MANY or float(value).is_integer():
        return number(round(value))
    return "fewer than 0.01" if 0.0 < value < 0.01 else f"{value:.2g}"


def ends(figure: Figure) -> str:
    """90 % interval 3 to 12."""
    low, high = (amount(end) for end in figure.interval)
    return f"90 % interval {low} to {high}"


def risks(risk: PopulationRisk) -> Grid:
    """Each attacker's risk, in the sample and in the population."""
    sample = risk.sample
    rows = (
        ("highest, the person is known to be in the sample (prosecutor)",
         share(sample.highest_risk), "–"),
        ("highest, they aren't (journalist)", *_shares(risk.highest_risk)),
        ("overall, of the sample (marketer)", share(sample.overall_risk), "–"),
        ("overall, of the population (journalist, marketer)", *_shares(risk.overall_risk)),
        ("alone in the population", *_shares(risk.alone_share)),
    )  # fmt: skip
    return Grid(("risk", "value", "90 % interval"), rows)


def _shares(figure: Figure) -> tuple[str, str]:
    low, high = (share(end) for end in figure.interval)
    return share(figure.value), low if low == high else f"{low} to {high}"


def household_sentences(found: Households) -> list[str]:
    """The risk that one of a household is re-identified, and what members share."""
    told = [
        f"{agreed(found.number, 'household', 'households')}, {number(found.of_several)} of them "
        f"with "
        "several people in the sample: the risk that at least one member is re-identified is "
        f"{share(found.overall_risk)} on average and {share(found.highest_risk)} at most."
    ]
    if found.shared:
        told.append(
            f"Members of a household nearly always share {listed(list(found.shared))}. Laws that "
            "treat people as independent make too few crowds of a family's size of that, so the "
            "figures for the population are less sure than their intervals say."
        )
    return told


def panel_grid(risk: PopulationRisk) -> Grid:
    """τ1 by every estimator, ours first."""
    panel = risk.panel or {}
    low, high = (amount(end) for end in risk.tau1.interval)
    rows = [("this answer", amount(risk.tau1.value), f"{low} to {high}")]
    rows += [
        (ESTIMATOR.get(name, name), "–" if math.isnan(value) else amount(value), "")
        for name, value in panel.items()
    ]
    return Grid(("estimator", "alone in both (τ1)", "90 % interval"), tuple(rows))


def panel_sentences(risk: PopulationRisk) -> list[str]:
    """How far they scatter."""
    scatter = risk.panel_scatter
    if scatter is None or math.isnan(scatter):
        return []
    if scatter > MOST_SCATTER:
        return ["The published estimators scatter by more than a factor of a thousand."]
    return [f"The largest of the published estimators is {scatter:,.1f} times the smallest."]
