"""Surveys in words: how likely all members of a group are unique, and the ways to ask, ranked."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.prediction import FORMS, GroupFigures, GroupRisk, PlanOption, PlanRisk
from reidrisk.reports.words.blocks import (
    Blocks,
    Grid,
    Part,
    bar,
    listed,
    number,
    people,
    probability,
    share,
)

# A form's name, and what it assumes.
TOLD = {
    "exact": "exact, members drawn independently",
    "exact_finite": "exact, different people of these",
    "uniform": "as if all outcomes were equally likely",
    "uniform_exponential": "the same, e^(−k²/2N)",
    "poisson": "Poisson product",
    "alpha_squared": "e^(−k²Σα²f/2N)",
    "kullback_leibler": "Kullback–Leibler, π_u·e^(−κk²/N)",
    "kullback_leibler_exponential": "Kullback–Leibler, e^(−(½+κ)k²/N)",
}
PLOT = 40
MOST_ROWS = 80
ENDS = 5


def group_blocks(risk: GroupRisk) -> Blocks:
    """The whole answer."""
    names = {each.group for each in risk.groups}
    parts: tuple[Part, ...]
    if len(risk.groups) == 1:
        forms = Grid(("all unique", "probability"), tuple(form_rows(risk.groups[0])))
        parts = (sentences(risk.groups[0], risk.under), forms)
    elif len(names) > 1:
        parts = _many_groups(risk.groups)
    else:
        parts = _curves(risk.groups)
    return Blocks(headline(risk), risk.envelope, parts)


def headline(risk: GroupRisk) -> str:
    """The probability, and what it is about."""
    seen = risk.envelope.input
    sizes = sorted({each.size for each in risk.groups})
    size = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    of = f" on {listed(list(seen.columns))}" if seen.columns else ""
    about = f"{seen.named}: {people(seen.people, seen.nouns)}, groups of {size}{of}"
    held = [each.exact for each in risk.groups if each.exact is not None]
    if not held:
        return f"Are all members of a group unique? ({about})"
    most = probability(held[0]) if len(held) == 1 else (
        f"{probability(min(held))} to {probability(max(held))}"
    )  # fmt: skip
    return f"All members unique with probability {most} ({about})"


def sentences(each: GroupFigures, under: float | None) -> list[str]:
    """What the figures of one group mean."""
    told = [
        f"There are {number(each.outcomes)} possible outcomes (combinations of values). Their "
        f"distance from equally likely is κ = {each.kappa:.4g}"
        + ("." if each.discrepancy is None else f", the discrepancy {each.discrepancy:.4g}.")
    ]
    if each.exact is not None:
        told.insert(
            0,
            f"All {number(each.size)} members are unique with a probability of "
            f"{probability(each.exact)}{_ends(each, 'exact')}{_ratio(each)}.",
        )
    if each.expected_unique is not None and each.member_unique is not None:
        told.append(
            f"{number(round(each.expected_unique, 2))} members are expected to be "
            f"unique{_ends(each, 'expected_unique')}; a given "
            f"member is unique with a probability of {share(each.member_unique)}."
        )
    if each.given_member_unique is not None:
        told.append(
            "A member with the values given is unique with a probability of "
            f"{share(each.given_member_unique)}."
        )
    if each.shared is not None:
        told.append(
            f"At least two members share all values with a probability of "
            f"{probability(each.shared)}."
        )
    return told + _border(each, under) + _drawn(each)


def _ends(each: GroupFigures, name: str) -> str:
    """The 90 % interval of a predicted figure."""
    if name not in each.limits:
        return ""
    shown = probability if name == "exact" else lambda value: number(round(value, 2))
    low, high = (shown(end) for end in each.limits[name])
    return f" (90 % interval {low} to {high})"


def _ratio(each: GroupFigures) -> str:
    """How far the uniform answer overestimates."""
    if not each.exact or each.uniform / each.exact < 1.05:
        return ""
    times = each.uniform / each.exact
    return f"; the figure for equally likely outcomes, {probability(each.uniform)}, is " + (
        f"{times:.1f} times too high" if times < 1000 else "thousands of times too high"
    )


def _border(each: GroupFigures, under: float | None) -> list[str]:
    if each.smallest_under is None or under is None:
        return []
    return [
        f"From {number(each.smallest_under)} members on, the probability that all are unique is at "
        f"most {under:g}; {number(each.smallest_under - 1)} is the largest group that exceeds it."
    ]


def _drawn(each: GroupFigures) -> list[str]:
    found = each.simulated
    if found is None:
        return []
    low, high = found.interval
    ended = "" if found.reached else " It stopped before reaching the precision asked for."
    return [
        f"Simulated: {found.unique:,} of {found.groups:,} groups were all unique, "
        f"{probability(found.estimate)} ({probability(low)} to {probability(high)} at "
        f"{share(found.confidence)} confidence).{ended}"
    ]


def form_rows(each: GroupFigures) -> list[tuple[str, str]]:
    """Each law's name and probability, where it is known."""
    held = [(TOLD[name], getattr(each, name)) for name in FORMS]
    return [(told, probability(value)) for told, value in held if value is not None]


