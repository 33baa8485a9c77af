from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.commanding import command
from tests.places.cluster import Cluster, running_cluster
from tests.places.objects import Objects, running_objects
from tests.places.postgres import Postgres, running_postgres

# New examples each time, except where the same commit has to give the same verdict twice; fewer in
# `make test`, where a test doesn't say how many it needs.
settings.register_profile(
    "reidrisk",
    deadline=None,
    max_examples=int(os.environ.get("REIDRISK_EXAMPLES", "60")),
    derandomize=bool(os.environ.get("REIDRISK_SAME_EXAMPLES")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("reidrisk")

__all__ = ["command"]
# The key of a report's hash, and what was written where: not in the home of who runs the tests.
os.environ["XDG_DATA_HOME"] = os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="reidrisk-")
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

# A server's fixture, and how parameters name it in tests that ask for it while they run.
SERVERS = {
    "postgres": {"postgres", "postgresql"},
    "cluster": {"cluster", "spark", "spark csv"},
    "objects": {"objects"},
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one server run in one process (--dist loadgroup); each job of a cluster is slow."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        parameters = callspec.params.values() if callspec else []
        words = {each for each in parameters if isinstance(each, str)}
        words.update(getattr(item, "fixturenames", ()))
        for server, names in SERVERS.items():
            if words & names:
                item.add_marker(pytest.mark.xdist_group(server))
                if server == "cluster":
                    item.add_marker(pytest.mark.slow)


@pytest.fixture
def shared_data() -> Path:
    """The folder of real tables beside the repository; they are not part of it."""
    if not SHARED.is_dir():
        pytest.skip("the real tables (../shared/data) aren't beside this repository")
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A database of our own; skipped where PostgreSQL isn't installed."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def objects() -> Iterator[Objects]:
    """An object store of our own; skipped where moto isn't installed."""
    with running_objects() as store:
        yield store


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A Spark master and two workers, one for the whole suite; skipped without Spark or Java."""
    with running_cluster() as running:
        yield running
