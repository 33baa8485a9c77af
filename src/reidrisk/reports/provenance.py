"""Provenance: where a report's figures come from, so that somebody else can have them again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from reidrisk.crowds import Envelope, Input, InputHash
from reidrisk.prediction import Asked
from reidrisk.printable import shell_words
from reidrisk.records import Table
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.findings import Found
from reidrisk.reports.words.layout import number
from reidrisk.version import __version__

MISSING = {
    "own": "an empty cell is a value of its own",
    "wildcard": "an empty cell matches anything",
}


def envelope_of(found: Found, publishable: bool, seed: int) -> Envelope:
    """What the report says of itself, with a hash that needs the holder's key to be checked.

    One to be published has no hash and no name of a file: who knows all records but one would try
    values until the hash agrees. Notes on single cells stay out of it as well.
    """
    about = replace(found.risk.envelope, command="report", seed=_seed(found, seed))
    if not publishable:
        return replace(about, input=about.input.with_keyed_hash())
    unit = about.input.unit
    # What speaks for or against a row being a person quotes counts.
    unit = None if unit is None else replace(unit, likely=())
    left = replace(about.input, hashed=InputHash(), named="", notes=(), unit=unit)
    return replace(about, warnings=(), input=left)


def _seed(found: Found, seed: int) -> int | None:
    """The seed, where chance had a part: drawn tables, or a model that samples."""
    by_chance = found.risk.predicted and found.ranking is not None
    fitted = found.prediction is not None and found.prediction.envelope.seed is not None
    return seed if by_chance or fitted else found.risk.envelope.seed


def provenance_of(
    source: Table | Asked, envelope: Envelope, found: Found, told: Discretion, made: datetime
) -> tuple[tuple[str, str], ...]:
    """(what, in words), in the order in which a reader asks."""
    seen = envelope.input
    stated = [(seen.nouns[1].capitalize(), number(seen.people))]
    if not told.folds:
        stated = [("Input", seen.named), ("Keyed SHA-256", _hash(seen)), *stated]
        if isinstance(source, Table) and seen.nouns[1] != "rows":
            # A row may stand for a crowd.
            stated.append(("Rows", number(source.engine.records)))
    stated += [
        (f"Attributes ({len(seen.columns)})", ", ".join(seen.columns)),
        ("Missing values", MISSING.get(envelope.missing, envelope.missing)),
        ("Counted by", _counted_by(envelope)),
        ("Seed", "none: no chance was involved" if envelope.seed is None else str(envelope.seed)),
        ("Made", when(made)),
        ("Version", f"reidrisk {__version__}"),
    ]
    if found.prediction is not None:
        stated.append(("Prediction", f"model {found.prediction.envelope.model}"))
    left = dict(found.left_out)
    if told.folds and found.group is not None:
        left["group"] = "its curve depends on each small crowd"
    if left:
        stated.append(("Left out", "; ".join(f"{what}: {why}" for what, why in left.items())))
    return tuple(stated)


def _hash(seen: Input) -> str:
    found = seen.sha256
    if found is None:
        return "none: the input was in memory or has changed since, or no key could be kept"
    return f"{found} (the key stays with the holder of the records)"


def when(made: datetime) -> str:
    """18 November 2026, 19:20 UTC."""
    return f"{made.day} {made:%B %Y, %H:%M} {made.tzname() or ''}".rstrip()


def _counted_by(envelope: Envelope) -> str:
    if envelope.origin == "records":
        return f"the records, with the {envelope.engine} engine"
    return f"nobody: predicted from statistics by the model {envelope.model}"


def usual_command(source: Table | Asked, envelope: Envelope, told: Discretion) -> str:
    """The command for a report made in Python, or to be published: no file is named then.

    How values were seen stands in the assumptions.
    """
    usual = "TABLE" if isinstance(source, Table) else "STATISTICS"
    names = [] if told.folds else [path.name for path in source.paths]
    command = ["reidrisk", "report", *(names or [usual])]
    for name in envelope.input.columns:
        command += ["--column", name] if "," in name else []
    plain = [name for name in envelope.input.columns if "," not in name]
    command += ["--columns", ",".join(plain)] if plain else []
    command += ["--publishable", "--at-least", str(told.at_least)] if told.folds else []
    return shell_words([*command, "-o", "report.html"])
