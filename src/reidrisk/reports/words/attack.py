"""An attack in words: who is picked out, the survival curve, and what else was asked."""

from __future__ import annotations

from reidrisk.attacks import AllKnowledge, AttackRisk, GuessedValues, UniqueSets, survival_at
from reidrisk.crowds import CrowdSizes
from reidrisk.reports.words.blocks import (
    Blocks,
    Grid,
    Part,
    agreed,
    bar,
    listed,
    number,
    people,
    share,
)
from reidrisk.reports.words.search import figure
from reidrisk.reports.words.tables import counted, of_the_model, verdict
from reidrisk.reports.words.tables import sentences as view_sentences

CURVE = (1.0, 1 / 2, 1 / 3, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100, 1 / 1000)
MOST_NAMED = 12
MOST_ATTRIBUTES = 5


def attack_blocks(risk: AttackRisk) -> Blocks:
    """The whole answer."""
    every, sets = risk.all_knowledge, risk.unique_sets
    parts = (
        sentences(risk),
        _curve(risk.crowd_sizes, risk.envelope.input.nouns),
        *([_sizes(every)] if every else []),
        also(risk),
        *(unique_sets_parts(sets) if sets else ()),
        of_the_model(risk.view) if risk.view.predicted else [],
    )
    return Blocks(headline(risk), risk.envelope, parts)


def headline(risk: AttackRisk) -> str:
    """The verdict, and what was attacked knowing what."""
    names = list(risk.knows)
    known = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} attributes"
    seed = "" if risk.envelope.seed is None else f", seed {risk.envelope.seed}"
    named = risk.envelope.input.named
    everyone = counted(risk.view, round(risk.people))
    return f"{verdict(risk.view)} ({named}: {everyone} attacked, knowing {known}{seed})"


def sentences(risk: AttackRisk) -> list[str]:
    """Who is picked out."""
    held = round(risk.people_above)
    are = f"{'is' if held == 1 else 'are'}{' expected to be' if risk.view.predicted else ''}"
    above = (
        f"{counted(risk.view, held)} ({share(risk.share_above)}) {are} re-identified "
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


def _curve(crowds: CrowdSizes, nouns: tuple[str, str]) -> Grid:
    rows = curve_rows(crowds)
    return Grid(
        ("re-identified with at least", nouns[1], "share"),
        tuple((risk, number(round(held)), share(part)) for risk, held, part in rows),
        left=(),
        bars=tuple(bar(part) for *_, part in rows),
    )


def _sizes(every: AllKnowledge) -> Grid:
    """For each size the mean, the worst and the best combination."""
    rows = []
    for each in every.sizes:
        values = (each.mean, each.worst.value, each.best.value)
        figures = [figure(every.measure, value) for value in values]
        names = [listed(list(view.knows)) for view in (each.worst, each.best)]
        rows.append(
            (str(each.size), number(each.views), figures[0], figures[1], names[0], figures[2],
             names[1])
        )  # fmt: skip
    heads = ("knowing", "combinations", "mean", "worst", "", "best", "")
    size = agreed(every.up_to, "attribute", "attributes")
    title = f"All combinations of up to {size}, by {every.measure}"
    return Grid(heads, tuple(rows), (4, 6), title)


def also(risk: AttackRisk) -> list[str]:
    """An attacker who knows a part, or has errors, and the simulated attack."""
    told = []
    partly, erring, played = risk.random_knowledge, risk.errors, risk.played
    if partly is not None:
        how = f"all {number(partly.views)} combinations"
        if partly.intervals:
            within = _between(partly.intervals["overall_risk"])
            how = f"{number(partly.views)} combinations drawn{', ' * bool(within)}{within}"
        told.append(
            f"Knowing each attribute with a probability of {share(partly.share)}: an overall risk "
            f"of {share(partly.overall_risk)}, {share(partly.crowd_sizes.alone_share)} alone "
            f"({how})."
        )
    if erring is not None:
        drawn = "" if erring.interval is None else _between(erring.interval)
        how = "exact" if erring.interval is None else f"drawn{', ' * bool(drawn)}{drawn}"
        limits = _between(erring.limits)
        proven = f"; certainly {limits}" if limits else ""
        told.append(
            f"With each value wrong with a probability of {share(erring.error)}: an overall risk "
            f"of {share(erring.overall_risk)} ({how}{proven})."
        )
    if played is not None:
        targets = agreed(played.targets, "target", "targets")
        interval = _between(played.interval)
        told.append(
            f"Simulated attack on {targets}: {agreed(played.hits, 'was', 'were')} "
            f"re-identified, {share(played.hit_rate)}{f' ({interval})' if interval else ''}; "
            f"computed {share(played.overall_risk)}."
        )
    return [*told, *(_guessed(each) for each in risk.guessed_values)]


def _guessed(each: GuessedValues) -> str:
    """Right guesses of a sensitive value, with the table and without."""
    found, without = each.with_table, each.without
    limits = _between(found.interval)
    return (
        f"Simulated guessing of {each.column}, of {people(each.targets)} drawn: right for "
        f"{number(found.hits)}, {share(found.hit_rate)}{f' ({limits})' if limits else ''}; "
        f"computed {share(found.computed)}. Without the table: {share(without.hit_rate)}, computed "
        f"{share(without.computed)} (attribute disclosure; `learn` says more)."
    )


def _between(limits: tuple[float, float]) -> str:
    """From … to …; nothing where both look alike."""
    low, high = map(share, limits)
    return "" if low == high else f"{low} to {high}"


def unique_sets_parts(found: UniqueSets) -> tuple[Part, ...]:
    """How many people have minimal sample uniques, and which attributes are in them."""
    seen = found.envelope.input
    said = (
        f"{people(found.people, seen.nouns)} of {number(seen.people)} can be singled out by "
        f"{found.up_to} attributes or fewer: {number(found.sets)} minimal sets (minimal sample "
        "uniques)."
    )
    rows = tuple(
        (str(size), number(held["sets"]), number(held["people"]))
        for size, held in found.by_size().items()
    )
    most = list(found.share_of_attributes().items())[:MOST_ATTRIBUTES]
    named = ", ".join(f"{name} ({share(part)})" for name, part in most if part)
    sizes = Grid(("attributes", "minimal sets", "people whose smallest it is"), rows, left=())
    return [said], sizes, [f"Attributes most often in them: {named}."] if named else []


def unique_sets_blocks(found: UniqueSets) -> Blocks:
    """The whole answer."""
    seen = found.envelope.input
    who = f"{people(found.people, seen.nouns)} can be singled out"
    columns = agreed(len(found.columns), "quasi-identifier", "quasi-identifiers")
    about = f"{seen.named}: {people(seen.people, seen.nouns)}, {columns}"
    return Blocks(f"{who} ({about})", found.envelope, unique_sets_parts(found))
