"""Objects in a store: the same answers as from local files, and clear errors."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reidrisk as rr
from reidrisk.errors import InputError, OutOfRoom
from reidrisk.records.files import object_stores
from reidrisk.records.files.opening import open_source
from tests.engines.test_folders import flat, partitioned, write
from tests.places.objects import SECRET, Objects

COLUMNS = ["county", "age", "year", "sex"]


@pytest.fixture(scope="module")
def folder(objects: Objects, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files, of which the store has a bucket."""
    place = tmp_path_factory.mktemp("records")
    write(flat(), place / "flat.csv")
    (place / "flat.csv.gz").write_bytes(gzip.compress((place / "flat.csv").read_bytes()))
    for kind in ("flat.parquet", "flat.arrow"):
        write(flat(), place / kind)
    partitioned(place)
    objects.keep_folder("records", place)
    return place


@pytest.fixture
def store(objects: Objects, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Objects:
    """The store, reached as a user reaches it."""
    for name, value in objects.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    monkeypatch.setattr(object_stores, "_here", {})
    return objects


NAMED = ["flat.csv", "flat.csv.gz", "flat.parquet", "flat.arrow", "lake", "lake/",
         "lake/**/*.parquet", "lake/year=*/*/*.parquet", "f*t.parquet"]  # fmt: skip


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
@pytest.mark.parametrize("named", NAMED)
def test_objects_are_their_local_files(
    store: Objects, folder: Path, named: str, engine: str
) -> None:
    table = rr.read(f"s3://records/{named}", columns=COLUMNS, engine=engine)
    local = rr.read(f"{folder}/{named}", columns=COLUMNS, engine=engine)
    assert rr.measure(table).crowd_sizes == rr.measure(local).crowd_sizes
    assert table.sha256 == local.sha256
    assert [path.name for path in table.paths] == [path.name for path in local.paths]
    for path in table.paths:
        ours = next(each for each in path.parents if each.name.startswith("reidrisk-"))
        assert ours.stat().st_mode & 0o777 == 0o700


def test_commands(store: Objects, command: Callable, folder: Path, tmp_path: Path) -> None:
    columns = ("--columns", ",".join(COLUMNS))
    found = command("measure", "s3://records/lake/", *columns, "--json")
    assert found.status == 0, found
    local = command("measure", folder / "lake", *columns, "--json")
    assert found.json["input"] == local.json["input"]
    assert found.json["crowd_sizes"] == local.json["crowd_sizes"]
    statistics = tmp_path / "out.json"
    for done in (
        ("columns", "s3://records/lake/"),
        ("publish", "s3://records/lake/", *columns, "-o", statistics),
        ("people", statistics, "s3://records/lake/", "-o", tmp_path / "scores.csv"),
        ("generalise", "s3://records/lake/", *columns, "-k", "2", "-o", tmp_path / "safer.csv"),
    ):
        said = command(*done)
        assert said.status == 0, said
        assert SECRET not in said.out + said.err


def test_objects_are_copied_once_while_they_are_the_same(store: Objects) -> None:
    store.keep("changing", {"people.csv": b"age\n1\n"})
    first = open_source("s3://changing/people.csv")
    assert open_source("s3://changing/people.csv").paths == first.paths
    store.keep("changing", {"people.csv": b"age\n1\n2\n"})
    second = open_source("s3://changing/people.csv")
    assert second.paths[0].read_bytes() == b"age\n1\n2\n"


def refused(named: str) -> str:
    began = time.monotonic()
    with pytest.raises((InputError, OutOfRoom)) as fault:
        open_source(named)
    assert time.monotonic() - began < 2 * object_stores.PATIENCE
    said = f"{fault.value.message} // {fault.value.hint}"
    assert SECRET not in said
    assert "reidrisk-" not in said
    return said


def test_what_isnt_there(store: Objects) -> None:
    assert "there is no bucket s3://nowhere" in refused("s3://nowhere/people.csv")
    assert "there is no bucket s3://nowhere" in refused("s3://nowhere/*.csv")
    assert "there is no file s3://records/none.csv" in refused("s3://records/none.csv")
    assert "no file matches s3://records/none/*.csv" in refused("s3://records/none/*.csv")
    assert "names no bucket" in refused("s3://")
    said = refused("s3://records/")
    assert "different kinds" in said
    assert "s3://records/**/*.parquet" in said


def test_names_that_lead_elsewhere(store: Objects) -> None:
    store.keep("hostile", {"lake/../../../tmp/x.csv": b"age\n1\n", "lake/a.csv": b"age\n1\n"})
    assert "no file can have" in refused("s3://hostile/lake/")
    store.keep("doubled", {"a.csv": b"age\n1\n", "a.csv/b.csv": b"age\n1\n"})
    assert "no file can have" in refused("s3://doubled/")


def test_a_store_that_cant_be_reached(store: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert "can't be reached" in refused("s3://records/flat.csv")


def test_a_store_that_says_nothing(store: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(object_stores, "PATIENCE", 1)
        assert "didn't answer in time" in refused("s3://records/flat.csv")


def test_objects_larger_than_the_disk(store: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    usage = shutil.disk_usage("/")._replace(free=3)
    monkeypatch.setattr(object_stores.shutil, "disk_usage", lambda _: usage)
    assert "are free" in refused("s3://records/flat.csv")


def test_what_a_store_says_is_told_without_its_words() -> None:
    for words, told in {
        "AWS Error ACCESS_DENIED during HeadObject: AKIAXYZ": "may not be read",
        "Could not create a OAuth2 access token": "may not be read",
        "AWS Error NO_SUCH_BUCKET": "there is no bucket",
        "curlCode: 6, Could not resolve hostname": "can't be reached",
    }.items():
        said = object_stores._told("s3", "s3://b", OSError(words))
        assert told in said.message
        assert "AKIAXYZ" not in f"{said}"


def test_addresses_that_lack_something(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"):
        monkeypatch.delenv(name, raising=False)
    assert "no storage account" in refused("az://container/people.csv")
    assert "holds no credentials" in refused(f"s3://key:{SECRET}@bucket/people.csv")
    with pytest.raises(InputError, match="doesn't read by itself"):
        rr.read("hdfs:///people.parquet")
