"""A table's risk in words: three sentences, one table, and what was taken for granted.

Dependence in words: a matrix, and what follows from what.
"""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.measurement import TableRisk
from reidrisk.reports.words.layout import (
    Style,
    bar,
    html_answer,
    html_notes,
    html_table,
    number,
    opening,
    paragraph,
    people,
    plainly,
    share,
    table,
)
from reidrisk.statistics import Dependence

LONGEST_NAME = 18


def dependence_text(found: Sequence[Dependence], columns: Sequence[str]) -> str:
    """The matrix for pairs of columns; a line for a group that was asked for."""
    if any(len(each.of) > 1 or len(each.on) > 1 for each in found) or len(found) == 1:
        return "\n".join(paragraph(_sentence(each), "  ") for each in found)
    return f"{_matrix(found, columns)}\n{_following(found)}"


def _sentence(each: Dependence) -> str:
    return (
        f"{','.join(each.of)} depends on {','.join(each.on)}: gain ratio {each.gain_ratio:.3f} "
        f"({each.kind}), corrected for chance; uncorrected {each.uncorrected:.3f}."
    )


def _matrix(found: Sequence[Dependence], columns: Sequence[str]) -> str:
    ratio = {(each.of[0], each.on[0]): each.gain_ratio for each in found}
    rows = []
    for place, of in enumerate(columns, start=1):
        cells = ["–" if of == on else _cell(ratio.get((of, on))) for on in columns]
        rows.append([f"{place} {of[:LONGEST_NAME]}", *cells])
    heads = ["depends on …", *(str(place) for place in range(1, len(columns) + 1))]
    return table(heads, rows, left=(0,))


def _cell(ratio: float | None) -> str:
    """Two digits; one that isn't quite 1 doesn't look like it."""
    if ratio is None:
        return ""
    return "1" if ratio == 1 else f"{min(ratio, 0.99):.2f}"[1:]


def _following(found: Sequence[Dependence]) -> str:
    complete = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "complete"]
    strong = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "strong"]
    said = (
        "Dependence (gain ratio corrected for chance, 0 to 1): how much knowing the column above "
        "tells of the row."
    )
    if complete:
        said += f" Follows entirely: {', '.join(complete)}."
    if strong:
        said += f" Largely: {', '.join(strong)}."
    return paragraph(said, "  ")


def table_risk_text(risk: TableRisk, strong: Style = plainly) -> str:
    """The whole answer as text."""
    seen = risk.envelope.input
    parts = [
        *opening(strong(headline(risk)), risk.envelope),
        "\n".join(paragraph(sentence, "  ") for sentence in sentences(risk)),
        _crowds_table(risk),
        *([dependence_text(risk.dependence, seen.columns)] if risk.dependence else []),
        *(
            ["\n".join(paragraph(each, "  ") for each in of_the_model(risk))]
            if risk.predicted
            else []
        ),
        _details(risk),
        *([_warned(risk)] if risk.warnings else []),
    ]
    return "\n\n".join(parts)


def headline(risk: TableRisk) -> str:
    """What was read."""
    seen = risk.envelope.input
    columns = f"{len(seen.columns)} column{'s' if len(seen.columns) != 1 else ''}"
    return f"{seen.named}: {counted(risk, round(risk.people))}, {columns} looked at"


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
            f"Nobody is alone: everyone shares their tuple with at least "
            f"{counted(risk, risk.smallest_crowd - 1)}."
        )
    if alone.people == everyone:
        if everyone == 1:
            one = risk.envelope.input.nouns[0]
            return f"The one {one} in the table is alone: nobody shares their tuple."
        return f"Everyone is alone: no two of the {counted(risk, everyone)} share a tuple."
    are = "is" if alone.people == 1 else "are"
    return (
        f"{counted(risk, alone.people)} of {number(everyone)} ({share(alone.share)}) {are} alone: "
        "nobody shares their tuple."
    )


