"""A table's risk in words: the verdict, three sentences, the crowds, dependence between columns."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.measurement import TableRisk
from reidrisk.reports.crowd_figures import crowd_figures, level_of, verdict_of
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.words.blocks import Blocks, Grid, Part
from reidrisk.reports.words.layout import agreed, bar, number, people, share
from reidrisk.statistics import Dependence

LONGEST_NAME = 18


def table_risk_blocks(risk: TableRisk) -> Blocks:
    """The whole answer."""
    dependence = dependence_parts(risk.dependence or (), risk.envelope.input.columns)
    model = of_the_model(risk) if risk.predicted else []
    parts = (sentences(risk), crowds_grid(risk), *dependence, model, [_details(risk)])
    return Blocks(headline(risk), risk.envelope, parts)


def headline(risk: TableRisk) -> str:
    """The verdict, and what it is about."""
    return f"{verdict(risk)} ({subject(risk)})"


def subject(risk: TableRisk) -> str:
    """What was counted or predicted."""
    seen = risk.envelope.input
    columns = agreed(len(seen.columns), "quasi-identifier", "quasi-identifiers")
    return f"{seen.named}: {counted(risk, round(risk.people))}, {columns}"


def verdict(risk: TableRisk) -> str:
    """How bad it is, in a few words."""
    told = Discretion(risk.people)
    level = level_of(crowd_figures(risk.crowd_sizes, told))
    return verdict_of(level, told, risk.envelope.input.nouns[1])


def counted(risk: TableRisk, amount: float) -> str:
    """1 person, 2 people; rows where it isn't known whether they are people."""
    return people(amount, risk.envelope.input.nouns)


def sentences(risk: TableRisk) -> list[str]:
    """Who is at risk, in three sentences that differ with the answer."""
    return [_alone_sentence(risk), _overall_sentence(risk), _extremes_sentence(risk)]


def _alone_sentence(risk: TableRisk) -> str:
    if risk.predicted:
        return _expected_alone(risk)
    alone, everyone = risk.alone, risk.people
    if alone.people == 0:
        return (
            "Nobody is alone (unique): everyone shares their combination of values with at least "
            f"{agreed(risk.smallest_crowd - 1, 'other', 'others')}."
        )
    if alone.people == everyone:
        if everyone == 1:
            one = risk.envelope.input.nouns[0]
            return f"The one {one} in the table is alone (unique)."
        return (
            f"Everyone is alone (unique): no two of the {counted(risk, everyone)} share a "
            "combination of values."
        )
    are = "is" if alone.people == 1 else "are"
    return (
        f"{counted(risk, alone.people)} of {number(everyone)} ({share(alone.share)}) {are} alone "
        "(unique): nobody else has their combination of values."
    )


def _expected_alone(risk: TableRisk) -> str:
    alone = risk.alone
    if alone.people < 0.5:
        return (
            "Nobody is expected to be alone (unique); the smallest crowd is likely to have "
            f"{counted(risk, risk.smallest_crowd)}."
        )
    limits = risk.intervals.get("alone_share")
    within = f", {_if_it_holds(limits)}" if limits else ""
    return (
        f"{counted(risk, round(alone.people))} of {number(round(risk.people))} "
        f"({share(alone.share)}{within}) are expected to be alone (unique): nobody else has their "
        "combination of values."
    )


def _if_it_holds(limits: tuple[float, float]) -> str:
    """The interval says nothing of the model's own error, and must not read as if it did."""
    return f"{share(limits[0])} to {share(limits[1])} if the model holds"


def of_the_model(risk: TableRisk) -> list[str]:
    """Which model, why, how its fit ended, and what independence would give."""
    told = [f"Model: {risk.envelope.model}. {risk.why}"]
    if risk.fit and risk.fit.get("ended") not in (None, "exact"):
        details = [f"{_FIT[key]} {risk.fit[key]:,.3g}" for key in _FIT if key in risk.fit]
        told.append(f"The fit ended: {risk.fit['ended']} ({', '.join(details)}).")
    if risk.reference is not None:
        under = risk.reference
        told.append(
            f"If all columns were independent: {number(round(under.alone.people))} alone "
            f"({share(under.alone_share)}), overall risk {share(under.overall_risk)}."
        )
    return told


_FIT = {
    "sweeps": "sweeps",
    "largest_pair_deviation": "largest pair deviation in people",
    "effective_rows": "effective rows",
    "monte_carlo_error": "Monte Carlo error of the overall risk",
    "samples": "samples",
    "capacity": "tables a sample",
    "unreached_people": "people out of reach",
}


