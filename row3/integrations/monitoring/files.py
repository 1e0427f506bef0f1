"""Ingest a file, and write the sample that experts rate."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from pydantic_core import to_json

from row3.errors import UsageError
from row3.integrations.monitoring.ingest import Ingested, ids_wanted, ingest
from row3.integrations.monitoring.quality import domain_canaries
from row3.integrations.monitoring.readers import CHUNK_BYTES, chunks
from row3.integrations.monitoring.records import moment
from row3.integrations.monitoring.rows import Keeping
from row3.integrations.monitoring.samples import stored_records
from row3.integrations.monitoring.storage import open_store
from row3.project.files import disk_faults, read_faults, write_atomic
from row3.project.project import Project

STDIN = "-"
ASIDE = "monitor/aside.jsonl"
"""File in `.row3/` for lines that could not be ingested."""


def ingest_file(project: Project, file: str, environ: Mapping[str, str], *, now_ms: int) -> Ingested:
    """Ingest a file, or stdin for `-`. Raises `InvalidFile`, `EnvironmentFault`, `MissingExtra`."""
    store, settings = open_store(project, environ), project.config.monitor
    keeping = Keeping(settings.sample, domain_canaries(project), settings.keep == "all", ids_wanted(store))
    with _opened(file) as stream:
        live = file == STDIN
        small = not live and os.fstat(stream.fileno()).st_size <= CHUNK_BYTES
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return ingest(
            store,
            chunks(stream, live=live),
            keeping,
            name=file,
            aside=project.at(f"{project.local.name}/{ASIDE}"),
            now_ms=now_ms,
            jobs=1 if small else cores,
        )


@contextlib.contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == STDIN:
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as stack:
        with read_faults(file):
            stream = stack.enter_context(Path(file).open("rb"))
        yield stream


def export_sample(
    project: Project, out: str, environ: Mapping[str, str], *, from_ms: int, to_ms: int, now_ms: int
) -> int:
    """Write the unrated records of the sample, one a line, with `acceptable` to fill in; return their number.

    Raises `UsageError` if the file exists, because it may hold ratings; otherwise as `open_store`.
    """
    target = Path(out)
    if target.exists():
        raise UsageError("the file exists and may hold ratings", where=f"--out {out}", fix="Name a new file")
    with open_store(project, environ).open() as connection:
        found = stored_records(connection, from_ms, to_ms, "unrated")
    lines = [
        to_json({"id": each.id, "at": moment(now_ms), "acceptable": None, "record": record}) + b"\n"
        for each in found
        if (record := each.record()) is not None
    ]
    with disk_faults(out):
        write_atomic(target, lines, where=out)
    return len(lines)
