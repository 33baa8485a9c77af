"""A generalisation in words: the levels chosen, what they lose, the risk before and after."""

from __future__ import annotations

from reidrisk.crowds import first_size, measure_named
from reidrisk.generalisation import ENDING, LEARNT, Generalised, Reached, Side
from reidrisk.learning import learning_measure
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

LOSSES = {
    "levels": "average generalisation level, as a share of the highest",
    "entropy": "share of the columns' information that is gone",
    "discernibility": "chance that two people can't be told apart",
    "average_crowd": "mean crowd, as a share of everybody",
}
TOLD = (
    "smallest_crowd", "highest_risk", "overall_risk", "alone_share", "share_above:0.2", "distinct",
    "people",
)  # fmt: skip


def generalised_blocks(found: Generalised) -> Blocks:
    """The whole answer."""
    model = [f"Model: {found.envelope.model}. {found.why}"] if found.draws is not None else []
    parts: tuple[Part, ...] = (sentences(found), *grids(found), what_became(found), model)
    return Blocks(headline(found), found.envelope, parts)


def headline(found: Generalised) -> str:
    """What was reached at which loss, and of what."""
    seen = found.envelope.input
    drawn = f", {found.draws} drawn tables" if found.draws else ""
    columns = agreed(len(seen.columns), "quasi-identifier", "quasi-identifiers")
    about = f"{seen.named}: {people(seen.people, seen.nouns)}{drawn}, {columns}"
    return f"Target met: {goal(found)}, loss {found.loss:.3g} ({about})"


def goal(found: Generalised) -> str:
    """The target as people say it."""
    learning = learning_goals(found)
    if learning and found.measure == "highest_risk" and found.allowable == 1:
        return listed(learning)
    return listed([_of_crowds(found), *learning])


def _of_crowds(found: Generalised) -> str:
    if found.measure == "highest_risk":
        size = first_size(found.allowable)
        beside = "" if 1 / size == found.allowable else f" (highest_risk up to {found.allowable:g})"
        return f"crowds of at least {size:,}{beside}"
    falling = measure_named(found.measure).safer_when_larger
    limit = figure(found.measure, found.allowable)
    return f"{found.measure} {'at least' if falling else 'up to'} {limit}"


def learning_goals(found: Generalised) -> list[str]:
    """The limits on what is learnt, as people say them."""
    if found.limits is None:
        return []
    of = listed(list(found.after.sensitive))
    return [_of_learning(name, limit, of) for name, limit in found.limits.limits.items()]


def _of_learning(name: str, limit: float, of: str) -> str:
    if name == "distinct_l":
        return f"at least {limit:g} values of {of} in every crowd (ℓ-diversity)"
    if name == "certain_share":
        whom = f"at most {share(limit)} of the people" if limit else "nobody"
        return f"{of} certain for {whom} (homogeneity)"
    measure = learning_measure(name)
    side = "at least" if measure.safer_when_larger else "up to"
    return f"{measure.both_words} of {of} {side} {figure(name, limit)}"


def sentences(found: Generalised) -> list[str]:
    """The answer."""
    coarser = [f"{name} to level {level} of {found.heights[name]}" for name, level in
               found.levels.items() if level]  # fmt: skip
    told = [f"Made coarser: {listed(coarser)}." if coarser else "No column has to be made coarser."]
    if found.suppressed:
        told.append(
            f"{people(found.suppressed)} ({share(found.suppressed_share)}) "
            f"{'is' if found.suppressed == 1 else 'are'} left out (record suppression), of up to "
            f"{share(found.suppress)} allowed."
        )
    proof = (
        f"none of the {number(found.searched.views)} possible releases that meets the target "
        "loses less"
        if found.searched.complete
        else f"up to {found.gap:.4g} above the least possible: the search had to stop"
    )
    told.append(f"Loss {found.loss:.5f} ({LOSSES[found.loss_name]}): {proof}.")
    told += _attack(found)
    if found.written:
        told.append(
            f"Written to {found.written}, read back and measured: the target is met. "
            f"The file next to it ({ENDING}) records what was done, for `report`; it has counts of "
            "the original table, so keep it to yourself."
        )
    if found.written and found.after.sensitive:
        told.append(f"Written as recorded: {listed(list(found.after.sensitive))}.")
    if found.left_aside:
        some = listed([*found.left_aside[:6], *(["…"] if len(found.left_aside) > 6 else [])])
        told.append(f"Not written: {some}; --keep names columns to write as they are.")
    return told


