"""Compare judges with labels of people (`row3 judge calibrate`, `row3 judge compare`), and find what a judge graded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.asks import finish
from row3.domain.judges import Graded, JudgeRequest, JudgeRules, Opinion, Winner, model_family
from row3.domain.prompts import Prompt, PromptRef, parse_reference, parse_version
from row3.domain.requests import Answer, NoAnswer, canonical, digest_text
from row3.errors import InvalidFile, UsageError
from row3.gate.agreement import MIN_KAPPA
from row3.gate.calibration import (
    CalibrationReport,
    JudgeComparison,
    Labelled,
    RubricReport,
    Warranty,
    compare_labelled,
    warranty,
)
from row3.kinds import all_kinds
from row3.project.calibrations import Calibration, calibrations_path, calibrations_text
from row3.project.cases import StoredCase
from row3.project.files import read_bytes, write_atomic
from row3.project.judges import judge_settings
from row3.project.labels import Label, add_label, parse_labels, read_labels
from row3.project.project import Project
from row3.project.recordings import RecordingIndex
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.asks import judge_request
from row3.running.collect import now
from row3.running.lineup import with_rubrics
from row3.running.recorded_answers import complete_answers, recorded_settings, stages_of
from row3.running.replay import open_recordings


def calibrate(
    project: Project,
    suite: Suite,
    labels: Path,
    *,
    where: str,
    write: bool,
    say: Callable[[str], None] = lambda _: None,
) -> CalibrationReport:
    """Compare the suite's judge with labels; `write` saves the calibration.

    Raises `InvalidFile`, also if no label has a recorded grade of the same answer, and `UsageError`.
    """
    judge, grades = judge_of(suite), RecordedGrades(suite, open_recordings(project, suite))
    given = read_labels(labels, suite.name, where=where)
    answers = judged_answers(project, suite)
    settings = judge_settings(project.config, suite.name)
    models = f"{', '.join(judge.models)} × {judge.votes}"
    minimum = MIN_KAPPA if settings.min_kappa is None else settings.min_kappa
    report = CalibrationReport(suite.name, models, minimum, settings.uncalibrated)
    kept: dict[str, Calibration] = {}
    for rubric in dict.fromkeys(label.rubric for label in given):
        labelled = [label for label in given if label.rubric == rubric]
        if rubric not in judge.rubrics:
            report.skipped.append((rubric, "no such rubric"))
            continue
        found, unmatched, ungraded = _match_grades(labelled, answers, grades)
        if not found:
            why = f"{unmatched} without a recorded answer, {ungraded} without a recorded grade"
            report.skipped.append((rubric, f"no label has a matching grade ({why})"))
            continue
        measured = warranty(found, _flips(rubric, answers.values(), grades))
        prompt = judge.rubrics[rubric]
        report.rubrics.append(RubricReport(rubric, str(prompt.ref.version), measured, unmatched, ungraded))
        kept[rubric] = _calibration(judge, prompt, labelled, measured)
    if not report.rubrics:
        listed = "; ".join(f"{rubric}: {why}" for rubric, why in report.skipped)
        fix = f"Record the grades with `row3 --mode auto{suite.flag}`, or label the answers recorded now"
        raise InvalidFile(f"no label to calibrate with: {listed}", where=where, fix=fix)
    if write:
        report.written = calibrations_path(suite.name)
        with writing(project.root, say=say):
            earlier = project.on_disk().calibrations(suite.name)
            merged = earlier.replace(rubrics={**earlier.rubrics, **kept})
            write_atomic(project.at(report.written), calibrations_text(merged), where=report.written)
    return report


def _match_grades(
    labels: Iterable[Label], answers: Mapping[tuple[str, str], JudgedAnswer], grades: RecordedGrades
) -> tuple[list[Labelled], int, int]:
    """Return the labels with the judge's grades, and the numbers of labels without a recorded answer or grade."""
    found: list[Labelled] = []
    unmatched = ungraded = 0
    judge = judge_of(grades.suite)
    for label in labels:
        answer = answers.get(label.key)
        if answer is None:
            unmatched += 1
            continue
        opinion = grades.opinion(answer)
        if isinstance(opinion, str):
            ungraded += 1
            continue
        graded, person = answer.graded, label.opinion(answer.graded)
        family = own_family(judge, answer.models)
        digest = label.answer_digest
        found.append(Labelled(answer.case_id, digest, person, opinion, graded.length, family, graded.answer))
    return found, unmatched, ungraded


