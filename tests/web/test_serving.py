"""`reidrisk serve` as people run it: an address, a clean end, nothing left, nothing told."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from reidrisk.errors import InputError
from reidrisk.web.guard import Settings
from reidrisk.web.server import address_of, listening
from tests.web.browsing import served
from tests.web.conftest import PEOPLE


def ask(address: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(address + path, data=body, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return answer.status, answer.read().decode()


def session_of(address: str) -> str:
    found = re.search(r'name="reidrisk-session" content="([^"]+)"', ask(address, "")[1])
    assert found
    return found[1]


def test_a_table_is_opened_and_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(PEOPLE.replace("north", "Zaphodsville"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with served(str(table), temporary=temporary) as (address, process):
        assert address.startswith("http://127.0.0.1:")
        assert "people.csv" in ask(address, "sources")[1]
        session = {"X-Reidrisk-Session": session_of(address)}
        named = {"X-File-Name": "Zaphodsville.csv"}
        status, _ = ask(address, "sources", PEOPLE.encode(), **session, **named)
        assert status == 200
        assert list(temporary.glob("reidrisk-*"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not list(temporary.iterdir())
    # No log of what was asked, of values or of file names.
    assert "Zaphodsville" not in out + err
    assert "GET" not in out + err
    assert err == "Stopped; nothing is left behind.\n"


def test_loopback_only(tmp_path: Path) -> None:
    with served(temporary=tmp_path) as (address, _):
        port = int(address.rstrip("/").rpartition(":")[2])
        other = _address_of_this_machine()
        if other is None:
            pytest.skip("this machine has no address but loopback")
        with (
            pytest.raises(ConnectionRefusedError),
            socket.create_connection((other, port), timeout=5),
        ):
            pass


def _address_of_this_machine() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: a datagram socket only looks which way it would go.
            probe.connect(("192.0.2.1", 9))
            found: str = probe.getsockname()[0]
        except OSError:
            return None
    return None if found.startswith("127.") else found


@pytest.mark.parametrize("arguments", [["--host", "0.0.0.0"], ["--token"]])
def test_a_token_beyond_loopback_or_when_asked_for(tmp_path: Path, arguments: list[str]) -> None:
    with served(*arguments, temporary=tmp_path) as (address, _):
        assert re.search(r"/\?token=[\w-]{32}$", address)
        here = re.sub(r"//[^:]+:(\d+)/.*", r"//127.0.0.1:\1/", address)
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(here, "")
        assert refused.value.code == 401
        assert refused.value.read()


def test_a_port_that_is_taken() -> None:
    first = listening("127.0.0.1", 0)
    first.listen()
    with pytest.raises(InputError, match="can't be served") as refused:
        listening("127.0.0.1", first.getsockname()[1])
    assert "--port" in refused.value.hint
    first.close()
    with pytest.raises(InputError, match="ports go from"):
        listening("127.0.0.1", 70_000)
    with pytest.raises(InputError, match="can't be served"):
        listening("no-such-host.invalid", 0)


def test_addresses() -> None:
    place = listening("127.0.0.1", 0)
    port = place.getsockname()[1]
    assert address_of(place, Settings()) == f"http://127.0.0.1:{port}/"
    assert address_of(place, Settings(host="::1", token="t")) == f"http://[::1]:{port}/?token=t"
    place.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.csv"], "there is no file"),
        (["--upload-limit", "x"], "--upload-limit x: not a size"),
        (["--memory-limit", "1kB"], "too little"),
        (["--port", "-5"], "ports go from"),
    ],
)
def test_bad_input(tmp_path: Path, arguments: list[str], words: str) -> None:
    script = f"from reidrisk.cli.main import run; run({['serve', '--no-open', *arguments]!r})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 2
    assert words in done.stderr


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from reidrisk.web.server import refuse_without_libraries

    really = importlib.util.find_spec
    refuse_without_libraries()

    def without(name: str, *given: Any) -> Any:
        return None if name == "uvicorn" else really(name, *given)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(InputError) as missing:
        refuse_without_libraries()
    assert "pip install 'reidrisk[page]'" in missing.value.hint
