"""Phrases shared by reports: versions, usage, skipped metrics, fail zones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from row3.domain import numbers
from row3.domain.counts import spoken
from row3.domain.metrics import Metric, Zone
from row3.domain.printable import plain, visible
from row3.domain.requests import WEAK, labelled
from row3.domain.runs import Header
from row3.domain.scores import Usage
from row3.gate.results import JudgedSuite, Run
from row3.reports.document import Block, Fold, Lines, Note, Span, Text, Tone
from row3.reports.style import MARKS

ELSEWHERE = "outputs"
"""The mode of `row3 score`, which sends no request."""
ZONE_TONES: Mapping[Zone, Tone] = {
    Zone.FAIL: "bad",
    Zone.MARGINAL: "warning",
    Zone.PASS: "good",
    Zone.EXCELLENT: "excellent",
}


def what_runs(run: Run, suite: str = "") -> str:
    """Return the versions and which are promoted, the model and the mode, after the suite's name if given."""
    header, promoted = run.header, run.lineup.promoted
    versions = header.prompts.items()
    prompts = [f"{name} {version} ({_standing(version, promoted.get(name))})" for name, version in versions]
    model = shown_model(run.suite, header.model) + (f" at {run.suite.address}" if run.suite.address else "")
    how = (f"{model}; no prompt was run",) if header.mode == ELSEWHERE else (model, header.mode)
    return " · ".join(plain(part) for part in (suite, " → ".join(prompts), *how) if part)


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


def zone_span(zone: Zone | None) -> Text:
    """Return mark and word of a zone; empty for none."""
    return "" if zone is None else Span(f"{MARKS[zone]} {zone.word}", ZONE_TONES[zone])


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
    counts = f"{usage.prompt_tokens:,} tokens in · {usage.completion_tokens:,} out" if tokens else "tokens unknown"
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
    known = usage.prompt_tokens + usage.completion_tokens > 0
    return f"cost unknown ({f'no price for {plain(model)}' if known else 'no token counts'})"


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


SHOWN_LINES = 200


def differences(before: Header, after: Header, diffs: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield the prompts, order, model, parameters and repeats that differ, with both values and diff sizes."""
    diffs = diffs or {}
    for name in dict.fromkeys((*before.prompts, *after.prompts)):
        old, new = (side.prompts.get(name, "not in the pipeline") for side in (before, after))
        size = f", {_size(diffs[name])}" if name in diffs else ""
        if old != new:
            yield f"prompt {name}", f"{old} → {new}{size}"
        elif before.prompt_digests.get(name) != after.prompt_digests.get(name):
            yield f"prompt {name}", f"{new}, same version, different text{size}"
    if set(before.prompts) == set(after.prompts) and list(before.prompts) != list(after.prompts):
        yield "pipeline order", f"was {' → '.join(before.prompts)}, is {' → '.join(after.prompts)}"
    if before.model != after.model:
        yield "model", f"{before.model} → {after.model}"
    for name in after.parameters:
        if (values := before.parameters.get(name)) is None:
            continue
        for key, value in after.parameters[name].items():
            if key != "model" and values.get(key) != value:
                yield f"{name} {key}", f"{spoken(values.get(key))} → {spoken(value)}"
    if before.repeats != after.repeats:
        yield "repeats", f"{before.repeats} → {after.repeats}"


def prompt_folds(diffs: Mapping[str, str]) -> list[Fold]:
    """Return the text diff of each prompt."""
    return [Fold(f"Text of {name}", _fold(diff)) for name, diff in diffs.items()]


def _fold(diff: str) -> list[Block]:
    lines = _changes(diff)
    left = len(lines) - SHOWN_LINES
    shown: list[Block] = [Lines(lines[:SHOWN_LINES], "diff")]
    return [*shown, Note([f"and {left:,} more lines"], "quiet")] if left > 0 else shown


def _changes(diff: str) -> Sequence[str]:
    return [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]


def _size(diff: str) -> str:
    """Return `+12 −3 lines`."""
    lines = _changes(diff)
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{added} −{removed} lines"
