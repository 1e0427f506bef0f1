from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile
from row3.kinds import kind_named
from row3.store.case_edits import with_aliases, with_canaries
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
