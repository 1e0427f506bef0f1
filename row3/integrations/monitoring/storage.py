"""Storage of records: a DuckDB file or a PostgreSQL database, which run the same SQL.

A DuckDB file admits one process at a time, so each transaction takes a lock file and opens it only briefly.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import to_json

from row3.domain.secrets import Guard
from row3.errors import EnvironmentFault, InvalidFile, MissingExtra
from row3.integrations.monitoring.tables import BYTES, SCHEMA, SCHEMA_VERSION, Connection
from row3.project.files import disk_faults
from row3.project.local_state import in_local, local_folder
from row3.project.project import Project

PATIENCE_S = 60.0
POLL_S = 0.01


class Store(ABC):
    """Storage of records: a database, whose tables are created on first use."""

    where: str
    """Its name in messages."""
    turn = ""
    """Statement that makes writers wait for each other."""
    _made = False

    @contextlib.contextmanager
    def open(self, *, write: bool = False) -> Iterator[Connection]:
        """Open one transaction, which an exception rolls back. Writers wait for each other.

        Raises `EnvironmentFault` if the store cannot be reached, `InvalidFile` if a newer row3 made it.
        """
        with self._connect(read_only=self._made and not write) as connection:
            if not self._made:
                with _transaction(connection, self.turn):
                    self._make(connection)
                self._made = True
            with _transaction(connection, self.turn if write else ""):
                yield connection

    @abstractmethod
    def _connect(self, *, read_only: bool) -> contextlib.AbstractContextManager[Connection]:
        """Open a connection and turn the database's errors into `EnvironmentFault`."""

    def _make(self, connection: Connection) -> None:
        """Create missing tables; raises `InvalidFile` for those of a newer row3."""
        for statement in SCHEMA:
            connection.rows(statement)
        if not (known := connection.rows("SELECT version FROM about")):
            connection.rows("INSERT INTO about VALUES (?)", [SCHEMA_VERSION])
        elif known[0][0] > SCHEMA_VERSION:
            what = f"schema version {known[0][0]} is newer than this row3 knows ({SCHEMA_VERSION})"
            raise InvalidFile(what, where=self.where, fix="Upgrade row3")


def open_store(project: Project, environ: Mapping[str, str]) -> Store:
    """Return the store in the settings, created on first use. Raises `EnvironmentFault`, `MissingExtra`."""
    settings = project.config.monitor
    if settings.url_variable is None:
        return DuckDb(in_local(local_folder(project.local), settings.store))
    url = environ.get(settings.url_variable, "")
    if not url.startswith(("postgresql://", "postgres://")):
        what = f"${settings.url_variable} is not a postgresql:// URL"
        raise EnvironmentFault(what, where="row3.toml field monitor.url_variable", fix="Set the variable")
    return Postgres(url)


class DuckDb(Store):
    """A DuckDB file. It needs no index on times: it stores the smallest and the largest of every block."""

    def __init__(self, path: Path) -> None:
        """Take the file's path; raises `MissingExtra`."""
        require("duckdb", "monitor")
        self._path, self.where = path, f".row3/{path.name}"

    @contextlib.contextmanager
    def _connect(self, *, read_only: bool) -> Iterator[Connection]:
        import duckdb
        import filelock

        lock = filelock.FileLock(f"{self._path}.lock", thread_local=False, poll_interval=POLL_S)
        with disk_faults(f"{self.where}.lock"):
            try:
                lock.acquire(timeout=PATIENCE_S)
            except filelock.Timeout:
                what = f"another row3 has held the store for more than {PATIENCE_S:g} s"
                raise EnvironmentFault(what, where=self.where, fix="Stop it, or use PostgreSQL") from None
        try:
            with (
                TemporaryDirectory(prefix="row3-") as folder,
                contextlib.closing(duckdb.connect(str(self._path), read_only=read_only)) as database,
            ):
                # A store from elsewhere may have views and macros that read any file or the network.
                database.execute("SET allowed_directories = ['{}']".format(folder.replace("'", "''")))
                database.execute("SET enable_external_access = false")
                connection = _DuckDbConnection(database)
                connection.folder = Path(folder)
                yield connection
        except duckdb.Error as error:
            what = f"the store cannot be used ({_short(error)})"
            fix = "Close other programs that have it open and check free space, or ingest the records into a new store"
            raise EnvironmentFault(what, where=self.where, fix=fix) from None
        finally:
            lock.release()


class _DuckDbConnection(Connection):
    folder: Path

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        # Three times as fast as passing the values one by one. JSON has no bytes.
        types = ", ".join(f"{name}: '{'VARCHAR' if type_ == BYTES else type_}'" for name, type_ in columns.items())
        read = ", ".join(f"from_base64({name})" if type_ == BYTES else name for name, type_ in columns.items())
        plain = ([b64encode(each).decode() if isinstance(each, bytes) else each for each in row] for row in rows)
        file = self.folder / "rows.json"
        file.write_bytes(b"\n".join(to_json(dict(zip(columns, row, strict=True))) for row in plain))
        source = f"read_json(?, format = 'newline_delimited', columns = {{{types}}})"
        sql = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {read} FROM {source} ON CONFLICT DO NOTHING"
        self.rows(sql, [str(file)])


class Postgres(Store):
    """A PostgreSQL database."""

    where = "PostgreSQL"
    turn = "SELECT pg_advisory_xact_lock(1919907635)"

    def __init__(self, url: str) -> None:
        """Take the database's address; raises `MissingExtra`."""
        require("psycopg", "postgres")
        self._url = url

    @contextlib.contextmanager
    def _connect(self, *, read_only: bool) -> Iterator[Connection]:
        import psycopg

        try:
            with contextlib.closing(psycopg.connect(self._url, autocommit=True, connect_timeout=10)) as database:
                connection = _PostgresConnection(database)
                connection.rows("SET search_path TO row3")
                yield connection
        except psycopg.Error as error:
            message = Guard({"url": self._url, "password": urlsplit(self._url).password or ""}).clean(_short(error))
            fix = "Check the address, the server and the user's permissions"
            raise EnvironmentFault(f"the store cannot be used ({message})", where=self.where, fix=fix) from None

    def _make(self, connection: Connection) -> None:
        connection.rows("CREATE SCHEMA IF NOT EXISTS row3")
        super()._make(connection)
        for column in ("at_ms", "hour"):
            connection.rows(f"CREATE INDEX IF NOT EXISTS records_{column} ON records ({column})")


class _PostgresConnection(Connection):
    mark = "%s"

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        given = ", ".join(f"unnest(CAST(? AS {type_}[]))" for type_ in columns.values())
        sql = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {given} ON CONFLICT DO NOTHING"
        self.rows(sql, [list(column) for column in zip(*rows, strict=True)])


@contextlib.contextmanager
def _transaction(connection: Connection, lock: str = "") -> Iterator[None]:
    connection.rows("BEGIN")
    try:
        if lock:
            connection.rows(lock)
        yield
    except BaseException:
        with contextlib.suppress(Exception):  # a broken connection is rolled back by itself
            connection.rows("ROLLBACK")
        raise
    connection.rows("COMMIT")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def require(module: str, extra: str) -> None:
    """Raise `MissingExtra` if a module of an extra is not installed."""
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise MissingExtra(f"monitoring needs {module}, which is not installed", fix=f'pip install "row3[{extra}]"')
