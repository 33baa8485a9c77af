"""The processor and the memory: what has to be settled at once, for this process alone.

AMD's fourth Zen generation runs the AVX-512 instruction that numpy sorts with (compress to
memory) as microcode: sorting is four to five times slower with it than with AVX2. Counting
crowds is sorting, so the counting commands turn it off there. Commands that compute laws keep
it: exponentials and logarithms gain as much from it as sorting loses.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from reidrisk import memory
from reidrisk.errors import InputError

_SWITCH = "NPY_DISABLE_CPU_FEATURES"
# The first two are its names up to numpy 2.3, the last one's since; unknown names are ignored.
_SLOW = "AVX512F AVX512_SKX X86_V4"


def without_spinning_threads() -> None:
    """numpy's linear algebra would start threads that spin all along; nothing here uses it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def within_memory(arguments: Sequence[str]) -> None:
    """Whatever a file turns out to hold, this process takes little more than --memory-limit."""
    if arguments and arguments[0] == "serve":
        # The page's work is done in processes of its own, which keep the limit.
        return
    said = None
    for place, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option == "--memory-limit":
            said = value if equals else next(iter(arguments[place + 1 :]), None)
    try:
        limit = memory.parsed_size(said) or memory.usual_limit()
    except InputError:
        # The command itself says what is wrong with it.
        limit = memory.usual_limit()
    memory.hold_to(memory.needed_for_libraries_too(limit))


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
