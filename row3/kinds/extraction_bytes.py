"""An explanation of kind `extraction` written as JSON at once, for runs of very many cases.

It takes a third of the time of `extraction_json` and the writer of pydantic. Only such runs need it: import this module
where it is used. A test holds the two together.
"""

from __future__ import annotations

import msgspec

from row3.domain.matches import ConceptMatch, ExpectedRelationship, Explanation, RelationshipMatch


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


class _Matches(msgspec.Struct, gc=False):
    concepts: tuple[ConceptMatch, ...]
    expected_concepts: list[_Found | _Missed] = msgspec.field(name="expectedConcepts")
    relationships: tuple[RelationshipMatch, ...]
    expected_relationships: tuple[ExpectedRelationship, ...] = msgspec.field(name="expectedRelationships")


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
            explanation.concepts,
            [
                _Found(one.label, one.required, one.found_by)
                if one.found_by is not None
                else _Missed(one.label, one.required, None, one.nearest, one.score)
                for one in explanation.expected_concepts
            ],
            explanation.relationships,
            explanation.expected_relationships,
        ),
        _BUFFER,
    )
    return _BUFFER
