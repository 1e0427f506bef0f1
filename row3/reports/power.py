"""`row3 power`: the smallest drop a suite detects, and what it takes to detect a smaller one."""

from __future__ import annotations

from typing import Any

from row3.domain import numbers
from row3.domain.scores import Metric
from row3.gate.power import POWER, Needed, PowerReport, Sensitivity
from row3.reports.document import Block, Document, Items, Note, Span, Table, Title
from row3.reports.json_values import json_fields

UNKNOWN = "?"
FIND_OUT = "row3 --repeats 3 --mode record{flag}, then row3 power{flag}"


def power_document(report: PowerReport) -> Document:
    """Return the plan in words, the metrics, and what is unknown."""
    metric, plan = report.plans[0]
    sides = zip(report.settings, report.repeats, strict=True)
    origin = [Span(f"  {setting}{times(repeats)}", "quiet") for setting, repeats in sides]
    head = f"{report.suite} · planned from the baseline and the candidate"
    blocks: list[Block] = [Note([head, *origin]), Note(_sentences(metric, plan))]
    if len(report.plans) > 1:
        blocks.append(_metrics(report))
    titles = {metric.key: metric.title for metric, _ in report.plans if metric.key in report.skipped}
    blocks.append(Note([f"{title} does not apply: {report.skipped[key]}." for key, title in titles.items()]))
    terms = (
        f"Detected: the policy `{report.policy.policy}` blocks it (investigates, if the metric is not gated) in "
        f"{100 * POWER:.0f} of 100 comparisons. Points are percentage points. ?: unknown, as no case moved or none was "
        "asked twice."
    )
    return Document([*blocks, Note([terms]), *_rates(report), Title("Unknown"), Items(unknowns(report, plan))])


def _rates(report: PowerReport) -> list[Block]:
    """Return how often the gate errs, for the suite as it is and for larger ones, and whose answers say so."""
    if not report.rates:
        return []
    rows = [
        [numbers.count(each.cases, "case") + times(each.repeats), *(f"{100 * share:.0f}%" for share in each[2:])]
        for each in report.rates
    ]
    text = "From this suite's own answers (repeats, confirmations, saved runs), drawn again."
    if report.nearest:
        text = (
            f"No setting has two answers to every case. From the simulated suite most like this one: {report.nearest}."
        )
    text += f" Confirmed: after up to {numbers.count(report.policy.confirm, 'more answer')} a case and side."
    heads = ("with", "false blocks", "confirmed", "10 points found", "confirmed")
    return [Title("How often the gate errs"), Table(heads, rows, "lrrrr"), Note([text])]


def _sentences(metric: Metric, plan: Sensitivity | None) -> list[str]:
    lines = [sensitivity_sentence(plan, metric.title, what="drop" if metric.higher_is_better else "rise")]
    if plan is None:
        return lines
    if plan.wanted <= plan.finding.limit:
        limit = 100 * plan.finding.limit
        lines.append(
            f"A drop equal to the limit ({limit:.3g}) is detected half the time at best: plan for a larger one, such "
            f"as --detect {2 * limit:.3g}."
        )
    return lines


def _metrics(report: PowerReport) -> Table:
    rows = []
    for metric, plan in report.plans:
        if plan is None and metric.key in report.skipped:
            continue
        if plan is None:
            rows.append([metric.title, UNKNOWN, "", "too few cases", ""])
            continue
        needs = _needed(plan.needs_cases), _needed(plan.needs_repeats)
        detects = UNKNOWN if plan.variance.total <= 0.0 else "none"
        detects = detects if plan.smallest_drop is None else numbers.drop_points(plan.smallest_drop)
        rows.append([metric.title, detects, f"{100 * plan.wanted:.3g}", *needs])
    return Table(("metric", "detects now", "wanted", "needs cases", "or repeats"), rows, "lrrrr")


def _needed(needed: Needed) -> str:
    if needed.count is not None:
        return f"{needed.count:,}"
    return "no number" if needed.why == "never" else UNKNOWN


