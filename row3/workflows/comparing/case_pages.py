"""What the HTML report shows of a case, made where the case is scored, so that worker processes share the work."""

from __future__ import annotations

from collections.abc import Mapping

from row3.domain.matches import Explanation
from row3.domain.metrics import Zone
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange
from row3.reports.html.case_line import CaseLine, texts_of
from row3.reports.html.extraction_lines import extraction_value
from row3.store.cases import StoredCase
from row3.store.project import Project
from row3.store.run_records import CaseRecord
from row3.store.saved_runs import SavedRun
from row3.store.suites import Suite
from row3.workflows.comparing.baseline_answers import BaselineAnswers, Given
from row3.workflows.pipeline.results import dump

NEW_CASE = "the baseline does not have this case"


class CasePages:
    """Writes the line of a case: its row in the list, a tab, and all that is shown when it is opened."""

    def __init__(self, project: Project, suite: Suite, baseline: SavedRun) -> None:
        self._suite, self._baseline = suite, baseline
        self._answers = BaselineAnswers.open(project, suite, baseline.header)

    def __call__(
        self,
        stored: StoredCase,
        score: CaseScore,
        record: CaseRecord,
        zones: Mapping[str, Zone],
        change: CaseChange | None,
    ) -> bytes:
        """The line; raises `InvalidFile` for a broken record of the baseline."""
        kind = self._suite.kind
        line = CaseLine(stored.case, score, zones, change, kind.metrics, kind.primary)
        body = line.body()
        before, same = self._before(stored, record)
        body["texts"] = texts_of(kind.variables(stored.case))
        if isinstance(score.explanation, Explanation):
            body["extraction"] = extraction_value(stored.case, score.explanation, score.output, before.output)
        else:
            body["matches"] = None if score.explanation is None else kind.matches_json(score.explanation)
            given = {"answer": score.output, "before": before.output}
            body |= {name: None if output is None else kind.output_json(output) for name, output in given.items()}
        body["baseline"] = {"same": same, "raw": before.raw, "problem": before.problem}
        return dump(line.row()) + b"\t" + dump(body)

    def _before(self, stored: StoredCase, record: CaseRecord) -> tuple[Given, bool]:
        """The baseline's answer, and whether it is word for word the one of now."""
        before = self._baseline.record(record.id)
        if before is None:
            return Given(problem=NEW_CASE), False
        same = bool(before.said) and before.said == record.said
        return (Given(), True) if same else (self._answers.of(stored, before), False)
