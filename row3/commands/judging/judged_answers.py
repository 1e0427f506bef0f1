"""Recorded answers that a judge grades, their recorded grades, and their labelling by people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.asks import finish
from row3.domain.judges import Graded, JudgeRequest, JudgeRules, Opinion, Winner, model_family
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer, digest_text
from row3.errors import InvalidFile, UsageError
from row3.kinds import all_kinds
from row3.project.cases import StoredCase
from row3.project.files import read_bytes
from row3.project.labels import Label, add_label, parse_labels
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.asks import judge_request
from row3.running.lineup import with_rubrics
from row3.running.recorded_answers import complete_answers, recorded_settings, stages_of
from row3.running.replay import open_recordings


class JudgedAnswer(NamedTuple):
    """A recorded answer that a rubric grades."""

    case_id: str
    graded: Graded
    models: frozenset[str]
    """Models that gave the answer; empty for a system."""
    output: Any
    case: Any

    @property
    def key(self) -> tuple[str, str]:
        """Key of its label: rubric and digest."""
        return self.graded.rubric, self.graded.digest


@dataclass(frozen=True, slots=True)
class RecordedGrades:
    """A judge's recorded grades: the suite's judge, or one with other rubrics or models."""

    suite: Suite
    index: RecordingIndex

    def with_judge(self, rubrics: Mapping[str, Prompt], models: tuple[str, ...] = ()) -> RecordedGrades:
        """Return the grades of a judge with these rubrics, by name, or models."""
        suite = with_rubrics(self.suite, rubrics)
        judge = judge_of(suite)
        rules = replace(suite.rules, judge=replace(judge, models=models or judge.models))
        return replace(self, suite=replace(suite, rules=rules))

    def opinion(self, answer: JudgedAnswer) -> Opinion | str:
        """Return the judge's opinion of an answer, or why there is none. Raises `InvalidFile`."""
        judged = self.suite.kind.judgeable.graded(answer.case, answer.output, self.suite.rules)
        asking = next(asking for graded, asking in judged if graded == answer.graded)
        replies: list[Answer | NoAnswer] = []

        def reply(ask: JudgeRequest) -> Answer | NoAnswer:
            found = self.index.answer(judge_request(self.suite, ask, answer.case_id))
            replies.append(found or NoAnswer("no grade is recorded"))
            return replies[-1]

        opinion = finish(asking, reply)
        return next((each.error for each in replies if isinstance(each, NoAnswer)), opinion)


def judge_of(suite: Suite) -> JudgeRules:
    """Return the suite's judge; raises `UsageError` if the suite has no rubric."""
    judge = suite.rules.judge
    if judge is None or not judge.rubrics:
        what = f"suite `{suite.name}` has no judge"
        kinds = " or ".join(f"`{name}`" for name, kind in all_kinds().items() if kind.judgeable.rubrics)
        fix = f"Name a suite of kind {kinds} with --suite, and write a rubric (`row3 docs judge`)"
        raise UsageError(what, where=f"suite {suite.name}", fix=fix)
    return judge


def judged_answers(project: Project, suite: Suite) -> dict[tuple[str, str], JudgedAnswer]:
    """Return a suite's recorded answers that a judge grades, by key. Raises `InvalidFile`, `UsageError`."""
    judge_of(suite)
    found: dict[tuple[str, str], JudgedAnswer] = {}
    for stored, output, models in _outputs(project, suite):
        for graded, asking in suite.kind.judgeable.graded(stored.case, output, suite.rules):
            asking.close()
            answer = JudgedAnswer(stored.id, graded, models, output, stored.case)
            known = found.setdefault(answer.key, answer)
            found[answer.key] = known._replace(models=known.models | models)
    return found


def _outputs(project: Project, suite: Suite) -> Iterator[tuple[StoredCase, Any, frozenset[str]]]:
    """Yield every complete recorded answer with its case and the models that gave it; no model for a system.

    With arms only the current models are used, as nothing else tells whose recording it is.
    """
    index = open_recordings(project, suite)
    used, repeats = recorded_settings(index)
    stages = stages_of(project, suite, index, {} if suite.arms else used, ())
    for stored in project.cases_of(suite):
        for repeat in repeats:
            for steps, _, output, bad in complete_answers(stages, stored, repeat, index.answer):
                if not bad:
                    yield stored, output, frozenset(step.request.model for step in steps if step.prompt.stage is None)


def own_family(judge: JudgeRules, models: frozenset[str]) -> bool | None:
    """Return whether a model of the judge's family gave the answer; None if unknown, or if other families did too."""
    families = {model_family(model) for model in judge.models}
    found = {model_family(model) in families for model in models}
    return found.pop() if len(found) == 1 else None


@dataclass(slots=True)
class Labelling:
    """A session of labelling answers."""

    project: Project
    suite: Suite
    path: Path
    where: str
    """The file's name in messages."""
    open: list[JudgedAnswer] = field(default_factory=list)
    """Answers without a label, ordered by digest: random but reproducible."""
    labelled: int = 0
    """Number of answers with a label, including earlier sessions."""
    say: Callable[[str], None] = lambda _: None

    @classmethod
    def begin(cls, project: Project, suite: Suite, path: Path, *, where: str, say: Callable[[str], None]) -> Labelling:
        """Find the answers without a label. Raises `InvalidFile`, `UsageError`."""
        labels = parse_labels(read_bytes(path, where=where), where=where) if path.exists() else []
        known = {label.key for label in labels if label.suite == suite.name}
        answers = sorted(judged_answers(project, suite).values(), key=lambda answer: answer.key[::-1])
        if not answers:
            fix = f"Record some with `row3 --mode record{suite.flag}`"
            raise InvalidFile("no recorded answer is graded by a rubric", where=f"suite {suite.name}", fix=fix)
        waiting = [answer for answer in answers if answer.key not in known]
        return cls(project, suite, path, where, waiting, len(answers) - len(waiting), say)

    def rubric(self, answer: JudgedAnswer) -> Prompt:
        """Return the rubric that grades an answer."""
        return judge_of(self.suite).rubrics[answer.graded.rubric]

    def swapped(self, answer: JudgedAnswer) -> bool:
        """Return whether the answer of `full` is shown first: random but reproducible."""
        return int(digest_text(f"order {answer.graded.digest}")[:2], 16) % 2 == 1

    def keep(self, answer: JudgedAnswer, *, grade: float | None, winner: Winner | None, passes: bool | None) -> None:
        """Append a label to the file. Raises `EnvironmentFault`."""
        rubric, digest = answer.key
        label = Label(
            suite=self.suite.name,
            rubric=rubric,
            case_id=answer.case_id,
            answer_digest=digest,
            grade=grade,
            winner=winner,
            passes=passes,
        )
        with writing(self.project.root, say=self.say):
            add_label(self.path, label, where=self.where)
        self.labelled += 1
