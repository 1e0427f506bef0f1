"""`row3 power` on a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from row3.domain.metrics import Metric
from row3.gate.policy import GatePolicy
from row3.gate.power import Needed
from row3.gate.power_plan import REPEATS, MetricPlan
from row3.gate.sensitivity import POWER
from row3.reports import numbers
from row3.reports.sensitivity_text import BEYOND, asked, points, possible, sensitivity_sentence, times
from row3.reports.style import PLAIN, Style, plain, shorten, visible
from row3.reports.terminal import table

LONGEST_TITLE = 24
UNKNOWN = "?"
FIND_OUT = "row3 --repeats 3 --mode record{flag}, then row3 power{flag}"


@dataclass(frozen=True, slots=True)
class PowerSource:
    """What a plan was made from."""

    kind: Literal["replay", "runs", "repeats"]
    words: str
    before: str
    """Prompts and model of the first side."""
    after: str
    repeats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PowerReport:
    """What a suite detects, metric by metric, the composite first."""

    suite: str
    source: PowerSource
    policy: GatePolicy
    plans: tuple[tuple[Metric, MetricPlan | None], ...]
    """None where fewer than two independent cases have the metric."""
    tried: tuple[str, ...]
    """Better sources, and why they were not taken."""
    flag: str = ""
    """What a command has to be given to be about the suite."""


def power_text(report: PowerReport, style: Style = PLAIN) -> str:
    """The plan in words, the metrics, the table of what other numbers would detect, and what is not known."""
    metric, plan = report.plans[0]
    blocks = [
        _origin(report, style),
        [style.bold(metric.title), *(line for text in _sentences(report, metric, plan) for line in style.wrap(text))],
        _metrics(report, style) if len(report.plans) > 1 else [],
        _drops(metric, plan, style) if plan is not None and plan.seen.sees is not None else [],
        [line for text in _terms(report, plan) for line in style.wrap(text)],
        _doubts(report, plan, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _origin(report: PowerReport, style: Style) -> list[str]:
    source = report.source
    lines = style.wrap(f"{plain(report.suite)} · planned from {source.words}", then="  ")
    each = [(source.before, source.repeats[0]), (source.after, source.repeats[1])]
    if source.kind == "repeats":
        each = [(source.after, sum(source.repeats))]
    for setting, repeats in each:
        lines += [style.dim(line) for line in style.wrap(plain(setting) + times(repeats), first="  ", then="    ")]
    for why in report.tried:
        lines += [style.dim(line) for line in style.wrap(f"not taken: {plain(why)}", first="  ", then="    ")]
    return lines


def _sentences(report: PowerReport, metric: Metric, plan: MetricPlan | None) -> list[str]:
    """The composite, or the one metric that was asked for."""
    if plan is None:
        return [sensitivity_sentence(None)]
    seen = plan.seen
    lines = [sensitivity_sentence(seen, what=_moves(metric))]
    if plan.within_limit:
        lines.append(
            f"The limit is {100 * plan.margin:.3g}, and the policy `paired` blocks only what is shown to be more: ask "
            f"for more, such as --detect {200 * plan.margin:.3g}."
        )
    if seen.buy is not None:
        buy = seen.buy
        lines.append(
            f"Twice the requests: {numbers.count(2 * seen.cases, 'case')} {_verb(plan)} {points(buy.more_cases)}, "
            f"{numbers.count(round(2 * seen.repeats), 'repeat')} {_verb(plan)} {points(buy.more_repeats)}; "
            f"{buy.better} are the better buy."
        )
    if seen.sees is not None and report.policy.unit == "points" and possible(seen.sees):
        limit = report.policy.limit(seen.metric)
        if plan.margin:
            lines.append(f"Seen at all, which is not yet blocked, is a drop of {points(seen.sees - plan.margin)}.")
        elif possible(seen.sees + limit / 100):
            lines.append(
                f"Under the policy `paired` a drop blocks from {points(seen.sees + limit / 100)} points on: "
                f"the limit of {limit:g} and these {points(seen.sees)}."
            )
    return lines


def _moves(metric: Metric) -> str:
    return "drops" if metric.higher_is_better else "rises"


def _verb(plan: MetricPlan) -> str:
    return "block" if plan.seen.blocks else "see"


def _metrics(report: PowerReport, style: Style) -> list[str]:
    """A line a metric: what is detected now, what is wanted, and what that takes."""
    rows = []
    for metric, plan in report.plans:
        title = shorten(metric.title, LONGEST_TITLE)
        if plan is None:
            rows.append([title, UNKNOWN, "", "", "", "too few cases"])
            continue
        seen = plan.seen
        buy = seen.buy.better if seen.buy is not None else UNKNOWN
        wanted = f"{100 * seen.wanted:.3g}"
        now = UNKNOWN if seen.sees is None else points(seen.sees)
        rows.append([title, now, wanted, _needed(seen.needs_cases), _needed(seen.needs_repeats), buy])
    verb = "blocks" if any(plan is not None and plan.seen.blocks for _, plan in report.plans) else "sees"
    return table(("metric", f"{verb} now", "wanted", "needs cases", "or repeats", "better buy"), rows, "lrrrrl", style)


def _needed(needed: Needed) -> str:
    if needed.count is not None:
        return f"{needed.count:,}"
    return "no number" if needed.why == "never" else UNKNOWN


def _drops(metric: Metric, plan: MetricPlan, style: Style) -> list[str]:
    heads = ["cases", *("asked once" if k == 1 else f"{k} times" for k in REPEATS), ""]
    rows = [
        [
            f"{cases:,}",
            *(UNKNOWN if drop is None else points(drop) for drop in cells),
            "← now" if cases == plan.seen.cases else "",
        ]
        for cases, cells in plan.table
    ]
    done = "is blocked" if plan.seen.blocks else "is seen"
    what = "drop" if metric.higher_is_better else "rise"
    return [f"Smallest {what} of {plain(metric.title)} that {done}, in points", "", *table(heads, rows, "rrrrl", style)]


def _terms(report: PowerReport, plan: MetricPlan | None) -> list[str]:
    """What the words mean."""
    share = f"in {100 * POWER:.0f} of 100 comparisons"
    text = f"Seen: the 95% interval of the difference leaves out 0, {share}. Points are percentage points."
    if plan is not None and plan.seen.blocks:
        limit = f"{100 * plan.margin:.3g}"
        text = f"Blocked: the 95% interval lies wholly beyond the limit of {limit} points, {share}."
    drops = [each.seen.sees for _, each in report.plans if each is not None]
    drops += [drop for _, cells in (() if plan is None else plan.table) for drop in cells]
    if any(drop is not None and not possible(drop) for drop in drops):
        return [text, f"{BEYOND}: more than a metric can fall, so these are too few to say."]
    return [text]


def _doubts(report: PowerReport, plan: MetricPlan | None, style: Style) -> list[str]:
    """What the plan does not know, and how to find out."""
    texts = unknowns(report, plan)
    return [style.bold("Not known"), *(line for text in texts for line in style.wrap(text, first="  ", then="    "))]


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
        texts.append(f"{', '.join(map(plain, still))} (?): no case moved, and no spread is no promise.")
    if variance.repeat_variance is None:
        how = FIND_OUT.format(flag=visible(report.flag))
        texts.append(f"What repeats would bring (?): both sides asked every case once. To find out: {how}")
    if report.source.kind == "repeats":
        texts.append(
            "What a change does, and which is the better buy (?): these are repeats of the same prompts, so only the "
            "noise of the answers is in them. A real change acts on some cases more than on others and takes more "
            "cases than this."
        )
    elif seen.sees is not None:
        texts.append(
            "The next change: it is taken to spread over the cases as this one did. One that hits a few cases hard "
            "spreads more, and is detected less often."
        )
    units = variance.df + 1.0
    if units < variance.cases - 0.5:
        worth = numbers.count(variance.cases, "case is", "cases are")
        texts.append(f"Cases that share a source say the same: {worth} worth {units:.3g}.")
    return texts
