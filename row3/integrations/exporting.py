"""`row3 export`: send a finished run, and all waiting ones, to a sink."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from row3.domain.counts import did_you_mean
from row3.errors import UsageError
from row3.integrations.finished import find_run, read_finished
from row3.integrations.outbox import Delivery, Outbox
from row3.integrations.seams import FinishedRun, Sink
from row3.project.project import Project
from row3.project.saved_runs import latest_runs
from row3.providers.guarded import FIX
from row3.running.provider_access import guard_of

SINKS = {"otel": "opentelemetry", "mlflow": "mlflow", "langfuse": "langfuse.sink"}
"""Module under `row3.integrations` with an `open_sink(project)`, by the name that `--to` takes."""


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