def _flips(rubric: str, answers: Iterable[JudgedAnswer], grades: RecordedGrades) -> list[bool]:
    """Return for each recorded comparison of two answers whether swapping them changes the winner."""
    opinions = [grades.opinion(answer) for answer in answers if answer.graded.rubric == rubric]
    return [each.flipped for each in opinions if not isinstance(each, str) and each.winner is not None]


def _calibration(judge: JudgeRules, prompt: Prompt, labels: Sequence[Label], measured: Warranty) -> Calibration:
    lines = sorted(canonical([label.answer_digest, label.points, label.winner]) for label in labels)
    return Calibration(
        **dict(measured.figures),
        rubric_digest=prompt.digest,
        models=list(judge.models),
        votes=judge.votes,
        labels_digest=digest_text("\n".join(lines)),
        at=now(),
    )


def compare_judges(
    project: Project, suite: Suite, names: tuple[str, str], labels: Path, *, where: str
) -> JudgeComparison:
    """Compare two rubrics or models on the labels that both have grades for; raises `InvalidFile`, `UsageError`."""
    own = RecordedGrades(suite, open_recordings(project, suite))
    given = read_labels(labels, suite.name, where=where)
    rubrics = [_rubric(project, suite, name) for name in names]
    if (rubrics[0] is None) != (rubrics[1] is None):
        other = names[0] if rubrics[0] is None else names[1]
        what = f"`{other}` is not a rubric of suite `{suite.name}`"
        raise UsageError(what, where="A B", fix="Name two rubrics, or two models")
    labelled = list(dict.fromkeys(label.rubric for label in given))
    wanted = [prompt.ref.name for prompt in rubrics if prompt is not None and prompt.ref.name in labelled] or labelled
    rubric = wanted[0]
    if len(set(wanted)) > 1:
        what = f"the labels are for several rubrics: {', '.join(wanted)}"
        raise UsageError(what, where=where, fix="Put the labels of one rubric into a separate file")
    judges = [
        own.with_judge({}, (name,)) if prompt is None else own.with_judge({rubric: prompt})
        for name, prompt in zip(names, rubrics, strict=True)
    ]
    answers = judged_answers(project, suite)
    chosen = [label for label in given if label.rubric == rubric]
    first, second = ({each.digest: each for each in _match_grades(chosen, answers, judge)[0]} for judge in judges)
    shared = [digest for digest in first if digest in second]
    if not shared:
        counts = ", ".join(f"{name} {len(each)}" for name, each in zip(names, (first, second), strict=True))
        fix = "Record them: `row3 --prompt RUBRIC-vX.Y --mode auto`, or with another model in [judge]"
        raise InvalidFile(f"no label has recorded grades of both ({counts})", where=where, fix=fix)
    of_first, of_second = ([side[digest] for digest in shared] for side in (first, second))
    flips = [_flips(rubric, answers.values(), judge) for judge in judges]
    return compare_labelled(
        suite.name,
        rubric,
        names,
        (of_first, of_second),
        flips=(flips[0], flips[1]),
        left_out=(len(chosen) - len(first), len(chosen) - len(second)),
    )


def _rubric(project: Project, suite: Suite, name: str) -> Prompt | None:
    """Return the rubric of a reference or a name; None if no prompt has it, as for a model.

    A bare name means the promoted version, else the highest.
    """
    existing, ref = project.versions, parse_reference(name.removeprefix("prompts/"))
    if ref is None and name in existing:
        entry = project.promoted.get(name)
        version = None if entry is None else parse_version(entry.version)
        ref = PromptRef(name, version or existing[name][-1])
    if ref is None or ref.name not in existing:
        return None
    prompt = project.prompt(ref)
    if prompt.output not in suite.kind.judgeable.rubrics:
        what = f"{ref} is not a rubric of kind `{suite.kind.name}`: its output is `{prompt.output}`"
        outputs = " or ".join(sorted(suite.kind.judgeable.rubrics))
        raise UsageError(what, where="A B", fix=f"A rubric has `output: {outputs}`")
    return prompt


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
