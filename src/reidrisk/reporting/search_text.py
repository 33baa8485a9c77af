"""A search in words: what was asked, the views found, what became of all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

from reidrisk.reporting.frontier_plot import frontier_plot
from reidrisk.reporting.layout import bar, paragraph, table
from reidrisk.reporting.searched_text import figure, what_became
from reidrisk.reporting.wording import listed, number, people, share
from reidrisk.views.answers import (
    BorderFound,
    CostsFound,
    FoundView,
    RatioFound,
    SearchAnswer,
)

Style = Callable[[str], str]
Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]
MOST_LISTED = 20


def plainly(text: str) -> str:
    """No emphasis."""
    return text


def search_text(found: SearchAnswer, strong: Style = plainly) -> str:
    """The whole answer as text."""
    parts = [strong(headline(found)), _paragraphs(sentences(found))]
    for title, (heads, rows) in tables(found):
        if rows:
            left = tuple(i for i, head in enumerate(heads) if head in ("columns", "attribute", ""))
            parts.append(f"  {title}\n{table(heads, rows, left=left)}")
    if isinstance(found, CostsFound) and len(found.frontier) > 1:
        parts.append(frontier_plot([(v.cost or 0.0, _value(found, v)) for v in found.frontier]))
    parts.append(_paragraphs(what_became(found.searched, _measure(found))))
    granted = "Taken for granted: " + " ".join(found.envelope.assumptions)
    if found.draws is not None:
        parts.append(paragraph(f"Model: {found.envelope.model}. {found.why}", "  "))
    parts.append(paragraph(granted, "  "))
    parts += [paragraph(f"Note: {warning}", "  ") for warning in found.envelope.warnings]
    return "\n\n".join(parts)


def _paragraphs(told: Sequence[str]) -> str:
    return "\n".join(paragraph(sentence, "  ") for sentence in told)


def headline(found: SearchAnswer) -> str:
    """What was searched."""
    seen = found.envelope.input
    drawn = f", {found.draws} drawn tables" if found.draws else ""
    return f"{seen.named}: {people(seen.people)}{drawn}, {len(seen.columns)} columns searched"


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
    below = found.measure.startswith(("smallest_crowd", "share_in_crowds"))
    asked = f"{found.measure} {'below' if below else 'above'} {limit}"
    views = f"{number(searched.views)} combinations of up to {searched.up_to} columns"
    risky = len(found.minimal_risky) + searched.pruned.get("risky_subset", 0)
    if not risky and searched.complete:
        return [f"None of the {views} is risky ({asked})."]
    if not risky:
        return [f"No risky one ({asked}) of the {views} was found before it had to stop."]
    least = "" if searched.complete else "At least "
    told = [f"{least}{number(risky)} of the {views} are risky ({asked})."]
    if found.minimal_risky:
        told.append(
            f"{_many(len(found.minimal_risky), 'smallest one', 'tells', 'tell')} them all: "
            "whoever knows all of one of them, or more, is beyond what is allowable."
        )
        often = Counter(name for view in found.minimal_risky for name in view.columns)
        some = [f"{name} ({number(times)})" for name, times in often.most_common(3)]
        told.append(f"Most often part of them: {listed(some)}.")
    if found.safe_at_limit:
        told.append(
            f"{_many(found.safe_at_limit, f'combination of {searched.up_to}', 'is', 'are')} safe; "
            "more knowledge than that wasn't asked about (--up-to)."
        )
    return told


def _many(amount: int, what: str, one: str, several: str) -> str:
    first, _, rest = what.partition(" of ")
    plural = f"{first}s" + (f" of {rest}" if rest else "")
    return (
        f"{number(amount)} {what} {one}" if amount == 1 else f"{number(amount)} {plural} {several}"
    )


def _of_ratios(found: RatioFound) -> list[str]:
    told = [
        f"{number(found.searched.counted)} combinations of {found.attributes} columns, by z: how "
        "many times likelier a person is picked out by the combination than by the most telling "
        "of its columns alone."
    ]
    if found.combinations:
        best = found.combinations[0]
        told.append(
            f"{listed(list(best.columns))} tell most: for {share(best.share_above)} of the people "
            f"more than {found.ratio:g} times as much, {best.mean:,.1f} times on average."
        )
    return told


def _of_costs(found: CostsFound) -> list[str]:
    within = "" if found.affordable is None else f" ({number(found.affordable)} combinations)"
    told = [f"A budget of {found.budget:g} is spent on columns that cost no more together{within}."]
    if not found.frontier:
        return [*told, "Nothing that can be bought tells more than knowing nothing."]
    best = found.frontier[-1]
    told.append(
        f"The most it reaches is {found.measure} {figure(found.measure, _value(found, best))}, "
        f"with {listed(list(best.columns))} for {best.cost:g}; knowing nothing reaches "
        f"{figure(found.measure, found.of_nothing)}."
    )
    if found.success is not None:
        wanted = figure(found.measure, found.success)
        if found.cheapest is None:
            told.append(f"A success of {wanted} is out of reach.")
        else:
            bought = listed(list(found.cheapest.columns))
            told.append(
                f"The cheapest way to a success of {wanted}: {bought} for {found.cheapest.cost:g}."
            )
    return told


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
    parts = [f"<p><strong>{escape(headline(found))}</strong></p>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in told]
    for title, (heads, rows) in tables(found):
        head = "".join(f"<th>{escape(each)}</th>" for each in heads)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        parts.append(
            f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
    return f"<div>{''.join(parts)}</div>"
