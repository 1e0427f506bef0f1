"""Answers from recordings: which recording answers a request, and why none does."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from row3.domain.counts import marked
from row3.domain.embeddings import EmbeddingRequest
from row3.domain.prompts import Lineup, Prompt, PromptRef, parse_reference
from row3.domain.requests import Answer, NoAnswer, Request, digest_json
from row3.errors import InvalidFile, UsageError
from row3.store.cases import case_files, read_case
from row3.store.lessons import read_taught
from row3.store.project import Project
from row3.store.recording_lines import Recording
from row3.store.recordings import RecordingIndex, open_index
from row3.store.suites import Suite
from row3.workflows.pipeline.asks import Given, Question
from row3.workflows.pipeline.meanings import recorded
from row3.workflows.pipeline.stages import readable_versions, request_texts
from row3.workflows.pipeline.templates import render


@dataclass(slots=True)
class Recorded:
    """Answers from recordings only."""

    index: RecordingIndex
    lineup: Lineup

    async def answer(self, question: Question) -> Given:
        """The recorded answer, or why there is none; raises `InvalidFile` for a broken recording."""
        if isinstance(question, EmbeddingRequest):
            return recorded(question, self.index.embeddings(question.model))
        return self.index.answer(question) or miss(self.index, question, self.lineup)


def open_recordings(project: Project, suite: Suite) -> RecordingIndex:
    """The recordings of a suite to replay; a line copied from elsewhere is refused. Raises as `open_index`."""
    index = open_index(project.tree, suite.name)
    index.asks_otherwise = OwnRequests(project, suite, index).ask_otherwise
    return index


class OwnRequests:
    """What recordings asked by their own account: the prompts and cases that they name, rendered again. These may be
    others than the request's as long as both ask the same.
    """

    def __init__(self, project: Project, suite: Suite, index: RecordingIndex) -> None:
        self._project, self._suite, self._index = project, suite, index
        self._prompts: dict[str, Prompt] | None = None
        self._inputs: dict[str, Mapping[str, Any]] | None = None

    def ask_otherwise(self, recording: Recording, request: Request) -> bool:
        """Whether the prompt and case that a line names ask something else; False where they are gone."""
        prompt = self._by_digest().get(str(recording.request.get("promptDigest", request.prompt_digest)))
        variables = self._variables(recording, request)
        if prompt is None or variables is None:
            return False
        try:
            return request_texts(prompt, variables) != (request.system, request.user)
        except InvalidFile:  # it needs what this input does not give, so this was never asked
            return True

    def _by_digest(self) -> dict[str, Prompt]:
        if self._prompts is None:
            recorded_of = (recording.prompt for recording in self._index.all())
            prompts = readable_versions(self._project, self._suite, recorded_of)
            self._prompts = {prompt.digest: prompt for prompt in prompts}
        return self._prompts

    def _variables(self, recording: Recording, request: Request) -> Mapping[str, Any] | None:
        """What the recording's template was given; None where that input is not here."""
        digest = recording.request.get("inputDigest", request.input_digest)
        if digest == request.input_digest:
            return request.variables
        if self._inputs is None:
            kind = self._suite.kind
            tree = self._project.tree
            stored = (read_case(tree, path, kind) for path in case_files(tree, self._suite.golden))
            self._inputs = {digest_json(each): each for each in (kind.variables(one.case) for one in stored)}
        return self._inputs.get(str(digest))


def miss(index: RecordingIndex, request: Request, lineup: Lineup) -> NoAnswer:
    """Return why a request has no recording: the nearest one, and the first field that differs."""
    name = request.prompt.rpartition("-v")[0]
    near = index.nearest(request, f"{name}-{lineup.promoted.get(name)}")
    fix = "Record it with --mode record"
    if near is None:
        return NoAnswer(f"no recording, and none of {name} for this case", fix)
    recording, field, there, wanted = near
    text_changed = "the prompt's text has changed since"
    if recording.prompt != request.prompt:
        text_changed = f"it is of {recording.prompt}, which has another text"
    if any(prompt.stage is not None and str(prompt.ref) == request.prompt for prompt in lineup.prompts):
        text_changed = "the version, arguments or setup of the call, or a file of its corpus, has changed"
    words = {
        "promptDigest": text_changed,
        "inputDigest": "the case's input, or the previous stage's output, has changed",
        "schemaDigest": "the output schema has changed",
        "rendered text": "the rendered text has changed",
    }
    how = words.get(field, f"{field} is {marked(there)} there and {marked(wanted)} here")
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
    """Raise `UsageError` before another version's answer is replaced, on which a baseline may rest: one request has one
    recorded answer. `answer` would replace it, if known; `otherwise` is another way out.
    """
    own = parse_reference(request.prompt)
    for recording in index.every(request.digest):
        other = parse_reference(recording.prompt)
        kept = answer is not None and recording.answer.said == answer.said
        if kept or own is None or other is None or other == own or not _asks(project, index.suite, other, request):
            continue
        raise UsageError(
            f"{request.prompt} asks about `{request.case_id}` word for word what {other} asks: its answer would "
            f"replace the one that is recorded for {other}",
            where=where,
            fix=f"Edit prompts/{max(own, other, key=lambda ref: ref.version)}.md first, or {otherwise}",
        )


def _asks(project: Project, suite: str, ref: PromptRef, request: Request) -> bool:
    """Whether a prompt version that is still there asks what the request asks."""
    with contextlib.suppress(InvalidFile):
        return render(read_taught(project.tree, ref, suite), request.variables) == (request.system, request.user)
    return False
