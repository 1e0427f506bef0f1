"""Ranking metrics of ten thousand queries with a hundred scored documents each, beside the binding of trec_eval."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytrec_eval

from row3.domain.asks import finish, no_vectors
from row3.kinds.base import Rules
from row3.kinds.retrieval import KIND as RETRIEVAL
from row3.kinds.retrieval import Judged, ResultOut, ResultsOut, RetrievalCase
from row3.metrics import retrieval as formulas

QUERIES, DOCUMENTS, JUDGED = 10_000, 100, 20
MEASURES = {"recip_rank", "ndcg_cut.5,10", "P.3", "recall.10", "map"}
Run = dict[str, float]
Judgements = dict[str, int]


def main() -> None:
    """Print seconds of one processor, the best of three."""
    draw = random.Random(20261122)
    names = [f"doc{number:05}" for number in range(2_000)]
    runs: list[tuple[Run, Judgements]] = []
    for _ in range(QUERIES):
        found = draw.sample(names, DOCUMENTS)
        judged = draw.sample(found, JUDGED // 2) + draw.sample(names, JUDGED // 2)
        runs.append(({name: draw.random() for name in found}, {name: draw.randint(0, 3) for name in judged}))
    cases = [
        RetrievalCase(
            id=f"q{place}", query="?", relevant_documents=[Judged(id=n, relevance=g) for n, g in judged.items()]
        )
        for place, (_, judged) in enumerate(runs)
    ]
    outputs = [ResultsOut(results=[ResultOut(id=n, score=s) for n, s in run.items()]) for run, _ in runs]
    rules = Rules()

    def ours() -> None:
        for run, judged in runs:
            ranking = formulas.ranked(list(run.items()))
            formulas.reciprocal_rank(ranking, judged)
            formulas.ndcg_at(5, ranking, judged)
            formulas.ndcg_at(10, ranking, judged)
            formulas.relevant_in(3, ranking, judged)
            formulas.relevant_in(10, ranking, judged)
            formulas.average_precision(ranking, judged)

    def kind() -> None:
        for case, output in zip(cases, outputs, strict=True):
            finish(RETRIEVAL.score(case, output, rules), no_vectors)

    def together() -> None:
        judgements = {str(place): judged for place, (_, judged) in enumerate(runs)}
        pytrec_eval.RelevanceEvaluator(judgements, MEASURES).evaluate(
            {str(place): run for place, (run, _) in enumerate(runs)}
        )

    def one_by_one() -> None:
        for run, judged in runs:
            pytrec_eval.RelevanceEvaluator({"q": judged}, MEASURES).evaluate({"q": run})

    print(f"{QUERIES:,} queries, {DOCUMENTS} documents each, seconds of one processor")
    for title, work in (
        ("row3's formulas", ours),
        ("kind retrieval, with explanations", kind),
        ("pytrec_eval, one call", together),
        ("pytrec_eval, a call for each query", one_by_one),
    ):
        print(f"  {title:36} {min(_seconds(work) for _ in range(3)):.2f}")


def _seconds(work: Callable[[], None]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
