"""What is wrong with an answer, without a word of our own models."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from row3.kinds import KINDS
from row3.kinds.base import Unusable
from row3.kinds.extraction_models import ExtractionOut
from row3.kinds.misfits import misfit

CLASS = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b|\b\w+Out\b|union\[")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "concepts",
                    "relationships",
                    "events",
                    "entities",
                    "results",
                    "connections",
                    "label",
                    "sourceQuote",
                    "quote",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def why(value: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        ExtractionOut.model_validate(value)
    return misfit(value, caught.value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"concept": []}, "field `concepts` is missing; did `concept` mean it?"),
        ({"nodes": [], "edges": []}, "field `concepts` is missing; there is `nodes`, `edges`"),
        (dict.fromkeys("abcdefg"), "field `concepts` is missing; there is `a`, `b`, `c`, `d`, `e` and more"),
        ({}, "field `concepts` is missing; the object is empty"),
        ({"a\nb " * 30: 1}, f"field `concepts` is missing; there is `{('a b ' * 30)[:40]}…`"),
        ({"concepts": [{"lable": "x"}]}, "field `concepts.0.label` is missing; did `lable` mean it?"),
        ({"concepts": [["x"]]}, "field `concepts.0`: Input should be an object, and is an array"),
        (
            {"concepts": [{"label": "x", "sourceQuote": 4}]},
            "field `concepts.0.sourceQuote`: Input should be a valid string, and is `4`",
        ),
        (
            {"concepts": [{"label": "x", "sourceQuote": {"quote": 4}}]},
            "field `concepts.0.sourceQuote`: Input should be a valid string, and is an object",
        ),
    ],
)
def test_it_names_the_field_and_what_may_have_been_meant(value: Any, said: str) -> None:
    assert why(value) == f"the answer does not fit: {said}"


@pytest.mark.parametrize("kind", KINDS)
@given(value=JSON)
def test_no_kind_shows_a_class(kind: str, value: Any) -> None:
    found = KINDS[kind].read_output(value)
    if isinstance(found, Unusable):
        assert not CLASS.search(found.reason), found.reason
