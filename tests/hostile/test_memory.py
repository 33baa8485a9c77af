"""No file, whatever it holds, takes more than 1.5 times the memory that was given."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reidrisk import machine
from tests.hostile.files import FILES
from tests.web.browsing import served

LIMIT = 500
MOST = 1.5 * LIMIT * 10**6
# Their commands take no limit; a file of 23 MB is the largest here.
MOST_OF_STATISTICS = 10**9

linux = sys.platform.startswith("linux")
pytestmark = [
    pytest.mark.skipif(not linux, reason="the operating system keeps no such limit"),
    pytest.mark.xdist_group("memory"),
]


def processes(pid: int) -> Iterator[int]:
    """A process and those that it started."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from processes(int(child))


def held_by(pid: int) -> int:
    """Bytes of memory that all of them have together; files that are mapped can be let go."""
    held = 0
    for each in processes(pid):
        try:
            status = Path(f"/proc/{each}/status").read_text()
        except OSError:
            continue
        held += sum(map(int, re.findall(r"(?:RssAnon|RssShmem):\s+(\d+) kB", status))) << 10
    return held


class Watch:
    """The most memory that processes had while somebody watched."""

    def __init__(self, pid: int) -> None:
        self.most, self._over = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,), daemon=True)
        self._thread.start()

    def _watch(self, pid: int) -> None:
        while not self._over.is_set():
            self.most = max(self.most, held_by(pid))
            time.sleep(0.01)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A hostile file, written once, by a process of its own: some take memory to write."""
    folder = tmp_path_factory.mktemp("hostile")

    def one(name: str) -> Path:
        path = folder / name
        if not path.exists():
            script = "import sys, pathlib; from tests.hostile.files import FILES; "
            script += "FILES[sys.argv[1]](pathlib.Path(sys.argv[2]))"
            root = Path(__file__).parents[2]
            asked = [sys.executable, "-c", script, name, str(path)]
            subprocess.run(asked, check=True, cwd=root)
        return path

    return one


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_command(written: Callable[[str], Path], name: str) -> None:
    path = written(name)
    statistics = path.suffix == ".json"
    asked = ["predict", str(path)] if statistics else ["measure", str(path)]
    asked += [] if statistics else ["--memory-limit", f"{LIMIT}MB", "--quiet"]
    run = [sys.executable, "-c", "from reidrisk.cli.main import run; run()", *asked]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with Watch(process.pid) as watch:
        out, err = process.communicate(timeout=600)
    assert watch.most <= (MOST_OF_STATISTICS if statistics else MOST), f"{watch.most / 1e6:,.0f} MB"
    assert process.returncode in (0, 2, 3), (process.returncode, err[-500:])
    assert "Traceback" not in out + err
    assert "fault in reidrisk" not in err
    if process.returncode:
        assert err.startswith("Error: ")
        assert out == ""


class Served:
    """A page that is served, as a browser speaks to it."""

    def __init__(self, address: str, pid: int) -> None:
        self.pid = pid
        self.place = re.sub(r"http://([^/]+)/.*", r"\1", address)
        found = re.search(r'reidrisk-session" content="([^"]+)', self.ask("GET", "/")[1])
        assert found
        self.session = found[1]

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        if hasattr(self, "session"):
            headers["X-Reidrisk-Session"] = self.session
        line = http.client.HTTPConnection(self.place, timeout=600)
        try:
            line.request(method, path, body, {n.replace("_", "-"): v for n, v in headers.items()})
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    with served("--memory-limit", f"{LIMIT}MB", temporary=folder) as (address, process):
        yield Served(address, process.pid)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_the_page(written: Callable[[str], Path], page: Served, name: str) -> None:
    path = written(name)
    with Watch(page.pid) as watch:
        status, told = page.ask("POST", "/sources", path.read_bytes(), X_File_Name=name)
        if status == 200:
            source = json.loads(told)
            usable = [each["name"] for each in source["attributes"] if each["usable"]]
            seen = {"view": {"columns": usable[:2]}}
            asked = {"size": 10} | seen
            answer = page.ask("POST", f"/sources/{source['id']}/group", json.dumps(asked))
            assert answer[0] in (200, 400), answer
            page.ask("POST", f"/sources/{source['id']}/view", json.dumps(seen))
            page.ask("DELETE", f"/sources/{source['id']}")
        else:
            assert status == 400, told
            error = json.loads(told)["error"]
            assert error["message"]
            assert error["kind"] != "fault", error
    assert watch.most <= MOST, f"{watch.most / 1e6:,.0f} MB"
    # It still answers.
    assert page.ask("GET", "/sources")[0] == 200


@pytest.mark.slow
def test_who_says_nothing_is_hung_up_on(page: Served) -> None:
    import socket

    host, _, port = page.place.partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        # The rest never comes; the page doesn't wait for it.
        assert line.recv(1000) == b""


def test_the_operating_system_keeps_the_limit() -> None:
    script = (
        "from reidrisk import machine\n"
        "assert machine.hold_to(300_000_000)\n"
        "with machine.set_aside(1 << 30):\n"
        "    held = bytearray(600_000_000)\n"
        "    del held\n"
        "try:\n"
        "    bytearray(600_000_000)\n"
        "except MemoryError:\n"
        "    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_what_is_left_beside_the_libraries() -> None:
    for limit in (200 * 10**6, 10**9, 10**10):
        assert 0.7 * limit < machine.beside_libraries(limit) < limit
        assert limit < machine.needed_for_libraries_too(limit) <= 2 * limit
