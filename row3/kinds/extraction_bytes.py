"""An explanation of kind `extraction` written as JSON at once, for runs of very many cases.

It takes a third of the time of `extraction_json` and the writer of pydantic, and needs a library that a run of few
cases need not load: import this module where it is used. A test holds the two together.
"""

from __future__ import annotations

from itertools import starmap

import msgspec

from row3.domain.matches import Explanation, Triple


class _Type(msgspec.Struct, gc=False):
    given: str
    expected: str
    state: str


class _Concept(msgspec.Struct, gc=False, omit_defaults=True):
    label: str
    state: str
    expected: str | None
    score: float
    quote: str
    grounded: bool
    how: str = ""
    why_not: str = msgspec.field(default="", name="whyNot")
    type: _Type | None = None


class _Found(msgspec.Struct, gc=False):
    label: str
    required: bool
    found_by: str = msgspec.field(name="foundBy")


class _Missed(msgspec.Struct, gc=False):
    label: str
    required: bool
    found_by: None = msgspec.field(name="foundBy")
    nearest: str | None
    score: float


class _Relationship(msgspec.Struct, gc=False):
    """Its fields are those of `RelationshipMatch`, in its order."""

    triple: Triple
    state: str
    expected: Triple | None


class _ExpectedRelationship(msgspec.Struct, gc=False):
    """Its fields are those of the `ExpectedRelationship` of the domain, in its order."""

    triple: Triple
    required: bool
    found_by: Triple | None = msgspec.field(name="foundBy")


class _Matches(msgspec.Struct, gc=False):
    concepts: list[_Concept]
    expected_concepts: list[_Found | _Missed] = msgspec.field(name="expectedConcepts")
    relationships: list[_Relationship]
    expected_relationships: list[_ExpectedRelationship] = msgspec.field(name="expectedRelationships")


_ENCODER = msgspec.json.Encoder()
_BUFFER = bytearray(64 * 1024)
"""Kept from case to case: to let a buffer grow takes as long as to fill it."""


def matches_bytes(explanation: Explanation) -> bytearray:
    """What `matches_json` says, as compact JSON, byte by byte what pydantic writes of it.

    The bytes stand until the next call. Raises `UnicodeEncodeError` for half a surrogate pair, which a model can write
    and UTF-8 cannot.
    """
    _ENCODER.encode_into(
        _Matches(
            [
                _Concept(
                    label,
                    state,
                    expected,
                    score if score == 1.0 else round(score, 4),
                    quote,
                    grounded,
                    how,
                    "" if how else why_not,
                    None if type_ is None else _Type(*type_),
                )
                for label, state, expected, score, quote, grounded, type_, how, why_not in explanation.concepts
            ],
            [
                _Found(label, required, found_by)
                if found_by is not None
                else _Missed(label, required, None, nearest, round(score, 4))
                for label, required, found_by, nearest, score in explanation.expected_concepts
            ],
            list(starmap(_Relationship, explanation.relationships)),
            list(starmap(_ExpectedRelationship, explanation.expected_relationships)),
        ),
        _BUFFER,
    )
    return _BUFFER
