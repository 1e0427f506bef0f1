"""`row3 langfuse push` and `pull`: golden cases and dataset items, the newer side written to the other.

Each item keeps the digest of the case that both sides last had. So a case that changed on one side only is known, and
one that changed on both is a conflict that a person settles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from row3.domain.counts import count
from row3.errors import InvalidFile, UsageError
from row3.integrations.langfuse.client import NO_DATASET, Connection, NotThereError, in_path
from row3.integrations.langfuse.items import HEADER, OURS, Item, case_digest, case_of, item_id, item_of, rest_of
from row3.store.cases import ENDING, case_id_of, case_value, file_of, golden_files, place_in, unique_cases
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.transaction import commit, writing
from row3.workflows.importing.drafts import Draft
from row3.workflows.importing.write import golden_file, new_case

if TYPE_CHECKING:
    from langfuse.api import Dataset, DatasetItem

NAMED = 5


@dataclass(frozen=True, slots=True)
class Synced:
    """What a push or a pull did, by case ids."""

    dataset: str
    written: Sequence[str] = ()
    unchanged: int = 0
    newer_there: Sequence[str] = ()
    """Changed on the side that was to be written, and left alone."""
    only_there: Sequence[str] = ()
    """Cases that the side that was read does not have."""


@dataclass(slots=True)
class Paired:
    """A case of a suite, on both sides as far as it is there."""

    case_id: str
    path: str = ""
    here: dict[str, Any] | None = None
    item: DatasetItem | None = None
    there: dict[str, Any] | None = None
    """None for an item that holds no case."""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digests(self) -> tuple[str, str, str]:
        """Digests of the case here, there, and when both were the same; empty where unknown."""
        own = self.metadata.get(OURS)
        known = str(own.get("digest", "")) if isinstance(own, dict) else ""
        here, there = ("" if each is None else case_digest(each) for each in (self.here, self.there))
        return here, there, known


def named(ids: Sequence[str]) -> str:
    """Return the first ids, and how many more there are."""
    return ", ".join(ids[:NAMED]) + (f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else "")


def dataset_of(project: Project, suite: str) -> str:
    """Return the name of a suite's dataset."""
    return project.config.langfuse.datasets.get(suite, suite)


def push(project: Project, suite: Suite, connection: Connection, *, force: bool = False) -> Synced:
    """Write the suite's cases to its dataset, which is made if it is new.

    Raises `UsageError` for cases that changed on both sides, unless `force`, and what `Connection.asking` raises.
    """
    dataset = dataset_of(project, suite.name)
    make_dataset(connection, dataset, suite)
    cases = paired(project, suite, connection, dataset)
    here = [each for each in cases if each.here is not None]
    if not here:
        fix = "Write golden cases, or `row3 langfuse pull` those of the dataset"
        raise UsageError("the suite has no golden cases to push", where=f"{suite.golden}/", fix=fix)
    _refuse_conflicts(here, force=force)
    written, newer, unchanged = [], [], 0
    for each in here:
        mine, theirs, known = each.digests
        if each.item is not None and mine != theirs and mine == known and not force:
            newer.append(each.case_id)
        elif _put_item(connection, dataset, suite, each):
            written.append(each.case_id)
        else:
            unchanged += 1
    return Synced(dataset, written, unchanged, newer, [each.case_id for each in cases if each.here is None])


def pull(project: Project, suite: Suite, connection: Connection, *, force: bool = False) -> Synced:
    """Write the dataset's items to the suite's golden cases, all of them or none.

    Raises `InvalidFile` for an item that holds no case, `UsageError` for cases that changed on both sides unless
    `force`, and what `Connection.asking` raises.
    """
    dataset = dataset_of(project, suite.name)
    cases = paired(project, suite, connection, dataset)
    there = [each for each in cases if each.item is not None]
    _refuse_conflicts(there, force=force)
    files: dict[str, bytes] = {}
    written, newer, unchanged = [], [], 0
    for each in there:
        here, theirs, known = each.digests
        if here and here == theirs:
            unchanged += 1
        elif here and theirs == known and not force:
            newer.append(each.case_id)
        else:
            where = f"item {each.item.id if each.item else ''} of dataset {dataset}"
            value = read_item(each, suite, where)
            connection.check(value, where=where)
            _add_case(files, project, suite, each, value)
            each.here = value
            written.append(each.case_id)
    if files:
        with writing(project.local):
            commit(project.root, project.local, files)
    for each in there:
        if each.case_id not in newer:
            _put_item(connection, dataset, suite, each)  # from here on both sides know what they had in common
    return Synced(dataset, written, unchanged, newer, [each.case_id for each in cases if each.item is None])


