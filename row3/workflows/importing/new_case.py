"""`row3 cases new`: a golden case from a text, as a draft that a person completes."""

from __future__ import annotations

import re
from typing import Any

from row3.errors import InvalidFile, UsageError
from row3.store.cases import ENDING, golden_files, name_of
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit, writing
from row3.workflows.importing.drafts import Draft, slug
from row3.workflows.importing.write import new_case
from row3.workflows.pipeline.stages import versions_of
from row3.workflows.pipeline.templates import used_names

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def draft_case(
    project: Project,
    suite: Suite,
    name: str,
    text: str,
    *,
    where: str,
    origin: str | None = None,
    topic: str | None = None,
) -> str:
    """Write a draft of a name and a text; return its path.

    Args:
        name: an id, or what the case is about, from which the id is made.
        where: what the text was read from, for messages.
        origin: where the text comes from, for readers of the case.
        topic: what the text is about; default: the name.

    Raises `UsageError` for a kind without a text and for a case that is there, `InvalidFile` for an empty text.
    """
    if not text.strip():
        raise InvalidFile("there is no text", where=where, fix="Give the text that the case is about")
    case_id = name if ID.fullmatch(name) else slug(name)
    if not case_id:
        raise UsageError(f"no id can be made of `{name}`", where="row3 cases new", fix="Use letters or digits")
    tree, path = project.tree, f"{suite.golden}/{case_id}{ENDING}"
    there = {name_of(each).casefold(): each for each in golden_files(tree, suite.golden)}
    if held := path if tree.exists(path) else there.get(name_of(path).casefold()):
        raise UsageError(f"the case `{case_id}` is there already", where=held, fix="Choose another name")
    topic = topic or re.sub(r"[-_]+", " ", name).strip()
    value = {
        "draft": True,
        **({} if origin is None else {"origin": origin}),
        **_blank(project, suite, topic, text.strip()),
    }
    content = new_case(project, suite.name, suite.kind, case_id, Draft(where, value))[1]
    with writing(project.local):
        commit(project.root, project.local, {path: content})
    return path


def _blank(project: Project, suite: Suite, topic: str, text: str) -> dict[str, Any]:
    """Return the keys of a case without expectations; raises `UsageError` for a kind whose cases have no text."""
    kind = suite.kind
    if kind.name == "extraction":
        lists = ("expectedConcepts", "expectedRelationships", "forbiddenConcepts")
        return {"topic": topic, "sourceText": text, **{key: [] for key in lists}}
    if kind.name in ("events", "entities"):  # which may share a folder
        return {"title": topic, "document": text, "expected_events": [], "expected_entities": []}
    if kind.name == "checks":
        first = versions_of(project, suite, suite.pipeline[0], ())[-1:] if suite.pipeline else []
        names = {name for prompt in first for name in used_names(prompt)} - {"input"}
        return {"input": dict.fromkeys(sorted(names), text) or text, "checks": []}
    fix = "Name a suite of kind extraction, events, entities or checks with --suite"
    raise UsageError(f"a case of kind {kind.name} is made of more than a text", where="row3 cases new", fix=fix)