def _expected_alone(risk: TableRisk) -> str:
    alone = risk.alone
    if alone.people < 0.5:
        return (
            f"Nobody is expected to be alone; the smallest crowd is likely to have "
            f"{counted(risk, risk.smallest_crowd)}."
        )
    limits = risk.intervals.get("alone_share")
    within = f", {_if_it_holds(limits)}" if limits else ""
    return (
        f"{counted(risk, round(alone.people))} of {number(round(risk.people))} "
        f"({share(alone.share)}{within}) are expected to be alone: nobody shares their tuple."
    )


def _if_it_holds(limits: tuple[float, float]) -> str:
    """The interval says nothing of the model's own error, and must not read as if it did."""
    return f"{share(limits[0])} to {share(limits[1])} if the model holds"


def of_the_model(risk: TableRisk) -> list[str]:
    """Which model, why, how its fit ended, and what independence would give."""
    told = [f"Model: {risk.envelope.model}. {risk.why}"]
    if risk.fit and risk.fit.get("ended") not in (None, "exact"):
        details = [f"{_FIT[key]} {risk.fit[key]:,.6g}" for key in _FIT if key in risk.fit]
        told.append(f"The fit ended: {risk.fit['ended']} ({', '.join(details)}).")
    if risk.reference is not None:
        under = risk.reference
        told.append(
            f"As if all columns were independent: {number(round(under.alone.people))} alone "
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
    # With wildcards the crowds' number needn't be whole.
    about = "" if risk.predicted or hits == risk.expected_reidentifications else "about "
    limits = risk.intervals.get("overall_risk")
    within = f" ({_if_it_holds(limits)})" if limits else ""
    return (
        "Someone who knows these columns and guesses everyone once picks out "
        f"{about}{number(hits)} of {number(everyone)}: an overall risk of "
        f"{share(risk.overall_risk)}{within}."
    )


def _extremes_sentence(risk: TableRisk) -> str:
    if risk.smallest_crowd == risk.crowd_sizes.largest_crowd:
        return f"Every crowd has {counted(risk, risk.smallest_crowd)}."
    return (
        f"The smallest crowd has {counted(risk, risk.smallest_crowd)} (highest risk "
        f"{share(risk.highest_risk)}), the largest {number(risk.crowd_sizes.largest_crowd)} "
        f"(lowest risk {share(risk.lowest_risk)})."
    )


def crowd_rows(risk: TableRisk) -> list[tuple[str, str, str, float]]:
    """(crowd, people, share, share as a number): alone, then at least k."""
    rows = [("alone", number(round(risk.alone.people)), share(risk.alone_share), risk.alone_share)]
    for k, part in risk.share_in_crowds_of_at_least.items():
        rows.append((f"at least {number(k)}", number(round(part * risk.people)), share(part), part))
    return rows


def _crowds_table(risk: TableRisk) -> str:
    rows = [(*cells, bar(part)) for *cells, part in crowd_rows(risk)]
    return table(("crowd", risk.envelope.input.nouns[1], "share", ""), rows, left=(0, 3))


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
    counted = (
        f"Crowds: {number(round(risk.distinct))}. " if risk.crowd_sizes.kind != "matched" else ""
    )
    return "\n".join(
        [
            paragraph(f"{counted}Entropy in bits: {bits}.", "  "),
            paragraph("Taken for granted: " + " ".join(risk.envelope.assumptions), "  "),
        ]
    )


def _warned(risk: TableRisk) -> str:
    return "\n".join(paragraph(f"Note: {warning}", "  ") for warning in risk.warnings)


def table_risk_html(risk: TableRisk) -> str:
    """The answer for a notebook; everything from the table is escaped."""
    rows = [row[:3] for row in crowd_rows(risk)]
    shown = html_table(("crowd", risk.envelope.input.nouns[1], "share"), rows, right=(1, 2))
    return html_answer(
        risk.envelope, headline(risk), sentences(risk), shown, html_notes(risk.warnings)
    )
