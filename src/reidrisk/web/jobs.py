"""Works: long questions under way, each in a process of its own; Stop ends the process.

One process waits ready, so that a question needn't wait for imports. No more run at once than
there are cores, the others wait their turn; a work that nobody listens to any more is stopped.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import secrets
from asyncio.subprocess import Process
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from typing import Any

from reidrisk import parallel
from reidrisk.errors import InputError
from reidrisk.web.processes import ENDED, MORE, ended, process_of_its_own

MOST_KEPT = 32
SECONDS_UNHEARD = 30.0
RUNNING = ("waiting", "running")


class Work:
    """One long question: its state, how far it is, and in the end its answer."""

    def __init__(self, kind: str, question: Callable[[], tuple[Any, ...]]) -> None:
        self.id = secrets.token_urlsafe(12)
        self.kind, self.question = kind, question
        self.state = "waiting"
        self.pid: int | None = None
        self.progress: dict[str, Any] | None = None
        self.answer: dict[str, Any] | None = None
        self.error: dict[str, str] | None = None
        self.listeners = 0
        self.changed = asyncio.Condition()
        self.task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it isn't over yet."""
        return self.state in RUNNING

    def told(self) -> dict[str, Any]:
        """For the page; a file is fetched by itself."""
        answer = None if self.answer is None else dict(self.answer)
        if answer is not None and answer.pop("file", None) is not None:
            answer["has_file"] = True
        return {
            "id": self.id, "kind": self.kind, "state": self.state, "pid": self.pid,
            "progress": self.progress, "answer": answer, "error": self.error,
        }  # fmt: skip

    async def news(self, before: dict[str, Any]) -> None:
        """Wait until it has something else to tell."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.told() != before)

    async def say(self, **news: Any) -> None:
        """Take in what is new, and wake who listens."""
        for name, value in news.items():
            setattr(self, name, value)
        async with self.changed:
            self.changed.notify_all()


class Works:
    """All of them, by id; the oldest that are over are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[str, Work] = OrderedDict()
        self._turns = asyncio.Semaphore(max(parallel.available(), 2))
        self._tasks: set[asyncio.Task[None]] = set()
        self._spares: list[asyncio.Task[Process]] = []

    def get_ready(self) -> None:
        """Have a process waiting."""
        if not self._spares:
            self._spares.append(asyncio.create_task(process_of_its_own(self._limit)))

    def start(self, kind: str, question: Callable[[], tuple[Any, ...]]) -> Work:
        """Begin; `question` is asked for what to send once it is its turn."""
        work = Work(kind, question)
        self._held[work.id] = work
        over = [each.id for each in self._held.values() if not each.running]
        for key in over[: max(len(self._held) - MOST_KEPT, 0)]:
            del self._held[key]
        work.task = asyncio.create_task(self._run(work))
        self._in_background(self._stop_unheard(work))
        return work

    def get(self, key: str) -> Work:
        """The work with this id."""
        if key not in self._held:
            raise InputError("this work isn't known any longer", "start it again")
        return self._held[key]

    async def stop(self, work: Work) -> None:
        """End it; when this returns its process is gone."""
        if work.task is not None and not work.task.done():
            work.task.cancel()
            with suppress(asyncio.CancelledError):
                await work.task

    async def stop_all(self) -> None:
        """End everything, the process that waits included."""
        for work in list(self._held.values()):
            await self.stop(work)
        for task in self._tasks:
            task.cancel()
        while self._spares:
            await ended(await self._spares.pop())

    async def listen(self, work: Work) -> AsyncIterator[dict[str, Any]]:
        """Its states as they come, the present one first."""
        work.listeners += 1
        try:
            while True:
                yield (now := work.told())
                if now["state"] not in RUNNING:
                    return
                await work.news(now)
        finally:
            work.listeners -= 1
            if work.running and not work.listeners:
                self._in_background(self._stop_unheard(work))

    def when_done(self, work: Work, use: Callable[[dict[str, Any]], None]) -> None:
        """Have the answer used, if there is one; this alone keeps no work going."""

        async def waiting() -> None:
            while work.running:
                await work.news(work.told())
            if work.answer is not None:
                use(work.answer)

        self._in_background(waiting())

    def _in_background(self, doing: Coroutine[Any, Any, None]) -> None:
        """The loop holds tasks only loosely, so they are kept here."""
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop_unheard(self, work: Work) -> None:
        await asyncio.sleep(SECONDS_UNHEARD)
        if not work.listeners:
            await self.stop(work)

    async def _run(self, work: Work) -> None:
        try:
            async with self._turns:
                await self._answered(work)
        except asyncio.CancelledError:
            await work.say(state="stopped")
        except Exception as error:
            fault = {"kind": "fault", "message": f"it failed: {type(error).__name__}", "hint": ""}
            await work.say(state="failed", error=fault)

    async def _answered(self, work: Work) -> None:
        question = await asyncio.to_thread(lambda: pickle.dumps(work.question()))
        process = await self._taken()
        try:
            await work.say(state="running", pid=process.pid)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(len(question).to_bytes(8, "big"))
            process.stdin.write(question)
            del question
            await process.stdin.drain()
            async for line in process.stdout:
                await _heard(work, json.loads(line))
        finally:
            await ended(process)
        if work.running:
            gone = {"kind": "engine_failure", "message": ENDED, "hint": MORE}
            await work.say(state="failed", error=gone)

    async def _taken(self) -> Process:
        """The process that waits; another one gets ready."""
        self.get_ready()
        spare = self._spares.pop()
        try:
            process = await asyncio.shield(spare)
        except asyncio.CancelledError:
            self._spares.append(spare)
            raise
        self.get_ready()
        return process if process.returncode is None else await process_of_its_own(self._limit)


async def _heard(work: Work, line: dict[str, Any]) -> None:
    if "progress" in line:
        await work.say(progress=line["progress"])
    elif "error" in line:
        await work.say(state="failed", error=line["error"])
    else:
        await work.say(state="done", answer=line["answer"])
