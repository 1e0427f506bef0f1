"""A PostgreSQL server of one's own for a test: in a new folder, reached over a socket, gone afterwards."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.systems.wanted import missing

PATIENCE_S = 60.0


def _programs() -> Path:
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    if found is None:
        missing("PostgreSQL (Debian: apt-get install postgresql)")
    return Path(found).parent


def _user() -> str | None:
    """Whom it runs as: PostgreSQL refuses root."""
    if os.getuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        missing("the user postgres, whom PostgreSQL runs as where tests run as root")


@contextlib.contextmanager
def running_postgres() -> Iterator[str]:
    """The connection string of an empty database; skips, saying what is missing, where there can be none."""
    if importlib.util.find_spec("psycopg") is None:
        missing("psycopg (pip install -r requirements/all.txt)")
    programs, user = _programs(), _user()
    folder = Path(tempfile.mkdtemp(prefix="row3-pg-"))
    data = folder / "data"
    if user is not None:
        shutil.chown(folder, user)
    command = [str(programs / "initdb"), "-D", str(data), "-U", "row3", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(command, check=True, capture_output=True, user=user, cwd=folder, env={"LC_ALL": "C.UTF-8"})
    options = ["-c", "listen_addresses=", "-c", "fsync=off", "-k", str(folder)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(programs / "postgres"), "-D", str(data), *options], stdout=log, stderr=log, user=user, cwd=folder
        )
    try:
        address = f"host={folder} user=row3 dbname=postgres"
        _wait(address, server, folder / "log")
        yield address
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(address).close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
