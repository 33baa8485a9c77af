"""`link`: a released table beside a register: who could be whom, and how often that is right.

Symbols: f(t) and F(t) people of combination t in the release and in the register. Somebody of the
release has F(t) candidates; k-map is the least F(t) of theirs, journalist risk 1/F(t). Of somebody
of the register, f(t)/F(t) is the chance that they were released (presence); its least and most are
the two δ of δ-presence (Nergiz, Atzori and Clifton 2007), 1 at most.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from reidrisk.crowds import Assumption, CrowdSizes, Envelope, assumed, named
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.linkage.candidate_files import write_matches, write_risks
from reidrisk.linkage.candidates import Candidates, Near, candidates
from reidrisk.linkage.claims import Right, right_guesses
from reidrisk.linkage.compared_tables import (
    BothSides,
    common_columns,
    paired_names,
    read_side,
    refuse_unknown,
    true_names,
)
from reidrisk.linkage.linkage_risk import LinkageRisk, MeasuredClaims, RegisterSide
from reidrisk.linkage.text_forms import checked_form, compared_as
from reidrisk.linkage.tolerance import near_values, parsed_tolerance
from reidrisk.linkage.two_sides import TwoSides
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import envelope
from reidrisk.output_files import refuse_input_as_output, table_kind
from reidrisk.records import Reading, Table

# A share of the people released whose value the register doesn't have, from which it is said.
MANY_UNMET = 0.05
KNOWN = Assumption(
    "register-is-known",
    "attacker",
    "The attacker holds the register, knows that the person was released, and guesses one of their "
    "candidates.",
)
SAMPLED_REGISTER = Assumption(
    "register-is-a-sample",
    "table",
    "The register holds a random part of those that the released people come from.",
    ("register-is-everyone",),
)
WHOLE_REGISTER = Assumption(
    "register-is-everyone",
    "table",
    "The register holds everybody whom the released people may be.",
    ("register-is-a-sample",),
)


def link(
    released: Table | Any,
    register: Table | Any,
    *,
    on: Sequence[str] | Mapping[str, str] | None = None,
    errors: int = 0,
    tolerance: Mapping[str, object] | None = None,
    compare: Mapping[str, str] | None = None,
    register_covers: float | None = None,
    population: int | None = None,
    truth: str | None = None,
    risk_file: str | os.PathLike[str] | None = None,
    show_matches: str | os.PathLike[str] | None = None,
    register_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[Reading],
) -> LinkageRisk:
    """How many people of a register could be each person of a released table?

    Further arguments are options of `read`, for a released table that isn't a `Table` yet.

    Parameters:
        released: a `Table`, or anything `read` takes: what was given away.
        register: a `Table`, or anything `read` takes: what the attacker holds, with names.
        on: the columns to compare, by the same name in both, or {released: register}; by default
            all that both have.
        errors: how many of them may differ.
        tolerance: {column: how much} for numbers, ``{"age": 1}``, and dates, ``{"born": "3d"}``.
        compare: {column: form} compares texts ``"normalised"`` or ``"phonetic"``.
        register_covers: the share of those whom the released people come from that is in the
            register; 1 where it is everybody.
        population: or how many people that are altogether.
        truth: the column that names the same person in both, or ``"id=number"``; claims are
            compared with it, and never made by it.
        risk_file: a file to write with each released record's candidates and the chance of a right
            guess.
        show_matches: a private file to write with the record of the register that each released
            record with one candidate is claimed to be, named by the register's `key`.
        register_options: options of `read` for the register, such as ``{"key": "name"}``.
        seed: of the latent classes, if the register is a sample.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> stays = {"age": [39, 40], "zip": ["0100", "0200"]}
    >>> voters = {"age": [39, 40, 40], "zip": ["0100", "0200", "0200"]}
    >>> rr.link(stays, voters).k_map
    1
    """
    _refuse_wrong(errors, register_covers, population, seed)
    pairs, true_pair = paired_names(on), true_names(truth)
    mine = read_side(released, reading, pairs, true_pair[:1], 0, progress)
    theirs = read_side(register, register_options or {}, pairs, true_pair[1:], 1, progress)
    pairs = common_columns(mine, theirs, pairs, on is None)
    mine.unit.refuse_unanswered("linking counts people, and")
    by_record = risk_file is not None or show_matches is not None
    for target in (risk_file, show_matches):
        if target is not None:
            table_kind(Path(target))
            refuse_input_as_output(target, (*mine.paths, *theirs.paths))
    forms = {name: checked_form(name, form) for name, form in (compare or {}).items()}
    refuse_unknown(pairs, (*forms, *(tolerance or {})))
    both = BothSides.of(mine, theirs, pairs, true_pair, by_record)
    sides = TwoSides.of(compared_as(both.released, forms), compared_as(both.register, forms))
    found = candidates(sides, errors, _near(sides, tolerance or {}),
                       mine.engine.options.missing == "wildcard", progress)  # fmt: skip
    share = _coverage(theirs.people, register_covers, population)
    answer, right = _answer(mine, theirs, pairs, sides, found, share, errors, seed, progress)
    if true_pair:
        answer = replace(answer, measured=_measured(both, sides, found))
    if risk_file is not None:
        write_risks(mine, found, right, Path(risk_file))
    if show_matches is not None:
        write_matches(mine, theirs, found, Path(show_matches))
    return answer


def _refuse_wrong(errors: int, covers: float | None, population: int | None, seed: int) -> None:
    if errors < 0:
        raise InputError("--errors is a whole number from 0")
    if seed < 0:
        raise InputError("--seed is a whole number from 0")
    if covers is not None and population is not None:
        raise ContradictoryOptions("--register-covers and --population both say how many it holds")
    if covers is not None and not 0.0 < covers <= 1.0:
        raise InputError(
            f"--register-covers {covers:g}: it is above 0 and at most 1", "write 60 % as 0.6"
        )


def _near(sides: TwoSides, tolerance: Mapping[str, object]) -> Near:
    names = [each.name for each in sides.columns]
    return {
        (place := names.index(name)): near_values(
            sides.columns[place], parsed_tolerance(name, given), sides.codes(place)[1]
        )
        for name, given in tolerance.items()
    }


def _coverage(people: int, covers: float | None, population: int | None) -> float:
    if population is None:
        return 1.0 if covers is None else covers
    if population < people:
        raise InputError(f"--population {population}: the register alone has {people:,} people")
    return people / population


def _answer(
    mine: Table,
    theirs: Table,
    pairs: Mapping[str, str],
    sides: TwoSides,
    found: Candidates,
    covers: float,
    errors: int,
    seed: int,
    progress: Progress,
) -> tuple[LinkageRisk, Right | None]:
    number, _, differences = found.fewest
    people = sides.released_people
    alone = (number == 1).astype(np.int64)
    right = None
    if not errors and mine.engine.options.missing == "own":
        rng = np.random.default_rng(seed)
        right = right_guesses(sides, number, covers, rng, progress)
    sized, place = np.unique(number[number > 0], return_inverse=True)
    held = np.bincount(place, weights=people[number > 0], minlength=len(sized))
    every = np.ones_like(people)
    fit = _fit(right)
    answer = LinkageRisk(
        envelope=_envelope(mine, theirs, pairs, sides, covers, seed if fit else None),
        register=RegisterSide(named(theirs.paths, theirs.format), theirs.people, covers, pairs),
        errors=errors,
        candidates=CrowdSizes(sized, held / np.maximum(sized, 1), "matched"),
        none=int(people[number == 0].sum()),
        by_differences=tuple(
            int(people[differences == m].sum()) for m in range(len(found.exactly))
        ),
        made=int(np.dot(people, alone)),
        right=None if right is None else right.expected(people, alone),
        expected_links=None if right is None else right.expected(people, every),
        presence=_presence(sides),
        fit=fit,
    )
    return answer, right


def _fit(right: Right | None) -> dict[str, Any]:
    if right is None or right.estimate is None:
        return {}
    ended = {law.calibration.ended for law in right.estimate.laws}
    return {
        "ended": "converged" if ended == {"converged"} else ", ".join(sorted(ended)),
        "disagreement": right.estimate.disagreement,
    }


def _presence(sides: TwoSides) -> tuple[float, float]:
    """The least and the most f/F over the register's people, 1 at most."""
    mine, theirs = sides.keys(range(len(sides.columns)))
    held, place = np.unique(theirs, return_inverse=True)
    register = np.bincount(place, weights=sides.register_people)
    at = np.minimum(np.searchsorted(held, mine), len(held) - 1)
    met = held[at] == mine
    released = np.bincount(at[met], weights=sides.released_people[met], minlength=len(held))
    shares = np.minimum(released[register > 0] / register[register > 0], 1.0)
    return float(shares.min()), float(shares.max())


