from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import reidrisk as rr
from reidrisk.records.text_forms import text_form


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    rows = [f"{20 + i % 30},{'fm'[i % 2]},t{i % 7},{i}" for i in range(400)]
    file.write_text("age,sex,town,id\n" + "\n".join(rows) + "\n")
    return file


def flowing(text: str) -> str:
    """Without line breaks."""
    return " ".join(text.split())


def test_levels_loss_and_file(command, people: Path, tmp_path: Path) -> None:
    file = tmp_path / "safer.csv"
    said = command("generalise", people, "-k", 5, "--suppress", 0.05, "-o", file, "--verbose")
    assert said.status == 0
    assert "read back and measured: the target is met" in flowing(said.out)
    assert "What each further step costs" in said.out
    assert "Not written: id" in flowing(said.out)
    assert "searched in" in said.err
    assert "400 rows read" in said.err
    told = command("measure", file, "--json").json
    assert told["smallest_crowd"] >= 5


def test_json(command, people: Path) -> None:
    told = command("generalise", people, "-k", 5, "--json").json
    assert told["command"] == "generalise"
    assert {"levels", "loss", "before", "after", "suppressed", "frontier", "searched"} <= set(told)
    assert told["searched"]["complete"] is True
    searched = told["searched"]
    assert searched["counted"] + sum(searched["pruned"].values()) == searched["views"]
    assert told["after"]["highest_risk"] <= 0.2 < told["before"]["highest_risk"]
    assert told["attack"]["after"]["cdf"][-1][0] <= 0.2
    assert told["attack"]["after"]["played"]["targets"] == 1000
    assert told["seed"] == 0
    assert [step["allowable_risk"] for step in told["frontier"]] == sorted(
        (step["allowable_risk"] for step in told["frontier"]), reverse=True
    )


def test_hierarchies_are_saved_edited_and_given_back(command, people: Path, tmp_path) -> None:
    folder = tmp_path / "hierarchies"
    first = command("generalise", people, "-k", 5, "--save-hierarchies", folder, "--json").json
    assert sorted(p.name for p in folder.iterdir()) == ["age.csv", "sex.csv", "town.csv"]
    again = command("generalise", people, "-k", 5, "--hierarchies", folder, "--json").json
    assert again["levels"] == first["levels"]
    assert again["loss"] == first["loss"]
    # Some of the columns: the others' files are left aside.
    some = command("generalise", people, "-k", 5, "--hierarchies", folder, "--columns", "age,sex")
    assert some.status == 0


def test_keep(command, people: Path, tmp_path: Path) -> None:
    file = tmp_path / "safer.tsv"
    said = command("generalise", people, "-k", 5, "--keep", "id", "-o", file)
    assert said.status == 0
    lines = file.read_text().splitlines()
    assert lines[0] == "age\tsex\ttown\tid"
    assert len(lines) == 401
    assert lines[400].endswith("399") or lines[400].endswith('"399"')


def test_statistics(command, people: Path, tmp_path: Path) -> None:
    file = tmp_path / "statistics.json"
    command("publish", people, "-o", file, "--unprotected")
    said = command("generalise", file, "-k", 3, "--suppress", 0.1, "--draws", 2)
    assert said.status == 0
    assert "2 drawn tables" in said.out
    assert "Model:" in said.out


