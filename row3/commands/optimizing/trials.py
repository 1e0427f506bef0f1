"""Run cases under one wording after another, with a hard limit on answers asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from row3.domain.prompts import Lineup, Prompt
from row3.domain.requests import JUDGE, NoAnswer, Request, messages_of
from row3.domain.scores import CaseScore, Observer
from row3.errors import InvalidFile, RunIncomplete
from row3.project.cases import StoredCase
from row3.project.judges import judge_settings
from row3.providers.base import Provider
from row3.running.answering import LiveAnswerer, SavedAnswers
from row3.running.asks import Given, Question
from row3.running.budget import prices_of
from row3.running.concurrency import many
from row3.running.evaluate import Walk, replay_case, steps
from row3.running.live import DEFAULT_JOBS, ending
from row3.running.meanings import open_meanings
from row3.running.provider_access import endpoint_of, guarded, judge_endpoint, open_provider, provider_at
from row3.running.replay import Recorded
from row3.running.run_options import make_asking
from row3.running.session import Session


class OutOfBudgetError(Exception):
    """The budget is spent."""


@dataclass(slots=True)
class Trials:
    """Runs a suite's cases under other wordings of a prompt; only new answers count against the budget."""

    session: Session
    lineup: Lineup
    runner: asyncio.Runner
    asked: LiveAnswerer
    reflecting: Provider
    """Provider of the model that proposes wordings."""
    model: str
    left: int
    """Answers that may still be asked for."""
    spent: int = 0
    refused: list[str] = field(default_factory=list)
    """Why wordings since the last proposal scored 0."""

    async def answer(self, question: Question) -> Given:
        """Answer a question of the pipeline. Raises `OutOfBudgetError`, and the provider's errors."""
        if not isinstance(question, Request) or question.by == JUDGE:
            return await self.asked.answer(question)
        if question.digest not in self.asked.asked and self.asked.saved.known(question) is None:
            if self.left < 1:
                raise OutOfBudgetError
            self.left -= 1
            self.spent += 1
        return await self.asked.answer(question)

    def missing(self, cases: Sequence[StoredCase]) -> int:
        """Return an upper limit on the missing answers of the current lineup."""
        asking = make_asking(self.session.suite, self.lineup, self.session.options)
        recorded = Recorded(self.asked.saved.index, self.lineup)
        failed = sum(replay_case(asking, each, recorded).status == "failed" for each in cases)
        return failed * len(self.lineup.steps)

    def scores(self, prompt: Prompt, cases: Sequence[StoredCase]) -> list[CaseScore]:
        """Return the score of each case under a wording of the prompt, 0 if its template does not render.

        Raises `OutOfBudgetError`, and `RunIncomplete` for a case without an answer or a grade.
        """
        prompts = tuple(prompt if each.ref.name == prompt.ref.name else each for each in self.lineup.prompts)
        asking = make_asking(self.session.suite, replace(self.lineup, prompts=prompts), self.session.options)
        primary = asking.suite.kind.primary

        async def one(stored: StoredCase) -> CaseScore | None:
            try:
                score = await Walk(steps(asking, stored), self).to_end()
            except OutOfBudgetError:
                return None  # let requests under way finish: they are paid for
            except InvalidFile as error:
                if error.where != prompt.path:
                    raise
                self.refused.append(f"{error.what}.")
                return CaseScore(stored.id, "bad_answer", {primary: 0.0}, problem=error.what)
            if score.status == "failed":
                raise RunIncomplete(f"the case has no answer: {score.problem}", where=stored.id)
            if primary not in score.metrics and (unscored := score.tally.get("unscored")):
                raise RunIncomplete(next(iter(unscored)), where=stored.id)
            return score

        jobs = self.session.project.config.jobs or DEFAULT_JOBS
        unique = {each.id: each for each in cases}  # a batch may name a case twice
        found = self.runner.run(many(unique.values(), one, jobs=jobs))
        scores = {each.case_id: each for each in found if each is not None}
        if len(scores) < len(unique):
            raise OutOfBudgetError
        return [scores[each.id] for each in cases]

    def propose(self, text: str) -> str:
        """Return the reflection model's answer. Raises `RunIncomplete` if it gives none."""
        where = ("", "reflection", 0, self.model, None, None, None)
        answer = self.runner.run(self.reflecting.ask(Request(*where, messages_of("", text), "", {}, "", "", {}, "")))
        if isinstance(answer, NoAnswer):
            raise RunIncomplete(f"the reflection model gave no answer: {answer.error}", fix=answer.fix)
        return answer.text


@contextmanager
def open_trials(session: Session, lineup: Lineup, name: str, budget: int) -> Iterator[Trials]:
    """Open the providers, and a journal of answers from which an interrupted command continues.

    The reflection model is the configured judge's, else the one that answers the prompt of this name.
    """
    project, suite = session.project, session.suite
    arm = next(arm for arm, prompt in lineup.steps if prompt.ref.name == name)
    model = make_asking(suite, lineup, session.options).parameters_of(name, arm).model
    endpoint = endpoint_of(project, (suite.arms or {}).get(arm, suite))
    own = project.config.suites.get(suite.name)
    judges = [project.config.judge, *([] if own is None else [own.judge])]
    if any(each.model or each.models or each.preset or each.base_url for each in judges):
        settings = judge_settings(project.config, suite.name)
        model, endpoint = (*settings.models, settings.model)[0] or model, judge_endpoint(project, suite)
    saved = SavedAnswers.open(session, "optimize", recordings=True)
    meanings = open_meanings(project, suite, recordings=True)
    asked = LiveAnswerer(
        open_provider(project, suite),
        saved,
        Observer(),
        replace(prices_of(project, suite, known_models=True), halved=frozenset()),
        {},
        meanings=meanings,
    )
    reflecting = guarded(project, provider_at(project, endpoint))
    with ending(session, [saved]), asyncio.Runner() as runner:
        try:
            yield Trials(session, lineup, runner, asked, reflecting, model, budget)
        finally:
            runner.run(asked.close())
            runner.run(reflecting.close())
