"""The ranking of lessons, checked against plain BM25, and the names of failures."""

from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from row3.gate.lessons import ranked
from row3.kinds import all_kinds, kind_named
from tests.rows import every_row

WORDS = ["recall", "precision", "missed", "concepts", "relationships", "canary"]


def bm25(texts: list[str], query: str) -> list[float]:
    """Robertson and Zaragoza 2009, with k1 1.2 and b 0.75; no two words are similar."""
    documents = [text.split() for text in texts]
    mean = sum(len(document) for document in documents) / len(documents)
    scores = []
    for document in documents:
        total = 0.0
        for word in set(query.split()):
            frequency = document.count(word)
            having = sum(word in other for other in documents)
            idf = math.log((len(texts) - having + 0.5) / (having + 0.5) + 1)
            total += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * len(document) / mean))
        scores.append(total)
    return scores


texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=1, max_size=6)


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))
def test_the_order_equals_bm25s(given_texts: list[str], query: str):
    scores = bm25(given_texts, query)
    found = ranked(given_texts, query)
    assert set(found) == {place for place, score in enumerate(scores) if score > 0}
    assert all(scores[a] >= scores[b] - 1e-9 for a, b in pairwise(found))


def test_typos_and_capitals_do_not_matter():
    assert ranked(["Missed CONCEPTS", "canary"], "concepst") == [0]
    assert ranked(["missed concepts"], "weather") == []
    assert ranked([], "concepts") == []
    assert ranked(["a text"], "") == []


@every_row(
    ("name", "item", "said"),
    [
        ("missedChecks", "contains ozone layer", "failed contains checks"),
        ("missedChecks", "answer.total: number 42", "failed number checks"),
        ("missedChecks", "mentions the ozone layer", "failed named checks"),
    ],
)
def test_a_failed_check_is_named_by_its_type(name: str, item: str, said: str):
    assert kind_named("checks", where="").failure(name, item) == said


def test_other_failures_are_named_by_their_list():
    for name in all_kinds():
        kind = kind_named(name, where="")
        if name != "checks":
            assert kind.failure("missedConcepts", "ozone") == "missed concepts"
