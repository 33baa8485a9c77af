"""Thresholds: measures that must not be exceeded, the verdict, and how it is told.

In JSON it is one more key of the answer, `gate`: {`verdict` "pass" or "fail", `file`, what was
judged, `thresholds` [{measure, limit, given, value, crossed}]}. In text it is a line on standard
error, whichever way it went.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from reidrisk.cli.output import say, say_text
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.printable import json_text, without_passwords

# The value may be k=11 itself, so the first = needn't be the one that parts the two.
_PARTED = re.compile(r"(.*?)=(k\s*=\s*\d+|[^=]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Threshold:
    """A measure and the most it may be; `given` is how that was written."""

    measure: str
    limit: float
    given: str
    # Safer when larger: the least it may be.
    least: bool = False
    # What to mind where the limit is a fraction that was rounded.
    note: str = ""


@dataclass(frozen=True)
class Judged:
    """A threshold and what was found."""

    threshold: Threshold
    value: float

    @property
    def crossed(self) -> bool:
        """Whether the measure is beyond its limit."""
        asked = self.threshold
        return self.value < asked.limit if asked.least else self.value > asked.limit

    def sentence(self) -> str:
        """Whether it is met; a limit written as k is compared with the smallest crowd."""
        asked = self.threshold
        if asked.given.lower().startswith("k") and self.value > 0:
            from reidrisk.crowds import crowd_size

            size, smallest = crowd_size(asked.given), 1.0 / self.value
            whole = abs(smallest - round(smallest)) < 1e-9 * smallest
            found = f"the smallest crowd is {f'{smallest:,.0f}' if whole else f'{smallest:.6g}'}"
            if self.crossed:
                return f"Not met: {found}, and k={size} asks for at least {size:,}."
            return f"Met: {found} (k={size} asks for at least {size:,})."
        found = f"{asked.measure} is {self.value:.6g}"
        if asked.least:
            met = "Not met" if self.crossed else "Met"
            return f"{met}: {found} ({asked.given} asks for at least {asked.limit:g})."
        if self.crossed:
            return f"Not met: {found}, above {asked.given}."
        return f"Met: {found} (at most {asked.given})."

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        asked = self.threshold
        return {
            "measure": asked.measure,
            "limit": asked.limit,
            "given": asked.given,
            "value": self.value,
            "crossed": self.crossed,
        }


@dataclass(frozen=True)
class Verdict:
    """Every threshold judged; none where --fail-above wasn't given."""

    judged: tuple[Judged, ...]

    @property
    def crossed(self) -> bool:
        """Whether any limit was."""
        return any(each.crossed for each in self.judged)

    def json(self, risk: Any, source: Sequence[str], named: bool = True) -> str:
        """The answer with its verdict; `source` is what was judged.

        Neither it nor exact values are told in what is to be published (not `named`).
        """
        told = risk.to_dict()
        if self.judged:
            told["gate"] = {
                "verdict": "fail" if self.crossed else "pass",
                "file": ", ".join(map(without_passwords, source)) if named else None,
                "thresholds": [
                    each.to_dict() if named else each.to_dict() | {"value": None}
                    for each in self.judged
                ],
            }
        return json_text(told)

    def say(self, quietly: bool) -> None:
        """Tell it on standard error; `quietly` what was crossed only."""
        # Whoever reads it may have gone, and the threshold is crossed all the same.
        with suppress(BrokenPipeError):
            for line in self._lines(quietly):
                say(line, err=True)

    def _lines(self, quietly: bool) -> list[str]:
        from reidrisk.crowds import rounded_crowd

        if not self.crossed:
            return [] if quietly else [each.sentence() for each in self.judged]
        lines = []
        for each in (judged for judged in self.judged if judged.crossed):
            asked = each.threshold
            lines.append(each.sentence())
            size = rounded_crowd(asked.limit)
            if size is not None and each.value == 1.0 / size:
                lines.append(asked.note)
        return [line for line in lines if line]


def thresholds(
    given: tuple[str, ...],
    among: Mapping[str, Any] | None = None,
    example: str = "certain_share=0, t_closeness=0.2 or l=3",
) -> tuple[Threshold, ...]:
    """MEASURE=VALUE, repeated or behind commas; checked before anything is read.

    Measures of crowds, with k=11 for their size; or those `among` which a command has its own, with
    l=3 for ℓ-diversity.
    """
    from reidrisk.crowds import measure_named

    asked: dict[str, Threshold] = {}
    for part in (part.strip() for text in given for part in text.split(",")):
        parted = _PARTED.fullmatch(part)
        name, value = (word.strip() for word in parted.groups()) if parted else (part, "")
        if name.lower() == "k" and among is None:
            name, value = "highest_risk", f"k={value}"
        least = name.lower() == "l" and among is not None
        name = "distinct_l" if least else name
        try:
            measure = measure_named(name, among)
            limit = measure.limit(value, "--fail-above")
            if not least:
                measure.threshold(0.0)
                limit = measure.threshold(limit)
        except InputError as error:
            if value and "isn't a number" not in error.message:
                raise
            raise InputError(
                f"--fail-above {part}: it isn't MEASURE=VALUE",
                "as in overall_risk=0.05, highest_risk=1/11 or k=11"
                if among is None
                else f"as in {example}",
            ) from None
        if name in asked:
            raise ContradictoryOptions(f"--fail-above names {name} twice")
        note = measure.rounding_note(limit)
        asked[name] = Threshold(name, limit, f"l={value}" if least else value, least, note)
    return tuple(asked.values())


def verdict_on(risk: Any, asked: Sequence[Threshold]) -> Verdict:
    """Each threshold against the measure of its name."""
    return Verdict(tuple(Judged(each, float(risk.value(each.measure))) for each in asked))


def refuse_unanswered_rows(asked: Sequence[Threshold], table: Any) -> None:
    """A limit is met or exceeded by people: not while rows are counted that may not be people."""
    if asked:
        table.unit.refuse_unanswered("a limit is about people, and judging it")


def with_target(asked: Sequence[Threshold], given: dict[str, Any]) -> dict[str, Any]:
    """{measure: limit} of -k or --allowable-risk, and of --fail-above."""
    from reidrisk.generalisation import asked_target

    limits: dict[str, Any] = {each.measure: each.limit for each in asked}
    wanted = (given["k"], given["measure"], given["allowable_risk"])
    if wanted == (None, None, None):
        return limits
    name, limit = asked_target(*wanted)
    if limits.get(name, limit) != limit:
        raise ContradictoryOptions(f"--fail-above limits {name} to another value than the target")
    return limits | {name: limit}


class ThresholdCrossed(Exception):
    """A limit of --fail-above was exceeded; the answer has been printed."""


def print_answer(
    answer: Any,
    limits: Sequence[Threshold],
    as_json: bool,
    print_text: Callable[[], None],
    source: Sequence[str],
    named: bool = True,
) -> None:
    """Print an answer as JSON or as text, then the verdict on it; status 1 if a limit is crossed.

    `source` is what was judged; it isn't named in what is to be published. The status is what a
    pipeline looks at, so it is the same if nobody reads the answer any more.
    """
    verdict = verdict_on(answer, limits)
    try:
        if as_json:
            say_text(verdict.json(answer, source, named))
        else:
            print_text()
    finally:
        verdict.say(quietly=as_json)
        if verdict.crossed:
            raise ThresholdCrossed
