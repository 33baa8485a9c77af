"""Before and after: the crowds of the table and of the release, and the attack played on both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reidrisk.attacks.playing import Played, hits_of
from reidrisk.attacks.tuples import Tuples, tuples_of_codes
from reidrisk.crowds import CrowdSizes
from reidrisk.engines.coded_persons import CodedPeople
from reidrisk.generalising.generalised import Side
from reidrisk.generalising.released import Released


def before_and_after(
    tables: Sequence[CodedPeople], after: Sequence[Released], play: int, seed: int
) -> tuple[Side, Side]:
    """Whoever attacks knows all columns; after, at the levels they are released at.

    Of people of several rows they know all rows: a crowd is all that can be told of somebody.
    """
    once = [each.each_once()[0] for each in tables]
    return (
        Side(
            tuple(CrowdSizes.of(each.people) for each in once if each.people is not None),
            _played(tuples_of_codes(once[0]), play, seed),
        ),
        Side(
            tuple(each.crowd_sizes for each in after),
            _played(tuples_of_codes(after[0].staying()), play, seed),
        ),
    )


def _played(tuples: Tuples, targets: int, seed: int) -> Played | None:
    if not targets:
        return None
    hits = hits_of(tuples, targets, np.random.default_rng([seed, targets]))
    return Played(targets, hits, len(tuples) / tuples.n)
