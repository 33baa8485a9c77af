"""Connecting to Spark: here (`spark`), a standalone master (`spark://`), Spark Connect (`sc://`).

Only SQL is sent and no function of Python's, so the cluster's machines need no Python of ours.

What a failure of Spark's means, in our own words: its own may quote a record.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reidrisk import machine
from reidrisk.errors import (
    EngineFailure,
    InputError,
    MissingExtra,
    UnknownColumn,
    UnreadableInput,
    UnwritableOutput,
)
from reidrisk.output_files import temporary_folder

OLDEST_JAVA = 17
INSTALL_JAVA = "install it, on Debian and Ubuntu: apt-get install openjdk-17-jre-headless"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# What our questions rely on, set for our session alone.
_MEANING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
# Spark's own log may quote a record; what matters of a failure is told by us.
_SILENT = """\
rootLogger.level = off
rootLogger.appenderRef.nobody.ref = nobody
appender.nobody.type = Null
appender.nobody.name = nobody
"""


def connected(engine: str, threads: int | None = None) -> Any:
    """A SparkSession of our own: temporary views and settings are nobody else's."""
    _pyspark()
    _refuse_another(engine)
    from pyspark.errors import PySparkException

    try:
        session = _remote(engine) if engine.startswith("sc://") else _classic(engine, threads)
        for name, value in _MEANING.items():
            session.conf.set(name, value)
    except PySparkException as error:
        raise unreached(engine, error) from None
    except Exception as error:
        if type(error).__module__.startswith(("py4j", "grpc", "pyspark")):
            raise unreached(engine, error) from None
        raise
    return session


def unreached(engine: str, error: Exception) -> EngineFailure:
    """For an error on the way to the cluster."""
    return EngineFailure(
        f"Spark can't be reached at {engine} ({type(error).__name__})",
        "is it running, and can it reach this machine? see its own log",
    )


def _remote(engine: str) -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.builder.remote(engine).create()


def _classic(engine: str, threads: int | None) -> Any:
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running.newSession()
    _find_java()
    builder = SparkSession.builder.appName("reidrisk")
    folder = temporary_folder()
    for name, value in _settings(engine, threads, folder).items():
        builder = builder.config(name, value)
    with _speaking_into(folder / "spark.log"):
        return builder.getOrCreate().newSession()


@contextmanager
def _speaking_into(log: Path) -> Iterator[None]:
    """Java greets on the standard error it was started with: that is a file, ours stays ours."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _settings(engine: str, threads: int | None, folder: Path) -> dict[str, str]:
    told = folder / "log4j2.properties"
    told.write_text(_SILENT)
    settings = {
        "spark.master": f"local[{threads or machine.available()}]" if engine == "spark" else engine,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={told.as_uri()}",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.log.level": "OFF",
    }
    host = re.sub(r"^spark://(.*):[0-9]+.*$", r"\1", engine)
    if engine == "spark" or host in _LOOPBACK:
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if engine == "spark":
        # What two hundred partitions of a small table cost, nobody notices on a cluster.
        settings["spark.sql.shuffle.partitions"] = str(4 * (threads or machine.available()))
    return settings


def _refuse_another(engine: str) -> None:
    """One process speaks to one cluster: Spark's own limit, and quietly taken otherwise."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is None or engine.startswith("sc://"):
        return
    master = running.conf.get("spark.master", "")
    wanted = "local" if engine == "spark" else engine
    if engine != "spark" and not str(master).startswith(wanted):
        raise InputError(
            f"this process is connected to Spark at {master} already",
            "ask for that engine, or stop the session first",
        )


def _pyspark() -> None:
    try:
        # Of pandas only what Arrow needs is used.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        import pyspark
        import pyspark.sql
    except ModuleNotFoundError:
        raise MissingExtra("with Spark", "spark") from None
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise InputError(
            f"pyspark is {pyspark.__version__}, and 4.0 or later is needed",
            "pip install 'reidrisk[spark]'",
        )


def _find_java() -> None:
    """Point JAVA_HOME to a Java that is new enough, where it isn't set."""
    if os.environ.get("JAVA_HOME"):
        return
    if (_version(shutil.which("java")) or 0) >= OLDEST_JAVA:
        return
    for home in sorted(Path("/usr/lib/jvm").glob("*")):
        if (_version(str(home / "bin" / "java")) or 0) >= OLDEST_JAVA:
            os.environ["JAVA_HOME"] = str(home)
            return
    raise InputError(f"Spark needs Java {OLDEST_JAVA} or later, and there is none", INSTALL_JAVA)


def _version(java: str | None) -> int | None:
    """The major version of a Java; None where it doesn't run."""
    if java is None or not Path(java).exists():
        return None
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "([0-9]+)', done.stderr)
    return int(found[1]) if found else None


_CLASSES: dict[str, tuple[type[InputError | EngineFailure], str, str]] = {
    "TABLE_OR_VIEW_NOT_FOUND": (
        UnreadableInput,
        "the cluster's catalogue has no such table",
        "name it as SHOW TABLES does, or give a path: data/people.parquet, s3a://…, hdfs://…",
    ),
    "PATH_NOT_FOUND": (
        UnreadableInput,
        "the cluster finds no such file",
        "the path has to be one that every machine of the cluster reads",
    ),
    "PATH_ALREADY_EXISTS": (
        UnwritableOutput,
        "the cluster won't write over what is there already",
        "name a folder that isn't there yet",
    ),
    "UNABLE_TO_INFER_SCHEMA": (
        UnreadableInput,
        "the files hold no table that Spark can read",
        "is it Parquet, CSV, JSON lines or ORC? the name's ending says which",
    ),
    "UNRESOLVED_COLUMN": (UnknownColumn, "a column isn't there any more", "did the table change?"),
    "FAILED_READ_FILE": (
        UnreadableInput,
        "a file can't be read to its end, or changed meanwhile",
        "is it whole, and readable on every machine of the cluster?",
    ),
    "PARSE_SYNTAX_ERROR": (
        InputError,
        "TABLE is neither a path nor the name of a table",
        "as in data/people.parquet, s3a://bucket/people, or catalogue.schema.people",
    ),
}
_MEMORY = ("OutOfMemoryError", "No space left on device", "UNABLE_TO_ACQUIRE_MEMORY")
_LOST = ("Connection refused", "UNAVAILABLE", "SparkContext was shut down", "stopped SparkContext",
         "All masters are unresponsive", "Py4JNetworkError", "Connection reset")  # fmt: skip


def is_of_spark(error: BaseException) -> bool:
    """Whether it comes from Spark or the way to it."""
    return type(error).__module__.split(".")[0] in ("py4j", "pyspark", "grpc")


def explained(error: Any) -> InputError | EngineFailure:
    """Our words for an error of PySpark's."""
    condition = _condition(error)
    for known, (kind, message, hint) in _CLASSES.items():
        if condition.startswith(known):
            return kind(message, hint)
    words = str(error)
    if any(word in words for word in _MEMORY):
        return EngineFailure(
            "the cluster ran out of memory or of disk to spill to",
            "give its executors more (spark.executor.memory), or look at fewer columns",
        )
    if any(word in words for word in _LOST):
        return EngineFailure("the connection to Spark was cut", "nothing was written; try again")
    return EngineFailure(
        f"Spark gave up ({condition or type(error).__name__})", "its own log says more"
    )


def _condition(error: Any) -> str:
    for way in ("getCondition", "getErrorClass"):
        ask = getattr(error, way, None)
        if ask is not None:
            return str(ask() or "")
    return ""
