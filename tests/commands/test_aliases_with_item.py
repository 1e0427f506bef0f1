"""One more item in a list of a JSON file, the rest as it was to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.commands.aliases import with_item
from tests.projects import HOME
from tests.rows import every_row

ENTRY = {"date": "2026-12-02", "change": "alias `x`", "reason": "the text says so"}
SHIPPED = sorted((HOME / "golden" / "decomposition").glob("*.gold.json"))


def appended(text: str, *path: str | int, item: Any = "é") -> str:
    return with_item(text.encode("utf-8"), path, item).decode("utf-8")


@every_row("path", SHIPPED)
@every_row("ends", [b"\n", b"\r\n"])
def test_every_shipped_case_takes_an_alias_and_keeps_all_its_lines(path: Path, ends: bytes) -> None:
    raw = path.read_bytes().replace(b"\n", ends)
    position = len(json.loads(raw)["expectedConcepts"]) // 2
    new = with_item(raw, ("expectedConcepts", position, "aliases"), "näme one")
    new = with_item(with_item(new, ("expectedConcepts", position, "aliases"), "name two"), ("history",), ENTRY)
    value = json.loads(new)
    assert value["expectedConcepts"][position]["aliases"][-2:] == ["näme one", "name two"]
    assert value["history"][-1] == ENTRY
    old_lines = [line.rstrip(b",") for line in raw.split(ends)]
    new_lines = iter([line.rstrip(b",") for line in new.split(ends)])
    assert all(line in new_lines for line in old_lines if not line.endswith((b"[]", b"],"))), "in the same order"
    assert (b"\r\n" in new) == (b"\r\n" in raw)
    assert new.count(b"\r") == (new.count(b"\n") if ends == b"\r\n" else 0)


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


def test_an_item_is_added_as_a_line_if_items_are_lines() -> None:
    assert appended(PRETTY, "list") == PRETTY.replace('"b"\n', '"b",\n    "é"\n')
    text = PRETTY.replace("  ", "\t").replace("\n", "\r\n")
    assert appended(text, "list") == text.replace('"b"\r\n', '"b",\r\n\t\t"é"\r\n')


def test_an_item_is_added_inline_to_an_inline_or_empty_list() -> None:
    assert '"names": ["c", "é"] }' in appended(PRETTY, "inner", "names")
    assert appended(PRETTY, "empty") == PRETTY.replace("[]", '["é"]')


def test_a_missing_list_becomes_the_last_member() -> None:
    assert appended(PRETTY, "new").endswith('["c"] },\n  "new": ["é"]\n}\n')
    assert '{ "label": "y", "names": ["c"], "more": ["é"] }' in appended(PRETTY, "inner", "more")


def test_a_byte_order_mark_stays() -> None:
    assert appended('\ufeff{"a": []}', "a") == '\ufeff{"a": ["é"]}'


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
def test_the_item_is_added_and_nothing_else_changes(
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
    new = with_item(old.encode(), ("list",), value).decode()
    assert json.loads(new) == document | {"list": [*(items or []), value]}
    assert list(json.loads(new))[: len(document)] == list(document)
    common = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    removed = len(old) - common
    tail = next(i for i in range(removed + 1) if old[common + i :] == new[len(new) - (removed - i) :])
    assert old[common : common + tail] in ("", "[]", "]"), "nothing but an empty list may be replaced"
