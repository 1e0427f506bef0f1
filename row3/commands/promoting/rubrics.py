"""Promote a rubric: compare the recorded grades of both versions for the same answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from row3.comparing.approvals import new_approvals
from row3.comparing.comparison import Comparer
from row3.domain.judgements import CriteriaChange, Judgement
from row3.domain.prompts import Prompt
from row3.domain.requests import JUDGE, NoAnswer, Request
from row3.domain.runs import BaseHeader
from row3.domain.scores import CaseScore
from row3.domain.words import part
from row3.errors import RunIncomplete, UsageError
from row3.gate.judging import judge
from row3.gate.results import Comparison, Run
from row3.gate.scores import Context, Effect
from row3.kinds.judging import JUDGED
from row3.project.cases import StoredCase
from row3.project.criteria import in_force
from row3.running.asks import Given, Question
from row3.running.collect import sorted_on_disk
from row3.running.evaluate import Asking, replay_case
from row3.running.lineup import line_up, with_rubrics
from row3.running.replay import Recorded, open_recordings
from row3.running.run_options import make_asking
from row3.running.session import Session
from row3.running.suite_run import run_suite


def judge_rubric(session: Session, rubric: Prompt) -> tuple[Run, Comparison, Judgement]:
    """Return the run graded by a rubric, its comparison with the current rubric, and the judgement.

    Mode `auto` asks the judge for missing grades. Raises `RunIncomplete` if a grade is still missing, `UsageError` if
    the suite does not use the rubric.
    """
    suite, name = session.suite, rubric.ref.name
    current = None if suite.rules.judge is None else suite.rules.judge.rubrics.get(name)
    if current is None:
        what = f"suite `{suite.name}` has no judge that grades by `{name}`"
        raise UsageError(what, where="VERSION", fix="Name a suite that does with --suite")
    if session.mode not in ("replay", "auto"):
        what = "a rubric is judged by the grades of recorded answers"
        raise UsageError(what, where=f"--mode {session.mode}", fix="Use --mode replay, or auto for missing grades")
    lineup = line_up(session.project, suite, role="promoted", named=session.options.named)
    after = with_rubrics(suite, {name: rubric})
    if session.mode == "auto":
        for each in (suite, after):
            run_suite(session, suite=each, lineup=lineup)
    session = session.replaying()
    both = [make_asking(each, lineup, session.options) for each in (suite, after)]
    answers = _Watched(Recorded(open_recordings(session.project, suite), lineup))
    _check_grades(session, rubric, both, answers)

    def before(stored: StoredCase, _: CaseScore) -> CaseScore | None:
        return replay_case(both[0], stored, answers)

    resting = {entry.case_id: entry.until for entry in in_force(session.project, suite).active}
    comparer = Comparer(after, resting=resting)
    run = run_suite(session, suite=after, lineup=lineup, before=before, take=comparer.take)
    if not any(label.startswith(f"{name} ") for label in run.tally.get(JUDGED, {})):
        what = f"no answer of suite `{suite.name}` is graded by `{name}`"
        raise UsageError(what, where="VERSION", fix="Name a suite whose cases use it with --suite")
    comparison = _compared(session, run, comparer, (current, rubric))
    return run, comparison, comparison.judgement


@dataclass(slots=True)
class _Watched:
    """Recorded answers; lists the missing grades that were asked for."""

    recorded: Recorded
    missing: list[Request] = field(default_factory=list)

    async def answer(self, question: Question) -> Given:
        given = await self.recorded.answer(question)
        if isinstance(question, Request) and question.by == JUDGE and isinstance(given, NoAnswer):
            self.missing.append(question)
        return given


def _check_grades(session: Session, rubric: Prompt, both: list[Asking], answers: _Watched) -> None:
    """Raise `RunIncomplete` if a grade by either version is not recorded."""
    suite = session.suite
    ungraded: dict[str, str] = {}
    cases = list(session.project.cases_of(suite))
    for stored in cases:
        for asking in both:
            answers.missing.clear()
            replay_case(asking, stored, answers)
            if answers.missing:
                ungraded.setdefault(stored.id, answers.missing[0].prompt)
    if ungraded:
        case_id, version = next(iter(ungraded.items()))
        lack = part(len(ungraded), len(cases), "case", "lacks", "lack")
        what = f"the run is incomplete: {lack} a grade by {version}, so nothing is promoted"
        fix = f"Ask for it with `row3 promote{suite.flag} {rubric.ref} --mode auto`"
        raise RunIncomplete(what, where=case_id, fix=fix)


def _compared(session: Session, run: Run, comparer: Comparer, rubrics: tuple[Prompt, Prompt]) -> Comparison:
    """Return the comparison of a rubric with the current one, judged by the scores of the same answers."""
    suite, (current, rubric) = session.suite, rubrics
    policy = replace(suite.policy, policy="fixed")  # STANDARDS 5.2
    scores = comparer.scores(policy)
    primary = suite.kind.primary
    changes: list[CriteriaChange] = []
    if current.digest != rubric.digest:
        before, after = str(current.ref.version), str(rubric.ref.version)
        changes.append(CriteriaChange("changed", f"rule rubric.{rubric.ref.name}", before, after))
    judged = suite.kind.judgeable.metrics
    shown = primary if primary in judged else next((m.key for m in suite.kind.metrics if m.key in judged), primary)
    pairs = [values.get(shown) for values in comparer.pairs.means()]
    effect = Effect({} if None in pairs else {"candidate": tuple(pairs)}, raises=False)
    judgement = judge(
        suite.name,
        changes,
        [scores],
        Context(),
        effect=lambda _: effect,
        answers=sorted_on_disk(comparer.answers()),
        approvals=new_approvals(session.project.history, None, suite.name),
    )
    head = run.header
    base = BaseHeader(head.prompts, head.prompt_digests, head.model, head.parameters, head.repeats)
    return comparer.comparison(run, base, scores, judgement)