def paired(project: Project, suite: Suite, connection: Connection, dataset: str) -> list[Paired]:
    """Return the cases of both sides, those of the suite first. Raises `InvalidFile`, and as `Connection.asking`."""
    tree, cases = project.tree, {}
    list(unique_cases(tree, golden_files(tree, suite.golden), suite.kind))  # names two cases of one id
    for path in golden_files(tree, suite.golden):
        value = case_value(tree.read(file_of(path)), path, tree.place(path))
        cases[case_id_of(value)] = Paired(case_id_of(value), path, value)
    for item in connection.items(dataset):
        metadata = item.metadata if isinstance(item.metadata, dict) else {}
        case_id = case_id_of(rest_of(metadata)) or item.id.removeprefix(item_id(suite.name, ""))
        each = cases.setdefault(case_id, Paired(case_id))
        if each.item is not None:
            what, fix = f"two items hold the case `{case_id}`: {each.item.id} and {item.id}", "Archive one of them"
            raise InvalidFile(what, where=f"dataset {dataset}", fix=fix)
        each.item, each.metadata = item, metadata
        with suppress(InvalidFile):
            each.there = read_item(each, suite, item.id)
    return list(cases.values())


def read_item(each: Paired, suite: Suite, where: str) -> dict[str, Any]:
    """Return the case that an item holds; raises `InvalidFile` where it holds none."""
    assert each.item is not None
    return case_of(Item(each.item.input, each.item.expected_output, each.metadata, each.case_id), suite, where=where)


def _refuse_conflicts(cases: Sequence[Paired], *, force: bool) -> None:
    both = [each.case_id for each in cases if each.item and each.here is not None and len({*each.digests}) == 3]
    if both and not force:
        what = f"{count(len(both), 'case')} changed here and in LangFuse since both were the same: {named(both)}"
        fix = "Settle it: --force lets the side that is read win; commit first, so that git has the other text"
        raise UsageError(what, where="--force", fix=fix)


def _put_item(connection: Connection, dataset: str, suite: Suite, each: Paired) -> bool:
    """Write a case to its item unless it is there as it is; return whether it was written."""
    assert each.here is not None
    made, old = item_of(each.here, suite), each.item
    metadata = {**each.metadata, **made.metadata}
    if old is not None and (old.input, old.expected_output, old.metadata) == (made.input, made.expected, metadata):
        return False
    name, trace = (item_id(suite.name, each.case_id), None) if old is None else (old.id, old.source_trace_id)
    put_item(connection, dataset, replace(made, metadata=metadata), name, trace=trace)
    return True


def put_item(connection: Connection, dataset: str, item: Item, name: str, *, trace: str | None = None) -> None:
    """Write an item under an id; what is there under that id is replaced. Raises as `Connection.asking`."""
    where = f"case `{item.case_id}`"
    parts = {"input": item.input, "expected_output": item.expected, "metadata": item.metadata}
    connection.check(parts, where=where)
    parts |= {} if trace is None else {"source_trace_id": trace}
    with connection.asking(where, missing=f"Another dataset has an item with the id `{name}`: delete it there"):
        connection.api.dataset_items.create(dataset_name=dataset, id=name, **parts)


def find_dataset(connection: Connection, name: str) -> Dataset:
    """Return a dataset. Raises `NotThereError`, and as `Connection.asking`."""
    with connection.asking(f"dataset {name}", missing=NO_DATASET):
        found: Dataset = connection.api.datasets.get(in_path(name))
    return found


def make_dataset(connection: Connection, name: str, suite: Suite) -> None:
    """Make a suite's dataset unless it is there. Raises as `Connection.asking`."""
    with suppress(NotThereError):
        find_dataset(connection, name)
        return
    with connection.asking(f"dataset {name}"):
        connection.api.datasets.create(name=name, metadata={OURS: {"suite": suite.name, "kind": suite.kind.name}})


def _add_case(files: dict[str, bytes], project: Project, suite: Suite, each: Paired, value: dict[str, Any]) -> None:
    """Put a case into its file among those to write: its own one, or its place among many."""
    path = each.path or f"{suite.golden}/{each.case_id}{ENDING}"
    if not each.path and project.at(path).exists():
        raise InvalidFile("a file is where this case would go", where=path, fix="Rename it, then pull again")
    if each.here is None:
        files[path] = new_case(project, suite.name, suite.kind, each.case_id, Draft(path, value))[1]
        return
    whole = {**{key: part for key, part in each.here.items() if key in HEADER}, **value}
    content = golden_file(whole, suite.kind, path)
    if place := place_in(path):
        path = file_of(path)
        many = json.loads(files.get(path) or project.tree.read(path))
        many[place[0]][place[1]] = whole
        content = (json.dumps(many, ensure_ascii=False, indent=2) + "\n").encode()
    files[path] = content
