"""What a statistics file gives away by itself, and what to print with it."""

from __future__ import annotations

from reidrisk.reports.discretion import Discretion
from reidrisk.reports.document import Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.protection import expected_sentence, to_print
from reidrisk.reports.words.published import derivable_sentences


def given_away_section(found: Found, told: Discretion) -> Section | None:
    """Of statistics; records have no file to look at."""
    if found.published is None:
        return None
    statistics, attacked, expected = found.published
    if told.folds and statistics.protection is None:
        # What is derived from counts nobody protected is for those who hold them.
        return None
    sentences = derivable_sentences(attacked, statistics)
    if expected is not None:
        sentences.append(expected_sentence(expected))
    if to_print(statistics):
        sentences.append(f"To print with the file: “{to_print(statistics)}”")
    return Section(
        "given_away",
        "What does the file itself give away?",
        tuple(sentences),
        formula="Σ_{t} min(d_{t}, d'_{t})/n for two drawn tables; bounds of all counts by interval "
        "propagation",
        limits="The attack knows the file and nothing else; somebody who knows some of the "
        "records, or an earlier file about the same people, may derive more.",
    )