def test_a_search_that_stops_says_how_far_off(command, people: Path) -> None:
    told = command("generalise", people, "-k", 5, "--view-limit", 3, "--frontier", "none",
                   "--json").json  # fmt: skip
    assert told["searched"]["complete"] is False
    assert told["gap"] == pytest.approx(told["loss"] - told["searched"]["bound"])
    assert told["gap"] > 0
    said = command("generalise", people, "-k", 5, "--view-limit", 3, "--frontier", "none")
    assert "above the least possible" in flowing(said.out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "neither was given"),
        (["-k", "5", "--allowable-risk", "0.1"], "both were given"),
        (["-k", "0"], "at least one person"),
        (["-k", "5", "--measure", "overall_risk"], "goes with --allowable-risk"),
        (["-k", "5", "--suppress", "1.5"], "from 0 to 1"),
        (["-k", "5", "--suppress", "-0.1"], "from 0 to 1"),
        (["-k", "5", "--suppress", "nan"], "from 0 to 1"),
        (["-k", "5", "--loss", "beauty"], "there are levels, entropy"),
        (["-k", "5", "--at-most", "age=x"], "whole number"),
        (["-k", "5", "--at-most", "age=9"], "its levels go from 0"),
        (["-k", "5", "--at-least", "shoe=1"], "no column 'shoe'"),
        (["-k", "5", "--at-least", "sex=1", "--at-most", "sex=0"], "at level 1 at least"),
        (["-k", "500"], "the coarsest reaches 0.0025"),
        (["-k", "5", "--frontier", "two"], "crowd sizes"),
        (["-k", "5", "--frontier", "0.5"], "crowd sizes"),
        (["-k", "5", "--keep", "id"], "nothing is written"),
        (["-k", "5", "--measure", "people", "--allowable-risk", "1"], "both were given"),
        (["--measure", "people", "--allowable-risk", "1"], "the same for every combination"),
        (["--measure", "nonsense", "--allowable-risk", "1"], "no measure is called"),
        (["-k", "5", "--person", "id", "--missing", "wildcard"], "can't both hold"),
        (["-k", "5", "--missing", "wildcard"], "--missing own"),
        (["-k", "5", "--hierarchies", "nowhere"], "there is no nowhere"),
        (["-k", "5", "--play", "-1"], "--play"),
        (["-k", "5", "--at-most", "age=²"], "whole number"),
        (["-k", "500", "--save-hierarchies", "saved"], "the coarsest reaches 0.0025"),
        (["-k", "5", "--loss", "beauty", "--save-hierarchies", "saved"], "there are levels"),
        (["-k", "5", "--at-most", "age=9", "--save-hierarchies", "saved"], "its levels go"),
    ],
)
def test_bad_input(command, people: Path, options, said, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "safer.csv"
    output = [] if "--keep" in options else ["-o", file]
    done = command("generalise", people, *options, *output)
    assert done.status == 2, done.out
    assert said in done.err
    assert not file.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("people.csv", "is the table itself"),
        ("safer.ods", "doesn't say how its table is to be written"),
        ("nowhere/safer.csv", "there is no directory"),
        ("folder.csv", "is a directory"),
    ],
)
def test_places_where_nothing_can_be_written(
    command, people: Path, place: str, said: str, tmp_path: Path, monkeypatch
) -> None:
    """Said before anything is searched."""
    from reidrisk.generalisation import optimum

    (tmp_path / "folder.csv").mkdir()
    held = people.read_bytes()
    monkeypatch.setattr(optimum, "searchable", None)
    done = command("generalise", people, "-k", 5, "-o", tmp_path / place)
    assert done.status == 2, done.err
    assert said in done.err
    assert people.read_bytes() == held
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "people.csv"]


def test_a_broken_promise_fails_and_nothing_is_written(
    command, people: Path, tmp_path: Path, monkeypatch
) -> None:
    """A writer that puts the recorded values into the file is found out by reading it back."""
    from reidrisk.generalisation.safer_table import Promise

    def recorded(promise: Promise, place: int) -> dict[str | None, str | None]:
        name = promise.levelled.asked.columns[place]
        return {value: value for value in [*promise.levelled.values[name], None]}

    monkeypatch.setattr(Promise, "texts", recorded)
    done = command("generalise", people, "-k", 5, "-o", tmp_path / "safer.csv")
    assert done.status == 3
    assert "doesn't keep the promise" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_interrupted_while_writing(command, people: Path, tmp_path: Path, monkeypatch) -> None:
    from reidrisk.generalisation import safer_table

    def interrupted(*_: object) -> None:
        assert len(list(tmp_path.iterdir())) == 2
        raise KeyboardInterrupt

    monkeypatch.setattr(safer_table, "_measured", interrupted)
    done = command("generalise", people, "-k", 5, "-o", tmp_path / "safer.csv")
    assert done.status == 130
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_what_is_kept_is_said_not_to_be_judged(command, people: Path, tmp_path: Path) -> None:
    told = command("generalise", people, "-k", 5, "--keep", "id", "-o", tmp_path / "safer.csv",
                   "--json").json  # fmt: skip
    assert told["left_aside"] == []
    assert any("id may know more" in each for each in told["assumptions"])


def test_counted_rows(command, tmp_path: Path) -> None:
    """A row stands for several people: their number is written, and nothing else left aside."""
    file, safer = tmp_path / "counted.csv", tmp_path / "safer.csv"
    rows = [f"{20 + i},{'fm'[i % 2]},{i % 5}" for i in range(60)]
    file.write_text("age,sex,people\n" + "\n".join(rows) + "\n")
    told = command("generalise", file, "-k", 5, "--count", "people", "-o", safer, "--json").json
    assert told["left_aside"] == []
    assert told["input"]["people"] == 120
    again = command("measure", safer, "--count", "people", "--json").json
    assert again["people"] == 120 == told["after"]["people"]
    assert again["smallest_crowd"] == told["after"]["smallest_crowd"] >= 5
    assert again["distinct"] == told["after"]["distinct"]


