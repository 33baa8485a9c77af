"""A search in words: what was asked, the views found, what became of all others.

The cost–success frontier as a small plot of characters: a staircase over the cost.

What became of every view of a search, in words: counted, decided by which rule, open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reidrisk.crowds import is_a_count, safer_when_larger
from reidrisk.reports.words.layout import (
    Style,
    agreed,
    bar,
    closing,
    html_answer,
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
from reidrisk.searches import BorderFound, CostsFound, FoundView, RatioFound, SearchAnswer, Searched

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
# What is said of one view, and of several.
RULES = {
    "risky_subset": ("sees more than a risky view", "see more than a risky view"),
    "safe_superset": ("sees less than a safe view", "see less than a safe view"),
    "determined": (
        "sees a column that follows from another", "see a column that follows from another",
    ),
    "value_bound": ("can't have enough crowds, by its values' counts",
                    "can't have enough crowds, by their values' counts"),
    "product_bound": ("can't have enough crowds, by its pairs'",
                      "can't have enough crowds, by their pairs'"),
    "over_budget": ("costs too much", "cost too much"),
    "dominated": ("can't reach more than a cheaper view",) * 2,
}  # fmt: skip


def figure(measure: str, value: float | None) -> str:
    """A measure's value: shares as per cent, counts as numbers."""
    if value is None:
        return "–"
    return number(value) if is_a_count(measure) else share(value)


def what_became(searched: Searched, measure: str) -> list[str]:
    """Counted, pruned by which rule, open."""
    beside = f" ({number(searched.ceilings)} more as bounds)" if searched.ceilings else ""
    counted = agreed(searched.counted, "was", "were")
    told = [f"Of {_number_of_views(searched.views)} {counted} counted{beside}."]
    pruned = [
        agreed(searched.pruned[rule], *RULES[rule]) for rule in RULES if rule in searched.pruned
    ]
    if pruned:
        told.append(f"Decided without counting: {'; '.join(pruned)}.")
    if not searched.complete:
        told.append(f"Not decided when it had to stop: {_number_of_views(searched.open_views)}.")
    for region in searched.open[:MOST_REGIONS]:
        told.append(
            f"– {number(region.views)} with {listed([*region.sees, _any_of(region.any_of)])}: "
            f"{measure} between {figure(measure, region.low)} and {figure(measure, region.high)}."
        )
    if len(searched.open) > MOST_REGIONS:
        told.append(f"– and {len(searched.open) - MOST_REGIONS} more such groups (see --json).")
    return told


def _number_of_views(amount: int) -> str:
    return agreed(amount, "view", "views")


def _any_of(names: Sequence[str]) -> str:
    some = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    return f"any of {some}" if len(names) > 1 else some


Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]
MOST_LISTED = 20


def search_text(found: SearchAnswer, strong: Style = plainly) -> str:
    """The whole answer as text."""
    parts = [*opening(strong(headline(found)), found.envelope), paragraphs(sentences(found))]
    for title, (heads, rows) in tables(found):
        if rows:
            left = tuple(i for i, head in enumerate(heads) if head in ("columns", "attribute", ""))
            parts.append(f"  {title}\n{table(heads, rows, left=left)}")
    if isinstance(found, CostsFound) and len(found.frontier) > 1:
        parts.append(frontier_plot([(v.cost or 0.0, _value(found, v)) for v in found.frontier]))
    parts.append(paragraphs(what_became(found.searched, _measure(found))))
    if found.draws is not None:
        parts.append(paragraph(f"Model: {found.envelope.model}. {found.why}", "  "))
    return "\n\n".join([*parts, *closing(found.envelope)])


def headline(found: SearchAnswer) -> str:
    """What was searched."""
    seen = found.envelope.input
    drawn = f", {agreed(found.draws, 'drawn table', 'drawn tables')}" if found.draws else ""
    columns = agreed(len(seen.columns), "column", "columns")
    return f"{seen.named}: {people(seen.people, seen.nouns)}{drawn}, {columns} searched"


def sentences(found: SearchAnswer) -> list[str]:
    """The answer to the question that was asked."""
    if isinstance(found, BorderFound):
        return _of_a_border(found)
    if isinstance(found, RatioFound):
        return _of_ratios(found)
    assert isinstance(found, CostsFound)
    return _of_costs(found)


