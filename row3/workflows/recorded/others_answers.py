"""Answers of another prompt version, which an import or a recording for an unedited copy of it would replace."""

from __future__ import annotations

import contextlib

from row3.domain.prompts import PromptRef, parse_reference
from row3.domain.requests import Answer, Request
from row3.errors import InvalidFile, UsageError
from row3.store.project import Project
from row3.store.prompts import read_prompt
from row3.store.recordings import Recording, RecordingIndex
from row3.workflows.pipeline.templates import render


def keep_others(project: Project, index: RecordingIndex, request: Request, answer: Answer, *, where: str) -> None:
    """Raise `InvalidFile` where the answer would take the place of another one that a baseline may rest on.

    One request has one recorded answer, whichever version was asked. What no version asks any more is nobody's.
    """
    unlike = [recording for recording in index.every(request.digest) if recording.answer.text != answer.text]
    for recording in unlike:
        other = _other_version(project, recording, request)
        if other is not None:
            fix = f"Edit prompts/{_newer(request, other)}.md first"
            if all(each.prompt == recording.prompt for each in unlike):  # else they would replace this version's there
                fix = (
                    f"{fix}. Or, if they are to be the answers of {other}: write {other} into the field `prompt` of "
                    f"these lines, and import them with --prompt {other}"
                )
            raise InvalidFile(
                f"{request.prompt} asks word for word what {other} asks, and this is another answer than the one that "
                f"is recorded for {other}: it would be lost",
                where=where,
                fix=fix,
            )


def ask_for_own(project: Project, index: RecordingIndex, request: Request) -> None:
    """Raise `UsageError` before a request is asked whose answer is to be recorded, and is recorded for another version.

    What would be answered cannot be known, and the recorded answer would be lost.
    """
    for recording in index.every(request.digest):
        other = _other_version(project, recording, request)
        if other is not None:
            raise UsageError(
                f"{request.prompt} asks about `{request.case_id}` word for word what {other} asks: its answer would "
                f"take the place of the one that is recorded for {other}",
                where="--mode record",
                fix=f"Edit prompts/{_newer(request, other)}.md first, or use --mode auto, which takes the recorded "
                "answers and asks for the rest",
            )


def _other_version(project: Project, recording: Recording, request: Request) -> PromptRef | None:
    """The version that a recording of this request is of, where it is another one that asks the same today."""
    other = parse_reference(recording.prompt)
    if recording.prompt == request.prompt or other is None or parse_reference(request.prompt) is None:
        return None
    return other if _asks(project, other, request) else None


def _newer(request: Request, other: PromptRef) -> PromptRef:
    own = parse_reference(request.prompt)
    return other if own is None or other.version > own.version else own


def _asks(project: Project, ref: PromptRef, request: Request) -> bool:
    """The version is there and asks what the request asks."""
    with contextlib.suppress(InvalidFile):
        return render(read_prompt(project.tree, ref), request.variables) == (request.system, request.user)
    return False
