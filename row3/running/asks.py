"""Answer what scoring asks for: the run answers grades and embeddings; scorers and costs are answered here."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from row3.domain.asks import EmbeddingRequest, FunctionRequest, FunctionScore, Spending, UsageRequest, Vectors
from row3.domain.judges import JudgeRequest
from row3.domain.requests import EXTRA, JUDGE, Answer, NoAnswer, Request, digest_json
from row3.domain.scores import CaseScore, Spent
from row3.domain.secrets import Guard
from row3.project.cases import StoredCase
from row3.project.suites import Suite
from row3.project.trusted_code import scorer_code
from row3.running.budget import Prices, prices_of
from row3.running.case_results import total
from row3.running.provider_access import guard_of
from row3.running.stages import Parameters, begin_request, fill_request
from row3.running.worker import LOAD_LIMIT_S, Worker

Question = Request | EmbeddingRequest
Given = Answer | NoAnswer | Vectors


def scored(
    suite: Suite, stored: StoredCase, output: Any, spent: Sequence[Spent] = ()
) -> Generator[Question, Given, CaseScore]:
    """Return the score of an output; yields requests to the judge and embedder, and is sent their answers.

    The kind handles a judge's missing answer; a missing vector fails the case. A suite without a project runs none of
    its own scorers.

    Args:
        spent: usage of the answers that the output was parsed from.
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
        elif isinstance(ask, FunctionRequest):
            answer = NoAnswer("the project's own code does not run here")
            if suite.project is not None:
                suite.project.check_code(suite.name, [scorer_code(ask.function)])
                answer = call_scorer(suite.project.root, ask, guard_of(suite.project))
        elif isinstance(ask, UsageRequest):
            prices = Prices({}) if suite.project is None else prices_of(suite.project, suite)
            costs = [each.usd(prices.usd) for each in spent]
            answer = Spending(total(costs), total([each.latency_s for each in spent]))
        else:
            answer = yield ask
            if isinstance(answer, NoAnswer):
                return CaseScore(stored.id, "failed", {}, problem=f"matching by meaning: {answer}")


def judge_request(suite: Suite, ask: JudgeRequest, case_id: str) -> Request:
    """Return the exact request for one vote of the suite's judge.

    The same answer, rubric and model make the same request in every run.
    """
    judge = suite.rules.judge
    assert judge is not None
    prompt = judge.rubrics[ask.rubric]
    repeat, which = divmod(ask.vote, len(judge.models))
    schema = suite.kind.judgeable.schema(prompt)
    extra = {key: value for key, value in prompt.parameters.items() if key in EXTRA}
    parameters = Parameters(judge.models[which], judge.temperature, None, prompt.parameters.get("max_tokens"), extra)
    begun = begin_request(prompt, parameters, repeat, schema, digest_json(schema), by=JUDGE)
    return fill_request(begun, prompt, case_id, ask.variables)


SCORER_LIMIT_S = 10.0
"""Seconds that a scorer may take for one answer."""
SCORERS = Worker("row3.running.scorer_process", "runs the project's scorers", isolated=False)


def call_scorer(root: Path, ask: FunctionRequest, guard: Guard) -> FunctionScore | NoAnswer:
    """Return a scorer's number or `(number, reason)`; a `NoAnswer` if it cannot be loaded, raises, hangs or ends.

    It runs in a process of its own. The guard cleans its text, as it cleans a provider's answer.
    """
    for given, limit_s in (((), LOAD_LIMIT_S), ((dict(ask.case), ask.answer), SCORER_LIMIT_S)):
        try:
            said = SCORERS.ask((str(root), ask.function, *given), limit_s, str(root))
        except TimeoutError:
            return NoAnswer(f"`{ask.function}` gave no score within {limit_s:g} s")
        except EOFError as ended:
            return NoAnswer(f"`{ask.function}` {ended}")
        match said:
            case {"fault": str(fault)}:
                return NoAnswer(guard.clean(fault))
            case {"score": score, "reason": str(reason)}:
                return FunctionScore(score, guard.clean(reason))
    return NoAnswer(f"`{ask.function}` gave something that row3 cannot read")
