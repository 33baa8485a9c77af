"""Groups of people: P(all k members unique) by the published forms and from statistics, each as a
multiple of the exact probability under the counted tuples.

Sizes k are those at which the exact probability first is at most one half, a tenth, a hundredth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.marked_page import rows
from reidrisk.laws import published_forms
from reidrisk.laws.group_law import GroupLaw
from reidrisk.models.independent import Independent
from reidrisk.models.tree import Tree

from .real_tables import RealTable, load


class Asked(NamedTuple):
    """Columns of a table that members are told apart by."""

    table: str
    columns: tuple[str, ...]


ASKED = (
    Asked("adult", ("age",)),
    Asked("adult", ("age", "sex")),
    Asked("adult", ("age", "education", "marital-status")),
    Asked("belgium_2015", ("age", "sex")),
    Asked("belgium_2015", ("age", "sex", "nationality", "civil_status")),
    Asked("census_kdd", ("age", "marital_stat", "education")),
    Asked("be_motor97", ("ageph", "sex", "postcode")),
    Asked("nist_national2019", ("PUMA", "AGEP", "SEX")),
)
LIKELY = (0.5, 0.1, 0.01)
Form = Callable[[GroupLaw, int], float]
FORMS: dict[str, Form] = {
    "uniform": lambda law, k: published_forms.uniform(k, law.outcomes),
    "e^(−k²/2N)": lambda law, k: published_forms.uniform_exponential(k, law.outcomes),
    "Poisson": lambda law, k: law.poisson(k),
    "α²": lambda law, k: law.alpha_squared(k),
    "κ": lambda law, k: published_forms.kullback_leibler(k, law.outcomes, law.kappa),
    "κ, exponential": lambda law, k: published_forms.kullback_leibler_exponential(
        k, law.outcomes, law.kappa
    ),
}


def lines(data: Path, asked: Sequence[Asked] = ASKED) -> list[str]:
    """One row a table and size."""
    body: list[list[str]] = []
    loaded: dict[str, RealTable] = {}
    for each in asked:
        table = loaded.setdefault(each.table, load(each.table, data))
        body += of_table(table.of(each.columns))
    return rows(["told apart by", "k", "exact", *FORMS, "marginals only", "tree"], body)


def of_table(part: RealTable) -> list[list[str]]:
    """The sizes of one table."""
    outcomes = math.prod(len(values) for values in part.values)
    law = GroupLaw.of_counts(part.people, outcomes)
    known = part.knowledge()
    told = tuple(GroupLaw(kind.of(known).space(), outcomes) for kind in (Independent, Tree))
    body = []
    for likely in LIKELY:
        k = law.smallest_under(likely)
        exact = law.log_exact(k)
        forms = [ratio(math.log(max(form(law, k), 1e-300)) - exact) for form in FORMS.values()]
        models = [ratio(each.log_exact(k) - exact) for each in told]
        name = f"{part.name}: {', '.join(part.columns)}"
        body.append([name, str(k), f"{math.exp(exact):.4f}", *forms, *models])
    return body


def ratio(log: float) -> str:
    """How many times the exact probability."""
    return f"{math.exp(log):.3f}"
