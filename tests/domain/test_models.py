"""Every field that does not fit is named, with a suggestion."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import Field, model_validator

from row3.domain.models import CamelModel, Day, MisfitsError, Model, Text, Worded, convert


class Inner(Model):
    name: Text
    size: int | None = None
    """A number."""


class Outer(CamelModel):
    word: Literal["one", "two"] | None = None
    """A choice."""
    code: Annotated[str, Worded("[a-z]", "one letter")] | None = None
    day: Day | None = None
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    inner_parts: list[Inner] = []
    texts: list[str] = []
    few: Annotated[list[str], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _few_texts(self) -> Self:
        if len(self.texts) > 2:
            raise ValueError("give at most two texts")
        return self


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
