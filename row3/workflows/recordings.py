"""Looking after recordings: list, verify, prune and import.

What is stale is found by asking again: every version of every prompt, over today's cases, stage by stage. A recording
that none of these requests meets can never be replayed.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from row3.domain.prompts import Prompt, PromptRef
from row3.domain.requests import Answer, Request, digest_text
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.kinds.base import Parsed, Unusable
from row3.store import prompts as prompt_store
from row3.store.cases import StoredCase, read_cases
from row3.store.locks import writing
from row3.store.outputs import case_id_of, lines_of, parse_line
from row3.store.project import Project, Suite
from row3.store.recordings import Recording, RecordingIndex, from_line, merge, open_index, to_line, write_lines
from row3.workflows.evaluate import Asking, Overrides, Parameters, parameters_of
from row3.workflows.lineup import Lineup, Role, line_up
from row3.workflows.run_suite import RunOptions, make_asking, now

Level = Literal["error", "warning"]
ROLES: tuple[Role, ...] = ("promoted", "candidate")


@dataclass(slots=True)
class FileSummary:
    """What a recordings file holds of one prompt."""

    file: str
    prompt: str
    count: int = 0
    bytes: int = 0
    cases: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    promoted: int = 0
    """Recordings that a replay of the promoted prompts uses."""
    candidate: int = 0
    """Recordings that a replay of the candidates uses."""
    stale: int = 0
    """Recordings that no prompt version asks for any more."""


@dataclass(frozen=True, slots=True)
class RecordingFinding:
    """One thing that is wrong or noteworthy about the recordings."""

    level: Level
    rule: str
    message: str
    where: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed, or would remove."""

    removed: dict[str, int]
    """Lines by file."""
    kept: int
    dry_run: bool

    @property
    def count(self) -> int:
        """How many recordings in all."""
        return sum(self.removed.values())


class _Row(NamedTuple):
    file: Path
    where: str
    raw: bytes


def _rows(project: Project, suite: Suite) -> Iterator[_Row]:
    folder = project.recordings(suite.name)
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        name = f"recordings/{suite.name}/{path.name}"
        for line in lines_of(path, where=name):
            yield _Row(path, f"{name}:{line.number}", line.raw)


def _recording(row: _Row) -> Recording:
    try:
        text = row.raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidFile("the line is not UTF-8", where=row.where, fix="Restore the file from git") from None
    return from_line(text, where=row.where)


class Reach:
    """Which recordings the prompts that exist can ask for, with today's cases."""

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index
        self._used: dict[str, set[Parameters]] = {}
        self._repeats = {0}
        for recording in index.all():
            asked = recording.request
            model, temperature = asked.get("model", ""), asked.get("temperature")
            used = Parameters(model, temperature, asked.get("seed"), asked.get("maxTokens"))
            with contextlib.suppress(TypeError):  # edited to a list or an object: no parameter of any request
                self._used.setdefault(recording.prompt, set()).add(used)
            self._repeats.add(recording.repeat)
        self._stages = [self._versions(name) for name in _pipeline(project, suite)]
        inside = {prompt.ref.name for stage in self._stages for prompt in stage}
        names = prompt_store.versions(project.root)
        self._outside = [prompt for name in names if name not in inside for prompt in self._versions(name)]

    def _versions(self, name: str) -> list[Prompt]:
        there = prompt_store.versions(self._project.root).get(name, [])
        prompts = [prompt_store.read_prompt(self._project.root, PromptRef(name, version)) for version in there]
        return [prompt for prompt in prompts if prompt.output in self._suite.kind.outputs]

    def _parameters(self, prompt: Prompt, *, any_model: bool) -> list[Parameters]:
        found = set(self._used.get(str(prompt.ref), ())) if any_model else set()
        with contextlib.suppress(UsageError):  # no model is named today; what is recorded still has one
            found.add(parameters_of(prompt, self._suite.provider, Overrides()))
        return sorted(found, key=repr)

    def digests(self, *, any_model: bool) -> set[str]:
        """Digests of the recordings that any version of any prompt asks for.

        Args:
            any_model: also under every model and parameter found in the recordings, not today's only.
        Raises `InvalidFile`.
        """
        reached: set[str] = set()
        for stored in read_cases(self._project.golden(self._suite.name), self._suite.kind):
            for repeat in self._repeats:
                self._case(stored, repeat, reached, any_model=any_model)
        return reached

    def _case(self, stored: StoredCase, repeat: int, reached: set[str], *, any_model: bool) -> None:
        states: list[dict[str, Any]] = [self._suite.kind.variables(stored.case)]
        everything = list(states)
        for stage in self._stages:
            following: dict[str, dict[str, Any]] = {}
            for state in states:
                for prompt in stage:
                    for request in self._requests(prompt, stored, state, repeat, any_model=any_model):
                        recording = self._index.get(request.digest)
                        if recording is None:
                            continue
                        reached.add(request.digest)
                        parsed = self._suite.kind.parse(prompt.output, recording.answer.text)
                        if isinstance(parsed, Parsed):
                            context = self._suite.kind.context(prompt.output, parsed.value)
                            following[f"{request.input_digest} {digest_text(repr(context))}"] = {**state, **context}
            states = list(following.values())
            everything += states
        for prompt in self._outside:  # of no pipeline today, but still there: keep what it can ask
            for state in everything:
                try:
                    asked = list(self._requests(prompt, stored, state, repeat, any_model=any_model))
                except InvalidFile:  # it needs what this pipeline does not give
                    continue
                reached.update(request.digest for request in asked if request.digest in self._index)

    def _requests(
        self, prompt: Prompt, stored: StoredCase, state: dict[str, Any], repeat: int, *, any_model: bool
    ) -> Iterator[Request]:
        for parameters in self._parameters(prompt, any_model=any_model):
            asking = Asking(self._suite, Lineup((prompt,), {}, {}), {prompt.ref.name: parameters})
            yield asking.request(prompt, stored.id, state, repeat)


