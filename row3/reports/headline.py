"""Sentences that every report shares: what runs, what it took, what to be warned of. Plain text, already safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from row3.domain.local_models import WEAK, labelled
from row3.domain.metrics import Metric, Zone
from row3.domain.scores import Usage
from row3.reports import numbers
from row3.reports.model import HeaderView, RunView, SuiteView
from row3.reports.style import plain, visible

ELSEWHERE = "outputs"
"""The mode of `row3 score`, in which nothing is asked."""


def first_line(suite: str, versions: Mapping[str, str], promoted: Mapping[str, str], model: str, mode: str) -> str:
    """Which versions run and which is promoted, by which model and mode; one line however long."""
    parts = [f"{name} {version} ({_standing(version, promoted.get(name))})" for name, version in versions.items()]
    how = (f"{model}; no prompt was run",) if mode == ELSEWHERE else (model, mode)
    return " · ".join(plain(part) for part in (suite, " → ".join(parts), *how) if part)


def what_runs(run: RunView, suite: str = "") -> str:
    """The first line of a run; it names the suite where one is given."""
    header = run.header
    return first_line(suite, header.prompts, run.lineup.promoted, shown_model(run.suite, header.model), header.mode)


def shown_model(suite: SuiteView, model: str) -> str:
    """A model as people are shown it: never without a word on how weak the local one is."""
    return labelled(model) if suite.local else model


def baseline_origin(baseline: HeaderView, suite: SuiteView) -> str:
    """What made a baseline, and when."""
    model = shown_model(suite, baseline.model)
    return f"{lineup_text(baseline)} · {plain(model)} · {numbers.moment(plain(baseline.at))} UTC"


def _standing(version: str, promoted: str | None) -> str:
    if promoted is None:
        return "candidate; none promoted"
    return "promoted" if version == promoted else f"candidate; promoted {promoted}"


def candidates(run: RunView) -> list[str]:
    """The prompt versions of a run that are not promoted: `decompose-concepts-v1.1`."""
    promoted = run.lineup.promoted
    return [plain(f"{name}-{version}") for name, version in run.header.prompts.items() if promoted.get(name) != version]


def taken_back(run: RunView) -> set[str]:
    """Those of them that were promoted before: there was a reason to go back."""
    formerly = run.lineup.formerly
    return {
        plain(f"{name}-{version}") for name, version in run.header.prompts.items() if version in formerly.get(name, ())
    }


def lineup_text(header: HeaderView) -> str:
    """`decompose-concepts v1.0 → map-ontology v1.0`."""
    return plain(" → ".join(f"{name} {version}" for name, version in header.prompts.items()))


def shown_metrics(suite: SuiteView, *, companion: bool) -> list[Metric]:
    """The headline metrics or their companions, in the kind's order."""
    return [metric for metric in suite.kind.metrics if metric.companion is companion]


def title_of(suite: SuiteView, key: str) -> str:
    """A metric's title; the key itself where the kind does not know it."""
    return next((metric.title for metric in suite.kind.metrics if metric.key == key), plain(key))


def skipped_lines(run: RunView) -> list[str]:
    """Which metrics do not apply to some cases, those with the same reasons in one line; none of what the suite does
    not carry at all."""
    silent = {metric.key for metric in run.suite.kind.metrics if metric.optional} - run.header.metrics.keys()
    titles: dict[str, list[str]] = {}
    for key, reasons in run.collected.skipped.items():
        if key not in silent:
            why = "; ".join(f"{numbers.count(cases, 'case')} ({plain(reason)})" for reason, cases in reasons.items())
            titles.setdefault(why, []).append(title_of(run.suite, key))
    return [f"{', '.join(each)}: {why}" for why, each in titles.items()]


def usage_lines(usage: Usage, model: str) -> list[str]:
    """Requests; tokens and cost; latency. Nothing where nothing was asked."""
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
    cut = [f"{numbers.count(usage.truncated, 'answer')} cut off by the token limit"] if usage.truncated else []
    if not tokens and usage.cost_usd is None and not latencies:
        return [requests, f"{recorded}tokens, cost and latency unknown", *cut]
    counts = f"{usage.prompt_tokens:,} tokens in · {usage.completion_tokens:,} out" if tokens else "tokens unknown"
    latency = f"latency {' · '.join(latencies)}" if latencies else "latency unknown"
    return [requests, f"{recorded}{counts} · {_cost(usage, model)}", " · ".join([latency, *cut])]


def _cost(usage: Usage, model: str) -> str:
    if usage.cost_usd is not None:
        part = " with the replayed answers" if 0 < usage.replayed < usage.requests else ""
        free = ": the model runs here" if not usage.cost_usd and model.endswith(WEAK) else ""
        return f"cost {numbers.money(usage.cost_usd)}{part}{free}"
    known = usage.prompt_tokens + usage.completion_tokens > 0
    return f"cost unknown ({f'no price for {plain(model)}' if known else 'no token counts'})"


def fail_zones(run: RunView) -> list[str]:
    """Titles of the metrics in their fail zone, and which of them only warn."""
    failing = [key for key, zone in run.zones.items() if zone is Zone.FAIL]
    warns = {key for key in failing if not run.suite.rules.thresholds[key].blocking}
    return [title_of(run.suite, key) + (" (warns, does not block)" if key in warns else "") for key in failing]


def declines_line(declines: int, run: RunView) -> str:
    """The announcement of runs that decline in a row; empty below the gate's limit."""
    if declines < run.suite.policy.declines:
        return ""
    title = title_of(run.suite, run.suite.kind.primary)
    draw = f"row3 trend{visible(run.suite.flags('row3 trend'))}"
    return f"{declines} consecutive declining runs of {title} — {draw} draws them"


def some(items: Sequence[str], most: int) -> str:
    """The first few, and how many more there are."""
    left = len(items) - most
    return ", ".join(items[:most]) + (f" and {left:,} more" if left > 0 else "")
