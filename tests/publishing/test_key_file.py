"""A key is made once, kept for its owner alone, and belongs to one table."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from reidrisk import ReidriskError
from reidrisk.publishing.key_file import key_at


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    place = tmp_path / "statistics.json.key"
    first = key_at(place, ["age", "sex"], 5)
    again = key_at(place, ["sex", "age"], 5)
    assert (first.new, again.new) == (True, False)
    assert first.secret == again.secret
    assert len(first.secret) == 32
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert first.secret.hex() not in repr(first)
    assert key_at(tmp_path / "other.key", ["age"], 5).secret != first.secret


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "k"
    key_at(place, ["age"], 5)
    place.chmod(mode)
    with pytest.raises(ReidriskError, match=f"mode {mode:o}"):
        key_at(place, ["age"], 5)


def test_a_key_of_another_table_is_refused(tmp_path: Path) -> None:
    key_at(tmp_path / "k", ["age", "sex"], 5)
    with pytest.raises(ReidriskError, match="another table"):
        key_at(tmp_path / "k", ["age", "income"], 5)


def test_a_key_stays_with_its_base(tmp_path: Path) -> None:
    """Rounded to 3, 4 and 5 by the same draws hardly any count is hidden."""
    place = tmp_path / "k"
    first = key_at(place, ["age"], 5)
    with pytest.raises(ReidriskError, match="rounds to multiples of 5"):
        key_at(place, ["age"], 3)
    # Of an earlier version, which didn't say it.
    held = json.loads(place.read_text())
    del held["base"]
    place.write_text(json.dumps(held))
    assert key_at(place, ["age"], 3).secret == first.secret


def test_a_missing_key_is_refused_where_one_was_named(tmp_path: Path) -> None:
    with pytest.raises(ReidriskError, match="no key file"):
        key_at(tmp_path / "k", ["age"], 5, make=False)
    assert not (tmp_path / "k").exists()


NO_KEYS = [
    "", "{}", "[]", "null", '{"format": "reidrisk-key/1"}', "\x00" * 40, "[" * 100_000,
    '{"format": "reidrisk-key/1", "key": "abcd", "table": "ef"}',
    '{"format": "reidrisk-key/1", "key": "SECRET", "table": "ef"}',
]  # fmt: skip


@pytest.mark.parametrize("text", NO_KEYS, ids=range(len(NO_KEYS)))
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    place = tmp_path / "k"
    place.write_text(text)
    place.chmod(0o600)
    with pytest.raises(ReidriskError, match="isn't a key file") as refused:
        key_at(place, ["age"], 5)
    assert "SECRET" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_key_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "k"
    key_at(place, ["age"], 5)
    place.chmod(0)
    with pytest.raises(ReidriskError, match="can't be read"):
        key_at(place, ["age"], 5)
