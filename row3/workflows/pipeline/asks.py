"""What scoring asks of others: grades and vectors become questions of the run, the rest is answered here."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

from row3.domain.asks import FunctionRequest, Spending, UsageRequest
from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.judges import JudgeRequest
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_head, digest_json, digest_of
from row3.domain.scores import CaseScore
from row3.store.cases import StoredCase
from row3.store.code import scorer_code
from row3.store.suites import Suite
from row3.workflows.pipeline.budget import Prices, prices_of
from row3.workflows.pipeline.providers import guard_of
from row3.workflows.pipeline.results import Spent
from row3.workflows.pipeline.scorers import call_scorer
from row3.workflows.pipeline.stages import request_texts

Question = Request | EmbeddingRequest
Given = Answer | NoAnswer | Vectors


def scored(
    suite: Suite, stored: StoredCase, output: Any, spent: Sequence[Spent] = ()
) -> Generator[Question, Given, CaseScore]:
    """Return the score of an output; yields the questions of its scoring and is sent their answers.

    A judge that gives no answer is the kind's business; without the vectors it needs the case has failed. For a suite
    without a project no scorer of its own runs.

    Args:
        spent: what the answers took that the output was read from.
    """
    scoring = suite.kind.score(stored.case, output, suite.rules)
    answer: Any = None
    while True:
        try:
            ask = scoring.send(answer)
        except StopIteration as done:
            score: CaseScore = done.value
            return score
        if isinstance(ask, JudgeRequest):
            answer = yield judge_request(suite, ask, stored.id)
        elif isinstance(ask, FunctionRequest) and suite.project is None:
            answer = NoAnswer("no code of the project runs here")
        elif isinstance(ask, FunctionRequest):
            assert suite.project is not None
            suite.project.check_code(suite.name, [scorer_code(ask.function)])
            answer = call_scorer(suite.project.root, ask, guard_of(suite.project))
        elif isinstance(ask, UsageRequest):
            answer = spending(suite, spent)
        else:
            answer = yield ask
            if isinstance(answer, NoAnswer):
                return CaseScore(stored.id, "failed", {}, problem=f"matching by meaning: {answer}")


def judge_request(suite: Suite, ask: JudgeRequest, case_id: str) -> Request:
    """Return the exact request for one vote of the suite's judge.

    The same answer graded by the same rubric and model is the same request, whatever run it is part of.
    """
    judge = suite.rules.judge
    assert judge is not None
    prompt = judge.rubrics[ask.rubric]
    repeat, which = divmod(ask.vote, len(judge.models))
    schema = suite.kind.rubric_schema(prompt)
    schema_digest = digest_json(schema)
    tokens = prompt.parameters.get("max_tokens")
    head = digest_head(
        model=judge.models[which],
        temperature=judge.temperature,
        seed=None,
        max_tokens=tokens,
        schema_digest=schema_digest,
        repeat=repeat,
    )
    system, user = request_texts(prompt, ask.variables)
    return Request(
        case_id,
        str(prompt.ref),
        repeat,
        judge.models[which],
        judge.temperature,
        None,
        tokens,
        system,
        user,
        prompt.output,
        schema,
        schema_digest,
        prompt.digest,
        ask.variables,
        digest_of(head, system, user),
        JUDGE,
    )


def spending(suite: Suite, spent: Sequence[Spent]) -> Spending:
    """Return what the answers took together; None where one of them does not say."""
    prices = Prices({}) if suite.project is None else prices_of(suite.project, suite)
    costs = [each.usd(prices.usd) for each in spent]
    return Spending(_sum(costs), _sum([each.latency_s for each in spent]))


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return math.fsum(known) if known and len(known) == len(parts) else None
