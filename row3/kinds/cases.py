"""What golden cases of all kinds have in common. They are written by hand, so an unknown key is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from row3.domain.models import Day, Model, Text, Worded, keys_of
from row3.domain.requests import digest_json, digest_text

SHOWN = 60
"""Maximum characters of a demand's text; a digest replaces a longer one."""
DIGITS = 16
"""Hexadecimal digits kept of a digest: 64 bits suffice for a project."""
SOURCE = "source"
"""Key of a case's source."""
DISARMED = "disarmed:"
"""Prefix of the key of a forbidden item that cannot be found, because the case also expects it."""
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
    tags: list[Text] = []
    """Words by which --tag selects cases."""
    draft: bool = False
    """Not complete yet: linted but never scored."""
    critical: bool = False
    """A regression in this case blocks on its own."""
    history: list[Change] = []
    """Changes to the expectations, with reasons."""


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
    def _checked(self) -> Self:
        given = [bool(value) for value in (self.document_id, self.document, self.case_id, self.documents)]
        if given not in ([True, True, False, False], [False, False, True, True]):
            raise ValueError("give either `document_id` and `document`, or `case_id` and `documents`")
        names = [one.document_id for one in self.documents]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"`documents` lists `{twice}` twice")
        return self

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


def fact_text(value: Any) -> str:
    """Return an expected value as text, in which the order of lists does not matter."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return digest_json(sorted(value)) if isinstance(value, list) else str(value)


def demand_text(contents: set[str]) -> str:
    """Return what a case demands under one key, in a line or as a digest."""
    text = "; ".join(sorted(contents))
    return text if len(text) <= SHOWN and text.isprintable() else digest_text(text)[:DIGITS]


def expected_in(demands: Mapping[str, str]) -> list[str]:
    """Return the keys of demands that an answer can meet: all but the case's input, marks and aliases."""
    return [key for key in demands if ":" in key and not key.startswith(("alias:", DISARMED))]


def split_case(value: dict[str, Any], model: type[Case]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take a kind's own keys out of a case's JSON; return input and expectations."""
    own = keys_of(model).keys() - keys_of(Case).keys()
    expected = {key: value.pop(key) for key in list(value) if EXPECTS.match(key)}
    return {key: value.pop(key) for key in list(value) if key in own}, expected
