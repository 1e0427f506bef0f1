"""The JSON Schema of what `--format json` prints."""

from __future__ import annotations

from typing import Any, get_args

from row3.domain.tiers import TIERS
from row3.kinds import KINDS
from row3.reports.model import Standing
from row3.workflows.schemas.schema_files import DELTAS, FRACTIONS, TEXT_BY_NAME, TEXTS, ZONES, an_object
from row3.workflows.suites.results import WORST_LAST

TIER: dict[str, Any] = {"enum": list(TIERS), "description": "Recorded answers, or live ones."}


def results() -> dict[str, Any]:
    """All suites of a command."""
    standings = [word for word in get_args(Standing) if word != "none"]
    one = {"suite": {"type": "string"}, "problem": {"type": "string", "description": "Why the suite has no result."}}
    properties = {
        "schemaVersion": {"const": 1},
        "verdict": {"enum": ["proceed", "investigate", "block", None], "description": "The worst; null: none judged."},
        "exitCode": {"enum": sorted(WORST_LAST), "description": "2 comes before 1, 1 before 3, 3 before 0."},
        "standings": {"type": "object", "additionalProperties": {"enum": standings}, "description": "By suite."},
        "suites": {
            "type": "array",
            "items": an_object(
                "A result, or why there is none.", one, ["schemaVersion", "suite", "verdict"], closed=False
            ),
        },
    }
    return an_object("What `--all --format json` prints.", properties, list(properties))


def result() -> dict[str, Any]:
    """A run or a comparison."""
    metrics = FRACTIONS | {
        "description": "Means over the cases, fractions, by the keys of the kind. "
        + " ".join(f"{name}: {', '.join(metric.key for metric in kind.metrics)}." for name, kind in KINDS.items())
    }
    verdicts = ["proceed", "investigate", "block"]
    reason = {
        "verdict": {"enum": verdicts},
        "text": {"type": "string"},
        "metric": {"type": "string"},
        "case": {"type": "string"},
    }
    case = {
        "id": {"type": "string"},
        "status": {"enum": ["scored", "bad_answer", "failed"]},
        "metrics": FRACTIONS,
        "zones": ZONES,
        "deltas": DELTAS,
        "matches": {"type": ["object", "null"], "description": "How each extracted and each expected item fared."},
        "problem": {"type": "string", "description": "Why there is no answer, or why it could not be used."},
        "skipped": TEXT_BY_NAME | {"description": "Why a metric does not apply."},
    }
    properties = {
        "schemaVersion": {"const": 1},
        "suite": {"type": "string"},
        "mode": {"type": "string"},
        "prompts": TEXT_BY_NAME | {"description": "Version by prompt name, in pipeline order."},
        "model": {"type": "string"},
        "metrics": metrics,
        "intervals": {"type": "object", "description": "Paired confidence interval of each delta."},
        "zones": ZONES,
        "deltas": DELTAS | {"description": "Current minus baseline, fractions; empty without a comparison."},
        "verdict": {"enum": [*verdicts, None]},
        "reasons": {
            "type": "array",
            "items": an_object("A ground of the verdict.", reason, ["verdict", "text"], closed=False),
        },
        "usage": {"type": "object", "description": "Requests, tokens, cost in US dollars (null: unknown), seconds."},
        "cases": {
            "type": "array",
            "items": an_object(
                "One case.", case, ["id", "status", "metrics", "zones", "deltas", "matches"], closed=False
            ),
        },
    }
    matches = "How many items matched how, and what was said for what"
    beside = {
        "tier": TIER,
        "warningOnly": TEXTS | {"description": "Metrics whose fail zone warns and does not block."},
        "baseline": {
            "type": "object",
            "properties": {"tier": TIER, "mode": {"type": "string"}},
            "description": "What was compared with.",
        },
        "entityMetrics": FRACTIONS
        | {"description": "The same means as entity_precision and so on; of suites that carry types."},
        "matchCounts": {"type": "object", "description": f"{matches}, over the run."},
        "matchMoves": {
            "type": "object",
            "properties": {"baseline": {"type": "object"}, "current": {"type": "object"}},
            "description": f"{matches}, over the cases that both runs have.",
        },
    }
    what = "What `--format json` prints of a run or a comparison."
    return an_object(what, properties | beside, list(properties), closed=False)
