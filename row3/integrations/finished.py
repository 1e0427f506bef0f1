"""A finished run in the form that sinks take, read from `.row3/runs` with its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from row3.domain.models import CamelModel
from row3.domain.prompts import parse_reference
from row3.domain.requests import JUDGE, Messages, NoAnswer, Request, digest_text, messages_of
from row3.domain.runs import RunHeader
from row3.domain.scores import Cost, Threshold, zones_of
from row3.errors import InvalidFile, UsageError
from row3.project.documents import json_object, parse_json
from row3.project.files import decode, read_bytes
from row3.project.json_lines import LineFile
from row3.project.project import Project, pick_suite
from row3.project.recording_lines import Recording
from row3.project.recordings import RecordingIndex, open_index
from row3.project.saved_runs import CaseRecord, SavedRun, answers_path, context_path, latest_runs, read_log
from row3.project.suites import Suite
from row3.running.asks import Given, Question
from row3.running.budget import prices_of
from row3.running.evaluate import Asking, answers_to
from row3.running.lineup import line_up
from row3.running.stages import parameters_from

WHERE = ".row3/runs"
SCHEMA_VERSION = 1
"""Of the JSON form of a finished run."""


class FinishedRequest(CamelModel, extra="ignore"):
    """A request of a case and its answer; without a recording only `digest` is known."""

    digest: str
    prompt: str = ""
    """Reference such as `decompose-concepts-v1.1`; for a judge, its rubric's."""
    by_judge: bool = False
    repeat: int = 0
    model: str = ""
    served_model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    finish_reason: str = ""
    """Empty if no answer was found."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    """None if tokens or price are unknown."""
    answered_at: str = ""
    """UTC, ISO 8601, to the second."""
    messages: Annotated[tuple[Annotated[tuple[str, str], Field(strict=False)], ...], Field(strict=False)] = ()
    """Role and text of each; like `answer`, empty unless the run was read with its content."""
    answer: str = ""

    @model_validator(mode="before")
    @classmethod
    def _of_older_versions(cls, value: Any) -> Any:
        """Read one text of the system and one of the user, as an outbox may still have them."""
        if isinstance(value, dict) and value.get("user") and "messages" not in value:
            return value | {"messages": [each[:2] for each in messages_of(value.get("system", ""), value["user"])]}
        return value


class FinishedCase(CamelModel, extra="ignore"):
    """A case of a run and its scores."""

    id: str
    digest: str
    """Digest of the golden case."""
    status: str
    """`scored`, `bad_answer` or `failed`."""
    metrics: Mapping[str, float]
    """Fractions in [0, 1]; empty for a failed case."""
    zones: Mapping[str, str] = {}
    """Name of the zone, by metric."""
    problem: str = ""
    """Why there is no answer. With content, also why an answer was unusable, which may quote it."""
    requests: Annotated[tuple[FinishedRequest, ...], Field(strict=False)] = ()
    """By stage, then by repeat; judges' requests come last."""


class FinishedRun(CamelModel, extra="ignore"):
    """A run in the form that sinks take."""

    schema_version: int = SCHEMA_VERSION
    header: RunHeader
    provider: str = ""
    """Preset of the endpoint or type of the system, from today's row3.toml."""
    cases: Annotated[tuple[FinishedCase, ...], Field(strict=False)]
    """In the order of the run."""
    context: Mapping[str, Any] = {}
    """JSON data for one sink: an experiment's name and items."""

    @property
    def id(self) -> str:
        """The run's id, from which sinks derive all others, with the case's id."""
        return self.header.run_id


def find_run(project: Project, name: str = "") -> Path:
    """Return the log of the run whose id begins with `name`; by default the latest. Raises `UsageError`."""
    logs = latest_runs(project.local)
    if not logs:
        raise UsageError("no saved run yet", where=WHERE, fix="Run `row3` first")
    if name in ("", "latest"):
        return logs[0]
    found = [path for path in logs if path.stem == name] or [path for path in logs if path.stem.startswith(name)]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} run ids begin with `{name}`" if found else f"there is no run `{name}`"
    raise UsageError(what, where=WHERE, fix=f"Choose one: {', '.join(path.stem for path in (found or logs)[:4])}")


