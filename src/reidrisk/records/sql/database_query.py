"""--query: one statement that reads, looked through before a database sees it.

Each question stands around the query, as ``SELECT … FROM (query) AS stored``. A query from somebody
else could close the parenthesis, end the statement and with it the read-only transaction, and begin
another one. So it is read token by token here, and refused where it could be taken in two ways.
What a server can keep it from, the server does as well (`database_connecting`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from reidrisk.errors import InputError

_BEGINNINGS = ("select", "with", "values", "table", "(")
_SPACE = r"(?P<aside>[ \t\n\r\f\v]+"
_WORD = r"[A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*"
_PLAIN = r"'(?:[^']|'')*'"
_NAME = r'"(?:[^"]|"")*"'
# One token; what opens a quotation or a comment and doesn't close it is in `open`.
_POSTGRESQL = re.compile(
    rf"{_SPACE}|--[^\n\r]*)|(?P<nested>/\*)|(?P<open>[uU]&\")"
    rf"|[eE]'(?:[^'\\]|\\.|'')*'|(?:[uU]&|[bBxXnN])?{_PLAIN}"
    rf"|\$(?P<mark>(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?)\$.*?\$(?P=mark)\$"
    rf"|(?P<name>{_NAME}|{_WORD})|(?P<torn>['\"]|\$[^\d])|\d[\w.]*|.",
    re.DOTALL,
)
_SQLITE = re.compile(
    rf"{_SPACE}|--[^\n]*|/\*.*?\*/)|{_PLAIN}"
    rf"|(?P<name>{_NAME}|`(?:[^`]|``)*`|\[[^\]]*\]|{_WORD})|(?P<open>['\"`\[#]|/\*)|\d[\w.]*|.",
    re.DOTALL,
)
# Where it isn't known how comments nest and what a backslash does, there may be neither.
_ANOTHER = re.compile(
    rf"{_SPACE})|'(?:[^'\\]|'')*'|(?P<name>\"[^\"\\]*\"|`[^`\\]*`|{_WORD})"
    rf"|(?P<open>['\"`\\#\[]|--|/\*)|\d[\w.]*|.",
    re.DOTALL,
)
_GRAMMARS = {"postgresql": _POSTGRESQL, "sqlite": _SQLITE}
# Functions that act on the server, run a text as SQL, or leave the role that may only read: known
# ones, since a read-only transaction doesn't keep a query from calling them.
_ACTING = re.compile(
    r"pg_(?!typeof$|sleep|column_size$|size_pretty$|get_|table_is_visible$)|lo_|lo(read|write)$"
    r"|dblink|set_config$|nextval$|setval$|(query|cursor)_to_xml|ts_(stat|rewrite)$|crosstab"
    r"|connectby|xpath_table|postgres_fdw|load_extension$|fts3_tokenizer$"
)
# Without a read-only transaction a query has none of these words.
_WRITING = {
    "insert", "update", "delete", "merge", "into", "create", "drop", "alter", "truncate", "call",
    "exec", "execute", "copy",
}  # fmt: skip


class _Token(NamedTuple):
    text: str
    end: int
    quoted: bool


def one_query(query: str, database: str) -> str:
    """The query in parentheses, without what stands behind its last word."""
    tokens = list(_tokens(query, _GRAMMARS.get(database, _ANOTHER)))
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise InputError("--query is empty", "as in 'SELECT age, sex FROM people'")
    _refuse_all_but_one(tokens)
    _refuse_acting(tokens)
    if database not in _GRAMMARS:
        _refuse_writing(tokens)
    return f"({query[: tokens[-1].end]})"


def _refuse_all_but_one(tokens: Sequence[_Token]) -> None:
    if tokens[0].quoted or tokens[0].text not in _BEGINNINGS:
        raise InputError(
            "--query doesn't begin with SELECT, WITH, VALUES or TABLE", "it may only read"
        )
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth < 0:
            raise InputError("--query closes a parenthesis that it doesn't open", "give one SELECT")
        if token.text == ";":
            raise InputError("--query holds more than one statement", "give one SELECT")
    if depth:
        raise InputError("--query opens a parenthesis that it doesn't close", "give one SELECT")


def _refuse_acting(tokens: Sequence[_Token]) -> None:
    for token, following in pairwise(tokens):
        if following.text == "(" and _ACTING.match(token.text):
            raise InputError(
                f"--query calls {token.text}, which does more than read", "give a SELECT without it"
            )


def _refuse_writing(tokens: Sequence[_Token]) -> None:
    found = sorted(_WRITING.intersection(token.text for token in tokens if not token.quoted))
    if found:
        raise InputError(
            f"--query has the word {found[0].upper()}, and may only read",
            "this database is asked without a read-only transaction: make a view, and name it with "
            "--table",
        )


def _tokens(query: str, grammar: re.Pattern[str]) -> Iterator[_Token]:
    """Names in small letters and without their quotes; white space and comments left out."""
    at = 0
    while found := grammar.match(query, at):
        start, at, kind = at, found.end(), found.groupdict()
        if kind.get("nested"):
            at = _behind_nested(query, start)
        elif kind["open"] or kind.get("torn") or found[0] == "\0":
            raise _unclear()
        elif name := kind["name"]:
            quoted = name[0] in '"`['
            yield _Token((name[1:-1] if quoted else name).lower(), at, quoted)
        elif not kind["aside"]:
            yield _Token(found[0], at, False)


def _behind_nested(query: str, start: int) -> int:
    depth = 0
    for mark in re.finditer(r"/\*|\*/", query[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return start + mark.end()
    raise _unclear()


def _unclear() -> InputError:
    return InputError(
        "--query has a quotation or a comment that isn't closed, or isn't the same in every "
        "database",
        'close them; leave out U&"…", and with other databases than PostgreSQL and SQLite comments '
        "and backslashes",
    )
