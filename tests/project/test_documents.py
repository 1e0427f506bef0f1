"""Strict JSON with helpful errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import InvalidFile
from row3.kinds.extraction.model import GoldenCase
from row3.project.config import Config
from row3.project.documents import check_schema_version, dump_line, parse_json, quick_json, validate
from tests.rows import every_row
from tests.strategies import json_values


@every_row(
    ("text", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("{", "not JSON"),
        ('["a\nb"]', r"not JSON: Invalid control character\."),
        ('["a', r"not JSON: Unterminated string\."),
        ('{"a": 1, "a": 1}', "`a` occurs twice"),
        ('[{"b": {"c": 1, "c": 2}}]', "`c` occurs twice"),
        ("[NaN]", "NaN"),
        ("[Infinity]", "Infinity"),
        ("[-Infinity]", "-Infinity"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON"),
        ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x", "merge-conflict"),
    ],
)
def test_invalid_json_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidFile, match=says):
        parse_json(text, where="x")


@given(json_values())
def test_written_values_are_read_back(value: object) -> None:
    assert parse_json(dump_line(value), where="x") == value


MISLEADING = (
    r'"x"', r'"x\"\u003a"', r'"x\"\u003A"', r'"x\u0022:"', r'"\u0022\u003a"', r'"\u003a"', r'"\u003a\"\":"',
    '{"a": ":"}',
)  # fmt: skip
"""Texts whose quote and colon look like the end of a key, some only after unescaping."""


@every_row("text", MISLEADING)
@every_row("layout", ['{"k": 1, "k": %s}', '{"k": %s, "k" : %s}', '[{"k":{"k":%s,"k":2}}]'])
def test_duplicate_keys_are_found_beside_any_text(text: str, layout: str) -> None:
    line = layout.replace("%s", text)
    with pytest.raises(ValueError, match=r"^$"):
        quick_json(line.encode())
    with pytest.raises(InvalidFile, match="`k` occurs twice"):
        parse_json(line, where="x")


pieces = st.sampled_from(("k", '\\"', ":", '\\"\\u003a', "\\u003A", "\\u0022", ",", "{", " ", "\\\\", "é"))
texts = st.lists(pieces, max_size=3).map(lambda some: f'"{"".join(some)}"')
spaces = st.sampled_from(("", "", " ", "\t\n"))


def written(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Arrays, and objects with possible duplicate keys, in any layout."""
    pairs = st.tuples(texts, spaces, spaces, inner).map(lambda pair: f"{pair[0]}{pair[1]}:{pair[2]}{pair[3]}")
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda some: f"[{', '.join(some)}]"),
        st.lists(pairs, max_size=3).map(lambda some: f"{{{','.join(some)}}}"),
    )


@given(st.recursive(texts, written, max_leaves=8))
def test_quick_and_slow_parsing_agree(line: str) -> None:
    try:
        found = quick_json(line.encode())
    except ValueError:
        return
    assert found == parse_json(line, where="x", surrogates=True)


@given(json_values(), st.booleans(), st.sampled_from((None, 1)))
def test_ordinary_lines_take_the_quick_path(value: object, ascii_only: bool, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert quick_json(raw) == value


def test_every_wrong_field_is_named_with_a_suggestion() -> None:
    value = {
        "id": "x",
        "sourceText": "t",
        "expectedConcepts": [{"label": "a", "alias": []}, {"lable": "b"}],
        "expectdRelationships": [],
    }
    with pytest.raises(InvalidFile) as error:
        validate(GoldenCase, value, where="golden/x")
    text = str(error.value)
    assert "`expectedConcepts.0.alias` is unknown; did you mean `aliases`?" in text
    assert "`expectedConcepts.1.label` is missing" in text
    assert "`expectdRelationships` is unknown; did you mean `expectedRelationships`?" in text
    with pytest.raises(InvalidFile, match=r"`suites\.a\.gate\.blok` is unknown; did you mean `block`"):
        validate(Config, {"suites": {"a": {"gate": {"blok": 1}}}}, where="row3.toml")


@every_row("version", [0, -1, 2, "1", True, 1.5, None, 10**30])
def test_unknown_versions_are_refused(version: object) -> None:
    with pytest.raises(InvalidFile, match="schemaVersion"):
        check_schema_version({"schemaVersion": version}, 1, where="x")


def test_the_default_version_is_1() -> None:
    assert check_schema_version({}, 3, where="x") == 1
