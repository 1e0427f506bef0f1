"""Phrases shared by reports: versions, usage, skipped metrics, fail zones."""

from __future__ import annotations

from collections.abc import Sequence

from row3.domain import numbers
from row3.domain.judgements import Interval, MetricChange, cut
from row3.domain.printable import plain, visible
from row3.domain.quarantine import Quarantine
from row3.domain.requests import WEAK, labelled
from row3.domain.runs import ELSEWHERE, Header
from row3.domain.scores import Metric, Usage, Zone
from row3.domain.words import count, part
from row3.gate.drift import Drift, other_moves
from row3.gate.policy import GatePolicy, exceeds
from row3.gate.results import Run
from row3.gate.suites import JudgedSuite
from row3.reports.document import Note

SHOWN_METRICS = 3
"""Metrics that a line names after the primary one."""
MOVED = {
    "moved": "have moved since the baseline",
    "steady": "have not moved since the baseline",
    "open": "have not moved significantly since the baseline",
}


def what_runs(run: Run, suite: str = "") -> str:
    """Return the versions and which are promoted, the model and the mode, after the suite's name if given."""
    header, promoted = run.header, run.lineup.promoted
    versions = header.prompts.items()
    prompts = [f"{name} {version} ({_standing(version, promoted.get(name))})" for name, version in versions]
    model = shown_model(run.suite, header.model) + (f" at {run.suite.address}" if run.suite.address else "")
    how = (f"{model}; no prompt was run",) if header.mode == ELSEWHERE else (model, header.mode)
    shard = "" if header.shard is None else f"shard {header.shard} alone"
    return " · ".join(plain(part) for part in (suite, " → ".join(prompts), *how, shard) if part)


def shown_model(suite: JudgedSuite, model: str) -> str:
    """Return the model's name; the local model is marked as weak."""
    return labelled(model) if suite.local else model


def baseline_origin(baseline: Header, suite: JudgedSuite) -> str:
    """Return the prompts and model of a baseline, and when it was saved."""
    saved = f"{numbers.moment(plain(baseline.at))} UTC" if baseline.at else ""
    prompts = " → ".join(f"{name} {version}" for name, version in baseline.prompts.items())
    parts = (plain(prompts), plain(shown_model(suite, baseline.model)), saved)
    return " · ".join(part for part in parts if part)


def _standing(version: str, promoted: str | None) -> str:
    if promoted is None:
        return "candidate; none promoted"
    return "promoted" if version == promoted else f"candidate; promoted {promoted}"


def candidates(run: Run) -> list[str]:
    """Return the references of the versions in a run that are not promoted: `decompose-concepts-v1.1`."""
    promoted = run.lineup.promoted
    return [plain(f"{name}-{version}") for name, version in run.header.prompts.items() if promoted.get(name) != version]


def formerly_promoted(run: Run) -> set[str]:
    """Return candidates that were promoted once and have been replaced since."""
    formerly = run.lineup.formerly
    return {
        plain(f"{name}-{version}") for name, version in run.header.prompts.items() if version in formerly.get(name, ())
    }


def shown_metrics(suite: JudgedSuite, *, companion: bool) -> list[Metric]:
    """Return the headline metrics or their companions, in the kind's order."""
    return [metric for metric in suite.kind.metrics if metric.companion is companion]


def title_of(suite: JudgedSuite, key: str) -> str:
    """Return a metric's title, or the key if the kind does not know it."""
    return next((metric.title for metric in suite.kind.metrics if metric.key == key), plain(key))


def skipped_lines(run: Run) -> list[str]:
    """Return the metrics that do not apply to some cases, one line per set of reasons.

    Metrics that apply to no case are left out.
    """
    silent = {metric.key for metric in run.suite.kind.metrics if metric.optional} - run.header.metrics.keys()
    titles: dict[str, list[str]] = {}
    for key, reasons in run.skipped.items():
        if key not in silent:
            why = "; ".join(f"{numbers.count(cases, 'case')} ({plain(reason)})" for reason, cases in reasons.items())
            titles.setdefault(why, []).append(title_of(run.suite, key))
    return [f"{', '.join(each)}: {why}" for why, each in titles.items()]


