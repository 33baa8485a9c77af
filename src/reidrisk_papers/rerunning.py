"""`reproduce`: rerun papers, one figure after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError
from reidrisk.machine import Progress
from reidrisk_papers.expected import PAPERS, Reported, paper
from reidrisk_papers.figure import Figure, NotRun, Rerun
from reidrisk_papers.reproduction import PaperRerun, Reproduction
from reidrisk_papers.setting import Setting

Run = Callable[[Setting], Rerun]


def reproduce(
    papers: str | Sequence[str] = "all",
    *,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    seed: int = 0,
    command: str = "",
    progress: Progress | None = None,
) -> Reproduction:
    """The tables and figures of the four papers, next to ours.

    `papers` is one of tfrr, r3a, koot, attack, several of them, or all. `quick` reruns them on
    generated data in less than five minutes; otherwise `data` names the directory of the public
    tables, and a figure whose table isn't there is marked as not run.
    """
    asked = _asked(papers)
    place = _directory(data, quick)
    began = time.perf_counter()
    said: Any = {} if progress is None else {"progress": progress}
    setting = Setting(quick=quick, data=place, seed=seed, **said)
    done = tuple(PaperRerun(paper(key), tuple(rerun(key, setting))) for key in asked)
    return Reproduction(done, quick, seed, command, time.perf_counter() - began)


def rerun(key: str, setting: Setting) -> Iterator[Figure]:
    """One paper's figures, in its order."""
    runs = figures_of(key)
    for number, (name, reported) in enumerate(paper(key).reported.items()):
        setting.progress(f"{key}: {reported.title}", number, len(runs))
        yield _figure(reported, runs[name], setting)
    setting.progress(key, len(runs), len(runs))


def figures_of(key: str) -> Mapping[str, Run]:
    """How each figure of a paper is run."""
    runs: Mapping[str, Run] = import_module(f"reidrisk_papers.{key}.figures").RERUNS
    return runs


def _figure(reported: Reported, run: Run, setting: Setting) -> Figure:
    began = time.perf_counter()
    try:
        found = run(setting)
    except NotRun as reason:
        return Figure(reported, not_run=str(reason))
    return Figure.of(reported, found, time.perf_counter() - began)


def _asked(papers: str | Sequence[str]) -> list[str]:
    """The papers asked for, in their order, each once."""
    named = [papers] if isinstance(papers, str) else list(papers)
    unknown = [name for name in named if name not in (*PAPERS, "all")]
    if unknown or not named:
        raise InputError(
            f"there is no paper {', '.join(map(repr, unknown)) or 'named'}",
            f"it is {', '.join(PAPERS)} or all",
        )
    return [key for key in PAPERS if key in named or "all" in named]


def _directory(data: str | os.PathLike[str] | None, quick: bool) -> Path | None:
    if data is None:
        return None
    if quick:
        raise InputError(
            "--quick runs on generated data, and --data names public tables", "give one"
        )
    place = Path(data)
    if not place.is_dir():
        raise InputError(
            f"--data {str(data)!r} isn't a directory", "docs/papers.md lists the tables"
        )
    return place
