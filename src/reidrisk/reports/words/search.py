"""A search in words: the combinations found, and what became of all others.

The cost–success frontier as a small plot of characters: a staircase over the cost.

What became of every combination: counted, decided by which rule, open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reidrisk.reports.words.blocks import (
    Blocks,
    Characters,
    Grid,
    agreed,
    bar,
    listed,
    number,
    people,
    share,
)
from reidrisk.searches import (
    BorderFound,
    CostsFound,
    FoundView,
    RatioFound,
    SearchAnswer,
    Searched,
    searched_measure,
)

WIDTH, HEIGHT = 56, 9


def frontier_plot(points: Sequence[tuple[float, float]]) -> str:
    """(cost, value) by rising cost: what is reached up to each cost, value upward, cost along."""
    dearest, highest = points[-1][0] or 1.0, points[-1][1] or 1.0
    reached = [_reached(points, dearest * place / (WIDTH - 1)) for place in range(WIDTH)]
    lines = []
    for row in range(HEIGHT, 0, -1):
        low, high = highest * (row - 1) / HEIGHT, highest * row / HEIGHT
        cells = "".join(_cell(value, low, high) for value in reached)
        label = f"{highest:7.3g}" if row == HEIGHT else " " * 7
        lines.append(f"  {label} ┤{cells}".rstrip())
    lines.append(f"  {'0':>7} └{'─' * WIDTH}")
    lines.append(f"{' ' * 11}0{f'cost {dearest:g}':>{WIDTH - 1}}")
    return "\n".join(lines)


def _reached(points: Sequence[tuple[float, float]], cost: float) -> float:
    """The last point's value that costs no more; rounding must not lose the last of all."""
    return max((value for paid, value in points if paid <= cost * (1 + 1e-12)), default=0.0)


def _cell(value: float, low: float, high: float) -> str:
    if value >= high * (1 - 1e-12):
        return "█"
    return "▄" if value > low + (high - low) / 4 else " "


MOST_REGIONS = 5
# What is said of one combination, and of several.
RULES = {
    "risky_subset": ("contains a dangerous combination", "contain a dangerous combination"),
    "safe_superset": ("is part of a safe one", "are part of a safe one"),
    "determined": (
        "has a column that follows from another", "have a column that follows from another",
    ),
    "value_bound": (
        "can't split people into enough crowds, given the counts of its values",
        "can't split people into enough crowds, given the counts of their values",
    ),
    "product_bound": (
        "can't split people into enough crowds, given how many its parts have",
        "can't split people into enough crowds, given how many their parts have",
    ),
    "over_budget": ("costs too much", "cost too much"),
    "dominated": ("can't reach more than a cheaper combination",) * 2,
}  # fmt: skip


# Measures that are neither shares of people nor numbers of something.
SCALES = ("entropy_l", "t_closeness", "beta_likeness", "enhanced_beta_likeness", "delta_disclosure")


def figure(measure: str, value: float | None) -> str:
    """A measure's value: shares as per cent, counts as numbers."""
    if value is None:
        return "–"
    if measure in SCALES:
        return f"{value:.4g}"
    return number(value) if searched_measure(measure).is_count else share(value)


def what_became(searched: Searched, measure: str) -> list[str]:
    """Counted, pruned by which rule, open."""
    more = f", and {number(searched.ceilings)} more to rule others out"
    beside = more if searched.ceilings else ""
    counted = agreed(searched.counted, "was", "were")
    told = [f"Of {_number_of_views(searched.views)}, {counted} counted{beside}."]
    pruned = [
        agreed(searched.pruned[rule], *RULES[rule]) for rule in RULES if rule in searched.pruned
    ]
    if pruned:
        told.append(f"Decided without counting: {'; '.join(pruned)}.")
    if not searched.complete:
        told.append(
            f"Undecided when the search had to stop: {_number_of_views(searched.open_views)}."
        )
    for region in searched.open[:MOST_REGIONS]:
        told.append(
            f"– {number(region.views)} with {listed([*region.sees, _any_of(region.any_of)])}: "
            f"{measure} between {figure(measure, region.low)} and {figure(measure, region.high)}."
        )
    if len(searched.open) > MOST_REGIONS:
        told.append(f"– and {len(searched.open) - MOST_REGIONS} more such groups (see --json).")
    return told


def _number_of_views(amount: int) -> str:
    return agreed(amount, "combination", "combinations")


def _any_of(names: Sequence[str]) -> str:
    some = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    return f"any of {some}" if len(names) > 1 else some


MOST_LISTED = 20