def _pipeline(project: Project, suite: Suite) -> list[str]:
    return [prompt.ref.name for prompt in line_up(project, suite, role="candidate").prompts]


def _lineup_use(project: Project, suite: Suite, role: Role, index: RecordingIndex) -> tuple[set[str], list[Request]]:
    """Digests that a replay of the role's prompts uses, and the requests that it misses."""
    asking = make_asking(suite, line_up(project, suite, role=role), RunOptions())
    used: set[str] = set()
    missing: list[Request] = []
    for stored in read_cases(project.golden(suite.name), suite.kind):
        variables = suite.kind.variables(stored.case)
        for prompt in asking.lineup.prompts:
            request = asking.request(prompt, stored.id, variables, 0)
            recording = index.get(request.digest)
            if recording is None:
                missing.append(request)
                break
            used.add(request.digest)
            parsed = suite.kind.parse(prompt.output, recording.answer.text)
            if isinstance(parsed, Unusable):
                break
            variables = {**variables, **suite.kind.context(prompt.output, parsed.value)}
    return used, missing


def list_recordings(project: Project, suite: Suite) -> list[FileSummary]:
    """What is recorded, by file and prompt, and what of it is used or stale. Raises `InvalidFile`."""
    index = open_index(project.recordings(suite.name))
    reached = Reach(project, suite, index).digests(any_model=True)
    promoted, candidate = (_lineup_use(project, suite, role, index)[0] for role in ROLES)
    summaries: dict[tuple[str, str], FileSummary] = {}
    for row in _rows(project, suite):
        recording = _recording(row)
        file = row.where.rpartition(":")[0]
        summary = summaries.setdefault((file, recording.prompt), FileSummary(file, recording.prompt))
        summary.count += 1
        summary.bytes += len(row.raw)
        summary.cases.add(recording.case_id)
        summary.models.add(str(recording.request.get("model")))
        summary.promoted += recording.digest in promoted
        summary.candidate += recording.digest in candidate
        summary.stale += recording.digest not in reached
    return list(summaries.values())


def verify(project: Project, suite: Suite) -> list[RecordingFinding]:
    """Everything that is wrong with the suite's recordings; an empty list where all is well.

    Raises `InvalidFile` for a broken prompt, golden case or configuration; broken recordings are findings.
    """
    findings = list(_verify_lines(project, suite))
    if any(finding.rule == "broken-line" for finding in findings):
        what = "stale and missing recordings were not looked for, because of the broken lines"
        return [*findings, RecordingFinding("warning", "not-checked", what, f"recordings/{suite.name}/")]
    return [*findings, *_verify_use(project, suite)]


