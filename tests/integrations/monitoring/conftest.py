"""Stores of both kinds: the same tests hold for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from row3.integrations.monitoring.storage import DuckDb, Postgres, Store
from tests.systems.postgres import running_postgres


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with running_postgres() as address:
        folder = address.split()[0].removeprefix("host=")
        yield f"postgresql://row3@/postgres?host={folder}"


@pytest.fixture(params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "duckdb":
        yield DuckDb(tmp_path / "monitor.duckdb")
        return
    import psycopg

    made = Postgres(request.getfixturevalue("postgres_url"))
    yield made
    with psycopg.connect(made._url) as connection:
        connection.execute("DROP SCHEMA row3 CASCADE")
