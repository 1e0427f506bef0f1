"""Every field that does not fit is named, with a suggestion."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, field

from row3.domain.structs import MUST, MisfitsError, convert


class Inner(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(pattern=r"\S")]
    size: Annotated[int | None, Meta(description="A number.")] = None


class Outer(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    word: Annotated[Literal["one", "two"] | None, Meta(description="A choice.")] = None
    code: Annotated[Annotated[str, Meta(pattern="^[a-z]$", extra={MUST: "one letter"})] | None, Meta()] = None
    day: date | None = None
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5
    inner_parts: list[Inner] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    few: Annotated[list[str], Meta(min_length=1)] | None = None

    def __post_init__(self) -> None:
        if len(self.texts) > 2:
            raise ValueError("give at most two texts")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "should be an object, not an empty array"),
        ({"Word": "one"}, "field `Word` is unknown; did you mean `word`?"),
        ({"x": 1}, "field `x` is unknown; known fields: code, day, few, innerParts, share, texts, word"),
        ({"inner_parts": []}, "field `inner_parts` is unknown; did you mean `innerParts`?"),
        ({"word": "three"}, 'field `word`: should be one of one, two, not `"three"`'),
        ({"code": "A"}, 'field `code`: should be one letter, not `"A"`'),
        ({"day": "2026-02-30"}, 'field `day`: should be a date like 2026-12-01, not `"2026-02-30"`'),
        ({"share": 2}, "field `share`: should be a number <= 1.0, not `2`"),
        ({"share": True}, "field `share`: should be a number, not `true`"),
        ({"innerParts": [{}]}, "field `innerParts.0.name` is missing"),
        ({"innerParts": [{"name": "\u3000"}]}, "field `innerParts.0.name`: the text is empty"),
        (
            {"innerParts": [{"name": "a", "size": "b" * 50}]},
            "`innerParts.0.size`: should be a whole number or null, not",
        ),
        ({"innerParts": [{"name": "a"}, None]}, "field `innerParts.1`: should be an object, not null"),
        ({"texts": ["a", 1]}, "field `texts.1`: should be a string, not `1`"),
        ({"few": []}, "field `few`: should be an array of length >= 1, not an empty array"),
        ({"texts": ["a", "b", "c"]}, "give at most two texts"),
    ],
)
def test_wrong_fields_are_named(value: Any, told: str) -> None:
    with pytest.raises(MisfitsError) as caught:
        convert(value, Outer)
    assert told in str(caught.value)


def test_all_misfits_are_found_and_the_first_summarised() -> None:
    with pytest.raises(MisfitsError) as caught:
        convert({"a": 1, "word": 1, "innerParts": [{"b": 1}], "texts": [1, 2, 3]}, Outer)
    assert [one.rule for one in caught.value.found].count("unknown-field") == 2
    assert [one.place for one in caught.value.found] == [
        ("a",),
        ("word",),
        ("innerParts", 0, "b"),
        ("innerParts", 0, "name"),
        ("texts", 0),
        ("texts", 1),
        ("texts", 2),
    ]
    assert caught.value.summary(2).endswith("; and 5 more")
