"""`report`: from records or statistics to one report of sections, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Unpack

from reidrisk.crowds import Envelope, Input, InputHash, Limit
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.generalisation import record_of
from reidrisk.hierarchies import Given
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.machine import Progress, no_progress
from reidrisk.models import checked_model
from reidrisk.output_files import made_at
from reidrisk.prediction import (
    LoadedStatistics,
    asked_with_recoding,
    refuse_unprotected,
    refuse_unread,
    statistics_or_table,
)
from reidrisk.printable import shell_words
from reidrisk.publishing import keys_beside
from reidrisk.records import ReadingColumns, Table
from reidrisk.reports.discretion import USUAL_LEAST, Discretion
from reidrisk.reports.document import Report, Section, refuse_beside_keys, when
from reidrisk.reports.findings import Found, Wanted, of_statistics, of_table
from reidrisk.reports.sections.answer import answer_of
from reidrisk.reports.sections.attack import attack_section, group_section
from reidrisk.reports.sections.combinations import adds_section, combinations_section
from reidrisk.reports.sections.comparison import comparison_section, dependence_section
from reidrisk.reports.sections.crowds import at_least_section, crowd_sizes_section, value_section
from reidrisk.reports.sections.given_away import given_away_section
from reidrisk.reports.sections.in_the_population import population_section, sampled_from
from reidrisk.reports.sections.treatment import (
    Treatment,
    checked_limits,
    generalisation_section,
    refuse_telling_limits,
    target_section,
    treatment_of,
    treatment_section,
)
from reidrisk.reports.sections.what_would_be_learnt import learning_section
from reidrisk.reports.words.blocks import number
from reidrisk.searches import Lattice, Limits
from reidrisk.version import __version__

# Seconds after which counting combinations stops, whatever is left.
USUAL_TIME = 20.0


def report(
    source: Any,
    *,
    title: str = "",
    publishable: bool = False,
    at_least: int = USUAL_LEAST,
    statistics: Any = None,
    hierarchies: Given = None,
    limits: Mapping[str, Limit] | None = None,
    before: Any = None,
    population: int | None = None,
    sensitive: str | Sequence[str] = (),
    crowds: Sequence[int] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    seed: int = 0,
    up_to: int | None = None,
    time_limit: float | None = USUAL_TIME,
    command: str = "",
    progress: Progress = no_progress,
    **reading: Unpack[ReadingColumns],
) -> Report:
    """What a table, or statistics, mean for the people in them: sentences, figures and pictures.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes).
        title: the report's title; by default made of the file's name.
        publishable: leave out every value of a record, the file's name and hash, and every figure
            from which a count of people below `at_least` could be derived. Refused of records where
            the key lies beside them with which their statistics were rounded.
        at_least: with `publishable`, the smallest count of people that may be derived.
        statistics: compared with the records; by default what `publish` would make of them.
        hierarchies: show what coarser values would do, by these (see `generalise`).
        limits: the target the report judges by, such as {"highest_risk": "1/11"}.
        before: the table that this one was made from, or its file; by default the record that
            `generalise` wrote next to the file says what was done.
        population: the records are a sample of so many people; a section says who of those alone is
            alone among them.
        sensitive: columns that somebody may learn about people; a section says what would be learnt
            of them. By default those that the table was read with.
        crowds: the k at which "in crowds of at least k" is reported.
        bands: {column: width} recodes statistics, or records that aren't a `Table` yet, into bands.
        levels: {column: digits} recodes them to the first characters of codes.
        model: the model for statistics, as in `predict`.
        seed: of whatever is drawn at random; the answer repeats it.
        up_to: count combinations of at most so many columns.
        time_limit: stop counting combinations after so many seconds.
        command: what the report gives as the command to reproduce it.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.report(table).answer.verdict
    'Many people stand out'
    """
    asked, bands, levels = asked_with_recoding(
        source, reading, bands, levels, progress, sensitive=sensitive
    )
    refuse_unread(asked, (sensitive,) if isinstance(sensitive, str) else sensitive)
    if publishable and isinstance(asked, Table):
        asked.unit.refuse_unanswered("a report for publication counts people, and")
        refuse_beside_keys(keys_beside(asked.paths, asked.there or asked.columns))
    if publishable:
        for each in (asked, None if statistics is None else statistics_or_table(statistics)):
            if isinstance(each, LoadedStatistics):
                refuse_unprotected(each.statistics, "a report for publication")
    if limits and isinstance(asked, Table):
        asked.unit.refuse_unanswered("a limit is about people, and judging it")
    wanted = Wanted(
        crowds, model, seed, up_to, time_limit, progress, bands or {}, levels or {}, hierarchies,
        (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
    )  # fmt: skip
    _refuse(wanted, asked)
    target = checked_limits(limits or {})
    if publishable:
        refuse_telling_limits(target, at_least)
    done = _done(asked, before)
    found = _found(asked, statistics, wanted)
    told = Discretion(found.risk.people, at_least if publishable else None)
    drawn_from = sampled_from(asked, population, seed, progress)
    about = envelope_of(found, publishable, seed)
    made = made_at()
    return Report(
        envelope=about,
        made=made,
        title=title or f"Re-identification risk of {about.input.named or 'a table'}",
        answer=answer_of(found, told),
        sections=sections_of(
            found,
            told,
            target_section(found, told, target),
            treatment_section(done, found.risk, told),
            population_section(drawn_from, told),
        ),
        provenance=provenance_of(asked, about, found, told, made),
        reproduce=command or usual_command(asked, about, told),
        at_least=told.at_least,
        measured=found.risk,
    )


def _refuse(wanted: Wanted, asked: Table | LoadedStatistics) -> None:
    """What a part of the report would refuse, and leave itself out for."""
    checked_model(wanted.model)
    if wanted.seed < 0:
        raise InputError("--seed is a whole number from 0")
    Limits(wanted.time_limit)
    names = asked.columns if isinstance(asked, Table) else asked.statistics.names
    Lattice.of_knowledge(names, wanted.up_to)


def _found(asked: Table | LoadedStatistics, statistics: Any, wanted: Wanted) -> Found:
    if isinstance(asked, Table):
        return of_table(asked, statistics, wanted)
    if statistics is not None:
        raise ContradictoryOptions(
            "--statistics are compared with records, and these are statistics already",
            "give the table first",
        )
    return of_statistics(asked, wanted)


def _done(asked: Table | LoadedStatistics, before: Any) -> Treatment | None:
    """What was done to the table, by the one before or the record beside it."""
    if not isinstance(asked, Table):
        if before is not None:
            raise ContradictoryOptions("--before is a table, and these are statistics")
        return None
    files = [path for path in asked.paths if path.is_file()]
    record = record_of(files[0]) if len(files) == len(asked.paths) == 1 else None
    return treatment_of(before, record, asked, lambda: sha256_of(files, state_of(files)))


def sections_of(found: Found, told: Discretion, *asked: Section | None) -> tuple[Section, ...]:
    """The sections there are figures for, in the order in which a reader asks."""
    every = (
        *asked,
        crowd_sizes_section(found, told),
        at_least_section(found, told),
        value_section(found, told),
        combinations_section(found, told),
        adds_section(found, told),
        dependence_section(found, told),
        learning_section(found, told),
        attack_section(found, told),
        group_section(found, told),
        comparison_section(found, told),
        given_away_section(found, told),
        generalisation_section(found, told),
    )
    return tuple(section for section in every if section is not None)


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
    source: Table | LoadedStatistics,
    envelope: Envelope,
    found: Found,
    told: Discretion,
    made: datetime,
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
        (f"Quasi-identifiers ({len(seen.columns)})", ", ".join(seen.columns)),
        ("Missing values", MISSING.get(envelope.missing, envelope.missing)),
        ("Figures", _origin_of(envelope)),
        ("Random seed", "none: nothing was drawn" if envelope.seed is None else str(envelope.seed)),
        ("Made", when(made)),
        ("Version", f"reidrisk {__version__}"),
    ]
    if found.prediction is not None:
        stated.append(("Prediction", f"model {found.prediction.envelope.model}"))
    left = dict(found.left_out)
    if told.folds and found.group is not None:
        left["group"] = "its curve would reveal small crowds"
    if left:
        stated.append(("Left out", "; ".join(f"{what}: {why}" for what, why in left.items())))
    return tuple(stated)


def _hash(seen: Input) -> str:
    found = seen.sha256
    if found is None:
        return "none: the input was in memory or has changed since, or no key could be kept"
    return f"{found} (the key stays with the holder of the records)"


def _origin_of(envelope: Envelope) -> str:
    if envelope.origin == "records":
        return f"counted from records (engine {envelope.engine})"
    return f"predicted from statistics (model {envelope.model})"


def usual_command(source: Table | LoadedStatistics, envelope: Envelope, told: Discretion) -> str:
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
    sensitive = source.engine.options.sensitive if isinstance(source, Table) else ()
    command += ["--sensitive", ",".join(sensitive)] if sensitive else []
    command += ["--publishable", "--at-least", str(told.at_least)] if told.folds else []
    return shell_words([*command, "-o", "report.html"])
