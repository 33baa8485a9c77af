"""The tables of the report, in Markdown. No time stands without its ratio to reidrisk's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .contestants import REIDRISK, Contestant, absences
from .in_process import ARX_LABEL, ARX_SECONDS, InProcess
from .rounds import Timing
from .targets import Verdict

HEADER = (
    "| table | contestant | runs | wall s (least-most) | wall | CPU s | CPU | peak GB | peak |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
EXPLANATION = (
    "Medians over interleaved runs of whole processes, imports included; CPU is user + system; "
    "peak is the largest resident memory, GB = 10^9 bytes. The columns without a unit compare "
    "with reidrisk on the same table."
)
AGREED = "All answers were equal, in every run."


def ratio(theirs: float, ours: float | None, more: str, less: str) -> str:
    """Say how many times more or less than reidrisk."""
    if ours is None:
        return "not compared"
    times = f"{max(theirs / ours, ours / theirs):.2f}x"
    if times == "1.00x":
        return "1x"
    return f"{times} {more if theirs > ours else less}"


def base_of(timing: Timing, timings: Sequence[Timing]) -> Timing | None:
    """Find reidrisk's timing on the same table."""
    for other in timings:
        if other.table == timing.table and other.contestant.name == REIDRISK.name:
            return other
    return None


def row(timing: Timing, base: Timing | None) -> str:
    """Write one contestant on one table."""

    def against(figure: Callable[[Timing], float], more: str, less: str) -> str:
        return ratio(figure(timing), figure(base) if base else None, more, less)

    cells = [
        str(timing.table),
        named(timing),
        str(len(timing.runs)),
        seconds(timing),
        against(lambda t: t.wall, "slower", "faster"),
        f"{timing.cpu:.2f}",
        against(lambda t: t.cpu, "more", "less"),
        f"{timing.peak / 1e9:.2f}",
        against(lambda t: t.peak, "more", "less"),
    ]
    return f"| {' | '.join(cells)} |"


def seconds(timing: Timing) -> str:
    """Write the median wall time, and the range of the runs when there are several."""
    least, most = timing.wall_range
    spread = f" ({least:.2f}-{most:.2f})" if len(timing.runs) > 1 else ""
    return f"{timing.wall:.2f}{spread}"


def named(timing: Timing) -> str:
    """Return the contestant's name, with its note."""
    contestant = timing.contestant
    return f"{contestant.name} ({contestant.note})" if contestant.note else contestant.name


def timing_table(timings: Sequence[Timing]) -> str:
    """Write all timings, one row each."""
    rows = [row(timing, base_of(timing, timings)) for timing in timings]
    return "\n".join([HEADER, *rows])


def in_process_line(timed: InProcess) -> str:
    """Write the in-process seconds beside ARX's figure."""
    return (
        f"In process, after imports, 1M Parquet, {len(timed.seconds)} repeats: median "
        f"{timed.median:.3f} s, best {timed.best:.3f} s; {ARX_SECONDS} s ({ARX_LABEL}) is "
        f"{ARX_SECONDS / timed.median:.1f} times the median."
    )


def absence_lines(contestants: Sequence[Contestant]) -> str:
    """Say who could not take part."""
    return "\n".join(absences(contestants))


def verdict_lines(verdicts: Sequence[Verdict]) -> str:
    """Write the targets, one line each."""
    return "\n".join(f"- {verdict}" for verdict in verdicts)
