"""Ranking metrics over graded relevance, by the conventions of trec_eval (V7, component 3).

All of them look at one query: a ranking of documents, and judgements `document -> relevance` with grades >= 0.

- A document is relevant from grade 1 on. A document that nobody judged counts as not relevant.
- Gains are linear: a grade of 3 is worth 3.
- Where the answer gives scores, they make the ranking; of equal scores the higher document id comes first, as
  trec_eval sorts. Scores are equal that are so in single precision, in which trec_eval keeps them: about seven digits.
  Without scores the order of the answer is the ranking.
- A document that is named twice counts where it stands first.

A test holds them to trec_eval itself. They are written here since its binding would bring numpy and scipy along for a
hundred lines of arithmetic (docs/decisions, 9).
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache

Judgements = Mapping[str, int]


def ranked(documents: Sequence[tuple[str, float | None]]) -> list[str]:
    """The ranking of an answer's documents, id and score (all or none have one) in its order, each document once."""
    scores = [score for _, score in documents if score is not None]
    if scores:
        # Of a document that is named twice the better score comes first, and the first is kept.
        single = zip(array("f", scores), [name for name, _ in documents], strict=True)
        return list(dict.fromkeys([name for _, name in sorted(single, reverse=True)]))
    return list(dict.fromkeys([name for name, _ in documents]))


def reciprocal_rank(ranking: Sequence[str], judged: Judgements) -> float:
    """1 / rank of the first relevant document, 0 where there is none; its mean over queries is MRR. In [0, 1]."""
    for rank, name in enumerate(ranking, 1):
        if judged.get(name, 0) > 0:
            return 1.0 / rank
    return 0.0


@lru_cache(maxsize=4096)
def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


def dcg(gains: Sequence[int]) -> float:
    """Sum of gain / log2(rank + 1) from rank 1 on (Järvelin and Kekäläinen 2002, as trec_eval has it)."""
    return math.fsum([gain * _discount(rank) for rank, gain in enumerate(gains, 1) if gain])


def ndcg_at(k: int, ranking: Sequence[str], judged: Judgements) -> float:
    """DCG of the first k over that of the best possible first k; 0 where nothing is relevant. In [0, 1]."""
    best = dcg(sorted([grade for grade in judged.values() if grade > 0], reverse=True)[:k])
    return min(1.0, dcg([max(0, judged.get(name, 0)) for name in ranking[:k]]) / best) if best else 0.0


def relevant_in(k: int, ranking: Sequence[str], judged: Judgements) -> int:
    """How many of the first k documents are relevant."""
    return sum([judged.get(name, 0) > 0 for name in ranking[:k]])


def relevant_count(judged: Judgements) -> int:
    """How many documents are relevant."""
    return sum([grade > 0 for grade in judged.values()])


def average_precision(ranking: Sequence[str], judged: Judgements) -> float:
    """Mean over the relevant documents of the precision at each one's rank, 0 for one that is not found.

    Its mean over queries is MAP. In [0, 1]; 0 where nothing is relevant.
    """
    relevant, found, total = relevant_count(judged), 0, []
    for rank, name in enumerate(ranking, 1):
        if judged.get(name, 0) > 0:
            found += 1
            total.append(found / rank)
    return math.fsum(total) / relevant if relevant else 0.0


def judged_in(k: int, ranking: Sequence[str], judged: Judgements) -> int:
    """How many of the first k documents somebody judged; few of them make the other figures a lower bound."""
    return sum([name in judged for name in ranking[:k]])
