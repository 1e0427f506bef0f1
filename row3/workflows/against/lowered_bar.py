"""Whether a new baseline asks less of what comes after it than the one before: its answers are worse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from row3.domain.verdicts import Reason, Verdict
from row3.errors import Row3Error
from row3.gate.comparison import judge_move, worse_by
from row3.gate.silence import both_sides
from row3.metrics.aggregate import Aggregate
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite, make_suite
from row3.workflows.comparing.rescore import Rescorer, StoredCases
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.run_suite import RunOptions, make_asking

WORSE = "the new baseline is of worse answers: "


class LoweredBar:
    """Holds the figures of a new baseline to those that it replaces.

    One answer a case under the project's own parameters is what the gate itself compares with the base, as long as the
    case asks the same. Whatever else the baseline has is seen nowhere else: figures of more answers or of other
    parameters are held to that one answer, those of a text that is another now, or whose old answer is not recorded any
    more, to what the case had before. A case that is as it was adds no difference, so what is told is how far the whole
    suite fell.

    Nor does the gate count a case in quarantine, which counts again one day: by then this baseline judges it. So it is
    told here how far the suite falls with such cases.
    """

    def __init__(
        self,
        project: Project,
        suite: Suite,
        before: SavedRun,
        new: SavedRun,
        *,
        resting: Collection[str],
        uncompared: Collection[str],
    ) -> None:
        """`suite` has the rules of the base, where the cases `resting` are in quarantine.

        Those `uncompared` could not be compared with the base's baseline.
        """
        self._uncompared = frozenset(uncompared)
        self._project, self._suite, self._before, self._new = project, suite, before, new
        self._own = make_suite(project.config, suite.name, suite.tier)
        self._cases = StoredCases(project, self._own)
        self._rested = frozenset(resting)
        self._rescored = new.header.scorer != before.header.scorer

    def reasons(self) -> list[Reason]:
        """A ground for each gated metric that fell, as much as the gate's own rule says, and each critical case."""
        old, now = Aggregate(), Aggregate()
        records, reasons = [], []
        for record in self._new.records():
            was = self._before.record(record.id)
            # What the one before lacks had no bar, and added to both sums it would thin what the others lost.
            if was is None:
                continue
            records.append((record, was))
            rests = record.id in self._rested
            instead = was.metrics if rests else self._held_to(record, was)
            bar, figures = both_sides(self._suite.kind, record.metrics if instead is None else instead, record.metrics)
            if not rests:
                old.add(bar, {})
                now.add(figures, {})
            if instead is not None and self._is_critical(record.id):
                which = f"{record.id} (in quarantine)" if rests else record.id
                reasons += [
                    Reason(verdict, f"{WORSE}critical case {which}, {what}", case_id=record.id, cause="baseline")
                    for verdict, what in self._fallen([self._suite.kind.primary], bar, figures)
                    if verdict is Verdict.BLOCK
                ]
        fallen = self._fallen(self._suite.policy.metrics, old.means(), now.means())
        reasons += [Reason(verdict, WORSE + what, cause="baseline") for verdict, what in fallen]
        return [*reasons, *self._with_rested(records)]

    def _with_rested(self, records: Sequence[tuple[CaseRecord, CaseRecord]]) -> Iterator[Reason]:
        """A ground for each gated metric that says more over all cases than over those that are not in quarantine."""
        if not any(record.id in self._rested for record, _ in records):
            return
        awake, whole = (Aggregate(), Aggregate()), (Aggregate(), Aggregate())
        for record, was in records:
            rests = record.id in self._rested
            # What the case is held to otherwise is told already; here only what its answers lost counts.
            same = was.digest == record.digest and not self._rescored
            before = was.metrics if rests or same else record.metrics
            bar, figures = both_sides(self._suite.kind, before, record.metrics)
            for old, now in (whole,) if rests else (awake, whole):
                old.add(bar, {})
                now.add(figures, {})
        keys = self._suite.policy.metrics
        known = {key: verdict for key, verdict, _ in self._moved(keys, *(side.means() for side in awake))}
        for key, verdict, what in self._moved(keys, *(side.means() for side in whole)):
            if verdict > known.get(key, Verdict.PROCEED):
                yield Reason(verdict, f"{WORSE}with its cases in quarantine, {what}", cause="baseline")

    def _held_to(self, record: CaseRecord, was: CaseRecord) -> Mapping[str, float] | None:
        """The figures that a record is held to; None where the comparison itself holds them to the base's.

        Also where they are no worse than those that it replaces, whatever one answer would be worth.
        """
        if was.input != record.input or record.id in self._uncompared:
            return was.metrics
        if self._as_asked or not self._asks_less(was.metrics, record.metrics):
            return None
        once = self._once(record)
        return was.metrics if once is None else once.metrics

    def _once(self, record: CaseRecord) -> CaseRecord | None:
        """The record of one answer under the project's parameters; None where that is not recorded."""
        if self._parameters is None:
            return None
        try:
            return self._rescorer(record._replace(said=""), lambda: self._cases(record.id))
        except (Row3Error, KeyError):
            return None

    @cached_property
    def _parameters(self) -> dict[str, dict[str, Any]] | None:
        try:
            lineup = line_up(self._project, self._own, role="promoted", pinned=self._new.header.prompts)
            asking = make_asking(self._own, lineup, RunOptions())
        except Row3Error:
            return None
        return {name: each.as_json() for name, each in asking.parameters.items()}

    @cached_property
    def _as_asked(self) -> bool:
        return self._new.header.repeats == 1 and self._new.header.parameters == self._parameters

    @cached_property
    def _rescorer(self) -> Rescorer:
        header = self._new.header.model_copy(update={"parameters": self._parameters or {}, "repeats": 1})
        return Rescorer(self._project, self._own, header)

    def _is_critical(self, case_id: str) -> bool:
        try:
            return bool(getattr(self._cases(case_id).case, "critical", False))
        except (Row3Error, KeyError):
            return False

    def _asks_less(self, old: Mapping[str, float], now: Mapping[str, float]) -> bool:
        """A gated metric is worse, however little."""
        keys = self._suite.policy.metrics
        old, now = both_sides(self._suite.kind, old, now)
        return any(
            key not in now or worse_by(old[key], now[key], higher_is_better=metric.higher_is_better, unit="points") > 0
            for metric in self._suite.kind.metrics
            if (key := metric.key) in keys and key in old
        )

    def _fallen(
        self, keys: Collection[str], old: Mapping[str, float], now: Mapping[str, float]
    ) -> Iterator[tuple[Verdict, str]]:
        """By how much these metrics are worse, where the gate's rule says something of it."""
        return ((verdict, what) for _, verdict, what in self._moved(keys, old, now))

    def _moved(
        self, keys: Collection[str], old: Mapping[str, float], now: Mapping[str, float]
    ) -> Iterator[tuple[str, Verdict, str]]:
        """The same with the key of each."""
        policy = self._suite.policy
        for metric in self._suite.kind.metrics:
            key = metric.key
            if key in keys and key in old and key in now:
                lost = worse_by(old[key], now[key], higher_is_better=metric.higher_is_better, unit=policy.unit)
                verdict = judge_move(lost, policy, limit=policy.limit(key))
                if verdict is not Verdict.PROCEED:
                    yield key, verdict, f"{metric.title} {old[key]:.1%} → {now[key]:.1%}"