def test_counts_are_whole_and_means_of_drawn_tables_are_not(
    command, people: Path, tmp_path: Path
) -> None:
    told = command("generalise", people, "-k", 5, "--json").json
    for name in ("people", "distinct", "smallest_crowd"):
        assert type(told["before"][name]) is int
    statistics = tmp_path / "statistics.json"
    command("publish", people, "-o", statistics, "--unprotected")
    told = command(
        "generalise", statistics, "-k", 3, "--suppress", 0.1, "--draws", 2, "--json"
    ).json
    low, high = told["before"]["intervals"]["distinct"]
    assert low <= told["before"]["distinct"] <= high
    assert told["from"] == "statistics"
    assert told["draws"] == 2


def test_an_empty_column_is_saved_and_given_back(command, tmp_path: Path) -> None:
    file, folder = tmp_path / "people.csv", tmp_path / "hierarchies"
    file.write_text("a,b,e\n" + "".join(f"{i % 5},{i % 3},\n" for i in range(60)))
    first = command("generalise", file, "-k", 5, "--save-hierarchies", folder, "--json").json
    again = command("generalise", file, "-k", 5, "--hierarchies", folder, "--json").json
    assert again["levels"] == first["levels"]


def test_hierarchies_that_do_not_fit(command, people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    for name, text, said in [
        ("shoe.csv", "40,big\n", "for none of the columns"),
        ("sex.csv", "f,woman\n", "no label for 1 of the 2 values"),
        ("town.csv", "".join(f"t{i},{i % 3},{i % 2}\n" for i in range(7)), "several labels"),
        ("rules.toml", "[shoe]\nbands = [5]\n", "which is no column"),
        ("rules.toml", "[town]\nbands = [5]\n", "no number"),
    ]:
        path = folder / name
        path.write_text(text)
        done = command("generalise", people, "-k", 5, "--hierarchies", folder)
        assert done.status == 2
        assert said in done.err
        path.unlink()


def test_a_sheet_in_and_a_sheet_out(command, tmp_path: Path) -> None:
    """What would be a formula or a link in a sheet is written as the text it is."""
    pytest.importorskip("xlsxwriter")
    odd = ["=1+1", '=HYPERLINK("http://a.b")', "+5", "@a", "-3", "http://a.b", "0x1", "01"]
    book = openpyxl.Workbook()
    book.active.append(["town", "age"])
    for place in range(160):
        book.active.append([None, 20 + place % 7])
        cell = book.active.cell(row=place + 2, column=1)
        cell.value = odd[place % 8]
        cell.data_type = "s"
    given, file = tmp_path / "people.xlsx", tmp_path / "safer.xlsx"
    book.save(given)
    options = ["--columns", "town,age", "--at-most", "town=0", "-k", 5]
    said = command("generalise", given, *options, "-o", file)
    assert said.status == 0, said.err
    assert "read back and measured: the target is met" in flowing(said.out)
    cells = [cell for row in openpyxl.load_workbook(file).active.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} == {"s"}
    towns = rr.read(file, columns=["town"]).engine.marginal("town").values
    assert set(towns) == {text_form(text) for text in odd}
    assert all(cell.hyperlink is None for cell in cells)


def test_a_risk_file_that_is_a_sheet(command, people: Path, tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter")
    file = tmp_path / "risk.xlsx"
    said = command("measure", people, "--columns", "age,sex", "--risk-file", file)
    assert said.status == 0
    rows = list(openpyxl.load_workbook(file).active.iter_rows(values_only=True))
    assert rows[0] == ("row", "crowd", "risk")
    assert len(rows) == 401
    assert all(risk == pytest.approx(1 / crowd) for _, crowd, risk in rows[1:])


def test_a_sheet_without_what_writes_it(command, people, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("reidrisk.output_files.find_spec", lambda _: None)
    said = command("generalise", people, "-k", 5, "-o", tmp_path / "safer.xlsx")
    assert said.status == 2
    assert "pip install 'reidrisk[formats]'" in said.err
    assert not (tmp_path / "safer.xlsx").exists()
