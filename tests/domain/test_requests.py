from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.parameters import EXTRA, extra_from, extra_json
from row3.domain.requests import digest_head, digest_json, digest_of, digest_text, messages_of
from tests.strategies import json_values

BASE: dict[str, Any] = {
    "model": "m",
    "temperature": 0.0,
    "seed": 1,
    "max_tokens": 100,
    "system": "s",
    "user": "u",
    "schema_digest": "d",
    "repeat": 0,
}


def digest(sent: dict[str, Any]) -> str:
    head = digest_head(**{key: value for key, value in sent.items() if key not in ("system", "user")})
    return digest_of(head, messages_of(sent["system"], sent["user"]))


def test_text_digests_are_sha256_of_utf8() -> None:
    assert digest_text("é") == hashlib.sha256("é".encode()).hexdigest() == digest_text("é".encode())


def test_a_lone_surrogate_can_be_digested() -> None:
    assert digest_text("\ud800") != digest_text("\ud801")


def test_json_digests_ignore_the_order_of_keys_and_nothing_else() -> None:
    assert digest_json({"a": 1, "b": [1, 2]}) == digest_json({"b": [1, 2], "a": 1})
    assert digest_json({"a": [1, 2]}) != digest_json({"a": [2, 1]})
    assert digest_json({"a": 1}) != digest_json({"a": "1"})


@given(json_values())
@settings(deadline=None)
def test_equal_values_have_equal_json_digests(value: object) -> None:
    assert digest_json(value) == digest_json(value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", "n"),
        ("temperature", 0.1),
        ("temperature", None),
        ("seed", 2),
        ("seed", None),
        ("max_tokens", 101),
        ("system", "t"),
        ("user", "v"),
        ("schema_digest", "e"),
        ("repeat", 1),
    ],
)
def test_everything_that_can_move_the_answer_moves_the_digest(field: str, value: Any) -> None:
    assert digest(BASE) == digest(BASE)
    assert digest(BASE | {field: value}) != digest(BASE)


@given(st.text(), st.text(), st.text(), st.text())
@settings(deadline=None)
def test_text_cannot_move_between_system_and_user(a: str, b: str, c: str, d: str) -> None:
    one, other = digest(BASE | {"system": a, "user": b}), digest(BASE | {"system": c, "user": d})
    assert (one == other) == ((a, b) == (c, d))


@given(st.dictionaries(st.sampled_from(sorted(EXTRA)), json_values(), min_size=1))
@settings(deadline=None)
def test_parameters_that_are_set_are_part_of_the_digest_in_any_order(extra: dict[str, Any]) -> None:
    assert digest(BASE | {"extra": {}}) == digest(BASE)
    assert digest(BASE | {"extra": extra}) != digest(BASE)
    assert digest(BASE | {"extra": dict(reversed(extra.items()))}) == digest(BASE | {"extra": extra})
    assert extra_from(extra_json(extra)) == extra