def read_finished(project: Project, log: Path, *, content: bool = False) -> FinishedRun:
    """Return the run of a log. With `content`, and for an experiment, it includes prompts and answers.

    Raises `InvalidFile`, `UsageError`.
    """
    saved, context = read_log(log), read_context(log)
    content = content or bool(context)
    suite = pick_suite(project, saved.header.suite)
    index = open_index(project.tree, suite.name)
    if (own_file := answers_path(log)).exists():
        own = RecordingIndex()
        own.add(LineFile(own_file, where=f"{WHERE}/{own_file.name}"))
        own.fallback = index
        index = own
    messages = rendered(project, suite, saved, index) if content else {}
    cost, header = prices_of(project, suite).usd, saved.header
    thresholds = {
        key: Threshold(limits["minimum"], limits["target"], limits["excellent"])
        for key, limits in header.thresholds.items()
    }
    provider = suite.system.type if suite.system is not None else suite.provider.preset or "openai"

    def case_of(record: CaseRecord) -> FinishedCase:
        zones = zones_of(record.metrics, suite.kind.metrics, thresholds)
        return FinishedCase(
            id=record.id,
            digest=record.digest,
            status=record.status,
            metrics=record.metrics,
            zones={key: zone.word for key, zone in zones.items()},
            problem=_sendable(record.problem) if content or record.status == "failed" else "",
            requests=tuple(
                _request(header, digest, held, cost, content=content, messages=messages.get(digest, ()))
                for digest, held in _recordings(index, record)
            ),
        )

    cases = tuple(case_of(record) for record in saved.cases.values())
    return FinishedRun(header=header, provider=provider, cases=cases, context=context)


def read_context(log: Path) -> dict[str, Any]:
    """Return the data saved with a run for one sink; empty if there is none. Raises `InvalidFile`."""
    file = context_path(log)
    if not file.exists():
        return {}
    where = f"{WHERE}/{file.name}"
    return json_object(parse_json(decode(read_bytes(file, where=where), where=where), where=where), where=where)


def rendered(project: Project, suite: Suite, saved: SavedRun, index: RecordingIndex) -> dict[str, Messages]:
    """Return the pipeline's messages by request digest, if prompts and cases are unchanged."""
    header, found = saved.header, dict[str, Messages]()
    answers = {
        digest: held.answer for each in saved.cases.values() for digest, held in _recordings(index, each) if held
    }

    class Reader:
        async def answer(self, question: Question) -> Given:
            assert isinstance(question, Request)
            found[question.digest] = question.messages
            return answers.get(question.digest) or NoAnswer("not part of this run")

    with suppress(InvalidFile, UsageError):  # a prompt or case was deleted or edited
        lineup = line_up(project, suite, role="promoted", pinned=header.prompts)
        parameters = {name: parameters_from(value) for name, value in header.parameters.items()}
        asking = Asking(suite, lineup, parameters, header.repeats)
        for stored in project.cases_of(suite, saved.cases):
            with suppress(StopIteration):
                answers_to(asking, stored, Reader()).send(None)
    return found


def _recordings(index: RecordingIndex, record: CaseRecord) -> Iterator[tuple[str, Recording | None]]:
    """Yield each request's digest and the recording that the run used, even if it was recorded again since."""
    for digest, answer in zip_longest(record.requests, record.answer_digests, fillvalue=""):
        searched: RecordingIndex | None = index
        held = None
        while searched is not None and held is None:
            held = next((each for each in searched.every(digest) if digest_text(each.answer.said) == answer), None)
            searched = searched.fallback
        yield digest, held


def _request(
    header: RunHeader, digest: str, held: Recording | None, cost: Cost, *, content: bool, messages: Messages
) -> FinishedRequest:
    if held is None:
        return FinishedRequest(digest=digest)
    sent, answer, reference = held.request, held.answer, parse_reference(held.prompt)
    by_judge = reference is not None and reference.name not in header.prompts
    model, tokens_in, tokens_out = str(sent.get("model", "")), answer.prompt_tokens, answer.completion_tokens
    return FinishedRequest(
        digest=digest,
        prompt=held.prompt,
        by_judge=by_judge,
        repeat=held.repeat,
        model=model,
        served_model=answer.served_model,
        temperature=sent.get("temperature"),
        seed=sent.get("seed"),
        max_tokens=sent.get("maxTokens"),
        finish_reason=answer.finish_reason,
        prompt_tokens=tokens_in,
        completion_tokens=tokens_out,
        latency_s=answer.latency_s,
        cost_usd=cost(model, tokens_in, tokens_out, JUDGE if by_judge else "", answer.cached_tokens or 0),
        answered_at=held.recorded_at,
        messages=tuple((each.role, _sendable(each.shown)) for each in messages),
        answer=_sendable(answer.text) if content else "",
    )


def _sendable(text: str) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
