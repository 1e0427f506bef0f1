"""Extractions as the report page's data."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from row3.kinds.base import Rules
from row3.kinds.extraction.model import ExtractionOut, GoldenCase
from row3.kinds.extraction.page import page_value
from row3.kinds.extraction.score import KIND as EXTRACTION
from tests.projects import CASES, flawless
from tests.scoring import score_by

GOLDEN = GoldenCase.of({"id": "rye", **CASES["rye"]})


def packed(
    output: dict[str, Any] | None, before: dict[str, Any] | None = None, case: GoldenCase = GOLDEN
) -> dict[str, Any]:
    now = None if output is None else ExtractionOut.of(output)
    empty = ExtractionOut.of({"concepts": [], "relationships": []})
    explanation = score_by(EXTRACTION, case, now or empty, Rules()).explanation
    old = None if before is None else ExtractionOut.of(before)
    return page_value(case, explanation, now, old)


def test_names_stand_once_and_numbers_lead_to_them() -> None:
    value = packed(flawless(CASES["rye"]))
    names = value["names"]
    assert len(names) == len(set(names))
    assert [names[row[0]] for row in value["concepts"]] == ["rye", "cereal", "salt", "proofing"]
    assert {row[1] for row in value["concepts"]} == {"exact"}
    assert [tuple(names[i] for i in row[:3]) for row in value["links"]] == [
        ("rye", "IS_A", "cereal"),
        ("salt", "CAUSES", "proofing"),
    ]
    assert [row[4] for row in value["wanted"]] == [1, 1]
    assert [names[i] for i in value["forbidden"]] == CASES["rye"]["forbiddenConcepts"]
    assert "before" not in value


def test_a_quote_is_a_place_where_it_stands_in_the_text_and_itself_where_not() -> None:
    concepts = [
        {"label": "rye", "sourceQuote": "Rye is a cereal"},
        {"label": "salt", "sourceQuote": "Salt speeds it up"},
        {"label": "cereal"},
    ]
    value = packed({"concepts": concepts})
    assert [row[6] for row in value["concepts"]] == [[0, 15], "Salt speeds it up", 0]
    assert [row[4] for row in value["concepts"]] == ["verified", "unverified", "missing"]


def test_beyond_the_basic_plane_places_would_be_counted_otherwise_in_a_browser() -> None:
    case = replace(GOLDEN, source_text="🌾 Rye is a cereal.")
    value = packed({"concepts": [{"label": "rye", "sourceQuote": "Rye is a cereal"}]}, case=case)
    assert value["concepts"][0][6] == "Rye is a cereal"


def test_a_bad_answer_has_no_concepts_and_everything_is_missed() -> None:
    value = packed(None)
    assert value["concepts"] == []
    assert [row[2] for row in value["expected"]] == [-1, -1, -1, -1]


def test_a_wrong_relationship_says_what_it_comes_nearest_to() -> None:
    links = [{"source": "cereal", "predicate": "IS_A", "target": "rye"}]
    value = packed({"concepts": [{"label": "rye"}, {"label": "cereal"}], "relationships": links})
    assert value["links"][0][3] == "reversed"
    assert [value["names"][i] for i in value["links"][0][4]] == ["rye", "IS_A", "cereal"]


@pytest.mark.parametrize("quote", ["Rye is a cereal", {"quote": "Rye is a cereal"}, ["Rye is a cereal", "x"]])
def test_the_baseline_s_answer_shares_the_names(quote: Any) -> None:
    before = {"concepts": [{"label": "rye", "sourceQuote": quote}, {"label": "oat"}], "relationships": []}
    value = packed(flawless(CASES["rye"]), before)
    names = value["names"]
    assert [(names[number], place) for number, place in value["before"]["concepts"]] == [("rye", [0, 15]), ("oat", 0)]
    assert len(names) == len(set(names))
