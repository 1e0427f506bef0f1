"""Tier 1 of kind `checks`: one row for each rule, as cases are written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.kinds.checks.heuristics import HEURISTICS, graded
from row3.kinds.checks.model import Check
from row3.kinds.checks.reading import Reading, compile_error, numbers_in, path_of, pattern_of, same, validator_of
from row3.matching.scorers import NameRule
from tests.rows import every_row
from tests.scoring import case_of

JSON = '{"city": "Paris", "population": 2.1, "names": ["Louvre", "Orsay"], "open": true, "note": null}'
FENCED = f"Here it is:\n```json\n{JSON}\n```"


def score(check: dict[str, Any], answer: Any) -> float:
    made = case_of(Check, check)
    reading = Reading(answer, made.path)
    return 0.0 if reading.missing else HEURISTICS[made.type](made, reading, NameRule()).score


@every_row(
    ("check", "answer", "passes"),
    [
        ({"equals": "Paris"}, " Paris\n", True),
        ({"equals": "Paris"}, "paris", False),
        ({"equals": "Paris", "path": "$.city"}, JSON, True),
        ({"equals": "Paris", "path": "city"}, FENCED, True),
        ({"equals": 2.1, "path": "$.population"}, JSON, True),
        ({"equals": True, "path": "$.open"}, JSON, True),
        ({"equals": 1, "path": "$.open"}, JSON, False),
        ({"equals": None, "path": "$.note"}, JSON, True),
        ({"equals": None, "path": "$.nothing"}, JSON, False),
        ({"equals": {"a": [1, 2]}}, '{"a": [1.0, 2]}', True),
        ({"equals": {"a": 1}}, '{"a": 1, "b": 2}', False),
        ({"equals": 4}, "4", True),
        ({"contains": "paris"}, "It is PARIS.", True),
        ({"contains": "paris", "case": True}, "It is PARIS.", False),
        ({"contains": "Orsay", "path": "$.names"}, JSON, True),
        ({"contains_all": ["a", "b"]}, "B and A", True),
        ({"contains_all": ["a", "b"]}, "only a", False),
        ({"contains_any": ["x", "b"]}, "B", True),
        ({"contains_any": ["x", "y"]}, "b", False),
        ({"not_contains": "sorry"}, "Sorry, no.", False),
        ({"not_contains": ["sorry", "cannot"]}, "Done.", True),
        ({"regex": "^p.+s$"}, "Paris", True),
        ({"regex": "^p", "case": True}, "Paris", False),
        ({"starts_with": "the city"}, "  The City of Light", True),
        ({"starts_with": "city"}, "The city", False),
        ({"one_of": ["yes", "no"]}, "Yes", True),
        ({"one_of": ["yes", "no"]}, "yes, surely", False),
        ({"one_of": [1, 2]}, "2", True),
        ({"number": 2.1, "path": "$.population"}, JSON, True),
        ({"number": 2.15, "tolerance": 0.05, "path": "$.population"}, JSON, True),
        ({"number": 2.16, "tolerance": 0.05, "path": "$.population"}, JSON, False),
        ({"number": "2.1 km", "path": "$.population"}, JSON, True),
        ({"number": "2.1 °C", "path": "$.population"}, JSON, True),
        ({"number": "2.2 km", "path": "$.population"}, JSON, False),
        ({"number": 2100000}, "about 2.1 million people", True),
        ({"number": 1234.5}, "It costs 1,234.5 in all.", True),
        ({"number": "5 km"}, "It is 5000 m away.", True),
        ({"number": "5 km", "tolerance": 0.1}, "It is 5,090 m away.", True),
        ({"number": "5 km", "tolerance": 0.1}, "It is 5,200 m away.", False),
        ({"number": "20 °C", "tolerance": 1}, "around 20.5 °C", True),
        ({"number": "$5"}, "five dollars or $5", True),
        ({"number": 5}, "5 km", True),
        ({"number": 42}, "It is **$42.00**.", True),
        ({"number": 5}, "so x=5, or 12% less", True),
        ({"number": 12}, "so x=5, or 12% less", True),
        ({"number": -3}, "(-3)", True),
        ({"number": 19}, "COVID-19, v1.19.2, 2019-19-01", False),
        ({"number": 7}, "no number at all", False),
        ({"json_schema": {"type": "object", "required": ["city"]}}, JSON, True),
        ({"json_schema": {"type": "object", "required": ["town"]}}, JSON, False),
        ({"json_schema": {"type": "object"}}, "prose", False),
        ({"json_schema": {"maxLength": 3}, "path": "$.city"}, JSON, False),
        ({"required_fields": ["city", "population"]}, JSON, True),
        ({"required_fields": ["city", "note"]}, JSON, False),
        ({"required_fields": ["city"]}, "[]", False),
        ({"no_placeholder": True}, "Stored as mem_1.", True),
        ({"no_placeholder": True}, "Stored as <memory-id>.", False),
        ({"no_placeholder": True}, "<" + "a-" * 60, True),  # with no backtracking that doubles with every word
        ({"no_placeholder": True}, "Dear [NAME],", False),
        ({"no_placeholder": True}, "Dear {{ name }},", False),
        ({"no_placeholder": True}, "TODO: write this", False),
        ({"no_placeholder": True}, "if a < b and c > d", True),
        ({"no_placeholder": True}, "<p>Hello</p>", True),
        ({"max_words": 3}, "one two three", True),
        ({"max_words": 2}, "one two three", False),
        ({"contains": "x", "path": "$.city"}, "prose", False),
    ],
)
def test_a_check_passes_or_fails(check: dict[str, Any], answer: str, passes: bool) -> None:
    assert score(check, answer) == float(passes)


def test_similarity_is_the_share_of_the_text_that_is_the_same() -> None:
    assert score({"similarity": "abcd"}, "ABCD") == 1.0
    assert score({"similarity": "abcd"}, "abxd") == pytest.approx(6 / 8)  # three of four letters in order, of both


def test_names_are_matched_as_concepts_are_and_graded_by_f1() -> None:
    assert score({"names": ["Louvre", "Musée d'Orsay"]}, '["louvre", "Musee d\'Orsay"]') == 1.0
    assert score({"names": ["Louvre", "Orsay"]}, "- Louvre\n- Prado") == 0.5
    assert score({"names": ["Louvre", "Orsay"], "path": "$.names"}, JSON) == 1.0
    assert score({"names": ["Louvre"]}, "Louvre, Prado, Uffizi") == pytest.approx(0.5)


@every_row("answer", ["John Adams\nJohn Adams", "John Quincy Adams\nJ. Q. Adams"])
def test_one_name_said_twice_finds_one(answer: str) -> None:
    assert score({"names": ["John Adams", "John Quincy Adams"]}, answer) == 0.5


def test_a_pattern_that_backtracks_without_end_is_a_failed_check() -> None:
    made = case_of(Check, {"regex": "^(a+)+$"})
    result = HEURISTICS["regex"](made, Reading("a" * 40 + "!", None), NameRule())
    assert result.score == 0.0


def test_compile_errors() -> None:
    assert compile_error(pattern_of, "(", False) and not compile_error(pattern_of, "a+", False)
    assert compile_error(path_of, "$.[") and not compile_error(path_of, "$.a[0].b")
    assert compile_error(validator_of, {"type": "nonsense"}) and not compile_error(validator_of, {"type": "object"})


def test_a_schema_is_never_fetched() -> None:
    assert "not followed" in compile_error(validator_of, {"$ref": "https://example.com/schema.json"})


@every_row("value", [float("nan"), float("inf"), -0.1, 1.1, "1", None, [1]])
def test_graded_rejects_anything_but_a_score(value: object) -> None:
    assert graded(value) is None


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=6))
def test_a_value_is_the_same_after_json(value: Any) -> None:
    assert same(json.loads(json.dumps(value)), value)


@given(st.integers(min_value=-(10**6), max_value=10**6))
def test_a_number_in_prose_is_found(number: int) -> None:
    assert [found.amount for found in numbers_in(f"it is {number} in all")] == [number]


@given(st.text(max_size=200))
def test_any_text_can_be_an_answer(text: str) -> None:
    for check in ({"contains": "a"}, {"number": 1}, {"no_placeholder": True}, {"equals": 1}, {"names": ["a"]}):
        assert 0.0 <= score(check, text) <= 1.0
