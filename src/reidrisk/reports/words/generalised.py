"""A generalisation in words: the levels chosen, what they lose, the risk before and after."""

from __future__ import annotations

from reidrisk.generalisation import ENDING, Generalised, Reached
from reidrisk.reports.words.layout import (
    Style,
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
from reidrisk.reports.words.search import figure
from reidrisk.searches import first_size

Rows = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
LOSSES = {
    "levels": "mean share of the levels gone up",
    "entropy": "share of the columns' information that is gone",
    "discernibility": "chance that two people can't be told apart",
    "average_crowd": "mean crowd, as a share of everybody",
}
TOLD = (
    ("smallest_crowd", "smallest crowd"),
    ("highest_risk", "highest risk"),
    ("overall_risk", "overall risk"),
    ("alone_share", "alone"),
    ("share_above:0.2", "risk above 20 %"),
    ("distinct", "crowds"),
    ("people", "people"),
)


def generalised_text(found: Generalised, strong: Style = plainly) -> str:
    """The whole answer as text."""
    parts = [*opening(strong(headline(found)), found.envelope), paragraphs(sentences(found))]
    for title, heads, rows in tables(found):
        left = tuple(i for i, head in enumerate(heads) if head in ("column", "", "levels"))
        parts.append(f"  {title}\n{table(heads, rows, left=left)}")
    parts.append(paragraphs(what_became(found)))
    if found.draws is not None:
        parts.append(paragraph(f"Model: {found.envelope.model}. {found.why}", "  "))
    return "\n\n".join([*parts, *closing(found.envelope)])


def headline(found: Generalised) -> str:
    """What was asked for."""
    seen = found.envelope.input
    drawn = f", {found.draws} drawn tables" if found.draws else ""
    columns = f"{len(seen.columns)} column{'' if len(seen.columns) == 1 else 's'}"
    return f"{seen.named}: {people(seen.people, seen.nouns)}{drawn}, {columns}; {goal(found)}"


def goal(found: Generalised) -> str:
    """The target as people say it."""
    if found.measure == "highest_risk":
        size = first_size(found.allowable)
        beside = "" if 1 / size == found.allowable else f" (highest_risk up to {found.allowable:g})"
        return f"crowds of at least {size:,}{beside}"
    falling = found.measure.startswith(("smallest_crowd", "share_in_crowds"))
    limit = figure(found.measure, found.allowable)
    return f"{found.measure} {'at least' if falling else 'up to'} {limit}"


def sentences(found: Generalised) -> list[str]:
    """The answer."""
    coarser = [f"{name} to level {level} of {found.heights[name]}" for name, level in
               found.levels.items() if level]  # fmt: skip
    told = [f"Made coarser: {listed(coarser)}." if coarser else "No column has to be made coarser."]
    if found.suppressed:
        told.append(
            f"{people(found.suppressed)} ({share(found.suppressed_share)}) "
            f"{'is' if found.suppressed == 1 else 'are'} left out; up to {share(found.suppress)} "
            "might have been."
        )
    proof = (
        f"of {number(found.searched.views)} releases none that meets the target loses less"
        if found.searched.complete
        else f"it may be up to {found.gap:.4g} above the least there is: the search had to stop"
    )
    told.append(f"Loss {found.loss:.5f} ({LOSSES[found.loss_name]}): {proof}.")
    told += _attack(found)
    if found.written:
        told.append(
            f"Written to {found.written}, read back and measured: the target is met. "
            f"What was done is recorded beside it ({ENDING}), with counts of the original: for "
            "`report`, not to be passed on."
        )
    if found.left_aside:
        some = listed([*found.left_aside[:6], *(["…"] if len(found.left_aside) > 6 else [])])
        told.append(f"Not written: {some}; --keep names columns to write as they are.")
    return told


def _attack(found: Generalised) -> list[str]:
    before, after = found.before.played, found.after.played
    if before is None or after is None:
        return []
    return [
        f"Attacked {number(before.targets)} times by somebody who knows all these columns: the "
        f"right person was picked {number(before.hits)} times before, {number(after.hits)} after."
    ]


def tables(found: Generalised) -> list[Rows]:
    """(title, heads, rows)."""
    levels: list[tuple[str, ...]] = [
        (name, f"{level} of {found.heights[name]}", number(found.labels[name][0]),
         "hidden" if level == found.heights[name] else number(found.labels[name][1]))
        for name, level in found.levels.items()
    ]  # fmt: skip
    sides: list[tuple[str, ...]] = [
        (word, _value(found, name, "before"), _value(found, name, "after")) for name, word in TOLD
    ]
    given = [
        ("Levels", ("column", "level", "values", "labels"), levels),
        ("Measures", ("", "before", "after"), sides),
    ]
    if len(found.frontier) > 1:
        heads = ("", found.measure, "loss", "", "left out", "levels")
        rows = [_step(found, each) for each in found.frontier]
        given.append(("What each further step costs", heads, rows))
    return given


def _value(found: Generalised, name: str, when: str) -> str:
    side = found.before if when == "before" else found.after
    limits = side.interval(name)
    told = figure(name, side.value(name)) if name != "people" else number(side.value(name))
    if limits is None or limits[0] == limits[1]:
        return told
    return f"{told} ({figure(name, limits[0])} to {figure(name, limits[1])})"


def _step(found: Generalised, step: Reached) -> tuple[str, ...]:
    asked = figure(found.measure, step.allowable)
    if found.measure == "highest_risk":
        asked = f"crowds of {first_size(step.allowable):,}"
    here = "→ " if step.allowable == found.allowable else "  "
    return (
        here + asked,
        figure(found.measure, step.measure),
        f"{step.loss:.4f}" + ("" if step.proven else "*"),
        bar(step.loss, 16),
        number(step.suppressed),
        " ".join(str(level) for level in step.levels.values()),
    )


def what_became(found: Generalised) -> list[str]:
    """Releases counted, closed, open."""
    searched = found.searched
    told = [f"Of {number(searched.views)} releases {number(searched.counted)} were counted."]
    closed = []
    if searched.pruned.get("not_allowed"):
        closed.append(f"{number(searched.pruned['not_allowed'])} are finer than one not allowed")
    if searched.pruned.get("bound"):
        closed.append(f"{number(searched.pruned['bound'])} can't lose less than the best")
    if closed:
        told.append(f"Closed without counting: {'; '.join(closed)}.")
    if searched.open:
        told.append(
            f"Open when it had to stop: {number(searched.open)}, none of which loses less than "
            f"{searched.bound:.5f}."
        )
    if any(not each.proven for each in found.frontier):
        told.append("* not proven: the search had to stop.")
    return told


def generalised_html(found: Generalised) -> str:
    """The answer for a notebook; everything is escaped."""
    told = [*sentences(found), *what_became(found)]
    shown = (html_table(heads, rows, title) for title, heads, rows in tables(found))
    return html_answer(found.envelope, headline(found), told, *shown)
