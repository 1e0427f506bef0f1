"""Answer requests from recordings, and explain misses."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from row3.domain.asks import EmbeddingRequest
from row3.domain.prompts import Lineup, Prompt, PromptRef, parse_reference
from row3.domain.requests import Answer, NoAnswer, Request, input_digest
from row3.domain.words import marked
from row3.errors import InvalidFile, UsageError
from row3.project.project import Project
from row3.project.recording_lines import Recording
from row3.project.recordings import RecordingIndex, open_index
from row3.project.suites import Suite
from row3.running.asks import Given, Question
from row3.running.meanings import recorded
from row3.running.stages import readable_versions, request_messages


@dataclass(slots=True)
class Recorded:
    """Answers from recordings only."""

    index: RecordingIndex
    lineup: Lineup

    async def answer(self, question: Question) -> Given:
        """Return the recorded answer, or why there is none; raises `InvalidFile` for a broken recording."""
        if isinstance(question, EmbeddingRequest):
            return recorded(question, self.index.embeddings(question.model))
        return self.index.answer(question) or miss(self.index, question, self.lineup)


def open_recordings(project: Project, suite: Suite) -> RecordingIndex:
    """Return a suite's recordings for replay; lines copied from other requests are refused. Raises as `open_index`."""
    index = open_index(project.tree, suite.name)
    index.asks_differently = RecordedRequests(project, suite, index).differs
    return index


class RecordedRequests:
    """The requests of recordings, rendered again from the prompts and cases that the lines name."""

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index

    def differs(self, recording: Recording, request: Request) -> bool:
        """Return whether the line's own prompt and case render another text; False if they no longer exist."""
        prompt = self._prompts.get(str(recording.request.get("promptDigest", request.prompt_digest)))
        variables = self._variables(recording, request)
        if prompt is None or variables is None:
            return False
        try:
            return request_messages(prompt, variables) != request.messages
        except InvalidFile:  # the input lacks a variable, so this was never asked
            return True

    @cached_property
    def _prompts(self) -> dict[str, Prompt]:
        """Existing prompts, by digest."""
        recorded = (recording.prompt for recording in self._index.all())
        return {prompt.digest: prompt for prompt in readable_versions(self._project, self._suite, recorded)}

    @cached_property
    def _inputs(self) -> dict[str, Mapping[str, Any]]:
        """Variables of the current cases, by digest."""
        kind, cases = self._suite.kind, self._project.cases
        stored = (cases.case(path, kind) for path in cases.scored(self._suite.golden))
        return {input_digest(each): each for each in (one.case.variables() for one in stored)}

    def _variables(self, recording: Recording, request: Request) -> Mapping[str, Any] | None:
        """Return the variables of the recording's template; None if no case has that input."""
        digest = recording.request.get("inputDigest", request.input_digest)
        return request.variables if digest == request.input_digest else self._inputs.get(str(digest))


def miss(index: RecordingIndex, request: Request, lineup: Lineup) -> NoAnswer:
    """Return why a request has no recording: the nearest one and the first field that differs."""
    name = request.prompt.rpartition("-v")[0]
    near = index.nearest(request, f"{name}-{lineup.promoted.get(name)}")
    fix = "Record it with --mode record"
    if near is None:
        return NoAnswer(f"no recording, and none of {name} for this case", fix)
    recording, field, recorded_value, wanted = near
    text_changed = "the prompt's text has changed since"
    if recording.prompt != request.prompt:
        text_changed = f"it is for {recording.prompt}, which has a different text"
    if any(prompt.stage is not None and str(prompt.ref) == request.prompt for prompt in lineup.prompts):
        text_changed = "the version, arguments or setup of the call, or a file of its corpus, has changed"
    words = {
        "promptDigest": text_changed,
        "inputDigest": "the case's input, or the previous stage's output, has changed",
        "schemaDigest": "the output schema has changed",
        "files": "a file of the input, or its place, has changed",
        "rendered text": "the rendered text has changed",
    }
    how = words.get(field, f"{field} is {marked(recorded_value)} there and {marked(wanted)} here")
    place = index.place(recording.digest)
    return NoAnswer(f"no recording; the nearest is {place}, first difference in {field}: {how}", fix)


def refuse_replacing(
    project: Project,
    index: RecordingIndex,
    request: Request,
    *,
    where: str = "--mode record",
    otherwise: str = "use --mode auto, which takes the recorded answers and asks for the rest",
    answer: Answer | None = None,
) -> None:
    """Raise `UsageError` if recording a request would replace another prompt version's answer.

    A request has one recorded answer, and a baseline may need it. `answer` is the new one, if known; `otherwise` is a
    second way to fix it.
    """
    own = parse_reference(request.prompt)
    for recording in index.every(request.digest):
        other = parse_reference(recording.prompt)
        kept = answer is not None and recording.answer.said == answer.said
        if kept or own is None or other is None or other == own or not _same_text(project, index.suite, other, request):
            continue
        same = f"{request.prompt} and {other} send the same request for `{request.case_id}`"
        fix = f"Edit prompts/{max(own, other, key=lambda ref: ref.version)}.md first, or {otherwise}"
        raise UsageError(f"{same}: recording it would replace the answer for {other}", where=where, fix=fix)


def _same_text(project: Project, suite: str, ref: PromptRef, request: Request) -> bool:
    """Return whether a prompt version still exists and renders the request's text."""
    with contextlib.suppress(InvalidFile):
        return request_messages(project.suite_prompt(ref, suite), request.variables) == request.messages
    return False
