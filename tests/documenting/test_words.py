"""Phrases that don't belong in what people read are gone, and the dictionary names what exists."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from documenting.examples import ROOT

import reidrisk as rr
from reidrisk.cli.main import GROUPS, reidrisk

COMMANDS = [name for commands in GROUPS.values() for name in commands]

SOURCE = ROOT / "src" / "reidrisk"
TEMPLATES = (".html", ".js")
_FROM_RUNS = re.compile(r"^<!-- made: [^\n]*\n.*?^<!-- end[^\n]*-->$", re.DOTALL | re.MULTILINE)
# What a program reads, not a person: names of functions, attributes, types.
_INTERNAL = re.compile(r"^[\w.:/#%*,{}()<>=&;-]*$")
_CODE = re.compile(r"`[^`\n]+`")
# The newest part of the changes is read; what older versions said stays as it was said.
_OLDER = re.compile(r"^## 0\.1\.0$.*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Text:
    """What people read, and where; formulas and tuples belong to the methods."""

    name: str
    text: str
    mathematics: bool = False


@dataclass(frozen=True)
class Phrase:
    """What isn't said, what is said instead, and an example that the pattern finds."""

    pattern: str
    instead: str
    example: str
    in_mathematics: bool = False


PHRASES = [
    Phrase(r"taken for granted", "assumptions", "Taken for granted: the table is everyone."),
    Phrase(r"takes? for granted", "assumes", "what it takes for granted"),
    Phrase(r"found out", "detected", "the delimiter is found out"),
    Phrase(
        r"(?:columns?|attributes?|that was) looked at", "quasi-identifiers", "3 columns looked at"
    ),
    Phrase(
        r"shares? (?:their|this|its) tuple", "combination of values", "nobody shares their tuple"
    ),
    Phrase(r"guess(?:es|ed)? everyone once", "with one guess per person", "guesses everyone once"),
    Phrase(r"where chance beg[ai]n", "random seed", "Where chance begins."),
    Phrase(r"ended otherwise", "did not converge", "The fit ended otherwise than it should"),
    Phrase(r"came no closer", "did not converge", "the fit came no closer"),
    Phrase(r"nobody stated", "unpublished", "cells nobody stated"),
    Phrase(r"lumped", "merged into other", "values lumped together"),
    Phrase(r"\bheld back\b", "suppressed", "counts held back"),
    Phrase(r"tell them all", "cover all", "3 smallest ones tell them all"),
    Phrase(r"beyond what (?:is allowable|you allow)", "exceeds the limit", "beyond what you allow"),
    Phrase(r"agrees? with itself", "consistent", "Does a statistics file agree with itself?"),
    Phrase(r"\bmend(?:s|ed|ing)?\b", "fix, adjust", "coarser levels don't mend that"),
    Phrase(r"\ba fault\b|\bfaults\b", "an error", "this is a fault in reidrisk"),
    Phrase(r"\bdoors?\b", "way to use it, command group", "Three doors"),
    Phrase(r"\brooms?\b(?! for)", "package", "a room knows itself"),
    Phrase(r"\ba column an attribute", "one column per attribute", "a column an attribute"),
    Phrase(r"\ba row a tuple", "one row per combination", "a row a tuple"),
    Phrase(r"(?:each|every(?:body|one)) as likely", "equally likely", "each as likely"),
    Phrase(r"who it is of\b", "whom it is about", "say who it is of"),
    Phrase(r"\bdear\b", "costly", "where it is dear"),
    Phrase(
        r"\btells\b(?! \w+ apart)|\btell of\b|\btold\b(?! apart)",
        "says, shows",
        "exit status 1 tells that",
    ),
    Phrase(r"st(?:ands?|ood) beside", "is given with", "the seed stands beside it"),
    Phrase(r"\b(?:un)?folded\b|\bfolding\b", "suppressed, suppression", "counts are folded"),
    Phrase(r"\bsettl(?:ed|ing)\b", "imputed, decided", "gaps are settled"),
    Phrase(r"\bby lots\b|\blots above\b", "by a hash", "records are drawn by lots"),
    Phrase(r"\bworked-out\b", "estimated", "a worked-out cell"),
    Phrase(r"held against", "compared with", "predictions are held against counts"),
    Phrase(r"\btuples?\b", "combination of values", "a tuple is one value each", True),
    Phrase(
        r"(?:each|every|all|\d) views?\b", "combination of columns", "every view is counted", True
    ),
]


def texts() -> list[Text]:
    """All that people read: pages, help texts, templates, sentences and messages of the source."""
    pages = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")]
    pages += sorted((ROOT / "docs").rglob("*.md"))
    templates = sorted(path for path in SOURCE.rglob("*") if path.suffix in TEMPLATES)
    modules = sorted(SOURCE.rglob("*.py"))
    return [
        *map(_page, pages),
        *(Text(f"reidrisk {name} --help", _help(name)) for name in ("", *COMMANDS)),
        *(Text(str(path.relative_to(ROOT)), _visible(path)) for path in templates),
        *(Text(str(path.relative_to(ROOT)), _sentences(path), True) for path in modules),
        Text("docstrings of public names", _docstrings(), True),
    ]


