from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.files import FileInput, FilePart
from row3.domain.requests import (
    EXTRA,
    Message,
    changed_keys,
    digest_head,
    digest_json,
    digest_listed,
    digest_of,
    digest_text,
    extra_from,
    extra_json,
    input_digest,
    messages_of,
)
from tests.rows import every_row
from tests.strategies import json_values

BASE: dict[str, Any] = {
    "model": "m", "temperature": 0.0, "seed": 1, "max_tokens": 100, "system": "s", "user": "u", "schema_digest": "d",
    "repeat": 0,
}  # fmt: skip


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


@given(*[st.lists(json_values(), max_size=3)] * 3)
@settings(deadline=None)
def test_values_are_digested_one_by_one(before: list[object], values: list[object], after: list[object]) -> None:
    assert digest_listed(before, iter(values), after) == digest_json([*before, values, *after])


@given(json_values())
@settings(deadline=None)
def test_equal_values_have_equal_json_digests(value: object) -> None:
    assert digest_json(value) == digest_json(value)


@every_row(
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


def part(raw: bytes, at: int = 0, path: str = "a.png") -> FilePart:
    return FilePart(path, "image/png", digest_text(raw), lambda: raw, at)


PLACED = st.lists(st.tuples(st.sampled_from([b"x", b"y", b"z"]), st.integers(0, 4)), max_size=3)


@given(PLACED, PLACED)
def test_messages_have_one_digest_if_and_only_if_files_and_their_places_are_the_same(one: Any, other: Any) -> None:
    """The file's name does not matter, since it is not sent."""
    each, again = (
        digest_of(b"", (Message("user", "text", tuple(part(raw, at, path) for raw, at in files)),))
        for files, path in ((one, "a.png"), (other, "b.png"))
    )
    assert (each == again) == (one == other)


@given(st.text(alphabet="ab \n", max_size=8), st.lists(st.integers(0, 8), max_size=4).map(sorted))
def test_parts_are_the_text_cut_at_the_files_without_blanks(text: str, places: list[int]) -> None:
    files = tuple(part(b"x", min(at, len(text))) for at in places)
    parts = Message("user", text, files).parts
    assert [each for each in parts if isinstance(each, FilePart)] == [*files]
    texts = [each for each in parts if isinstance(each, str)]
    if files:
        assert "".join("".join(texts).split()) == "".join(text.split())
        assert all(each == each.strip() != "" for each in texts)
    else:
        assert parts == [text]


def test_the_digest_of_an_input_covers_the_bytes_of_its_files_and_is_else_that_of_its_json() -> None:
    plain = {"image": {"file": "a.png"}}
    first, second = (
        {"image": FileInput(plain["image"], "input.image", lambda raw=raw: part(raw))} for raw in (b"x", b"y")
    )  # type: ignore[misc]
    assert digest_json(first) == digest_json(plain) == input_digest(plain)
    assert len({input_digest(each) for each in (plain, first, second)}) == 3


@given(st.dictionaries(st.sampled_from(sorted(EXTRA)), json_values(), min_size=1))
@settings(deadline=None)
def test_parameters_that_are_set_are_part_of_the_digest_in_any_order(extra: dict[str, Any]) -> None:
    assert digest(BASE | {"extra": {}}) == digest(BASE)
    assert digest(BASE | {"extra": extra}) != digest(BASE)
    assert digest(BASE | {"extra": dict(reversed(extra.items()))}) == digest(BASE | {"extra": extra})
    assert extra_from(extra_json(extra)) == extra


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ([{"a": 1}], []),
        ([{"a": 1}, {"a": 1}], []),
        ([{"a": 1}, {"a": 2}], ["a"]),
        ([{"a": 1, "b": 2}, {"b": 2}], ["a"]),
        ([{"b": 2}, {"b": 2, "c": 3}], ["c"]),
        ([{"a": None}, {}], []),
        ([{"a": 1}, {"a": 1, "b": 2}, {"a": 3}], ["a", "b"]),
    ],
)
def test_what_differs_from_any_other(values: list[dict[str, Any]], changed: list[str]) -> None:
    assert changed_keys(*values) == changed
