"""JSON Schemas of all files, so that an editor completes and checks as one types (`row3 schema`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from row3.domain.tiers import TIERS
from row3.gate.results import WORST_LAST, Standing
from row3.kinds import all_kinds
from row3.store.files import write_atomic
from row3.workflows.schemas.schema_files import (
    DELTAS,
    FRACTIONS,
    TEXT_BY_NAME,
    TEXTS,
    ZONES,
    an_object,
    baseline,
    config,
    history,
    of_struct,
    promoted,
    quarantine,
    recording,
    reviewed,
)

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
        + " ".join(f"{name}: {', '.join(metric.key for metric in kind.metrics)}." for name, kind in all_kinds().items())
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


FOLDER = "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of each kind of file, by the file's name without `.schema.json`. Raises nothing."""
    named = {
        **{kind.case_schema: of_struct(kind.case_model) for kind in all_kinds().values()},
        "recording": recording(),
        "baseline": baseline(),
        "history": history(),
        "row3": config(),
        "promoted": promoted(),
        "reviewed": reviewed(),
        "quarantine": quarantine(),
        "result": result(),
        "results": results(),
    }
    return {
        name: {"$schema": DRAFT, "title": f"row3: {name}", **_without_titles(value)} for name, value in named.items()
    }


def schema_files() -> dict[str, str]:
    """The text of every schema, by its path in the project."""
    return {
        f"{FOLDER}/{name}.schema.json": json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        for name, value in schemas().items()
    }


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema as `<name>.schema.json` into the folder (a project's `schemas/`); returns all their paths.

    A file that is as it should be is not touched. Raises `EnvironmentFault`.
    """
    paths = []
    for name, text in schema_files().items():
        path = folder / Path(name).name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_atomic(path, text, where=name)
        paths.append(path)
    return paths


def _without_titles(value: Any) -> Any:
    """Without the titles that pydantic makes from the keys: an editor would show each key twice."""
    if isinstance(value, list):
        return [_without_titles(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {name: _without_titles(part) for name, part in inner.items()}
        if key in ("properties", "$defs")
        else _without_titles(inner)
        for key, inner in value.items()
        if key != "title"
    }
