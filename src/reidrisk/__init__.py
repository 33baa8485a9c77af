"""reidrisk: can someone be picked out of this?

    records ──▶ engines ──▶ crowds ──▶ measures ─┐
       │                                         ├──▶ report · command line · page
       └──▶ statistics ──▶ models ──▶ crowds ────┘

Records are read and counted by an engine; everything after that works on counts. Where there are
only statistics, a model predicts the same histogram of crowd sizes.
The names below are imported when first used, so that `reidrisk --help` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reidrisk.version import __version__

if TYPE_CHECKING:
    from reidrisk.attacks.attack_risk import AttackRisk
    from reidrisk.attacks.attacking import attack
    from reidrisk.attacks.unique_file import write_unique_sets
    from reidrisk.attacks.unique_sets import UniqueSets, unique_sets
    from reidrisk.compiling.assembling import compile
    from reidrisk.crowds import CrowdSizes
    from reidrisk.demonstration.city import city
    from reidrisk.demonstration.random_tables import random_table
    from reidrisk.engines import Table, read
    from reidrisk.errors import ReidriskError
    from reidrisk.generalising.generalised import Generalised
    from reidrisk.generalising.hierarchy import Hierarchy
    from reidrisk.generalising.optimum import generalise
    from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric
    from reidrisk.measuring.columns_profile import ColumnsProfile, columns
    from reidrisk.measuring.counted import measure
    from reidrisk.measuring.risk_file import write_risk_file
    from reidrisk.measuring.table_risk import TableRisk
    from reidrisk.papers.reproduction import Reproduction
    from reidrisk.papers.rerunning import reproduce
    from reidrisk.prediction.group import group
    from reidrisk.prediction.group_file import write_group_file
    from reidrisk.prediction.group_risk import GroupRisk
    from reidrisk.prediction.people import people
    from reidrisk.prediction.person import person
    from reidrisk.prediction.person_risk import PersonRisk
    from reidrisk.prediction.plan import plan
    from reidrisk.prediction.plan_risk import PlanRisk
    from reidrisk.prediction.table_prediction import predict
    from reidrisk.reports.building import report
    from reidrisk.reports.report import Report
    from reidrisk.statistics import Statistics, load_statistics, save_statistics
    from reidrisk.statistics.publishing import publish
    from reidrisk.views.searching import search

_ROOMS = {
    "AttackRisk": "reidrisk.attacks.attack_risk",
    "ColumnsProfile": "reidrisk.measuring.columns_profile",
    "CrowdSizes": "reidrisk.crowds",
    "Generalised": "reidrisk.generalising.generalised",
    "GroupRisk": "reidrisk.prediction.group_risk",
    "Hierarchy": "reidrisk.generalising.hierarchy",
    "PersonRisk": "reidrisk.prediction.person_risk",
    "PlanRisk": "reidrisk.prediction.plan_risk",
    "RecursiveHypergeometric": "reidrisk.laws.recursive_hypergeometric",
    "ReidriskError": "reidrisk.errors",
    "Report": "reidrisk.reports.report",
    "Reproduction": "reidrisk.papers.reproduction",
    "Statistics": "reidrisk.statistics",
    "Table": "reidrisk.engines",
    "TableRisk": "reidrisk.measuring.table_risk",
    "UniqueSets": "reidrisk.attacks.unique_sets",
    "attack": "reidrisk.attacks.attacking",
    "city": "reidrisk.demonstration.city",
    "columns": "reidrisk.measuring.columns_profile",
    "compile": "reidrisk.compiling.assembling",
    "generalise": "reidrisk.generalising.optimum",
    "group": "reidrisk.prediction.group",
    "load_statistics": "reidrisk.statistics",
    "measure": "reidrisk.measuring.counted",
    "people": "reidrisk.prediction.people",
    "person": "reidrisk.prediction.person",
    "plan": "reidrisk.prediction.plan",
    "predict": "reidrisk.prediction.table_prediction",
    "publish": "reidrisk.statistics.publishing",
    "random_table": "reidrisk.demonstration.random_tables",
    "read": "reidrisk.engines",
    "report": "reidrisk.reports.building",
    "reproduce": "reidrisk.papers.rerunning",
    "save_statistics": "reidrisk.statistics",
    "search": "reidrisk.views.searching",
    "unique_sets": "reidrisk.attacks.unique_sets",
    "write_group_file": "reidrisk.prediction.group_file",
    "write_risk_file": "reidrisk.measuring.risk_file",
    "write_unique_sets": "reidrisk.attacks.unique_file",
}

__all__ = [
    "AttackRisk",
    "ColumnsProfile",
    "CrowdSizes",
    "Generalised",
    "GroupRisk",
    "Hierarchy",
    "PersonRisk",
    "PlanRisk",
    "RecursiveHypergeometric",
    "ReidriskError",
    "Report",
    "Reproduction",
    "Statistics",
    "Table",
    "TableRisk",
    "UniqueSets",
    "__version__",
    "attack",
    "city",
    "columns",
    "compile",
    "generalise",
    "group",
    "load_statistics",
    "measure",
    "people",
    "person",
    "plan",
    "predict",
    "publish",
    "random_table",
    "read",
    "report",
    "reproduce",
    "save_statistics",
    "search",
    "unique_sets",
    "write_group_file",
    "write_risk_file",
    "write_unique_sets",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'reidrisk' has no attribute {name!r}")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return __all__
