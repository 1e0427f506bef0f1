"""The golden case and the outputs of kind `extraction` (STANDARDS, appendix B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import Field
from pydantic.alias_generators import to_camel

from row3.domain.models import Model, Text
from row3.domain.predicates import ROW3_PREDICATES
from row3.kinds.cases import Case, CaseId, Note
from row3.kinds.outputs import ASKED, Output, answer_values, meta

Domain = Literal["ecological", "technical", "social", "economic", "interdisciplinary"]
DOMAINS: tuple[str, ...] = get_args(Domain)
LISTS = {"entities": ("expectedConcepts", "label"), "relationships": ("expectedRelationships", "")}
"""By key of the expectations: the case's key, and its key for a name."""
TEXTS = ("text", "sourceText", "source_text", "document", "documentText", "document_text", "content")
"""Possible keys of the text in inputs that row3 did not write."""


class ExpectedConcept(Model):
    """A concept that a careful reader finds in the text."""

    label: Text
    """The concept as the text names it."""
    # A default of `[]` is copied in Python for each concept.
    aliases: list[Text] = Field(default_factory=list, json_schema_extra={"default": []})
    """Other forms that a reader would accept."""
    required: bool = True
    """Must be extracted; false for should."""
    inferred: bool = False
    """Implied by the text without occurring in it."""
    type: Text | None = None
    """A category, for suites with types."""
    note: Note = None


class Relationship(Model):
    """A relationship between two concepts, given by label."""

    source: Text
    target: Text
    predicate: Annotated[
        Text, Field(description="One of " + ", ".join(ROW3_PREDICATES) + ", or what the suite defines.")
    ]


class ExpectedRelationship(Relationship):
    """A relationship that the text states."""

    required: bool = True
    note: Note = None


class GoldenCase(Case, alias_generator=to_camel):
    """A golden case of kind `extraction`: input, expectations with aliases, canaries."""

    id: CaseId
    topic: str = ""
    domain: Domain | None = None
    citation: str | None = None
    """Source of an excerpt."""
    source_text: Text
    expected_concepts: list[ExpectedConcept]
    expected_relationships: list[ExpectedRelationship] = []
    forbidden_concepts: list[Text] = []
    """Canaries: plausible, fabricated, not in the text."""
    forbidden_relationships: list[Relationship] = []

    def variables(self) -> dict[str, Any]:
        """Return `topic` and `source_text`."""
        return {"topic": self.topic, "source_text": self.source_text}

    @classmethod
    def blank(cls, topic: str, text: str, names: Sequence[str]) -> dict[str, Any]:
        """Return a text without expectations."""
        lists = ("expectedConcepts", "expectedRelationships", "forbiddenConcepts")
        return {"topic": topic, "sourceText": text, **{key: [] for key in lists}}

    @classmethod
    def split(cls, value: dict[str, Any], schemas: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Take out text, topic and the answer's schemas, and entities and relationships."""
        given = {"text": value.pop("sourceText"), **({"topic": value.pop("topic")} if "topic" in value else {})}
        expected = {
            key: [_renamed(each, name, "name") for each in value.pop(field)]
            for key, (field, name) in LISTS.items()
            if field in value
        }
        return {**given, "schemas": schemas}, expected

    @classmethod
    def join(cls, given: Any, expected: Any) -> dict[str, Any]:
        """Return text, topic, concepts and relationships; raises `ValueError` without a text."""
        given = given if isinstance(given, dict) else {TEXTS[0]: given}
        text = next((given[key] for key in TEXTS if isinstance(given.get(key), str)), None)
        if text is None:
            raise ValueError(f"the input has no text under any of {', '.join(TEXTS)}")
        found: dict[str, Any] = {"sourceText": text, "expectedConcepts": []}
        found |= {key: given[key] for key in ("topic",) if key in given}
        expected = expected if isinstance(expected, dict) else {}
        expected = {"entities": expected.get("concepts")} | expected
        for key, (field, name) in LISTS.items():
            if isinstance(expected.get(key), list):
                found[field] = [_entry(each, name) for each in expected[key]]
        return found


class Quote(Output):
    """A quote given as an object, as some prompts ask for."""

    quote: Annotated[str | None, meta("", "text", "sourceQuote", "source_quote")] = None


class ConceptOut(Output):
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
    ] = Field(default=None, alias="sourceQuote")
    # Any value, so that an odd type does not make the answer unusable; see `row3.kinds.outputs.type_of`.
    type: Annotated[Any, meta("Its type.", "category", "entityType", "entity_type", "kind")] = None
    # Only monitoring reads it; no score depends on it.
    confidence: Annotated[Any, meta("How sure the model is, from 0 to 1.", **{ASKED: False})] = None

    @property
    def quote(self) -> str:
        """The source quote, in whatever accepted form it was given; empty for none."""
        return self.source_quote if isinstance(self.source_quote, str) else _quote_in(self.source_quote)

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Take a plain string for a label."""
        return {"label": value} if isinstance(value, str) else value


class RelationshipOut(Output):
    """One extracted relationship."""

    source: Annotated[str, meta("", "from", "subject")]
    predicate: Annotated[str, meta("", "type", "relation", "relationship")]
    target: Annotated[str, meta("", "to", "object")]


class ConceptsOut(Output):
    """Answer to a prompt with `output: concepts`."""

    concepts: list[ConceptOut]

    def context(self, name: str) -> dict[str, Any]:
        """Return the concepts by label and quote."""
        return {"concepts": [{"label": one.label, "quote": one.quote} for one in self.concepts]}


class RelationshipsOut(Output):
    """Answer to a prompt with `output: relationships`."""

    relationships: list[RelationshipOut]


class ExtractionOut(ConceptsOut):
    """A whole extraction: the answer to a prompt with `output: extraction`, or a pipeline's combined output."""

    relationships: list[RelationshipOut] = []

    def context(self, name: str) -> dict[str, Any]:
        """Return the concepts by label and quote, and the relationships."""
        return super().context(name) | {"relationships": answer_values(self.relationships)}

    @classmethod
    def reshape(cls, value: Any) -> Any:
        """Drop `relationships` if null."""
        return {key: part for key, part in value.items() if part is not None or key != "relationships"}


def _quote_in(value: Any) -> str:
    if isinstance(value, list):
        return next((text for text in map(_quote_in, value) if text.strip()), "")
    return (value.quote if isinstance(value, Quote) else value) or ""


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
