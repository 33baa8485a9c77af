"""The commands as people use them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reidrisk
import reidrisk as rr
from reidrisk.cli.main import FIELD_WORDS, GROUPS, WORDS_PAGE

PEOPLE = "age,sex,postcode\n39,f,0123\n39,f,0123\n40,m,0124\n41,m,0124\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_help_lists_the_commands_by_group(command: Callable) -> None:
    said = command("--help")
    assert said.status == 0
    for group, commands in GROUPS.items():
        assert f"{group}:" in said.out
        for name in commands:
            assert f"  {name}" in said.out
            assert command(name, "--help").status == 0
    assert command("--version").out.strip().endswith(reidrisk.__version__)
    assert command("mesure").status == 2


def test_measure_in_words(command: Callable, people: Path) -> None:
    said = command("measure", people)
    assert said.status == 0
    assert said.err == ""
    words = " ".join(said.out.split())
    assert words.startswith("Most people stand out (people.csv: 4 people, 3 quasi-identifiers)")
    assert "2 people of 4 (50.0 %) are alone (unique)" in words
    assert "re-identifies 3 of 4 on average: overall risk 75.0 % (average risk, marketer)" in words
    assert "Smallest crowd 1 (k-anonymity: k = 1): highest risk 100 % (maximum" in words
    assert "--risk-file risk.parquet" in words
    assert "Next" not in command("measure", people, "--quiet").out


def test_measure_as_json(command: Callable, people: Path) -> None:
    said = command("measure", people, "--columns", "age,sex", "--json", "--crowds", "2-3")
    assert (said.status, said.err) == (0, "")
    answer = said.json
    assert answer["input"]["columns"] == ["age", "sex"]
    assert answer["share_in_crowds_of_at_least"] == {"2": 0.5, "3": 0.0}
    assert answer["input"]["notes"] == ["CSV: delimiter ',', encoding utf-8"]
    slow = command("measure", people, "--columns", "age,sex", "--json", "--engine", "duckdb").json
    for key in ("crowd_sizes", "overall_risk", "entropy", "input", "alone"):
        if key != "crowd_sizes":
            assert slow[key] == answer[key]


def test_bands_levels_and_repeated_columns(command: Callable, people: Path) -> None:
    options = ["--column", "age", "--columns", "postcode", "--bands", "age=10"]
    said = command("measure", people, *options, "--levels", "postcode=3", "--json")
    assert said.json["distinct"] == 2
    assert "age is seen in bands of 10." in said.json["assumptions"]


def test_fail_above(command: Callable, people: Path) -> None:
    crossed = command("measure", people, "--fail-above", "overall_risk=0.7,alone_share=0.9")
    assert crossed.status == 1
    assert "Not met: overall_risk is 0.75, above 0.7." in crossed.err
    assert "alone_share" not in crossed.err
    assert command("measure", people, "--fail-above", "overall_risk=0.75").status == 0
    as_json = command("measure", people, "--json", "--fail-above", "share_above:0.2=0.1")
    assert as_json.status == 1
    assert as_json.json["people"] == 4


GATED = {
    "measure": ("measure", "TABLE", "--columns", "age"),
    "attack": ("attack", "TABLE", "--columns", "age", "--knows", "age"),
    "predict": ("predict", "STATISTICS"),
    "report": ("report", "TABLE", "--columns", "age"),
}


@pytest.fixture
def elevens(command: Callable, tmp_path: Path) -> dict[str, Path]:
    """Two crowds of eleven, as a table and as statistics."""
    table, statistics = tmp_path / "elevens.csv", tmp_path / "elevens.json"
    table.write_text("age\n" + "39\n" * 11 + "40\n" * 11)
    asked = ["--columns", "age", "-o", statistics, "--unprotected"]
    assert command("publish", table, *asked).status == 0
    return {"TABLE": table, "STATISTICS": statistics}


@pytest.mark.parametrize("name", GATED)
def test_a_verdict_travels_with_the_answer(
    command: Callable, elevens: dict[str, Path], name: str
) -> None:
    asked = [str(elevens.get(word, word)) for word in GATED[name]]
    file = next(word for word in asked if word.endswith((".csv", "s.json")))
    fails = command(*asked, "--json", "--fail-above", "highest_risk=0.09,overall_risk=1/2")
    assert fails.status == 1
    assert fails.json["gate"]["verdict"] == "fail"
    assert fails.json["gate"]["file"] == file
    assert fails.json["gate"]["thresholds"] == [
        {"measure": "highest_risk", "limit": 0.09, "given": "0.09", "value": 1 / 11,
         "crossed": True},
        {"measure": "overall_risk", "limit": 0.5, "given": "1/2",
         "value": fails.json["gate"]["thresholds"][1]["value"], "crossed": False},
    ]  # fmt: skip
    assert "1/11 is 0.09091, which is above 0.09" in fails.err
    assert "give it as 1/11 or k=11" in fails.err
    for limit in ("highest_risk=1/11", "k=11", "highest_risk=k=11", "K = 11", "k=3"):
        kept = command(*asked, "--json", "--fail-above", limit)
        assert (kept.status, kept.json["gate"]["verdict"], kept.err) == (0, "pass", "")
    twelve = command(*asked, "--fail-above", "k=12")
    assert twelve.status == 1
    assert "Not met: the smallest crowd is 11, and k=12 asks for at least 12." in twelve.err
    told = command(*asked, "--quiet", "--fail-above", "k=11,overall_risk=0.5")
    assert "Met: " not in told.out
    assert "Met: the smallest crowd is 11 (k=11 asks for at least 11).\n" in told.err
    assert "Met: overall_risk is 0.0909091 (at most 0.5).\n" in told.err
    assert "gate" not in command(*asked, "--json").json


def test_a_verdict_tells_no_password_and_no_file_to_the_public(
    command: Callable, elevens: dict[str, Path]
) -> None:
    from reidrisk.cli.thresholds import thresholds, verdict_on

    risk = rr.measure(rr.read(elevens["TABLE"]))
    told = verdict_on(risk, thresholds(("k=11",))).json(risk, ["postgresql://me:secret@host/db"])
    assert "secret" not in told
    assert "postgresql://me" in told
    public = command("report", elevens["TABLE"], "--columns", "age", "--publishable", "--json",
                     "--at-least", "2", "--fail-above", "k=11")  # fmt: skip
    assert (public.json["gate"]["verdict"], public.json["gate"]["file"]) == ("pass", None)
    assert [each["value"] for each in public.json["gate"]["thresholds"]] == [None]


@pytest.mark.parametrize(("limit", "said"), [
    ("highest_risk=1/0", "isn't MEASURE=VALUE"),
    ("k=0", "at least one person"),
    ("k=", "isn't MEASURE=VALUE"),
    ("k", "isn't MEASURE=VALUE"),
    ("overall_risk=k=11", "1/11"),
    ("k=5,highest_risk=0.2", "twice"),
    ("highest_risk=3/2", "can't cross"),
])  # fmt: skip
def test_thresholds_that_make_no_sense(
    command: Callable, people: Path, limit: str, said: str
) -> None:
    refused = command("measure", people, "--fail-above", limit)
    assert refused.status == 2
    assert said in refused.err


def test_fractions_wherever_a_risk_is_limited(command: Callable, elevens: dict[str, Path]) -> None:
    table = elevens["TABLE"]
    for limit in ("1/11", "k=11"):
        found = command("search", table, "--columns", "age", "--allowable-risk", limit, "--json")
        assert found.json["minimal_risky"] == []
        found = command("generalise", table, "--columns", "age", "--allowable-risk", limit,
                        "--frontier", "1/2,1/11", "--json")  # fmt: skip
        assert found.json["levels"] == {"age": 0}
        found = command("attack", table, "--columns", "age", "--above", limit, "--json")
        assert found.json["above"]["people"] == 0
        found = command("generalise", table, "--columns", "age", "-k", limit, "--json")
        assert found.json["levels"] == {"age": 0}
    wrong = command("search", table, "--columns", "age", "--allowable-risk", "often")
    assert wrong.status == 2
    assert "0.05, 1/11 or k=11" in wrong.err


def test_the_risk_file_appears_whole(command: Callable, people: Path, tmp_path: Path) -> None:
    risk = tmp_path / "risk.csv"
    risk.write_text("old")
    said = command("measure", people, "--risk-file", risk, "--columns", "age", "--force")
    assert said.status == 0
    assert str(risk) in said.out
    assert risk.read_text().splitlines()[1] == "1,2,0.5"
    assert sorted(os.listdir(tmp_path)) == ["people.csv", "risk.csv"]
    assert risk.stat().st_mode & 0o777 == 0o600


def _umask() -> int:
    held = os.umask(0)
    os.umask(held)
    return held


def test_columns(command: Callable, people: Path) -> None:
    said = command("columns", people)
    assert said.status == 0
    assert f"To copy: reidrisk measure {people} --columns age,sex,postcode" in said.out
    assert "Detected: CSV: delimiter ',', encoding utf-8." in said.out
    given = ["--empty=-9,?", "--delimiter", ",", "--encoding", "utf-8", "--threads", "1"]
    kept = shlex.join(["reidrisk", "measure", str(people), *given])
    assert f"To copy: {kept} --columns " in command("columns", people, *given, "--quiet").out
    answer = command("columns", people, "--json").json
    assert answer["columns"][2] == {
        "name": "postcode", "distinct": 2, "empty": 0, "kind": "code",
        "role": "quasi-identifier", "why": "",
        "approximate": False, "distinct_error": None,
    }  # fmt: skip


def test_verbose_says_how(command: Callable, people: Path) -> None:
    said = command("measure", people, "--verbose", "--json")
    assert "detected: CSV: delimiter ','" in said.err
    assert "engine embedded: 4 rows read and counted in" in said.err
    assert json.loads(said.out)["people"] == 4


def test_the_demo(command: Callable, tmp_path: Path) -> None:
    said = command("demo", "-o", tmp_path / "city.csv")
    assert said.status == 0
    words = " ".join(said.out.split())
    assert "A city of 100,000 generated people (seed 2015)" in words
    assert "41,931 people of 100,000 (41.9 %) are alone" in words
    measured = command("measure", tmp_path / "city.csv", "--columns",
                       "postcode,age,sex,marital_state,occupation", "--json").json  # fmt: skip
    assert measured["alone"]["people"] == 41_931
    assert command("demo", "--json").json["measure"]["alone"]["people"] == 41_931
    assert command("demo", "-o", tmp_path / "city.txt").status == 2


def test_the_reader_may_leave_early(people: Path) -> None:
    script = f"from reidrisk.cli.main import run; run(['measure', {str(people)!r}])"
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    assert child.wait(30) == 141


def test_an_interrupt_names_what_is_complete(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C during the tour, after its table was written."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reidrisk.output_files.COMPLETE", [])
    monkeypatch.setattr("reidrisk.demo.tour.Tour.told", interrupted)
    place = tmp_path / "people.csv"
    said = command("demo", "-o", place)
    assert said.status == 130
    assert place.exists()
    assert f"these files were written before: {place}" in said.err
    assert "nothing was written" not in said.err


def test_an_interrupt_while_it_starts_is_quiet() -> None:
    script = (
        "import sys, reidrisk.__main__ as entry\n"
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\n"
        "entry.main()"
    )
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (child.returncode, child.stdout, child.stderr) == (130, b"", b"")


def test_the_demo_says_commands_as_they_can_be_typed(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = tmp_path / "reidrisk"
    called.touch()
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("reidrisk.demo.tour.Tour.told", lambda *_: iter(()))
    assert f"{called} columns city.csv" in command("demo").out
    monkeypatch.setattr(sys, "argv", ["somewhere/pytest"])
    assert "\n  reidrisk columns city.csv" in command("demo").out


def test_the_demo_names_no_python_attribute(command: Callable) -> None:
    told = command("demo").out
    assert ".envelope" not in told
    assert "from Arrow" not in told
    assert "Many people stand out (the generated city: 100,000 people" in told


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_an_interrupt_leaves_nothing(tmp_path: Path, engine: str) -> None:
    """Ctrl-C while the risk file is being written: status 130, no part of it left."""
    (tmp_path / "table.csv").write_text(
        "a,b\n" + "".join(f"{i % 977},{i % 13}\n" for i in range(150_000))
    )
    script = (
        "import time, reidrisk.records.contract as f\n"
        "kept = f._risk_of_each\n"
        "def slow(*a):\n"
        "    print('writing', flush=True); time.sleep(0.5); return kept(*a)\n"
        "f._risk_of_each = slow\n"
        "from reidrisk.cli.main import run\n"
        f"run(['measure', 'table.csv', '--risk-file', 'risk.csv', '--engine', {engine!r}])"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "writing\n"
    assert len(os.listdir(tmp_path)) > 1
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130, err
    assert "Interrupted" in err
    time.sleep(0.1)
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("way", ["rows", "stream"])
def test_a_long_query_is_interrupted(tmp_path: Path, how: signal.Signals, way: str) -> None:
    """DuckDB at work inside a query that would take hours."""
    ask = "rows(sql)" if way == "rows" else "stream(sql).read_all()"
    script = (
        "from reidrisk.cli.process import exit_with\n"
        "from reidrisk.records.sql.duckdb_session import DuckDBSession as Session\n"
        "sql = 'SELECT count(*) FROM range(10000000000000) t(a) WHERE a % 7 = 3'\n"
        "session = Session(None, 1)\n"
        "print('asking', flush=True)\n"
        f"exit_with(lambda: session.{ask}, [])"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "asking\n"
    time.sleep(0.8)
    child.send_signal(how)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130, err
    assert os.listdir(tmp_path) == []


def test_outputs_that_fail(people: Path) -> None:
    """A full device is bad output; a closed pipe isn't, and a threshold still counts."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")

    def run(*options: str, stdout: object, stderr: object = subprocess.DEVNULL) -> int:
        given = ["measure", str(people), *options]
        script = f"from reidrisk.cli.main import run; run({given!r})"
        done = subprocess.run([sys.executable, "-c", script], stdout=stdout, stderr=stderr)
        return done.returncode

    with open("/dev/full", "wb") as full:
        assert run("--json", stdout=full) == 2
        assert run(stdout=full) == 2
    read_end, write_end = os.pipe()
    os.close(read_end)
    crossed = ("--fail-above", "overall_risk=0.1")
    for way in ((), ("--json",), ("--verbose",)):
        assert run(*crossed, *way, stdout=write_end) != 0
        assert run(*crossed, *way, stdout=write_end, stderr=write_end) != 0
    os.close(write_end)


