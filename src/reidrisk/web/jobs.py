"""Jobs: long questions under way, each in a process of its own; stopping one ends its process.

One process waits ready, so that a question needn't wait for imports. No more run at once than
there are cores, the others wait their turn; a job that nobody follows any more is stopped.
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

from reidrisk import machine
from reidrisk.errors import InputError
from reidrisk.web.processes import MORE_MEMORY, PROCESS_ENDED, kill, start_worker

MOST_KEPT = 32
SECONDS_UNFOLLOWED = 30.0
RUNNING = ("waiting", "running")


class Job:
    """One long question: its state, how far it is, and in the end its answer."""

    def __init__(self, kind: str, question: Callable[[], tuple[Any, ...]]) -> None:
        self.id = secrets.token_urlsafe(12)
        self.kind, self.question = kind, question
        self.state = "waiting"
        self.pid: int | None = None
        self.progress: dict[str, Any] | None = None
        self.answer: dict[str, Any] | None = None
        self.error: dict[str, str] | None = None
        self.followers = 0
        self.changed = asyncio.Condition()
        self.task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether it isn't over yet."""
        return self.state in RUNNING

    def to_json(self) -> dict[str, Any]:
        """For the page; a file is fetched by itself."""
        answer = None if self.answer is None else dict(self.answer)
        if answer is not None and answer.pop("file", None) is not None:
            answer["has_file"] = True
        return {
            "id": self.id, "kind": self.kind, "state": self.state, "pid": self.pid,
            "progress": self.progress, "answer": answer, "error": self.error,
        }  # fmt: skip

    async def wait_for_change(self, before: dict[str, Any]) -> None:
        """Wait until its state differs."""
        async with self.changed:
            await self.changed.wait_for(lambda: self.to_json() != before)

    async def update(self, **changes: Any) -> None:
        """Set what is new, and wake those who wait."""
        for name, value in changes.items():
            setattr(self, name, value)
        async with self.changed:
            self.changed.notify_all()


class Jobs:
    """All of them, by id; the oldest that are over are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[str, Job] = OrderedDict()
        self._turns = asyncio.Semaphore(max(machine.available(), 2))
        self._tasks: set[asyncio.Task[None]] = set()
        self._spares: list[asyncio.Task[Process]] = []

    def get_ready(self) -> None:
        """Have a process waiting."""
        if not self._spares:
            self._spares.append(asyncio.create_task(start_worker(self._limit)))

    def start(self, kind: str, question: Callable[[], tuple[Any, ...]]) -> Job:
        """Begin; `question` is asked for what to send once it is its turn."""
        job = Job(kind, question)
        self._held[job.id] = job
        over = [each.id for each in self._held.values() if not each.running]
        for key in over[: max(len(self._held) - MOST_KEPT, 0)]:
            del self._held[key]
        job.task = asyncio.create_task(self._run(job))
        self._in_background(self._stop_unless_followed(job))
        return job

    def get(self, key: str) -> Job:
        """The job with this id."""
        if key not in self._held:
            raise InputError("this job is no longer known", "start it again")
        return self._held[key]

    async def stop(self, job: Job) -> None:
        """End it; when this returns its process is gone."""
        if job.task is not None and not job.task.done():
            job.task.cancel()
            with suppress(asyncio.CancelledError):
                await job.task

    async def stop_all(self) -> None:
        """End everything, the process that waits included."""
        for job in list(self._held.values()):
            await self.stop(job)
        for task in self._tasks:
            task.cancel()
        while self._spares:
            await kill(await self._spares.pop())

    async def follow(self, job: Job) -> AsyncIterator[dict[str, Any]]:
        """Its states as they come, the present one first."""
        job.followers += 1
        try:
            while True:
                yield (now := job.to_json())
                if now["state"] not in RUNNING:
                    return
                await job.wait_for_change(now)
        finally:
            job.followers -= 1
            if job.running and not job.followers:
                self._in_background(self._stop_unless_followed(job))

    def when_done(self, job: Job, use: Callable[[dict[str, Any]], None]) -> None:
        """Have the answer used, if there is one; this alone keeps no job going."""

        async def waiting() -> None:
            while job.running:
                await job.wait_for_change(job.to_json())
            if job.answer is not None:
                use(job.answer)

        self._in_background(waiting())

    def _in_background(self, doing: Coroutine[Any, Any, None]) -> None:
        """The loop holds tasks only loosely, so they are kept here."""
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop_unless_followed(self, job: Job) -> None:
        await asyncio.sleep(SECONDS_UNFOLLOWED)
        if not job.followers:
            await self.stop(job)

    async def _run(self, job: Job) -> None:
        try:
            async with self._turns:
                await self._answer(job)
        except asyncio.CancelledError:
            await job.update(state="stopped")
        except Exception as error:
            fault = {"kind": "fault", "message": f"it failed: {type(error).__name__}", "hint": ""}
            await job.update(state="failed", error=fault)

    async def _answer(self, job: Job) -> None:
        question = await asyncio.to_thread(lambda: pickle.dumps(job.question()))
        process = await self._spare_process()
        try:
            await job.update(state="running", pid=process.pid)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(len(question).to_bytes(8, "big"))
            process.stdin.write(question)
            del question
            await process.stdin.drain()
            async for line in process.stdout:
                await _take_in(job, json.loads(line))
        finally:
            await kill(process)
        if job.running:
            gone = {"kind": "engine_failure", "message": PROCESS_ENDED, "hint": MORE_MEMORY}
            await job.update(state="failed", error=gone)

    async def _spare_process(self) -> Process:
        """The process that waits; another one gets ready."""
        self.get_ready()
        spare = self._spares.pop()
        try:
            process = await asyncio.shield(spare)
        except asyncio.CancelledError:
            self._spares.append(spare)
            raise
        self.get_ready()
        return process if process.returncode is None else await start_worker(self._limit)


async def _take_in(job: Job, line: dict[str, Any]) -> None:
    if "progress" in line:
        await job.update(progress=line["progress"])
    elif "error" in line:
        await job.update(state="failed", error=line["error"])
    else:
        await job.update(state="done", answer=line["answer"])