def _of_a_border(found: BorderFound) -> list[str]:
    searched, limit = found.searched, figure(found.measure, found.allowable_risk)
    beyond = "below" if safer_when_larger(found.measure) else "above"
    asked = f"{found.measure} {beyond} {limit}"
    views = (
        f"{agreed(searched.views, 'combination', 'combinations')} of up to "
        f"{agreed(searched.up_to, 'column', 'columns')}"
    )
    risky = len(found.minimal_risky) + searched.pruned.get("risky_subset", 0)
    if not risky and searched.complete:
        return [f"None of the {views} is risky ({asked})."]
    if not risky:
        return [f"No risky one ({asked}) of the {views} was found before it had to stop."]
    least = "" if searched.complete else "At least "
    told = [
        f"{least}{number(risky)} of the {views} {'is' if risky == 1 else 'are'} risky ({asked})."
    ]
    if found.minimal_risky:
        smallest = agreed(len(found.minimal_risky), "smallest one tells", "smallest ones tell")
        whole = "it" if len(found.minimal_risky) == 1 else "one of them"
        told.append(
            f"{smallest} them all: whoever knows all of {whole}, or more, is beyond what is "
            "allowable."
        )
        often = Counter(name for view in found.minimal_risky for name in view.columns)
        some = [f"{name} ({number(times)})" for name, times in often.most_common(3)]
        told.append(f"Most often part of them: {listed(some)}.")
    if found.safe_at_limit:
        size = searched.up_to
        safe = agreed(
            found.safe_at_limit, f"combination of {size} is", f"combinations of {size} are"
        )
        told.append(f"{safe} safe; more knowledge than that wasn't asked about (--up-to).")
    return told


def _of_ratios(found: RatioFound) -> list[str]:
    counted = agreed(found.searched.counted, "combination", "combinations")
    told = [
        f"{counted} of {agreed(found.attributes, 'column', 'columns')}, by z: how many times "
        "likelier a person is picked out by the combination than by the most telling of its "
        "columns alone."
    ]
    if found.combinations:
        best = found.combinations[0]
        tell = "tells" if len(best.columns) == 1 else "tell"
        told.append(
            f"{listed(list(best.columns))} {tell} most{_so_far(found)}: for "
            f"{share(best.share_above)} of the people more than {found.ratio:g} times as much, "
            f"{best.mean:,.1f} times on average."
        )
    return told


def _so_far(found: SearchAnswer) -> str:
    """Of a search that had to stop, what is best is best of what was counted."""
    return "" if found.searched.complete else " so far"


def _of_costs(found: CostsFound) -> list[str]:
    many = found.affordable
    within = "" if many is None else f" ({agreed(many, 'combination', 'combinations')})"
    told = [f"A budget of {found.budget:g} is spent on columns that cost no more together{within}."]
    best = found.frontier[-1] if found.frontier else None
    if best is None and found.searched.complete:
        told.append("Nothing that can be bought tells more than knowing nothing.")
    elif best is None:
        told.append("Nothing that tells more than knowing nothing was found before it had to stop.")
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
    return f"No way to a success of {wanted} was found before it had to stop."


def _measure(found: SearchAnswer) -> str:
    return found.measure if isinstance(found, (BorderFound, CostsFound)) else ""


def _value(found: CostsFound, view: FoundView) -> float:
    return view.measures[found.measure] or 0.0


def tables(found: SearchAnswer) -> list[tuple[str, Rows]]:
    """(title, (heads, rows)) of what was found."""
    if isinstance(found, BorderFound):
        return [
            (_title("Smallest risky", found.minimal_risky), _views(found, found.minimal_risky)),
            (_title("Largest safe", found.maximal_safe), _views(found, found.maximal_safe)),
        ]
    if isinstance(found, CostsFound):
        return [("The most for each cost", _views(found, found.frontier))]
    assert isinstance(found, RatioFound)
    heads = ("columns", "mean z", "median", "largest", f"z > {found.ratio:g}", "")
    rows: list[tuple[str, ...]] = [
        (", ".join(c.columns), f"{c.mean:,.1f}", f"{c.median:,.1f}", f"{c.largest:,.1f}",
         share(c.share_above) + _interval("", c.interval), bar(c.share_above, 16))
        for c in found.combinations[:MOST_LISTED]
    ]  # fmt: skip
    adds: list[tuple[str, ...]] = [
        (each.attribute, share(each.share), bar(each.share, 16)) for each in found.adds
    ]
    return [
        (_title("Combinations", found.combinations), (heads, rows)),
        ("What each column adds to the overall risk (Shapley)", (("attribute", "share", ""), adds)),
    ]


def _title(what: str, found: Sequence[object]) -> str:
    more = f", the first {MOST_LISTED} of {number(len(found))}" if len(found) > MOST_LISTED else ""
    return f"{what}{more}"


def _views(found: BorderFound | CostsFound, views: Sequence[FoundView]) -> Rows:
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
    return tuple(heads), rows


def _interval(measure: str, limits: tuple[float, float] | None) -> str:
    return (
        "" if limits is None else f" ({figure(measure, limits[0])} to {figure(measure, limits[1])})"
    )


def search_html(found: SearchAnswer) -> str:
    """The answer for a notebook; everything is escaped."""
    told = [*sentences(found), *what_became(found.searched, _measure(found))]
    shown = (html_table(heads, rows, title) for title, (heads, rows) in tables(found))
    return html_answer(found.envelope, headline(found), told, *shown)
