"""`row3 langfuse push`, `pull` and `seed`: golden cases to dataset items and back, and production traces to both.

Each item keeps the digest of the case that both sides last had. So row3 knows which side changed; if both did, it is a
conflict for a person to settle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from row3.commands.importing.drafts import Draft
from row3.commands.importing.write import golden_file, new_case
from row3.domain.words import count
from row3.errors import InvalidFile, UsageError
from row3.integrations.langfuse.client import (
    HEADER,
    NO_DATASET,
    ROW3_KEY,
    Connection,
    Item,
    NotFoundError,
    case_digest,
    in_path,
    item_id,
    parsed,
)
from row3.kinds import monitored_kind
from row3.kinds.answers import Unusable
from row3.project.cases import ENDING, case_id_of, file_of, is_line, place_in
from row3.project.json_lines import MAX_BYTES
from row3.project.parquet import PARQUET
from row3.project.project import Project
from row3.project.suites import Suite
from row3.project.transaction import commit, writing
from row3.reports.sentences import some

if TYPE_CHECKING:
    from langfuse.api import Dataset


NAMED = 5


@dataclass(frozen=True, slots=True)
class Synced:
    """Result of a push or a pull, by case ids."""

    dataset: str
    written: Sequence[str] = ()
    unchanged: int = 0
    target_newer: Sequence[str] = ()
    """Cases that only the target changed, so they were left alone."""
    target_only: Sequence[str] = ()
    """Cases that only the target has."""


@dataclass(slots=True)
class CasePair:
    """A case of a suite and its dataset item, either of which may be missing."""

    case_id: str
    path: str = ""
    local: dict[str, Any] | None = None
    item: Item | None = None
    remote: dict[str, Any] | None = None
    """None if the item does not hold a case."""

    @property
    def digests(self) -> tuple[str, str, str]:
        """Digests of the local case, the remote one, and the last one they shared; empty if unknown."""
        known = "" if self.item is None else str(self.item.own.get("digest", ""))
        local, remote = ("" if each is None else case_digest(each) for each in (self.local, self.remote))
        return local, remote, known


def dataset_of(project: Project, suite: str) -> str:
    """Return the name of a suite's dataset."""
    return project.config.langfuse.datasets.get(suite, suite)


def push(project: Project, suite: Suite, connection: Connection, *, force: bool = False) -> Synced:
    """Write the suite's cases to its dataset, creating it if needed.

    Raises `UsageError` for cases that changed on both sides, unless `force`, and as `Connection.faults`.
    """
    dataset = dataset_of(project, suite.name)
    make_dataset(connection, dataset, suite)
    cases = pair_cases(project, suite, connection, dataset)
    local = [each for each in cases if each.local is not None]
    if not local:
        fix = "Write golden cases, or copy the dataset's with `row3 langfuse pull`"
        raise UsageError("the suite has no golden cases to push", where=f"{suite.golden}/", fix=fix)
    _refuse_conflicts(local, force=force)
    written, newer, unchanged = [], [], 0
    for each in local:
        ours, theirs, known = each.digests
        if each.item is not None and ours != theirs and ours == known and not force:
            newer.append(each.case_id)
        elif _put_item(connection, dataset, suite, each):
            written.append(each.case_id)
        else:
            unchanged += 1
    return Synced(dataset, written, unchanged, newer, [each.case_id for each in cases if each.local is None])


def pull(project: Project, suite: Suite, connection: Connection, *, force: bool = False) -> Synced:
    """Write the dataset's items to the suite's golden cases, all of them or none.

    Raises `InvalidFile` for an item that does not hold a case, `UsageError` for cases that changed on both sides unless
    `force`, and as `Connection.faults`.
    """
    dataset = dataset_of(project, suite.name)
    cases = pair_cases(project, suite, connection, dataset)
    remote = [(each, each.item) for each in cases if each.item is not None]
    _refuse_conflicts([each for each, _ in remote], force=force)
    files: dict[str, bytes] = {}
    written, newer, unchanged = [], [], 0
    for each, item in remote:
        ours, theirs, known = each.digests
        if ours and ours == theirs:
            unchanged += 1
        elif ours and theirs == known and not force:
            newer.append(each.case_id)
        else:
            value = item.case(suite, where=item.place(dataset))
            connection.check(value, where=item.place(dataset))
            _add_case(files, project, suite, each, value)
            each.local = value
            written.append(each.case_id)
    if files:
        with writing(project.root):
            commit(project.root, files)
    for each, _ in remote:
        if each.case_id not in newer:
            _put_item(connection, dataset, suite, each)  # records the digest that both sides now share
    return Synced(dataset, written, unchanged, newer, [each.case_id for each in cases if each.item is None])


