"""Who takes part in measuring and generalising, and who can't."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from benchmarks.speed.answers import Facts, from_facts
from benchmarks.speed.contestants import Contestant
from benchmarks.speed.tables import Table

from .histograms import MEASURING


@dataclass(frozen=True)
class Peer(Contestant):
    """A tool; `job` is its name in `measuring`."""

    def command(self, table: Table) -> list[str]:
        """The command line that measures a table."""
        if self.job == "reidrisk":
            return super().command(table)
        columns = ",".join(table.size.columns)
        return [sys.executable, "-P", str(MEASURING), self.job, str(table.path), columns]


def from_measure(output: str) -> Facts:
    """The answer of `reidrisk measure --json`."""
    answer = json.loads(output)
    return {
        "people": answer["people"],
        "smallest": answer["smallest_crowd"],
        "distinct": answer["distinct"],
        "alone": answer["alone"]["people"],
        "average_risk": answer["overall_risk"],
    }


PANDAS = ("pandas", "pyarrow")
REIDRISK = Peer("reidrisk", "reidrisk", from_measure)
PEERS = (
    Peer("pyCANON", "pycanon", from_facts, ("pycanon", *PANDAS)),
    Peer("anonymity-api", "anonymity-api", from_facts, ("anonymity_api", *PANDAS)),
    Peer("pandas by hand", "plain-pandas", from_facts, PANDAS, note="groupby as it is"),
    Peer("pandas by hand, dropna=False", "pandas", from_facts, PANDAS),
    Peer("DuckDB by hand", "duckdb", from_facts, ("duckdb",)),
)
PACKAGES = ("reidrisk", "pycanon", "anonymity-api", "anjana", "anonypy", "crowds", "duckdb",
            "pandas", "pyarrow", "numpy")  # fmt: skip
# What was looked for, and why it isn't beside the others.
LEFT_OUT = {
    "anonymeter 1.1.0": "needs numpy below 1.27 and pyarrow below 22, so it can't share an "
    "environment with reidrisk; and it answers another question: it attacks synthetic data, and "
    "drops equal rows before it begins, so it has no crowds",
    "correctmatch 1.4.1": "installs, but downloads Julia from outside the registry at the first "
    "import; where that is out of reach it can't be run",
    "pyARXaaS 0.5.7": "a client of a server that has to be run beside it, and pinned to pandas "
    "1.0.1, where the others need 2.2 or later",
    "privlib 0.0.4": "computes 1/matches of one person at a time by an apply over all records: "
    "people times records of work, too much for these tables",
    "python-anonymity 0.0.1": "its wheel carries a whole virtual environment and names no "
    "dependencies; it measures by pyCANON, which is here",
    "aindo-anonymize 1.1.5, acro 1.0.2": "mask or check outputs; neither measures crowds",
    "kanonymity": "documented, but the registry has no installable version",
    "sdcMicro, ARX": "R and Java; not pip-installable",
}