def usage_lines(usage: Usage, model: str) -> list[str]:
    """Return requests, tokens and cost, and latency, one per line; nothing without requests."""
    if not usage.requests:
        return []
    requests = numbers.count(usage.requests, "request")
    everything = usage.replayed == usage.requests
    if usage.replayed:
        requests += ", all replayed: nothing spent now" if everything else f", {usage.replayed:,} replayed"
    tokens = usage.prompt_tokens + usage.completion_tokens
    latencies = [
        f"{name} {numbers.seconds(value)}"
        for name, value in (("p50", usage.latency_p50_s), ("p95", usage.latency_p95_s))
        if value is not None
    ]
    recorded = "recorded: " if everything else ""
    judged = [f"judge: {text}" for text in judge_cost(usage)]
    cut = [f"{numbers.count(usage.truncated, 'answer')} cut off by the token limit"] if usage.truncated else []
    if not tokens and usage.cost_usd is None and not latencies:
        return [requests, f"{recorded}tokens, cost and latency unknown", *judged, *cut]
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    thought = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
    counts = f"{usage.prompt_tokens:,} tokens in{cached} · {usage.completion_tokens:,} out{thought}"
    counts = counts if tokens else "tokens unknown"
    latency = f"latency {' · '.join(latencies)}" if latencies else "latency unknown"
    return [requests, f"{recorded}{counts} · {_cost(usage, model)}", *judged, " · ".join([latency, *cut])]


def judge_cost(usage: Usage) -> list[str]:
    """Return the judge's usage; nothing if no judge was asked."""
    if not usage.judgements:
        return []
    cost = "cost unknown" if usage.judge_cost_usd is None else f"cost {numbers.money(usage.judge_cost_usd)}"
    return [f"{numbers.count(usage.judgements, 'grade')} · {cost}"]


def _cost(usage: Usage, model: str) -> str:
    if usage.cost_usd is not None:
        part = " with the replayed answers" if 0 < usage.replayed < usage.requests else ""
        free = ": the model runs here" if not usage.cost_usd and model.endswith(WEAK) else ""
        return f"cost {numbers.money(usage.cost_usd)}{part}{free}"
    why = f"no price for {plain(model)}" if usage.prompt_tokens + usage.completion_tokens else "no token counts"
    if usage.uncounted:
        why = f"{numbers.count(usage.uncounted, 'answer')} without token counts"
    return f"cost unknown ({why})"


def fail_zones(run: Run) -> list[str]:
    """Return the titles of metrics in their fail zone, and which of them only warn."""
    failing = [key for key, zone in run.zones.items() if zone is Zone.FAIL]
    warns = {key for key in failing if not run.suite.rules.thresholds[key].blocking}
    return [title_of(run.suite, key) + (" (warns, does not block)" if key in warns else "") for key in failing]


def declines_line(declines: int, run: Run) -> str:
    """Return how many runs declined in a row; empty below the gate's limit."""
    if declines < run.suite.policy.declines:
        return ""
    title = title_of(run.suite, run.suite.kind.primary)
    draw = f"row3 trend{visible(run.suite.flags('row3 trend'))}"
    return f"{declines} consecutive declining runs of {title} ({draw} shows them)"


def some(items: Sequence[str], most: int) -> str:
    """Return the first few items, and how many more there are."""
    left = len(items) - most
    return ", ".join(items[:most]) + (f" and {left:,} more" if left > 0 else "")


def quarantine_note(quarantine: Quarantine) -> Note:
    """Return one line each for cases that do not count, that count again, and whose quarantine is not yet in force."""
    lines = []
    if quarantine.active:
        resting = "; ".join(
            f"{plain(each.case_id)} until {each.until}: {plain(each.reason)}" for each in quarantine.active
        )
        lines.append(f"! quarantined: {numbers.count(len(quarantine.active), 'case')} ({resting})")
    if quarantine.expired:
        named = "; ".join(f"{plain(each.case_id)} on {each.until}" for each in quarantine.expired)
        lines.append(f"! quarantine expired, counted again: {named}")
    if quarantine.waiting:
        named = ", ".join(plain(each.case_id) for each in quarantine.waiting)
        lines.append(f"! quarantine added by this change, not used to judge it: {named}")
    return Note(lines, "warning")


def drift_line(drift: Drift, metrics: Sequence[Metric]) -> str:
    """Return how far the answers to the baseline's prompts have moved since it was saved."""
    change = drift.change
    if change is None or change.delta is None:
        return "unknown whether answers moved since the baseline: no case could be compared"
    titles = {metric.key: metric.title for metric in metrics}
    beside = [f"{titles.get(key, key)} {numbers.points(delta)}" for key, delta in other_moves(drift).items()][
        :SHOWN_METRICS
    ]
    listed = ", ".join([f"{drift.about.title} {drift_move_text(drift)}", *beside])
    same = f"{part(drift.same, drift.cases, 'case')} word for word as before"
    return f"answers {MOVED[drift.state]}: {listed}; {same}{detection_text(drift)}"


def drift_move_text(drift: Drift) -> str:
    """Return `−6.1 points (95%: −8.0…−4.2)`; `unknown` if no case could be compared."""
    change = drift.change
    if change is None or change.delta is None:
        return "unknown"
    known = change.interval
    span = "" if known is None else f" (95%: {numbers.interval(known.low, known.high)})"
    return f"{numbers.points(change.delta)} points{span}"