def _overall_sentence(risk: TableRisk) -> str:
    hits, everyone = round(risk.expected_reidentifications), round(risk.people)
    limits = risk.intervals.get("overall_risk")
    within = f"; {_if_it_holds(limits)}" if limits else ""
    return (
        "With one guess per person, an attacker who knows these columns re-identifies "
        f"{number(hits)} of {number(everyone)} on average: overall risk "
        f"{share(risk.overall_risk)} (average risk, marketer{within})."
    )


def _extremes_sentence(risk: TableRisk) -> str:
    smallest, largest = risk.smallest_crowd, risk.crowd_sizes.largest_crowd
    highest = f"highest risk {share(risk.highest_risk)} (maximum, prosecutor)"
    k = f"k-anonymity: k = {number(smallest)}"
    if smallest == largest:
        return f"Every crowd has {counted(risk, smallest)} ({k}): {highest}."
    return (
        f"Smallest crowd {number(smallest)} ({k}): {highest}. Largest crowd {number(largest)}: "
        f"lowest risk {share(risk.lowest_risk)}."
    )


def crowd_rows(risk: TableRisk) -> list[tuple[str, str, str, float]]:
    """(crowd, people, share, share as a number): alone, then at least k."""
    rows = [("alone", number(round(risk.alone.people)), share(risk.alone_share), risk.alone_share)]
    for k, part in risk.share_in_crowds_of_at_least.items():
        rows.append((f"at least {number(k)}", number(round(part * risk.people)), share(part), part))
    return rows


def crowds_grid(risk: TableRisk) -> Grid:
    """People alone, and in crowds of at least k."""
    rows = crowd_rows(risk)
    heads = ("crowd", risk.envelope.input.nouns[1], "share")
    bars = tuple(bar(part) for *_, part in rows)
    return Grid(heads, tuple((crowd, held, part) for crowd, held, part, _ in rows), bars=bars)


def _details(risk: TableRisk) -> str:
    entropy = risk.entropy
    known = {
        "everyone different": entropy.maximum,
        "sum of the columns": entropy.experience,
        "if independent": entropy.random,
        "as it is": entropy.table,
    }
    bits = ", ".join(f"{name} {value:.2f}" for name, value in known.items() if value is not None)
    # Where an empty cell matches anything there are matches, not crowds.
    matched = risk.crowd_sizes.kind == "matched"
    crowds = "" if matched else f"Crowds (equivalence classes): {number(round(risk.distinct))}. "
    return f"{crowds}Entropy in bits: {bits}."


def dependence_parts(found: Sequence[Dependence], columns: Sequence[str]) -> tuple[Part, ...]:
    """The matrix for pairs of columns; a line for a group that was asked for."""
    if any(len(each.of) > 1 or len(each.on) > 1 for each in found) or len(found) == 1:
        return ([_group_sentence(each) for each in found],)
    return (_matrix(found, columns), [_following(found)]) if found else ()


def _group_sentence(each: Dependence) -> str:
    return (
        f"{','.join(each.of)} depends on {','.join(each.on)}: gain ratio {each.gain_ratio:.3f} "
        f"({each.kind}), corrected for chance; uncorrected {each.uncorrected:.3f}."
    )


def _matrix(found: Sequence[Dependence], columns: Sequence[str]) -> Grid:
    ratio = {(each.of[0], each.on[0]): each.gain_ratio for each in found}
    rows = []
    for place, of in enumerate(columns, start=1):
        cells = ["–" if of == on else _cell(ratio.get((of, on))) for on in columns]
        rows.append((f"{place} {of[:LONGEST_NAME]}", *cells))
    heads = ("depends on …", *(str(place) for place in range(1, len(columns) + 1)))
    return Grid(heads, tuple(rows))


def _cell(ratio: float | None) -> str:
    """Two digits; one that isn't quite 1 doesn't look like it."""
    if ratio is None:
        return ""
    return "1" if ratio == 1 else f"{min(ratio, 0.99):.2f}"[1:]


def _following(found: Sequence[Dependence]) -> str:
    complete = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "complete"]
    strong = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "strong"]
    said = (
        "Dependence (gain ratio corrected for chance, 0 to 1): how much of the row's column the "
        "column above predicts."
    )
    if complete:
        said += f" Entirely: {', '.join(complete)}."
    if strong:
        said += f" Largely: {', '.join(strong)}."
    return said
