"""`row3 langfuse seed`: a production trace as a dataset item and as a draft of a golden case, both linked to it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins

from row3.errors import InvalidFile, UsageError
from row3.integrations.langfuse.client import Connection
from row3.integrations.langfuse.datasets import dataset_of, make_dataset, put_item
from row3.integrations.langfuse.items import EXTRACTION, TEXTS, Item, item_id, item_of, ordered
from row3.kinds.answers import Unusable
from row3.store.cases import ENDING
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit, writing
from row3.workflows.importing.drafts import Draft
from row3.workflows.importing.write import new_case

TRACE = re.compile(r"[0-9A-Za-z_-]{1,64}\Z")
ID_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Seeded:
    """What a trace became."""

    dataset: str
    item: str
    path: str
    """Of the draft."""
    corrected: bool
    """A reviewer's correction in LangFuse is the expected output."""
    new: bool
    """False where the draft was there already; it is left as it is."""


def seed(project: Project, suite: Suite, connection: Connection, trace: str) -> Seeded:
    """Make a dataset item and a draft of a trace's input and validated output; doing so again changes nothing.

    Raises `UsageError` for a trace that is not there or has no output, `InvalidFile` for one that is no extraction,
    and as `Connection.asking`.
    """
    where = f"trace {trace}"
    if suite.kind.name != EXTRACTION:
        what = f"suite `{suite.name}` is of kind {suite.kind.name}; traces seed kind {EXTRACTION}"
        raise UsageError(what, where="--suite", fix="Name an extraction suite")
    if not TRACE.match(trace):
        raise UsageError("this is no id of a trace", where="--trace", fix="Copy it from the trace's page in LangFuse")
    asked, said, corrected = _read_trace(connection, trace, where)
    case_id = f"trace-{trace[:ID_DIGITS].strip('_-')}"
    value = ordered(
        {
            "id": case_id,
            "draft": True,
            "origin": f"LangFuse trace {trace}",
            **_input(asked, where),
            **_expected(said, suite, where),
        },
        suite.kind,
    )
    dataset, name = dataset_of(project, suite.name), item_id(suite.name, case_id)
    connection.check(value, where=where)
    path = f"{suite.golden}/{case_id}{ENDING}"
    new = not project.tree.exists(path)
    if not new:
        return Seeded(dataset, name, path, corrected, new)
    make_dataset(connection, dataset, suite)
    made = item_of(value, suite)
    put_item(connection, dataset, Item(made.input, made.expected, made.metadata, case_id), name, trace=trace)
    content = new_case(project, suite.name, suite.kind, case_id, Draft(where, value))[1]
    with writing(project.local):
        commit(project.root, project.local, {path: content})
    return Seeded(dataset, name, path, corrected, new)


def _read_trace(connection: Connection, trace: str, where: str) -> tuple[Any, Any, bool]:
    """Return input and validated output of a trace: a reviewer's correction of it, else what it says itself."""
    api = connection.api
    with connection.asking(where):
        found = api.observations.get_many(trace_id=trace, fields="core,basic,io", is_root_observation=True).data
    if not found:
        fix = "Check the id, and wait some seconds for a new trace"
        raise UsageError("LangFuse has no such trace", where=where, fix=fix)
    with connection.asking(where):
        corrections = api.scores.get_many(trace_id=trace, data_type="CORRECTION").data
    latest = max(corrections, key=lambda score: score.timestamp, default=None)
    root = found[0]
    said = root.output if latest is None else latest.value
    if said in (None, "", {}, []):
        what = "the trace has no output, so there is nothing to expect of an answer"
        raise UsageError(what, where=where, fix="Seed a trace whose output a person has checked")
    return _parsed(root.input), _parsed(said), latest is not None


def _parsed(value: Any) -> Any:
    """Return what a text of JSON says; LangFuse gives input and output as texts."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _input(asked: Any, where: str) -> dict[str, Any]:
    """Return text and topic of a trace's input: a text, an object with one, or the last message of a chat."""
    if isinstance(asked, Mapping) and isinstance(asked.get("messages"), list):
        asked = asked["messages"]
    if isinstance(asked, list):
        asked = next((each.get("content") for each in reversed(asked) if isinstance(each, Mapping)), None)
    given = {"text": asked} if isinstance(asked, str) else asked
    text = (
        next((given[key] for key in TEXTS if isinstance(given.get(key), str)), "") if isinstance(given, Mapping) else ""
    )
    if not text.strip():
        what = f"the trace's input has no text under any of {', '.join(TEXTS)}"
        raise InvalidFile(what, where=where, fix="Write the case by hand, or log the text under one of these")
    topic = given.get("topic") if isinstance(given, Mapping) else None
    return {"sourceText": text, **({"topic": topic} if isinstance(topic, str) else {})}


def _expected(said: Any, suite: Suite, where: str) -> dict[str, Any]:
    """Return what a trace's output says as expectations, read as an answer is."""
    read = suite.kind.read_output(said, suite.rules.fields)
    if isinstance(read, Unusable):
        what = f"the trace's output is no extraction: {read.reason}"
        raise InvalidFile(what, where=where, fix="Write the case by hand, or correct the output in LangFuse")
    output = read.value
    concepts: dict[str, Any] = {}
    for each in output.concepts:
        if each.label.strip():
            concepts.setdefault(each.label, each.type)
    return {
        "expectedConcepts": [
            {"label": label, **({"type": kind} if isinstance(kind, str) and kind.strip() else {})}
            for label, kind in concepts.items()
        ],
        "expectedRelationships": [to_builtins(each) for each in dict.fromkeys(output.relationships)],
    }
