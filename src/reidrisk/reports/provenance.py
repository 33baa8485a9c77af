"""Provenance: where a report's figures come from, so that somebody else can have them again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from reidrisk.engines import Table
from reidrisk.measuring.envelope import Envelope
from reidrisk.prediction.asking import Asked
from reidrisk.printable import shell_words
from reidrisk.reporting.wording import number
from reidrisk.reports.found import Found
from reidrisk.version import __version__

MISSING = {
    "own": "an empty cell is a value of its own",
    "wildcard": "an empty cell matches anything",
}


def envelope_of(found: Found, publishable: bool, seed: int) -> Envelope:
    """What the report says of itself; notes on single cells stay out of one to be published."""
    about = replace(found.risk.envelope, command="report", seed=_seed(found, seed))
    if not publishable:
        return about
    return replace(about, warnings=(), input=replace(about.input, notes=()))


def _seed(found: Found, seed: int) -> int | None:
    """The seed, where chance had a part: drawn tables, or a model that samples."""
    by_chance = found.risk.predicted and found.ranking is not None
    fitted = found.prediction is not None and found.prediction.envelope.seed is not None
    return seed if by_chance or fitted else found.risk.envelope.seed


def provenance_of(
    source: Table | Asked, envelope: Envelope, found: Found, made: datetime
) -> tuple[tuple[str, str], ...]:
    """(what, in words), in the order in which a reader asks."""
    seen = envelope.input
    told = [
        ("Input", seen.named),
        ("SHA-256", seen.sha256 or "none: the input was in memory, or has changed since"),
        (seen.nouns[1].capitalize(), number(seen.people)),
    ]
    if isinstance(source, Table) and seen.nouns[1] != "rows":
        told.append(("Rows", number(source.engine.records)))
    told += [
        (f"Attributes ({len(seen.columns)})", ", ".join(seen.columns)),
        ("Missing values", MISSING.get(envelope.missing, envelope.missing)),
        ("Counted by", _counted_by(envelope)),
        ("Seed", "none: no chance was involved" if envelope.seed is None else str(envelope.seed)),
        ("Made", when(made)),
        ("Version", f"reidrisk {__version__}"),
    ]
    if found.prediction is not None:
        told.append(("Prediction", f"model {found.prediction.envelope.model}"))
    if found.left_out:
        told.append(
            ("Left out", "; ".join(f"{what}: {why}" for what, why in found.left_out.items()))
        )
    return tuple(told)


def when(made: datetime) -> str:
    """18 November 2026, 19:20 UTC."""
    return f"{made.day} {made:%B %Y, %H:%M} {made.tzname() or ''}".rstrip()


def _counted_by(envelope: Envelope) -> str:
    if envelope.origin == "records":
        return f"the records, with the {envelope.engine} engine"
    return f"nobody: predicted from statistics by the model {envelope.model}"


def usual_command(source: Table | Asked, envelope: Envelope) -> str:
    """The command for a report made in Python; how values were seen stands in the assumptions."""
    names = [path.name for path in source.paths] or ["TABLE"]
    command = ["reidrisk", "report", *names]
    for name in envelope.input.columns:
        command += ["--column", name] if "," in name else []
    plain = [name for name in envelope.input.columns if "," not in name]
    command += ["--columns", ",".join(plain)] if plain else []
    return shell_words([*command, "-o", "report.html"])
