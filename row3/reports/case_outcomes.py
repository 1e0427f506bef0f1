"""Every case of a run with its outcome, read from the run's lines one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from row3.domain.verdicts import Verdict
from row3.gate.comparison import judge_move, worse_by
from row3.gate.results import Comparison, Run


class Outcome(NamedTuple):
    """One case: status, composite, how it moved, and whether that alone is as bad as a block."""

    case_id: str
    status: str
    value: float | None
    delta: float | None
    move: str
    problem: str
    regressed: bool


def outcomes(run: Run, comparison: Comparison | None) -> Iterator[Outcome]:
    """All cases, in the order in which they ran.

    Of a comparison that its budget cut nothing is judged, single cases neither.
    """
    primary, policy = run.suite.kind.primary, run.suite.policy
    higher = next((metric.higher_is_better for metric in run.suite.kind.metrics if metric.key == primary), True)
    problems = dict(run.problems)
    resting = {entry.case_id for entry in run.quarantine.active}
    judged = comparison is None or comparison.blocked or not comparison.run.failed
    changes = {} if comparison is None else {change.case_id: change for change in comparison.cases}
    for line in run.details if len(run.details) else run.records:
        case = json.loads(line)
        case_id, value = case["id"], case["metrics"].get(primary)
        change = changes.get(case_id)
        delta = change.delta if change is not None else case.get("deltas", {}).get(primary)
        move = change.move if change is not None else case.get("change", "")
        regressed = False
        if judged and case_id not in resting and move == "regressed" and value is not None and delta is not None:
            worse = worse_by(value - delta, value, higher_is_better=higher, unit=policy.unit)
            regressed = judge_move(worse, policy) is Verdict.BLOCK
        yield Outcome(case_id, case["status"], value, delta, move, problems.get(case_id, ""), regressed)
