"""Run, compare with the baseline, judge.

Like is compared with like: where the scorer or a golden case changed since the baseline, the baseline's
old answers are scored again from the recordings; where that cannot be done, the case is not comparable and said to be so.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from row3.domain.requests import digest_json
from row3.domain.verdicts import CaseChange, MetricChange, Reason, Verdict
from row3.errors import InvalidFile, Row3Error
from row3.gate.comparison import by_size, compare_case, compare_metrics
from row3.gate.trend import consecutive_declines
from row3.gate.verdicts import Evidence, judge
from row3.metrics.aggregate import Aggregate
from row3.metrics.composite import overall
from row3.store.cases import content_digest, gone_demands, read_case
from row3.store.history import Approval, HistoryEntry
from row3.store.project import Project, Suite
from row3.store.recordings import open_index
from row3.store.saved_runs import CaseRecord, RunHeader, SavedRun
from row3.workflows.differences import loosened, what_differs
from row3.workflows.evaluate import Asking, Parameters
from row3.workflows.execute import Replay
from row3.workflows.lineup import line_up
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


class Rescorer:
    """Scores the baseline's old answers again, by today's scorer and a case as it stands today."""

    def __init__(self, project: Project, suite: Suite, header: RunHeader) -> None:
        self._project, self._suite, self._header = project, suite, header
        self._replay: Replay | None = None
        self.problem = ""

    def __call__(self, result_path: Callable[[], Any]) -> CaseRecord | None:
        """The record of the baseline's answer to a stored case; None where it cannot be had."""
        replay = self._prepared()
        if replay is None:
            return None
        result: CaseResult = replay(result_path())
        return None if result.status == "failed" else result.record

    def _prepared(self) -> Replay | None:
        if self._replay is None and not self.problem:
            try:
                self._replay = self._prepare()
            except Row3Error as error:
                self.problem = str(error)
        return self._replay

    def _prepare(self) -> Replay:
        header = self._header
        lineup = line_up(self._project, self._suite, role="promoted", pinned=header.prompts)
        if lineup.digests() != header.prompt_digests:
            raise InvalidFile("the baseline's prompts are not as they were", where="prompts/", fix="Restore them from git")
        parameters = {
            name: Parameters(p["model"], p.get("temperature"), p.get("seed"), p.get("maxTokens"))
            for name, p in header.parameters.items()
        }
        index = open_index(self._project.recordings(self._suite.name))
        return Replay(Asking(self._suite, lineup, parameters, header.repeats), index, explain=False)


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
        self._case_digests: list[tuple[str, str]] = []

    def __call__(self, result: CaseResult) -> CaseChange:
        """Compare one case."""
        self.seen.add(result.case_id)
        self._case_digests.append((result.case_id, result.record.digest))
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
            # Means over the same cases and metrics on both sides, or a case that a metric no longer applies to would move it.
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
            if before.input != result.record.input:
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
                before.id, before.digest, before.content, before.demands, before.input, before.status, metrics, before.found
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
        record = self._rescore(lambda: self._stored(result.case_id))
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
        extra: Iterable[Reason] = (),
        also_loosened: Iterable[str] = (),
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
            differs.append(f"scorer: {header.scorer} → {run.header.scorer}; the baseline's answers were scored again")
        if self._rescore.problem:
            differs.append(f"the baseline's answers could not be scored again: {self._rescore.problem}")
        verdict, reasons = judge(
            Evidence(
                metrics=self.suite.kind.metrics,
                changes=changes,
                values=run.header.metrics,
                zones=run.zones,
                policy=self.suite.policy,
                cases=run.cases - len(run.collected.failed),
                failed=run.collected.failed,
                removed=removed,
                weakened=self.weakened,
                loosened=[*loosened(header, run.header), *also_loosened],
                changed=self.changed,
                incomparable=self.incomparable,
                broke=self.broke,
                critical=self.critical,
                declines=declines,
                partial=partial,
            )
        )
        reasons = (*reasons, *extra)
        verdict = max((verdict, *(reason.verdict for reason in extra)))
        evidence = evidence_digest(run, header.run_id, self._case_digests)
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


def evidence_digest(run: Run, baseline_id: str, cases: list[tuple[str, str]]) -> str:
    """What a verdict rests on: an approval holds for exactly this, and for nothing that was changed afterwards."""
    header = run.header
    return digest_json(
        {
            "prompts": header.prompt_digests,
            "parameters": header.parameters,
            "scorer": header.scorer,
            "weights": header.weights,
            "thresholds": header.thresholds,
            "baseline": baseline_id,
            "cases": sorted(cases),
            "metrics": {key: round(value, 9) for key, value in header.metrics.items()},
        }
    )[:16]


def approved_before(history: Iterable[HistoryEntry], evidence: str) -> Approval | None:
    """The approval in the history that was given for this very evidence."""
    return next((e.approval for e in history if e.approval is not None and e.evidence == evidence), None)


def declining_runs(history: list[HistoryEntry], run: Run, suite: Suite) -> int:
    """Consecutive declining runs of the suite's composite, the present one last.

    The same evidence run twice is one run: looking again is no decline and no recovery.
    """
    primary = suite.kind.primary
    values: list[tuple[str, float]] = []
    for entry in [e for e in history if e.suite == suite.name and primary in e.metrics]:
        key = digest_json([entry.prompts, entry.model, entry.metrics])
        if not values or values[-1][0] != key:
            values.append((key, entry.metrics[primary]))
    if primary in run.header.metrics:
        key = digest_json([run.header.prompts, run.header.model, run.header.metrics])
        if not values or values[-1][0] != key:
            values.append((key, run.header.metrics[primary]))
    return consecutive_declines([value for _, value in values])


class StoredCases:
    """Finds a case's file by its id, for the few that a comparison has to look at again."""

    def __init__(self, project: Project, suite: Suite) -> None:
        self._project, self._suite = project, suite
        self._paths: dict[str, Any] = {}

    def __call__(self, case_id: str) -> Any:
        """The stored case; raises `InvalidFile`."""
        folder = self._project.golden(self._suite.name)
        likely = folder / f"{case_id}.gold.json"
        if likely.is_file():
            stored = read_case(likely, self._suite.kind)
            if stored.id == case_id:
                return stored
        if not self._paths:
            for path in sorted(folder.glob("*.gold.json")):
                self._paths[read_case(path, self._suite.kind).id] = path
        return read_case(self._paths[case_id], self._suite.kind)