def _page(page: Path) -> Text:
    """What a page says, without names in code and the changes of older versions."""
    text = _OLDER.sub("", page.read_text(encoding="utf-8"))
    if page.stem == "papers":
        # Written by a run of hours, in the words of its day.
        text = _FROM_RUNS.sub("", text)
    return Text(str(page.relative_to(ROOT)), _CODE.sub("`code`", text), _mathematical(page))


def _help(name: str) -> str:
    """What `--help` of a command prints."""
    asked = [name] if name else []
    return CliRunner().invoke(reidrisk, [*asked, "--help"]).output


def _visible(path: Path) -> str:
    """A template without its tags and expressions; of a script the texts in quotes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", " ", text)
    code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    quoted = re.findall(r"\"([^\"\n]*)\"|`([^`]*)`", code)
    said = (one or re.sub(r"\$\{[^{}]*\}", " ", other) for one, other in quoted)
    return "\n".join(each for each in said if " " in each.strip())


def _sentences(path: Path) -> str:
    """The string literals of a module that are words, not names; docstrings are others' to read."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
        and not _INTERNAL.match(node.value)
    )


def _docstrings() -> str:
    """What `help()` shows of each public name, and of its methods and fields."""
    found = []
    for name in rr.__all__:
        public = getattr(rr, name)
        members = vars(public).values() if isinstance(public, type) else ()
        for each in (public, *members):
            documented = callable(each) or isinstance(each, property)
            found.append(inspect.getdoc(each) or "" if documented else "")
    return "\n".join(found)


def _mathematical(page: Path) -> bool:
    """Methods and measured pages speak of tuples and views as the papers and formulas do."""
    return page.parent.name == "method" or page.stem in {"accuracy", "papers", "python", "words"}


def found(text: Text) -> list[str]:
    """Each phrase of the text that doesn't belong there, with what is said instead."""
    return [
        f"{text.name}: {hit[0]!r}, instead: {phrase.instead}"
        for phrase in PHRASES
        if not (phrase.in_mathematics and text.mathematics)
        for hit in re.finditer(phrase.pattern, " ".join(text.text.split()), re.IGNORECASE)
    ]


@pytest.mark.parametrize("text", texts(), ids=lambda text: text.name)
def test_what_people_read_is_said_in_plain_words(text: Text) -> None:
    assert found(text) == []


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_a_phrase_is_found_where_it_stands(phrase: Phrase) -> None:
    assert found(Text("page", phrase.example))
    assert phrase.in_mathematics != bool(found(Text("page", phrase.example, mathematics=True)))


def test_all_that_people_read_is_read() -> None:
    read = {text.name: text.text for text in texts()}
    assert "reidrisk demo -o people.csv" in read["docs/start.md"]
    assert "equivalence classes" in read["reidrisk measure --help"]
    assert "No table at hand?" in read["src/reidrisk/web/templates/page.html"]
    assert "Making the report" in read["src/reidrisk/web/static/report.js"]
    assert "Nobody is alone" in read["src/reidrisk/reports/words/tables.py"]
    assert "For publication" in read["src/reidrisk/reports/document.py"]
    assert "reidrisk.reports" not in read["src/reidrisk/reports/document.py"]
    assert "parameter" in read["docstrings of public names"].lower()


def words_page() -> str:
    """The dictionary."""
    return (ROOT / "docs" / "words.md").read_text(encoding="utf-8")


def test_the_dictionary_names_options_and_keys_that_exist() -> None:
    reference = "".join(
        (ROOT / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")
        for name in ("commands", "json", "python", "statistics_file")
    )
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", words_page()))
    keys = set(re.findall(r"`([a-z_]+(?:\[\])?(?:\.[a-z_]+)?)`", words_page()))
    names = {f"`{name}`" for name in re.findall(r"\brr\.(\w+)", words_page())}
    assert len(options) > 15
    assert len(keys) > 30
    assert sorted(option for option in options if f"`{option}" not in reference) == []
    # A key, a measure, a command, or one of the values an option takes.
    keys = {key for key in keys if not re.search(rf"\b{re.escape(key)}", reference)}
    assert keys == set()
    assert sorted(name for name in names if name not in reference) == []


def test_every_term_of_the_field_is_a_heading_in_order() -> None:
    """Headings are what the search of the site weighs most, and what a link can lead to."""
    terms = re.findall(r"^### (.+)$", words_page(), re.MULTILINE)
    assert terms == sorted(terms, key=str.lower)
    wanted = (
        "Equivalence class", "Quasi-identifier", "Key variable", "Sample unique", "k-map",
        "Population unique", "k-anonymity", "Prosecutor risk", "Journalist risk", "Marketer risk",
        "Maximum risk", "Average risk", "Minimal sample unique", "SUDA", "Primary suppression",
        "Complementary suppression", "Imputation", "Record suppression", "Global recoding",
        "Local suppression", "Top coding", "Generalisation hierarchy", "Attribute disclosure",
        "l-diversity", "t-closeness", "Microdata", "Frequency table", "Two-way margin", "Kappa",
        "Gain ratio", "Mutual information", "TFRR", "ORR", "Singling out", "Linkability",
        "Inference", "Differential privacy",
    )  # fmt: skip
    assert set(wanted) <= set(terms)
    readers = ("README.md", "docs/index.md", "docs/start.md", "mkdocs.yml")
    assert all("words.md" in (ROOT / each).read_text(encoding="utf-8") for each in readers)