def _attack(found: Generalised) -> list[str]:
    before, after = found.before.played, found.after.played
    if before is None or after is None:
        return []
    return [
        f"Of {agreed(before.targets, 'simulated attack', 'simulated attacks')} by somebody who "
        f"knows all these columns, {number(before.hits)} re-identified the right person before, "
        f"{number(after.hits)} after."
    ]


def grids(found: Generalised) -> tuple[Grid, ...]:
    """The levels, the measures before and after, what each further step costs."""
    levels: list[tuple[str, ...]] = [
        (name, f"{level} of {found.heights[name]}", number(found.labels[name][0]),
         "hidden" if level == found.heights[name] else number(found.labels[name][1]))
        for name, level in found.levels.items()
    ]  # fmt: skip
    sides: list[tuple[str, ...]] = [
        (measure_named(name).plain, _value(found, name, "before"), _value(found, name, "after"))
        for name in TOLD
    ]
    held = [
        Grid(("column", "level", "values", "labels"), tuple(levels), title="Levels"),
        Grid(("", "before", "after"), tuple(sides), title="Measures"),
        *(learning_grid(found, column) for column in found.after.sensitive),
    ]
    if len(found.frontier) > 1:
        heads = ("", found.measure, "loss", "left out", "levels")
        rows = tuple(_step(found, each) for each in found.frontier)
        title = "What each further step costs"
        bars = tuple(bar(each.loss, 16) for each in found.frontier)
        held.append(Grid(heads, rows, (0, 4), title, bars))
    return tuple(held)


def learning_grid(found: Generalised, column: str) -> Grid:
    """What would be learnt of a sensitive column."""
    rows = tuple(
        (learning_measure(name).both_words, _learnt(found.before, column, name),
         _learnt(found.after, column, name))
        for name in LEARNT
    )  # fmt: skip
    return Grid(("", "before", "after"), rows, title=f"What would be learnt of {column}")


def _learnt(side: Side, column: str, name: str) -> str:
    values = side.learnt(column, name)
    told = figure(name, sum(values) / len(values))
    if min(values) == max(values):
        return told
    return f"{told} ({figure(name, min(values))} to {figure(name, max(values))})"


def _value(found: Generalised, name: str, when: str) -> str:
    side = found.before if when == "before" else found.after
    limits = side.interval(name)
    told = figure(name, side.value(name))
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
        number(step.suppressed),
        " ".join(str(level) for level in step.levels.values()),
    )


def what_became(found: Generalised) -> list[str]:
    """Releases counted, closed, open."""
    searched = found.searched
    releases = agreed(searched.views, "possible release", "possible releases")
    counted = agreed(searched.counted, "was", "were")
    told = [f"Of {releases}, {counted} counted."]
    closed = []
    if searched.pruned.get("not_allowed"):
        finer = agreed(searched.pruned["not_allowed"], "is", "are")
        closed.append(f"{finer} more detailed than a release that misses the target")
    if searched.pruned.get("bound"):
        coarser = agreed(searched.pruned["bound"], "loses", "lose")
        closed.append(f"{coarser} at least as much as the best one")
    if closed:
        told.append(f"Ruled out without counting: {'; '.join(closed)}.")
    if searched.open:
        told.append(
            f"Undecided when the search had to stop: {number(searched.open)}, none of which loses "
            f"less than {searched.bound:.5f}."
        )
    if any(not each.proven for each in found.frontier):
        told.append("* not proven: the search had to stop.")
    return told