def test_what_comes_through_a_pipe(people: Path) -> None:
    script = "from reidrisk.cli.main import run; run(['measure', '-', '--json'])"
    done = subprocess.run(
        [sys.executable, "-c", script], input=people.read_bytes(), capture_output=True
    )
    assert json.loads(done.stdout)["people"] == 4


def test_columns_add_up(command: Callable, people: Path) -> None:
    said = command("measure", people, "--columns", "age", "--columns", "sex", "--json")
    assert said.json["input"]["columns"] == ["age", "sex"]
    assert command().status == 0
    assert "With records:" in command().out


def test_colour_only_on_a_terminal(people: Path) -> None:
    pty = pytest.importorskip("pty")
    script = f"from reidrisk.cli.main import run; run(['measure', {str(people)!r}])"
    shown = {}
    for no_color in ("", "1"):
        ours, theirs = pty.openpty()
        env = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm"}
        subprocess.run([sys.executable, "-c", script], stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        shown[no_color] = os.read(ours, 65536)
        os.close(ours)
    assert b"\x1b[1m" in shown[""]
    assert b"\x1b[" not in shown["1"]


@pytest.mark.parametrize(
    ("typed", "meant"), [("generalize", "generalise"), ("mesure", "measure"), ("xyz", None)]
)
def test_a_command_that_is_misspelt(command: Callable, typed: str, meant: str | None) -> None:
    said = command(typed, "people.csv")
    assert said.status == 2
    assert f"there is no command {typed!r}" in said.err
    assert ("did you mean" in said.err) is (meant is not None)
    assert meant is None or f"did you mean {meant!r}?" in said.err


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("uniques", "'measure'"),
        ("k-anonymity", "'measure'"),
        ("K_Anonymity", "'measure'"),
        ("suda", "'attack --unique-up-to 3'"),
        ("anonymise", "'generalise'"),
        ("suppress", "'publish --exact' (counts) or 'generalise --suppress' (records)"),
        ("help", "'--help' or 'COMMAND --help'"),
    ],
)
def test_a_word_of_the_field_leads_to_its_command(command: Callable, word: str, meant: str) -> None:
    said = command(word, "people.csv")
    assert said.status == 2
    assert f"did you mean {meant}?" in said.err


