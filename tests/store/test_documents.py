"""Strict JSON, and complaints that help."""

from __future__ import annotations

import pytest
from hypothesis import given

from row3.errors import InvalidFile
from row3.kinds.extraction_models import GoldenCase
from row3.store.config import Config
from row3.store.documents import check_schema_version, dump_line, parse_json, validate
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("{", "not JSON"),
        ('{"a": 1, "a": 1}', "`a` stands twice"),
        ('[{"b": {"c": 1, "c": 2}}]', "`c` stands twice"),
        ("[NaN]", "NaN"),
        ("[Infinity]", "Infinity"),
        ("[-Infinity]", "-Infinity"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON"),
        ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x", "merge-conflict"),
    ],
)
def test_what_json_does_not_allow_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidFile, match=says):
        parse_json(text, where="x")


@given(json_values())
def test_what_is_written_is_read_as_it_was(value: object) -> None:
    assert parse_json(dump_line(value), where="x") == value


def test_every_wrong_field_is_told_with_its_place_and_near_miss() -> None:
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


@pytest.mark.parametrize("version", [0, -1, 2, "1", True, 1.5, None, 10**30])
def test_a_version_that_is_not_known_is_refused(version: object) -> None:
    with pytest.raises(InvalidFile, match="schemaVersion"):
        check_schema_version({"schemaVersion": version}, 1, where="x")


def test_no_version_is_the_first() -> None:
    assert check_schema_version({}, 3, where="x") == 1
