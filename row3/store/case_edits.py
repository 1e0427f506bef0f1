"""A golden case of kind `extraction` with one expectation more, its file otherwise as it was, to the byte."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from row3.errors import InvalidFile
from row3.store.json_edits import append

CONCEPTS, CANARIES, HISTORY = "expectedConcepts", "forbiddenConcepts", "history"


def with_aliases(raw: bytes, position: int, names: Sequence[str], entry: Mapping[str, str]) -> bytes:
    """The file with more aliases of the concept at that position, and an entry in the case's history."""
    text, value = _read(raw)
    concepts = value[CONCEPTS]
    like = [(CONCEPTS, i, "aliases") for i in range(len(concepts)) if i != position]
    for name in names:
        text = append(text, (CONCEPTS, position, "aliases"), name, after=("label",), like=[*like, (CANARIES,)])
        concepts[position].setdefault("aliases", []).append(name)
    return _finished(text, value, entry)


def with_canaries(raw: bytes, names: Sequence[str], entry: Mapping[str, str]) -> bytes:
    """The file with more canaries, and an entry in the case's history."""
    text, value = _read(raw)
    like = [(CONCEPTS, i, "aliases") for i in range(len(value[CONCEPTS]))]
    for name in names:
        text = append(text, (CANARIES,), name, after=("expectedRelationships", CONCEPTS), like=like)
        value.setdefault(CANARIES, []).append(name)
    return _finished(text, value, entry)


def _read(raw: bytes) -> tuple[str, dict[str, Any]]:
    text = raw.decode("utf-8")
    value = json.loads(text.removeprefix("\ufeff"))
    assert isinstance(value, dict)
    return text, value


def _finished(text: str, value: dict[str, Any], entry: Mapping[str, str]) -> bytes:
    """With the entry; raises `InvalidFile` where the text does not say exactly what it should, and nothing less."""
    text = append(text, (HISTORY,), dict(entry), like=[("expectedRelationships",), (CONCEPTS,)])
    value.setdefault(HISTORY, []).append(dict(entry))
    if json.loads(text.removeprefix("\ufeff")) != value:
        raise InvalidFile("the file cannot be edited without harm", where=str(value.get("id")), fix="Edit it by hand")
    return text.encode("utf-8")
