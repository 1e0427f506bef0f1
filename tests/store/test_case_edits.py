from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import InvalidFile
from row3.kinds import kind_named
from row3.store.case_edits import append, find, parts, with_aliases, with_canaries
from row3.store.cases import parse_case
from tests.projects import HOME

ENTRY = {"date": "2026-12-02", "change": "alias `x`", "reason": "the text says so"}
SHIPPED = sorted((HOME / "golden" / "decomposition").glob("*.gold.json"))


def value(raw: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(raw.decode("utf-8-sig"))
    return found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_every_shipped_case_takes_an_alias_and_keeps_all_its_lines(path: Path, ends: bytes) -> None:
    raw = path.read_bytes().replace(b"\n", ends)
    position = len(value(raw)["expectedConcepts"]) // 2
    new = with_aliases(raw, position, ["näme one", "name two"], ENTRY)
    assert value(new)["expectedConcepts"][position]["aliases"][-2:] == ["näme one", "name two"]
    assert value(new)["history"][-1] == ENTRY
    old_lines = [line.rstrip(b",") for line in raw.split(ends)]
    new_lines = iter([line.rstrip(b",") for line in new.split(ends)])
    assert all(line in new_lines for line in old_lines if not line.endswith((b"[]", b"],"))), "in the same order"
    assert (b"\r\n" in new) == (b"\r\n" in raw)
    assert new.count(b"\r") == (new.count(b"\n") if ends == b"\r\n" else 0)


def test_an_alias_is_one_line_more_and_a_comma() -> None:
    case = {"id": "x", "expectedConcepts": [{"label": "a", "aliases": ["b"]}], "history": []}
    raw = json.dumps(case, indent=2).encode()
    new = with_aliases(raw, 0, ["c"], ENTRY).decode()
    assert '"b",\n        "c"\n      ]' in new
    assert '"history": [\n    {\n      "date": "2026-12-02",\n' in new


def test_aliases_and_history_are_made_where_they_are_missing() -> None:
    raw = b'{"id": "x", "expectedConcepts": [{"label": "a"}, {"label": "b"}]}'
    new = with_aliases(raw, 1, ["c"], {"date": "d"})
    expected = b'{"label": "b", "aliases": ["c"]}], "history": [{"date": "d"}]}'
    assert new == raw.removesuffix(b'{"label": "b"}]}') + expected


def test_canaries_are_made_behind_the_relationships() -> None:
    raw = b'{"id": "x", "expectedConcepts": [], "expectedRelationships": [], "topic": "t"}'
    assert list(value(with_canaries(raw, ["c"], ENTRY))) == [
        "id",
        "expectedConcepts",
        "expectedRelationships",
        "forbiddenConcepts",
        "topic",
        "history",
    ]


def test_what_would_not_be_a_case_is_refused() -> None:
    path = "golden/bread/rye.gold.json"
    kind = kind_named("extraction", where="")
    raw = b'{"id": "rye", "sourceText": "Rye.", "expectedConcepts": [{"label": "rye"}]}'
    assert parse_case(with_aliases(raw, 0, ["secale"], ENTRY), path, kind, where=path).case.expected_concepts[
        0
    ].aliases == ["secale"]
    with pytest.raises(InvalidFile, match="golden/bread/rye.gold.json"):
        parse_case(with_aliases(raw, 0, [" "], ENTRY), path, kind, where=path)


PRETTY = """{
  "id": "x",
  "list": [
    "a",
    "b"
  ],
  "empty": [],
  "inner": { "label": "y", "names": ["c"] }
}
"""


def test_an_item_is_one_more_line_where_items_are_lines() -> None:
    assert append(PRETTY, ("list",), "é") == PRETTY.replace('"b"\n', '"b",\n    "é"\n')


def test_an_empty_list_is_written_like_the_list_shown() -> None:
    lines = append(PRETTY, ("empty",), "a", like=[("none",), ("inner", "names"), ("list",)])
    assert lines == PRETTY.replace("[]", '["a"]')
    assert append(PRETTY, ("empty",), "a", like=[("list",)]) == PRETTY.replace("[]", '[\n    "a"\n  ]')
    assert append(PRETTY, ("empty",), "a") == PRETTY.replace("[]", '["a"]')


def test_a_missing_key_goes_behind_the_key_named() -> None:
    assert append(PRETTY, ("new",), "a", after=("gone", "id")) == PRETTY.replace(
        '"id": "x",\n', '"id": "x",\n  "new": ["a"],\n'
    )
    assert append(PRETTY, ("new",), "a").endswith('["c"] },\n  "new": ["a"]\n}\n')
    assert '{ "label": "y", "more": ["a"], "names"' in append(PRETTY, ("inner", "more"), "a", after=("label",))


def test_an_inline_list_stays_inline() -> None:
    assert '"names": ["c", "d"] }' in append(PRETTY, ("inner", "names"), "d")


def test_line_ends_and_tabs_are_kept() -> None:
    text = PRETTY.replace("  ", "\t").replace("\n", "\r\n")
    assert append(text, ("list",), "c") == text.replace('"b"\r\n', '"b",\r\n\t\t"c"\r\n')
    assert append(text, ("empty",), "c", like=[("list",)]) == text.replace("[]", '[\r\n\t\t"c"\r\n\t]')


def test_a_compact_file_stays_compact() -> None:
    assert append('{"a":["b"]}', ("a",), "c") == '{"a":["b","c"]}'
    assert append('{"a":"b"}', ("c",), {"d": "e", "f": "g"}) == '{"a":"b","c":[{"d":"e","f":"g"}]}'


def test_a_file_in_ascii_escapes_stays_in_ascii() -> None:
    assert append('{"a": ["\\u00e9"]}', ("a",), "ü") == '{"a": ["\\u00e9", "\\u00fc"]}'
    assert append('{"a": ["é"]}', ("a",), "ü") == '{"a": ["é", "ü"]}'


def test_an_object_is_written_like_the_last_one() -> None:
    text = '{\n "log": [\n  { "a": "1" }\n ]\n}'
    assert append(text, ("log",), {"a": "2"}) == '{\n "log": [\n  { "a": "1" },\n  { "a": "2" }\n ]\n}'
    text = '{\n "log": [\n  {\n   "a": "1"\n  }\n ]\n}'
    expected = '{\n "log": [\n  {\n   "a": "1"\n  },\n  {\n   "a": "2"\n  }\n ]\n}'
    assert append(text, ("log",), {"a": "2"}) == expected


def test_a_byte_order_mark_stays() -> None:
    assert append('\ufeff{"a": []}', ("a",), "b") == '\ufeff{"a": ["b"]}'


def test_find_and_parts() -> None:
    found = find(PRETTY, ("list", 1))
    assert found is not None
    assert PRETTY[found.start : found.end] == '"b"'
    assert find(PRETTY, ("list", 2)) is None
    assert find(PRETTY, ("id", 0)) is None
    assert [part.key for part in parts(PRETTY, 0)] == ["id", "list", "empty", "inner"]


VALUES = st.recursive(
    st.text(max_size=6) | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
STYLES = st.sampled_from([{"indent": None}, {"indent": 1}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}])


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@given(
    document=st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4),
    items=st.lists(st.text(max_size=5), max_size=3) | st.none(),
    style=STYLES,
    ascii_only=st.booleans(),
    value=st.text(max_size=8) | st.dictionaries(st.text(max_size=4), st.text(max_size=4), min_size=1, max_size=3),
)
def test_the_value_is_there_and_the_rest_is_as_it_was(
    ends: str, document: dict[str, Any], items: list[str] | None, style: dict[str, Any], ascii_only: bool, value: Any
) -> None:
    if items is None:
        document.pop("list", None)
    else:
        document = document | {"list": items}
    old = json.dumps(document, ensure_ascii=ascii_only, **style)
    if any("\ud800" <= char <= "\udfff" for char in old):
        return
    old = old.replace("\n", ends)
    new = append(old, ("list",), value, like=[("list",)])
    assert json.loads(new) == document | {"list": [*(items or []), value]}
    assert list(json.loads(new))[: len(document)] == list(document)
    common = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    removed = len(old) - common
    tail = next(i for i in range(removed + 1) if old[common + i :] == new[len(new) - (removed - i) :])
    assert old[common : common + tail] in ("", "[]", "]"), "nothing but an empty list may be replaced"
