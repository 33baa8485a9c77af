"""The ledger: what all releases about the same people have spent, in a file beside the key.

Each release adds its ρ, and its δ_s for open domains. Together they keep (ε, δ + Σδ_s), ε that of
Σρ at δ (`concentrated_privacy`), which is less than Σε; whether the table is the same each time or
has changed, as long as all releases about these people are entered. δ belongs to the ledger: were
it to grow with each release, releases of next to nothing would make room for others.

A release is entered before its noise is drawn, and stays entered if writing then fails: what isn't
known to be unpublished counts as published. Entering is done by one process at a time, under a lock
on a file beside the ledger that stays there, and the ledger is written anew beside its place and
renamed, so that it is whole at every moment.

Where it fails: it knows what it was told. A copy put back (whoever may write to its folder can), a
second ledger for the same people or another program's releases aren't seen; people who are in two
tables lose what both spend.
"""

from __future__ import annotations

import json
import math
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reidrisk.errors import ContradictoryOptions, InputError, UnreadableInput, UnwritableOutput
from reidrisk.publishing.concentrated_privacy import epsilon_of, refuse_impossible
from reidrisk.publishing.differential_privacy import DELTA
from reidrisk.statistics import OPEN_SHARE, DifferentialPrivacy

FORMAT = "reidrisk-ledger/1"
# What adding up in floating point may be off by.
CLOSE = 1e-9


@dataclass(frozen=True)
class Release:
    """One release: when, as the publisher names the time, and what it spent."""

    at: str
    epsilon: float
    rho: float
    # δ_s.
    delta_of_domains: float

    @classmethod
    def of(cls, law: DifferentialPrivacy, at: str) -> Release:
        """Of a law about to be used."""
        return cls(at, law.epsilon, law.rho, law.delta_of_domains)


@dataclass(frozen=True)
class Ledger:
    """Releases about the people of one table, and the ε that all of them may spend together."""

    table: str
    budget: float
    delta_of_noise: float = (1.0 - OPEN_SHARE) * DELTA
    releases: tuple[Release, ...] = ()

    @property
    def delta(self) -> float:
        """δ + Σδ_s."""
        return self.delta_of_noise + math.fsum(each.delta_of_domains for each in self.releases)

    @property
    def epsilon(self) -> float:
        """What is proven of all releases together."""
        return epsilon_of(math.fsum(each.rho for each in self.releases), self.delta_of_noise)

    def with_release(self, release: Release) -> Ledger:
        """One release more; refused where the budget doesn't hold it."""
        after = replace(self, releases=(*self.releases, release))
        if after.epsilon > self.budget * (1.0 + CLOSE):
            raise InputError(
                f"the budget of epsilon {self.budget:g} doesn't hold this release: "
                f"{_so_far(self)}, and with it all of them would spend {after.epsilon:.3g}",
                "ask for less with --epsilon; a larger budget is a weaker promise, for everybody "
                "in earlier releases too",
            )
        return after

    def to_json(self) -> dict[str, Any]:
        """As in the file."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, held: Any) -> Ledger:
        """Read it back; a ValueError, KeyError or TypeError where it is no ledger."""
        if held["format"] != FORMAT:
            raise ValueError("another format")
        releases = tuple(
            Release(str(each["at"]), _amount(each["epsilon"]), _amount(each["rho"]),
                    _amount(each["delta_of_domains"], least=0.0))
            for each in held["releases"]
        )  # fmt: skip
        delta = _amount(held["delta_of_noise"])
        return cls(str(held["table"]), _amount(held["budget"]), delta, releases)


def _so_far(ledger: Ledger) -> str:
    number = len(ledger.releases)
    if not number:
        return "nothing was published yet"
    return f"{number} release{'s' if number > 1 else ''} spent {ledger.epsilon:.3g}"


def _amount(held: Any, least: float = math.ulp(0.0)) -> float:
    """A finite number above nought: less would give budget back."""
    found = float(held)
    if isinstance(held, bool) or not (math.isfinite(found) and found >= least):
        raise ValueError("not an amount")
    return found


def begun(path: Path, table: str, budget: float) -> Ledger:
    """A new ledger, readable for its owner alone; one that is there already is left as it is."""
    refuse_impossible(budget, 0.5)
    ledger = Ledger(table, budget)
    with _alone(path):
        if path.exists():
            raise UnwritableOutput(
                f"{path} is there already", "go on with it, or name another place"
            )
        _write(path, ledger)
    return ledger


def opened(path: Path, table: str) -> Ledger:
    """The ledger of this table, as it is now."""
    _refuse_others(path)
    try:
        ledger = Ledger.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        raise UnreadableInput(
            f"{path} is no ledger, or was damaged", "put back the copy that was made last"
        ) from None
    if ledger.table != table:
        raise ContradictoryOptions(
            f"{path} is the ledger of another table", "name this table's own ledger, or begin one"
        )
    return ledger


def entered(path: Path, table: str, law: DifferentialPrivacy, at: str) -> Ledger:
    """Enter a release that is about to be drawn with this law; refused if the budget is spent."""
    _refuse_others(path)
    with _alone(path):
        after = opened(path, table).with_release(Release.of(law, at))
        _write(path, after)
    return after


def _refuse_others(path: Path) -> None:
    """Missing, or open to others: who can write it gives budget back."""
    try:
        found = path.stat()
    except OSError:
        raise UnreadableInput(
            f"there is no ledger {path}", "name the one of earlier releases, or begin one"
        ) from None
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableInput(f"{path} is no file")
    if os.name == "posix" and found.st_mode & 0o077:
        raise InputError(
            f"{path} can be read or written by others", f"make it your own: chmod 600 {path}"
        )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; a lock goes with the process that holds it, however it ends."""
    # Whatever link it is named by.
    place = Path(os.path.realpath(path))
    beside = place.with_name(place.name + ".lock")
    try:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UnwritableOutput(f"{beside} can't be written: {error.strerror}") from None
    try:
        # Where there are no such locks, two releases at once are the publisher's to avoid.
        with suppress(ImportError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(path: Path, ledger: Ledger) -> None:
    """Whole or not at all, and on the disk before anything is published."""
    place = Path(os.path.realpath(path))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    except OSError as error:
        raise UnwritableOutput(f"{path} can't be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(ledger.to_json(), file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, place)
    except OSError as error:
        raise UnwritableOutput(f"{path} can't be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            os.unlink(name)
