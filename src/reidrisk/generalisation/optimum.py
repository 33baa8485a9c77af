"""`generalise`: the levels of least loss that make a table safe, or one that statistics describe.

On statistics, tables drawn from a model stand for the records (`views.searchable`): a release is
allowed where it is in each of them, and loses what it loses in the worst.

Before and after: the crowds of the table and of the release, and the attack played on both.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from reidrisk.attacks import Played, Tuples, hits_of, tuples_of_codes
from reidrisk.crowds import Assumption, CrowdSizes, Limit, assumed
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.generalisation.generalised import Generalised, Reached, SearchedReleases, Side
from reidrisk.generalisation.learning_rule import with_learning
from reidrisk.generalisation.least_loss import Found, LeastLoss, risk_loss_frontier
from reidrisk.generalisation.levelled import Levelled, levelled
from reidrisk.generalisation.out_of_reach import out_of_reach, whom_no_level_helps
from reidrisk.generalisation.releases import Levels, Released, Releases
from reidrisk.generalisation.safer_table import (
    Promise,
    recorded,
    refuse_unwritable_table,
    write_safer_table,
)
from reidrisk.generalisation.target import Target, asked_target, target_of
from reidrisk.hierarchies import Given, write_hierarchies
from reidrisk.learning import learning_limits
from reidrisk.machine import Progress, no_progress
from reidrisk.prediction import LoadedStatistics, asked_with_recoding
from reidrisk.records import ReadingBesides, Table, unknown_column
from reidrisk.searches import DRAWS, Limits, searchable


def before_and_after(
    table: Levelled, levels: Levels, after: Sequence[Released], play: int, seed: int
) -> tuple[Side, Side]:
    """Whoever attacks knows all columns; after, at the levels they are released at.

    Of people of several rows they know all rows: a crowd is all that can be told of somebody.
    """
    once = [each.each_once()[0] for each in table.tables]
    as_recorded = (0,) * len(levels)
    return (
        Side(
            tuple(CrowdSizes.of(each.people) for each in once if each.people is not None),
            _played(tuples_of_codes(once[0]), play, seed),
            table.risks(as_recorded, table.whole(as_recorded) if table.sensitive else ()),
        ),
        Side(
            tuple(each.crowd_sizes for each in after),
            _played(tuples_of_codes(after[0].staying()), play, seed),
            table.risks(levels, after),
        ),
    )


def _played(tuples: Tuples, targets: int, seed: int) -> Played | None:
    if not targets:
        return None
    hits = hits_of(tuples, targets, np.random.default_rng([seed, targets]))
    return Played(targets, hits, len(tuples) / tuples.n)


def assumptions_of(table: Levelled, loss: str) -> tuple[Assumption, ...]:
    """What is assumed of people of several rows, and where hierarchies come from."""
    hierarchies = assumed("hierarchies", "table", table.said)
    if not table.asked.several_rows:
        return hierarchies
    left_out = "and people where some are left out"
    weighed = {"levels": f"columns alike, {left_out}", "entropy": f"the values of rows, {left_out}"}
    said = (
        "Each row is released at the levels chosen; crowds are of people with the same rows, and "
        "whoever is left out is left out with all their rows.",
        f"The loss weighs {weighed.get(loss, 'people')}.",
    )
    return (*assumed("persons-released", "table", said), *hierarchies)


TARGETS_PLAYED = 1000


def generalise(
    source: Any,
    *,
    k: int | str | None = None,
    measure: str | None = None,
    allowable_risk: Limit | None = None,
    sensitive: str | Sequence[str] = (),
    limits: Mapping[str, Limit] | None = None,
    suppress: float = 0.0,
    hierarchies: Given = None,
    loss: str = "levels",
    columns: Sequence[str] | None = None,
    at_least: Mapping[str, int] | None = None,
    at_most: Mapping[str, int] | None = None,
    frontier: Sequence[Limit] | bool | None = None,
    output: str | os.PathLike[str] | None = None,
    keep: Sequence[str] = (),
    save_hierarchies: str | os.PathLike[str] | None = None,
    play: int = TARGETS_PLAYED,
    time_limit: float | None = None,
    view_limit: int | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    background: Any = None,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[ReadingBesides],
) -> Generalised:
    """The levels of least loss that meet a target: `k`, or `measure` up to `allowable_risk`; and
    `limits` on what is learnt of `sensitive` columns.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes).
        k: crowds of at least so many people; 11, ``"k=11"`` or ``"1/11"``.
        measure: or any measure that merging crowds can only improve.
        allowable_risk: its highest value: a number, a fraction (1/11, as text or `Fraction`),
            ``"k=11"``.
        sensitive: the columns that somebody may learn; by default those that the table was read
            with. They are written as they are.
        limits: {measure: limit} for each of them, as in ``{"distinct_l": 3, "t_closeness": 0.2}``:
            ``certain_share``, ``distinct_l``, ``entropy_l``, ``t_closeness``, ``beta_likeness``,
            ``enhanced_beta_likeness``, ``alpha``, ``guess_gain``.
        suppress: the share of the people who may be left out.
        hierarchies: a folder, a file, or {column: Hierarchy}; columns without one get a proposal.
            One of a sensitive column says how far its values are apart (`t_closeness`).
        loss: ``levels``, ``entropy``, ``discernibility`` or ``risk``.
        columns: the quasi-identifiers; by default all of the table or of the statistics.
        at_least: {column: level} that a column is recoded to at least.
        at_most: {column: level} that it is recoded to at most.
        frontier: further allowable values to solve for; True for the usual ones.
        output: write the safer table there, read it back and measure it.
        keep: other columns to write, as they are.
        save_hierarchies: a folder for the hierarchies used, to be edited and given back.
        play: simulate so many attacks before and after.
        time_limit: seconds, after which the best release found is given with its gap.
        view_limit: releases counted.
        bands: {column: width} recodes statistics, or records that aren't a `Table` yet, into bands.
        levels: {column: digits} recodes them to the first characters of codes.
        model: for statistics: ``auto`` chooses by what is known of dependence; or ``independent``,
            ``pair``, ``tree``, ``pairwise``, ``triples``, ``shuffle``.
        background: other statistics, whose dependence is used where these have no pair table.
        draws: tables drawn, where there are only statistics.
        seed: of whatever is drawn at random; the answer repeats it.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [31, 32, 33, 44, 45, 46], "sex": list("ffmfmm")})
    >>> dict(rr.generalise(table, k=3).levels)
    {'age': 3, 'sex': 0}
    """
    learning = learning_limits(limits)
    name, allowable = asked_target(k, measure, allowable_risk, learning=learning is not None)
    if play < 0:
        raise InputError(f"--play {play}: the attack is played on a number of targets from 0")
    named = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    asked, bands, levels = asked_with_recoding(
        source, reading, bands, levels, progress, columns, named
    )
    _refuse_output(asked, output, keep)
    chosen = _judged(asked, columns, keep)
    seen = searchable(
        asked, chosen, bands, levels, model, draws, seed, background=background, progress=progress,
        sensitive=named,
    )  # fmt: skip
    if learning is not None and not seen.learnt:
        raise InputError(
            "no sensitive column is named: what may be learnt about people?",
            f"as in --sensitive diagnosis; there are: {', '.join(_there(asked))}",
        )
    table = levelled(seen, hierarchies, _there(asked), save_hierarchies)
    crowds = target_of(name, allowable, table.people, suppress)
    target = with_learning(crowds, learning, len(table.sensitive), suppress)
    releases = table.releases(at_least or {}, at_most or {})
    within = Limits(time_limit, view_limit, progress)
    found = _found(table, releases, loss, target, within)
    along = risk_loss_frontier(table, releases, loss, target, frontier, within)
    assert found.best is not None
    after = table.released(found.best.levels, target)
    sides = before_and_after(table, found.best.levels, after, play, seed)
    answer = _answer(table, releases, loss, target, suppress, found, sides, along, seed)
    if save_hierarchies is not None:
        write_hierarchies(table.hierarchies, table.values, save_hierarchies)
    if output is None:
        return answer
    promise = Promise(target, table, found.best.levels, after[0], seed, hierarchies)
    return _written(answer, asked, promise, output, keep, progress)


def _refuse_output(asked: Table | LoadedStatistics, output: Any, keep: Sequence[str]) -> None:
    if output is not None and not isinstance(asked, Table):
        raise ContradictoryOptions(
            "there are no records to write: these are statistics", "leave the output out"
        )
    if isinstance(asked, Table):
        asked.unit.refuse_unanswered("generalise protects people, and")
    if output is not None and isinstance(asked, Table):
        refuse_unwritable_table(asked, output, keep)
    if keep and output is None:
        raise ContradictoryOptions("--keep names columns to write, and nothing is written")


def _there(asked: Table | LoadedStatistics) -> tuple[str, ...]:
    return asked.there or asked.columns if isinstance(asked, Table) else asked.statistics.names


def _judged(
    asked: Table | LoadedStatistics, columns: Sequence[str] | None, keep: Sequence[str]
) -> Sequence[str] | None:
    """The quasi-identifiers: all but those that are kept as they are."""
    if not keep:
        return columns
    assert isinstance(asked, Table)
    for name in keep:
        if name not in asked.columns:
            raise unknown_column(name, asked.columns)
        if name in (columns or ()):
            raise ContradictoryOptions(f"{name!r} can't be judged and be kept as it is")
    return columns or [name for name in asked.columns if name not in keep]


def _found(
    table: Levelled, releases: Releases, loss_name: str, target: Target, limits: Limits
) -> Found:
    loss = table.loss(loss_name, target)
    matters = None if loss.of_crowds else target.rule.matters(target.budget)
    found = LeastLoss(table.counting(matters, target), releases, loss, target, limits).found()
    if found.best is None:
        raise out_of_reach(table, releases, target)
    return found


def _answer(
    table: Levelled,
    releases: Releases,
    loss: str,
    target: Target,
    suppress: float,
    found: Found,
    sides: tuple[Side, Side],
    along: tuple[Reached, ...],
    seed: int,
) -> Generalised:
    best = found.best
    assert best is not None
    assert target.yardstick.allowable is not None
    about = table.asked.envelope
    note = target.yardstick.measure.rounding_note(target.yardstick.allowable)
    return Generalised(
        envelope=replace(
            about,
            command="generalise",
            seed=about.seed if sides[0].played is None else seed,
            assumptions=(*about.assumptions, *assumptions_of(table, loss)),
            warnings=(*about.warnings, *filter(None, [note]), *whom_no_level_helps(table, target)),
        ),
        measure=target.yardstick.name,
        allowable=target.yardstick.allowable,
        suppress=suppress,
        loss_name=loss,
        loss=best.counted.loss,
        levels=releases.named(best.levels),
        heights=releases.named(releases.heights),
        labels=table.labels(best.levels),
        before=sides[0],
        after=sides[1],
        suppressed=best.counted.out,
        searched=SearchedReleases(
            releases.number, found.counted, found.pruned, found.open, found.bound
        ),
        frontier=along,
        draws=len(table.tables) if table.asked.drawn else None,
        why=table.asked.why,
        limits=target.limits,
    )


def _written(
    answer: Generalised,
    asked: Table | LoadedStatistics,
    promise: Promise,
    output: str | os.PathLike[str],
    keep: Sequence[str],
    progress: Progress,
) -> Generalised:
    """The same answer, its `after` measured from the file."""
    assert isinstance(asked, Table)
    after = write_safer_table(asked, promise, output, keep, progress)
    options = asked.engine.options
    judged = (*promise.levelled.asked.columns, *promise.levelled.sensitive)
    written = {*judged, *keep, options.count, options.person}
    aside = tuple(name for name in _there(asked) if name not in written)
    about = answer.envelope
    said = []
    if names := ", ".join(keep):
        said.append(f"Who knows {names} may know more: kept as they are, they aren't judged.")
    if options.person:
        said.append(f"In the file {options.person} is a new number, drawn by the seed.")
        about = replace(about, seed=promise.seed)
    told = replace(
        answer,
        envelope=replace(
            about, assumptions=(*about.assumptions, *assumed("columns-kept", "table", said))
        ),
        after=replace(answer.after, tables=(after.crowd_sizes,), learning=after.learning),
        written=str(output),
        left_aside=aside,
    )
    return recorded(told, output)
