"""Python users read arguments where the command line names options."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.arguments import NAMES, in_python
from reidrisk.cli.main import reidrisk as command_line

SOURCE = Path(rr.__file__).parent
LIBRARY = [
    path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in {"cli", "web"}
]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("--share and --errors can't both hold", "share and errors can't both hold"),
        ("name at least one: --columns age,sex", "name at least one: columns=['age', 'sex']"),
        ("see years (--bands born=1y)", "see years (bands={'born': '1y'})"),
        ("--bands age=5 for a number", "bands={'age': 5} for a number"),
        ("use --missing own, or fewer columns", "use missing='own', or fewer columns"),
        ("a column, add --person patient_nbr; or", "a column, add person='patient_nbr'; or"),
        ("add --rows-are-people.", "add rows_are_people=True."),
        ("--up-to 9: of 5 attributes", "up_to=9: of 5 attributes"),
        ("-k 5, or --measure overall_risk", "k=5, or measure='overall_risk'"),
        ("--risk-file needs --key COL: why", "write_risk_file needs key=COL: why"),
        ("--query 'SELECT age, sex FROM t'", "query='SELECT age, sex FROM t'"),
        ("as in: reidrisk measure TABLE --person id", "as in: reidrisk measure TABLE --person id"),
        ("a well-known age-sex table – or --bands", "a well-known age-sex table – or bands"),
    ],
)
def test_options_become_arguments(typed: str, written: str) -> None:
    assert in_python(typed) == written


def test_an_error_names_arguments_in_python_and_options_on_the_command_line() -> None:
    table = rr.read({"age": [1, 2, 3], "sex": ["f", "m", "f"]})
    with pytest.raises(rr.ContradictoryOptions) as caught:
        rr.search(table, ratio=2)
    assert "--" not in str(caught.value)
    assert "--ratio" in caught.value.message
    back = pickle.loads(pickle.dumps(caught.value))
    assert (str(back), back.message, back.hint) == (
        str(caught.value),
        caught.value.message,
        caught.value.hint,
    )


def test_an_answer_names_arguments_in_python() -> None:
    visits = {"patient": ["a", "a", "b", "b"], "age": ["30", "31", "40", "41"]}
    shown = rr.measure(rr.read(visits, columns=["age"]))
    assert "person='patient'" in str(shown)
    assert "person=&#x27;patient&#x27;" in shown._repr_html_()
    assert "--" not in str(shown)


def options_named() -> Iterator[tuple[str, str]]:
    """(option, file) for every option that a text of the library names."""
    for path in LIBRARY:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*[a-z])(?![\w-])", node.value):
                    yield option, str(path.relative_to(SOURCE))


def test_every_option_that_is_named_exists() -> None:
    typed = {
        option.removeprefix("--")
        for name in command_line.list_commands(None)
        for parameter in command_line.get_command(None, name).params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    typed |= {"help", "version"}
    assert sorted({each for each in options_named() if each[0] not in typed}) == []


# What only somebody at a terminal does: print, ask, replace a file, limit the page.
AT_A_TERMINAL = {
    "ask", "fail-above", "force", "format", "help", "json", "output", "password-prompt", "port",
    "quiet", "upload-limit", "verbose", "version",
}  # fmt: skip


def test_every_option_that_a_message_names_has_its_argument() -> None:
    functions = [getattr(rr, name) for name in rr.__all__ if inspect.isfunction(getattr(rr, name))]
    arguments = {name for each in functions for name in inspect.signature(each).parameters}
    arguments |= {each.__name__ for each in functions}
    named = {each for each in options_named() if each[0] not in AT_A_TERMINAL}
    without = {
        (option, path)
        for option, path in named
        if NAMES.get(option, option.replace("-", "_")) not in arguments
    }
    assert sorted(without) == []
