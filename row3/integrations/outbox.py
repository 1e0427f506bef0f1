"""Runs waiting to be sent: each is saved first, and deleted once it has arrived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from row3.errors import EnvironmentFault, InvalidFile, Undelivered
from row3.integrations.seams import SCHEMA_VERSION, FinishedRun, Sink
from row3.project.documents import check_schema_version
from row3.project.files import disk_faults, write_atomic
from row3.project.local_state import local_folder
from row3.project.transaction import locked
from row3.project.tree import WorkTree

FOLDER = "outbox"
MAX_BYTES = 2**30
LOCK = "outbox.lock"
PATIENCE_S = 120.0
"""How long to wait for another process that is sending."""


@dataclass
class Delivery:
    """Ids of the runs that were sent, and of those still waiting."""

    sent: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    error: Undelivered | None = None
    """Why a run is still waiting."""


class Outbox:
    """The runs waiting for one sink, in `.row3/outbox/<sink>/<run id>.json`."""

    def __init__(self, local: Path, sink: str) -> None:
        """Take the project's `.row3/`; reads nothing yet."""
        self._local, self._folder = local, f"{local.name}/{FOLDER}/{sink}"
        self._tree = WorkTree(local.parent)

    def waiting(self) -> list[str]:
        """Return the ids of the waiting runs, oldest first. Raises `InvalidFile` for a symbolic link."""
        names = (path.rpartition("/")[2] for path in self._tree.files(self._folder))
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]

    def put(self, run: FinishedRun) -> None:
        """Save a run until it is sent, replacing one with the same id. Raises `EnvironmentFault`, `InvalidFile`."""
        local_folder(self._local)
        write_atomic(
            self._tree.at(self._file(run.id)),
            run.model_dump_json(indent=1, exclude_defaults=True),
            where=self._file(run.id),
        )

    def get(self, run_id: str) -> FinishedRun:
        """Return a waiting run. Raises `InvalidFile` if its file is damaged."""
        where, fix = self._file(run_id), "Delete it; `row3 export RUN` can send the run while it is in .row3/runs"
        try:
            raw = self._tree.read(where, limit=MAX_BYTES)
            check_schema_version(from_json(raw), SCHEMA_VERSION, where=where)
            return FinishedRun.model_validate_json(raw, by_alias=True, by_name=False)
        except (ValueError, ValidationError):
            raise InvalidFile("not a run waiting to be sent", where=where, fix=fix) from None

    def deliver(self, sink: Sink, runs: Iterable[FinishedRun] = ()) -> Delivery:
        """Send these runs and all waiting ones, oldest first; what does not arrive keeps waiting.

        One process sends at a time. Raises `EnvironmentFault`, `InvalidFile`, and what the sink raises except
        `Undelivered`.
        """
        lock = locked(self._local.parent, LOCK, timeout_s=PATIENCE_S)
        if lock is None:
            what = f"another row3 has been sending for more than {PATIENCE_S:g} s"
            raise EnvironmentFault(what, where=f".row3/{FOLDER}", fix="Wait for it, or stop it")
        try:
            for run in runs:
                self.put(run)
            return self._deliver(sink)
        finally:
            lock.release()

    def _deliver(self, sink: Sink) -> Delivery:
        delivery = Delivery()
        for run_id in self.waiting():
            if delivery.error is not None and delivery.error.service_wide:
                delivery.waiting.append(run_id)
                continue
            try:
                sink.write(self.get(run_id))
            except Undelivered as error:
                delivery.waiting.append(run_id)
                delivery.error = error if delivery.error is None or error.service_wide else delivery.error
            else:
                with disk_faults(self._file(run_id)):
                    self._tree.at(self._file(run_id)).unlink(missing_ok=True)
                delivery.sent.append(run_id)
        return delivery

    def _file(self, run_id: str) -> str:
        return f"{self._folder}/{run_id}.json"
