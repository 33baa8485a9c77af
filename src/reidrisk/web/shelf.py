"""The shelf: what the page holds, within limits; what wasn't asked for longest goes first."""

from __future__ import annotations

import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

from reidrisk.errors import InputError
from reidrisk.web.opened import Opened
from reidrisk.web.settings import Settings


class LetGo(InputError):
    """A table or statistics the page doesn't hold, or no longer."""

    kind = "let_go"

    def __init__(self) -> None:
        super().__init__("this table isn't held any longer", "open it again")


class Shelf:
    """Tables and statistics by their ids. Those opened at the start stay."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._held: OrderedDict[str, Opened] = OrderedDict()
        self._folders: dict[str, Path] = {}
        self._turn = threading.Lock()

    def put(self, source: Opened, folder: Path | None = None) -> Opened:
        """Hold it, and the folder its files are in; let others go where there is no room."""
        with self._turn:
            self._held[source.id] = source
            if folder is not None:
                self._folders[source.id] = folder
            for other in self._too_many(source):
                self._drop(other)
        return source

    def get(self, key: str) -> Opened:
        """What was opened under this id."""
        with self._turn:
            if key not in self._held:
                raise LetGo
            self._held.move_to_end(key)
            return self._held[key]

    def close(self, key: str) -> None:
        """Let it go."""
        with self._turn:
            if key in self._held:
                self._drop(key)

    def __iter__(self) -> Iterator[Opened]:
        with self._turn:
            return iter(list(self._held.values()))

    def _too_many(self, newest: Opened) -> list[str]:
        """Ids that have to go, the longest unasked first; never the newest."""
        room = self._settings.memory_limit // 2
        loose = [each for each in self._held.values() if not each.pinned and each is not newest]
        size, many = sum(each.size for each in self._held.values()), len(self._held)
        going = []
        for each in loose:
            if size <= room and many <= self._settings.most_held:
                break
            going.append(each.id)
            size, many = size - each.size, many - 1
        return going

    def _drop(self, key: str) -> None:
        del self._held[key]
        folder = self._folders.pop(key, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
