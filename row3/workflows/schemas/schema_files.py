"""JSON Schemas of the files of a project, and the parts that schemas share."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from row3.domain.runs import HistoryEntry
from row3.store.config import Config
from row3.store.manifests import SCHEMA_VERSION as BASELINE_VERSION
from row3.store.manifests import ManifestFile
from row3.store.prompts import PROMOTED_SCHEMA_VERSION, Promotion
from row3.store.quarantine import SCHEMA_VERSION as QUARANTINE_VERSION
from row3.store.quarantine import QuarantineFile
from row3.store.recording_lines import SCHEMA_VERSION as RECORDING_VERSION
from row3.store.reviewed import SCHEMA_VERSION as REVIEWED_VERSION
from row3.store.reviewed import Judgement

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
DAY: dict[str, Any] = {"format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
COUNT: dict[str, Any] = {"type": ["integer", "null"], "minimum": 0}


def of_struct(model: type[Struct]) -> dict[str, Any]:
    """Return the schema of a Struct; its docstring describes it."""
    value = msgspec.json.schema(model, ref_template="#/$defs/{name}")
    parts = value["$defs"]
    own: dict[str, Any] = parts.pop(model.__name__)
    return own | ({"$defs": parts} if parts else {})


def an_object(
    description: str, properties: dict[str, Any], required: list[str], *, closed: bool = True
) -> dict[str, Any]:
    """An object of these properties; a closed one has no others."""
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": not closed,
    }


def recording() -> dict[str, Any]:
    """One line of a recordings file."""
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
        "request": an_object("What moved the answer, beside the rendered text.", request, list(request)),
        "response": an_object("The answer.", response, ["text"]),
        "answerDigest": DIGEST | {"description": "Of the answer's text."},
        "recordedAt": {"type": "string", "description": "UTC, ISO 8601."},
    }
    needed = ["digest", "schemaVersion", "caseId", "prompt", "repeat", "request", "response"]
    return an_object("One line of recordings/<suite>/*.jsonl.", properties, needed)


def baseline() -> dict[str, Any]:
    """A baseline."""
    value = of_struct(ManifestFile) | {"description": "The manifest of a baseline: baselines/<suite>.json."}
    value["properties"]["schemaVersion"] = {"const": BASELINE_VERSION}
    case = value["$defs"]["ManifestCase"]["properties"]
    case["digest"] = DIGEST | {"description": "Of the golden case's file."}
    case["input"] = DIGEST | {"description": "Of what the prompts are given."}
    for key, what in (
        ("requests", "Of the requests, stage by stage, repeat by repeat."),
        ("answers", "Of each answer."),
    ):
        case[key] = {"type": "array", "items": DIGEST, "description": what}
    return value


def config() -> dict[str, Any]:
    """`row3.toml`, where a model's provider need not say its type."""
    value = of_struct(Config)
    value["$defs"]["ProviderConfig"]["required"].remove("type")
    return value


def history() -> dict[str, Any]:
    """The history."""
    entry = of_struct(HistoryEntry)
    definitions = entry.pop("$defs", {})
    return {
        "description": "Every baseline, comparison and promotion, oldest first: metrics-history.json.",
        "type": "array",
        "items": {"$ref": "#/$defs/HistoryEntry"},
        "$defs": {**definitions, "HistoryEntry": entry},
    }


def reviewed() -> dict[str, Any]:
    """One line of a file of judgements."""
    value = of_struct(Judgement)
    value["properties"]["schemaVersion"] = {"const": REVIEWED_VERSION}
    value["properties"]["date"] |= DAY
    return value


def quarantine() -> dict[str, Any]:
    """A suite's quarantine."""
    value = of_struct(QuarantineFile)
    value["properties"]["schemaVersion"] = {"const": QUARANTINE_VERSION}
    entry = value["$defs"]["QuarantineEntry"]["properties"]
    entry["since"] |= DAY
    entry["until"] |= DAY
    return value


def promoted() -> dict[str, Any]:
    """`prompts/promoted.json`."""
    properties = {
        "$schema": {"type": "string"},
        "schemaVersion": {"const": PROMOTED_SCHEMA_VERSION},
        "prompts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Promotion"}},
    }
    value = an_object("Which version of each prompt is current: prompts/promoted.json.", properties, ["prompts"])
    return value | {"$defs": {"Promotion": of_struct(Promotion)}}
