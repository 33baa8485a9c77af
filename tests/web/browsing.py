"""A real browser and a real page for the tests: Debian's chromium, driven by playwright."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# An empty profile, nothing in the background; as root chromium can't sandbox itself.
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


def chromium_or_skip() -> str:
    pytest.importorskip("playwright", reason="no playwright: pip install 'reidrisk[browser-test]'")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no chromium: apt-get install chromium")
    return found


@contextmanager
def served(*arguments: str, temporary: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`reidrisk serve` as people run it: its address and its process."""
    script = f"from reidrisk.cli.main import run; run({['serve', '--no-open', *arguments]!r})"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=_environment(temporary),
    )  # fmt: skip
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + (process.stderr.read() if process.stderr else "")
        yield found[0], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def _environment(temporary: Path) -> dict[str, str]:
    import os

    return dict(os.environ) | {"TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}


class Visit:
    """A visit to the page: what it asked for, what went wrong."""

    def __init__(self, browser: Any, address: str, **how: Any) -> None:
        self.context = browser.new_context(**how)
        self.context.add_init_script(_WATCH)
        self.address = address
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.wrong.append("a dialog") or dialog.dismiss())
        self.page.on("console", self._heard)
        self.page.goto(address)
        self.page.wait_for_selector("#demo:visible, #looking:visible")

    def _heard(self, message: Any) -> None:
        # A question that was refused in words is no fault of the page.
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            self.wrong.append(f"console: {message.text}")

    def drawn(self) -> None:
        self.page.wait_for_selector("#picture-attack:not(.waiting) svg")
        self.page.wait_for_selector("#picture-crowds:not(.waiting) svg")

    def figures(self) -> dict[str, str]:
        found: dict[str, str] = self.page.evaluate(
            "Object.fromEntries([...document.querySelectorAll('#figures div')].map("
            "e => [e.querySelector('dt').textContent, e.querySelector('dd').firstChild.data]))"
        )
        return found

    def upload(self, path: Path) -> None:
        self.page.set_input_files("#file", str(path))
        self.page.wait_for_selector("#looking:visible")

    def leave(self) -> None:
        """Nothing went wrong, nothing was asked of anybody else."""
        violated = self.page.evaluate("window.violations")
        self.context.close()
        assert not self.wrong
        assert not violated
        home = self.address.split("?")[0]
        assert [url for url in self.asked if not url.startswith((home, "blob:"))] == []
