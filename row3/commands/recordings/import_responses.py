"""Turn raw responses from elsewhere into recordings: `row3 recordings import`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import CamelModel, Must
from row3.domain.prompts import Lineup, parse_reference
from row3.domain.requests import MOST_REPEATS, Answer, Request
from row3.errors import InvalidFile
from row3.project.cases import StoredCase
from row3.project.chosen_cases import case_hint
from row3.project.documents import check_schema_version
from row3.project.files import decode, read_bytes
from row3.project.json_lines import LineFile, parse_line
from row3.project.outputs import RECORDING, case_id_of, is_recording
from row3.project.project import Project
from row3.project.recording_lines import merge, to_line
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.providers.guarded import cleaned
from row3.running.collect import now
from row3.running.evaluate import Answers, Asking
from row3.running.lineup import line_up
from row3.running.provider_access import guard_of
from row3.running.replay import open_recordings, refuse_replacing
from row3.running.run_options import RunOptions, make_asking

SHAPE = 'Write one object a line: {"caseId": "…", "prompt": "…", "response": "…"}'
OTHERWISE = "import them as that version's answers: name it in the field `prompt` and with --prompt"
SCHEMA_VERSION = 1
LARGEST = 2**53
"""Largest count or number of seconds; JSON readers may round larger integers."""

Count = Annotated[int, Field(ge=0, le=LARGEST)]


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing responses."""

    responses: int
    merged: tuple[int, int, int]
    """Number of new, replaced and unchanged recordings."""
    by_prompt: dict[str, int]
    models: dict[str, str]
    unused: tuple[str, ...] = ()
    """Responses that no run can use because the earlier stage's answer is unusable; a line each."""
    waiting: dict[str, int] = field(default_factory=dict)
    """Number of resulting later-stage requests without an answer, by prompt reference."""
    replaced: tuple[str, ...] = ()
    """References of the promoted versions, now or earlier, with a replaced answer."""


class _Usage(CamelModel, extra="ignore"):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Response(CamelModel, extra="ignore"):
    """One line of the file."""

    case_id: str
    prompt: str
    response: Annotated[str, Must("the raw text that the model wrote, as a JSON string")]
    repeat: Annotated[int, Field(ge=0, lt=MOST_REPEATS)] = 0
    finish_reason: str | None = None
    usage: _Usage | None = None
    served_model: str | None = None
    latency_s: Annotated[float, Field(ge=0, le=LARGEST)] | None = None

    @property
    def answer(self) -> Answer:
        usage, finish = self.usage or _Usage(), self.finish_reason or "stop"
        tokens = usage.prompt_tokens, usage.completion_tokens
        answer = Answer(self.response, finish, self.served_model, *tokens, self.latency_s)
        return answer._replace(cached_tokens=usage.cached_tokens, reasoning_tokens=usage.reasoning_tokens)


Responses = dict[str, dict[tuple[str, int], tuple[int, Answer]]]
"""Line number and answer, by case id, then by prompt reference and repeat."""


def import_responses(
    project: Project, suite: Suite, file: Path, *, named: Sequence[str] = (), options: RunOptions | None = None
) -> Imported:
    """Record raw responses as answers to the candidates' or the `named` prompts' requests under these `options`.

    A line is `{"caseId": …, "prompt": "decompose-concepts-v1.1", "response": "raw text"}`, optionally with `repeat`,
    `finishReason`, `usage` {`promptTokens`, `completionTokens`}, `servedModel` and `latencyS`. A prompt name without
    version means the lineup's; the only prompt of a lineup need not be named. A folder has one answer per file, named
    after its case. Raises `InvalidFile` with the line, before anything changes; `UsageError`, `EnvironmentFault`.
    """
    where = str(file)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), options or RunOptions())
    guard = guard_of(project)
    responses = _responses(file, asking.lineup, suite, where=where, note="" if named else ", the highest versions")
    index = open_recordings(project, suite)
    at, known = now(), set()
    lines: list[str] = []
    unused: list[str] = []
    waiting: Counter[str] = Counter()
    replaced: dict[str, None] = {}
    by_prompt: dict[str, int] = {}
    models: dict[str, str] = {}
    answered: dict[str, tuple[str, str]] = {}
    for stored in project.cases_of(suite):
        known.add(stored.id)
        own = responses.get(stored.id, {})
        given = {place: (line, cleaned(answer, guard)) for place, (line, answer) in own.items()}
        for request, line, answer in _imports(
            asking, stored, given, index, unused=unused, waiting=waiting, where=where
        ):
            first, text = answered.setdefault(request.digest, (stored.id, answer.text))
            if text != answer.text:
                what = (
                    f"{request.prompt} sends the same request for `{first}` and `{stored.id}`, but their answers differ"
                )
                fix = "Show the difference in the prompt, or give both the same answer"
                raise InvalidFile(what, where=f"{where}:{line}", fix=fix)
            refuse_replacing(project, index, request, where=f"{where}:{line}", otherwise=OTHERWISE, answer=answer)
            ref, said = parse_reference(request.prompt), answer.said
            if ref is not None and not asking.lineup.awaits_promotion(ref):
                changed = any(earlier.answer.said != said for earlier in index.every(request.digest))
                replaced |= {request.prompt: None} if changed else {}
            lines.append(to_line(request, answer, recorded_at=at))
            models[request.prompt] = request.model
            by_prompt[request.prompt] = by_prompt.get(request.prompt, 0) + 1
    for case_id in responses.keys() - known:
        fix = case_hint(project, suite.name, case_id, known, otherwise="Correct the id, or remove the line")
        line = min(line for line, _ in responses[case_id].values())
        raise InvalidFile(f"`{case_id}` is not a golden case of the suite", where=f"{where}:{line}", fix=fix)
    with writing(project.root):
        merged = merge(project.root, suite.name, lines)
    return Imported(
        sum(map(len, responses.values())), merged, by_prompt, models, tuple(unused), waiting, tuple(replaced)
    )


