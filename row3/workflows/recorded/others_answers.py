"""Answers of another prompt version, which an import for an unedited copy of it would replace."""

from __future__ import annotations

import contextlib

from row3.domain.prompts import PromptRef, parse_reference
from row3.domain.requests import Answer, Request
from row3.errors import InvalidFile
from row3.store.project import Project
from row3.store.prompts import read_prompt
from row3.store.recordings import RecordingIndex
from row3.workflows.pipeline.templates import render


def keep_others(project: Project, index: RecordingIndex, request: Request, answer: Answer, *, where: str) -> None:
    """Raise `InvalidFile` where the answer would take the place of another one that a baseline may rest on.

    One request has one recorded answer, whichever version was asked. What no version asks any more is nobody's.
    """
    for recording in index.every(request.digest):
        if recording.prompt == request.prompt or recording.answer.text == answer.text:
            continue
        own, other = parse_reference(request.prompt), parse_reference(recording.prompt)
        if own is None or other is None or not _asks(project, other, request):
            continue
        newer = max(own, other, key=lambda ref: ref.version)
        raise InvalidFile(
            f"{own} asks word for word what {other} asks, and this is another answer than the one that is recorded "
            f"for {other}: it would be lost",
            where=where,
            fix=f"Edit prompts/{newer}.md first, or give the answers as those of {other} (--prompt {other})",
        )


def _asks(project: Project, ref: PromptRef, request: Request) -> bool:
    """The version is there and asks what the request asks."""
    with contextlib.suppress(InvalidFile):
        return render(read_prompt(project.root, ref), request.variables) == (request.system, request.user)
    return False
