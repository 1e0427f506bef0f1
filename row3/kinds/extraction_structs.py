"""Answers of kind `extraction` in their usual form, as structs: the keys that a prompt asks for, texts, nothing beside.

They take a fraction of the time of the models in `extraction_models`, which read every other form and say what is
wrong. Fields have the names that they have there, so whoever uses an output need not know which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.json import Decoder
from pydantic import BaseModel

from row3.kinds.extraction_models import ConceptsOut, ExtractionOut, RelationshipsOut


class Concept(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One extracted concept: `ConceptOut`."""

    label: str
    source_quote: str | None = field(default=None, name="sourceQuote")
    type: str | None = None


class Relationship(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One extracted relationship: `RelationshipOut`."""

    source: str
    predicate: str
    target: str


class Concepts(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Answer of a prompt with `output: concepts`: `ConceptsOut`."""

    concepts: list[Concept]


class Relationships(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Answer of a prompt with `output: relationships`: `RelationshipsOut`."""

    relationships: list[Relationship]


class Extracted(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A whole extraction: `ExtractionOut`."""

    concepts: list[Concept]
    relationships: Sequence[Relationship] = ()
    """A list where there are any, also an empty one; the tuple where the key is missing."""


class _Line(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    case_id: str = field(name="caseId")
    output: Extracted


STRUCTS: dict[type[BaseModel], type[Struct]] = {
    ConceptsOut: Concepts,
    RelationshipsOut: Relationships,
    ExtractionOut: Extracted,
}
_ANSWERS: dict[type[BaseModel], Decoder[Any]] = {model: Decoder(struct) for model, struct in STRUCTS.items()}
_LINES = Decoder(_Line)


def usual_answer(model: type[BaseModel], text: str) -> Any:
    """An answer that is JSON of the usual form and nothing more; None for any other."""
    try:
        return _ANSWERS[model].decode(text)
    except ValueError:  # all that msgspec finds wrong is one
        return None


def usual_line(raw: bytes) -> tuple[str, Extracted, int] | None:
    """The case id and output of a line `{"caseId": …, "output": {…}}`, and how many keys were read at the least.

    None for a line of another form. Of two equal keys in one object the later is read, and one is counted.
    """
    try:
        line = _LINES.decode(raw)
    except ValueError:
        return None
    concepts, links = line.output.concepts, line.output.relationships
    absent = [one.source_quote for one in concepts].count(None) + [one.type for one in concepts].count(None)
    keys = 3 + 3 * len(concepts) - absent + isinstance(links, list) + 3 * len(links)
    return line.case_id, line.output, keys


def item_json(item: Any) -> dict[str, Any]:
    """A concept or relationship, struct or model, as plain values by its keys, without what is not there."""
    if isinstance(item, BaseModel):
        return item.model_dump(by_alias=True, exclude_none=True)
    return {key: value for key, value in to_builtins(item).items() if value is not None}
