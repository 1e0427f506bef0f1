"""`row3 optimize`: the draft, how it was chosen, and its score on held-out cases."""

from __future__ import annotations

from typing import Any

from row3.domain import numbers
from row3.domain.models import as_json
from row3.domain.optimised import Evidence, Optimised
from row3.reports.document import Document, Facts, Note, Title, code
from row3.reports.json_fields import json_fields


def optimised_document(result: Optimised) -> Document:
    """Return the result for people."""
    head = Note([f"{result.suite} · {result.source}"])
    asked = ("answers requested", f"{result.asked:,} of {result.budget:,}")
    if result.draft is None or result.held_out is None:
        chosen = f"{numbers.percent(result.selection.before)}, n = {result.selection.cases}"
        what = f"no draft beats {result.source} on the selection cases ({chosen}); nothing was written"
        return Document([head, Note([what]), Facts([asked])])
    title = result.metric.title
    facts = [(f"{title}, held out", _moved(result.held_out)), (f"{title}, selection", _moved(result.selection)), asked]
    said = Note(["Only the held-out cases are evidence: the others shaped the draft. It is not promoted."])
    after = Note([["Next: ", code(f"row3 --compare --mode auto --suite {result.suite}")]])
    return Document([head, Title(f"wrote prompts/{result.draft}.md"), Facts(facts), said, after])


def _moved(evidence: Evidence) -> str:
    text = f"{numbers.moved(evidence.before, evidence.after)}, n = {evidence.cases}"
    if evidence.interval is not None:
        text += f", 95%: {numbers.interval(evidence.interval.low, evidence.interval.high)}"
    return text


def optimised_json(result: Optimised) -> dict[str, Any]:
    """Return the result as plain values; all numbers but counts are fractions."""
    return {
        "schemaVersion": 1,
        **json_fields(result, "suite", "budget", "asked"),
        "metric": result.metric.key,
        "prompt": str(result.source),
        "draft": None if result.draft is None else str(result.draft),
        "trainingCases": result.train,
        "selection": _evidence_json(result.selection),
        "heldOut": None if result.held_out is None else _evidence_json(result.held_out),
    }


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    found = evidence.interval
    interval = None if found is None else {"low": found.low, "high": found.high}
    return {**as_json(evidence), "interval": interval}
