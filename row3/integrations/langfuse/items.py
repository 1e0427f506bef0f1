"""Golden cases as dataset items and back, without loss.

A case's kind says what of it is input and expected output. The rest is in the item's metadata, under `row3`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import keys_of
from row3.domain.requests import digest_json
from row3.errors import InvalidFile
from row3.integrations.langfuse.client import Connection
from row3.project.cases import ID_KEYS, case_id_of
from row3.project.suites import Suite

if TYPE_CHECKING:
    from langfuse.api import DatasetItem

ROW3_KEY = "row3"
"""Key of row3's part of the metadata of an item or dataset."""
HEADER = ("$schema", "schemaVersion")


@dataclass(frozen=True, slots=True)
class Item:
    """A dataset item, which holds a golden case unless someone else made it."""

    id: str
    input: Any
    expected_output: Any
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source_trace_id: str | None = None

    @classmethod
    def received(cls, item: DatasetItem) -> Item:
        """Return an item of LangFuse."""
        metadata = item.metadata if isinstance(item.metadata, dict) else {}
        return cls(item.id, item.input, item.expected_output, metadata, item.source_trace_id)

    @classmethod
    def of_case(cls, case: Mapping[str, Any], suite: Suite, old: Item | None = None, trace: str | None = None) -> Item:
        """Return the item that holds a case, in the place of an old one."""
        rest = _content(case)
        own: dict[str, Any] = {"suite": suite.name, "kind": suite.kind.name, "digest": case_digest(rest)}
        ids = {key: rest.pop(key) for key in ID_KEYS if key in rest}
        schemas = {suite.kind.whole: suite.kind.schema(suite.kind.whole, suite.rules)}
        given, expected = suite.kind.case_model.split(rest, schemas)
        metadata = {**({} if old is None else old.metadata), ROW3_KEY: own | {"rest": ids | rest}}
        if old is not None:
            return cls(old.id, given, expected, metadata, old.source_trace_id)
        return cls(item_id(suite, case_id_of(case)), given, expected, metadata, trace)

    @property
    def own(self) -> dict[str, Any]:
        """row3's part of the metadata; empty for an item that row3 did not write."""
        return row3_part(self.metadata)

    @property
    def rest(self) -> dict[str, Any]:
        """The part of a case that is in the metadata."""
        rest = self.own.get("rest")
        return dict(rest) if isinstance(rest, dict) else {}

    @property
    def context(self) -> dict[str, Any]:
        """The part that is saved with an experiment's run."""
        return {"id": self.id, "input": self.input, "expectedOutput": self.expected_output}

    def place(self, dataset: str) -> str:
        """Return where it is, for messages."""
        return f"item {self.id} of dataset {dataset}"

    def case_id(self, suite: Suite) -> str:
        """Return the id of its case."""
        return case_id_of(self.rest) or self.id.removeprefix(item_id(suite, ""))

    def case(self, suite: Suite, *, where: str) -> dict[str, Any]:
        """Return its case, with keys in the kind's order. Raises `InvalidFile` for an item that does not hold one."""
        value = self.rest
        if not case_id_of(value):
            value[ID_KEYS[0]] = self.case_id(suite)
        try:
            value |= suite.kind.case_model.join(self.input, self.expected_output)
        except ValueError as error:
            raise InvalidFile(str(error), where=where, fix='Give it an input such as {"text": "…"}') from None
        value = {key: value[key] for key in (*ID_KEYS, *keys_of(suite.kind.case_model), *value) if key in value}
        try:
            convert(value, suite.kind.case_model)
        except MisfitsError as error:
            what = f"not a golden case: {error.summary()}"
            raise InvalidFile(what, where=where, fix="Correct it in LangFuse") from None
        return value

    def send(self, connection: Connection, dataset: str, case_id: str) -> None:
        """Write it to a dataset, replacing one with the same id. Raises as `Connection.faults`."""
        where, parts = f"case `{case_id}`", asdict(self)
        connection.check(parts, where=where)
        if self.source_trace_id is None:
            del parts["source_trace_id"]
        with connection.faults(where, missing=f"Another dataset has an item with the id `{self.id}`: delete it there"):
            connection.api.dataset_items.create(dataset_name=dataset, **parts)


def row3_part(metadata: Any) -> dict[str, Any]:
    """Return what row3 noted in the metadata of an item or dataset."""
    own = metadata.get(ROW3_KEY) if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def case_digest(case: Mapping[str, Any]) -> str:
    """Return the digest of a case's content; its schema reference and the order of keys do not count."""
    return digest_json(_whole(_content(case)))


def item_id(suite: Suite, case_id: str) -> str:
    """Return the id of a case's item; unique, because a suite's name has no dot."""
    return f"{suite.name}.{case_id}"


def parsed(value: Any) -> Any:
    """Return the value of a JSON text; anything else is returned unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _content(case: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in case.items() if key not in HEADER}


def _whole(value: Any) -> Any:
    """Return a value with 1 for 1.0, as LangFuse returns it."""
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
