"""One case of a run beside the baseline's; done where the case is scored, so worker processes share the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from row3.domain.requests import digest_json
from row3.domain.verdicts import Compared, Then
from row3.gate.comparison import compare_case
from row3.metrics.composite import overall
from row3.store.cases import gone_demands
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.comparing.rescore import Recorded, Rescorer, made_of

COMPARED = ("improved", "unchanged", "regressed", "broke", "fixed")


@dataclass
class CaseComparer:
    """Compares cases with those of a baseline; keeps nothing of them."""

    project: Project
    suite: Suite
    baseline: SavedRun
    stored: Callable[[str], Any]
    recorded: Recorded | None = None
    """The recordings by which the baseline was scored, where they are not the project's own."""

    @cached_property
    def scorer_changed(self) -> bool:
        """The baseline was scored by other rules of matching."""
        return self.baseline.header.scorer != self.suite.kind.signature(self.suite.rules)

    @cached_property
    def _weights_changed(self) -> bool:
        return dict(self.baseline.header.weights) != dict(self.suite.rules.weights)

    @cached_property
    def _rescore(self) -> Rescorer:
        return Rescorer(self.project, self.suite, self.baseline.header, self.recorded)

    def __call__(self, record: CaseRecord) -> Compared:
        """Compare one case; raises `InvalidFile` for a broken record of the baseline or golden case."""
        before = self.baseline.record(record.id)
        old, changed = before, False
        weakened: tuple[str, ...] = ()
        comparable = True
        if before is not None:
            weakened, changed, comparable = self._content(before, record)
            old = self._as_today(before, record.id, changed=changed) if comparable else None
        saved = self._as_weighed(before).metrics if before is not None and old is None else None
        change = compare_case(
            record.id,
            None if before is None else _side(old or before),
            _side(record),
            kind=self.suite.kind,
            comparable=before is None or old is not None,
        )
        if saved is not None and comparable:
            change = change._replace(note="its old answer cannot be scored again")
        return Compared(
            change,
            old.metrics if old is not None and change.move in COMPARED else None,
            old.spread if old is not None else {},
            old.status if old is not None else "",
            weakened,
            changed and old is not None,
            old is not None and (changed or self.scorer_changed),
            self._rescore.problem if before is not None and (changed or self.scorer_changed) else "",
            old.tally if old is not None else {},
            otherwise=old is not None and "" not in (old.said, record.said) and old.said != record.said,
            saved=saved,
            unscored=saved is not None and comparable,
        )

    def against(self, record: CaseRecord, again: CaseRecord, repeats: int) -> Compared:
        """Compare one case with what the baseline's prompts answer now; what it has to demand, the baseline still says.

        Both sides answered the case as it stands today, so it is comparable whatever changed in it. Raises as
        `__call__`.
        """
        before = self.baseline.record(record.id)
        assert before is not None  # only the baseline's cases are asked again
        weakened, changed, same_input = self._content(before, record)
        saved = self._as_today(before, record.id, changed=changed) if same_input else None
        change = compare_case(record.id, _side(again), _side(record), kind=self.suite.kind)
        return Compared(
            change,
            again.metrics if change.move in COMPARED else None,
            again.spread,
            again.status,
            weakened,
            changed or not same_input,
            before_tally=again.tally,
            before_repeats=repeats,
            then=None if saved is None else Then(saved.metrics, saved.spread, saved.said == again.said != ""),
        )

    def _content(self, before: CaseRecord, record: CaseRecord) -> tuple[tuple[str, ...], bool, bool]:
        """What the case no longer demands, whether its expectations changed, whether its input is the same."""
        if before.digest == record.digest:
            return (), False, True
        stored = self.stored(record.id)
        if made_of(before, stored):
            return (), False, True
        case = stored.case
        gone = gone_demands(before.demands, self.suite.kind, case)
        weakened = (f"{gone} of its expectations, canaries or marks (`critical`, `source`) gone",) if gone else ()
        same_input = before.input == digest_json(self.suite.kind.variables(case))
        return weakened, same_input, same_input

    def _as_today(self, before: CaseRecord, case_id: str, *, changed: bool) -> CaseRecord | None:
        """The baseline's record as today's rules score it; None where that cannot be had."""
        if changed or self.scorer_changed:
            return self._rescore(before, lambda: self.stored(case_id))
        return self._as_weighed(before)

    def _as_weighed(self, before: CaseRecord) -> CaseRecord:
        """The baseline's record with the composite as today's weights make it of the same figures."""
        if not self._weights_changed:
            return before
        metrics = dict(before.metrics)
        if before.status == "scored" and self.suite.rules.weights:
            primary = self.suite.kind.primary
            metrics.pop(primary, None)
            metrics[primary] = overall(metrics, self.suite.rules.weights)
        return before._replace(metrics=metrics)


def _side(record: CaseRecord) -> tuple[str, Mapping[str, float], Mapping[str, tuple[str, ...]]]:
    return record.status, record.metrics, record.found
