"""Two answers to one question, which a replay could not tell apart: why two cases ask the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from row3.domain.requests import Request
from row3.errors import InvalidFile
from row3.store.cases import StoredCase, read_cases
from row3.store.project import Project
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.unused_input import unused_inputs


def another_answer(
    project: Project, asking: Asking, first: str, stored: StoredCase, request: Request, *, where: str
) -> InvalidFile:
    """The error for two answers to one question: of two cases that are alike, or of a prompt that makes them so."""
    kind, said = asking.suite.kind, "another answer to the same question"

    cases = partial(read_cases, project.tree, asking.suite.golden, kind)

    def inputs() -> Iterator[Mapping[str, Any]]:
        return (kind.variables(each.case) for each in cases())

    for prompt, unused in unused_inputs(kind, asking.suite.rules, asking.lineup.prompts, inputs):
        if str(prompt.ref) == request.prompt and unused.level == "error":
            return InvalidFile(f"{said}: {prompt.path}:{unused.line} {unused.message}", where=where)
    own = kind.variables(stored.case)
    if any(each.id == first and kind.variables(each.case) != own for each in cases()):
        what = f"{said}: {request.prompt} asks the same of `{first}` and `{stored.id}`, whose inputs differ"
        return InvalidFile(what, where=where, fix="Show in the prompt what tells them apart, or give both one answer")
    what = f"{said}: `{first}` has the same input as `{stored.id}`"
    return InvalidFile(what, where=where, fix="Give both one answer, or remove one of the cases")
