"""Spark: a worker killed in the middle, files the cluster writes, and what is told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import InputError, UnreadableInput, UnwritableOutput
from reidrisk.records.sql import spark
from tests.places.cluster import Cluster, java_for_spark

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]
PEOPLE = {"id": [1, 2, 3, 4], "age": ["39", "39.0", "40", None], "sex": list("ffmm")}
SCRIPT = "from reidrisk.cli.main import run; run()"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    pq.write_table(pa.table(PEOPLE), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def long_table(folder: Path, rows: int) -> tuple[Path, rr.CrowdSizes]:
    """Several files, and the truth about them."""
    rng = np.random.default_rng(10)
    keys = rng.integers(0, rows // 2, rows)
    for part, some in enumerate(np.array_split(keys, 8)):
        columns = {"a": some // 1000, "b": some % 1000, "c": np.full(len(some), "x")}
        pq.write_table(pa.table(columns), folder / f"part-{part}.parquet")
    return folder, rr.CrowdSizes.of(np.unique(keys, return_counts=True)[1])


def test_a_worker_killed_in_the_middle_of_a_job(cluster: Cluster, tmp_path: Path) -> None:
    """Its tasks, and the part of the finest view it kept, are done again by the other one."""
    folder, wanted = long_table(tmp_path, 2_000_000)
    asked = rr.read(folder, columns=["a", "b", "c"], engine=cluster.address).engine
    spark = asked.session.spark.sparkContext
    answers: list[rr.CrowdSizes] = []
    asking = threading.Thread(target=lambda: answers.append(asked.crowd_sizes()))
    asking.start()
    _wait(lambda: any(
        stage.numActiveTasks
        for job in spark.statusTracker().getActiveJobsIds()
        for stage in _stages(spark, job)
    ))  # fmt: skip
    victim = cluster.workers[0]
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    asking.join(300)
    assert answers == [wanted]
    # Also what was kept there is counted again.
    assert asked.crowd_sizes(["a"]).people == wanted.people
    cluster.add_worker()


def _stages(spark, job: int) -> Iterator:
    told = spark.statusTracker().getJobInfo(job)
    for stage in told.stageIds if told else ():
        info = spark.statusTracker().getStageInfo(stage)
        if info:
            yield info


def test_the_cluster_writes_each_records_crowd(
    cluster: Cluster, people: Path, command: Callable, tmp_path: Path
) -> None:
    told = ["measure", people, "--columns", "age,sex", "--engine", cluster.address, "--quiet"]
    out = tmp_path / "risk.parquet"
    refused = command(*told, "--risk-file", out)
    assert (refused.status, "--risk-file needs --key COL" in refused.err) == (2, True)
    said = command(*told, "--risk-file", out, "--key", "id", "--crowds", "2", "--verbose")
    assert said.status == 0, said.err
    assert "engine spark: 4 rows read and counted" in said.err
    assert "queries in" in said.err
    assert (out / "_SUCCESS").exists()
    found = pq.read_table(out).sort_by("id").to_pydict()
    assert found == {"id": [1, 2, 3, 4], "crowd": [2, 2, 1, 1], "risk": [0.5, 0.5, 1, 1],
                     "k2": [1, 1, 0, 0]}  # fmt: skip
    again = command(*told, "--risk-file", out, "--key", "id")
    assert (again.status, "is a directory" in again.err) == (2, True)
    table = rr.read(people, columns=["age"], key="id", engine=cluster.address)
    with pytest.raises(UnwritableOutput):
        rr.write_risk_file(table, out)
    rr.write_risk_file(table, tmp_path / "risk.csv", crowds=[2])
    parts = sorted((tmp_path / "risk.csv").glob("*.csv"))
    rows = [row for part in parts for row in arrow_csv.read_csv(part).to_pylist()]
    assert sorted(rows, key=lambda row: row["id"])[0] == {"id": 1, "crowd": 2, "risk": 0.5, "k2": 1}


def test_views_roll_up_from_one_that_is_kept(cluster: Cluster, people: Path) -> None:
    """The records are read once; what follows reads the finest view's cached partitions."""
    asked = rr.read(people, columns=["age", "sex"], engine=cluster.address).engine
    asked.crowd_sizes()
    spark = asked.session.spark
    told = spark.sql(f"SELECT sum(reidrisk_people) FROM {asked._seen(['age'])} GROUP BY c0")
    plan = told._jdf.queryExecution().executedPlan().toString()
    assert "InMemoryTableScan" in plan
    assert asked._seen(["age"]) == asked._seen(["sex"])


def test_all_pairs_are_one_job(cluster: Cluster, people: Path) -> None:
    asked = rr.read(people, columns=["age", "sex", "id"], engine=cluster.address).engine
    before = asked.account.queries
    pairs = [("age", "sex"), ("age", "id"), ("sex", "id")]
    assert [len(table.people) for table in asked.pair_tables(pairs)] == [3, 4, 4]
    # One for the finest view to be defined, one for all pairs.
    assert asked.account.queries - before == 2
    list(asked.pair_crowd_sizes(pairs))
    assert asked.account.queries - before == 3


