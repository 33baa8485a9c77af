"""What a database's failure means, in our own words: its own may quote a record or a password."""

from __future__ import annotations

from typing import Any

from reidrisk.errors import EngineFailure, InputError, UnknownColumn, UnreadableInput

_PASSWORD = (
    "the password stands in ~/.pgpass or PGPASSWORD, or is asked for with --password-prompt; "
    "PGUSER or the address says who"
)
# SQLSTATE, or the beginning of one, and what it means.
_STATES: dict[str, tuple[type[InputError | EngineFailure], str, str]] = {
    "28": (UnreadableInput, "the database refuses this user or password", _PASSWORD),
    "3D": (UnreadableInput, "there is no such database on that server", "check the address"),
    "42P01": (UnreadableInput, "there is no such table", "name it: --table schema.name"),
    "3F": (UnreadableInput, "there is no such schema", "name it: --table schema.name"),
    "42703": (UnknownColumn, "--query names a column that isn't there", "check the query"),
    "42501": (
        UnreadableInput,
        "this user may not read the table",
        "ask for: GRANT SELECT ON the table (or the columns looked at) TO the user",
    ),
    "42601": (InputError, "--query isn't a query that the database understands", "try it there"),
    "0A000": (InputError, "--query asks for what its place doesn't allow", "give a SELECT"),
    "25006": (InputError, "--query would change something, and may only read", "give a SELECT"),
    "57014": (EngineFailure, "the database cancelled the query", "is there a statement_timeout?"),
    "53100": (EngineFailure, "the database's disk is full", "look at its temporary files"),
    "53": (EngineFailure, "the database ran out of resources", "ask for less: fewer columns"),
    "54": (EngineFailure, "the query is too large for the database", "look at fewer columns"),
    "57P": (EngineFailure, "the database ended the connection", "nothing was written; try again"),
    "08": (EngineFailure, "the connection was cut", "nothing was written; try again"),
}
_OF_QUERIES = ("0A000", "42601", "42703")
_WORDS = {
    "password": "28",
    "authentication failed": "28",
    'role "': "28",
    "no such table": "42P01",
    "no such column": "42703",
    "syntax error": "42601",
    "readonly database": "25006",
    "read-only": "25006",
    "not authorized": "25006",
    "may not be modified": "25006",
    "interrupted": "57014",
}


def told(error: Any, of_users_query: bool = False) -> InputError | EngineFailure:
    """Our words for an error of SQLAlchemy's or of a driver.

    What a query gets wrong is the user's affair only where it is the user's own.
    """
    driver = getattr(error, "orig", None) or error
    state = getattr(driver, "sqlstate", None) or getattr(driver, "pgcode", None) or ""
    if not state:
        words = str(driver).lower()
        state = next((found for word, found in _WORDS.items() if word in words), "")
        if not state and 'database "' in words and "does not exist" in words:
            state = "3D"
    if getattr(error, "connection_invalidated", False) and not state.startswith("57P"):
        state = "08"
    for known in (state, state[:3], state[:2]):
        if known in _STATES and (of_users_query or known not in _OF_QUERIES):
            kind, message, hint = _STATES[known]
            return kind(message, hint)
    return EngineFailure(
        f"the database gave up ({type(driver).__name__}{f', SQLSTATE {state}' if state else ''})",
        "its own log says more",
    )


def unreached(error: Any) -> InputError | EngineFailure:
    """For an error on the way to the database."""
    known = told(error)
    if isinstance(known, EngineFailure):
        return UnreadableInput(
            "the database can't be reached",
            "check host and port in the address, or PGHOST and PGPORT; is it running?",
        )
    return known
