"""A case that demands less is seen, also where only a part of a demand is lost."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from row3.domain.requests import digest_text
from row3.kinds.extraction.model import GoldenCase
from row3.kinds.extraction.score import KIND as EXTRACTION
from row3.store.cases import SHORT, demands, gone_demands

FORBIDDEN = {"source": "Training data", "target": "Gradient descent", "predicate": "CAUSES"}


def lost(before: dict[str, Any], after: dict[str, Any]) -> int:
    """How many demands of a case the other no longer makes."""
    old, new = GoldenCase.of(before), GoldenCase.of(after)
    assert gone_demands(demands(EXTRACTION, old), EXTRACTION, old) == 0
    return gone_demands(demands(EXTRACTION, old), EXTRACTION, new)


def aliased(case: dict[str, Any], alias: str) -> dict[str, Any]:
    changed = copy.deepcopy(case)
    changed["expectedConcepts"][0]["aliases"].append(alias)
    return changed


def related(case: dict[str, Any], *links: dict[str, Any]) -> dict[str, Any]:
    return case | {"expectedRelationships": [*case["expectedRelationships"], *links]}


@pytest.mark.parametrize("alias", ["Quantum backfolding", "quantum backfoldings", "Quantum backfoldin"])
def test_an_alias_that_is_like_a_canary_takes_it_away(small_case: dict[str, Any], alias: str) -> None:
    assert lost(small_case, aliased(small_case, alias)) == 1
    twice = {"forbiddenConcepts": [*small_case["forbiddenConcepts"], "Quantum  backfolding"]}
    assert lost(small_case, aliased(small_case, alias) | twice) == 1


def test_an_alias_that_is_like_no_canary_takes_nothing_away(small_case: dict[str, Any]) -> None:
    assert lost(small_case, aliased(small_case, "Statistical learning")) == 0


@pytest.mark.parametrize(
    "link",
    [
        FORBIDDEN,
        FORBIDDEN | {"predicate": "causes", "required": False},
        FORBIDDEN | {"source": "training  data", "target": "Gradient descents"},
        FORBIDDEN | {"target": "Gradient descent", "source": "The data"},
    ],
)
def test_a_forbidden_relationship_that_is_expected_is_forbidden_no_more(
    small_case: dict[str, Any], link: dict[str, Any]
) -> None:
    small_case = copy.deepcopy(small_case)
    small_case["expectedConcepts"][3]["aliases"] = ["The data"]
    assert lost(small_case, related(small_case, link)) == 1
    assert lost(small_case, related(small_case, link) | {"forbiddenRelationships": [FORBIDDEN, FORBIDDEN]}) == 1


@pytest.mark.parametrize(
    ("forbidden", "turned", "gone"),
    [("CAUSES", "CAUSES", 0), ("RELATES_TO", "RELATES_TO", 1), ("parent_of", "child_of", 1)],
)
def test_the_other_way_round(small_case: dict[str, Any], forbidden: str, turned: str, gone: int) -> None:
    case = small_case | {"forbiddenRelationships": [FORBIDDEN | {"predicate": forbidden}]}
    link = {"source": FORBIDDEN["target"], "target": FORBIDDEN["source"], "predicate": turned}
    assert lost(case, related(case, link)) == gone


def test_a_relationship_that_is_required_no_more(small_case: dict[str, Any]) -> None:
    first, *others = small_case["expectedRelationships"]
    optional = first | {"required": False}
    assert lost(small_case, small_case | {"expectedRelationships": [optional, *others]}) == 1
    assert lost(small_case, small_case | {"expectedRelationships": others}) == 1
    twice = {"expectedRelationships": [optional, *others, optional]}
    assert lost(small_case | {"expectedRelationships": [optional, *others]}, small_case) == 0
    assert lost(small_case, small_case | twice) == 1


def test_a_baseline_that_has_each_line_once_asks_for_no_more(small_case: dict[str, Any]) -> None:
    """As baselines have it that were saved when half a demand could not be seen."""
    lines = set(EXTRACTION.expectations(GoldenCase.of(small_case)))
    before = "".join(sorted(digest_text(line)[:SHORT] for line in lines))
    first, *others = small_case["expectedRelationships"]
    changed = aliased(small_case, "quantum backfoldings") | {
        "expectedRelationships": [first | {"required": False}, *others, FORBIDDEN]
    }
    assert gone_demands(before, EXTRACTION, GoldenCase.of(changed)) == 0
    assert gone_demands(before, EXTRACTION, GoldenCase.of(small_case | {"forbiddenConcepts": []})) == 2
