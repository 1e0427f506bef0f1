"""The golden case and the output of kind `entities` (V7, component 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from row3.kinds.base import Reference
from row3.kinds.memory_files import DocumentCase, Labelled, Text

ENTITY_TYPES = ("PERSON", "ORG", "PROJECT", "PRODUCT", "PLACE")


class ExpectedEntity(Labelled):
    """Who or what a careful reader finds, by the name that the whole corpus knows."""

    name: Text
    type: Text = Field(description="PERSON, ORG, PROJECT, PRODUCT or PLACE, or what the suite defines.")
    role: Text | None = Field(default=None, description="Only where this document says it.")
    mentions: list[Text] = Field(default_factory=list, description="How the document names it, word for word.")
    note: str | None = Field(default=None, description="For readers of the case.")


class EntitiesCase(DocumentCase):
    """A document with its entities; what other kinds expect of the document stands beside them."""

    expected_entities: list[ExpectedEntity]
    expected_events: Any = Field(default=None, exclude=True, description="Of kind `events`; not looked at here.")


class EntityOut(BaseModel):
    """One extracted entity."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    name: str = Field(
        validation_alias=AliasChoices("name", "label", "entity"),
        description="The fullest name that the document gives.",
    )
    type: Any = Field(default=None, validation_alias=AliasChoices("type", "entity_type", "category"))
    role: Any = Field(default=None, description="Position or function, where the document says it; else empty.")
    mentions: list[str] = Field(
        default_factory=list,
        validation_alias=AliasChoices("mentions", "aliases"),
        description="Every name that the document uses for it, copied character by character.",
    )

    @field_validator("mentions", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        """One text is a list of one; what is no text is no mention. Neither spoils the other entities."""
        several = value if isinstance(value, list) else [value]
        return [text for text in several if isinstance(text, str)]


class EntitiesOut(BaseModel):
    """Answer of a prompt with `output: entities`."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    entities: list[EntityOut]


def declared(case: DocumentCase, entities: Sequence[ExpectedEntity]) -> list[Reference]:
    """What a case brings into the corpus: its documents, and its entities by name and mention."""
    documents = [Reference("document", name) for name in case.texts()]
    return documents + [Reference("entity", text) for one in entities for text in (one.name, *one.mentions)]
