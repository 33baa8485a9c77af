"""What an output may replace: its own earlier self, and nothing else without --force."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow.csv as arrow_csv
import pytest

import reidrisk as rr
from reidrisk.errors import UnwritableOutput

LOOKED_AT = ("--columns", "county,age,sex")
REIDRISK = str(Path(sys.executable).parent / "reidrisk")
BEFORE = "mine, and nobody else's\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    arrow_csv.write_csv(rr.city(300), path)
    return path


@pytest.fixture
def statistics(command, people: Path, tmp_path: Path) -> Path:  # type: ignore[no-untyped-def]
    path = tmp_path / "held" / "statistics.json"
    path.parent.mkdir()
    assert command("publish", people, *LOOKED_AT, "-o", path).status == 0
    return path


def commands(people: Path, statistics: Path, out: Path) -> dict[str, tuple[object, ...]]:
    """Each command that writes a file, and what it would write there."""
    return {
        "out.json": ("publish", people, *LOOKED_AT, "-o", out / "out.json"),
        "risk.csv": ("measure", people, *LOOKED_AT, "--risk-file", out / "risk.csv"),
        "attack.csv": (
            "attack", people, "--knows", "county,age", "--risk-file", out / "attack.csv",
        ),
        "sets.csv": (
            "attack", people, *LOOKED_AT, "--up-to", 2, "--person-file", out / "sets.csv",
        ),
        "scores.csv": ("people", statistics, people, "-o", out / "scores.csv"),
        "safer.csv": (
            "generalise", people, "--columns", "age,sex", "-k", 2, "-o", out / "safer.csv",
        ),
        "age.csv": (
            "generalise", people, "--columns", "age,sex", "-k", 2, "--save-hierarchies", out,
        ),
        "kappa.csv": (
            "group", people, "--columns", "age", "--by", "sex", "--size", 3,
            "-o", out / "kappa.csv",
        ),
        "report.md": ("report", people, *LOOKED_AT, "-o", out / "report.md"),
        "sex.csv": ("compile", "--example", out),
        "club.json": ("check", "--example", out / "club.json"),
        "city.parquet": ("demo", "-o", out / "city.parquet"),
    }  # fmt: skip


NAMES = list(commands(Path(), Path(), Path()))
PRIVATE = ("risk.csv", "attack.csv", "sets.csv", "scores.csv")


@pytest.mark.parametrize("name", NAMES)
def test_nobody_elses_file_is_replaced(  # type: ignore[no-untyped-def]
    command, people: Path, statistics: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    place, asked = out / name, commands(people, statistics, out)[name]
    place.write_text(BEFORE)
    said = command(*asked)
    assert said.status == 2
    assert "isn't what this command wrote there" in said.err
    assert "--force" in said.err
    assert place.read_text() == BEFORE
    assert command(*asked, "--force").status == 0
    first = place.read_bytes()
    assert first != BEFORE.encode()
    # Its own earlier output, but not once somebody has edited it.
    assert command(*asked).status == 0
    place.write_bytes(first + b"edited")
    assert command(*asked).status == 2
    assert place.read_bytes() == first + b"edited"


@pytest.mark.parametrize("name", PRIVATE)
def test_what_is_said_of_people_is_readable_for_its_owner_alone(  # type: ignore[no-untyped-def]
    command, people: Path, statistics: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    asked = commands(people, statistics, out)[name]
    assert command(*asked).status == 0
    assert stat.S_IMODE((out / name).stat().st_mode) == 0o600
    (out / name).chmod(0o644)
    assert command(*asked, "--force").status == 0
    assert stat.S_IMODE((out / name).stat().st_mode) == 0o600


def test_a_file_of_another_command_is_not_its_own(command, people: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    place = tmp_path / "out.json"
    assert command("publish", people, *LOOKED_AT, "-o", place).status == 0
    assert command("report", people, *LOOKED_AT, "-o", place).status == 2
    assert command("report", people, *LOOKED_AT, "-o", place, "--force").status == 0


def test_a_decimal_point_is_no_folder(command, people: Path, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        said = command("publish", people, *LOOKED_AT, "--decimal", ".", "-o", "out.json")
        assert said.status == 0, said.err


def test_an_input_is_never_replaced(command, people: Path, statistics: Path) -> None:  # type: ignore[no-untyped-def]
    before = statistics.read_bytes()
    asked = ("report", people, *LOOKED_AT, "--statistics", statistics, "-o", statistics)
    said = command(*asked, "--force")
    assert said.status == 2
    assert "another input" in said.err
    said = command("measure", people, "--risk-file", people, "--force")
    assert said.status == 2
    # By another name, and in a folder that was given.
    folder = statistics.parent / "hierarchies"
    saved = ("generalise", people, "--columns", "age,sex", "-k", 2)
    assert command(*saved, "--save-hierarchies", folder).status == 0
    said = command(*saved, "--hierarchies", folder, "--save-hierarchies", folder, "--force")
    assert said.status == 2
    assert statistics.read_bytes() == before


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [REIDRISK, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_a_device_is_written_into(people: Path, tmp_path: Path) -> None:
    before = os.stat("/dev/null")
    said = run("publish", people, *LOOKED_AT, "-o", "/dev/null")
    assert said.returncode == 0
    assert os.stat("/dev/null").st_rdev == before.st_rdev
    link = tmp_path / "nothing.json"
    link.symlink_to("/dev/null")
    assert run("publish", people, *LOOKED_AT, "-o", link).returncode == 0
    assert link.is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    said = run("publish", people, *LOOKED_AT, "-o", "/dev/full")
    assert said.returncode == 2
    assert b"the disk is full" in said.stderr


def test_a_pipe_is_written_into(people: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    said = run("measure", people, *LOOKED_AT, "--risk-file", pipe, "--quiet")
    reader.join(30)
    assert said.returncode == 0, said.stderr
    assert read[0].startswith("row,crowd,risk")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("place", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"])
def test_standard_output_by_its_name(people: Path, tmp_path: Path, place: str) -> None:
    piped = run("group", people, "--columns", "age", "--size", 3, "--at-least", 1, "-o", place)
    assert b"group,outcomes,people" in piped.stdout
    # Redirected to a file: the shell's file, not another one in its place.
    with (tmp_path / "all.txt").open("wb") as file:
        command = [REIDRISK, "group", str(people), "--columns", "age"]
        asked = [*command, "--size", "3", "--at-least", "1", "-o", place]
        assert subprocess.run(asked, stdout=file, check=False).returncode == 0
    text = (tmp_path / "all.txt").read_text()
    assert "group,outcomes,people" in text
    assert "Written:" in text


def test_through_a_link_to_its_target(command, people: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    assert command("publish", people, *LOOKED_AT, "-o", link).status == 0
    assert link.is_symlink()
    assert target.is_file()
    target.write_text(BEFORE)
    assert command("publish", people, *LOOKED_AT, "-o", link).status == 2
    assert target.read_text() == BEFORE


def test_python_keeps_the_same_rule(tmp_path: Path) -> None:
    table = rr.read(rr.city(300), columns=["county", "sex"])
    place = tmp_path / "risk.csv"
    rr.write_risk_file(table, place)
    rr.write_risk_file(table, place)
    place.write_text(BEFORE)
    with pytest.raises(UnwritableOutput, match="isn't what this command wrote"):
        rr.write_risk_file(table, place)
    from reidrisk.output_files import overwriting

    with overwriting():
        rr.write_risk_file(table, place)
    assert place.read_text().startswith("row,crowd,risk")


def test_two_at_once_leave_one_whole(people: Path, tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    command = [REIDRISK, "publish", str(people), *LOOKED_AT]
    asked = [*command, "-o", str(place), "--force"]
    running = [subprocess.Popen(asked, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [each.wait() for each in running] == [0, 0]
    assert rr.load_statistics(place).records == 300
    assert not list(tmp_path.glob(".*part*"))


def test_without_a_home_everything_is_somebody_elses(people: Path, tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    nowhere = {"env": os.environ | {"XDG_STATE_HOME": "/dev/null/nowhere"}}
    assert run("publish", people, *LOOKED_AT, "-o", place, **nowhere).returncode == 0
    assert run("publish", people, *LOOKED_AT, "-o", place, **nowhere).returncode == 2
    assert run("publish", people, *LOOKED_AT, "-o", place, "--force", **nowhere).returncode == 0