def _verify_lines(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    answers: dict[str, tuple[str, str]] = {}
    outputs = _outputs_by_prompt(project, suite)
    before: tuple[Path, tuple[str, str, int, str]] | None = None
    for row in _rows(project, suite):
        try:
            recording = _recording(row)
        except Row3Error as error:
            yield RecordingFinding("error", "broken-line", str(error), row.where)
            continue
        digest = digest_text(recording.answer.text)
        if recording.answer_digest != digest:
            what = "the answer was edited: it does not fit its answerDigest"
            yield RecordingFinding("error", "edited-answer", what, row.where)
        held = answers.setdefault(recording.digest, (digest, row.where))
        if held[1] != row.where:
            if held[0] == digest:
                yield RecordingFinding("warning", "twice", f"the same recording stands in {held[1]}", row.where)
            else:
                what = f"the same request has another answer in {held[1]}; the first one counts"
                yield RecordingFinding("error", "two-answers", what, row.where)
        output = outputs.get(recording.prompt)
        parsed = suite.kind.parse(output, recording.answer.text) if output is not None else None
        if isinstance(parsed, Unusable):
            yield RecordingFinding("warning", "bad-answer", f"{recording.case_id}: {parsed.reason}", row.where)
        key = (row.file, (recording.case_id, recording.prompt, recording.repeat, recording.digest))
        if before is not None and before[0] == key[0] and before[1] > key[1]:
            what = "out of order; `row3 recordings prune` sorts the file"
            yield RecordingFinding("warning", "unsorted", what, row.where)
        before = key


def _outputs_by_prompt(project: Project, suite: Suite) -> dict[str, str]:
    outputs = {}
    for name, versions in prompt_store.versions(project.root).items():
        for version in versions:
            prompt = prompt_store.read_prompt(project.root, PromptRef(name, version))
            if prompt.output in suite.kind.outputs:
                outputs[str(prompt.ref)] = prompt.output
    return outputs


def _verify_use(project: Project, suite: Suite) -> Iterator[RecordingFinding]:
    index = open_index(project.recordings(suite.name))
    reach = Reach(project, suite, index)
    today, ever = reach.digests(any_model=False), reach.digests(any_model=True)
    for digest in index.digests():
        if digest not in ever:
            what = "no prompt version asks for it with today's cases; `row3 recordings prune` removes it"
            yield RecordingFinding("warning", "stale", what, index.place(digest))
        elif digest not in today:
            what = "of another model or other parameters than today's; used only when they are asked for"
            yield RecordingFinding("warning", "other-parameters", what, index.place(digest))
    told: set[str] = set()
    for role in ROLES:
        for request in _lineup_use(project, suite, role, index)[1]:
            if request.digest not in told:
                told.add(request.digest)
                what = f"no recording of {request.prompt} ({role}) for {request.case_id}"
                yield RecordingFinding("warning", "missing", what, f"recordings/{suite.name}/{request.prompt}.jsonl")


def prune(project: Project, suite: Suite, *, dry_run: bool = False) -> Pruned:
    """Remove stale recordings: those that no version of any prompt asks for, under any model that is recorded.

    Each file is replaced as a whole, under the write lock. Raises `InvalidFile` for a broken line (and then
    nothing has changed), `EnvironmentFault`.
    """
    if dry_run:
        return _prune(project, suite, dry_run=True)
    with writing(project.local):
        return _prune(project, suite, dry_run=False)


def _prune(project: Project, suite: Suite, *, dry_run: bool) -> Pruned:
    index = open_index(project.recordings(suite.name))
    reached = Reach(project, suite, index).digests(any_model=True)
    lines: dict[Path, list[str]] = {}
    removed: dict[str, int] = {}
    for row in _rows(project, suite):
        kept = lines.setdefault(row.file, [])
        if _recording(row).digest in reached:
            kept.append(row.raw.decode("utf-8").strip())
        else:
            name = row.where.rpartition(":")[0]
            removed[name] = removed.get(name, 0) + 1
    if not dry_run:
        for path, kept in lines.items():
            write_lines(path, kept)
    return Pruned(removed, sum(map(len, lines.values())), dry_run)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    responses: int
    """Lines in the file."""
    changed: int
    """Recordings that are new or have another answer now."""
    by_prompt: dict[str, int]
    unused: tuple[str, ...] = ()
    """Responses that no run can ask for, because the earlier stage's answer cannot be used; a line each."""


class _Response(NamedTuple):
    line: int
    answer: Answer


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
    Raises `InvalidFile` with the line (unknown case or prompt, a response twice, an earlier stage missing) and then
    nothing has changed; `UsageError`, `EnvironmentFault`.
    """
    where = str(file)
    asking = make_asking(suite, line_up(project, suite, role="candidate", named=named), options or RunOptions())
    responses = _responses(file, asking.lineup, where=where)
    index = open_index(project.recordings(suite.name))
    at, known = now(), set()
    lines: list[str] = []
    unused: list[str] = []
    by_prompt: dict[str, int] = {}
    told: dict[str, tuple[str, str]] = {}
    for stored in read_cases(project.golden(suite.name), suite.kind):
        known.add(stored.id)
        for request, line, answer in _imports(asking, stored, responses.get(stored.id, {}), index, unused, where=where):
            first, text = told.setdefault(request.digest, (stored.id, answer.text))
            if text != answer.text:
                what = f"another answer to the same question: `{first}` has the same input as `{stored.id}`"
                raise InvalidFile(what, where=f"{where}:{line}", fix="Give both one answer, or remove one of the cases")
            lines.append(to_line(request, answer, recorded_at=at))
            by_prompt[request.prompt] = by_prompt.get(request.prompt, 0) + 1
    for case_id in responses.keys() - known:
        near = difflib.get_close_matches(case_id, known, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else "Correct the id, or remove the line"
        line = min(response.line for response in responses[case_id].values())
        raise InvalidFile(f"`{case_id}` is no golden case of the suite", where=f"{where}:{line}", fix=hint)
    with writing(project.local):
        changed = merge(project.recordings(suite.name), lines)
    return Imported(sum(map(len, responses.values())), changed, by_prompt, tuple(unused))


def _responses(file: Path, lineup: Lineup, *, where: str) -> Responses:
    refs = {str(prompt.ref): str(prompt.ref) for prompt in lineup.prompts}
    refs |= {prompt.ref.name: str(prompt.ref) for prompt in lineup.prompts}
    responses: Responses = {}
    for line in lines_of(file, where=where):
        place = f"{where}:{line.number}"
        value = parse_line(line.raw, where=place)
        case_id = case_id_of(value, where=place)
        named = str(value.get("prompt", "")).removeprefix("prompts/").removesuffix(".md")
        if named not in refs:
            raise InvalidFile(
                f"prompt `{named}` is not among those that are imported for" if named else "field `prompt` is missing",
                where=place,
                fix=f"These are {', '.join(map(str, (p.ref for p in lineup.prompts)))}; name others with --prompt",
            )
        repeat: Any = value.get("repeat", 0)
        if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 0:
            raise InvalidFile(f"field `repeat`: {repeat!r} is not a whole number from 0", where=place, fix="Correct it")
        held = responses.setdefault(case_id, {})
        earlier = held.get((refs[named], repeat))
        if earlier is not None:
            whose = f"case `{case_id}`, {refs[named]}, repeat {repeat}"
            what = f"{whose} stands twice, in lines {earlier.line} and {line.number}"
            raise InvalidFile(what, where=place, fix="Keep one of them")
        held[refs[named], repeat] = _Response(line.number, _answer(value, where=place))
    if not responses:
        raise InvalidFile("the file holds no response", where=where, fix="Write one object a line")
    return responses


def _answer(value: dict[str, Any], *, where: str) -> Answer:
    usage: Any = value.get("usage") or {}
    if not isinstance(usage, dict):
        raise InvalidFile("field `usage` is not an object", where=where, fix="Give promptTokens and completionTokens")

    def typed(source: dict[str, Any], key: str, kind: type | tuple[type, ...], what: str) -> Any:
        found: Any = source.get(key)
        wrong = isinstance(found, bool) or not isinstance(found, kind) or (isinstance(found, int | float) and found < 0)
        if found is not None and wrong:
            raise InvalidFile(f"field `{key}`: {found!r} is not {what}", where=where, fix="Correct it")
        return found

    text = typed(value, "response", str, "a text")
    if text is None:
        raise InvalidFile("field `response` is missing", where=where, fix="Give the raw text that the model wrote")
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
    unused: list[str],
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
                unused.append(f"{place}: never asked for, since the answer of {unusable} cannot be used")
                continue
            request = asking.request(prompt, stored.id, variables, repeat)
            recording = index.get(request.digest) if response is None else None
            answer = response.answer if response is not None else recording.answer if recording is not None else None
            if answer is None:
                gap = str(prompt.ref)
                continue
            if response is not None:
                yield request, response.line, answer
            parsed = kind.parse(prompt.output, answer.text)
            if isinstance(parsed, Unusable):
                unusable = str(prompt.ref)
            else:
                variables = {**variables, **kind.context(prompt.output, parsed.value)}
