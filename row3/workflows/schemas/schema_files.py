"""JSON Schemas of the files that row3 writes into a project."""

from __future__ import annotations

from typing import Any

from row3.store.history import HistoryEntry
from row3.store.prompts import PROMOTED_SCHEMA_VERSION, Promotion
from row3.store.quarantine import SCHEMA_VERSION as QUARANTINE_VERSION
from row3.store.quarantine import QuarantineFile
from row3.store.recording_lines import SCHEMA_VERSION as RECORDING_VERSION
from row3.store.reviewed import SCHEMA_VERSION as REVIEWED_VERSION
from row3.store.reviewed import Judgement
from row3.store.run_records import RunHeader
from row3.workflows.schemas.schema_parts import COUNT, COUNTS, DAY, DIGEST, FRACTIONS, TEXTS, an_object, of_model


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
        "spread": FRACTIONS | {"description": "Standard deviation over the repeats, by metric."},
        "tally": {
            "type": "object",
            "additionalProperties": COUNTS,
            "description": "How many items matched how; a label that names a pair has a tab in it.",
        },
        "requests": {"type": "array", "items": DIGEST, "description": "Digests of the requests, in their order."},
        "answerDigests": {"type": "array", "items": DIGEST, "description": "SHA-256 of each answer's text."},
    }
    value = of_model(RunHeader, "The run that later runs are compared to: baselines/<suite>.json.")
    value["properties"]["cases"] = {
        "type": "array",
        "items": an_object("One case.", case, ["id", "digest", "status", "metrics", "found"]),
    }
    value["required"] = [*value["required"], "cases"]
    return value


def history() -> dict[str, Any]:
    """The history."""
    entry = HistoryEntry.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
    definitions = entry.pop("$defs", {})
    return {
        "description": "Every baseline, comparison and promotion, oldest first: metrics-history.json.",
        "type": "array",
        "items": {"$ref": "#/$defs/HistoryEntry"},
        "$defs": {**definitions, "HistoryEntry": entry},
    }


def reviewed() -> dict[str, Any]:
    """One line of a file of judgements."""
    value = of_model(Judgement, "An item that a person judged to be wrong: one line of golden/<suite>/reviewed.jsonl.")
    value["properties"]["schemaVersion"] = {"const": REVIEWED_VERSION}
    value["properties"]["date"] |= DAY
    return value


def quarantine() -> dict[str, Any]:
    """A suite's quarantine."""
    value = of_model(QuarantineFile, "Cases that count for nothing for a while: golden/<suite>/quarantine.json.")
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
    return value | {"$defs": {"Promotion": Promotion.model_json_schema(by_alias=True)}}