def pair_cases(project: Project, suite: Suite, connection: Connection, dataset: str) -> list[CasePair]:
    """Return the cases of both sides, the suite's first. Raises `InvalidFile`, and as `Connection.faults`."""
    cases = {}
    for _ in project.cases.unique(suite.golden, suite.kind):
        pass  # refuses two cases with one id
    for path in project.cases.paths(suite.golden):
        value = project.cases.value(path)
        cases[case_id_of(value)] = CasePair(case_id_of(value), path, value)
    for item in map(Item.received, connection.items(dataset)):
        case_id = item.case_id(suite)
        each = cases.setdefault(case_id, CasePair(case_id))
        if each.item is not None:
            what, fix = f"two items hold the case `{case_id}`: {each.item.id} and {item.id}", "Archive one of them"
            raise InvalidFile(what, where=f"dataset {dataset}", fix=fix)
        each.item = item
        with suppress(InvalidFile):
            each.remote = item.case(suite, where=item.id)
    return list(cases.values())


def _refuse_conflicts(cases: Sequence[CasePair], *, force: bool) -> None:
    both = [each.case_id for each in cases if each.item and each.local is not None and len({*each.digests}) == 3]
    if both and not force:
        what = f"{count(len(both), 'case')} changed both here and in LangFuse: {some(both, NAMED)}"
        raise UsageError(what, where="--force", fix="Commit first, then overwrite the target with --force")


def _put_item(connection: Connection, dataset: str, suite: Suite, each: CasePair) -> bool:
    """Write a case to its item unless they are equal; return whether it was written."""
    assert each.local is not None
    item = Item.of_case(each.local, suite, each.item)
    if item != each.item:
        item.send(connection, dataset, each.case_id)
    return item != each.item


def find_dataset(connection: Connection, name: str) -> Dataset:
    """Return a dataset. Raises `NotFoundError`, and as `Connection.faults`."""
    with connection.faults(f"dataset {name}", missing=NO_DATASET):
        found: Dataset = connection.api.datasets.get(in_path(name))
    return found


def make_dataset(connection: Connection, name: str, suite: Suite) -> None:
    """Create a suite's dataset unless it exists. Raises as `Connection.faults`."""
    with suppress(NotFoundError):
        find_dataset(connection, name)
        return
    with connection.faults(f"dataset {name}"):
        connection.api.datasets.create(name=name, metadata={ROW3_KEY: {"suite": suite.name, "kind": suite.kind.name}})


def _add_case(files: dict[str, bytes], project: Project, suite: Suite, each: CasePair, value: dict[str, Any]) -> None:
    """Add a case to the files to write: as a file of its own, or in its place in a file of many."""
    path = each.path or f"{suite.golden}/{each.case_id}{ENDING}"
    if PARQUET in file_of(path):
        raise InvalidFile("row3 does not write Parquet files", where=path, fix="Change the case there by hand")
    if not each.path and project.at(path).exists():
        raise InvalidFile("the file of this case already exists", where=path, fix="Rename it, then pull again")
    if each.local is None:
        files[path] = new_case(project, suite.name, suite.kind, each.case_id, Draft(path, value))[1]
        return
    whole = {**{key: part for key, part in each.local.items() if key in HEADER}, **value}
    content = golden_file(whole, suite.kind, path)
    if place := place_in(path):
        alone, path = is_line(path), file_of(path)
        before = files.get(path) or project.tree.read(path, limit=MAX_BYTES)
        if alone:
            lines = before.split(b"\n")
            lines[place[1]] = json.dumps(whole, ensure_ascii=False).encode()
            content = b"\n".join(lines)
        else:
            many = json.loads(before)
            many[place[0]][place[1]] = whole
            content = (json.dumps(many, ensure_ascii=False, indent=2) + "\n").encode()
    files[path] = content


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
