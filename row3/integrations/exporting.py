"""`row3 export`: send runs to a sink; each waits in the outbox until it has arrived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError
from pydantic_core import from_json

from row3.domain.words import did_you_mean
from row3.errors import EnvironmentFault, InvalidFile, Undelivered, UsageError
from row3.integrations.finished import SCHEMA_VERSION, FinishedRun, find_run, read_finished
from row3.project.documents import check_schema_version
from row3.project.files import disk_faults, write_atomic
from row3.project.local_state import local_folder
from row3.project.project import Project
from row3.project.saved_runs import latest_runs
from row3.project.transaction import locked
from row3.project.tree import WorkTree
from row3.providers.guarded import FIX
from row3.running.provider_access import guard_of

SINKS = {"otel": "opentelemetry", "mlflow": "mlflow", "langfuse": "langfuse.sink"}
"""Module under `row3.integrations` with an `open_sink(project)`, by the name that `--to` takes."""
FOLDER = "outbox"
MAX_BYTES = 2**30
LOCK = "outbox.lock"
PATIENCE_S = 120.0
"""How long to wait for another process that is sending."""


class Sink(Protocol):
    """A service that finished runs are sent to."""

    @property
    def name(self) -> str:
        """Name for `--to` and for the outbox's folder."""

    def write(self, run: FinishedRun) -> None:
        """Send a whole run; sending it again changes nothing, because ids derive from run and case.

        Raises `Undelivered` if any part did not arrive.
        """


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


def export(project: Project, to: str, name: str = "") -> Delivery:
    """Send a run, by default the latest, and all waiting ones; what does not arrive is kept.

    Raises `UsageError` for an unknown sink or run, no address, or a run that contains a key; and what files raise.
    """
    if to not in SINKS:
        raise UsageError(f"unknown sink `{to}`", where="--to", fix=did_you_mean(to, SINKS, ", ".join(SINKS)))
    sink: Sink = import_module(f"row3.integrations.{SINKS[to]}").open_sink(project)
    runs: list[FinishedRun] = []
    if name or latest_runs(project.local) or not Outbox(project.local, to).waiting():
        runs.append(read_finished(project, find_run(project, name), content=project.config.export.content))
    return deliver(project, sink, runs)


def deliver(project: Project, sink: Sink, runs: Sequence[FinishedRun]) -> Delivery:
    """Send runs, and all that wait, to a sink; what does not arrive is kept.

    Raises `UsageError` for a run that contains a key, and what files raise.
    """
    guard = guard_of(project)
    for run in runs:
        if held := guard.found(run.model_dump_json()):
            raise UsageError(f"the run contains the value of {held}, so it was not sent", where=run.id, fix=FIX)
    return Outbox(project.local, sink.name).deliver(sink, runs)
