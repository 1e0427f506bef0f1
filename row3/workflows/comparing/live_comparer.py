"""Adds up a comparison that asked a provider: with what the baseline's prompts answer now, or with what it saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from row3.domain.changes import MetricChange
from row3.domain.counts import part
from row3.domain.verdicts import Reason, Verdict
from row3.gate.adaptive import Margin, Standing
from row3.gate.adaptive_verdict import account, judged
from row3.gate.drift import drift_of
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.reports.live_text import drift_line, equal_line, interleaved_line
from row3.store.history import HistoryEntry
from row3.store.project import Project
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.asking.interleaved import Adaptive
from row3.workflows.comparing.compare import Comparer
from row3.workflows.comparing.comparison import Comparison
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.results import CaseResult
from row3.workflows.pipeline.run_suite import Run


class LiveComparer(Comparer):
    """Compares with what the baseline's prompts answer now; where `again` is None, with what it saved."""

    def __init__(
        self, project: Project, suite: Suite, baseline: SavedRun, paths: Callable[[str], Any], again: Asking | None
    ) -> None:
        super().__init__(project, suite, baseline, paths)
        self.again = again
        self.standing: Standing | None = None
        self.latest: dict[str, Mapping[str, float]] = {}
        """The candidates' metrics of the cases that were compared."""
        self._then = Pairs(suite.kind)
        self._same = 0

    def adaptive(self, most: int, uncounted: frozenset[str]) -> Adaptive:
        """When the gate's limit for the primary metric is decided."""
        kind, rules = self.suite.kind, self.suite.rules
        metric = next(metric for metric in kind.metrics if metric.key == kind.primary)
        rewards = sum(weight for weight in rules.weights.values() if weight > 0)
        highest = min(1.0, rewards) if rewards > 0 else 1.0
        margin = Margin.of(self.suite.policy, kind.primary, higher_is_better=metric.higher_is_better, highest=highest)
        return Adaptive(most, margin, kind.primary, uncounted)

    def take(self, result: CaseResult) -> None:
        """Take in one compared case."""
        super().take(result)
        compared = result.compared
        if compared is None or compared.before is None or result.quarantined:
            return
        self.latest[result.case_id] = result.metrics
        if (then := compared.then) is not None:
            self._same += then.same
            self._then.add(
                then.metrics,
                compared.before,
                source=result.source,
                repeats=(self.baseline.header.repeats, compared.before_repeats),
                spreads=(then.spread, compared.before_spread),
            )

    def changes(self, before: Mapping[str, float], now: Mapping[str, float]) -> list[MetricChange]:
        """Return how the means moved; after an adaptive run nothing blocks that may be noise, whatever the policy."""
        own = super().changes(before, now)
        if self.standing is None:
            return own
        kind, policy = self.suite.kind, self.suite.policy
        by_evidence, by_interval = (
            compare_metrics(before, now, kind.metrics, replace(policy, policy=each), self.pairs, primary=kind.primary)
            for each in ("evidence", "paired")
        )
        others = by_interval if policy.policy == "paired" else by_evidence
        return [
            judged(self.standing, fixed, paired, policy) if own.key == kind.primary else own
            for own, fixed, paired in zip(others, by_evidence, by_interval, strict=True)
        ]

    def finish(self, run: Run, history: Iterable[HistoryEntry], **given: Any) -> Comparison:
        """Put everything together and judge it; a run that its budget cut is not judged."""
        comparison = super().finish(run, history, **given)
        kind, policy = self.suite.kind, self.suite.policy
        comparison.interleaved, comparison.adaptive = self.again is not None, self.standing
        if self.again is not None:
            comparison.drift = drift_of(self._then, kind.metrics, policy, kind.primary, same=self._same)
            comparison.differs += [interleaved_line(), drift_line(comparison.drift, kind.metrics)]
            if (run.header.prompt_digests, run.header.parameters) == (
                comparison.baseline.prompt_digests,
                comparison.baseline.parameters,
            ):
                comparison.differs.append(equal_line(self.suite.flag))
        if self.standing is not None:
            comparison.differs.append(account(self.standing, policy, kind.primary))
        if self.cut:
            comparison.verdict, comparison.approval, comparison.evidence = Verdict.INVESTIGATE, None, ""
            comparison.metrics = [replace(each, verdict=Verdict.PROCEED, code="") for each in comparison.metrics]
            left = len(run.collected.failed)
            waiting = part(left, run.cases, "case", "waits", "wait")
            what = f"--max-cost cut the run: {waiting} for answers, and nothing is judged"
            comparison.reasons = (Reason(Verdict.INVESTIGATE, what, cause="part"),)
        return comparison
