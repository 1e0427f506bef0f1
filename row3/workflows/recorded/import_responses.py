"""`row3 recordings import`: recordings made of raw responses that were had elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.counts import marked
from row3.domain.prompts import Lineup
from row3.domain.requests import MOST_REPEATS, Answer, Request
from row3.errors import InvalidFile
from row3.kinds.answers import Unusable
from row3.store.cases import StoredCase, read_cases
from row3.store.locks import writing
from row3.store.other_suites import case_hint
from row3.store.outputs import RECORDING, case_id_of, is_recording, lines_of, parse_line
from row3.store.project import Project
from row3.store.recordings import Merged, RecordingIndex, merge, to_line
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.run_suite import RunOptions, make_asking, now
from row3.workflows.recorded.others_answers import keep_others

SHAPE = 'Write one object a line: {"caseId": "…", "prompt": "…", "response": "…"}'
JSON_TYPES = {dict: "an object", list: "an array", bool: "true or false"}
LARGEST = 2**53
"""Of counts and seconds; beyond it whole numbers are no longer exact everywhere."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    responses: int
    """Lines in the file."""
    merged: Merged
    """How many recordings are new, how many replace an earlier one, and how many are as they were."""
    by_prompt: dict[str, int]
    models: dict[str, str]
    """By prompt reference, the model whose answers they are taken for."""
    unused: tuple[str, ...] = ()
    """Responses that no run can ask for, because the earlier stage's answer cannot be used; a line each."""
    waiting: dict[str, int] = field(default_factory=dict)
    """By prompt reference, requests of a later stage that follow from these answers and that nothing answers yet."""


class _Response(NamedTuple):
    line: int
    answer: Answer


class _Left(NamedTuple):
    """What an import leaves: lines that nothing asks for, and prompt references of requests without an answer."""

    unused: list[str]
    waiting: list[str]


Responses = dict[str, dict[tuple[str, int], _Response]]
"""By case id, then by prompt reference and repeat."""


def import_responses(
    project: Project, suite: Suite, file: Path, *, named: Sequence[str] = (), options: RunOptions | None = None
) -> Imported:
    """Make recordings of raw responses that were had elsewhere.

    A line is `{"caseId": …, "prompt": "decompose-concepts-v1.1", "response": "raw text"}`, with `repeat`,
    `finishReason`, `usage` {`promptTokens`, `completionTokens`}, `servedModel` and `latencyS` where known. A bare
    prompt name stands for its version in the lineup.

    Args:
        named: prompt references that take their prompt's place among the candidates.
        options: overrides of model and parameters; the responses are recorded as answers under them.
    Raises `InvalidFile` with the line (unknown case or prompt, a response twice, an earlier stage missing, another
    prompt version's answer that would be lost) and then nothing has changed; `UsageError`, `EnvironmentFault`.
    """
    where = str(file)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), options or RunOptions())
    responses = _responses(file, asking.lineup, suite, where=where, whence="" if named else ", the highest versions")
    index = open_recordings(project, suite)
    at, known = now(), set()
    lines: list[str] = []
    left = _Left([], [])
    by_prompt: dict[str, int] = {}
    models: dict[str, str] = {}
    told: dict[str, tuple[str, str]] = {}
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        known.add(stored.id)
        for request, line, answer in _imports(asking, stored, responses.get(stored.id, {}), index, left, where=where):
            first, text = told.setdefault(request.digest, (stored.id, answer.text))
            if text != answer.text:
                asked = f"{request.prompt} asks the same of `{first}` and `{stored.id}`"
                what = f"another answer to the same question: {asked}"
                fix = "Show in the prompt what tells them apart, or give both one answer"
                raise InvalidFile(what, where=f"{where}:{line}", fix=fix)
            keep_others(project, index, request, answer, where=f"{where}:{line}")
            lines.append(to_line(request, answer, recorded_at=at))
            models[request.prompt] = request.model
            by_prompt[request.prompt] = by_prompt.get(request.prompt, 0) + 1
    for case_id in responses.keys() - known:
        correct = "Correct the id, or remove the line"
        hint = case_hint(project, suite.name, case_id, known, otherwise=correct, most=1)
        line = min(response.line for response in responses[case_id].values())
        raise InvalidFile(f"`{case_id}` is no golden case of the suite", where=f"{where}:{line}", fix=hint)
    with writing(project.local):
        merged = merge(project.root, suite.name, lines)
    return Imported(
        sum(map(len, responses.values())), merged, by_prompt, models, tuple(left.unused), Counter(left.waiting)
    )