def test_words_of_the_field_name_commands_that_exist(command: Callable) -> None:
    names = [name for commands in GROUPS.values() for name in commands]
    for meant in FIELD_WORDS.values():
        first = meant.split("'")[1]
        assert first == "--help" or first.split()[0] in names
    words = [word for words in FIELD_WORDS for word in words.split("|")]
    assert len(words) == len(set(words))
    assert not set(words) & set(names)


def test_as_a_module(people: Path) -> None:
    """`python -m reidrisk` where the script isn't on the path; it fails as the script does."""
    run = [sys.executable, "-m", "reidrisk"]
    asked = [*run, "measure", str(people), "--fail-above", "highest_risk=0.1", "--json"]
    measured = subprocess.run(asked, capture_output=True, text=True)
    assert measured.returncode == 1
    assert json.loads(measured.stdout)["smallest_crowd"] == 1
    shown = subprocess.run([*run, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: reidrisk [OPTIONS]")
    assert WORDS_PAGE in shown.stdout


def test_an_option_that_is_misspelt(command: Callable, people: Path) -> None:
    assert "--columns" in command("measure", people, "--colums", "age").err


@pytest.mark.parametrize("verb", ["measure", "columns", "search"])
def test_a_pattern_that_the_shell_expanded(command: Callable, people: Path, verb: str) -> None:
    other = people.with_name("others.csv")
    other.write_bytes(people.read_bytes())
    said = command(verb, people, other)
    assert said.status == 2
    assert "several files" in said.err
    assert f"put the pattern in quotes: '{people.parent}/*.csv'" in said.err


def test_no_pattern_is_suggested_that_finds_nothing(command: Callable, people: Path) -> None:
    (people.parent / "more").mkdir()
    other = people.parent / "more" / "others.csv"
    other.write_bytes(people.read_bytes())
    said = command("measure", people, other)
    assert said.status == 2
    assert "name a folder that has only them" in said.err
    assert "*" not in said.err


def test_a_table_where_statistics_are_taken(command: Callable, people: Path) -> None:
    counts = people.with_name("age.csv")
    counts.write_text("age,people\n0-9,120\n10-19,80\n")
    assert f"reidrisk compile {counts} -o statistics.json" in command("predict", counts).err
    said = command("predict", people).err
    assert "`publish`" in said
    assert f"with: reidrisk compile {people} -o statistics.json" in said
