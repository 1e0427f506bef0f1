"""JSON Schemas of all files, so that an editor completes and checks as one types (`row3 schema`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from row3.kinds import KINDS
from row3.kinds.extraction_models import GoldenCase
from row3.store.config import Config
from row3.store.files import write_atomic
from row3.store.history import HistoryEntry
from row3.store.prompts import PROMOTED_SCHEMA_VERSION, Promotion
from row3.store.recording_lines import SCHEMA_VERSION as RECORDING_VERSION
from row3.store.saved_runs import RunHeader

FOLDER = "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
FRACTION: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
FRACTIONS: dict[str, Any] = {"type": "object", "additionalProperties": FRACTION}
DELTAS: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "number", "minimum": -1, "maximum": 1}}
TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
TEXT_BY_NAME: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
ZONES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"enum": ["fail", "marginal", "pass", "excellent"]},
}
DIGEST: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
COUNT: dict[str, Any] = {"type": ["integer", "null"], "minimum": 0}


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of each kind of file, by the file's name without `.schema.json`. Raises nothing."""
    named = {
        "golden-case": _of(
            GoldenCase, "A golden case of kind `extraction`: input, expectations with aliases, canaries."
        ),
        "recording": _recording(),
        "baseline": _baseline(),
        "history": _history(),
        "row3": _of(Config, "Settings of a row3 project: row3.toml."),
        "promoted": _promoted(),
        "result": _result(),
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


def _of(model: type[BaseModel], description: str) -> dict[str, Any]:
    value = model.model_json_schema(by_alias=True)
    return {
        "description": description,
        **{key: part for key, part in value.items() if key not in ("title", "description")},
    }


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


def _object(
    description: str, properties: dict[str, Any], required: list[str], *, closed: bool = True
) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": not closed,
    }


def _recording() -> dict[str, Any]:
    request = {
        "model": {"type": "string"},
        "temperature": {"type": ["number", "null"]},
        "seed": {"type": ["integer", "null"]},
        "maxTokens": COUNT,
        "promptDigest": DIGEST | {"description": "Of the prompt's file."},
        "inputDigest": DIGEST | {"description": "Of what the template was given."},
        "schemaDigest": DIGEST | {"description": "Of the JSON schema that was asked for."},
    }
    response = {
        "text": {"type": "string", "description": "What the provider said, unedited."},
        "finishReason": {"type": ["string", "null"], "description": "`length`: cut off by the token limit."},
        "servedModel": {"type": ["string", "null"]},
        "promptTokens": COUNT,
        "completionTokens": COUNT,
        "latencyS": {"type": ["number", "null"], "minimum": 0, "description": "Seconds."},
    }
    properties = {
        "digest": DIGEST | {"description": "Of the exact request: what the recording is found by."},
        "schemaVersion": {"const": RECORDING_VERSION},
        "caseId": {"type": "string"},
        "prompt": {"type": "string", "description": "Such as decompose-concepts-v1.1."},
        "repeat": {"type": "integer", "minimum": 0, "description": "0 for the first asking."},
        "request": _object("What moved the answer, beside the rendered text.", request, list(request)),
        "response": _object("The answer.", response, ["text"]),
        "answerDigest": DIGEST | {"description": "Of the answer's text."},
        "recordedAt": {"type": "string", "description": "UTC, ISO 8601."},
    }
    needed = ["digest", "schemaVersion", "caseId", "prompt", "repeat", "request", "response"]
    return _object("One line of recordings/<suite>/*.jsonl.", properties, needed)


def _baseline() -> dict[str, Any]:
    case = {
        "id": {"type": "string"},
        "digest": DIGEST | {"description": "Of the golden case's file."},
        "content": {"type": "string", "description": "Digest of the parts that can move a score."},
        "demands": {"type": "string", "description": "Short digests of all that the case demands."},
        "input": {"type": "string", "description": "Digest of the case's input."},
        "answers": {"type": "string", "description": "Digest of the answers that were scored."},
        "status": {"enum": ["scored", "bad_answer", "failed"]},
        "metrics": FRACTIONS,
        "found": {
            "type": "object",
            "additionalProperties": TEXTS,
            "description": "What was missed and what was wrong.",
        },
    }
    value = _of(RunHeader, "The run that later runs are compared to: baselines/<suite>.json.")
    value["properties"]["cases"] = {
        "type": "array",
        "items": _object("One case.", case, ["id", "digest", "status", "metrics", "found"]),
    }
    value["required"] = [*value["required"], "cases"]
    return value


def _history() -> dict[str, Any]:
    entry = HistoryEntry.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
    definitions = entry.pop("$defs", {})
    return {
        "description": "Every baseline, comparison and promotion, oldest first: metrics-history.json.",
        "type": "array",
        "items": {"$ref": "#/$defs/HistoryEntry"},
        "$defs": {**definitions, "HistoryEntry": entry},
    }


def _promoted() -> dict[str, Any]:
    properties = {
        "$schema": {"type": "string"},
        "schemaVersion": {"const": PROMOTED_SCHEMA_VERSION},
        "prompts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Promotion"}},
    }
    value = _object("Which version of each prompt is current: prompts/promoted.json.", properties, ["prompts"])
    return value | {"$defs": {"Promotion": Promotion.model_json_schema(by_alias=True)}}


def _result() -> dict[str, Any]:
    metrics = FRACTIONS | {
        "description": "Means over the cases, fractions; for kind `extraction` the keys are "
        + ", ".join(metric.key for metric in KINDS["extraction"].metrics)
        + "."
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
            "items": _object("A ground of the verdict.", reason, ["verdict", "text"], closed=False),
        },
        "usage": {"type": "object", "description": "Requests, tokens, cost in US dollars (null: unknown), seconds."},
        "cases": {
            "type": "array",
            "items": _object(
                "One case.", case, ["id", "status", "metrics", "zones", "deltas", "matches"], closed=False
            ),
        },
    }
    return _object("What `--format json` prints of a run or a comparison.", properties, list(properties), closed=False)