def search_blocks(found: SearchAnswer) -> Blocks:
    """The whole answer."""
    points = []
    if isinstance(found, CostsFound) and len(found.frontier) > 1:
        points = [(view.cost or 0.0, _value(found, view)) for view in found.frontier]
    plot = (Characters(frontier_plot(points)),) if points else ()
    model = [f"Model: {found.envelope.model}. {found.why}"] if found.draws is not None else []
    became = what_became(found.searched, _measure(found))
    parts = (sentences(found), *grids(found), *plot, became, model)
    return Blocks(headline(found), found.envelope, parts)


def headline(found: SearchAnswer) -> str:
    """How many combinations exceed the limit, and what was searched."""
    return f"{_verdict(found)} ({_searched(found)})"


def _searched(found: SearchAnswer) -> str:
    seen = found.envelope.input
    drawn = f", {agreed(found.draws, 'drawn table', 'drawn tables')}" if found.draws else ""
    columns = agreed(len(seen.columns), "quasi-identifier", "quasi-identifiers")
    return f"{seen.named}: {people(seen.people, seen.nouns)}{drawn}, {columns}"


def _verdict(found: SearchAnswer) -> str:
    if isinstance(found, BorderFound):
        risky, complete = _dangerous(found), found.searched.complete
        if not risky:
            exceeds = "exceeds" if complete else "found to exceed"
            return f"No combination of columns {exceeds} the limit"
        least = "" if complete else "At least "
        several = ("combination of columns exceeds", "combinations of columns exceed")
        return f"{least}{agreed(risky, *several)} the limit"
    if isinstance(found, RatioFound) and found.combinations:
        best = listed(list(found.combinations[0].columns))
        return f"Identifying beyond their parts{_so_far(found)}: {best}"
    if isinstance(found, CostsFound) and found.frontier:
        reached = figure(found.measure, _value(found, found.frontier[-1]))
        return f"A budget of {found.budget:g} reaches {found.measure} {reached}{_so_far(found)}"
    return "Combinations of columns searched"


def _dangerous(found: BorderFound) -> int:
    return len(found.minimal_risky) + found.searched.pruned.get("risky_subset", 0)


def sentences(found: SearchAnswer) -> list[str]:
    """The answer to the question that was asked."""
    if isinstance(found, BorderFound):
        return _of_a_border(found)
    if isinstance(found, RatioFound):
        return _of_ratios(found)
    return _of_costs(found) if isinstance(found, CostsFound) else []


def _of_a_border(found: BorderFound) -> list[str]:
    searched, limit = found.searched, figure(found.measure, found.allowable_risk)
    beyond = "below" if searched_measure(found.measure).safer_when_larger else "above"
    asked = f"{found.measure} {beyond} {limit}"
    views = (
        f"{agreed(searched.views, 'combination', 'combinations')} of up to "
        f"{agreed(searched.up_to, 'column', 'columns')}"
    )
    risky = _dangerous(found)
    if not risky and searched.complete:
        return [f"None of the {views} exceeds the limit ({asked})."]
    if not risky:
        return [
            f"None of the {views} was found to exceed the limit ({asked}) before the search had to "
            "stop."
        ]
    least = "" if searched.complete else "At least "
    told = [
        f"{least}{number(risky)} of the {views} {'exceeds' if risky == 1 else 'exceed'} the limit "
        f"({asked})."
    ]
    if found.minimal_risky:
        cover = ("minimal combination covers", "minimal combinations cover")
        smallest = agreed(len(found.minimal_risky), *cover)
        told.append(
            f"{smallest} {'it' if risky == 1 else f'all {number(risky)}'}: whoever knows all "
            "columns of one exceeds the limit."
        )
        often = Counter(name for view in found.minimal_risky for name in view.columns)
        some = [f"{name} ({number(times)})" for name, times in often.most_common(3)]
        told.append(f"Columns most often in them: {listed(some)}.")
    if found.safe_at_limit:
        size = searched.up_to
        safe = agreed(
            found.safe_at_limit, f"combination of {size} is", f"combinations of {size} are"
        )
        told.append(f"{safe} safe; larger ones weren't searched (--up-to).")
    return told


def _of_ratios(found: RatioFound) -> list[str]:
    counted = agreed(found.searched.counted, "combination", "combinations")
    told = [
        f"{counted} of {agreed(found.attributes, 'column', 'columns')}, by z: how many times "
        "likelier the combination is to re-identify a person than its most identifying column "
        "alone."
    ]
    if found.combinations:
        best = found.combinations[0]
        told.append(
            f"Most identifying{_so_far(found)}: {listed(list(best.columns))}, more than "
            f"{found.ratio:g} times as likely for {share(best.share_above)} of the people, "
            f"{best.mean:,.1f} times on average."
        )
    return told


