"""What scoring asks of others: grades and vectors become questions of the run, the rest is answered here."""

from __future__ import annotations

import contextlib
import importlib
import math
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from row3.domain.asks import FunctionRequest, FunctionScore, Spending, UsageRequest
from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.judges import JudgeRequest
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_head, digest_json, digest_of
from row3.domain.scores import CaseScore
from row3.domain.secrets import Guard
from row3.store.cases import StoredCase
from row3.store.code import scorer_code
from row3.store.suites import Suite
from row3.workflows.pipeline.budget import Prices, prices_of
from row3.workflows.pipeline.providers import guard_of
from row3.workflows.pipeline.results import Spent
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


SCORER_LIMIT_S = 10.0
"""How long a scorer may take for one answer."""


def call_scorer(root: Path, ask: FunctionRequest, guard: Guard) -> FunctionScore | NoAnswer:
    """Return what a scorer says: a number or `(number, reason)`; `NoAnswer` where it cannot be loaded, raises or hangs.

    It runs in a thread that does not keep the program alive, so one that never returns costs its limit and no more.
    The guard cleans what it says, as it cleans what a provider answers.
    """
    said = _called(root, ask)
    if isinstance(said, NoAnswer):
        return NoAnswer(guard.clean(said.error))
    return said._replace(reason=guard.clean(said.reason))


def _called(root: Path, ask: FunctionRequest) -> FunctionScore | NoAnswer:
    try:
        function = _loaded(str(root), ask.function)
    except Exception as error:
        return NoAnswer(f"`{ask.function}` cannot be loaded: {type(error).__name__}: {error}")
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(function(dict(ask.case), ask.answer))
        except BaseException as error:
            found.append(NoAnswer(f"`{ask.function}` raised {type(error).__name__}: {error}"))

    thread = threading.Thread(target=run, name="row3-scorer", daemon=True)
    with contextlib.redirect_stdout(sys.stderr):  # stdout is row3's result; a scorer that hangs would keep it
        thread.start()
        thread.join(SCORER_LIMIT_S)
    if not found:
        return NoAnswer(f"`{ask.function}` gave no score within {SCORER_LIMIT_S:g} s")
    value = found[0]
    if isinstance(value, NoAnswer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return FunctionScore(value[0], str(value[1]))
    return FunctionScore(value)


@lru_cache(maxsize=64)
def _loaded(root: str, name: str) -> Callable[..., Any]:
    module, _, path = name.partition(":")
    if root not in sys.path:
        sys.path.insert(0, root)
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    if not callable(value):
        raise TypeError(f"{path} is not a function")
    function: Callable[..., Any] = value
    return function
