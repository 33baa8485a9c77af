"""The machine: its cores, its memory, its processor, and what counting may take of them.

Cores: the same work on several slices at once (numpy and Arrow let go of the interpreter). A long
question is asked in a thread of its own: an interrupt then reaches us at once and not the engine's
inside, and can stop the engine's work.

Memory: how much there is, how much counting takes, the words people write it in, and a limit that
the operating system keeps.

AMD's fourth Zen generation runs the AVX-512 instruction that numpy sorts with (compress to
memory) as microcode: sorting is four to five times slower with it than with AVX2. Counting
crowds is sorting, so the counting commands turn it off. Commands that compute laws keep it:
exponentials and logarithms gain as much from it as sorting loses.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from reidrisk.errors import InputError

# What is being done, how much of it is done, of how much.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Progress nobody looks at."""


Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Below this many records a thread costs more than it brings.
WORTH_SHARING = 100_000


def available() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Task], Answer], tasks: Iterable[Task], threads: int) -> list[Answer]:
    """`work` on each task, answers in order, on up to `threads` cores, this one among them.

    Plain daemon threads: an interrupted command needn't wait for work nobody will look at, and
    a pool would cost every command the imports of `concurrent.futures`.
    """
    listed = list(tasks)
    answers: dict[int, Answer] = {}
    faults: list[BaseException] = []
    waiting = iter(range(len(listed)))
    turn = threading.Lock()

    def take_turns() -> None:
        while not faults:
            with turn:
                place = next(waiting, None)
            if place is None:
                return
            try:
                answers[place] = work(listed[place])
            except BaseException as fault:
                faults.append(fault)

    others = [
        threading.Thread(target=take_turns, daemon=True)
        for _ in range(min(threads, len(listed)) - 1)
    ]
    for other in others:
        other.start()
    take_turns()
    if not any(isinstance(fault, KeyboardInterrupt) for fault in faults):
        for other in others:
            other.join()
    if faults:
        raise faults[0]
    return [answers[place] for place in range(len(listed))]


def in_slices(work: Callable[[slice], Answer], length: int, threads: int) -> list[Answer]:
    """`work` on slices that together cover `length` records."""
    parts = threads if length >= WORTH_SHARING else 1
    bounds = [length * part // parts for part in range(parts + 1)]
    return each(work, [slice(low, high) for low, high in pairwise(bounds)], threads)


PATIENCE = 0.3
LAST_WORDS = 5.0


def asked(
    question: Callable[[], Answer],
    stop: Callable[[], object],
    meanwhile: Callable[[], object] = lambda: None,
) -> Answer:
    """The answer, or what went wrong; on an interrupt `stop` is called and waited for a little."""
    answers: list[Answer] = []
    faults: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(question())
        except BaseException as fault:
            faults.append(fault)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    try:
        asking.join(PATIENCE)
        while asking.is_alive():
            meanwhile()
            asking.join(PATIENCE)
    except KeyboardInterrupt:
        with suppress(Exception):
            stop()
        asking.join(LAST_WORDS)
        raise
    if faults:
        raise faults[0]
    return answers[0]


_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6}
_UNITS |= {"g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12}
_UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
# What this process has on Linux: data in pages of memory, as the kernel counts both.
_STATUS = Path("/proc/self/status")
# The limit this process was given, if it was.
_held: list[int] = []
_CGROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
LEAST = 200 * 10**6
# What the libraries and a column on its way take, whatever the table's length.
BASE_BYTES = 200 * 10**6


def parsed_size(
    text: str | int | None, option: str = "--memory-limit", least: int = LEAST
) -> int | None:
    """4GB, 500 MB, 2GiB or a number of bytes."""
    if text is None or isinstance(text, int):
        return text
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Z]*)\s*", text)
    if not found or found[2].casefold() not in _UNITS:
        raise InputError(f"{option} {text}: not a size", "write it as 4GB or 500MB")
    size = int(float(found[1]) * _UNITS[found[2].casefold()])
    if size < least:
        enough = f"{least // 10**6}MB" if least >= 10**6 else f"{least} bytes"
        raise InputError(f"{option} {text}: too little to work with", f"give at least {enough}")
    return size


def usual_limit() -> int:
    """60 % of what the machine, or the container, has."""
    held = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _CGROUP:
        try:
            held.append(int(path.read_text()))
        except (OSError, ValueError):
            continue
    return int(0.6 * min(held))


def needed_for_codes(rows: int, columns: int, cores: int = 1) -> int:
    """Bytes the packed codes take at their peak.

    Each column leaves codes of two bytes on average; a column being read takes about 12 bytes a
    row on each core; a key takes 8, its sorted copy 8 more, the comparison 2.
    """
    return BASE_BYTES + rows * (2 * columns + max(12 * cores, 18))


def rows_that_fit(limit: int, columns: int, cores: int = 1) -> int:
    """How many rows of packed codes a limit allows; it may be none."""
    none = needed_for_codes(0, columns, cores)
    return max(limit - none, 0) // (needed_for_codes(1, columns, cores) - none)


def hold_to(limit: int) -> bool:
    """Have the operating system refuse this process more than `limit` bytes; whether it will.

    Data is what is limited (RLIMIT_DATA on Linux): memory that this process alone writes to, not
    files that are mapped, nor address space that is only set aside. macOS and Windows keep no
    such limit.
    """
    if not sys.platform.startswith("linux"):
        return False
    import resource

    try:
        status = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        data, used = (int(status[name].split()[0]) << 10 for name in ("VmData", "RssAnon"))
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = max(data - used, 0) + limit
        held = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_DATA, (held, most))
        _held[:] = [limit]
    except (OSError, KeyError, ValueError):
        return False
    return True


@contextmanager
def set_aside(more: int) -> Iterator[None]:
    """Within this block a library may set aside so much more; that it is used isn't meant."""
    if not _held:
        yield
        return
    _raised(more)
    try:
        yield
    finally:
        hold_to(_held[0])


def keeps_its_own() -> None:
    """From here on a library keeps to the limit by itself, and sets aside several times as much."""
    if _held:
        _raised(4 * _held.pop())


def _raised(more: int) -> None:
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = now + more
    held = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_DATA, (held, most))


def beside_libraries(limit: int) -> int:
    """What is left of a limit for the work itself."""
    return max(limit - BASE_BYTES, limit * 3 // 4)


def needed_for_libraries_too(limit: int) -> int:
    """What a process may take that is asked to keep to `limit`: its libraries come on top."""
    return max(limit + BASE_BYTES, limit * 7 // 5)


_SWITCH = "NPY_DISABLE_CPU_FEATURES"
# The first two are its names up to numpy 2.3, the last one's since; unknown names are ignored.
_SLOW = "AVX512F AVX512_SKX X86_V4"


def sorting_fast(described: Path = Path("/proc/cpuinfo")) -> None:
    """Have numpy sort with AVX2 where AVX-512 is the slower one."""
    if "numpy" not in sys.modules and _is_slow_with_avx512(described):
        os.environ.setdefault(_SWITCH, _SLOW)


def _is_slow_with_avx512(described: Path) -> bool:
    try:
        with described.open() as file:
            words = file.read(2000).replace("\t", "").splitlines()
    except OSError:
        return False
    return "vendor_id: AuthenticAMD" in words and "cpu family: 25" in words