def _responses(file: Path, lineup: Lineup, suite: Suite, *, where: str, whence: str) -> Responses:
    refs = {str(prompt.ref): str(prompt.ref) for prompt in lineup.prompts}
    refs |= {prompt.ref.name: str(prompt.ref) for prompt in lineup.prompts}
    responses: Responses = {}
    for line in lines_of(file, where=where, pipe=True, shape=SHAPE):
        place = f"{where}:{line.number}"
        value = parse_line(line.raw, where=place, shape=SHAPE)
        _refuse_others(value, suite, where=place)
        case_id = case_id_of(value, where=place, shape=SHAPE)
        named = str(value.get("prompt", "")).removeprefix("prompts/").removesuffix(".md")
        if named not in refs:
            raise InvalidFile(
                f"prompt `{named}` is not among those that are imported for" if named else "field `prompt` is missing",
                where=place,
                fix=f"These are {', '.join(str(prompt.ref) for prompt in lineup.prompts)}{whence}; "
                "name others with --prompt",
            )
        repeat: Any = value.get("repeat", 0)
        if not isinstance(repeat, int) or isinstance(repeat, bool) or not 0 <= repeat < MOST_REPEATS:
            what = f"field `repeat`: {marked(repeat)} is not a whole number from 0 to {MOST_REPEATS - 1}"
            raise InvalidFile(what, where=place, fix="Correct it")
        held = responses.setdefault(case_id, {})
        earlier = held.get((refs[named], repeat))
        if earlier is not None:
            whose = f"case `{case_id}`, {refs[named]}, repeat {repeat}"
            what = f"{whose} stands twice, in lines {earlier.line} and {line.number}"
            raise InvalidFile(what, where=place, fix="Keep one of them")
        held[refs[named], repeat] = _Response(line.number, _answer(value, where=place))
    if not responses:
        raise InvalidFile("the file holds no response", where=where, fix=SHAPE)
    return responses


def _refuse_others(value: dict[str, Any], suite: Suite, *, where: str) -> None:
    """Raise `InvalidFile` for a line that was made for another command, or for none."""
    if is_recording(value):
        fix = f"Keep it in recordings/{suite.name}/, where it is found by its digest"
        raise InvalidFile(RECORDING, where=where, fix=fix)
    if "output" in value and "response" not in value:
        what = "the line has an `output`, which is scored as it is, and no `response` of a model"
        score = f"`row3 score {suite.name} --outputs FILE` takes lines with an `output`"
        raise InvalidFile(what, where=where, fix=f"{SHAPE}; {score}")


def _answer(value: dict[str, Any], *, where: str) -> Answer:
    usage: Any = value.get("usage") or {}
    if not isinstance(usage, dict):
        raise InvalidFile("field `usage` is not an object", where=where, fix="Give promptTokens and completionTokens")

    def typed(source: dict[str, Any], key: str, kind: type | tuple[type, ...], what: str) -> Any:
        found: Any = source.get(key)
        wrong = isinstance(found, bool) or not isinstance(found, kind)
        wrong = wrong or (isinstance(found, int | float) and not 0 <= found <= LARGEST)
        if found is not None and wrong:
            raise InvalidFile(f"field `{key}`: {marked(found)} is not {what}", where=where, fix="Correct it")
        return found

    text = value.get("response")
    if text is None:
        raise InvalidFile("field `response` is missing", where=where, fix="Give the raw text that the model wrote")
    if not isinstance(text, str):
        found = JSON_TYPES.get(type(text), "a number")
        fix = "Give it as a JSON string, just as the model wrote it, with quotes and line ends escaped"
        raise InvalidFile(f"field `response` is {found}, and must be a string", where=where, fix=fix)
    return Answer(
        text=text,
        finish_reason=typed(value, "finishReason", str, "a text") or "stop",
        served_model=typed(value, "servedModel", str, "a text"),
        prompt_tokens=typed(usage, "promptTokens", int, "a whole number from 0"),
        completion_tokens=typed(usage, "completionTokens", int, "a whole number from 0"),
        latency_s=typed(value, "latencyS", (int, float), "a number from 0"),
    )


def _imports(
    asking: Asking,
    stored: StoredCase,
    responses: dict[tuple[str, int], _Response],
    index: RecordingIndex,
    left: _Left,
    *,
    where: str,
) -> Iterator[tuple[Request, int, Answer]]:
    """The requests that a case's responses answer, with their lines; each rendered with the answers before it."""
    kind = asking.suite.kind
    for repeat in sorted({repeat for _, repeat in responses}):
        variables, gap, unusable = kind.variables(stored.case), "", ""
        for prompt in asking.lineup.prompts:
            response = responses.get((str(prompt.ref), repeat))
            if gap or unusable:
                if response is None:
                    continue
                place = f"{where}:{response.line}"
                if gap:
                    what = f"{prompt.ref} was asked with the answer of {gap}, which for `{stored.id}` is neither here"
                    raise InvalidFile(f"{what} nor recorded", where=place, fix=f"Add the response of {gap}")
                left.unused.append(f"{place}: never asked for, since the answer of {unusable} cannot be used")
                continue
            request = asking.request(prompt, stored.id, variables, repeat)
            answer = response.answer if response is not None else index.answer(request)
            if answer is None:
                gap = str(prompt.ref)
                left.waiting.append(gap)
                continue
            if response is not None:
                yield request, response.line, answer
            parsed = kind.parse(prompt.output, answer.text)
            if isinstance(parsed, Unusable):
                unusable = str(prompt.ref)
            else:
                variables = {**variables, **kind.context(prompt.output, parsed.value)}