def _so_far(found: SearchAnswer) -> str:
    """Of a search that had to stop, what is best is best of what was counted."""
    return "" if found.searched.complete else " so far"


def _of_costs(found: CostsFound) -> list[str]:
    many = found.affordable
    within = "" if many is None else f" ({agreed(many, 'combination', 'combinations')})"
    told = [f"A budget of {found.budget:g} buys columns that cost no more together{within}."]
    best = found.frontier[-1] if found.frontier else None
    if best is None and found.searched.complete:
        told.append("Nothing within the budget raises the risk above that of knowing nothing.")
    elif best is None:
        told.append("Nothing that raises the risk was found before the search had to stop.")
    else:
        told.append(
            f"The most it reaches{_so_far(found)} is {found.measure} "
            f"{figure(found.measure, _value(found, best))}, with {listed(list(best.columns))} for "
            f"{best.cost:g}; knowing nothing reaches {figure(found.measure, found.of_nothing)}."
        )
    return told if found.success is None else [*told, _of_success(found, found.success)]


def _of_success(found: CostsFound, success: float) -> str:
    wanted, cheapest = figure(found.measure, success), found.cheapest
    if cheapest is not None:
        bought = listed(list(cheapest.columns))
        return (
            f"The cheapest way to a success of {wanted}{_so_far(found)}: {bought} for "
            f"{cheapest.cost:g}."
        )
    if found.searched.complete:
        return f"A success of {wanted} is out of reach."
    return f"No way to a success of {wanted} was found before the search had to stop."


def _measure(found: SearchAnswer) -> str:
    return found.measure if isinstance(found, (BorderFound, CostsFound)) else ""


def _value(found: CostsFound, view: FoundView) -> float:
    return view.measures[found.measure] or 0.0


def grids(found: SearchAnswer) -> tuple[Grid, ...]:
    """What was found."""
    if isinstance(found, BorderFound):
        risky = _title("Minimal dangerous combinations", found.minimal_risky)
        safe = _title("Maximal safe combinations", found.maximal_safe)
        return _views(found, found.minimal_risky, risky), _views(found, found.maximal_safe, safe)
    if isinstance(found, CostsFound):
        return (_views(found, found.frontier, "The most for each cost"),)
    return _of_combinations(found) if isinstance(found, RatioFound) else ()


def _of_combinations(found: RatioFound) -> tuple[Grid, ...]:
    shown = found.combinations[:MOST_LISTED]
    rows = tuple(
        (", ".join(c.columns), f"{c.mean:,.1f}", f"{c.median:,.1f}", f"{c.largest:,.1f}",
         share(c.share_above) + _interval("", c.interval))
        for c in shown
    )  # fmt: skip
    return (
        Grid(
            ("columns", "mean z", "median", "largest", f"z > {found.ratio:g}"),
            rows,
            title=_title("Combinations", found.combinations),
            bars=tuple(bar(c.share_above, 16) for c in shown),
        ),
        Grid(
            ("attribute", "share"),
            tuple((each.attribute, share(each.share)) for each in found.adds),
            title="What each column adds to the overall risk (Shapley)",
            bars=tuple(bar(each.share, 16) for each in found.adds),
        ),
    )


def _title(what: str, found: Sequence[object]) -> str:
    more = f", the first {MOST_LISTED} of {number(len(found))}" if len(found) > MOST_LISTED else ""
    return f"{what}{more}"


def _views(found: BorderFound | CostsFound, views: Sequence[FoundView], title: str) -> Grid:
    with_costs = any(view.cost is not None for view in views)
    in_draws = any(view.risky_in is not None for view in views)
    heads = ["columns", found.measure] + ["cost"] * with_costs + ["risky in"] * in_draws
    rows = []
    for view in views[:MOST_LISTED]:
        value = figure(found.measure, view.measures[found.measure])
        row = [
            ", ".join(view.columns),
            value + _interval(found.measure, view.intervals.get(found.measure)),
        ]
        row += [f"{view.cost or 0:g}"] * with_costs
        row += [f"{view.risky_in} of {found.draws}"] * in_draws
        rows.append(tuple(row))
    return Grid(tuple(heads), tuple(rows), title=title)


def _interval(measure: str, limits: tuple[float, float] | None) -> str:
    return (
        "" if limits is None else f" ({figure(measure, limits[0])} to {figure(measure, limits[1])})"
    )
