"""The golden case and the outputs of kind `extraction` (STANDARDS, appendix B)."""

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

    label: Annotated[Text, Meta(description="The concept as the text names it.")]
    aliases: Annotated[list[Text], Meta(description="Other forms that a reader would accept.")] = field(
        default_factory=list
    )
    required: Annotated[bool, Meta(description="Must be extracted; false for should.")] = True
    inferred: Annotated[bool, Meta(description="Implied by the text without occurring in it.")] = False
    type: Annotated[Text | None, Meta(description="A category, for suites with types.")] = None
    note: Note = None


class Relationship(Labelled, frozen=True):
    """A relationship between two concepts, given by label."""

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
    citation: Annotated[str | None, Meta(description="Source of an excerpt.")] = None
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
    """A quote given as an object, as some prompts ask for."""

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
    # Any value, so that an odd type does not make the answer unusable; see `row3.kinds.outputs.type_of`.
    type: Annotated[Any, meta("Its type.", "category", "entityType", "entity_type", "kind")] = None
    # Only monitoring reads it; no score depends on it.
    confidence: Annotated[Any, meta("How sure the model is, from 0 to 1.", **{ASKED: False})] = None

    @property
    def quote(self) -> str:
        """The source quote, in whatever accepted form it was given; empty for none."""
        return self.source_quote if isinstance(self.source_quote, str) else _quote_in(self.source_quote)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """Take a plain string for a label."""
        return {"label": value} if isinstance(value, str) else value


class RelationshipOut(Output, frozen=True):
    """One extracted relationship."""

    source: Annotated[str, meta("", "from", "subject")]
    predicate: Annotated[str, meta("", "type", "relation", "relationship")]
    target: Annotated[str, meta("", "to", "object")]


class ConceptsOut(Output, frozen=True):
    """Answer to a prompt with `output: concepts`."""

    concepts: list[ConceptOut]


class RelationshipsOut(Output, frozen=True):
    """Answer to a prompt with `output: relationships`."""

    relationships: list[RelationshipOut]


class ExtractionOut(Output, frozen=True):
    """A whole extraction: the answer to a prompt with `output: extraction`, or a pipeline's combined output."""

    concepts: list[ConceptOut]
    relationships: list[RelationshipOut] = field(default_factory=list)

    @classmethod
    def usual(cls, value: Any) -> Any:
        """Drop `relationships` if null."""
        return {key: part for key, part in value.items() if part is not None or key != "relationships"}


def _quote_in(value: Any) -> str:
    if isinstance(value, list):
        return next((text for text in map(_quote_in, value) if text.strip()), "")
    return (value.quote if isinstance(value, Quote) else value) or ""
