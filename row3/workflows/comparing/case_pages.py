"""What the HTML report shows of a case, made where the case is scored, so that worker processes share the work."""

from __future__ import annotations

from dataclasses import dataclass

from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.gate.zones import zones_of
from row3.reports.html.cases import CaseLine, texts_of
from row3.store.cases import StoredCase
from row3.store.run_records import CaseRecord
from row3.store.suites import Suite
from row3.workflows.pipeline.results import Answered, dump

NEW_CASE = "the baseline does not have this case"


@dataclass(frozen=True, slots=True)
class CasePages:
    """Writes the line of a case: its row in the list, a tab, and all that is shown when it is opened."""

    suite: Suite

    def __call__(
        self,
        stored: StoredCase,
        score: CaseScore,
        record: CaseRecord,
        change: CaseChange | None,
        base: Answered | None,
    ) -> bytes:
        """Return the line."""
        kind = self.suite.kind
        zones = zones_of(score.metrics, kind.metrics, self.suite.rules.thresholds)
        line = CaseLine(stored.case, score, zones, change, kind.metrics, kind.primary)
        body = line.body()
        same = base is not None and bool(record.answers) and tuple(base[1].answers) == record.answers
        before = None if base is None or same else base[0].output
        body["texts"] = texts_of(kind.variables(stored.case))
        body |= kind.page_json(stored.case, score.explanation, score.output, before)
        shown = None if same else base
        body["baseline"] = {
            "same": same,
            "raw": "" if shown is None else shown[0].raw,
            "problem": NEW_CASE if base is None else "" if shown is None else shown[0].problem,
        }
        return dump(line.row()) + b"\t" + dump(body)
