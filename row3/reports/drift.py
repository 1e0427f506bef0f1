"""`row3 drift`: whether the provider still answers the baseline's prompts as it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from row3.domain.changes import Interval, cut
from row3.domain.counts import count, part
from row3.domain.runs import Header
from row3.domain.scores import Usage
from row3.errors import Row3Error
from row3.gate.drift import CaseThen, Drift, DriftState, others
from row3.gate.results import JudgedSuite
from row3.reports import numbers
from row3.reports.document import Block, Document, Facts, Note, Span, Table, Text, Title, Tone, more
from row3.reports.headline import shown_metrics, shown_model, usage_lines
from row3.reports.live_text import drift_json, sees_text

SCHEMA_VERSION = 1
SHOWN_CASES = 8
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
    def suite(self) -> JudgedSuite: ...

    @property
    def then(self) -> Header: ...

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
    first, last = (numbers.moment(at) for at in found.recorded)
    return f"recorded {first} UTC" if first == last else f"recorded {first} to {last} UTC"


def drift_document(found: DriftedView, *, verbose: bool = False) -> Document:
    """What was asked, metric by metric, the cases whose answers changed, and the verdict last."""
    then, drift = found.then, found.again.drift
    versions = " → ".join(f"{name} {version}" for name, version in then.prompts.items())
    model = shown_model(found.suite, then.model)
    asked = f"{len(found.sample)} of {numbers.count(found.of, 'case')}"
    chosen = "" if len(found.sample) == found.of else f", chosen with seed {found.seed}"
    blocks: list[Block] = [
        Note([" · ".join(part for part in (found.suite.name, versions, model, "live") if part)]),
        Facts(
            [
                ("Then", f"{found.source}, {_when(found)}"),
                ("Now", f"{asked}{chosen}; {drift.same} answered word for word as then"),
            ]
        ),
    ]
    if rows := _rows(found):
        blocks.append(Table(("metric", "then", "now", "points", "95% interval"), rows, "lrrrr"))
    if other := [case for case in found.again.cases if not case.same]:
        blocks.append(_changed_cases(other, verbose=verbose))
    return Document(
        [
            *blocks,
            _without_answers(found.again.failed),
            Note(usage_lines(found.again.usage, model), "quiet"),
            _verdict(found),
        ]
    )


def drifts_document(found: Mapping[str, DriftedView | Row3Error], *, verbose: bool = False) -> Document:
    """Each suite under its name, then a line for each; a suite that could not be asked says why."""
    blocks: list[Block] = []
    verdicts: list[tuple[str, str]] = []
    for name, one in found.items():
        blocks.append(Title(name, 2))
        if isinstance(one, Row3Error):
            blocks.append(Note([str(one)]))
            verdicts.append((name, "not asked, see above"))
        else:
            blocks += drift_document(one, verbose=verbose).blocks
            verdicts.append((name, verdict_text(one)))
    return Document([*blocks, Title("All suites", 2), Facts(verdicts)])


def _changed_cases(cases: Sequence[CaseThen], *, verbose: bool) -> Table:
    """The cases with other answers, the largest moves first."""
    ordered = sorted(cases, key=lambda case: -abs((case.now or 0.0) - (case.then or 0.0)))
    shown = ordered if verbose else ordered[:SHOWN_CASES]
    rows = []
    for case in shown:
        delta = "–" if case.then is None or case.now is None else numbers.points(case.now - case.then)
        then, now = ("–" if value is None else numbers.percent(value) for value in (case.then, case.now))
        rows.append([case.case_id, then, now, delta])
    return Table(("other answers", "then", "now", "points"), rows, "lrrr", more=more(len(cases) - len(shown)))


def _without_answers(failed: Mapping[str, str]) -> Note:
    lines = [f"no answer  {case_id}: {why}" for case_id, why in list(failed.items())[:SHOWN]]
    return Note([*lines, *([f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else [])])


def _verdict(found: DriftedView) -> Note:
    """The verdict, and what to do next."""
    marks: dict[DriftState, tuple[str, Tone]] = {
        "moved": ("✗", "bad"),
        "steady": ("✓", "good"),
        "open": ("?", "warning"),
    }
    state = "open" if found.again.failed else found.again.drift.state
    mark, tone = marks[state]
    lines: list[Text] = [Span(f"{mark} {verdict_text(found)}", tone)]
    if found.again.failed:
        lines.append("  Next: run the same command again; it keeps the answers it has.")
    elif state == "moved":
        flag = found.suite.flag
        cure = f"row3 --baseline{flag} saves what the provider answers now."
        if found.recorded:
            cure = f"row3 --mode record{flag} records all answers again; save a new baseline with them."
        lines.append(f"  Next: check whether it matters; {cure}")
    return Note(lines)


def _rows(found: DriftedView) -> list[list[str]]:
    """A row for each headline metric, and for each companion that moved."""
    drift = found.again.drift
    changes = {change.key: change for change in drift.metrics}
    moved = others(drift)
    rows = []
    for metric in (*shown_metrics(found.suite, companion=False), *shown_metrics(found.suite, companion=True)):
        change = changes.get(metric.key)
        if change is None or change.delta is None or change.baseline is None or change.current is None:
            continue
        if metric.companion and metric.key not in moved:
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


def drifts_json(found: Mapping[str, DriftedView | Row3Error]) -> dict[str, Any]:
    """All findings as plain values; one that could not be had is `suite` and `error`."""
    suites = [
        {"suite": name, "error": str(one)} if isinstance(one, Row3Error) else drift_report_json(one)
        for name, one in found.items()
    ]
    return {"schemaVersion": SCHEMA_VERSION, "suites": suites}


def moved_text(drift: Drift, since: str = "its baseline") -> str:
    """`fell by 6.1 points since its baseline (95%: −8.0 to −4.2, 15 cases)`."""
    change = drift.change
    if change is None or change.delta is None:
        return "could not be compared"
    way = "fell" if change.delta < 0.0 else "rose"
    size, of = abs(100.0 * change.delta), f" of {drift.title}"
    return f"{way} by {size:.1f} points{of} since {since} ({known_text(change.interval, drift.cases)})"


def steady_text(drift: Drift, since: str = "its baseline") -> str:
    """`−0.3 points of Overall since its baseline (95%: −1.0 to +0.4, 15 cases)`."""
    change = drift.change
    if change is None or change.delta is None:
        return "they could not be compared"
    known = known_text(change.interval, drift.cases)
    return f"{signed(change.delta)} points of {drift.title} since {since} ({known})"


def known_text(interval: Interval | None, cases: int) -> str:
    """`95%: −1.0 to +0.4, 15 cases`."""
    over = count(cases, "case")
    if interval is None:
        return over
    low, high = cut(interval.low, interval.high)
    return f"95%: {signed(low)} to {signed(high)}, {over}"


def signed(delta: float) -> str:
    """A difference of fractions in points, with its sign."""
    text = f"{100.0 * delta:+.1f}".replace("-", "−")
    return "0.0" if text in ("+0.0", "−0.0") else text
