"""Examples that run: the ```console blocks of a page against what their commands print now.

    python -m documenting.examples                 every page: where does an output differ?
    python -m documenting.examples --update PAGE   write what the commands print into the page

A page's commands are run in its order in one empty folder. In a block, `$ ` begins a command,
`> ` continues it, and what follows is its output; a line `…` stands for any lines left out.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from documenting.realigning import LEFT_OUT, realigned, shortened
from documenting.running import Session

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n?", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A command, the output a page shows for it, and where that output stands in the page."""

    command: str
    shown: str
    start: int
    end: int

    def agrees(self, said: str) -> bool:
        """Whether what was printed is what is shown, but for the lines left out."""
        return re.fullmatch(_pattern(self.shown), _ended(said)) is not None


@dataclass(frozen=True)
class Difference:
    """An example whose output differs from the one shown."""

    page: Path
    example: Example
    said: str

    def __str__(self) -> str:
        name = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return (
            f"{name}: $ {self.example.command}\n--- shown\n{self.example.shown}--- printed\n"
            f"{self.said}--- python -m documenting.examples --update {name}\n"
        )


def pages_with_examples() -> list[Path]:
    """README.md and every page of docs/ that shows a command with its output."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if _BLOCK.search(page.read_text(encoding="utf-8"))]


def examples_in(text: str) -> list[Example]:
    """The examples of a page, in its order."""
    return [example for block in _BLOCK.finditer(text) for example in _in_block(block)]


def _in_block(block: re.Match[str]) -> Iterator[Example]:
    commands = list(_COMMAND.finditer(block[1]))
    ends = [following.start() for following in commands[1:]] + [len(block[1])]
    for command, end in zip(commands, ends, strict=True):
        start = command.end()
        text = command[1].replace("\n> ", "\n")
        yield Example(text, block[1][start:end], block.start(1) + start, block.start(1) + end)


def said_in_order(text: str) -> Iterator[tuple[Example, str]]:
    """Each example of a page with what its command prints, run one after the other."""
    with tempfile.TemporaryDirectory(prefix="reidrisk-page-") as folder:
        session = Session(Path(folder))
        for example in examples_in(text):
            yield example, session.run(example.command).text


def differences(page: Path) -> list[Difference]:
    """The examples of a page whose output differs."""
    ran = said_in_order(page.read_text(encoding="utf-8"))
    return [Difference(page, example, said) for example, said in ran if not example.agrees(said)]


def updated(text: str, new_lines: int | None = None) -> str:
    """The page with what its commands print now; what it leaves out stays left out.

    Of a command without any output yet, `new_lines` lines are shown at most.
    """
    parts, last = [], 0
    for example, said in said_in_order(text):
        if not example.agrees(said):
            new = _ended(said)
            shown = realigned(example.shown, new) if example.shown else shortened(new, new_lines)
            parts += [text[last : example.start], shown]
            last = example.end
    return "".join([*parts, text[last:]])


def _pattern(shown: str) -> str:
    lines = shown.splitlines(keepends=True)
    return "".join("(?:.*\n)*" if line.strip() == LEFT_OUT else re.escape(line) for line in lines)


def _ended(said: str) -> str:
    """Without blanks at line ends, which a page can't show, and with one line end at the end."""
    lines = [line.rstrip() for line in said.strip("\n").splitlines()]
    return "".join(line + "\n" for line in lines)


def main(arguments: Sequence[str]) -> int:
    """Compare the pages named, or all of them; with --update rewrite their outputs."""
    named = [Path(name).resolve() for name in arguments if not name.startswith("-")]
    pages = named or pages_with_examples()
    if "--update" in arguments:
        for page in pages:
            page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    found = [difference for page in pages for difference in differences(page)]
    for difference in found:
        print(difference)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
