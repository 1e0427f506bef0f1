"""`row3 langfuse seed`: turn a production trace into a dataset item and a draft golden case, both linked to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from row3.commands.importing.drafts import Draft
from row3.commands.importing.write import new_case
from row3.errors import InvalidFile, UsageError
from row3.integrations.langfuse.client import Connection
from row3.integrations.langfuse.datasets import dataset_of, make_dataset
from row3.integrations.langfuse.items import Item, item_id, parsed
from row3.kinds import monitored_kind
from row3.kinds.answers import Unusable
from row3.project.cases import ENDING
from row3.project.project import Project
from row3.project.suites import Suite
from row3.project.transaction import commit, writing

TRACE = re.compile(r"[0-9A-Za-z_-]{1,64}\Z")
ID_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Seeded:
    """The item and the draft made from a trace."""

    item: str
    path: str
    """Of the draft."""
    corrected: bool = False
    """Whether the expected output is a reviewer's correction in LangFuse."""
    new: bool = True
    """False if the draft already existed; it is left unchanged."""


def seed(project: Project, suite: Suite, connection: Connection, trace: str) -> Seeded:
    """Make a dataset item and a draft from a trace's input and validated output; a second call changes nothing.

    Raises `UsageError` for an unknown trace or one without output, `InvalidFile` for an output that is not an
    extraction, and as `Connection.faults`.
    """
    where = f"trace {trace}"
    if suite.kind is not (kind := monitored_kind()):
        what = f"suite `{suite.name}` is of kind {suite.kind.name}; traces become cases of kind {kind.name}"
        raise UsageError(what, where="--suite", fix=f"Name an {kind.name} suite")
    if not TRACE.match(trace):
        raise UsageError("not a trace id", where="--trace", fix="Copy it from the trace's page in LangFuse")
    case_id = f"trace-{trace[:ID_DIGITS].strip('_-')}"
    path, name = f"{suite.golden}/{case_id}{ENDING}", item_id(suite, case_id)
    if project.tree.exists(path):
        return Seeded(name, path, new=False)
    given, said, corrected = _read_trace(connection, trace, where)
    read = kind.read_output(said, suite.rules.fields)
    if isinstance(read, Unusable):
        what = f"the trace's output is not an {kind.name}: {read.reason}"
        raise InvalidFile(what, where=where, fix="Write the case by hand, or correct the output in LangFuse")
    held = Item(name, given, kind.expectations(read.value)).case(suite, where=where)
    value = {"id": held.pop("id"), "draft": True, "origin": f"LangFuse trace {trace}"} | held
    connection.check(value, where=where)
    content = new_case(project, suite.name, suite.kind, case_id, Draft(where, value))[1]
    dataset = dataset_of(project, suite.name)
    make_dataset(connection, dataset, suite)
    Item.of_case(value, suite, trace=trace).send(connection, dataset, case_id)
    with writing(project.root):
        commit(project.root, {path: content})
    return Seeded(name, path, corrected)


def _read_trace(connection: Connection, trace: str, where: str) -> tuple[Any, Any, bool]:
    """Return a trace's input and output, and whether the output is a reviewer's correction."""
    api = connection.api
    with connection.faults(where):
        found = api.observations.get_many(trace_id=trace, fields="core,basic,io", is_root_observation=True).data
        corrections = api.scores.get_many(trace_id=trace, data_type="CORRECTION").data
    if not found:
        fix = "Check the id; a new trace takes some seconds to appear"
        raise UsageError("LangFuse does not have this trace", where=where, fix=fix)
    latest = max(corrections, key=lambda score: score.timestamp, default=None)
    said = found[0].output if latest is None else latest.value
    if said in (None, "", {}, []):
        what = "the trace has no output to use as the expected answer"
        raise UsageError(what, where=where, fix="Seed a trace whose output a person has checked")
    given = parsed(found[0].input)
    if isinstance(given, dict) and isinstance(given.get("messages"), list):
        given = given["messages"]
    if isinstance(given, list):  # a chat: its last message has the text
        given = next((each.get("content") for each in reversed(given) if isinstance(each, dict)), None)
    return given, parsed(said), latest is not None