def detection_text(drift: Drift) -> str:
    """Return the smallest move that would be noticed: ` (detects 3.2 points or more)`."""
    if drift.state == "moved" or drift.smallest_drop is None:
        return ""
    if drift.smallest_drop >= 1.0:
        return f" ({numbers.count(drift.cases, 'case is', 'cases are')} too few to detect any)"
    return f" (detects {numbers.points(drift.smallest_drop).lstrip('+')} points or more)"


def move_text(
    change: MetricChange, metric: Metric, policy: GatePolicy, *, brief: bool = False, confirmed: bool = False
) -> str:
    """Return why a metric's verdict is not `proceed`, without a full stop; empty if it is.

    `brief` leaves out intervals and p-values. `confirmed`: further answers leave no doubt about a fall.
    """
    if not change.code:
        return ""
    if change.code == "no_longer_measured":
        return f"{metric.title} is no longer measured"
    shown = "" if brief else _shown(change)
    if change.code == "inconclusive":
        return _inconclusive(change, metric, policy, shown)
    worse = f"{metric.title} is worse by {change.worse_by or 0.0:.1f}{unit_text(policy, metric)}"
    p = "" if brief or change.p is None else f"; p = {change.p:.2g}"
    noise = change.noise in ("within", "unknown")  # chance alone may explain a drop that only the means decide
    unproven = change.code == "worse_unproven"
    doubt = f"; it may be noise{shown}" if noise and not (unproven or confirmed) else ""
    beyond = exceeds(change.worse_by, change.limit)
    limit = f" (more than {change.limit:g})" if beyond else f" (at least {policy.investigate:g})"
    full = worse if brief and change.p is not None and not doubt else f"{worse}{limit}"
    if not beyond:
        return f"{full}{shown if policy.policy == 'paired' else ''}{doubt}"
    if unproven:
        return f"{full}, which may be noise{_why_noise(change) if brief else shown}"
    if policy.policy == "paired" and change.p is not None:
        return f"{worse}, and by more than {change.limit:g} beyond noise{shown}{p}"
    return f"{full}{doubt}" if noise or change.p is None else f"{full}, beyond noise{shown}{p}"


def unit_text(policy: GatePolicy, metric: Metric) -> str:
    """Return the unit of `worse_by`, to follow the number: ` points`, `% of the baseline`."""
    return "% of the baseline" if policy.unit == "relative" and metric.higher_is_better else " points"


def interval_head(changes: Sequence[MetricChange]) -> str:
    """Return the heading of intervals that are not widened, which have one level: `90% interval`."""
    known = next((change.single for change in changes if change.single is not None), None)
    return "interval" if known is None else f"{100.0 * known.level:.3g}% interval"


def _inconclusive(change: MetricChange, metric: Metric, policy: GatePolicy, shown: str) -> str:
    loss = f"loss of more than {change.limit:g}{unit_text(policy, metric)}"
    if change.doubt != "rare_loss":
        return f"{metric.title} is inconclusive: a {loss} is neither shown nor ruled out{shown}"
    units = count(change.units, "independent case cannot", "independent cases cannot")
    needed = f"; about {change.units_needed} would" if change.units_needed > change.units else ""
    return (
        f"{metric.title} is inconclusive: no {loss} is seen{shown}, but {units} rule out a rare and large one{needed}"
    )


def _why_noise(change: MetricChange) -> str:
    """Return why a fall may be noise though its own interval excludes 0."""
    if change.doubt == "few_units":
        return f" (fewer than {count(change.units_needed, 'case')} moved)"
    return f" (tested with {count(change.tests - 1, 'other')})" if change.tests > 1 else ""


def _shown(change: MetricChange) -> str:
    interval = change.interval
    if interval is None:
        return "; an interval needs at least two independent cases"
    if change.doubt == "few_units":
        moved = f"only {change.moved} of {count(change.units, 'independent case')} moved"
        return f" ({moved}, and fewer than {change.units_needed} cannot show a drop)"
    if interval.degenerate:
        alike = f"all {interval.units} independent cases changed by the same amount"
        return f" ({alike}, which happens by chance once in 2^{interval.units})"
    adjusted = f", adjusted for {change.tests} metrics" if change.tests > 1 else ""
    level = 100.0 * (1.0 - change.tests * (1.0 - interval.level))  # before it was widened
    return f" ({level:.3g}%{adjusted}: {_ends(interval)} points)"


def _ends(interval: Interval) -> str:
    low, high = (f"{100.0 * end:+.1f}".replace("-", "−") for end in cut(interval.low, interval.high))
    return f"{low} to {high}"
