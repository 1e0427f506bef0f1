"""Finished runs as LangFuse traces with scores: one trace a case, linked to its dataset item in an experiment.

Ids derive from run and case, and times from the run, so a run sent twice appears once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from row3.domain.runs import RunHeader
from row3.errors import Undelivered
from row3.integrations.finished import FinishedCase, FinishedRun
from row3.integrations.langfuse.client import Connection, connect, parsed
from row3.integrations.opentelemetry import case_spans, put, requests_of
from row3.kinds import kind_named
from row3.project.project import Project

if TYPE_CHECKING:
    from langfuse.api import CreateScoreRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

ENVIRONMENT = "sdk-experiment"
"""The SDK's environment for experiments."""
BATCH = 200
"""Scores in one request: about 300 bytes each, and LangFuse accepts 1 MB."""
LONGEST_COMMENT = 1_000


def open_sink(project: Project) -> LangFuseSink:
    """Return the sink. Raises as `connect`."""
    return LangFuseSink(connect(project))


class LangFuseSink:
    """Sends runs; an experiment's name and items are in the context of its run."""

    name = "langfuse"

    def __init__(self, connection: Connection) -> None:
        """Take an open connection."""
        self._connection = connection

    def write(self, run: FinishedRun) -> None:
        """Send traces, then scores. Raises `Undelivered`, also if scores were refused."""
        from langfuse.api import CreateScoreBatchResults

        where = f"run {run.id}"
        for body in requests_of(span for case in run.cases for span in spans_of(run, case)):
            self._connection.send_spans(body, where)
        scores = list(scores_of(run))
        for start in range(0, len(scores), BATCH):
            with self._connection.faults(where):
                done = self._connection.api.scores.create(request=scores[start : start + BATCH])
            if isinstance(done, CreateScoreBatchResults) and done.rejected:
                what = f"LangFuse refused {done.rejected} scores: {done.errors[0].message if done.errors else ''}"
                raise Undelivered(what, where=where, service_wide=False)


def trace_id(run_id: str, case_id: str) -> str:
    """Return the id of a case's trace, 32 hexadecimal digits."""
    return _digest(run_id, case_id)[:32]


def experiment_id(run_id: str) -> str:
    """Return the id of a run's experiment, 16 hexadecimal digits."""
    return _digest(run_id)[:16]


def spans_of(run: FinishedRun, case: FinishedCase) -> Iterator[Span]:
    """Yield the spans of a case's trace, the root last."""
    experiment, item = run.context.get("experiment", {}), run.context.get("items", {}).get(case.id, {})
    *requests, root = case_spans(run, case)
    about: dict[str, Any] = {"langfuse.trace.name": root.name}
    if experiment:
        about |= {
            "langfuse.environment": ENVIRONMENT,
            "langfuse.experiment.id": experiment_id(run.id),
            "langfuse.experiment.name": experiment["name"],
            "langfuse.experiment.metadata": json.dumps(experiment["metadata"], ensure_ascii=False),
            "langfuse.experiment.dataset.id": experiment["datasetId"],
            "langfuse.experiment.item.id": item.get("id"),
            "langfuse.experiment.item.root_observation_id": root.span_id.hex(),
        }
    labelled = experiment.get("prompts", {})
    for span, request in zip(requests, case.requests, strict=True):
        own = {
            "type": "tool" if span.name.startswith("execute_tool") else "generation",
            "prompt.name": request.prompt.rpartition("-")[0] if request.prompt in labelled else None,
            "prompt.version": labelled.get(request.prompt),
            "cost_details": None if request.cost_usd is None else json.dumps({"total": request.cost_usd}),
        }
        put(span.attributes, about | {f"langfuse.observation.{key}": value for key, value in own.items()})
        span.trace_id = bytes.fromhex(trace_id(run.id, case.id))
        yield span
    whole = {
        "type": "span",
        "input": _json(item.get("input")),
        "output": _json(_output(case)),
        "level": None if case.status == "scored" else "ERROR",
        "status_message": case.problem or None,
        **{f"metadata.{key}": _json(value) for key, value in metadata_of(run.header).items()},
    }
    put(root.attributes, about | {f"langfuse.observation.{key}": value for key, value in whole.items()})
    if experiment:
        put(root.attributes, {"langfuse.experiment.item.expected_output": _json(item.get("expectedOutput"))})
    root.trace_id, root.parent_span_id = bytes.fromhex(trace_id(run.id, case.id)), b""
    yield root


def scores_of(run: FinishedRun) -> Iterator[CreateScoreRequest]:
    """Yield each case's metrics under row3's names and those of EXPERIMENTS, and an `error` for a failed case.

    Skipped metrics have no score. An experiment also has its averages.
    """
    from langfuse.api import CreateScoreRequest

    also = {each.key: each.also for each in kind_named(run.header.kind, where="kind").metrics if each.also}

    def made(values: dict[str, float], *path: str, kind: str = "NUMERIC", **more: Any) -> Iterator[CreateScoreRequest]:
        for name, value in (values | {also[key]: value for key, value in values.items() if key in also}).items():
            own: dict[str, Any] = {"id": _digest(run.id, *path, name)[:32], "name": name, "value": value}
            own |= {"data_type": kind, "timestamp": datetime.fromisoformat(run.header.at)}
            yield CreateScoreRequest(**own, **more)

    for case in run.cases:
        trace = trace_id(run.id, case.id)
        yield from made(dict(case.metrics), case.id, trace_id=trace)
        if case.status != "scored":
            comment = (case.problem or case.status)[:LONGEST_COMMENT]
            yield from made({"error": 1.0}, case.id, kind="BOOLEAN", comment=comment, trace_id=trace)
    if run.context:
        failures = float(sum(case.status != "scored" for case in run.cases))
        yield from made({**run.header.metrics, "failures": failures}, dataset_run_id=experiment_id(run.id))


def metadata_of(header: RunHeader) -> dict[str, Any]:
    """Return a run's settings as metadata of experiments and traces."""
    names = ("suite", "run_id", "action", "mode", "model", "prompts", "parameters", "repeats", "commit")
    return {name: value for name in names if (value := getattr(header, name)) is not None}


def _output(case: FinishedCase) -> Any:
    """Return the last answer, parsed if it is JSON; by prompt if there are several."""
    said = {each.prompt: parsed(each.answer) for each in case.requests if each.answer and not each.by_judge}
    return next(iter(said.values())) if len(said) == 1 else said or None


def _json(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _digest(*parts: str) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()
