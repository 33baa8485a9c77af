"""What was hoped for, and whether it was reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .contestants import DUCKDB, PANDAS, POLARS, PYCANON, REIDRISK, Contestant
from .in_process import ARX_LABEL, ARX_SECONDS, InProcess
from .pairs import PAIRING, TOGETHER
from .rounds import Timing
from .tables import FORMATS, SIZES

PEERS = (DUCKDB, POLARS, PANDAS, PYCANON)
LESS_CPU_THAN_PYCANON = 25
PEAK_GB_AT_10M = 1.5
FASTER_THAN_ARX = 10


@dataclass(frozen=True)
class Finding:
    """One figure that bears on a target; `reached` is None when it was not measured."""

    where: str
    figure: str
    reached: bool | None


@dataclass(frozen=True)
class Verdict:
    """A target with the figures that decide it."""

    target: str
    findings: tuple[Finding, ...]

    @property
    def word(self) -> str:
        """Return missed if any figure misses, else open if any wasn't measured, else met."""
        reached = [finding.reached for finding in self.findings]
        if False in reached:
            return "missed"
        return "open" if None in reached else "met"

    def __str__(self) -> str:
        """Write the verdict in one line of Markdown."""
        figures = "; ".join(f"{finding.where} {finding.figure}" for finding in self.findings)
        return f"**{self.word}**: {self.target} ({figures})"


def timing_of(contestant: Contestant, where: str, timings: Sequence[Timing]) -> Timing | None:
    """Find a contestant's timing on a table, if it was measured."""
    for timing in timings:
        if timing.contestant == contestant and str(timing.table) == where:
            return timing
    return None


def ratios(
    peer: Contestant,
    figure: Callable[[Timing], float],
    at_least: float,
    timings: Sequence[Timing],
    own: Contestant = REIDRISK,
) -> tuple[Finding, ...]:
    """Divide the peer's figure by reidrisk's on each table the peer is asked to do."""
    findings = []
    for where in places([name for name in SIZES if name in peer.sizes]):
        ours, theirs = (timing_of(who, where, timings) for who in (own, peer))
        if ours is None or theirs is None:
            findings.append(Finding(where, "not measured", None))
        else:
            ratio = figure(theirs) / figure(ours)
            figure_text = f"{ratio:.2f}x{overlap(ours, theirs)}"
            findings.append(Finding(where, figure_text, ratio > at_least))
    return tuple(findings)


def overlap(ours: Timing, theirs: Timing) -> str:
    """Warn when the wall times of the runs overlap: the order may be chance."""
    (our_least, our_most), (their_least, their_most) = ours.wall_range, theirs.wall_range
    return ", runs overlap" if our_least <= their_most and their_least <= our_most else ""


def places(names: Sequence[str]) -> list[str]:
    """Name the tables of these sizes, in both formats."""
    return [f"{SIZES[name]} {file_format}" for name in names for file_format in FORMATS]


def faster_than(peer: Contestant, timings: Sequence[Timing]) -> Verdict:
    """Judge: less wall time than a peer on every table."""
    return Verdict(f"faster than {peer.name}", ratios(peer, lambda t: t.wall, 1, timings))


def pairs_faster_than(peer: Contestant, timings: Sequence[Timing]) -> Verdict:
    """Judge: all pair tables in less wall time than a peer's."""
    findings = ratios(peer, lambda t: t.wall, 1, timings, TOGETHER)
    return Verdict(f"all pair tables faster than {peer.name}", findings)


def less_cpu(timings: Sequence[Timing]) -> Verdict:
    """Judge: 25 times less CPU than pyCANON at 1M."""
    target = f"{LESS_CPU_THAN_PYCANON}x less CPU than pyCANON at 1M"
    return Verdict(target, ratios(PYCANON, lambda t: t.cpu, LESS_CPU_THAN_PYCANON, timings))


def small_peak(timings: Sequence[Timing]) -> Verdict:
    """Judge: a peak under 1.5 GB (10^9 bytes) at 10M."""
    findings = []
    for where in places(["10M"]):
        ours = timing_of(REIDRISK, where, timings)
        if ours is None:
            findings.append(Finding(where, "not measured", None))
        else:
            peak = ours.peak / 1e9
            findings.append(Finding(where, f"{peak:.2f} GB", peak < PEAK_GB_AT_10M))
    return Verdict(f"peak memory under {PEAK_GB_AT_10M} GB at 10M", tuple(findings))


def faster_in_process(timed: InProcess | None) -> Verdict:
    """Judge: ten times faster than ARX's 1.5 s, by the median of the repeats."""
    target = f"in process at 1M {FASTER_THAN_ARX}x faster than {ARX_SECONDS} s ({ARX_LABEL})"
    where = f"{SIZES['1M']} Parquet"
    if timed is None:
        return Verdict(target, (Finding(where, "not measured", None),))
    ratio = ARX_SECONDS / timed.median
    return Verdict(target, (Finding(where, f"{ratio:.2f}x", ratio >= FASTER_THAN_ARX),))


def verdicts(timings: Sequence[Timing], timed: InProcess | None) -> list[Verdict]:
    """Judge every target."""
    faster = [faster_than(peer, timings) for peer in PEERS]
    pairs = [pairs_faster_than(peer, timings) for peer in PAIRING[1:]]
    return [*faster, *pairs, less_cpu(timings), small_peak(timings), faster_in_process(timed)]
