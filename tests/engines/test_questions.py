"""Questions in SQL: what a dialect can't be asked says so."""

from __future__ import annotations

import pytest

from reidrisk.engines import questions
from reidrisk.engines.dialects import of_database
from reidrisk.errors import ContradictoryOptions


def test_people_of_several_rows_where_a_database_has_no_list_of_them() -> None:
    how = of_database("mysql", lambda name: f"`{name}`")
    with pytest.raises(ContradictoryOptions, match=r"database of this kind \(mysql\)"):
        questions.crowd_sizes_of_persons("people", ["a"], how)
    assert "array_agg" in questions.crowd_sizes_of_persons(
        "people", ["a"], of_database("postgresql", lambda name: f'"{name}"')
    )
