"""The same jobs on every engine: `python -m benchmarks.engines --postgres ADDRESS --spark spark`.

Each engine opens the table and looks at its columns, counts the crowds of all of them, counts all
pairs, and writes each record's crowd. Answers have to be equal. Spark's event log tells how many
bytes were shuffled in each job. Wall seconds of single runs: compare within a table, and see the
load.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

import reidrisk as rr
from benchmarks.speed import tables
from benchmarks.speed.machine import describe, package

KEY = "id"
THERE = "reidrisk_benchmark"
JOBS = ("open, look at columns", "crowds of 8 columns", "28 pairs", "each record's crowd")


class Run(NamedTuple):
    """One engine on one table: seconds and the time span of each job, answers, memory here."""

    engine: str
    seconds: list[float]
    spans: list[tuple[float, float]]
    answers: tuple[Any, ...]


def with_key(table: tables.Table) -> Path:
    """The same records with a column that names them, which a database and a cluster need."""
    path = table.path.with_name(f"{table.path.stem}-keyed.parquet")
    if path.exists():
        return path
    begun = path.with_suffix(".part")
    writer, first = None, 0
    for batch in pq.ParquetFile(table.path).iter_batches(1_000_000):
        keyed = pa.Table.from_batches([batch])
        keyed = keyed.append_column(KEY, pa.array(range(first, first + len(keyed)), pa.int64()))
        writer = writer or pq.ParquetWriter(begun, keyed.schema, compression="zstd")
        writer.write_table(keyed, row_group_size=125_000)
        first += len(keyed)
    assert writer is not None
    writer.close()
    begun.rename(path)
    return path


def loaded(path: Path, address: str) -> None:
    """Copy the records into the database; not part of any time."""
    import psycopg

    plain = address.replace("+psycopg", "")
    file = pq.ParquetFile(path)
    columns = ", ".join(
        f"{field.name} {'bigint' if field.name == KEY else 'text'}" for field in file.schema_arrow
    )
    options = arrow_csv.WriteOptions(include_header=False, quoting_style="none")
    with psycopg.connect(plain) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {THERE}")
        connection.execute(f"CREATE TABLE {THERE} ({columns})")
        with connection.cursor() as cursor, cursor.copy(f"COPY {THERE} FROM STDIN CSV") as copy:
            for batch in file.iter_batches(100_000):
                text = pa.BufferOutputStream()
                arrow_csv.write_csv(batch, text, options)
                copy.write(text.getvalue().to_pybytes())
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"VACUUM ANALYZE {THERE}")


def run(called: str, columns: list[str], out: Path, **where: Any) -> Run:
    """All jobs, one after the other, on one engine."""
    spans: list[tuple[float, float]] = []

    def timed(work: Callable[[], Any]) -> Any:
        began = time.time()
        answer = work()
        spans.append((began, time.time()))
        print(f"  {called}: {JOBS[len(spans) - 1]} {spans[-1][1] - began:.1f} s", file=sys.stderr)
        return answer

    pairs = list(combinations(columns, 2))
    with timed(lambda: rr.read(columns=columns, key=KEY, **where)) as table:
        sizes = timed(table.engine.crowd_sizes)
        cells = timed(lambda: list(table.engine.pair_crowd_sizes(pairs)))
        timed(lambda: rr.write_risk_file(table, out))
    alone = pq.read_table(out, columns=["crowd"]).column("crowd").to_numpy()
    shutil.rmtree(out) if out.is_dir() else out.unlink()
    held = (sizes, cells, int((alone == 1).sum()), len(alone))
    return Run(called, [end - began for began, end in spans], spans, held)


def shuffled(events: Path, span: tuple[float, float]) -> tuple[int, int]:
    """Bytes and records that tasks ending in a time span wrote for others to read."""
    written = records = 0
    for event in _events(events):
        if event.get("Event") != "SparkListenerTaskEnd":
            continue
        ended = event["Task Info"]["Finish Time"] / 1000
        metrics = (event.get("Task Metrics") or {}).get("Shuffle Write Metrics")
        if metrics and span[0] <= ended <= span[1]:
            written += metrics["Shuffle Bytes Written"]
            records += metrics["Shuffle Records Written"]
    return written, records


def _events(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith((".", "appstatus")):
            with path.open() as file:
                yield from (json.loads(line) for line in file if line.startswith("{"))


def compared(size: str, given: argparse.Namespace) -> list[Run]:
    """Every engine on one table; the answers have to be equal."""
    table = tables.obtain(tables.SIZES[size], "Parquet", Path(given.tables))
    path, columns = with_key(table), table.size.columns
    print(f"{size}", file=sys.stderr)
    out = Path(given.tables) / "risk.parquet"
    runs = [run(name, columns, out, table=path, engine=name) for name in ("codes", "duckdb")]
    if given.postgres:
        loaded(path, given.postgres)
        where = {"table": given.postgres, "table_name": THERE}
        runs.append(run("postgresql", columns, out, **where))
    if given.spark:
        runs.append(run("spark", columns, out, table=path, engine=given.spark))
    for other in runs[1:]:
        assert other.answers == runs[0].answers, f"{other.engine} counts otherwise"
    return runs


def report(size: str, runs: list[Run], events: Path) -> Iterator[str]:
    """One table of seconds, and one of Spark's shuffles."""
    yield f"\n## {tables.SIZES[size]}\n"
    yield "| engine | " + " | ".join(f"{job}, s" for job in JOBS) + " |"
    yield "|---" * (len(JOBS) + 1) + "|"
    for each in runs:
        yield f"| {each.engine} | " + " | ".join(f"{s:.1f}" for s in each.seconds) + " |"
    yield "\nAll answers were equal."
    rows = tables.SIZES[size].rows
    for each in runs:
        if each.engine == "spark":
            yield "\n| Spark's job | shuffled bytes | bytes a row | shuffled records |"
            yield "|---|---|---|---|"
            for job, span in zip(JOBS, each.spans, strict=True):
                written, records = shuffled(events, span)
                yield f"| {job} | {written:,} | {written / rows:.1f} | {records:,} |"


def main() -> None:
    """Run all sizes and print a report in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1M,10M")
    parser.add_argument("--postgres", metavar="ADDRESS", help="a database to write a table to")
    parser.add_argument("--spark", metavar="ENGINE", help="spark or spark://host:port")
    parser.add_argument("--tables", default=str(tables.KEPT_IN), metavar="FOLDER")
    parser.add_argument("--driver-memory", default="4g", metavar="SIZE", help="of Spark here")
    given = parser.parse_args()
    print(describe())
    print(f"{package('pyspark')}, {package('sqlalchemy')}, {package('psycopg')}.")
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events"
        events.mkdir()
        Path(folder, "spark-defaults.conf").write_text(
            f"spark.eventLog.enabled true\nspark.eventLog.dir {events.as_uri()}\n"
            f"spark.eventLog.compress false\nspark.eventLog.rolling.enabled false\n"
            f"spark.driver.memory {given.driver_memory}\n"
        )
        os.environ["SPARK_CONF_DIR"] = folder
        sizes = given.sizes.split(",")
        found = [(size, compared(size, given)) for size in sizes]
        for size, runs in found:
            print("\n".join(report(size, runs, events)))
    if given.postgres:
        import psycopg

        with psycopg.connect(given.postgres.replace("+psycopg", "")) as connection:
            connection.execute(f"DROP TABLE IF EXISTS {THERE}")


if __name__ == "__main__":
    main()
