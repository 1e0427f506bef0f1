"""Golden cases as dataset items and back, without loss.

For extraction, an item's input has the text and the answer's schemas, its expected output entities and relationships.
Other kinds keep their own keys. The rest of a case is in the item's metadata, under `row3`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from row3.domain.models import MisfitsError, convert, keys_of
from row3.domain.requests import digest_json
from row3.errors import InvalidFile
from row3.kinds.base import Kind
from row3.kinds.cases import Case
from row3.project.cases import ID_KEYS, case_id_of
from row3.project.suites import Suite

ROW3_KEY = "row3"
"""Key of row3's part of an item's metadata."""
EXTRACTION = "extraction"
EXPECTS = re.compile(r"expected|forbidden_|forbidden[A-Z]|required_|relevant_|checks$")
"""Keys that say what an answer should be; matched at their beginning."""
HEADER = ("$schema", "schemaVersion")
LISTS = {"entities": ("expectedConcepts", "label"), "relationships": ("expectedRelationships", "")}
"""By key of an extraction's expected output: the case's key, and its key for a name."""
TEXTS = ("text", "sourceText", "source_text", "document", "documentText", "document_text", "content")
"""Possible keys of the text in inputs that row3 did not write."""


@dataclass(frozen=True, slots=True)
class Item:
    """A case in the form of a dataset item."""

    input: Any
    expected: Any
    metadata: Mapping[str, Any]
    case_id: str


def case_digest(value: Mapping[str, Any]) -> str:
    """Return the digest of a case's content; its schema reference and the order of keys do not count."""
    return digest_json(_whole({key: part for key, part in value.items() if key not in HEADER}))


def item_id(suite: str, case_id: str) -> str:
    """Return the id of a case's item; unique, because a suite's name has no dot."""
    return f"{suite}.{case_id}"


def item_of(value: Mapping[str, Any], suite: Suite) -> Item:
    """Return a case as a dataset item."""
    rest = {key: part for key, part in value.items() if key not in HEADER}
    case_id = case_id_of(rest)
    own: dict[str, Any] = {"suite": suite.name, "kind": suite.kind.name, "digest": case_digest(rest)}
    if suite.kind.name == EXTRACTION:
        sent: dict[str, Any] = {"text": rest.pop("sourceText")}
        if "topic" in rest:
            sent["topic"] = rest.pop("topic")
        sent["schemas"] = {suite.kind.whole: suite.kind.schema(suite.kind.whole, suite.rules)}
        expected: dict[str, Any] = {
            key: [_renamed(each, name, "name") for each in rest.pop(field)]
            for key, (field, name) in LISTS.items()
            if field in rest
        }
    else:
        expected = {key: rest.pop(key) for key in list(rest) if EXPECTS.match(key)}
        plain = {*_keys(suite.kind)} - {*keys_of(Case)}
        sent = {key: rest.pop(key) for key in list(rest) if key in plain and key not in ID_KEYS}
    return Item(sent, expected, {ROW3_KEY: own | {"rest": rest}}, case_id)


def case_of(item: Item, suite: Suite, *, where: str) -> dict[str, Any]:
    """Return the case in an item, with keys in the kind's order; row3 need not have written the item.

    Raises `InvalidFile` for an item without a text, or that is not a case.
    """
    value = rest_of(item.metadata)
    if not case_id_of(value):
        value[ID_KEYS[0]] = item.case_id
    if suite.kind.name == EXTRACTION:
        value |= _extraction(item, where)
    else:
        for part in (item.input, item.expected):
            value |= part if isinstance(part, dict) else {}
    value = {key: value[key] for key in dict.fromkeys((*ID_KEYS, *_keys(suite.kind), *value)) if key in value}
    try:
        convert(value, suite.kind.case_model)
    except MisfitsError as error:
        raise InvalidFile(f"not a golden case: {error.summary()}", where=where, fix="Correct it in LangFuse") from None
    return value


def rest_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a case that is in the metadata; empty for an item that row3 did not write."""
    own = metadata.get(ROW3_KEY)
    rest = own.get("rest") if isinstance(own, dict) else None
    return dict(rest) if isinstance(rest, dict) else {}


def parsed(value: Any) -> Any:
    """Return the value of a JSON text; anything else is returned unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _whole(value: Any) -> Any:
    """Return a value with 1 for 1.0, as LangFuse returns it."""
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _keys(kind: Kind) -> list[str]:
    model: type[Case] = kind.case_model
    return list(keys_of(model))


def _extraction(item: Item, where: str) -> dict[str, Any]:
    given = item.input if isinstance(item.input, dict) else {TEXTS[0]: item.input}
    text = next((given[key] for key in TEXTS if isinstance(given.get(key), str)), None)
    if text is None:
        what, fix = f"the input has no text under any of {', '.join(TEXTS)}", 'Give it an input such as {"text": "…"}'
        raise InvalidFile(what, where=where, fix=fix)
    value: dict[str, Any] = {"sourceText": text, "expectedConcepts": []}
    value |= {key: given[key] for key in ("topic",) if key in given}
    expected = item.expected if isinstance(item.expected, dict) else {}
    expected = {"entities": expected.get("concepts")} | expected
    for key, (field, name) in LISTS.items():
        if isinstance(expected.get(key), list):
            value[field] = [_entry(each, name) for each in expected[key]]
    return value


def _entry(each: Any, name: str) -> Any:
    """Return an expected entity or relationship with row3's keys: label, predicate."""
    if isinstance(each, str) and name:
        return {name: each}
    if isinstance(each, dict) and not name and "predicate" not in each:
        return _renamed(each, "type", "predicate")
    return _renamed(each, "name", name) if name else each


def _renamed(each: Any, old: str, new: str) -> Any:
    if not (isinstance(each, dict) and old):
        return each
    return {new if key == old else key: part for key, part in each.items()}
