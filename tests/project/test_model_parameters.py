from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import UsageError
from row3.project.model_parameters import as_typed, parameters_typed
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("reasoning_effort=low", {"reasoning_effort": "low"}),
        ("effort=none", {"reasoning_effort": "none"}),
        ("top_p=1", {"top_p": 1.0}),
        ("temperature=0", {"temperature": 0.0}),
        ("stop=a=b", {"stop": "a=b"}),
        ('stop=["a", "b"]', {"stop": ["a", "b"]}),
        ('stop="1"', {"stop": "1"}),
        ('extra_body={"a": [null]}', {"extra_body": {"a": [None]}}),
        ("api=responses", {"api": "responses"}),
    ],
)
def test_a_typed_parameter(typed: str, value: dict[str, Any]) -> None:
    assert parameters_typed([typed], where="--set") == value


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("reasoning_efort=low", "Did you mean `reasoning_effort`"),
        ("low", "sets no parameter"),
        ("top_p", "`top_p` has no value. Write `top_p=VALUE`"),
        ("top_p=", "has no value"),
        ("effort=null", "has no value. Write `reasoning_effort=VALUE`"),
        ("model=x", "sets no parameter"),
        ("top_p=2", "field `top_p`: should be a number <= 1.0, not `2`"),
        ("stop=1", "field `stop`"),
        ("api=batch", "field `api`: should be one of chat, responses"),
        ('extra_body={"messages": []}', "must not set `messages`"),
    ],
)
def test_a_bad_one_is_named_with_its_cure(typed: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parameters_typed([typed], where="--set")
    assert said in str(caught.value)
    assert "--set" in str(caught.value)


@given(st.text(min_size=1), st.dictionaries(st.text(), json_values().filter(lambda value: value is not None)))
def test_printed_parameters_are_read_again(stop: str, body: dict[str, Any]) -> None:
    for name, value in (("stop", stop), ("extra_body", {f"x{key}": each for key, each in body.items()})):
        if str(stop).strip():
            assert parameters_typed([as_typed(name, value)], where="") == {name: value}
