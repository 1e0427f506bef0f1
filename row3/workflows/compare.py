"""Run, compare with the baseline, judge.

Like is compared with like: where the scorer or a golden case changed since the baseline, the baseline's old
answers are scored again from the recordings; where that cannot be done, the case is not comparable and said to be so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from row3.domain.requests import digest_json
from row3.domain.verdicts import CaseChange, MetricChange, Reason, Verdict
from row3.gate.comparison import by_size, compare_case, compare_metrics
from row3.gate.verdicts import Evidence, judge
from row3.gate.zones import zones_of
from row3.metrics.aggregate import Aggregate
from row3.metrics.composite import overall
from row3.store.cases import content_digest, gone_demands
from row3.store.history import Approval, HistoryEntry
from row3.store.project import Project, Suite
from row3.store.saved_runs import CaseRecord, RunHeader, SavedRun
from row3.workflows.differences import loosened, signature_change, what_differs
from row3.workflows.evidence import approved_before, declining_runs, evidence_digest
from row3.workflows.rescore import Rescorer
from row3.workflows.results import CaseResult
from row3.workflows.run_suite import Run

KEPT_CHANGES = 200
"""Case changes kept for the report; of the others only the numbers are."""


@dataclass(slots=True)
class Comparison:
    """A run against a baseline, judged."""

    run: Run
    baseline: RunHeader
    against: str | None
    """The git ref that baseline, cases and thresholds were read from."""
    metrics: list[MetricChange]
    cases: list[CaseChange]
    """Those that moved most, largest first."""
    moves: Counter[str]
    verdict: Verdict
    reasons: tuple[Reason, ...]
    differs: list[str]
    """What differs from the baseline apart from the answers, a line each."""
    declines: int
    evidence: str
    compared: int
    """Cases that both sides have and that could be compared."""
    rescored: int = 0
    approval: Approval | None = None
    prompt_diffs: Mapping[str, str] = field(default_factory=dict)

    @property
    def blocked(self) -> bool:
        """The gate blocks and nobody has approved."""
        return self.verdict is Verdict.BLOCK and self.approval is None


class Comparer:
    """Takes in a run's cases one by one and compares each with the baseline's."""

    def __init__(self, project: Project, suite: Suite, baseline: SavedRun, paths: Callable[[str], Any]) -> None:
        self.suite = suite
        self.baseline = baseline
        self._stored = paths
        self._rescore = Rescorer(project, suite, baseline.header)
        self._scorer_changed = baseline.header.scorer != suite.kind.signature(suite.rules)
        self._weights_changed = dict(baseline.header.weights) != dict(suite.rules.weights)
        self._before, self._after = Aggregate(), Aggregate()
        self._heap: list[tuple[float, int, CaseChange]] = []
        self._serial = 0
        self.moves: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.weakened: dict[str, list[str]] = {}
        self.changed: list[str] = []
        self.incomparable: list[str] = []
        self.broke: list[str] = []
        self.critical: list[str] = []
        self.rescored = 0

    def __call__(self, result: CaseResult) -> CaseChange:
        """Compare one case."""
        self.seen.add(result.case_id)
        if result.critical:
            self.critical.append(result.case_id)
        before = self.baseline.record(result.case_id)
        old, comparable = self._comparable(before, result)
        change = compare_case(
            result.case_id,
            None if old is None else (old.status, old.metrics, old.found),
            (result.status, result.metrics, result.record.found),
            primary=self.suite.kind.primary,
            comparable=comparable,
        )
        if change.move in ("improved", "unchanged", "regressed", "broke", "fixed"):
            assert old is not None
            # Means over the same cases and metrics on both sides, or a case that a metric no longer applies to would
            # move it.
            both = old.metrics.keys() & result.metrics.keys()
            self._before.add({key: value for key, value in old.metrics.items() if key in both}, {})
            self._after.add({key: value for key, value in result.metrics.items() if key in both}, {})
        if change.move == "broke":
            self.broke.append(result.case_id)
        if change.move == "not comparable":
            self.incomparable.append(result.case_id)
        self._keep(change)
        return change

    def _comparable(self, before: CaseRecord | None, result: CaseResult) -> tuple[CaseRecord | None, bool]:
        """The baseline's record to compare with, scored as today's, and whether the two are alike."""
        if before is None:
            return None, True
        if before.digest != result.record.digest and self._content_changed(before, result):
            case = self._stored(result.case_id).case
            if before.input != digest_json(self.suite.kind.variables(case)):
                return before, False
            self.changed.append(result.case_id)
            return self._again(before, result)
        if self._scorer_changed:
            return self._again(before, result)
        if self._weights_changed:
            metrics = dict(before.metrics)
            if before.status == "scored":
                primary = self.suite.kind.primary
                metrics.pop(primary, None)
                metrics[primary] = overall(metrics, self.suite.rules.weights)
            before = CaseRecord(
                before.id,
                before.digest,
                before.content,
                before.demands,
                before.input,
                before.status,
                metrics,
                before.found,
                before.answers,
            )
        return before, True

    def _content_changed(self, before: CaseRecord, result: CaseResult) -> bool:
        stored = self._stored(result.case_id)
        if before.content and content_digest(stored.case) == before.content:
            return False
        gone = gone_demands(before.demands, self.suite.kind, stored.case)
        if gone:
            self.weakened[result.case_id] = [f"{gone} of its expectations or canaries are gone"]
        return True

    def _again(self, before: CaseRecord, result: CaseResult) -> tuple[CaseRecord, bool]:
        record = self._rescore(before, lambda: self._stored(result.case_id))
        if record is None:
            return before, False
        self.rescored += 1
        return record, True

    def _keep(self, change: CaseChange) -> None:
        self.moves[change.move] += 1
        if change.move == "unchanged":
            return
        weight = 2.0 if change.move in ("broke", "failed") else abs(change.delta)
        self._serial += 1
        heapq.heappush(self._heap, (weight, self._serial, change))
        if len(self._heap) > KEPT_CHANGES:
            heapq.heappop(self._heap)

    def finish(
        self,
        run: Run,
        history: Iterable[HistoryEntry],
        *,
        against: str | None,
        partial: bool,
        own: Callable[[], str],
        extra: Iterable[Reason] = (),
    ) -> Comparison:
        """Put everything together and judge it."""
        removed = [] if partial else [case_id for case_id in self.baseline.ids() if case_id not in self.seen]
        for case_id in removed:
            self._keep(CaseChange(case_id, "removed", 0.0))
        header = self.baseline.header
        means = self._after.means()
        changes = compare_metrics(
            self._before.means(), means, self.suite.kind.metrics, self.suite.policy, self._after.denominators()
        )
        entries = list(history)
        declines = declining_runs(entries, run, self.suite)
        differs = what_differs(header, run.header)
        if self._scorer_changed:
            how = signature_change(header.scorer, run.header.scorer)
            differs.append(f"scorer: {how}; the baseline's answers were scored again")
        if self._rescore.problem:
            differs.append(f"the baseline's answers could not be scored again: {self._rescore.problem}")
        verdict, reasons = judge(
            Evidence(
                metrics=self.suite.kind.metrics,
                changes=changes,
                values=run.header.metrics,
                zones=run.zones,
                shared=means,
                shared_zones=zones_of(means, self.suite.kind.metrics, self.suite.rules.thresholds),
                policy=self.suite.policy,
                cases=run.cases - len(run.collected.failed),
                failed=run.collected.failed,
                removed=removed,
                weakened=self.weakened,
                loosened=loosened(header, run.header),
                changed=self.changed,
                incomparable=self.incomparable,
                broke=self.broke,
                critical=self.critical,
                declines=declines,
                partial=partial,
                compared=self._after.denominators().get(self.suite.kind.primary, 0),
            )
        )
        reasons = (*reasons, *extra)
        verdict = max((verdict, *(reason.verdict for reason in extra)))
        # Only a block can be approved, so only a block needs to be told from every other.
        evidence = evidence_digest(run, header.run_id, own()) if verdict is Verdict.BLOCK else ""
        return Comparison(
            run=run,
            baseline=header,
            against=against,
            metrics=changes,
            cases=by_size([change for _, _, change in self._heap]),
            moves=self.moves,
            verdict=verdict,
            reasons=reasons,
            differs=differs,
            declines=declines,
            evidence=evidence,
            compared=self._after.denominators().get(self.suite.kind.primary, 0),
            rescored=self.rescored,
            approval=approved_before(entries, evidence) if verdict is Verdict.BLOCK else None,
        )
