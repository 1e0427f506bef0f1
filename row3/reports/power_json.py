"""`row3 power --format json`."""

from __future__ import annotations

from typing import Any

from row3.gate.power import POWER, REPEATS, MetricPlan, Needed
from row3.reports.power_table import PowerReport, unknowns


def power_json(report: PowerReport) -> dict[str, Any]:
    """The plan as plain values; drops are fractions."""
    source = report.source
    return {
        "schemaVersion": 1,
        "suite": report.suite,
        "source": {
            "kind": source.kind,
            "before": source.before,
            "after": source.after,
            "repeats": list(source.repeats),
            "notTaken": list(report.tried),
        },
        "policy": report.policy.policy,
        "power": POWER,
        "level": report.policy.level,
        "metrics": {metric.key: None if plan is None else _plan_json(plan) for metric, plan in report.plans},
        "unknown": unknowns(report, report.plans[0][1]),
    }


def _plan_json(plan: MetricPlan) -> dict[str, Any]:
    seen, variance = plan.seen, plan.variance
    buy = seen.buy
    return {
        "cases": seen.cases,
        "repeats": round(seen.repeats, 9),
        "detected": "blocked" if seen.blocks else "seen",
        "limit": plan.limit,
        "smallestDrop": seen.sees,
        "wantedDrop": seen.wanted,
        "casesNeeded": _needed_json(seen.needs_cases),
        "repeatsNeeded": _needed_json(seen.needs_repeats),
        "betterBuy": None if buy is None else buy.better,
        "twiceTheCases": None if buy is None else buy.more_cases,
        "twiceTheRepeats": None if buy is None else buy.more_repeats,
        "variance": {
            "difference": variance.total,
            "df": variance.df,
            "cases": variance.case_variance,
            "answers": variance.repeat_variance,
        },
        "table": [
            {"cases": cases, "repeats": repeats, "smallestDrop": drop}
            for cases, drops in plan.table
            for repeats, drop in zip(REPEATS, drops, strict=True)
        ],
    }


def _needed_json(needed: Needed) -> dict[str, Any]:
    return {"count": needed.count} if needed.count is not None else {"count": None, "why": needed.why}
