from __future__ import annotations

import math

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.metrics.retrieval import (
    average_precision,
    dcg,
    judged_in,
    ndcg_at,
    ranked,
    reciprocal_rank,
    relevant_count,
    relevant_in,
)

IDS = [f"d{number:02}" for number in range(40)]
MEASURES = {"recip_rank", "ndcg_cut.1,3,5,10", "P.1,3,5,10", "recall.1,3,5,10", "map"}

judgements = st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1, max_size=25)
results = st.lists(
    st.tuples(st.sampled_from(IDS), st.integers(-4, 4).map(float)), max_size=40, unique_by=lambda item: item[0]
)


# Some apart by less than trec_eval's single precision tells, as scores of near duplicates are.
close = st.sampled_from([0.5, 0.5 + 1e-9, 0.5 + 2e-9, 0.5 + 1e-6, 1e300, 1e305, -1e300, 1e-50, 0.0])
near_ties = st.lists(st.tuples(st.sampled_from(IDS), close), min_size=1, max_size=40, unique_by=lambda item: item[0])


def trec(judged: dict[str, int], run: dict[str, float]) -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, MEASURES)
    found: dict[str, dict[str, float]] = evaluator.evaluate({"q": run})
    return found["q"]


@given(judgements, results.filter(bool) | near_ties)
@settings(deadline=None, max_examples=400)
def test_it_agrees_with_trec_eval_where_scores_tie_and_documents_are_not_judged(
    judged: dict[str, int], documents: list[tuple[str, float]]
) -> None:
    ranking = ranked(documents)
    theirs = trec(judged, dict(documents))
    ours = {"recip_rank": reciprocal_rank(ranking, judged), "map": average_precision(ranking, judged)}
    for k in (1, 3, 5, 10):
        ours[f"ndcg_cut_{k}"] = ndcg_at(k, ranking, judged)
        ours[f"P_{k}"] = relevant_in(k, ranking, judged) / k
        whole = relevant_count(judged)
        ours[f"recall_{k}"] = relevant_in(k, ranking, judged) / whole if whole else 0.0
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_by_hand() -> None:
    judged = {"a": 3, "b": 2, "c": 1, "n": 0}
    ranking = ["n", "b", "x", "a"]
    assert reciprocal_rank(ranking, judged) == 0.5
    best = 3 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(5, ranking, judged) == pytest.approx((2 / math.log2(3) + 3 / math.log2(5)) / best)
    assert average_precision(ranking, judged) == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert relevant_in(3, ranking, judged) == 1
    assert judged_in(3, ranking, judged) == 2
    assert dcg([]) == 0.0


def test_nothing_relevant_and_nothing_found_are_zero() -> None:
    for judged, ranking in (({"a": 0}, ["a"]), ({"a": 1}, [])):
        assert reciprocal_rank(ranking, judged) == average_precision(ranking, judged) == 0.0
        assert ndcg_at(5, ranking, judged) == 0.0


@given(judgements, st.permutations(IDS))
@settings(deadline=None)
def test_the_best_order_has_one_and_no_other_has_more(judged: dict[str, int], order: list[str]) -> None:
    best = sorted(judged, key=lambda name: -judged[name])
    if relevant_count(judged):
        assert ndcg_at(10, best, judged) == pytest.approx(1.0)
        assert average_precision(best, judged) == pytest.approx(1.0)
    assert 0.0 <= ndcg_at(10, order, judged) <= 1.0


class TestRanked:
    def test_without_scores_the_order_stands_and_a_second_mention_is_dropped(self) -> None:
        assert ranked([("b", None), ("a", None), ("b", None)]) == ["b", "a"]

    def test_equal_scores_are_settled_by_the_higher_id(self) -> None:
        assert ranked([("a", 1.0), ("c", 1.0), ("b", 2.0)]) == ["b", "c", "a"]

    def test_scores_that_single_precision_does_not_tell_apart_are_equal(self) -> None:
        assert ranked([("a", 0.5 + 1e-9), ("b", 0.5)]) == ["b", "a"]

    def test_a_document_named_twice_has_its_better_score(self) -> None:
        assert ranked([("a", 1.0), ("b", 2.0), ("a", 3.0)]) == ["a", "b"]
