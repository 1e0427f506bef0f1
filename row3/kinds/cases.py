"""What golden cases of all kinds have in common. They are written by hand, so an unknown key is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_snake

from row3.domain.models import Day, Model, Text, Worded, keys_of

EXPECTS = re.compile(r"expected|forbidden_|forbidden[A-Z]|required_|relevant_|checks$")
"""Beginnings of a case's keys that say what an answer should be."""
CaseId = Annotated[
    str,
    Worded(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}",
        "letters, digits and . _ - only, the first a letter or a digit, at most 128",
    ),
    Field(description="Unique in the suite."),
]
Note = Annotated[str | None, Field(description="For readers of the case.")]


class Change(Model):
    """Why a golden case was changed."""

    date: Text
    change: Text
    reason: Text


class Case(Model):
    """Keys of cases of all kinds."""

    schema_: str | None = Field(default=None, alias="$schema")
    """JSON Schema for editors."""
    schema_version: Annotated[int, Field(ge=1)] = Field(default=1, alias="schemaVersion")
    version: str = "1.0"
    created: str | None = None
    """YYYY-MM-DD."""
    origin: str | None = None
    """Where the text comes from: original writing, or a source."""
    source: str | None = None
    """Any word; cases from the same source share it."""
    # A default of `[]` is copied in Python for each case.
    tags: list[Text] = Field(default_factory=list, json_schema_extra={"default": []})
    """Words by which --tag selects cases."""
    draft: bool = False
    """Not complete yet: linted but never scored."""
    critical: bool = False
    """A regression in this case blocks on its own."""
    history: list[Change] = Field(default_factory=list, json_schema_extra={"default": []})
    """Changes to the expectations, with reasons."""

    @classmethod
    def schema_name(cls) -> str:
        """Return the name of the JSON schema of such cases."""
        return to_snake(cls.__name__).replace("_", "-")

    @classmethod
    def blank(cls, topic: str, text: str, names: Sequence[str]) -> dict[str, Any]:
        """Return a case of a text without expectations, as in a file; empty if cases have more than a text.

        `names` are the variables of the prompt that is asked first.
        """
        return {}

    @classmethod
    def split(cls, value: dict[str, Any], schemas: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Take input and expectations out of a case's JSON, as a service that keeps them apart wants them.

        `schemas` has the JSON schema of the answer by output; an input may contain it.
        """
        own = keys_of(cls).keys() - keys_of(Case).keys()
        expected = {key: value.pop(key) for key in list(value) if EXPECTS.match(key)}
        return {key: value.pop(key) for key in list(value) if key in own}, expected

    @classmethod
    def join(cls, given: Any, expected: Any) -> dict[str, Any]:
        """Return the part of a case that `split` took, or that another program wrote; raises `ValueError`."""
        return {key: value for part in (given, expected) if isinstance(part, dict) for key, value in part.items()}


class MemoryCase(Case):
    """A case of a memory system; its own keys are in V7's snake_case."""

    domain: Text | None = None
    """What the scorecard groups by: meeting, email, chat …"""


class SourceDocument(Model):
    """One of several documents of a case."""

    document_id: CaseId
    title: str = ""
    date: Day | None = None
    """When it was written, YYYY-MM-DD."""
    document: Text
    """The text itself."""


class DocumentCase(MemoryCase):
    """A case on one document, which shares its id, or on several documents that are read together."""

    document_id: CaseId | None = None
    """Unique in the suite; for a case with one document."""
    case_id: CaseId | None = None
    """Unique in the suite; for a case with several documents."""
    title: str = ""
    date: Day | None = None
    """When it was written, YYYY-MM-DD."""
    document: Text | None = None
    """The text itself."""
    documents: list[SourceDocument] = []
    """Instead of `document`: several of them."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [bool(value) for value in (self.document_id, self.document, self.case_id, self.documents)]
        if given not in ([True, True, False, False], [False, False, True, True]):
            raise ValueError("give either `document_id` and `document`, or `case_id` and `documents`")
        names = [one.document_id for one in self.documents]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"`documents` lists `{twice}` twice")
        return self

    @classmethod
    def blank(cls, topic: str, text: str, names: Sequence[str]) -> dict[str, Any]:
        """Return a document without expectations; suites of several kinds may share it."""
        return {"title": topic, "document": text, "expected_events": [], "expected_entities": []}

    @property
    def id(self) -> str:
        """The case's id."""
        return self.document_id or self.case_id or ""

    def texts(self) -> dict[str, str]:
        """Return the texts by document id."""
        if self.documents:
            return {one.document_id: one.document for one in self.documents}
        return {self.document_id or "": self.document or ""}

    def text(self) -> str:
        """Return the text of all documents, joined by line breaks."""
        return "\n".join(self.texts().values())

    def variables(self) -> dict[str, Any]:
        """Return the variables of a template: `documents`, and the fields of a single document."""
        only = SourceDocument.model_construct(
            document_id=self.document_id or "", title=self.title, date=self.date, document=self.document or ""
        )
        return _fields(only) | {"documents": [_fields(one) for one in self.documents or [only]]}


def _fields(one: SourceDocument) -> dict[str, str]:
    day = "" if one.date is None else one.date.isoformat()
    return {"document_id": one.document_id, "title": one.title, "date": day, "document": one.document}