def _responses(file: Path, lineup: Lineup, suite: Suite, *, where: str, note: str) -> Responses:
    refs = {str(prompt.ref): str(prompt.ref) for prompt in lineup.prompts}
    refs |= {prompt.ref.name: str(prompt.ref) for prompt in lineup.prompts}
    responses: Responses = {}
    for spot, raw in LineFile(_source(file), where=where, fix=SHAPE, pipe=True):
        place = spot.place
        value = parse_line(raw, where=place, shape=SHAPE)
        check_schema_version(value, SCHEMA_VERSION, where=place)
        _refuse_other_formats(value, suite, where=place)
        case_id_of(value, where=place, shape=SHAPE)
        if len(lineup.prompts) == 1:
            value.setdefault("prompt", lineup.prompts[0].ref.name)
        try:
            read = convert(value, _Response)
        except MisfitsError as error:
            raise InvalidFile(error.summary(), where=place, fix=SHAPE) from None
        ref = refs.get(read.prompt.removeprefix("prompts/").removesuffix(".md"))
        if ref is None:
            what = f"prompt `{read.prompt}` is not among those of this import"
            prompts = ", ".join(str(prompt.ref) for prompt in lineup.prompts)
            raise InvalidFile(what, where=place, fix=f"They are {prompts}{note}; choose others with --prompt")
        held = responses.setdefault(read.case_id, {})
        if (ref, read.repeat) in held:
            lines = f"lines {held[ref, read.repeat][0]} and {spot.number}"
            what = f"{lines} both answer case `{read.case_id}`, {ref}, repeat {read.repeat}"
            raise InvalidFile(what, where=place, fix="Keep one of them")
        held[ref, read.repeat] = spot.number, read.answer
    if not responses:
        raise InvalidFile("the file has no responses", where=where, fix=SHAPE)
    return responses


def _source(file: Path) -> Path | bytes:
    """Return the file, or for a folder of answers in files named after their cases, equivalent lines."""
    if not file.is_dir():
        return file
    answers = {path.stem: read_bytes(path, where=str(path)) for path in sorted(file.iterdir()) if path.is_file()}
    lines = [{"caseId": name, "response": decode(raw, where=f"{file}/{name}")} for name, raw in answers.items()]
    return "\n".join(map(json.dumps, lines)).encode()


def _refuse_other_formats(value: dict[str, Any], suite: Suite, *, where: str) -> None:
    """Raise `InvalidFile` for a recording, or a line meant for `row3 score`."""
    if is_recording(value):
        fix = f"Put it into recordings/{suite.name}/, where row3 finds it by its digest"
        raise InvalidFile(RECORDING, where=where, fix=fix)
    if "output" in value and "response" not in value:
        what = "the line has an `output` but no model `response`"
        score = f"`row3 score {suite.name} --outputs FILE` takes lines with an `output`"
        raise InvalidFile(what, where=where, fix=f"{SHAPE}; {score}")


def _imports(
    asking: Asking,
    stored: StoredCase,
    responses: Mapping[tuple[str, int], tuple[int, Answer]],
    index: RecordingIndex,
    *,
    unused: list[str],
    waiting: Counter[str],
    where: str,
) -> Iterator[tuple[Request, int, Answer]]:
    """Yield each request that a response answers, rendered with the answers before it, with line number and answer.

    Adds responses that no request asks for to `unused`, and prompts without an answer to `waiting`.
    """
    for repeat in sorted({repeat for _, repeat in responses}):
        answers, gap = Answers(stored.case.variables()), ""
        for prompt in asking.lineup.prompts:
            line, answer = responses.get((str(prompt.ref), repeat), (0, None))
            if answer is not None and gap:
                what = f"{prompt.ref} needs the answer of {gap} for `{stored.id}`, which is neither here nor recorded"
                raise InvalidFile(what, where=f"{where}:{line}", fix=f"Add the response of {gap}")
            if answer is not None and answers.bad:
                unused.append(f"{where}:{line}: not used, as an earlier answer is unusable: {answers.bad}")
            if gap or answers.bad:
                continue
            request = asking.request(prompt, stored.id, answers.variables, repeat)
            if answer is not None:
                yield request, line, answer
            answer = answer or index.answer(request)
            if answer is None:
                gap = str(prompt.ref)
                waiting[gap] += 1
            else:
                answers = answers.after(asking.suite, prompt, answer)
