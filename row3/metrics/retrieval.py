"""Ranking metrics over graded relevance, by the conventions of trec_eval (V7, component 3).

Each takes one query: a ranking of documents, and judgements `document -> relevance` with grades >= 0.

- A document is relevant from grade 1. An unjudged document counts as not relevant.
- Gains are linear: a grade of 3 is worth 3.
- If the answer has scores, they define the ranking. Scores are compared in single precision (about seven digits); for
  equal scores the higher document id comes first. Both are as in trec_eval. Without scores, the answer's order counts.
- A document named twice counts at its first rank.

A test compares them with trec_eval. Its binding would add numpy and scipy for a hundred lines of arithmetic
(docs/decisions, 9).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache

Judgements = Mapping[str, int]


def ranked(documents: Sequence[tuple[str, float | None]]) -> list[str]:
    """Return the ranking of an answer's documents, given as id and score, each once; one without a score is last."""
    scores = [score for _, score in documents if score is not None]
    if scores:
        # The better score of a document named twice comes first and is kept.
        every = array("f", [-math.inf if score is None else score for _, score in documents])
        single = zip(every, [name for name, _ in documents], strict=True)
        return list(dict.fromkeys([name for _, name in sorted(single, reverse=True)]))
    return list(dict.fromkeys([name for name, _ in documents]))


def reciprocal_rank(ranking: Sequence[str], judged: Judgements) -> float:
    """Return 1 / rank of the first relevant document, 0 without one; in [0, 1]. Its mean over queries is MRR."""
    for rank, name in enumerate(ranking, 1):
        if judged.get(name, 0) > 0:
            return 1.0 / rank
    return 0.0


@lru_cache(maxsize=4096)
def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


def dcg(gains: Sequence[int]) -> float:
    """Return the sum of gain / log2(rank + 1), from rank 1 (Järvelin and Kekäläinen 2002, as in trec_eval)."""
    return math.fsum([gain * _discount(rank) for rank, gain in enumerate(gains, 1) if gain])


def ndcg_at(k: int, ranking: Sequence[str], judged: Judgements) -> float:
    """Return the DCG of the first k over that of an ideal ranking; 0 if nothing is relevant. In [0, 1]."""
    best = dcg(sorted([grade for grade in judged.values() if grade > 0], reverse=True)[:k])
    return min(1.0, dcg([max(0, judged.get(name, 0)) for name in ranking[:k]]) / best) if best else 0.0


def relevant_in(k: int, ranking: Sequence[str], judged: Judgements) -> int:
    """Return how many of the first k documents are relevant."""
    return sum([judged.get(name, 0) > 0 for name in ranking[:k]])


def relevant_count(judged: Judgements) -> int:
    """Return how many documents are relevant."""
    return sum([grade > 0 for grade in judged.values()])


def average_precision(ranking: Sequence[str], judged: Judgements) -> float:
    """Return the mean, over relevant documents, of the precision at their rank, 0 for one not found.

    In [0, 1]; 0 if nothing is relevant. Its mean over queries is MAP.
    """
    ranks = [rank for rank, name in enumerate(ranking, 1) if judged.get(name, 0) > 0]
    relevant = relevant_count(judged)
    return math.fsum([found / rank for found, rank in enumerate(ranks, 1)]) / relevant if relevant else 0.0


def judged_in(k: int, ranking: Sequence[str], judged: Judgements) -> int:
    """Return how many of the first k documents are judged; if few are, the other metrics are lower bounds."""
    return sum([name in judged for name in ranking[:k]])
