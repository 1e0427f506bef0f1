"""`row3 cases`: which cases matter, judged by every version that was recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from row3.domain.metrics import Metric, Threshold, Zone
from row3.errors import InvalidFile
from row3.gate.case_worth import CaseWorth, redundant, worth
from row3.gate.suite_findings import CasesReport, JudgedCase, Standing
from row3.gate.zones import SLACK, zone_of
from row3.kinds.base import expected_in
from row3.store.other_suites import cases_of
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.history.case_history import History, gather
from row3.workflows.quarantine import in_force
from row3.workflows.recorded.recorded_scores import Setting, titles_of


def judge_cases(project: Project, suite: Suite, *, case: str | None = None, named: Sequence[str] = ()) -> CasesReport:
    """What every case tells of the versions in the history.

    Args:
        case: a pattern; only the cases whose id fits, still compared with all others.
        named: prompt references of which no other version counts.
    Raises `InvalidFile` where no answer is known or a file is broken, `UsageError`.
    """
    expectations = {
        stored.id: expected_in(suite.kind.demands(stored.case)) for stored in cases_of(project, suite, case)
    }
    history = gather(project, suite, named=named)
    titles, columns = _columns(history)
    if not columns:
        raise InvalidFile(
            "no version has an answer to half of the cases",
            where=f"suite {suite.name}",
            fix=f"Record a run with `row3 --mode record{suite.flag}`",
        )
    metric = next(metric for metric in suite.kind.metrics if metric.key == suite.kind.primary)
    limits = suite.rules.thresholds.get(metric.key)
    held = {entry.case_id for entry in in_force(project, suite).active}
    judged = [
        JudgedCase(each, _standing(each, metric, limits), each.case_id in held)
        for each in worth(columns)
        if each.case_id in expectations
    ]
    judged.sort(key=lambda one: (_rank(one), one.worth.case_id))
    known = {one.worth.case_id for one in judged}
    return CasesReport(
        suite.name,
        metric,
        tuple(titles),
        tuple(judged),
        tuple([case_id for case_id in expectations if case_id not in known]),
        tuple(redundant(columns, expectations)),
        suite.flag,
    )


def _rank(one: JudgedCase) -> float:
    """What tells most comes first, then what may, then what cannot."""
    if one.worth.tells is not None:
        return -one.worth.tells
    return 2.0 if one.standing == "" else 3.0


def _columns(history: History) -> tuple[list[str], list[dict[str, float]]]:
    """A column for each setting that has at least half of the cases; settings with the same answers are one."""
    shown: list[Setting] = []
    columns: list[dict[str, float]] = []
    known: set[tuple[tuple[str, str], ...]] = set()
    for setting, seen in history.settings.items():
        if 2 * len(seen) < len(history.cases):
            continue
        said = tuple(
            sorted((case_id, " ".join(sorted({digest for _, digest in one.values()}))) for case_id, one in seen.items())
        )
        if said in known:
            continue
        known.add(said)
        shown.append(setting)
        columns.append({case_id: math.fsum(v for v, _ in one.values()) / len(one) for case_id, one in seen.items()})
    return titles_of(shown), columns


def _standing(each: CaseWorth, metric: Metric, limits: Threshold | None) -> Standing:
    """Whether every version passes the case with flying colours, or none passes it at all."""
    worst, best = (each.lowest, each.highest) if metric.higher_is_better else (each.highest, each.lowest)
    if limits is None:
        return "never fails" if metric.higher_is_better and worst >= 1.0 - SLACK else ""
    zones = [zone_of(value, limits, higher_is_better=metric.higher_is_better) for value in (worst, best)]
    if zones[0] is Zone.EXCELLENT:
        return "never fails"
    return "always fails" if zones[1] is Zone.FAIL else ""
