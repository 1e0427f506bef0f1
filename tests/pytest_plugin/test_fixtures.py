"""The fixtures for somebody's own tests, used as a user would."""

from __future__ import annotations

from tests.projects import Box
from tests.pytest_plugin.conftest import Pytest

SYSTEM = '''
"""A system of the user's own: it finds every word of a text that is on its list."""
import json

KNOWN = ["rye", "cereal", "salt", "proofing", "sourdough", "wild yeast", "warmth", "fermentation", "crust", "steam"]


def extract(text):
    found = [name for name in KNOWN if name in text.lower()]
    return {"concepts": [{"label": name, "sourceQuote": text.split(".")[0]} for name in found], "relationships": []}
'''
TESTS = """
import json

import pytest

from system import extract


@pytest.mark.row3_suite("bread")
def test_each_case(row3_case, row3_score):
    score = row3_score(row3_case, extract(row3_case.input["source_text"]))
    assert score.status == "scored"
    assert score.metrics["precision"] == 1.0
    assert set(score.zones) >= {"overall", "recall"}
    assert repr(score).startswith(f"<row3 score {row3_case.id} ")


def test_by_name(row3_score):
    score = row3_score("bread", "rye", json.dumps(extract("Rye is a cereal. Salt slows the proofing.")))
    assert score.metrics["recall"] == 1.0
    assert score.value == score.metrics["overall"]


def test_the_only_suite(row3_suite, row3_score):
    suite = row3_suite()
    assert (suite.name, suite.kind) == ("bread", "extraction")
    assert [case.id for case in suite.cases] == ["oven", "rye", "yeast"]
    assert suite.score("rye", {"concepts": []}).value == row3_score(None, "rye", {"concepts": []}).value == 0.0


def test_a_bad_answer(row3_score):
    score = row3_score("bread", "rye", "I would rather not")
    assert (score.status, score.value) == ("bad_answer", 0.0)
    assert score.regressed
    assert "bad answer" in str(score)
"""
FAILING = """
from system import extract


def test_it_is_no_worse(row3_score):
    score = row3_score("bread", "oven", extract("Kneading comes before baking. Steam keeps the crust soft."))
    assert not score.regressed, str(score)
"""
WRONG = """
def test_an_unknown_case(row3_score):
    row3_score("bread", "barley", {})


def test_an_unknown_suite(row3_suite):
    row3_suite("bred")


def test_no_json(row3_score):
    row3_score("bread", "rye", {1, 2})
"""


def put(box: Box, tests: str) -> None:
    box.write("system.py", SYSTEM)
    box.write("tests/test_own.py", tests)
    box.write("pytest.ini", "[pytest]\npythonpath = .\n")


def test_own_outputs_are_scored_by_the_golden_cases(box: Box, in_box: Pytest) -> None:
    put(box, TESTS)
    out = in_box("tests", "-v", "--strict-markers", code=0).out
    assert "tests/test_own.py::test_each_case[oven] PASSED" in out
    assert "6 passed" in out


def test_an_assertion_says_what_was_lost(box: Box, in_box: Pytest) -> None:
    put(box, FAILING)
    out = in_box("tests", code=1).out
    assert "regressed −" in out
    assert "missed concepts: kneading; baking" in out
    assert "missed relationships: " in out


def test_without_a_baseline_nothing_has_regressed(box: Box, in_box: Pytest) -> None:
    unknown = "assert (score.delta, score.regressed) == (None, False)"
    put(box, FAILING.replace("assert not score.regressed, str(score)", unknown))
    box.path("baselines/bread.json").unlink()
    in_box("tests", code=0)


def test_what_does_not_exist_is_named_with_its_near_miss(box: Box, in_box: Pytest) -> None:
    put(box, WRONG)
    done = in_box("tests", "--tb=line", code=1)
    assert "there is no golden case `barley`" in done.out
    assert "Did you mean `bread`?" in done.out
    assert "cannot be written as JSON" in done.out
