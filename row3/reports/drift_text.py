"""`row3 drift` on a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from row3.domain.counts import part
from row3.domain.scores import Usage
from row3.gate.drift import CaseThen, Drift, moved_text, others, steady_text
from row3.reports import numbers
from row3.reports.headline import shown_metrics, shown_model, usage_lines
from row3.reports.live_text import drift_json, sees_text
from row3.reports.model_run import HeaderView, SuiteView
from row3.reports.style import BOLD, GREEN, RED, YELLOW, Style, plain, shorten, visible
from row3.reports.terminal import table

SCHEMA_VERSION = 1
SHOWN_CASES, LONGEST_ID = 8, 40
SHOWN = 5
"""Cases without an answer that are named."""


class AgainView(Protocol):
    """What the baseline's prompts answer now."""

    @property
    def drift(self) -> Drift: ...

    @property
    def failed(self) -> Mapping[str, str]: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def cases(self) -> Sequence[CaseThen]: ...


class DriftedView(Protocol):
    """What `row3 drift` found."""

    @property
    def suite(self) -> SuiteView: ...

    @property
    def then(self) -> HeaderView: ...

    @property
    def source(self) -> str: ...

    @property
    def sample(self) -> Sequence[str]: ...

    @property
    def of(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def again(self) -> AgainView: ...

    @property
    def recorded(self) -> tuple[str, str] | None: ...


def verdict_text(found: DriftedView) -> str:
    """The finding in a line."""
    drift = found.again.drift
    if found.again.failed:
        return f"incomplete: {part(len(found.again.failed), len(found.sample), 'case', 'has', 'have')} no answer"
    since = "they were recorded" if found.recorded else "its baseline"
    if drift.state == "moved":
        who = (
            "the live system moved: its answers" if found.recorded else "the provider moved: the baseline's own prompts"
        )
        return f"{who} {moved_text(drift, since)}"
    if drift.change is None or drift.change.interval is None:
        return "not known: fewer than two cases could be compared"
    return f"no drift seen{sees_text(drift)}: {steady_text(drift, since)}"


def _when(found: DriftedView) -> str:
    """When it answered so then."""
    if found.recorded is None:
        return f"{numbers.moment(found.then.at)} UTC"
    first, last = (numbers.moment(plain(at)) for at in found.recorded)
    return f"recorded {first} UTC" if first == last else f"recorded {first} to {last} UTC"


def _cases(found: DriftedView, style: Style, *, verbose: bool) -> list[str]:
    """The cases with other answers, those that moved most first."""
    other = [case for case in found.again.cases if not case.same]
    other.sort(key=lambda case: -abs((case.now or 0.0) - (case.then or 0.0)))
    shown = other if verbose else other[:SHOWN_CASES]
    if not shown:
        return []
    rows = []
    for case in shown:
        both = case.then is not None and case.now is not None
        delta = numbers.points((case.now or 0.0) - (case.then or 0.0)) if both else "–"
        then, now = ("–" if value is None else numbers.percent(value) for value in (case.then, case.now))
        rows.append([shorten(plain(case.case_id), LONGEST_ID), then, now, delta])
    lines = table(("other answers", "then", "now", "points"), rows, "lrrr", style)
    left = len(other) - len(shown)
    return [*lines, *([style.dim(f"  and {left:,} more (-v shows them)")] if left else []), ""]


def drift_text(found: DriftedView, style: Style, *, verbose: bool = False) -> str:
    """What was asked, metric by metric, the cases that answer otherwise, and the verdict last."""
    then, drift = found.then, found.again.drift
    versions = " → ".join(f"{name} {version}" for name, version in then.prompts.items())
    model = shown_model(found.suite, then.model)
    head = " · ".join(plain(part) for part in (found.suite.name, versions, model, "live") if part)
    asked = f"{len(found.sample)} of {numbers.count(found.of, 'case')}"
    chosen = "" if len(found.sample) == found.of else f", chosen with seed {found.seed}"
    lines = [
        *style.wrap(head, then="  "),
        "",
        *style.wrap(f"Then  {found.source}, {_when(found)}", then="      "),
        *style.wrap(f"Now   {asked}{chosen}; {drift.same} answered word for word as then", then="      "),
        "",
    ]
    if rows := _rows(found):
        lines += [*table(("metric", "then", "now", "points", "95% interval"), rows, "lrrrr", style), ""]
    lines += _cases(found, style, verbose=verbose)
    lines += _without_answers(found.again.failed, style)
    lines += [style.dim(line) for line in usage_lines(found.again.usage, model)]
    mark, colour = {"moved": ("✗", RED), "steady": ("✓", GREEN), "open": ("?", YELLOW)}[drift.state]
    if found.again.failed:
        mark, colour = "?", YELLOW
    verdict = style.wrap(f"{mark} {verdict_text(found)}", then="  ")
    lines += ["", style.paint(verdict[0], colour, BOLD), *verdict[1:]]
    if found.again.failed:
        lines += style.wrap(
            "Next: give the same command again; it goes on from the answers that are there.", first="  "
        )
    elif drift.state == "moved":
        flag = visible(found.suite.flag)
        cure = f"row3 --baseline{flag} saves what the provider answers now."
        if found.recorded:
            cure = f"row3 --mode record{flag} asks for all of it again, and a new baseline goes with it."
        lines += style.wrap(f"Next: see whether it matters; {cure}", first="  ")
    return "\n".join(lines) + "\n"


def _without_answers(failed: Mapping[str, str], style: Style) -> list[str]:
    """The first in full, as the others mostly fail alike."""
    lines: list[str] = []
    for place, (case_id, why) in enumerate(list(failed.items())[:SHOWN]):
        text = f"no answer  {plain(case_id)}: {plain(why)}"
        lines += style.wrap(text, then="           ") if place == 0 else [shorten(text, style.width)]
    if len(failed) > SHOWN:
        lines.append(f"           and {len(failed) - SHOWN} more")
    return [*lines, ""] if lines else []


def _rows(found: DriftedView) -> list[list[str]]:
    drift = found.again.drift
    changes = {change.key: change for change in drift.metrics}
    moved = others(drift)
    rows = []
    for companion in (False, True):
        for metric in shown_metrics(found.suite, companion=companion):
            change = changes.get(metric.key)
            if change is None or change.delta is None or change.baseline is None or change.current is None:
                continue
            if companion and metric.key not in moved:
                continue
            known = change.interval
            rows.append(
                [
                    metric.title,
                    numbers.percent(change.baseline),
                    numbers.percent(change.current),
                    numbers.points(change.delta),
                    "–" if known is None else numbers.interval(known.low, known.high),
                ]
            )
    return rows


def _then_json(found: DriftedView) -> dict[str, str]:
    if found.recorded:
        return {"source": found.source, "recordedFrom": found.recorded[0], "recordedTo": found.recorded[1]}
    return {"source": found.source, "runId": found.then.run_id, "at": found.then.at}


def drift_report_json(found: DriftedView) -> dict[str, Any]:
    """The finding as plain values."""
    drift, usage = found.again.drift, found.again.usage
    who = "the live system" if found.recorded else "the provider"
    verdict = f"{who} moved" if drift.state == "moved" else "no drift seen"
    return {
        "schemaVersion": SCHEMA_VERSION,
        "suite": found.suite.name,
        "mode": "live",
        "verdict": "incomplete" if found.again.failed else verdict,
        "text": verdict_text(found),
        "prompts": dict(found.then.prompts),
        "model": found.then.model,
        "then": _then_json(found),
        "sample": list(found.sample),
        "of": found.of,
        "seed": found.seed,
        "complete": not found.again.failed,
        "failed": dict(found.again.failed),
        **drift_json(drift),
        "cases": [
            {"id": case.case_id, "then": case.then, "now": case.now, "same": case.same} for case in found.again.cases
        ],
        "usage": {
            "requests": usage.requests,
            "replayed": usage.replayed,
            "promptTokens": usage.prompt_tokens,
            "completionTokens": usage.completion_tokens,
            "costUsd": usage.cost_usd,
        },
    }
