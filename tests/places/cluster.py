"""A real Spark cluster on loopback: a standalone master and two workers, from the pip package."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

INSTALL_JAVA = "apt-get install openjdk-17-jre-headless"
PATIENCE = 120


@dataclass
class Cluster:
    """A master and its workers; everything is a process of ours."""

    address: str
    folder: Path
    java: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> subprocess.Popen[bytes]:
        number = len(self.workers)
        worker = _process(
            self.java, self.folder, f"worker-{number}", "org.apache.spark.deploy.worker.Worker",
            "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", "1",
            "--memory", "1g", "--work-dir", str(self.folder / f"work-{number}"), self.address,
        )  # fmt: skip
        self.workers.append(worker)
        _wait_for(self.folder / f"worker-{number}.log", "Successfully registered with master")
        return worker


def java_for_spark() -> str:
    """A Java that Spark runs on, or a skip that says how to install it."""
    pytest.importorskip("pyspark", reason="pyspark isn't installed: pip install 'reidrisk[spark]'")
    from reidrisk.errors import InputError
    from reidrisk.records.sql.spark_connection import _find_java

    try:
        _find_java()
    except InputError:
        pytest.skip(f"Java 17 isn't installed: {INSTALL_JAVA}")
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"


@contextmanager
def running_cluster(workers: int = 2) -> Iterator[Cluster]:
    java = java_for_spark()
    folder = Path(tempfile.mkdtemp(prefix="reidrisk-spark-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = _process(
        java, folder, "master", "org.apache.spark.deploy.master.Master",
        "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0",
    )  # fmt: skip
    cluster = Cluster(f"spark://127.0.0.1:{port}", folder, java)
    # Two cores: two hundred partitions of a few rows would take a minute.
    (folder / "spark-defaults.conf").write_text(
        "spark.sql.shuffle.partitions 2\nspark.executor.memory 900m\nspark.driver.memory 900m\n"
    )
    os.environ["SPARK_CONF_DIR"] = str(folder)
    try:
        _wait_for(folder / "master.log", "I have been elected leader")
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        os.environ.pop("SPARK_CONF_DIR", None)
        for process in (*cluster.workers, master):
            _stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def _process(
    java: str, folder: Path, name: str, kind: str, *arguments: str
) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), kind, *arguments]
    here = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "512m"}
    here["JAVA_HOME"] = str(Path(java).resolve().parents[1])
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command, env=os.environ | here, stdout=log, stderr=log, cwd=folder,
            start_new_session=True,
        )  # fmt: skip


def _stop(process: subprocess.Popen[bytes]) -> None:
    """A worker's executors are its children, in its own process group."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _wait_for(log: Path, words: str) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if words in log.read_text(errors="replace"):
            return
        time.sleep(0.2)
    pytest.skip(f"Spark doesn't start here: {log.read_text(errors='replace')[-300:]}")
