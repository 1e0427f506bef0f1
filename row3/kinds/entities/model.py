"""The golden case and the output of kind `entities` (V7, component 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, field

from row3.kinds.base import Reference
from row3.kinds.cases import DocumentCase, Labelled, Note, Text
from row3.kinds.outputs import Output, meta

ENTITY_TYPES = ("PERSON", "ORG", "PROJECT", "PRODUCT", "PLACE")


class ExpectedEntity(Labelled, frozen=True):
    """Who or what a careful reader finds, by the name that the whole corpus knows."""

    name: Text
    type: Annotated[Text, Meta(description="PERSON, ORG, PROJECT, PRODUCT or PLACE, or what the suite defines.")]
    role: Annotated[Text | None, Meta(description="Only where this document says it.")] = None
    mentions: Annotated[list[Text], Meta(description="How the document names it, word for word.")] = field(
        default_factory=list
    )
    note: Note = None


class EntitiesCase(DocumentCase, frozen=True, kw_only=True):
    """A golden case of kind `entities`: a document, or several, and who and what it speaks of."""

    expected_entities: list[ExpectedEntity]
    expected_events: Annotated[Any, Meta(description="Of kind `events`; not looked at here.")] = None


class EntityOut(Output, frozen=True):
    """One extracted entity."""

    name: Annotated[str, meta("The fullest name that the document gives.", "label", "entity")]
    type: Annotated[Any, meta("", "entity_type", "category")] = None
    role: Annotated[Any, meta("Position or function, where the document says it; else empty.")] = None
    mentions: Annotated[
        list[str], meta("Every name that the document uses for it, copied character by character.", "aliases")
    ] = field(default_factory=list)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """One text is a list of one; what is no text is no mention. Neither spoils the other entities."""
        if not isinstance(value, dict):
            return value
        given = {key: value[key] for key in ("mentions", "aliases") if key in value}
        several = {key: part if isinstance(part, list) else [part] for key, part in given.items()}
        return value | {key: [text for text in part if isinstance(text, str)] for key, part in several.items()}


class EntitiesOut(Output, frozen=True):
    """Answer of a prompt with `output: entities`."""

    entities: list[EntityOut]


def declared(case: DocumentCase, entities: Sequence[ExpectedEntity]) -> list[Reference]:
    """Return what a case brings into the corpus: its documents, and its entities by name and mention."""
    documents = [Reference("document", name) for name in case.texts()]
    return documents + [Reference("entity", text) for one in entities for text in (one.name, *one.mentions)]
