"""Every field that does not fit is named, with a suggestion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, StrictFloat, model_validator

from row3.domain.misfits import Misfit, MisfitsError, convert
from row3.domain.models import PART, CamelModel, Day, Model, Reply, Text, Worded, keys_of
from tests.rows import every_row


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


@every_row(
    ("value", "told"),
    [
        ([], "should be an object, not an empty array"),
        ({"Word": "one"}, "field `Word` is unknown; did you mean `word`?"),
        ({"x": 1}, "field `x` is unknown; known fields: code, day, few, innerParts, share, texts, word"),
        ({"name": "a"}, "field `name` is unknown; did you mean `innerParts.*.name`?"),
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
        ({"few": []}, "field `few`: should have at least 1 item, not 0"),
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


@dataclass(frozen=True, slots=True)
class Part:
    __pydantic_config__: ClassVar[ConfigDict] = PART

    share: StrictFloat
    names: tuple[str, ...] = ()
    by_name: dict[str, str] = field(default_factory=dict)


class Knife(Model):
    type: Literal["knife"]
    edge: int = 0


class Fork(Model):
    type: Literal["fork"]
    tines: str | list[str] = ""


class Tree(Model):
    inner: Tree | None = None


class Answer(Reply):
    text: str


class Every(Model):
    """A field of each type that files have."""

    text: str = ""
    whole: int = 0
    number: float = 0.0
    flag: bool = False
    items: list[int] = []
    counts: dict[str, int] = {}
    nothing: None = None
    word: Literal["one", "two"] = "one"
    tool: Annotated[Knife | Fork, Field(discriminator="type")] | None = None
    tools: dict[str, Annotated[Knife | Fork, Field(discriminator="type")]] = {}
    small: Annotated[int, Field(gt=0, le=5)] = 1
    share: Annotated[float, Field(ge=0, lt=1)] | None = None
    few: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    pairs: Annotated[dict[str, int], Field(min_length=1)] | None = None
    short: Annotated[str, Field(min_length=2, max_length=3)] = "ab"
    day: Day | None = None
    code: Annotated[str, Worded("[a-z]+", "small letters")] = "a"
    title: Text | None = None
    part: Part | None = None
    parts: dict[str, Part] = {}
    mixed: list[str | list[int] | Answer] = []
    tree: Tree | None = None


CYCLE: dict[str, Any] = {}
CYCLE["inner"] = CYCLE
SURROGATE = "contains a lone surrogate (`\\ud800` to `\\udfff`), which is not a character"


@every_row(
    ("value", "told"),
    [
        ({"text": 1}, ["field `text`: should be a string, not `1`"]),
        ({"text": None}, ["field `text`: should be a string, not null"]),
        ({"whole": "1"}, ['field `whole`: should be a whole number, not `"1"`']),
        ({"whole": 1.5}, ["field `whole`: should be a whole number, not `1.5`"]),
        ({"whole": True}, ["field `whole`: should be a whole number, not `true`"]),
        ({"number": "1"}, ['field `number`: should be a number, not `"1"`']),
        ({"number": float("inf")}, ["field `number`: should be a finite number, not `Infinity`"]),
        ({"flag": 1}, ["field `flag`: should be true or false, not `1`"]),
        ({"items": {}}, ["field `items`: should be an array, not an object"]),
        ({"counts": [1]}, ["field `counts`: should be an object, not an array"]),
        ({"counts": {1: 2}}, ["field `counts.1`: should be a string, not `1`"]),
        ({"counts": {"a": "b"}}, ['field `counts.a`: should be a whole number, not `"b"`']),
        ({"nothing": 0}, ["field `nothing`: should be null, not `0`"]),
        ({"word": "three"}, ['field `word`: should be one of one, two, not `"three"`']),
        ({"word": "\ud800"}, [f"field `word`: {SURROGATE}"]),
        ({"short": "\ud800a"}, [f"field `short`: {SURROGATE}"]),
        ({"tool": {}}, ["field `tool.type` is missing"]),
        ({"tool": {"type": "spoon"}}, ['field `tool.type`: should be one of knife, fork, not `"spoon"`']),
        ({"tool": {"type": ["knife"]}}, ["field `tool.type`: should be one of knife, fork, not an array"]),
        ({"tool": "knife"}, ['field `tool`: should be an object or null, not `"knife"`']),
        ({"tool": {"type": "knife", "edg": 1}}, ["field `tool.edg` is unknown; did you mean `edge`?"]),
        ({"tools": {"a": {"type": "fork", "tines": [1]}}}, ["field `tools.a.tines.0`: should be a string, not `1`"]),
        ({"tools": {"a": {"type": "fork", "tines": 4}}},
         ["field `tools.a.tines`: should be a string or an array, not `4`"]),
        ({"small": 0}, ["field `small`: should be a whole number > 0, not `0`"]),
        ({"small": 6}, ["field `small`: should be a whole number <= 5, not `6`"]),
        ({"share": -1}, ["field `share`: should be a number >= 0.0, not `-1`"]),
        ({"share": 1}, ["field `share`: should be a number < 1.0, not `1`"]),
        ({"few": []}, ["field `few`: should have at least 1 item, not 0"]),
        ({"few": [1, 2, 3]}, ["field `few`: should have at most 2 items, not 3"]),
        ({"pairs": {}}, ["field `pairs`: should have at least 1 key, not 0"]),
        ({"short": "a"}, ['field `short`: should have at least 2 characters, not 1']),
        ({"short": "abcd"}, ['field `short`: should have at most 3 characters, not 4']),
        ({"day": "2026-13-01"}, ['field `day`: should be a date like 2026-12-01, not `"2026-13-01"`']),
        ({"day": 5}, ["field `day`: should be a date like 2026-12-01, not `5`"]),
        ({"code": "A"}, ['field `code`: should be small letters, not `"A"`']),
        ({"code": "a\n"}, ['field `code`: should be small letters, not `"a\\n"`']),
        ({"title": " "}, ["field `title`: the text is empty"]),
        ({"title": "\x1c\u3000"}, ["field `title`: the text is empty"]),
        ({"part": {"share": "0.5"}}, ['field `part.share`: should be a number, not `"0.5"`']),
        ({"part": {"share": True, "names": "ab"}},
         ["field `part.share`: should be a number, not `true`", 'field `part.names`: should be an array, not `"ab"`']),
        ({"part": {"share": 1, "shares": 1}}, ["field `part.shares` is unknown; did you mean `share`?"]),
        ({"part": {"share": 1, "x": 1}}, ["field `part.x` is unknown; known fields: by_name, names, share"]),
        ({"part": {}}, ["field `part.share` is missing"]),
        ({"parts": {"a": 1, "b": {"share": 1, "by_name": {"c": 1}}}},
         ["field `parts.a`: should be an object, not `1`", "field `parts.b.by_name.c`: should be a string, not `1`"]),
        ({"mixed": ["a", [1, "b"], {}, 3, {"text": "a", "more": 1}]},
         ['field `mixed.1.1`: should be a whole number, not `"b"`', "field `mixed.2.text` is missing",
          "field `mixed.3`: should be a string or an array or an object, not `3`"]),
        ({"tree": CYCLE}, ["field `tree.inner`: is nested too deeply"]),
        ({3: 1}, ["field `3`: should be a string, not `3`"]),
        ("text", ['should be an object, not `"text"`']),
    ],
)  # fmt: skip
def test_every_type_of_error_is_put_into_words(value: Any, told: list[str]) -> None:
    with pytest.raises(MisfitsError) as caught:
        convert(value, Every)
    assert [str(each) for each in caught.value.found] == told


WORDS = (
    "should be ", "should have ", "is missing", "is unknown; ", "the text is empty", "is nested", "contains a lone",
)  # fmt: skip
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(["knife", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2) | st.sampled_from([*keys_of(Every), "type", "inner", "tines"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(list(keys_of(Every))), ODD, min_size=1, max_size=4))
def test_no_message_is_in_the_words_of_pydantic(value: dict[str, Any]) -> None:
    found: Sequence[Misfit] = ()
    try:
        convert(value, Every)
    except MisfitsError as error:
        found = error.found
    assert all(each.problem.startswith(WORDS) for each in found), found
