"""An attack in words: who is picked out, the survival curve, and what else was asked."""

from __future__ import annotations

from reidrisk.attacks import AllKnowledge, AttackRisk, UniqueSets, survival_at
from reidrisk.crowds import CrowdSizes
from reidrisk.reports.words.layout import (
    Style,
    agreed,
    bar,
    html_answer,
    html_notes,
    html_table,
    listed,
    number,
    opening,
    paragraph,
    paragraphs,
    people,
    plainly,
    share,
    table,
)
from reidrisk.reports.words.search import figure
from reidrisk.reports.words.table_risk import counted, of_the_model
from reidrisk.reports.words.table_risk import sentences as view_sentences

CURVE = (1.0, 1 / 2, 1 / 3, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100, 1 / 1000)
MOST_NAMED = 12
MOST_ATTRIBUTES = 5


def attack_text(risk: AttackRisk, strong: Style = plainly) -> str:
    """The whole answer as text."""
    parts = [
        *opening(strong(headline(risk)), risk.envelope),
        paragraphs(sentences(risk)),
        _curve(risk.crowd_sizes, risk.envelope.input.nouns),
        *([_sizes(risk.all_knowledge)] if risk.all_knowledge else []),
        *([paragraphs(also(risk))] if also(risk) else []),
        *([unique_sets_text(risk.unique_sets)] if risk.unique_sets else []),
        *([paragraphs(of_the_model(risk.view))] if risk.view.predicted else []),
        paragraphs(["Taken for granted: " + " ".join(risk.envelope.assumptions)]),
        *([paragraphs(_warned(risk))] if risk.envelope.warnings else []),
    ]
    return "\n\n".join(parts)


def headline(risk: AttackRisk) -> str:
    """What was attacked, knowing what."""
    names = list(risk.knows)
    known = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} attributes"
    seed = "" if risk.envelope.seed is None else f" (seed {risk.envelope.seed})"
    named = risk.envelope.input.named
    return f"{named}: {counted(risk.view, round(risk.people))} attacked, knowing {known}{seed}"


def sentences(risk: AttackRisk) -> list[str]:
    """Who is picked out."""
    held = round(risk.people_above)
    are = f"{'is' if held == 1 else 'are'}{' expected to be' if risk.view.predicted else ''}"
    above = (
        f"{counted(risk.view, held)} ({share(risk.share_above)}) {are} picked out "
        f"with a probability above {share(risk.above)}."
    )
    return [*view_sentences(risk.view), above]


def curve_rows(crowds: CrowdSizes) -> list[tuple[str, float, float]]:
    """(risk, people, share) at or above: the survival curve where it is usually read."""
    lowest = float(1 / crowds.sizes[-1])
    shown = [risk for risk in CURVE if risk >= lowest]
    shown += [lowest] if lowest < shown[-1] else []
    shares = [survival_at(crowds, risk) for risk in shown]
    everyone = crowds.people
    return [
        (share(risk), part * everyone, part)
        for risk, part in zip(shown, shares, strict=True)
    ]  # fmt: skip


def _curve(crowds: CrowdSizes, nouns: tuple[str, str]) -> str:
    rows = [
        (risk, number(round(held)), share(part), bar(part))
        for risk, held, part in curve_rows(crowds)
    ]
    return table(("picked out with at least", nouns[1], "share", ""), rows, left=(3,))


def _sizes(every: AllKnowledge) -> str:
    """For each size the mean, the worst and the best view."""
    rows = []
    for each in every.sizes:
        values = (each.mean, each.worst.value, each.best.value)
        figures = [figure(every.measure, value) for value in values]
        names = [listed(list(view.knows)) for view in (each.worst, each.best)]
        rows.append(
            (str(each.size), number(each.views), figures[0], figures[1], names[0], figures[2],
             names[1])
        )  # fmt: skip
    heads = ("knowing", "views", "mean", "worst", "", "best", "")
    size = agreed(every.up_to, "attribute", "attributes")
    told = paragraph(f"All knowledge of up to {size}, by {every.measure}:", "  ")
    return f"{told}\n{table(heads, rows, left=(4, 6))}"


def also(risk: AttackRisk) -> list[str]:
    """The attacker who knows a part, or has errors, and the attack played."""
    told = []
    partly, erring, played = risk.random_knowledge, risk.errors, risk.played
    if partly is not None:
        how = f"all {number(partly.views)} views" if not partly.intervals else (
            f"{number(partly.views)} views drawn, {_between(partly.intervals['overall_risk'])}"
        )  # fmt: skip
        told.append(
            f"Knowing each attribute with a probability of {share(partly.share)}: an overall risk "
            f"of {share(partly.overall_risk)}, {share(partly.crowd_sizes.alone_share)} alone "
            f"({how})."
        )
    if erring is not None:
        how = "exact" if erring.interval is None else f"drawn, {_between(erring.interval)}"
        told.append(
            f"With each value wrong with a probability of {share(erring.error)}: an overall risk "
            f"of {share(erring.overall_risk)} ({how}; in any case {_between(erring.limits)})."
        )
    if played is not None:
        targets = agreed(played.targets, "target", "targets")
        told.append(
            f"Played against {targets}: {agreed(played.hits, 'was', 'were')} "
            f"picked out, {share(played.hit_rate)} ({_between(played.interval)}); computed "
            f"{share(played.overall_risk)}."
        )
    return told


def _between(limits: tuple[float, float]) -> str:
    return f"{share(limits[0])} to {share(limits[1])}"


def unique_sets_text(found: UniqueSets) -> str:
    """How many people have minimal unique sets, and which attributes are in them."""
    seen = found.envelope.input
    told = (
        f"{people(found.people, seen.nouns)} of {number(seen.people)} can be picked out for "
        f"certain by {found.up_to} attributes or fewer, in {number(found.sets)} ways of which "
        "nothing can be spared."
    )
    rows = [
        (str(size), number(held["sets"]), number(held["people"]))
        for size, held in found.by_size().items()
    ]
    most = list(found.share_of_attributes().items())[:MOST_ATTRIBUTES]
    named = ", ".join(f"{name} ({share(part)})" for name, part in most if part)
    parts = [paragraph(told, "  "), table(("attributes", "ways", "people need so many"), rows)]
    if named:
        parts.append(paragraph(f"In most of them: {named}.", "  "))
    return "\n".join(parts)


def _warned(risk: AttackRisk) -> list[str]:
    return [f"Note: {warning}" for warning in risk.envelope.warnings]


def attack_html(risk: AttackRisk) -> str:
    """The answer for a notebook; everything from the table is escaped."""
    heads = ("picked out with at least", risk.envelope.input.nouns[1], "share")
    rows = [
        (at, number(round(held)), share(part)) for at, held, part in curve_rows(risk.crowd_sizes)
    ]
    shown = html_table(heads, rows, right=(1, 2))
    told = (*sentences(risk), *also(risk))
    return html_answer(
        risk.envelope, headline(risk), told, shown, html_notes(risk.envelope.warnings)
    )
