"""`publish`: counts instead of records, from any engine, with a protection.

- by default every number is rounded at random by a secret key (`random_rounding`);
- ``exact``: numbers as they are, small ones left out with proof (`certified_tables`);
- ``epsilon``: differential privacy (`noisy_tables`), entered in a ledger;
- ``unprotected``: every count as it is, for those who may see the records.

What was rounded is attacked before anybody gets it (`derivable_counts`): a file whose small counts
can be derived isn't made, nor one that tells something together with an earlier one (`releases`).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.publishing.certified_tables import certified_tables
from reidrisk.publishing.chosen_triples import with_chosen_triples
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.derivable_counts import DerivableCounts, Of, attacked, derived_values
from reidrisk.publishing.differential_privacy import planned
from reidrisk.publishing.key_file import Key, key_at
from reidrisk.publishing.noisy_tables import noisy_tables
from reidrisk.publishing.privacy_ledger import Ledger, begun, entered, opened
from reidrisk.publishing.published_information import with_strong_pairs
from reidrisk.publishing.random_rounding import RoundedCounts, Unnamed
from reidrisk.publishing.releases import TwoReleases, told_together
from reidrisk.publishing.shared_people import with_shared_people
from reidrisk.publishing.unprotected_tables import tables_as_counted
from reidrisk.publishing.wish import Place, Wish
from reidrisk.records import Reading, Table, as_table
from reidrisk.statistics import (
    OF_PERSONS,
    USUAL_LEAST,
    DifferentialPrivacy,
    KeyedRounding,
    Statistics,
    all_dependences,
    load_statistics,
)

# Seconds of the attack before anything is written.
ATTACKED_SECONDS = 10.0
# Times that numbers which would let a small count be derived are drawn anew.
MOST_DRAWN_ANEW = 30
# The rarer value's alone at first; later both values'.
RARER_DRAWN_ANEW = 10


@dataclass(frozen=True)
class Publication:
    """Statistics that may be given away, or not, and how they were protected."""

    statistics: Statistics
    # What the attack found; None where a proof or noise stands in its place, or nothing is hidden.
    attacked: DerivableCounts | None = None
    key: Key | None = None
    ledger: Ledger | None = None
    ledger_path: Path | None = None
    # Pair tables that couldn't be published exactly, and how many small counts were proven.
    left_out: tuple[tuple[str, str], ...] = ()
    proven: int = 0
    # What the file tells beside an earlier one.
    beside: TwoReleases | None = None

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        protection, ledger = self.statistics.protection, self.ledger
        return {
            **({} if protection is None else protection.stated()),
            "key": None if self.key is None else str(self.key.path),
            "spent": None if ledger is None else {
                "ledger": str(self.ledger_path), "releases": len(ledger.releases),
                "epsilon": ledger.epsilon, "delta": ledger.delta, "budget": ledger.budget,
            },
            "left_out": [list(pair) for pair in self.left_out],
            "proven": self.proven,
            "attacked": None if self.attacked is None else self.attacked.to_dict(),
            "after": None if self.beside is None else self.beside.to_dict(),
        }  # fmt: skip


def publish(
    table: Table | Any,
    *,
    pairs: str = "all",
    strong: float = 0.5,
    at_least: int = USUAL_LEAST,
    exact: bool = False,
    width: int | None = None,
    epsilon: float | None = None,
    unprotected: bool = False,
    key_file: Place | None = None,
    ledger: Place | None = None,
    budget: float | None = None,
    after: Statistics | Place | None = None,
    population: int | None = None,
    title: str = "",
    triples: bool = False,
    shared_by_households: Sequence[str] = (),
    progress: Progress = no_progress,
    **reading: Unpack[Reading],
) -> Statistics:
    """Counts of the quasi-identifiers, and two-way tables of all, strongly dependent or no pairs.

    Where a person has several rows, counts are of people: a person's value of a column is the one
    value of their rows, or all of them joined (``heart + eye``), whatever their order and number.
    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        table: a `Table`, or anything `read` takes.
        pairs: which two-way tables: ``all``, ``strong`` or ``none``.
        strong: the gain ratio, in either direction, from which a pair is strong; judged by the
            numbers published of all pairs, so that the choice says nothing more of the records.
        at_least: numbers are rounded at random to its multiples; with ``exact``, counts of fewer
            people are left out.
        exact: counts as they are, small ones left out so that each could be another number.
        width: with ``exact``, how many other numbers a small count could be, 1 or 2.
        epsilon: differential privacy instead: what one person more or less may change.
        unprotected: every count as it is. Not to be shared.
        key_file: the key of rounding, made where there is none; by default a key is drawn and
            forgotten, so that publishing again rounds otherwise.
        ledger: with ``epsilon``, the file in which releases about these people are entered.
        budget: with ``epsilon``, what all releases in a new ledger may spend together.
        after: statistics published earlier about nearly the same people; refused where both
            together tell what neither does.
        population: the table is a sample from so many people; by default what equal survey weights
            add up to, of rounded numbers roughly, and with ``epsilon`` weights are refused.
        title: what the counts are about; by default the file's name.
        triples: a few three-way tables too, those that say most beyond the two-way tables.
        shared_by_households: three or more columns that members of a household share: how many
            people share all of them is written too.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    wish = Wish(
        pairs, strong, at_least, exact, width, epsilon, unprotected, key_file, ledger, budget,
        after, population, title, triples, tuple(shared_by_households), progress,
    )  # fmt: skip
    return published(as_table(table, reading), wish).statistics


