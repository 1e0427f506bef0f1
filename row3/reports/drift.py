"""`row3 drift`: whether the provider still answers the baseline's prompts as it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from row3.domain import numbers
from row3.domain.words import part
from row3.errors import Row3Error
from row3.gate.drift import CaseDrift, DriftState, other_moves
from row3.gate.results import Drifted
from row3.reports.comparison import change_cells
from row3.reports.document import Block, Document, Facts, Note, Span, Table, Text, Title, Tone, more
from row3.reports.json_values import drift_json, json_fields
from row3.reports.sentences import detection_text, drift_move_text, shown_model, usage_lines

SCHEMA_VERSION = 1
SHOWN_CASES = 8
SHOWN = 5
MARKS: dict[DriftState, tuple[str, Tone]] = {"moved": ("✗", "bad"), "steady": ("✓", "good"), "open": ("?", "warning")}


def _word(found: Drifted) -> str:
    if found.again.failed:
        return "incomplete"
    if found.again.drift.state == "moved":
        return f"the {'live system' if found.recorded else 'provider'} moved"
    return "no drift found"


def verdict_text(found: Drifted) -> str:
    """Return the finding in one line."""
    drift, word = found.again.drift, _word(found)
    if found.again.failed:
        return f"{word}: {part(len(found.again.failed), len(found.sample), 'case', 'has', 'have')} no answer"
    if drift.change is None or drift.change.interval is None:
        return "unknown: fewer than two cases could be compared"
    since = "the recordings" if found.recorded else "the baseline"
    move = f"{drift.about.title} {drift_move_text(drift)} since {since}, {numbers.count(drift.cases, 'case')}"
    return f"{word}{detection_text(drift)}: {move}"


def drift_document(found: Drifted, *, verbose: bool = False) -> Document:
    """Return what was asked, the metrics, the cases whose answers changed, and the verdict."""
    then, drift = found.then, found.again.drift
    model = shown_model(found.suite, then.model)
    versions = " → ".join(f"{name} {version}" for name, version in then.prompts.items())
    saved = "" if found.recorded else f", {numbers.moment(then.at)} UTC"
    asked = f"{len(found.sample)} of {numbers.count(found.of, 'case')}"
    chosen = "" if len(found.sample) == found.of else f", chosen with seed {found.seed}"
    blocks: list[Block] = [
        Note([" · ".join(part for part in (found.suite.name, versions, model, "live") if part)]),
        Facts(
            [
                ("Then", f"{found.source}{saved}"),
                ("Now", f"{asked}{chosen}; {drift.same} answered word for word as before"),
            ]
        ),
    ]
    if rows := _rows(found):
        blocks.append(Table(("metric", "then", "now", "points", "95% interval"), rows, "lrrrr"))
    if other := [case for case in found.again.cases if not case.same]:
        blocks.append(_changed_cases(other, verbose=verbose))
    failed = [f"no answer  {case_id}: {why}" for case_id, why in found.again.failed.items()]
    left = more(len(failed) - SHOWN, how="")
    blocks += [Note([*failed[:SHOWN], *([left] if left else [])]), Note(usage_lines(found.again.usage, model), "quiet")]
    return Document([*blocks, _verdict(found)])


def drifts_document(found: Mapping[str, Drifted | Row3Error], *, verbose: bool = False) -> Document:
    """Return each suite under its name, then one line per suite; a suite that could not be asked says why."""
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


def _changed_cases(cases: Sequence[CaseDrift], *, verbose: bool) -> Table:
    ordered = sorted(cases, key=lambda case: -abs((case.now or 0.0) - (case.then or 0.0)))
    shown = ordered if verbose else ordered[:SHOWN_CASES]
    rows = []
    for case_id, then, now, _ in shown:
        delta = "–" if then is None or now is None else numbers.points(now - then)
        rows.append([case_id, *("–" if value is None else numbers.percent(value) for value in (then, now)), delta])
    return Table(("other answers", "then", "now", "points"), rows, "lrrr", more=more(len(cases) - len(shown)))


def _verdict(found: Drifted) -> Note:
    state, flag = found.again.drift.state, found.suite.flag
    mark, tone = MARKS["open" if found.again.failed else state]
    lines: list[Text] = [Span(f"{mark} {verdict_text(found)}", tone)]
    if found.again.failed:
        lines.append("  Next: run it again with --continue, which asks only for what is missing.")
    elif state == "moved":
        cure = f"row3 --baseline{flag} saves what the provider answers now."
        if found.recorded:
            cure = f"row3 --mode record{flag} records all answers again; save a new baseline with them."
        lines.append(f"  Next: check whether it matters; {cure}")
    return Note(lines)


def _rows(found: Drifted) -> list[list[Text]]:
    changes = {change.key: change for change in found.again.drift.metrics if change.delta is not None}
    moved = other_moves(found.again.drift)
    return [
        change_cells(metric, changes[metric.key], primary=False)[:-1]
        for metric in sorted(found.suite.kind.metrics, key=lambda metric: metric.companion)
        if metric.key in changes and (metric.key in moved or not metric.companion)
    ]


def drift_report_json(found: Drifted) -> dict[str, Any]:
    """Return the finding as plain values."""
    drift = found.again.drift
    then = {} if found.recorded else json_fields(found.then, "run_id", "at")
    return {
        "schemaVersion": SCHEMA_VERSION,
        "suite": found.suite.name,
        "mode": "live",
        "verdict": _word(found),
        "text": verdict_text(found),
        **json_fields(found.then, "prompts", "model"),
        "then": {"source": found.source, **then},
        **json_fields(found, "sample", "of", "seed"),
        "complete": not found.again.failed,
        "failed": dict(found.again.failed),
        **drift_json(drift),
        "cases": [
            {"id": case_id, "then": then, "now": now, "same": same} for case_id, then, now, same in found.again.cases
        ],
        "usage": json_fields(
            found.again.usage, "requests", "replayed", "prompt_tokens", "completion_tokens", "cost_usd"
        ),
    }


def drifts_json(found: Mapping[str, Drifted | Row3Error]) -> dict[str, Any]:
    """Return all findings as plain values; a failed suite has only `suite` and `error`."""
    suites = [
        {"suite": name, "error": str(one)} if isinstance(one, Row3Error) else drift_report_json(one)
        for name, one in found.items()
    ]
    return {"schemaVersion": SCHEMA_VERSION, "suites": suites}
