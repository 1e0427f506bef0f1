"""Every recorded answer that a judge grades, and what the judge said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from row3.domain.asks import finish
from row3.domain.judges import Graded, JudgeRequest, JudgeRules, Opinion, model_family
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer
from row3.errors import UsageError
from row3.store.cases import StoredCase, read_cases
from row3.store.project import Project
from row3.store.recordings import RecordingIndex
from row3.store.suites import Suite
from row3.workflows.pipeline.asks import judge_request
from row3.workflows.pipeline.replaying import open_recordings
from row3.workflows.pipeline.rubrics import under_rubrics
from row3.workflows.recorded.recorded_answers import complete_answers, recorded_settings, stages_of


class JudgedAnswer(NamedTuple):
    """A recorded answer that a rubric is about."""

    case_id: str
    graded: Graded
    models: frozenset[str]
    """Models that gave the answer; none where a system did."""
    output: Any
    case: Any

    @property
    def key(self) -> tuple[str, str]:
        """What its label is found by: rubric and digest."""
        return self.graded.rubric, self.graded.digest


@dataclass(frozen=True, slots=True)
class Recall:
    """The recorded words of a judge: of the suite's own, or of one with another rubric or model."""

    suite: Suite
    index: RecordingIndex

    def under(self, rubrics: Mapping[str, Prompt], models: tuple[str, ...] = ()) -> Recall:
        """Return the recorded words of the judge with other rubrics or other models."""
        suite = under_rubrics(self.suite, rubrics)
        judge = judge_of(suite)
        rules = replace(suite.rules, judge=replace(judge, models=models or judge.models))
        return replace(self, suite=replace(suite, rules=rules))

    def opinion(self, answer: JudgedAnswer) -> Opinion | str:
        """Return what the judge said of an answer, or why nothing is known. Raises `InvalidFile`."""
        judged = self.suite.kind.judged(answer.case, answer.output, self.suite.rules)
        asking = next(asking for graded, asking in judged if graded == answer.graded)
        missing: list[JudgeRequest] = []

        def reply(ask: JudgeRequest) -> Answer | NoAnswer:
            found = self.index.answer(judge_request(self.suite, ask, answer.case_id))
            missing.extend([] if found else [ask])
            return found or NoAnswer("no grade is recorded")

        opinion = finish(asking, reply)
        return "no grade is recorded" if missing else opinion


def judge_of(suite: Suite) -> JudgeRules:
    """Return the suite's judge; raises `UsageError` where nothing of the suite is judged."""
    judge = suite.rules.judge
    if judge is None or not judge.rubrics:
        what = f"nothing in suite `{suite.name}` is judged"
        fix = "Name a suite of kind `checks` or `outcome` with --suite, and write a rubric (`row3 docs judge`)"
        raise UsageError(what, where=f"suite {suite.name}", fix=fix)
    return judge


def judged_answers(project: Project, suite: Suite) -> dict[tuple[str, str], JudgedAnswer]:
    """Return every recorded answer of a suite that a judge grades, by its key. Raises `InvalidFile`, `UsageError`."""
    judge_of(suite)
    found: dict[tuple[str, str], JudgedAnswer] = {}
    for stored, output, models in _outputs(project, suite):
        for graded, asking in suite.kind.judged(stored.case, output, suite.rules):
            asking.close()
            answer = JudgedAnswer(stored.id, graded, models, output, stored.case)
            known = found.setdefault(answer.key, answer)
            found[answer.key] = known._replace(models=known.models | models)
    return found


def _outputs(project: Project, suite: Suite) -> Iterator[tuple[StoredCase, Any, frozenset[str]]]:
    """Yield every complete recorded answer with its case and the models that gave it; none for a system's.

    Which arm a recording is of is known from today's models only.
    """
    index = open_recordings(project, suite)
    used, repeats = recorded_settings(index)
    stages = stages_of(project, suite, index, {} if suite.arms else used, ())
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        for repeat in repeats:
            for steps, _, output, bad in complete_answers(stages, stored, repeat, index.answer):
                if not bad:
                    yield stored, output, frozenset(step.request.model for step in steps if step.prompt.stage is None)


def own_family(judge: JudgeRules, models: frozenset[str]) -> bool | None:
    """Return whether models of the judge's family gave an answer; None where both did, or nobody knows."""
    mine = {model_family(model) for model in judge.models}
    found = {model_family(model) in mine for model in models}
    return found.pop() if len(found) == 1 else None