def published(table: Table, wish: Wish) -> Publication:
    """The same with all that is known of it."""
    table.unit.refuse_unanswered("publish writes counts of people, and")
    wish = wish.with_weights_of(table)
    wish.refused(table)
    title = titled(table, wish)
    people = replace(table, engine=table.engine.by_person())
    chosen = pairs_to_count(people, wish)
    if wish.epsilon is not None:
        made = _with_noise(people, chosen, wish, wish.epsilon, title)
    elif wish.exact:
        made = _certified(people, chosen, wish, title)
    else:
        wish.progress("counting pairs", 0, len(chosen))
        counted = CountedTables.of(people, chosen)
        if wish.triples:
            counted = with_chosen_triples(counted, people, wish)
        if wish.household:
            counted = with_shared_people(counted, people, wish)
        if wish.unprotected:
            made = Publication(tables_as_counted(counted, title, wish.sample_of(counted.people)))
        else:
            made = _rounded(table, counted, wish, title)
    return made if wish.after is None else _beside_earlier(made, wish.after)


def _beside_earlier(made: Publication, after: Statistics | Place) -> Publication:
    try:
        earlier = after if isinstance(after, Statistics) else load_statistics(after)
        found = told_together(earlier, made.statistics, ATTACKED_SECONDS)
        if found.tells:
            raise InputError(
                f"nothing was written: {found.why}",
                "--epsilon keeps its bound whatever was published before",
            )
        if made.key is not None and made.key.new and isinstance(earlier.protection, KeyedRounding):
            raise InputError(
                "nothing was written: the earlier file was rounded by another key, and two "
                "roundings of the same numbers tell more than one",
                "name its key with --key-file",
            )
    except InputError:
        _forget(made.key)
        raise
    return replace(made, beside=found)


def as_published(table: Table, seed: int = 0, triples: bool = False) -> Statistics:
    """What `publish` makes of a table by default, rounded by a seed: the same each time.

    It stays inside: whoever knows the seed can undo the rounding.
    """
    wish = Wish(triples=triples)
    wish.refused(table)
    people = replace(table, engine=table.engine.by_person())
    counted = CountedTables.of(people)
    if triples:
        counted = with_chosen_triples(counted, people, wish)
    secret = hashlib.sha256(f"reidrisk {seed}".encode()).digest()
    made = RoundedCounts(counted, secret, wish.at_least).statistics(titled(table, wish))
    _refuse_nothing_left(made, counted, wish.at_least)
    return made


def titled(table: Table, wish: Wish) -> str:
    """The title, by default the file's name; it says so where people have several rows.

    With differential privacy only what was asked for: a file's name may say how many there are.
    """
    names: Sequence[Path] = table.paths if wish.epsilon is None else ()
    title = wish.title or (names[0].stem if names else "")
    return f"{title} {OF_PERSONS}".strip() if table.engine.options.person else title


def pairs_to_count(table: Table, wish: Wish) -> list[tuple[str, str]]:
    """The pairs from which those asked for are taken. With a protection strong ones are chosen by
    what it leaves of all (`with_asked_pairs`). Rounding looks at all pairs in any case: which
    attributes follow from others and which values the same people have decides what is rounded.
    """
    every = list(combinations(table.columns, 2))
    if wish.rounds or wish.pairs == "all":
        return every
    if wish.pairs == "none":
        return []
    if not wish.unprotected:
        return every
    found = all_dependences(table)
    strongly = {frozenset(each.of + each.on) for each in found if each.uncorrected >= wish.strong}
    return [pair for pair in every if frozenset(pair) in strongly]


def with_asked_pairs(statistics: Statistics, wish: Wish) -> Statistics:
    """A protected file's pair tables as far as they were asked for, by nothing but its numbers."""
    if wish.pairs == "none":
        return replace(statistics, pairs=())
    if wish.pairs == "strong":
        return with_strong_pairs(statistics, wish.strong)
    return statistics


def _rounded(table: Table, counted: CountedTables, wish: Wish, title: str) -> Publication:
    secret, key = secrets.token_bytes(32), None
    if wish.key_file is not None:
        key = key_at(wish.key_file, table.there or table.columns, wish.at_least)
        secret = key.secret
    try:
        made, found = not_derivable(counted, secret, wish)
    except InputError:
        _forget(key)
        raise
    part = partial(with_asked_pairs, wish=wish)
    return Publication(made.statistics(title, wish.sample_of(made.people), part), found, key)


