"""Compare judges with people's labels: `row3 judge calibrate` and `row3 judge compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from row3.commands.judging.judged_answers import JudgedAnswer, RecordedGrades, judge_of, judged_answers, own_family
from row3.domain.judges import JudgeRules
from row3.domain.prompts import Prompt, PromptRef, parse_reference, parse_version
from row3.domain.requests import canonical, digest_text
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
from row3.project.calibrations import Calibration, calibrations_path, calibrations_text
from row3.project.files import write_atomic
from row3.project.judges import judge_settings
from row3.project.labels import Label, read_labels
from row3.project.project import Project
from row3.project.suites import Suite
from row3.project.transaction import writing
from row3.running.collect import now
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