def _envelope(
    mine: Table,
    theirs: Table,
    pairs: Mapping[str, str],
    sides: TwoSides,
    covers: float,
    seed: int | None,
) -> Envelope:
    said = envelope("link", mine, list(pairs))
    kept = [each for each in said.assumptions
            if each.key not in ("table-is-everyone", "attacker-without-error")]  # fmt: skip
    how = WHOLE_REGISTER if covers >= 1.0 else SAMPLED_REGISTER
    renamed = [f"{one} is compared with {other}." for one, other in pairs.items() if one != other]
    return replace(
        said,
        seed=seed,
        model=None if seed is None else "calibrated laws",
        assumptions=(KNOWN, how, *kept, *assumed("compared-with", "table", renamed)),
        warnings=(*said.warnings, *theirs.warnings, *_warnings(mine, theirs, sides)),
    )


def _warnings(mine: Table, theirs: Table, sides: TwoSides) -> list[str]:
    """Values that don't meet, and a register that can't hold everybody."""
    told = []
    if theirs.unit.unanswered:
        told.append(f"Of the register: {theirs.unit.warning}")
    if theirs.people < mine.people:
        told.append(
            f"The register has {theirs.people:,} people and the release {mine.people:,}: most of "
            "them can't be found in it. Are the two the right way round?"
        )
    for place, column in enumerate(sides.columns):
        codes, others = sides.codes(place)
        there = np.zeros(column.empty + 1, dtype=bool)
        there[others] = True
        unmet = int(sides.released_people[~there[codes]].sum())
        if unmet > MANY_UNMET * mine.people:
            values = int(np.count_nonzero(~there[np.unique(codes)]))
            told.append(
                f"{values:,} of the {column.released:,} values of {column.name}, those of "
                f"{unmet / mine.people:.0%} of the people released, don't occur in the register: "
                "are both written alike?"
            )
    return told


def _measured(both: BothSides, sides: TwoSides, found: Candidates) -> MeasuredClaims:
    """Claims against who people are; whoever has no name in either can't be right."""
    assert both.true is not None
    mine, theirs = both.true
    number, rows, _ = found.fewest
    people = sides.released_people
    there = {name for name in theirs if name is not None}
    claimed = np.flatnonzero(number == 1)
    right = sum(
        int(people[row])
        for row in claimed.tolist()
        if mine[row] is not None and mine[row] == theirs[rows[row]]
    )
    in_both = sum(int(people[row]) for row, name in enumerate(mine) if name in there)
    return MeasuredClaims(int(people[claimed].sum()), right, in_both)
