"""Answer what scoring asks for: the run answers grades and embeddings; scorers and costs are answered here."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from row3.domain.asks import FunctionRequest, FunctionScore, Spending, UsageRequest
from row3.domain.embeddings import EmbeddingRequest, Vectors
from row3.domain.judges import JudgeRequest
from row3.domain.progress import Spent
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_json
from row3.domain.scores import CaseScore
from row3.domain.secrets import Guard
from row3.project.cases import StoredCase
from row3.project.suites import Suite
from row3.project.trusted_code import scorer_code
from row3.running.budget import Prices, prices_of
from row3.running.case_results import total
from row3.running.provider_access import guard_of
from row3.running.stages import Parameters, begin_request, fill_request

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
        elif isinstance(ask, FunctionRequest) and suite.project is None:
            answer = NoAnswer("the project's own code does not run here")
        elif isinstance(ask, FunctionRequest):
            assert suite.project is not None
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
    schema = suite.kind.rubric_schema(prompt)
    parameters = Parameters(judge.models[which], judge.temperature, None, prompt.parameters.get("max_tokens"))
    begun = begin_request(prompt, parameters, repeat, schema, digest_json(schema), by=JUDGE)
    return fill_request(begun, prompt, case_id, ask.variables)


SCORER_LIMIT_S = 10.0
"""Seconds that a scorer may take for one answer."""


def call_scorer(root: Path, ask: FunctionRequest, guard: Guard) -> FunctionScore | NoAnswer:
    """Return a scorer's number or `(number, reason)`; a `NoAnswer` if it cannot be loaded, raises or hangs.

    It runs in a daemon thread, so a scorer that never returns costs only the time limit. The guard cleans its text, as
    it cleans a provider's answer.
    """
    score = _called(root, ask)
    if isinstance(score, NoAnswer):
        return NoAnswer(guard.clean(score.error))
    return score._replace(reason=guard.clean(score.reason))


def _called(root: Path, ask: FunctionRequest) -> FunctionScore | NoAnswer:
    vars(os)["_exit"] = _stay
    _RUNNING.pid = os.getpid()
    try:
        function = _loaded(str(root), ask.function)
    except (Exception, SystemExit) as error:
        return NoAnswer(f"`{ask.function}` cannot be loaded: {type(error).__name__}: {error}")
    finally:
        _RUNNING.pid = 0
    returned: list[Any] = []

    def run() -> None:
        _RUNNING.pid = os.getpid()
        try:
            returned.append(function(dict(ask.case), ask.answer))
        except BaseException as error:
            returned.append(NoAnswer(f"`{ask.function}` raised {type(error).__name__}: {error}"))

    thread = threading.Thread(target=run, name="row3-scorer", daemon=True)
    with contextlib.redirect_stdout(sys.stderr):  # stdout is row3's result
        thread.start()
        thread.join(SCORER_LIMIT_S)
    if not returned:
        return NoAnswer(f"`{ask.function}` gave no score within {SCORER_LIMIT_S:g} s")
    value = returned[0]
    if isinstance(value, NoAnswer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return FunctionScore(value[0], str(value[1]))
    return FunctionScore(value)


_RUNNING = threading.local()
"""Has the id of the process as `pid` in a thread that runs a scorer."""
_exit = os._exit


def _stay(status: int) -> NoReturn:
    """In place of `os._exit`: a scorer that ends the process raises, but a process that it has forked ends."""
    if getattr(_RUNNING, "pid", 0) == os.getpid():
        raise SystemExit(status)
    _exit(status)


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
