"""The metrics of a case that was looked into: what misses its target and what fell against the baseline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from row3.reports import numbers
from row3.reports.document import Block, Items, Note, Table, Text, Title
from row3.reports.investigations.model import Symptom


class Investigated(Protocol):
    """An investigation of a case of any kind."""

    @property
    def status(self) -> str: ...
    @property
    def problem(self) -> str: ...
    @property
    def prompts(self) -> Mapping[str, str]: ...
    @property
    def symptoms(self) -> Sequence[Symptom]: ...
    @property
    def notes(self) -> Sequence[str]: ...


def failing_metrics(symptoms: Sequence[Symptom]) -> str:
    """What stands at `Failing Metric(s)`: those that miss their target, and those that fell beyond their limit."""
    failing = [f"{s.metric.title} ({', '.join(_faults(s))})" for s in symptoms if s.failing or s.fall is not None]
    return ", ".join(failing) or f"none: {all_is_well(symptoms)}"


def all_is_well(symptoms: Sequence[Symptom]) -> str:
    """What is known where nothing fails and nothing fell: less where there is no baseline."""
    compared = any(s.baseline is not None and s.value is not None for s in symptoms)
    fell = ", and none is worse than the baseline by more than its limit" if compared else ""
    return f"every metric reaches its target{fell}"


def _faults(symptom: Symptom) -> Iterator[str]:
    if symptom.failing and symptom.zone is not None:
        yield symptom.zone.word
    if symptom.fall is not None and symptom.baseline is not None and symptom.value is not None:
        moved = "fell" if symptom.metric.higher_is_better else "rose"
        yield f"{moved} {100 * abs(symptom.value - symptom.baseline):.1f} points"


def aims(symptoms: Sequence[Symptom]) -> list[str]:
    """What the failing and fallen metrics have to reach: each the harder of its target and what its limit leaves it."""
    reach, within = [], []
    for symptom in symptoms:
        metric, fall, threshold = symptom.metric, symptom.fall, symptom.threshold
        sign = 1 if metric.higher_is_better else -1
        if symptom.failing and (fall is None or threshold is None or sign * (threshold.target - fall.least) >= 0):
            reach.append(f"{metric.title} reaches its target")
        elif fall is not None:
            within.append(f"{metric.title} at {'least' if sign > 0 else 'most'} {numbers.percent(fall.least)}")
    return [*reach, *([f"within the limit of the baseline again, that is {', '.join(within)}"] if within else [])]


def head_facts(found: Investigated) -> list[tuple[str, Text]]:
    """The lines below the title that every investigation has."""
    versions = ", ".join(f"{name} {version}" for name, version in found.prompts.items())
    return [("Prompt Version", versions), ("Failing Metric(s)", failing_metrics(found.symptoms))]


def symptom_blocks(found: Investigated) -> Iterator[Block]:
    """Every metric beside its target and the baseline, and the notes of the run."""
    yield Title("Symptoms")
    if found.status == "bad_answer":
        yield Note([f"The answer could not be used, so every metric is 0: {found.problem}."])
    heads = ("Metric", "Value", "Zone", "Target", "Short by", "Baseline", "Delta")
    yield Table(heads, [_row(symptom) for symptom in found.symptoms], "lrlrrrr")
    yield Items([*found.notes, *_fallen(found.symptoms)])


def _row(symptom: Symptom) -> list[str]:
    metric, value, zone, threshold, baseline, _ = symptom
    if value is None:
        return [metric.title, "skipped", "", "", "", "", ""]
    target, short = "", ""
    if threshold is not None:
        target = numbers.limit(threshold.target, metric)
        missing = (threshold.target - value) * (1 if metric.higher_is_better else -1)
        short = f"{100 * missing:.1f} points" if symptom.failing else ""
    percent = numbers.percent(value, beside=numbers.limits_of(threshold))
    moved = ["", ""] if baseline is None else [numbers.percent(baseline), numbers.points(value - baseline)]
    return [metric.title, percent, zone.word if zone is not None else "", target, short, *moved]


def _fallen(symptoms: Sequence[Symptom]) -> Iterator[str]:
    """A line for each limit with the metrics that fell beyond it; by how much stands in the table."""
    by_limit: dict[str, list[str]] = {}
    for symptom in symptoms:
        if (fall := symptom.fall) is not None:
            limit = f"{fall.limit:g}% of the baseline" if fall.relative else f"{fall.limit:g} points"
            share = f"by {fall.worse:.1f}% of it" if fall.relative else ""
            block = "" if fall.blocks else "the gate does not block on it"
            said = "; ".join(filter(None, (share, block)))
            by_limit.setdefault(limit, []).append(f"{symptom.metric.title}{f' ({said})' if said else ''}")
    for limit, names in by_limit.items():
        yield f"Worse than the baseline by more than the limit of {limit}: {', '.join(names)}."


def metric_json(symptom: Symptom) -> dict[str, Any]:
    """A metric with its zone, limits and baseline; fractions."""
    value: dict[str, Any] = {"value": symptom.value, "zone": symptom.zone.word if symptom.zone is not None else None}
    if symptom.threshold is not None:
        value["target"], value["minimum"] = symptom.threshold.target, symptom.threshold.minimum
    if symptom.baseline is not None and symptom.value is not None:
        value["baseline"], value["delta"] = symptom.baseline, symptom.value - symptom.baseline
    return value


def falls_json(symptoms: Sequence[Symptom]) -> list[dict[str, Any]]:
    """The metrics that fell against the baseline beyond their limit; fractions, `worseBy` and `limit` in the unit."""
    return [
        {
            "metric": s.metric.key,
            "baseline": s.baseline,
            "value": s.value,
            "worseBy": s.fall.worse,
            "limit": s.fall.limit,
            "unit": "relative" if s.fall.relative else "points",
            "blocks": s.fall.blocks,
        }
        for s in symptoms
        if s.fall is not None
    ]


def head_json(found: Investigated) -> dict[str, Any]:
    """The keys that every investigation has about its metrics."""
    return {
        "failing": [symptom.metric.key for symptom in found.symptoms if symptom.failing],
        "fell": falls_json(found.symptoms),
        "metrics": {s.metric.key: metric_json(s) for s in found.symptoms if s.value is not None},
    }


def dumped(value: dict[str, Any]) -> str:
    """JSON of a whole investigation, whatever a model said."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2).encode("utf-8", "replace").decode() + "\n"