def not_derivable(
    counted: CountedTables, secret: bytes, wish: Wish
) -> tuple[RoundedCounts, DerivableCounts]:
    """Rounded, and attacked: by somebody who has the file, and by somebody who also knows how many
    values it doesn't name. Numbers that let a small count be derived are drawn anew.
    """
    again: Counter[Of] = Counter()
    for drawn in range(MOST_DRAWN_ANEW):
        made = RoundedCounts(counted, secret, wish.at_least, again)
        statistics = made.statistics()
        _refuse_nothing_left(statistics, counted, wish.at_least)
        wish.progress("attacking", 0, 0)
        found, bounds = attacked(statistics, wish.at_least, ATTACKED_SECONDS)
        unnamed = unnamed_values(made)
        if not found.derived and any(unnamed.values()):
            known, bounds = attacked(statistics, wish.at_least, ATTACKED_SECONDS, unnamed)
            found = found if not known.derived else known
        if not found.derived:
            return made, found
        for values in set(derived_values(bounds, wish.at_least)):
            again.update([_rarer(values, made)] if drawn < RARER_DRAWN_ANEW else values)
    raise InputError(
        f"nothing was written: of the counts of fewer than {found.below} people, "
        f"{found.derived:,} could be derived from these tables together",
        "try a larger --at-least, fewer columns, --exact or --epsilon",
    )


def unnamed_values(made: RoundedCounts) -> dict[str, int]:
    """How many values of each attribute aren't named, which a codebook may tell."""
    return {
        name: int((~named).sum())
        for name, named in zip(made.counted.names, made.named, strict=True)
    }


def _forget(key: Key | None) -> None:
    """A key made for a file that isn't written."""
    if key is not None and key.new:
        key.path.unlink(missing_ok=True)


def _rarer(values: Sequence[Of], made: RoundedCounts) -> Of:
    """Of a cell's two values the one that fewer people have."""

    def people(of: Of) -> int:
        i = made.counted.names.index(of[0])
        margin = made.counted.margins[i]
        if isinstance(of[1], Unnamed):
            return int(margin[~made.named[i]].sum())
        return int(margin[made.counted.values[i].index(of[1])])

    return min(values, key=people)


def _refuse_nothing_left(statistics: Statistics, counted: CountedTables, base: int) -> None:
    """Where everybody is fewer than can be rounded, or no value of a column can be named."""
    unnamed = [each.name for each in statistics.published.attributes if not each.stated]
    if statistics.records < 2 * base or len(unnamed) == len(counted.names):
        raise InputError(
            f"the table is too small to publish anything: no value of any column is held by "
            f"{2 * base} people or more",
            "lower --at-least if that is allowed, or use --bands and --levels",
        )


def _certified(
    table: Table, chosen: Sequence[tuple[str, str]], wish: Wish, title: str
) -> Publication:
    found = certified_tables(
        table,
        chosen,
        wish.at_least,
        wish.width or 1,
        # Nobody who reruns it draws the same.
        np.random.default_rng(secrets.randbits(128)),
        title,
        wish.sample_of(table.people),
        wish.progress,
    )
    made = with_asked_pairs(found.statistics, wish)
    return Publication(made, left_out=found.left_out, proven=found.proven)


def _with_noise(
    table: Table, chosen: Sequence[tuple[str, str]], wish: Wish, epsilon: float, title: str
) -> Publication:
    number = len(table.columns)
    law = planned(epsilon, number, len(chosen), number)
    wish.progress("counting pairs", 0, len(chosen))
    counted = CountedTables.of(table, chosen)
    spent, path = None, None
    if wish.ledger is not None:
        path = Path(wish.ledger)
        # Entered before noise is drawn: what isn't known to be unpublished counts as published.
        spent = _entered(path, table, law, wish.budget)
    return Publication(
        noisy_tables(counted, law, title, wish.population), ledger=spent, ledger_path=path
    )


def _entered(path: Path, table: Table, law: DifferentialPrivacy, budget: float | None) -> Ledger:
    mark = _mark(table)
    if not path.exists():
        begun(path, mark, law.epsilon if budget is None else budget)
    elif budget is not None and (there := opened(path, mark).budget) != budget:
        raise ContradictoryOptions(
            f"--budget {budget:g}: the ledger {path.name} was begun with {there:g}",
            "a larger one would weaken the promise for everybody in earlier releases too",
        )
    return entered(path, mark, law, datetime.now(UTC).isoformat(timespec="seconds"))


def _mark(table: Table) -> str:
    """Which table a ledger is about: its columns, whichever of them are published."""
    named = json.dumps(sorted(table.there or table.columns), ensure_ascii=False)
    return hashlib.sha256(named.encode()).hexdigest()


def place_beside(source: str, output: Place, kind: str) -> Path:
    """Where a table's key or ledger lies: beside the table, so that every file about it finds the
    same one; for tables that are no single file, beside what is published.
    """
    beside = Path(source) if Path(source).is_file() else Path(output)
    return beside.with_name(f"{beside.stem}.reidrisk-{kind}")
