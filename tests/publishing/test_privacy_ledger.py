"""The ledger: what releases spend together, and everything a file can be that is no ledger."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reidrisk.errors import ContradictoryOptions, InputError, UnreadableInput, UnwritableOutput
from reidrisk.publishing import privacy_ledger
from reidrisk.publishing.concentrated_privacy import epsilon_of
from reidrisk.publishing.differential_privacy import planned
from reidrisk.publishing.privacy_ledger import Ledger, Release, begun, entered, opened

LAW = planned(0.5, 3, 3, 1)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "patients.ledger"
    begun(path, "patients", 1.0)
    return path


def test_releases_add_up(place: Path) -> None:
    first = entered(place, "patients", LAW, "2026-01-01")
    second = entered(place, "patients", LAW, "2026-02-01")
    assert first.epsilon == pytest.approx(0.5, rel=1e-4)
    assert 0.5 < second.epsilon < 1.0
    assert second.delta == pytest.approx(0.9e-9 + 2e-10)
    assert opened(place, "patients") == second
    assert [each.at for each in second.releases] == ["2026-01-01", "2026-02-01"]


def test_a_spent_budget_is_refused_and_nothing_is_entered(place: Path) -> None:
    held = [entered(place, "patients", LAW, "now") for _ in range(3)][-1]
    assert held.epsilon <= 1.0
    with pytest.raises(InputError, match=r"doesn't hold this release: 3 releases spent 0\.88"):
        entered(place, "patients", LAW, "now")
    assert opened(place, "patients") == held


def test_one_release_may_spend_all_of_it(tmp_path: Path) -> None:
    for epsilon in (0.1, 1.0, 7.3):
        for law in (planned(epsilon, 5, 10, 2), planned(epsilon, 5, 10, 0)):
            assert Ledger("t", epsilon).with_release(Release.of(law, "")).epsilon > 0.9 * epsilon


@given(
    st.lists(
        st.tuples(st.floats(0.01, 5.0), st.integers(1, 9), st.integers(0, 1)),
        min_size=1,
        max_size=6,
    )
)
def test_together_no_more_than_the_sum_and_no_less_than_the_largest(
    asked: list[tuple[float, int, int]],
) -> None:
    laws = [planned(epsilon, many, many, unknown) for epsilon, many, unknown in asked]
    ledger = Ledger("t", 1e9)
    for law in laws:
        before = ledger.epsilon
        ledger = ledger.with_release(Release.of(law, ""))
        assert ledger.epsilon > before
    assert ledger.epsilon <= sum(law.epsilon for law in laws) * 1.01
    assert ledger.epsilon == epsilon_of(math.fsum(law.rho for law in laws), 0.9e-9)
    assert ledger.delta == pytest.approx(0.9e-9 + sum(unknown for *_, unknown in asked) * 1e-10)


def test_it_is_readable_for_its_owner_alone(place: Path) -> None:
    assert place.stat().st_mode & 0o777 == 0o600
    entered(place, "patients", LAW, "now")
    assert place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_one_that_others_can_read_or_write_is_refused(place: Path, mode: int) -> None:
    os.chmod(place, mode)
    for ask in (lambda: opened(place, "patients"), lambda: entered(place, "patients", LAW, "")):
        with pytest.raises(InputError, match="chmod 600"):
            ask()


def test_a_missing_one_is_refused_not_begun(tmp_path: Path) -> None:
    for ask in (opened, lambda path, table: entered(path, table, LAW, "")):
        with pytest.raises(UnreadableInput, match="no ledger"):
            ask(tmp_path / "nowhere.ledger", "patients")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnreadableInput, match="no file"):
        opened(tmp_path, "patients")


def test_that_of_another_table_is_refused(place: Path) -> None:
    with pytest.raises(ContradictoryOptions, match="another table"):
        entered(place, "clients", LAW, "now")
    assert opened(place, "patients").releases == ()


def test_beginning_again_gives_nothing_back(place: Path) -> None:
    held = entered(place, "patients", LAW, "now")
    with pytest.raises(UnwritableOutput, match="there already"):
        begun(place, "patients", 100.0)
    assert opened(place, "patients") == held


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_budget(tmp_path: Path, budget: float) -> None:
    with pytest.raises(InputError, match="epsilon"):
        begun(tmp_path / "new", "patients", budget)


def damages() -> list[str]:
    good = Ledger("patients", 1.0, releases=(Release.of(LAW, "now"),)).to_json()
    less = good["releases"][0] | {"rho": -1.0}
    return [
        "", "{", "[]", "null", "7", json.dumps(good | {"format": "reidrisk-ledger/9"}),
        json.dumps(good | {"releases": [less]}), json.dumps(good | {"budget": True}),
        json.dumps(good | {"budget": float("inf")}), json.dumps(good | {"releases": 3}),
        json.dumps({"format": privacy_ledger.FORMAT}), "[" * 100_000,
    ]  # fmt: skip


@pytest.mark.parametrize("text", damages(), ids=range(len(damages())))
def test_a_damaged_one_is_refused(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableInput, match="no ledger"):
        entered(place, "patients", LAW, "now")
    assert place.read_text(encoding="utf-8") == text


def test_a_failing_write_leaves_the_ledger_whole(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = entered(place, "patients", LAW, "now")

    def fails(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UnwritableOutput, match="No space left"):
        entered(place, "patients", LAW, "later")
    assert opened(place, "patients") == held
    assert sorted(path.name for path in place.parent.iterdir()) == [
        place.name,
        place.name + ".lock",
    ]


def test_a_link_stays_a_link(place: Path) -> None:
    link = place.with_name("link")
    link.symlink_to(place)
    entered(link, "patients", LAW, "now")
    assert link.is_symlink()
    assert not link.with_name("link.lock").exists(), "two names, one lock"
    assert len(opened(place, "patients").releases) == 1


def _enters(place: str, times: int) -> None:
    for _ in range(times):
        try:
            entered(Path(place), "patients", LAW, "at once")
        except InputError:
            return


def test_two_processes_at_once_spend_no_more_than_the_budget(place: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_enters, args=(str(place), 4)) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
        assert each.exitcode == 0
    assert len(opened(place, "patients").releases) == 3
    assert opened(place, "patients").epsilon <= 1.0
