"""What the comparison after a change meets that edits golden cases: it is told, and stopped, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from row3.domain.verdicts import Cause, Reason, Verdict
from row3.gate.zones import SLACK
from row3.reports.move_text import move_text
from row3.store.run_records import parse_record
from row3.store.saved_runs import SavedRun, read_run
from row3.workflows.against.at_ref import Judging, listed
from row3.workflows.against.few_compared import how_many, too_few
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.evidence import same_requests
from row3.workflows.comparing.rescore import StoredCases
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_suite import Run
from row3.workflows.session import Session


class AfterChange:
    """Compares a run as the next change will be: by the cases, rules, recordings and baseline of this one."""

    def __init__(self, session: Session, judging: Judging, baseline: SavedRun) -> None:
        """`baseline` is that of the base."""
        project, suite = session.project, session.suite
        if judging.new_baseline:
            baseline = read_run(project.tree, project.baseline(suite.name))
        self._comparer = Comparer(project, suite, baseline, StoredCases(project, suite))
        self._edited = judging.not_as_here
        self._flag = suite.flags("row3 --baseline")
        self._unscored: list[str] = []

    def take(self, result: CaseResult) -> None:
        """Take in a case of the run, as long as the change leaves it as it is."""
        if result.case_id not in self._edited:
            self._add(result)

    def _add(self, result: CaseResult) -> None:
        compared = self._comparer.case(parse_record(result.line, where="the run"))
        self._comparer.take(result._replace(compared=compared))
        if compared.unscored and result.case_id in self._edited:
            self._unscored.append(result.case_id)

    def reasons(
        self, edited: Iterable[CaseResult], now: Comparer, run: Run, as_there: Callable[[], bool]
    ) -> Iterator[Reason]:
        """What it has to say that the comparison of `now` has not, with the cases `edited` as the change has them."""
        resting = {entry.case_id: entry.until for entry in run.quarantine.active}
        for result in edited:
            self._add(result._replace(quarantined=resting.get(result.case_id, "")))
        cause: Cause = "texts" if same_requests(self._comparer.baseline.header, run.header) else "answers"
        for reason in (*self._fallen(now, run, as_there), *self._broken(now, as_there)):
            what = f"{reason.text}, by the golden cases of this change"
            after = ": all that comes after would block" if reason.verdict is Verdict.BLOCK else ""
            yield Reason(reason.verdict, what + after, reason.metric, reason.case_id, cause=cause)
        if run.cases > len(run.collected.failed) + len(run.collected.quarantined):
            yield from self._uncompared(now)

    def _uncompared(self, now: Comparer) -> Iterator[Reason]:
        """Cases that the change takes out of later comparisons: it blocks where too few are left."""
        primary, cases = now.suite.kind.primary, "by the golden cases of this change"
        ends = f"`row3 --baseline{self._flag}` in the same change makes them comparable again"
        compared, asked = too_few(self._comparer, primary, partial=False)
        if asked and too_few(now, primary, partial=False)[1] == 0:
            what = f"{how_many(compared, asked)} could be compared with the baseline {cases}: all that comes after and"
            yield Reason(Verdict.BLOCK, f"{what} moves an answer would block; {ends}", cause="texts")
        elif ids := [case_id for case_id in self._unscored if case_id not in now.incomparable]:
            what = f"not comparable with the baseline any more {cases}, their old answers cannot be scored again"
            yield Reason(Verdict.INVESTIGATE, f"{what}: {listed(ids)}; {ends}", cause="texts")

    def _fallen(self, now: Comparer, run: Run, as_there: Callable[[], bool]) -> Iterator[Reason]:
        after, told = self._comparer, set[str | None]()
        held, before = now.held.falls(now.pairs), {each.key: each for each in now.changes(*now.pairs.means())}
        falls = after.held.falls(after.pairs)
        for reason in after.held.reasons(after.pairs, run.header.scorer):
            key = reason.metric or ""
            fall = held.get(key)
            known = Verdict.PROCEED if fall is None or not fall.others else fall.verdict
            if known is Verdict.BLOCK and as_there():
                known = Verdict.INVESTIGATE
            if key in before:
                known = max(known, before[key].verdict)
            if reason.verdict > known and (fall is None or falls[key].worse > fall.worse + SLACK):
                told.add(key)
                yield reason
        for change in after.changes(*after.pairs.means()):
            old = before.get(change.key)
            if change.code and change.key not in told and change.verdict > (old.verdict if old else Verdict.PROCEED):
                suite = self._comparer.suite
                metric = next(metric for metric in suite.kind.metrics if metric.key == change.key)
                yield Reason(change.verdict, move_text(change, metric, suite.policy), metric=change.key)

    def _broken(self, now: Comparer, as_there: Callable[[], bool]) -> Iterator[Reason]:
        after = self._comparer
        for case_id, how in after.critical.items():
            if case_id not in self._edited:
                continue
            was = now.held.critical.get(case_id)
            deeper = was is not None and after.held.critical.get(case_id, was) < was - SLACK
            if case_id not in now.critical or (deeper and as_there()):
                yield Reason(Verdict.BLOCK, f"critical case {case_id} {how}", case_id=case_id)
