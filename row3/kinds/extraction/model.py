"""The golden case and the output of kind `extraction` (STANDARDS, appendix B)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, field

from row3.domain.predicates import ROW3_PREDICATES
from row3.kinds.cases import Case, CaseId, Labelled, Note, Text
from row3.kinds.outputs import ASKED, Output, meta

Domain = Literal["ecological", "technical", "social", "economic", "interdisciplinary"]
DOMAINS: tuple[str, ...] = get_args(Domain)


class ExpectedConcept(Labelled, frozen=True):
    """A concept that a careful reader finds in the text."""

    label: Annotated[Text, Meta(description="The concept as it stands in the text.")]
    aliases: Annotated[list[Text], Meta(description="Other forms a reader would accept as the same concept.")] = field(
        default_factory=list
    )
    required: Annotated[bool, Meta(description="MUST be extracted; false for SHOULD.")] = True
    inferred: Annotated[bool, Meta(description="Implied by the text without standing in it.")] = False
    type: Annotated[Text | None, Meta(description="A category, for suites that carry types.")] = None
    note: Note = None


class Relationship(Labelled, frozen=True):
    """A relationship between two concepts, by their labels."""

    source: Text
    target: Text
    predicate: Annotated[
        Text, Meta(description="One of " + ", ".join(ROW3_PREDICATES) + ", or what the suite defines.")
    ]


class ExpectedRelationship(Relationship, frozen=True):
    """A relationship that the text states."""

    required: bool = True
    note: Note = None


class GoldenCase(Case, frozen=True, rename="camel", kw_only=True):
    """A golden case of kind `extraction`: input, expectations with aliases, canaries."""

    id: CaseId
    topic: str = ""
    domain: Domain | None = None
    citation: Annotated[str | None, Meta(description="The source of an excerpt.")] = None
    source_text: Text
    expected_concepts: list[ExpectedConcept]
    expected_relationships: list[ExpectedRelationship] = field(default_factory=list)
    forbidden_concepts: Annotated[list[Text], Meta(description="Canaries: plausible, fabricated, not in the text.")] = (
        field(default_factory=list)
    )
    forbidden_relationships: list[Relationship] = field(default_factory=list)

    def variables(self) -> dict[str, Any]:
        """Return `topic` and `source_text`."""
        return {"topic": self.topic, "source_text": self.source_text}


class Quote(Output, frozen=True):
    """Provenance as an object, as some prompts ask for it."""

    quote: Annotated[str | None, meta("", "text", "sourceQuote", "source_quote")] = None


class ConceptOut(Output, frozen=True):
    """One extracted concept."""

    label: Annotated[str, meta("The concept's name.", "name", "concept")]
    source_quote: Annotated[
        str | Quote | list[str | Quote] | None,
        meta(
            "The words of the source text that mention it, copied exactly.",
            "source_quote",
            "quote",
            "provenance",
            "evidence",
        ),
    ] = field(default=None, name="sourceQuote")
    # Anything at all, so that an odd type cannot make an answer unusable; see `row3.kinds.outputs.type_of`.
    type: Annotated[Any, meta("Its type.", "category", "entityType", "entity_type", "kind")] = None
    # Monitoring reads it; no score does.
    confidence: Annotated[Any, meta("How sure the model is, from 0 to 1.", **{ASKED: False})] = None

    @property
    def quote(self) -> str:
        """The source quote in any of the accepted forms; empty for none."""
        return self.source_quote if isinstance(self.source_quote, str) else _quote_in(self.source_quote)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """A plain string is a label."""
        return {"label": value} if isinstance(value, str) else value


class RelationshipOut(Output, frozen=True):
    """One extracted relationship."""

    source: Annotated[str, meta("", "from", "subject")]
    predicate: Annotated[str, meta("", "type", "relation", "relationship")]
    target: Annotated[str, meta("", "to", "object")]


class ConceptsOut(Output, frozen=True):
    """Answer of a prompt with `output: concepts`."""

    concepts: list[ConceptOut]


class RelationshipsOut(Output, frozen=True):
    """Answer of a prompt with `output: relationships`."""

    relationships: list[RelationshipOut]


class ExtractionOut(Output, frozen=True):
    """A whole extraction: answer of a prompt with `output: extraction`, or a pipeline's combined output."""

    concepts: list[ConceptOut]
    relationships: list[RelationshipOut] = field(default_factory=list)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """Relationships may be null."""
        return {key: part for key, part in value.items() if part is not None or key != "relationships"}


def _quote_in(value: Any) -> str:
    if isinstance(value, list):
        return next((text for text in map(_quote_in, value) if text.strip()), "")
    return (value.quote if isinstance(value, Quote) else value) or ""
