"""Kind `retrieval`: reading of answers, metrics by hand, and properties of all answers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.misfits import MisfitsError
from row3.domain.scores import CaseScore
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Rules
from row3.kinds.retrieval import KIND as RETRIEVAL
from row3.kinds.retrieval import RetrievalCase
from tests.rows import every_row
from tests.scoring import case_of, score_by

RULES = Rules()
KEYS = {metric.key for metric in RETRIEVAL.metrics}
CASE: dict[str, Any] = {
    "id": "q1",
    "query": "Why is the launch late?",
    "relevant_documents": [
        {"id": "a", "relevance": 3},
        {"id": "b", "relevance": 2},
        {"id": "c", "relevance": 1},
        {"id": "n", "relevance": 0},
    ],
}


def read(value: Any) -> Any:
    found = RETRIEVAL.read_output(value)
    assert isinstance(found, Parsed), found
    return found.value


def score(value: Any, **fields: Any) -> CaseScore:
    return score_by(RETRIEVAL, case_of(RetrievalCase, CASE | fields), read(value), RULES)


def test_a_query_by_hand() -> None:
    found = score({"results": ["n", "b", "x", "a"]})
    best = 3 + 2 / math.log2(3) + 1 / 2
    dcg = 2 / math.log2(3) + 3 / math.log2(5)
    assert found.metrics == pytest.approx(
        {
            "ndcg_at_10": dcg / best,
            "mrr": 1 / 2,
            "ndcg_at_5": dcg / best,
            "precision_at_3": 1 / 3,
            "recall_at_10": 2 / 3,
            "map": (1 / 2 + 2 / 4) / 3,
            "judged_at_10": 3 / 4,
        }
    )
    assert RETRIEVAL.shortfall(found) == {
        "wrongRanks": ("b at rank 2", "a at rank 4"),
        "missedResults": ("c",),
        "wrongResults": ("n",),
    }
    mistakes = RETRIEVAL.mistakes(case_of(RetrievalCase, CASE), found, RULES).items
    assert [(f.label, f.note) for f in mistakes if f.cause == "low"] == [("b", "rank 2"), ("a", "rank 4")]
    states = [(match.label, match.state) for match in found.explanation.items]
    assert states == [("n", "not-relevant"), ("b", "relevant"), ("x", "not-judged"), ("a", "relevant")]


@every_row(
    "value",
    [
        {"results": ["b", "a"]},
        ["b", "a"],
        {"results": [{"id": "b"}, {"id": "a"}]},
        {"documents": [{"document_id": "b", "text": "…"}, {"doc_id": "a"}]},
        {"results": [{"id": "a", "score": 0.1}, {"id": "b", "score": 7}]},
        {"events": [{"id": "evt_9", "document_id": "b"}, {"id": "evt_2", "document_id": "b"}, {"document_id": "a"}]},
        json.dumps({"results": ["b", "a"]}),
        'Here they are:\n```json\n{"results": [{"id": "b"}, {"id": "a"}]}\n```',
    ],
)
def test_answers_of_any_shape_are_one_ranking(value: Any) -> None:
    assert score(value).metrics == score({"results": [{"id": "b"}, {"id": "a"}]}).metrics


@every_row(
    ("value", "why"),
    [
        ({"results": [{"id": "a", "score": 1}, {"id": "b"}]}, "cannot be ranked"),
        ('{"results": [{"id": "a", "score": NaN}]}', "NaN"),
        ('{"results": [{"id": "a", "score": 1e999}]}', "finite"),
        ({"hits": []}, "results"),
        ("nothing found", "not JSON"),
        (7, "a number"),
    ],
)
def test_an_answer_that_cannot_be_ranked(value: Any, why: str) -> None:
    found = RETRIEVAL.read_output(value)
    assert isinstance(found, Unusable)
    assert why in found.reason
    bad = RETRIEVAL.bad_answer(case_of(RetrievalCase, CASE), found.reason, "raw", RULES)
    assert bad.status == "bad_answer"
    assert set(bad.metrics.values()) == {0.0}
    assert bad.metrics.keys() == KEYS


def test_relevance_goes_up_to_ten() -> None:
    documents = [{"id": "a", "relevance": 10}, {"id": "b", "relevance": 4}, {"id": "c", "relevance": 0}]
    found = score({"results": ["b", "a", "c"]}, relevant_documents=documents)
    assert found.metrics["ndcg_at_5"] == pytest.approx((4 + 10 / math.log2(3)) / (10 + 4 / math.log2(3)))
    assert [(item.label, item.score) for item in found.explanation.items] == [("b", 0.4), ("a", 1.0), ("c", 0.0)]


def test_variables_contain_the_call_and_no_judgement() -> None:
    case = case_of(RetrievalCase, CASE | {"limit": 5, "date": "2025-06-01"})
    assert case.variables() == {"query": CASE["query"], "limit": 5, "date": "2025-06-01"}
    assert case_of(RetrievalCase, CASE).variables() == {
        "query": CASE["query"],
        "limit": 10,
        "date": "",
    }


@every_row(
    "wrong",
    [
        {"date": "2025-02-30"},
        {"date": "June"},
        {"query": "  "},
        {"limit": 0},
        {"relevant_documents": [{"id": "a", "relevance": 11}]},
        {"relevant_documents": [{"id": "a", "relevance": "3"}]},
        {"relevance": []},
    ],
)
def test_a_malformed_case(wrong: dict[str, Any]) -> None:
    with pytest.raises(MisfitsError):
        case_of(RetrievalCase, CASE | wrong)


def test_lint() -> None:
    def rules(documents: list[dict[str, Any]]) -> list[str]:
        case = case_of(RetrievalCase, CASE | {"relevant_documents": documents})
        return [finding.rule for finding in RETRIEVAL.lint.case(case, RULES)]

    assert rules(CASE["relevant_documents"]) == []
    assert rules([]) == ["not-judged"]
    assert rules([{"id": "a", "relevance": 0}]) == ["nothing-relevant"]
    assert rules([{"id": "a", "relevance": 1}] * 2) == ["judged-twice"]


IDS = [*"abcnxyz"]
answers = st.lists(st.sampled_from(IDS), max_size=12)
judgements = st.dictionaries(st.sampled_from(IDS), st.integers(0, 10), max_size=6)


@given(answers, judgements)
@settings(deadline=None)
def test_every_answer_scores_between_0_and_1(ids: list[str], judged: dict[str, int]) -> None:
    documents = [{"id": name, "relevance": grade} for name, grade in judged.items()]
    found = score({"results": ids}, relevant_documents=documents)
    assert all(0.0 <= value <= 1.0 for value in found.metrics.values())
    assert found.metrics.keys() | found.skipped.keys() == KEYS
    if not ids and any(judged.values()):
        assert set(found.metrics.values()) == {0.0}
    if not any(judged.values()):
        assert found.metrics == {}


@given(judgements.filter(lambda judged: any(judged.values())))
@settings(deadline=None)
def test_the_best_ranking_scores_one(judged: dict[str, int]) -> None:
    documents = [{"id": name, "relevance": grade} for name, grade in judged.items()]
    best = sorted(judged, key=lambda name: -judged[name])
    found = score({"results": best}, relevant_documents=documents)
    relevant = sum(grade > 0 for grade in judged.values())
    assert found.metrics["precision_at_3"] == min(3, relevant) / 3
    assert {value for key, value in found.metrics.items() if key != "precision_at_3"} == {1.0}


@given(st.lists(st.sampled_from(IDS), max_size=8, unique=True), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_with_scores_the_order_of_the_list_does_not_matter(ids: list[str], random: Any) -> None:
    rows = [{"id": name, "score": place // 2} for place, name in enumerate(ids)]
    mixed = random.sample(rows, len(rows))
    assert score({"results": rows}).metrics == score({"results": mixed}).metrics
