"""`row3 diff --format json`: plain values."""

from __future__ import annotations

from typing import Any

from row3.reports.diffs.diff_words import DiffView, RunFacts
from row3.reports.result_json import interval_json


def diff_json(view: DiffView) -> dict[str, Any]:
    """The comparison as plain values: `row3 diff --format json`."""
    return {
        "schemaVersion": 1,
        "suite": view.suite,
        "before": _side(view, 0, view.before),
        "after": _side(view, 1, view.after),
        "differs": list(view.differs),
        "primary": view.primary,
        "compared": view.compared,
        "unanswered": [{"name": name, "cases": cases, "problem": problem} for name, cases, problem in view.unanswered],
        "metrics": {
            one.key: {"before": one.baseline, "after": one.current, "delta": one.delta, "cases": one.cases}
            for one in view.metrics
        },
        "intervals": {one.key: interval_json(one.interval) for one in view.metrics if one.interval is not None},
        "moves": dict(view.moves),
        "gained": dict(view.gained),
        "lost": dict(view.lost),
        "promptDiffs": dict(view.prompt_diffs),
        "cases": [
            {
                "id": change.case_id,
                "change": change.move,
                "delta": change.delta,
                "deltas": dict(change.deltas),
                "gained": {name: list(items) for name, items in change.gained.items()},
                "lost": {name: list(items) for name, items in change.lost.items()},
                "note": change.note,
            }
            for change in view.cases
        ],
    }


def _side(view: DiffView, which: int, facts: RunFacts) -> dict[str, Any]:
    return {
        "name": view.names[which],
        "place": view.places[which],
        "runId": facts.run_id,
        "at": facts.at,
        "commit": view.commits[which] or facts.commit,
        "mode": facts.mode,
        "prompts": dict(facts.prompts),
        "promptDigests": dict(facts.prompt_digests),
        "model": facts.model,
        "parameters": {name: dict(values) for name, values in facts.parameters.items()},
        "repeats": facts.repeats,
        "scorer": facts.scorer,
        "cases": view.sizes[which],
    }