def test_answers_that_are_no_counts_are_refused(
    cluster: Cluster, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked, the driver holds at most so many rows."""
    asked = rr.read(people, columns=["age", "sex"], engine=cluster.address).engine
    for module in (spark, spark):
        monkeypatch.setattr(module, "MOST_ROWS", 2)
    assert asked.crowd_sizes() == rr.CrowdSizes.of([2, 1, 1])
    with pytest.raises(InputError, match="more than 2 rows: that is no longer a count"):
        asked.coded_tuples(["age", "sex"])
    with pytest.raises(InputError, match="no longer a count"):
        list(asked.pair_tables([("age", "sex")]))


def test_tables_of_the_catalogue(cluster: Cluster, people: Path) -> None:
    asked = rr.read(people, columns=["age"], engine=cluster.address).engine
    frame = asked.session.spark.read.parquet(f"file://{people}")
    frame.createOrReplaceGlobalTempView("people_there")
    there = rr.read("global_temp.people_there", columns=["age"], engine=cluster.address)
    assert there.people == 4
    assert there.engine.crowd_sizes() == asked.crowd_sizes()
    profile = rr.columns("global_temp.people_there", engine=cluster.address)
    assert [(c.name, c.distinct, c.empty) for c in profile.columns] == [
        ("id", 4, 0), ("age", 2, 1), ("sex", 2, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("nowhere", "no such table"),
        ("nowhere.parquet", "no such file"),
        ("a b c", "neither a path"),
    ],
)
def test_what_isnt_there(cluster: Cluster, table: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        rr.read(table, engine=cluster.address)


def test_what_spark_cant_do_is_said(
    cluster: Cluster, people: Path, command: Callable, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="counted here"):
        rr.read(pa.table(PEOPLE), engine=cluster.address)
    with pytest.raises(InputError, match="connected to Spark at"):
        rr.read(people, engine="spark://127.0.0.2:1")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not at all")
    with pytest.raises((UnreadableInput, rr.ReidriskError)) as told:
        rr.read(tmp_path / "broken.parquet", engine=cluster.address)
    assert "not at all" not in str(told.value)
    said = command("attack", people, "--columns", "age,sex", "--unique-up-to", "2", "--engine",
                   cluster.address)  # fmt: skip
    assert (said.status, "records in memory" in said.err) == (2, True)


def test_types_have_one_text_form(cluster: Cluster, tmp_path: Path) -> None:
    from decimal import Decimal

    typed = {
        "whole": pa.array([39, -1, None], pa.int16()),
        "big": pa.array([2**63 - 1, 0, None], pa.int64()),
        "fraction": pa.array([39.0, float("nan"), 1e22]),
        "single": pa.array([39.0, None, -2.0], pa.float32()),
        "decimal": pa.array([Decimal("39.00"), Decimal("1.00"), None], pa.decimal128(9, 2)),
        "boolean": pa.array([True, False, None]),
        "day": pa.array([0, None, 9000], pa.date32()),
        "moment": pa.array([0, 1_500_000, None], pa.timestamp("us")),
        "zoned": pa.array([0, 1_500_000, None], pa.timestamp("us", "UTC")),
        "bytes": pa.array([b"abc", b"\xff\x00", None]),
    }
    pq.write_table(pa.table(typed), tmp_path / "typed.parquet")
    there = rr.read(tmp_path / "typed.parquet", columns=list(typed), engine=cluster.address).engine
    here = rr.read(tmp_path / "typed.parquet", columns=list(typed)).engine
    for name in typed:
        found, wanted = there.marginal(name), here.marginal(name)
        assert sorted(found.values) == sorted(wanted.values), name
        assert found.missing == wanted.missing, name
    assert there.crowd_sizes() == here.crowd_sizes()


def measured(people: Path, engine: str, folder: Path) -> str:
    """A process of its own: one process speaks to one Spark."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "measure", str(people), "--columns", "age,sex",
         "--engine", engine, "--json"],
        capture_output=True, text=True, cwd=folder, timeout=400,
        env={name: held for name, held in os.environ.items() if name != "SPARK_CONF_DIR"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-500:]
    return done.stdout


def test_spark_in_this_machine(people: Path, tmp_path: Path) -> None:
    """--engine spark: no cluster needed, and nothing but the answer is said."""
    java_for_spark()
    answer = measured(people, "spark", tmp_path)
    assert '"engine": "spark"' in answer
    assert '"overall_risk": 0.75' in answer


def test_spark_connect(people: Path, tmp_path: Path) -> None:
    """sc://: a server of Spark Connect, started from the pip package."""
    pytest.importorskip("grpc", reason="pip install 'reidrisk[spark]'")
    with connect_server(tmp_path) as address:
        assert '"overall_risk": 0.75' in measured(people, address, tmp_path)


class connect_server:  # noqa: N801
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> str:
        java = java_for_spark()
        import pyspark

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        home = Path(pyspark.__file__).parent
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": port,
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": 2,
        }
        told = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        here = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1",
                "JAVA_HOME": str(Path(java).resolve().parents[1])}  # fmt: skip
        with (self.folder / "connect.log").open("wb") as log:
            self.server = subprocess.Popen(
                [str(home / "bin" / "spark-submit"), "--master", "local[2]", *told, "--class",
                 "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"],
                env=os.environ | here, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

        def answers() -> bool:
            assert self.server.poll() is None, (self.folder / "connect.log").read_text()[-500:]
            with socket.socket() as trying:
                return trying.connect_ex(("127.0.0.1", port)) == 0

        _wait(answers)
        return f"sc://127.0.0.1:{port}"

    def __exit__(self, *_: object) -> None:
        os.killpg(self.server.pid, signal.SIGKILL)
        self.server.wait()


def _wait(reached: Callable[[], bool]) -> None:
    for _ in range(1200):
        if reached():
            return
        time.sleep(0.1)
    raise AssertionError("it never came to it")
