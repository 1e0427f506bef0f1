"""`row3 judge calibrate` and `row3 judge compare`: compare a judge, or two, with people's labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

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
    mcnemar,
    warranty,
)
from row3.store.calibrations import Calibration, Calibrations, calibrations_path, calibrations_text, read_calibrations
from row3.store.files import write_atomic
from row3.store.judges import judge_settings
from row3.store.labels import Label, read_labels
from row3.store.project import Project
from row3.store.prompts import read_promoted, read_prompt, versions
from row3.store.suites import Suite
from row3.store.transaction import writing
from row3.workflows.judging.judged_answers import JudgedAnswer, Recall, judge_of, judged_answers, own_family
from row3.workflows.pipeline.replaying import open_recordings


def calibrate(
    project: Project,
    suite: Suite,
    labels: Path,
    *,
    where: str,
    write: bool,
    say: Callable[[str], None] = lambda _: None,
) -> CalibrationReport:
    """Measure the suite's judge by labels, and keep the result unless it is a dry run.

    Raises `InvalidFile`, also where no label has a recorded grade of the same answer, and `UsageError`.
    """
    judge, recall = judge_of(suite), Recall(suite, open_recordings(project, suite))
    given = read_labels(labels, suite.name, where=where)
    answers = judged_answers(project, suite)
    least = judge_settings(project.config, suite.name).min_kappa
    models = f"{', '.join(judge.models)} × {judge.votes}"
    report = CalibrationReport(suite.name, models, MIN_KAPPA if least is None else least)
    kept: dict[str, Calibration] = {}
    for rubric in dict.fromkeys(label.rubric for label in given):
        mine = [label for label in given if label.rubric == rubric]
        if rubric not in judge.rubrics:
            report.skipped.append((rubric, "no such rubric"))
            continue
        found, unmatched, ungraded = _labelled(mine, answers, recall)
        if not found:
            why = f"{unmatched} without a recorded answer, {ungraded} without a recorded grade"
            report.skipped.append((rubric, f"no label has a matching grade ({why})"))
            continue
        said = warranty(found, _flips(rubric, answers.values(), recall))
        prompt = judge.rubrics[rubric]
        report.rubrics.append(RubricReport(rubric, str(prompt.ref.version), said, unmatched, ungraded))
        kept[rubric] = _calibration(suite, prompt, mine, said)
    if not report.rubrics:
        listed = "; ".join(f"{rubric}: {why}" for rubric, why in report.skipped)
        fix = f"Record the grades with `row3 --mode auto{suite.flag}`, or label the answers that are recorded now"
        raise InvalidFile(f"nothing to calibrate by: {listed}", where=where, fix=fix)
    if write:
        report.written = calibrations_path(suite.name)
        with writing(project.local, say=say):
            there = read_calibrations(project.tree, suite.name)
            merged = Calibrations(there.schema_, there.schema_version, {**there.rubrics, **kept})
            write_atomic(project.at(report.written), calibrations_text(merged), where=report.written)
    return report


def _labelled(
    labels: Iterable[Label], answers: Mapping[tuple[str, str], JudgedAnswer], recall: Recall
) -> tuple[list[Labelled], int, int]:
    """Return the labels with the judge's word beside them, and how many have no recorded answer, or no grade."""
    found: list[Labelled] = []
    unmatched = ungraded = 0
    judge = judge_of(recall.suite)
    for label in labels:
        answer = answers.get(label.key)
        if answer is None:
            unmatched += 1
            continue
        said = recall.opinion(answer)
        if isinstance(said, str):
            ungraded += 1
            continue
        person = label.opinion(answer.graded)
        family = own_family(judge, answer.models)
        digest = label.answer_digest
        found.append(Labelled(answer.case_id, digest, person, said, answer.graded.length, family, answer.graded.answer))
    return found, unmatched, ungraded


def _flips(rubric: str, answers: Iterable[JudgedAnswer], recall: Recall) -> list[bool]:
    """Return for each recorded judgement of two answers whether the winner changes with their order."""
    said = [recall.opinion(answer) for answer in answers if answer.graded.rubric == rubric]
    return [each.flipped for each in said if not isinstance(each, str) and each.winner is not None]


