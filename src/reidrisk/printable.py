"""Printable: a text from data as it may stand on a terminal, in a sentence, in an error.

Names, values, titles and file names are somebody else's. Control characters in them would move a
terminal's cursor or begin a line that seems ours; those of writing direction show a text in another
order than it has. They are shown as \x1b, \n, \u202e. An address is shown without its password.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

# Line and paragraph separators, writing direction, what takes no room, what can't be encoded. The
# joiners that Persian, Hindi and emoji are written with (U+200C, U+200D) stay.
_HIDDEN = (
    r"\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f"
)
_NOT_IN_A_LINE = re.compile(rf"[\x00-\x1f{_HIDDEN}]")
_NOT_IN_A_TEXT = re.compile(rf"[\x00-\x09\x0b-\x1f{_HIDDEN}]")
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def printable(text: str) -> str:
    """A name, a value or a sentence with them: one line, every hidden character visible."""
    return _NOT_IN_A_LINE.sub(_shown, text)


def printable_text(text: str) -> str:
    """A whole text of several lines; in JSON what is shown stands for the same character."""
    return _NOT_IN_A_TEXT.sub(_shown, text)


def json_text(told: Any, indent: int | None = 2) -> str:
    """JSON as it may be printed: the same values, hidden characters as their escapes."""
    return printable_text(json.dumps(told, ensure_ascii=False, indent=indent))


def shell_word(word: str) -> str:
    """A word as a shell reads it, on one line: $'…' where it holds hidden characters."""
    if printable(word) == word:
        return shlex.quote(word)
    told = (_SHELL.get(mark) or _shell_mark(mark) for mark in word)
    return f"$'{''.join(told)}'"


def shell_words(words: Iterable[str]) -> str:
    """A command to copy."""
    return " ".join(map(shell_word, words))


_SHELL = {"\\": r"\\", "'": r"\'"}


def _shell_mark(mark: str) -> str:
    if 0xDC80 <= ord(mark) <= 0xDCFF:
        # A byte of a file's name that is no text.
        return f"\\x{ord(mark) - 0xDC00:02x}"
    if ord(mark) > 0xFFFF and printable(mark) != mark:
        return f"\\U{ord(mark):08x}"
    return printable(mark)


def _shown(found: re.Match[str]) -> str:
    mark = found[0]
    code = ord(mark)
    if mark in _SHORT:
        return _SHORT[mark]
    if code < 0x20:
        return f"\\x{code:02x}"
    if code > 0xFFFF:
        pair = mark.encode("utf-16-be")
        return f"\\u{pair[:2].hex()}\\u{pair[2:].hex()}"
    return f"\\u{code:04x}"


# What may be told of an address besides who, where and which; the rest may be a secret.
_HARMLESS = {
    "application_name", "charset", "client_encoding", "connect_timeout", "database", "dbname",
    "driver", "host", "mode", "port", "sslmode", "target_session_attrs", "uri", "use_ssl", "user",
    "user_id", "username",
}  # fmt: skip
_ADDRESS = r"[a-z][a-z0-9+._-]*:/"
_WITH_ADDRESS = re.compile(rf"\b{_ADDRESS}[^\s'\"<>]*|(?<!\S)[^/@:\s]+:(?!/)[^@\s]+@[^/\s]+/", re.I)
_SIGNED_IN = re.compile(rf"^({_ADDRESS}/{{0,2}}[^/@:]*|[^/@:]+(?=:[^/])):.*@", re.I | re.S)
# What has been hidden already is left as it is.
_IN_SENTENCE = re.compile(rf"(\b{_ADDRESS}/{{0,2}}[^\s/@:'\"]*):(?!\*\*\*@).*@", re.I)
_TOKEN = re.compile(r"^((?:https?|ftps?|sftp)://)[^/@:]+@", re.I)
_PARAMETER = re.compile(r"([?&;]\s*)([^=&;?/@]+)=([^&;]*)")
_CONNECTING = re.compile(r"(?:host(?:addr)?|server|dbname|database|user|uid|driver|dsn)\s*=", re.I)
_SECRET = re.compile(
    r"(\b(?:\w*passw(?:or)?d|\w*passphrase|\w*secret|\w*token|pwd|pass)\s*=\s*)"
    r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\{(?:[^}]|\}\})*\}|[^\s;'\"]+)", re.I
)  # fmt: skip


def without_password(address: str) -> str:
    """An address, a connection string or a path as it may be shown."""
    if re.match(_ADDRESS, address, re.I) or _WITH_ADDRESS.match(address):
        hidden = _SIGNED_IN.sub(r"\1:***@", address, count=1)
        return _PARAMETER.sub(_without_secret, _TOKEN.sub(r"\1***@", hidden))
    return _without_secrets(address)


def without_passwords(text: str) -> str:
    """The same wherever an address stands in a text."""
    if ":" in text:
        text = _WITH_ADDRESS.sub(lambda found: without_password(found[0]), text)
    return _without_secrets(text)


def sentence_without_passwords(sentence: str) -> str:
    """The same in a sentence, where a password may hold spaces and quotes: all up to the last @."""
    return without_passwords(_IN_SENTENCE.sub(r"\1:***@", sentence))


def secret_pieces(words: Iterable[str]) -> dict[str, str]:
    """What paths make of addresses among a command's words, each with what may be shown of it."""
    pieces: dict[str, str] = {}
    for word in words:
        option, equals, value = word.partition("=")
        address = value if equals and option.startswith("--") else word
        hidden = without_password(address)
        if hidden == address:
            continue
        path = PurePath(address)
        for piece in (address, str(path), str(path.parent), path.name):
            # A few digits may as well be a figure.
            if piece not in hidden and len(piece) > 3 and not piece.isdigit():
                shown = without_password(piece)
                pieces[printable(piece)] = "***" if shown == piece else shown
    return dict(sorted(pieces.items(), key=lambda each: -len(each[0])))


def _without_secret(found: re.Match[str]) -> str:
    before, name, _ = found.groups()
    return found[0] if name.strip().lower() in _HARMLESS else f"{before}{name}=***"


def _without_secrets(text: str) -> str:
    """host=… password=…, Driver=…;PWD=…"""
    return _SECRET.sub(r"\1***", text) if "=" in text and _CONNECTING.search(text) else text
