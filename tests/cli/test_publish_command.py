"""`reidrisk publish`: where secrets lie, what is said of a file, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.demo.tour import write_city


@pytest.fixture
def city(tmp_path: Path) -> Path:
    """Four thousand people of the generated city."""
    path = tmp_path / "city.csv"
    write_city(path)
    lines = path.read_text().splitlines()[:4001]
    path.write_text("\n".join(lines) + "\n")
    return path


COLUMNS = ("--columns", "county,age,sex", "--bands", "age=10")


def test_the_key_lies_beside_the_table_and_is_used_again(
    command: Callable, city: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "published"
    folder.mkdir()
    first = command("publish", city, *COLUMNS, "-o", folder / "one.json")
    key = city.with_name("city.reidrisk-key")
    assert first.status == 0
    assert key.stat().st_mode & 0o777 == 0o600
    assert "is new" in " ".join(first.out.split())
    assert key.read_text() not in first.out + (folder / "one.json").read_text()
    again = command("publish", city, *COLUMNS, "-o", folder / "two.json")
    assert "was used again" in " ".join(again.out.split())
    one, two = (json.loads((folder / f"{name}.json").read_text()) for name in ("one", "two"))
    assert one == two


def test_a_lost_key_is_not_replaced_in_silence(
    command: Callable, city: Path, tmp_path: Path
) -> None:
    command("publish", city, *COLUMNS, "-o", tmp_path / "s.json")
    city.with_name("city.reidrisk-key").unlink()
    said = command("publish", city, *COLUMNS, "-o", tmp_path / "s.json", "--force")
    assert said.status == 2
    assert "was rounded by a key" in said.err
    assert command("publish", city, *COLUMNS, "-o", tmp_path / "other.json").status == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], ["rounded at random to a multiple of 5", "To print with the file"]),
        (["--at-least", "20"], ["rounded at random to a multiple of 20"]),
        (["--exact"], ["each with 1 other possible number (proven)"]),
        (["--exact", "--width", "2"], ["each with 2 other possible numbers (proven)"]),
        (["--epsilon", "2"], ["differential privacy, ε = 2", "they spent ε = 2 of 2"]),
        (["--unprotected"], ["every count as it is, not to be shared"]),
    ],
)
def test_each_protection_is_said_in_the_answer_and_in_the_file(
    command: Callable, city: Path, tmp_path: Path, asked: list[str], said: list[str]
) -> None:
    path = tmp_path / "s.json"
    answer = command("publish", city, *COLUMNS, *asked, "-o", path)
    assert answer.status == 0
    text = " ".join(answer.out.split())
    assert all(sentence in text for sentence in said)
    shown = " ".join(command("check", path).out.split())
    assert "consistent" in shown
    assert said[0].split(" (")[0] in shown
    if "--unprotected" in asked:
        assert path.stat().st_mode & 0o777 == 0o600
        assert "To print" not in answer.out
    else:
        assert "Records drawn from this file coincide with" in text


def test_the_answer_in_json(command: Callable, city: Path, tmp_path: Path) -> None:
    told = command("publish", city, *COLUMNS, "-o", tmp_path / "s.json", "--json").json
    assert told["protection"]["kind"] == "random rounding"
    assert told["protection"]["base"] == 5
    assert told["protection"]["attacked"]["derived"] == 0
    assert told["protection"]["key"].endswith("city.reidrisk-key")
    assert 0 < told["reconstruction"]["other"] <= 1
    assert told["to_print"].startswith("Every number was rounded")
    noisy = command("publish", city, *COLUMNS, "--epsilon", 1, "--budget", 3,
                    "-o", tmp_path / "d.json", "--json").json  # fmt: skip
    assert noisy["protection"]["spent"]["budget"] == 3
    assert noisy["protection"]["spent"]["epsilon"] == pytest.approx(1, rel=1e-6)
    again = command("publish", city, *COLUMNS, "--epsilon", 1, "-o", tmp_path / "d2.json", "--json")
    spent = again.json["protection"]["spent"]
    assert spent["releases"] == 2
    assert 1 < spent["epsilon"] < 2


def test_bands_of_two_widths_published_exactly_are_refused(
    command: Callable, tmp_path: Path
) -> None:
    """Both files are safe alone; together they tell small counts."""
    path = tmp_path / "city.csv"
    write_city(path)
    asked = ("publish", path, "--columns", "age,postcode")
    first = tmp_path / "fives.json"
    exact = rr.publish(rr.read(path, columns=["age", "postcode"], bands={"age": 5}), exact=True)
    rr.save_statistics(exact, first)
    said = command(*asked, "--bands", "age=10", "--exact", "--after", first, "-o",
                   tmp_path / "tens.json")  # fmt: skip
    if said.status:
        assert "nothing was written" in said.err
        assert not (tmp_path / "tens.json").exists()
    # One person more: every margin tells who it is.
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[1] + "\n")
    more = command(*asked, "--bands", "age=5", "--exact", "--after", first, "-o",
                   tmp_path / "more.json")  # fmt: skip
    assert more.status == 2
    assert "nothing was written" in more.err
    noisy = command(*asked, "--bands", "age=5", "--epsilon", 1, "--after", first, "-o",
                    tmp_path / "noisy.json")  # fmt: skip
    assert noisy.status == 0
    assert "outside that promise" in " ".join(noisy.out.split())


def test_another_table_s_file_is_no_earlier_release(
    command: Callable, city: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    rr.save_statistics(rr.publish({"eyes": ["blue", "green"] * 200}), other)
    said = command("publish", city, *COLUMNS, "--after", other, "-o", tmp_path / "s.json")
    assert said.status == 2
    assert "no attribute in common" in said.err


def test_households_are_counted_and_said(command: Callable, city: Path, tmp_path: Path) -> None:
    asked = (
        "--columns",
        "county,age,sex,marital_state",
        "--household",
        "age, county,marital_state",
    )
    path = tmp_path / "shared.json"
    said = command("publish", city, *asked, "-o", path)
    assert said.status == 0
    shared = json.loads(path.read_text())["shared"]
    assert shared["of"] == ["county", "age", "marital_state"]
    sentence = f"{shared['in_groups']:,} people share county, age and marital_state with somebody"
    assert sentence in " ".join(said.out.split())
    checked = command("check", path, "--against", city)
    assert sentence in " ".join(checked.out.split())
    found = json.loads(command("check", path, "--json").out)
    assert found["shared"] == shared
    refused = command("publish", city, *asked[:3], "nobody,age,sex", "-o", tmp_path / "no.json")
    assert refused.status == 2
    assert "'nobody' isn't one of the columns published" in refused.err
    assert not (tmp_path / "no.json").exists()
