"""Run, compare with the baseline, judge.

Like is compared with like: where the scorer or a golden case changed since the baseline, the baseline's old
answers are scored again from the recordings; where that cannot be done, the case is not comparable and said to be so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from row3.domain.changes import MetricChange
from row3.domain.verdicts import CaseChange, Compared, Reason, Verdict
from row3.gate.comparison import by_size
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.sensitivity import sensitivity
from row3.gate.verdicts import Evidence, judge
from row3.gate.zones import SLACK, warning_only, zones_of
from row3.metrics.tallies import Tallies
from row3.reports.move_text import move_text
from row3.store.history import HistoryEntry
from row3.store.project import Project
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.comparing.compare_case import CaseComparer
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.comparing.critical_cases import how_it_broke
from row3.workflows.comparing.differences import RulesView, loosened, signature_change, what_differs
from row3.workflows.comparing.evidence import approved_before, declining_runs, evidence_digest
from row3.workflows.comparing.held_cases import HeldCases
from row3.workflows.comparing.older_baseline import Less, OlderBaseline
from row3.workflows.comparing.rescore import Recorded
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_suite import Run

KEPT_CHANGES = 200
"""Case changes kept for the report; of the others only the numbers are."""
LEAST = 1e-12
"""What a fall elsewhere weighs beside one of the composite."""


class Comparer:
    """Adds up how a run's cases compare with the baseline's; `case` compares one, in whatever process."""

    def __init__(
        self,
        project: Project,
        suite: Suite,
        baseline: SavedRun,
        paths: Callable[[str], Any],
        recorded: Recorded | None = None,
    ) -> None:
        """`recorded` are the recordings by which the baseline was scored, where they are not the project's own."""
        self.suite = suite
        self.baseline = baseline
        self.case = CaseComparer(project, suite, baseline, paths, recorded)
        self._pairs = Pairs(suite.kind)
        self.held = HeldCases(suite, baseline.header)
        self._tallies = Tallies(), Tallies()
        self._heap: list[tuple[float, int, CaseChange]] = []
        self._better = {metric.key: 1 if metric.higher_is_better else -1 for metric in suite.kind.metrics}
        self._serial = 0
        self._problem = ""
        self.moves: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.weakened: dict[str, list[str]] = {}
        self.changed: list[str] = []
        self.edited: list[str] = []
        """Cases that are new, or whose input or expectations are not the baseline's."""
        self.incomparable: list[str] = []
        self.broke: list[str] = []
        self.otherwise: list[str] = []
        """Cases whose answers are not those that the baseline saved."""
        self.critical: dict[str, str] = {}
        self._newly_resting: dict[str, str] = {}
        self._rested = baseline.header.resting
        self.rescored = 0
        self.compared = 0
        """Cases that count and that both sides have, also those that nothing can be said of."""
        self.cut = False
        """A budget cut the run."""
        self.beside: Callable[[CaseResult], None] | None = None
        """What else takes in each case."""
        self.older: OlderBaseline | None = None
        """Where a base judges, what tells its own past from the change's doing."""

    @property
    def pairs(self) -> Pairs:
        """Both sides of every case that counts."""
        return self._pairs

    def take(self, result: CaseResult) -> None:
        """Take in one compared case."""
        compared = result.compared
        assert compared is not None
        if self.beside is not None:
            self.beside(result)
        change, case_id = compared.change, result.case_id
        self.seen.add(case_id)
        counts = not result.quarantined
        if (result.critical if counts else case_id not in self._rested) and (
            how := how_it_broke(self.suite, result, compared)
        ):
            if counts:
                self.critical[case_id] = how
            else:
                self._newly_resting[case_id] = f"{how} (it is critical)" if result.critical else how
        self._tell_edits(case_id, compared)
        self.rescored += compared.rescored
        self._problem = self._problem or compared.problem
        if counts and compared.before is not None:
            self._pair(result, compared, compared.before)
        if counts and change.move == "broke":
            self.broke.append(case_id)
        if change.move == "not comparable":
            self.incomparable.append(case_id)
            if counts:
                self.held.take(result, compared, broke=case_id in self.critical)
        # What a case in quarantine says is shown and counts for nothing; what is done to the case itself still counts.
        if not counts:
            change = change._replace(note=f"in quarantine until {result.quarantined}: not counted")
        self._keep(change)

    def _tell_edits(self, case_id: str, compared: Compared) -> None:
        """What about the case, or about its answers, is not the baseline's."""
        move = compared.change.move
        if compared.weakened:
            self.weakened[case_id] = list(compared.weakened)
        if compared.changed:
            self.changed.append(case_id)
        if compared.changed or move == "new" or (move == "not comparable" and not compared.unscored):
            self.edited.append(case_id)
        if compared.otherwise:
            self.otherwise.append(case_id)

    def _pair(self, result: CaseResult, compared: Compared, before: Mapping[str, float]) -> None:
        self.compared += 1
        repeats = compared.before_repeats or self.baseline.header.repeats
        # Means over the same cases and metrics on both sides, or a case that a metric no longer applies to would
        # move it.
        self._pairs.add(
            before,
            result.metrics,
            source=result.source,
            repeats=(repeats, result.repeats),
            spreads=(compared.before_spread, result.spread),
        )
        if compared.before_tally and result.tally and repeats == result.repeats:
            self._tallies[0].add(compared.before_tally)
            self._tallies[1].add(result.tally)

    def leave_out(self, case_ids: Iterable[str]) -> None:
        """Take note of cases of the baseline that were asked and have no answer that could be compared."""
        for case_id in case_ids:
            self.seen.add(case_id)
            self._keep(CaseChange(case_id, "not comparable", 0.0))

    def changes(self, before: Mapping[str, float], now: Mapping[str, float]) -> list[MetricChange]:
        """How the means moved, and what the gate's policy says of it."""
        kind = self.suite.kind
        return compare_metrics(before, now, kind.metrics, self.suite.policy, self._pairs, primary=kind.primary)

    def _keep(self, change: CaseChange) -> None:
        self.moves[change.move] += 1
        weight = 2.0 if change.move in ("broke", "failed") else abs(change.delta)
        if change.move == "unchanged":
            # It may have fallen in what the composite does not weigh; whatever moved the composite comes before it.
            weight = LEAST * max((-self._better[key] * delta for key, delta in change.deltas.items()), default=0.0)
            if weight <= LEAST * SLACK:
                return
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
        own: Callable[..., str],
        rules: RulesView | None = None,
        extra: Iterable[Reason] = (),
        as_there: Callable[[], bool] = lambda: False,
    ) -> Comparison:
        """Put everything together and judge it; `rules` are the suite's where the run's own were chosen for once.

        `as_there` says whether all that runs answers as at the base.
        """
        removed = [] if partial else [case_id for case_id in self.baseline.ids() if case_id not in self.seen]
        for case_id in removed:
            self._keep(CaseChange(case_id, "removed", 0.0))
        header = self.baseline.header
        kind, policy = self.suite.kind, self.suite.policy
        old_means, means = self._pairs.means()
        # What the baseline never measured is new, and is shown without anything to compare it with.
        new = {key: value for key, value in run.header.metrics.items() if key not in {**header.metrics, **means}}
        changes = self.changes(old_means, new | means)
        entries = list(history)
        declines = declining_runs(entries, run, self.suite)
        shared = self._pairs.figures()
        differs = what_differs(header, run.header)
        if self.case.scorer_changed:
            how = signature_change(header.scorer, run.header.scorer)
            differs.append(f"scorer: {how}; the baseline's answers were scored again")
        if self._problem:
            differs.append(f"the baseline's answers could not be scored again: {self._problem}")
        less = Less(removed, self.weakened, loosened(header, rules or run.header))
        older: list[Reason] = []
        if self.older is not None:
            less, older = self.older.split(less, header, run.header)
        reasons = judge(
            Evidence(
                metrics=self.suite.kind.metrics,
                changes=changes,
                values=run.header.metrics,
                zones=run.zones,
                shared=shared,
                shared_zones=zones_of(shared, self.suite.kind.metrics, self.suite.rules.thresholds),
                warning=warning_only(self.suite.rules.thresholds),
                policy=self.suite.policy,
                cases=run.cases - len(run.collected.failed) - len(run.collected.quarantined),
                failed=run.collected.failed,
                removed=less.removed,
                weakened=less.weakened,
                loosened=less.loosened,
                changed=self.changed,
                incomparable=self.incomparable,
                broke=self.broke,
                critical=self.critical,
                newly_resting=self._newly_resting,
                sentences={c.key: move_text(c, m, policy) for c in changes for m in kind.metrics if m.key == c.key},
                declines=declines,
                partial=partial,
            )
        )[1]
        reasons = self.held.judged(reasons, self, run.header, as_there)
        reasons = (*reasons, *older, *extra)
        verdict = max((reason.verdict for reason in reasons), default=Verdict.PROCEED)
        # Only a block can be approved, so only a block needs to be told from every other.
        evidence = ""
        if verdict is Verdict.BLOCK:
            evidence = evidence_digest(run, header.run_id, reasons, own, against=against)
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
            compared=self.compared,
            rescored=self.rescored,
            sensitivity=sensitivity(self._pairs, kind.primary, policy, wanted=policy.limit(kind.primary) / 100),
            approval=approved_before(entries, evidence) if verdict is Verdict.BLOCK else None,
            tallies=self._tallies,
        )
