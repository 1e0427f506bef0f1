"""The golden case and the output of kind `extraction` (STANDARDS, appendix B)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from row3.matching.predicates import ROW3_PREDICATES

Domain = Literal["ecological", "technical", "social", "economic", "interdisciplinary"]
DOMAINS: tuple[str, ...] = ("ecological", "technical", "social", "economic", "interdisciplinary")
CASE_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
CASE_SCHEMA_VERSION = 1
LENIENT = ConfigDict(defer_build=True, extra="ignore", frozen=True)
"""Of outputs. Validators are built when something is first validated, which takes 30 ms: the usual file and the usual
answer are read by structs, and most runs meet no other."""

# A pattern rather than a validator of ours: a case has hundreds of texts, and this is checked without leaving Rust.
Text = Annotated[str, StringConstraints(pattern=r"\S")]


class _File(BaseModel):
    """Golden files are written by hand, so an unknown key is an error, not a default."""

    model_config = ConfigDict(
        defer_build=True,  # see LENIENT
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
    )


class ExpectedConcept(_File):
    """A concept that a careful reader finds in the text."""

    label: Text = Field(description="The concept as it stands in the text.")
    aliases: list[Text] = Field(
        default_factory=list, description="Other forms a reader would accept as the same concept."
    )
    required: bool = Field(default=True, description="MUST be extracted; false for SHOULD.")
    inferred: bool = Field(default=False, description="Implied by the text without standing in it.")
    type: Text | None = Field(default=None, description="A category, for suites that carry types.")
    note: str | None = Field(default=None, description="For readers of the case.")


class Relationship(_File):
    """A relationship between two concepts, by their labels."""

    source: Text
    target: Text
    predicate: Text = Field(description="One of " + ", ".join(ROW3_PREDICATES) + ", or what the suite defines.")


class ExpectedRelationshipModel(Relationship):
    """A relationship that the text states."""

    required: bool = True
    note: str | None = Field(default=None, description="For readers of the case.")


class Change(_File):
    """Why a golden case was changed."""

    date: Text
    change: Text
    reason: Text


class GoldenCase(_File):
    """One labelled example: input, expectations with aliases, canaries."""

    schema_: str | None = Field(default=None, alias="$schema", description="JSON Schema for editors.")
    schema_version: int = Field(default=CASE_SCHEMA_VERSION, ge=1)
    id: Annotated[str, StringConstraints(pattern=CASE_ID)] = Field(description="Unique in the suite.")
    topic: str = ""
    domain: Domain | None = None
    version: str = "1.0"
    created: str | None = Field(default=None, description="YYYY-MM-DD.")
    origin: str | None = Field(default=None, description="Where the text comes from: original writing, or a source.")
    citation: str | None = Field(default=None, description="The source of an excerpt.")
    source: str | None = Field(default=None, description="Cases that share a source document carry the same word.")
    critical: bool = Field(default=False, description="This case alone blocks when it breaks.")
    source_text: Text
    expected_concepts: list[ExpectedConcept]
    expected_relationships: list[ExpectedRelationshipModel] = Field(default_factory=list)
    forbidden_concepts: list[Text] = Field(
        default_factory=list, description="Canaries: plausible, fabricated, not in the text."
    )
    forbidden_relationships: list[Relationship] = Field(default_factory=list)
    history: list[Change] = Field(default_factory=list, description="Changes of the expectations, with the reason.")


class QuoteOut(BaseModel):
    """Provenance as an object, as some prompts ask for it."""

    model_config = LENIENT
    quote: str | None = Field(
        default=None, validation_alias=AliasChoices("quote", "text", "sourceQuote", "source_quote")
    )


class ConceptOut(BaseModel):
    """One extracted concept."""

    model_config = LENIENT
    label: str = Field(
        validation_alias=AliasChoices("label", "name", "concept"),
        serialization_alias="label",
        description="The concept's name.",
    )
    source_quote: str | QuoteOut | list[str | QuoteOut] | None = Field(
        default=None,
        validation_alias=AliasChoices("sourceQuote", "source_quote", "quote", "provenance", "evidence"),
        serialization_alias="sourceQuote",
        description="The words of the source text that mention it, copied exactly.",
    )
    # Anything at all, so that an odd type cannot make an answer unusable; see `extraction_types.type_of`.
    type: Any = Field(
        default=None,
        validation_alias=AliasChoices("type", "category", "entityType", "entity_type", "kind"),
        description="Its type.",
    )


class RelationshipOut(BaseModel):
    """One extracted relationship."""

    model_config = LENIENT
    source: str = Field(validation_alias=AliasChoices("source", "from", "subject"))
    predicate: str = Field(validation_alias=AliasChoices("predicate", "type", "relation", "relationship"))
    target: str = Field(validation_alias=AliasChoices("target", "to", "object"))


class ConceptsOut(BaseModel):
    """Answer of a prompt with `output: concepts`."""

    model_config = LENIENT
    concepts: list[ConceptOut]


class RelationshipsOut(BaseModel):
    """Answer of a prompt with `output: relationships`."""

    model_config = LENIENT
    relationships: list[RelationshipOut]


class ExtractionOut(BaseModel):
    """A whole extraction: answer of a prompt with `output: extraction`, or a pipeline's combined output."""

    model_config = LENIENT
    concepts: list[ConceptOut]
    relationships: list[RelationshipOut] = []


def quote_of(value: Any) -> str:
    """The quote in any of the accepted forms; empty for none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, QuoteOut):
        return value.quote or ""
    return next((text for text in map(quote_of, value) if text.strip()), "")


def answer_schema(
    model: type[BaseModel], predicates: tuple[str, ...], types: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """The JSON schema a prompt asks its answer to fit, derived from the output model.

    Reduced to what every structured-output endpoint accepts: no references, no optional keys,
    nothing beside what is named. Reduced also so that a release of pydantic cannot move it, since it is part of
    every request's digest.

    Args:
        model: the output model.
        predicates: what a relationship's predicate may be; empty for any.
        types: what a concept's type may be; empty for any, None where no type is asked for.
    """
    choices = {"predicate": predicates, "type": types or ()}
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        key = field.serialization_alias or name
        inner = getattr(field.annotation, "__args__", (None,))[0]
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            properties[key] = {"type": "array", "items": answer_schema(inner, predicates, types)}
            continue
        if name == "type" and types is None:
            continue
        properties[key] = {"type": "string"}
        if field.description:
            properties[key]["description"] = field.description
        if choices.get(name):
            properties[key]["enum"] = list(choices[name])
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