def _curves(groups: Sequence[GroupFigures]) -> tuple[Grid, ...]:
    """A block for each way of seeing: size, probabilities, a plot with the uniform law's mark."""
    views = list(dict.fromkeys(_seen(each) for each in groups))
    blocks = []
    if all(sum(_seen(each) == view for each in groups) == 1 for view in views):
        return (_table_of(groups, [_seen(each) or "as it is" for each in groups], "seen"),)
    for view in views:
        rows = _until_impossible([each for each in groups if _seen(each) == view])
        step = -(-len(rows) // MOST_ROWS)
        lines = tuple(
            (
                number(each.size),
                probability(each.exact),
                probability(each.kullback_leibler),
                probability(each.uniform),
            )
            for each in rows[::step]
        )
        title = f"κ = {rows[0].kappa:.4g}, {number(rows[0].outcomes)} outcomes"
        blocks.append(
            Grid(
                ("size", "exact", "by κ", "uniform"),
                lines,
                left=(),
                title=f"{view}: {title}" if view else title,
                bars=tuple(marked(each.exact, each.uniform) for each in rows[::step]),
                bars_head="exact █, uniform │",
            )
        )
    return tuple(blocks)


def _until_impossible(rows: Sequence[GroupFigures]) -> list[GroupFigures]:
    """Of the sizes that exceed the number of outcomes, the first is enough."""
    possible = [each for each in rows if each.size <= each.outcomes]
    return [*possible, *rows[len(possible) : len(possible) + 1]]


def marked(part: float | None, other: float, width: int = PLOT) -> str:
    """A bar, and a mark where another value lies."""
    drawn = bar(part or 0.0, width).ljust(width + 1)
    at = min(round(other * width), width)
    return (drawn[:at] + "│" + drawn[at + 1 :]).rstrip()


def _many_groups(groups: Sequence[GroupFigures]) -> tuple[Grid, ...]:
    """The groups with the lowest and the highest κ, and the one in the middle, for each size."""
    blocks = []
    for size in dict.fromkeys(each.size for each in groups):
        rows = sorted((each for each in groups if each.size == size), key=lambda each: each.kappa)
        told = f"{len(rows):,} groups by κ, at {size:,} members"
        if len(rows) <= 2 * ENDS + 1:
            shown = rows
        else:
            shown = [*rows[:ENDS], rows[len(rows) // 2], *rows[-ENDS:]]
            told = f"{len(rows):,} groups by κ, at {size:,} members; lowest, middle, highest"
        names = [each.group or "(no value)" for each in shown]
        blocks.append(_table_of(shown, names, "group", told))
    return tuple(blocks)


def _table_of(
    groups: Sequence[GroupFigures], names: Sequence[str], head: str, title: str = ""
) -> Grid:
    heads = (head, "people", "outcomes", "κ", "exact", "by κ", "uniform", "expected unique")
    lines = tuple(
        (
            name,
            "" if each.people is None else number(each.people),
            number(each.outcomes),
            f"{each.kappa:.4f}",
            probability(each.exact),
            probability(each.kullback_leibler),
            probability(each.uniform),
            "" if each.expected_unique is None else number(round(each.expected_unique, 2)),
        )
        for name, each in zip(names, groups, strict=True)
    )
    return Grid(heads, lines, title=title)


def _seen(each: GroupFigures) -> str:
    return ", ".join(f"{name} in bands of {width}" for name, width in each.bands.items())


PLAN_HEADS = (
    "",
    "outcomes",
    "overall risk",
    "alone",
    "all unique",
    "unique members",
)


def plan_blocks(plan: PlanRisk) -> Blocks:
    """The whole answer."""
    ways = Grid(PLAN_HEADS, tuple(plan_rows(plan)))
    return Blocks(plan_headline(plan), plan.envelope, (ways, plan_sentences(plan)))


def plan_headline(plan: PlanRisk) -> str:
    """The risk as planned, and what is planned of whom."""
    seen, planned = plan.envelope.input, plan.as_asked
    everyone = people(seen.people, seen.nouns)
    asked = f"{number(plan.size)} of {everyone} asked {listed(list(planned.columns))}"
    return f"Overall risk as asked: {_risk(planned.overall_risk)} ({seen.named}: {asked})"


def plan_rows(plan: PlanRisk) -> list[tuple[str, ...]]:
    """A row for each way to ask, ranked."""
    return [
        (
            f"▸ {each.told}" if each.kind == "as_asked" else f"  {each.told}",
            number(each.outcomes),
            _risk(each.overall_risk),
            _risk(each.alone_share),
            share(each.exact),
            number(round(each.expected_unique, 2)),
        )
        for each in plan.options
    ]


# What adding up probabilities leaves of nothing.
ROUNDED_OFF = 1e-12


def _risk(part: float) -> str:
    """As a share; small ones with two digits, since they are there to be compared."""
    if part < ROUNDED_OFF:
        return share(0)
    return f"{100.0 * part:.2g} %" if part < 0.001 else share(part)


def plan_sentences(plan: PlanRisk) -> list[str]:
    """What the ranking means: what adds most risk, and which coarsening helps most."""
    ranked = plan.measure.replace("_", " ")
    told = [
        f"Ranked by {ranked}, the safest first. Overall risk and alone concern the whole "
        f"population; all unique and unique members the {number(plan.size)} who are asked."
    ]
    more = [each for each in plan.options if each.kind == "one_more"]
    coarser = [each for each in plan.options if each.kind == "coarser"]
    if more:
        told.append(
            f"The question that adds most risk is {more[-1].columns[-1]}: "
            f"{_change(plan, more[-1])}."
        )
    if coarser:
        told.append(
            f"Of the coarser questions, {coarser[0].told} is safest: {_change(plan, coarser[0])}."
        )
    return told


def _change(plan: PlanRisk, option: PlanOption) -> str:
    now = plan.as_asked
    return (
        f"the overall risk goes from {_risk(now.overall_risk)} to {_risk(option.overall_risk)}, "
        f"the expected unique members from {number(round(now.expected_unique, 2))} to "
        f"{number(round(option.expected_unique, 2))}"
    )