def unknowns(report: PowerReport, plan: Sensitivity | None) -> list[str]:
    """Return a sentence for each unknown of the plan."""
    if plan is None:
        return ["The spread: it takes at least two independent cases. Add golden cases."]
    texts = []
    if plan.variance.total <= 0.0:
        texts.append(
            f"The spread: {asked(plan)} all moved alike. That does not mean that a drop would be "
            "detected. Compare two versions that differ."
        )
    if plan.variance.repeat_variance is None:
        how = FIND_OUT.format(flag=report.flag)
        texts.append(f"The effect of repeats (?): both sides asked every case once. To find out: {how}")
    if not report.rates:
        how, policy = FIND_OUT.format(flag=report.flag), report.policy.policy
        texts.append(
            f"How often the gate errs under `{policy}`: no setting has two answers to every case. To know: {how}"
        )
    units = plan.variance.df + 1.0
    if units < plan.variance.cases - 0.5:
        worth = numbers.count(plan.variance.cases, "case is", "cases are")
        texts.append(f"Cases that share a source are not independent: {worth} worth {units:.3g}.")
    return texts


def power_json(report: PowerReport) -> dict[str, Any]:
    """Return the plan as plain values; drops are fractions."""
    before, after = report.settings
    return {
        "schemaVersion": 1,
        "suite": report.suite,
        "source": {"before": before, "after": after, "repeats": list(report.repeats)},
        "policy": report.policy.policy,
        "power": POWER,
        "level": report.policy.level,
        "metrics": {metric.key: None if plan is None else _plan_json(plan) for metric, plan in report.plans},
        "errorRates": {
            "nearest": report.nearest,
            "plans": [json_fields(each, *each._fields) for each in report.rates],
        },
        "unknown": unknowns(report, report.plans[0][1]),
    }


def _plan_json(plan: Sensitivity) -> dict[str, Any]:
    variance = plan.variance
    return {
        "cases": variance.cases,
        "repeats": round(variance.repeats, 9),
        "detected": "blocked" if plan.blocks else "seen",
        "limit": plan.finding.limit,
        "smallestDrop": plan.smallest_drop,
        "wantedDrop": plan.wanted,
        "casesNeeded": _needed_json(plan.needs_cases),
        "repeatsNeeded": _needed_json(plan.needs_repeats),
        "variance": {
            "difference": variance.total,
            "df": variance.df,
            "cases": variance.case_variance,
            "answers": variance.repeat_variance,
        },
    }


def _needed_json(needed: Needed) -> dict[str, Any]:
    return {"count": needed.count} if needed.count is not None else {"count": None, "why": needed.why}


def sensitivity_sentence(seen: Sensitivity | None, title: str, *, what: str = "drop") -> str:
    """Return what the cases detect: `Overall: 15 cases with this much spread detect a drop of 7.3 points; 9 …`."""
    if seen is None:
        return f"{title}: the smallest {what} detected is unknown: that takes two independent cases."
    who = asked(seen)
    if seen.smallest_drop is None and seen.needs_cases.why == "unknown":
        return f"{title}: the smallest {what} that {who} detect is unknown, as no case moved."
    repeats = seen.needs_repeats.count or 0
    ways = [numbers.count(seen.needs_cases.count, "case")] if seen.needs_cases.count else []
    ways += [numbers.count(repeats, "repeat")] if repeats > seen.variance.repeats else []
    more = f"; {' or '.join(ways) or 'no number of cases'} would detect {100 * seen.wanted:.3g}"
    if seen.smallest_drop is None or seen.smallest_drop > 1.0:
        return f"{title}: {who} with this much spread are too few to detect any {what} reliably{more}."
    more = "" if seen.smallest_drop <= seen.wanted else more
    drop = numbers.drop_points(seen.smallest_drop)
    return f"{title}: {who} with this much spread detect a {what} of {drop} points{more}."


def asked(seen: Sensitivity) -> str:
    """Return `15 cases`, `15 cases asked 3 times`."""
    return numbers.count(seen.variance.cases, "case") + times(seen.variance.repeats)


def times(repeats: float) -> str:
    """Return ` asked 3 times`, empty for once; for sides with different repeats, their harmonic mean."""
    whole = abs(repeats - round(repeats)) < 1e-9
    return "" if repeats <= 1.0 else f" asked {'' if whole else 'about '}{repeats:.3g} times"
