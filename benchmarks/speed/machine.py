"""The machine and the versions, without host names, user names or paths."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("reidrisk", "duckdb", "polars", "pandas", "pycanon", "pyarrow", "numpy")


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def memory_in_gb() -> float:
    """Return the installed memory in GB (10^9 bytes)."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def system() -> str:
    """Return the operating system's name and version."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def package(name: str) -> str:
    """Return a package's name and version, or say that it is not installed."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


def describe(packages: Sequence[str] = PACKAGES) -> str:
    """Return the machine in two Markdown lines; the load says whether it was doing other work."""
    load = os.getloadavg()[0]
    hardware = f"{cpu_model()}, {cores()} cores, {memory_in_gb():.0f} GB, {system()}"
    libraries = ", ".join(package(name) for name in packages)
    return (
        f"Machine: {hardware}; load {load:.1f} at the start.\n"
        f"Python {platform.python_version()}; {libraries}."
    )