def _calibration(suite: Suite, prompt: Prompt, labels: Sequence[Label], said: Warranty) -> Calibration:
    judge = judge_of(suite)
    lines = sorted(canonical([label.answer_digest, label.points, label.winner]) for label in labels)
    return Calibration(
        **structs.asdict(said.figures),
        rubric_digest=prompt.digest,
        models=list(judge.models),
        votes=judge.votes,
        labels_digest=digest_text("\n".join(lines)),
        at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def compare_judges(
    project: Project, suite: Suite, names: tuple[str, str], labels: Path, *, where: str
) -> JudgeComparison:
    """Return two rubrics or models beside the labels that both have graded; raises `InvalidFile`, `UsageError`."""
    own = Recall(suite, open_recordings(project, suite))
    given = read_labels(labels, suite.name, where=where)
    rubrics = [_rubric(project, suite, name) for name in names]
    if (rubrics[0] is None) != (rubrics[1] is None):
        other = names[0] if rubrics[0] is None else names[1]
        raise UsageError(
            f"`{other}` is not a rubric of suite `{suite.name}`", where="A B", fix="Name two rubrics, or two models"
        )
    labelled = list(dict.fromkeys(label.rubric for label in given))
    wanted = [prompt.ref.name for prompt in rubrics if prompt is not None and prompt.ref.name in labelled] or labelled
    rubric = wanted[0]
    if len(set(wanted)) > 1:
        what = f"the labels are of several rubrics: {', '.join(wanted)}"
        raise UsageError(what, where=where, fix="Put those of one rubric into a file of their own")
    recalls = [
        own.under({}, (name,)) if prompt is None else own.under({rubric: prompt})
        for name, prompt in zip(names, rubrics, strict=True)
    ]
    answers = judged_answers(project, suite)
    mine = [label for label in given if label.rubric == rubric]
    first, second = ({each.digest: each for each in _labelled(mine, answers, recall)[0]} for recall in recalls)
    shared = [digest for digest in first if digest in second]
    if not shared:
        counts = ", ".join(f"{name} {len(each)}" for name, each in zip(names, (first, second), strict=True))
        fix = "Record them: `row3 --prompt RUBRIC-vX.Y --mode auto`, or with another model in [judge]"
        raise InvalidFile(f"no label has a recorded grade of both ({counts})", where=where, fix=fix)
    right = [(first[digest].agrees, second[digest].agrees) for digest in shared]
    only = right.count((True, False)), right.count((False, True))
    flips = [_flips(rubric, answers.values(), recall) for recall in recalls]
    warranties = [
        warranty([side[digest] for digest in shared], flipped)
        for side, flipped in zip((first, second), flips, strict=True)
    ]
    return JudgeComparison(
        suite.name,
        rubric,
        names,
        (warranties[0], warranties[1]),
        (len(mine) - len(first), len(mine) - len(second)),
        only,
        warranties[1].figures.accuracy.value - warranties[0].figures.accuracy.value,
        mcnemar(*only),
    )


def _rubric(project: Project, suite: Suite, name: str) -> Prompt | None:
    """Return the rubric of a reference or a name; None for what names no prompt, such as a model.

    A bare name is that of the promoted version, or of the highest.
    """
    there, ref = versions(project.tree), parse_reference(name.removeprefix("prompts/"))
    if ref is None and name in there:
        entry = read_promoted(project.tree).get(name)
        version = None if entry is None else parse_version(entry.version)
        ref = PromptRef(name, version or there[name][-1])
    if ref is None or ref.name not in there:
        return None
    prompt = read_prompt(project.tree, ref)
    if prompt.output not in suite.kind.rubrics:
        what = f"{ref} is not a rubric of kind `{suite.kind.name}`: its output is `{prompt.output}`"
        raise UsageError(what, where="A B", fix=f"A rubric says `output: {' or '.join(sorted(suite.kind.rubrics))}`")
    return prompt
