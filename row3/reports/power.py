"""`row3 power`: how small a drop a suite detects, and what it takes to detect a smaller one."""

from __future__ import annotations

from typing import Any

from row3.domain.metrics import Metric
from row3.gate.power import POWER, REPEATS, UNEVEN, MetricPlan, Needed
from row3.gate.suite_findings import PowerReport
from row3.reports import numbers
from row3.reports.document import Block, Document, Items, Note, Span, Table, Title
from row3.reports.sensitivity_text import BEYOND, asked, points, possible, sensitivity_sentence, times

UNKNOWN = "?"
FIND_OUT = "row3 --repeats 3 --mode record{flag}, then row3 power{flag}"


def power_document(report: PowerReport) -> Document:
    """The plan in words, the metrics, what other numbers of cases would detect, and what is not known."""
    metric, plan = report.plans[0]
    blocks: list[Block] = [_origin(report), Note(_sentences(metric, plan))]
    if len(report.plans) > 1:
        blocks.append(_metrics(report))
    if plan is not None and plan.seen.sees is not None:
        blocks += _drops(metric, plan)
    return Document([*blocks, Note(_terms(report, plan)), Title("Not known"), Items(unknowns(report, plan))])


def _origin(report: PowerReport) -> Note:
    source = report.source
    sides = [(source.before, source.repeats[0]), (source.after, source.repeats[1])]
    if source.kind == "repeats":
        sides = [(source.after, sum(source.repeats))]
    quiet = [f"{setting}{times(repeats)}" for setting, repeats in sides]
    quiet += [f"not taken: {why}" for why in report.tried]
    head = f"{report.suite} · planned from {source.words}"
    return Note([head, *(Span(f"  {text}", "quiet") for text in quiet)])


def _sentences(metric: Metric, plan: MetricPlan | None) -> list[str]:
    """The composite, or the one metric that was asked for."""
    if plan is None:
        return [sensitivity_sentence(None, metric.title)]
    seen = plan.seen
    lines = [sensitivity_sentence(seen, metric.title, what=_move(metric))]
    if seen.wanted <= plan.limit:
        lines.append(
            f"A drop of the limit ({100 * plan.limit:.3g}) is found half the time at best: ask for a larger one, such "
            f"as --detect {200 * plan.limit:.3g}."
        )
    if seen.buy is not None:
        buy = seen.buy
        lines.append(
            f"Twice the requests: {numbers.count(2 * seen.cases, 'case')} detect {points(buy.more_cases)}, "
            f"{numbers.count(round(2 * seen.repeats), 'repeat')} detect {points(buy.more_repeats)}; "
            f"{buy.better} are the better buy."
        )
    return lines


def _move(metric: Metric) -> str:
    return "drop" if metric.higher_is_better else "rise"


def _metrics(report: PowerReport) -> Table:
    """For each metric what is detected now, what is wanted, and what that takes."""
    rows = []
    for metric, plan in report.plans:
        if plan is None:
            rows.append([metric.title, UNKNOWN, "", "", "", "too few cases"])
            continue
        seen = plan.seen
        rows.append(
            [
                metric.title,
                _drop(seen.sees),
                f"{100 * seen.wanted:.3g}",
                _needed(seen.needs_cases),
                _needed(seen.needs_repeats),
                UNKNOWN if seen.buy is None else seen.buy.better,
            ]
        )
    return Table(("metric", "detects now", "wanted", "needs cases", "or repeats", "better buy"), rows, "lrrrrl")


def _drop(drop: float | None) -> str:
    return UNKNOWN if drop is None else points(drop)


def _needed(needed: Needed) -> str:
    if needed.count is not None:
        return f"{needed.count:,}"
    return "no number" if needed.why == "never" else UNKNOWN


def _drops(metric: Metric, plan: MetricPlan) -> list[Block]:
    heads = ["cases", *("asked once" if k == 1 else f"{k} times" for k in REPEATS), ""]
    rows = [
        [f"{cases:,}", *map(_drop, drops), "← now" if cases == plan.seen.cases else ""] for cases, drops in plan.table
    ]
    return [
        Title(f"Smallest {_move(metric)} of {metric.title} that is detected, in points"),
        Table(heads, rows, "rrrrl"),
    ]


def _terms(report: PowerReport, plan: MetricPlan | None) -> list[str]:
    """What the words mean."""
    text = (
        f"Detected: the policy `{report.policy.policy}` blocks it (investigates, if the metric is not gated) in "
        f"{100 * POWER:.0f} of 100 comparisons. Points are percentage points."
    )
    drops = [each.seen.sees for _, each in report.plans if each is not None]
    drops += [drop for _, cells in (() if plan is None else plan.table) for drop in cells]
    if any(drop is not None and not possible(drop) for drop in drops):
        return [text, f"{BEYOND}: more than a metric can fall, so these are too few to say."]
    return [text]


def unknowns(report: PowerReport, plan: MetricPlan | None) -> list[str]:
    """A sentence for everything that the plan cannot tell."""
    if plan is None:
        return ["The spread: it takes two independent cases. Add golden cases."]
    variance, seen = plan.variance, plan.seen
    texts = []
    still = [metric.title for metric, each in report.plans[1:] if each is None or each.seen.sees is None]
    if seen.sees is None:
        texts.append(
            f"The spread: {asked(seen)} all moved alike. That no difference was seen does not mean that every drop "
            "would be. Compare two versions that differ."
        )
    elif still:
        texts.append(f"{', '.join(still)} (?): no case moved, and no spread is no promise.")
    if variance.repeat_variance is None:
        how = FIND_OUT.format(flag=report.flag)
        texts.append(f"What repeats would bring (?): both sides asked every case once. To find out: {how}")
    if report.source.kind == "repeats":
        texts.append(
            "What a change does, and which is the better buy (?): these are repeats of the same prompts, so only the "
            "noise of the answers is in them. A real change acts on some cases more than on others and takes more "
            "cases than this."
        )
    elif seen.sees is not None:
        texts.append(
            f"The next change: its drop is assumed to vary between cases by {UNEVEN:g} of its mean. One that hits very "
            "few cases hard is detected less often."
        )
    units = variance.df + 1.0
    if units < variance.cases - 0.5:
        worth = numbers.count(variance.cases, "case is", "cases are")
        texts.append(f"Cases that share a source say the same: {worth} worth {units:.3g}.")
    return texts


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
