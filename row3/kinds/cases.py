"""What golden cases of all kinds have in common. They are written by hand, so an unknown key is an error."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from row3.domain.requests import digest_json, digest_text
from row3.domain.structs import worded

SHOWN = 60
"""Maximum characters of a demand's text; a digest replaces a longer one."""
DIGITS = 16
"""Hexadecimal digits kept of a digest: 64 bits suffice for a project."""
SOURCE = "source"
"""Key of a case's source."""
DISARMED = "disarmed:"
"""Prefix of the key of a forbidden item that cannot be found, because the case also expects it."""
Text = Annotated[str, Meta(pattern=r"\S")]
CaseId = Annotated[
    str,
    worded(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}",
        "letters, digits and . _ - only, the first a letter or a digit, at most 128",
    ),
    Meta(description="Unique in the suite."),
]
Day = date
"""YYYY-MM-DD in the file."""
Note = Annotated[str | None, Meta(description="For readers of the case.")]


class Labelled(Struct, frozen=True, kw_only=True, gc=False, forbid_unknown_fields=True):
    """A part of a golden file."""


class Change(Labelled, frozen=True, kw_only=True):
    """Why a golden case was changed."""

    date: Text
    change: Text
    reason: Text


class Case(Labelled, frozen=True, kw_only=True):
    """Keys of cases of all kinds."""

    schema_: Annotated[str | None, Meta(description="JSON Schema for editors.")] = field(default=None, name="$schema")
    schema_version: Annotated[int, Meta(ge=1)] = field(default=1, name="schemaVersion")
    version: str = "1.0"
    created: Annotated[str | None, Meta(description="YYYY-MM-DD.")] = None
    origin: Annotated[str | None, Meta(description="Where the text comes from: original writing, or a source.")] = None
    source: Annotated[str | None, Meta(description="Any word; cases from the same source share it.")] = None
    tags: Annotated[list[Text], Meta(description="Words by which --tag selects cases.")] = field(default_factory=list)
    draft: Annotated[bool, Meta(description="Not complete yet: linted but never scored.")] = False
    critical: Annotated[bool, Meta(description="A regression in this case blocks on its own.")] = False
    history: Annotated[list[Change], Meta(description="Changes to the expectations, with reasons.")] = field(
        default_factory=list
    )


class MemoryCase(Case, frozen=True, kw_only=True):
    """A case of a memory system; its own keys are in V7's snake_case."""

    domain: Annotated[Text | None, Meta(description="What the scorecard groups by: meeting, email, chat …")] = None


class SourceDocument(Labelled, frozen=True, kw_only=True):
    """One of several documents of a case."""

    document_id: CaseId
    title: str = ""
    date: Annotated[Day | None, Meta(description="When it was written, YYYY-MM-DD.")] = None
    document: Annotated[Text, Meta(description="The text itself.")]


class DocumentCase(MemoryCase, frozen=True, kw_only=True):
    """A case on one document, which shares its id, or on several documents that are read together."""

    document_id: Annotated[CaseId | None, Meta(description="Unique in the suite; for a case with one document.")] = None
    case_id: Annotated[CaseId | None, Meta(description="Unique in the suite; for a case with several documents.")] = (
        None
    )
    title: str = ""
    date: Annotated[Day | None, Meta(description="When it was written, YYYY-MM-DD.")] = None
    document: Annotated[Text | None, Meta(description="The text itself.")] = None
    documents: Annotated[list[SourceDocument], Meta(description="Instead of `document`: several of them.")] = field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        given = [bool(value) for value in (self.document_id, self.document, self.case_id, self.documents)]
        if given not in ([True, True, False, False], [False, False, True, True]):
            raise ValueError("give either `document_id` and `document`, or `case_id` and `documents`")
        names = [one.document_id for one in self.documents]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise ValueError(f"`documents` lists `{twice}` twice")

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
        only = SourceDocument(
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
