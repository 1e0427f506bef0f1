"""`row3 schema`: JSON Schemas of all files and results, for editors.

They are derived from the Structs that read the files. Results are only written, so their Structs are here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from row3.domain import lessons
from row3.domain.manifests import Tier
from row3.domain.runs import HistoryEntry
from row3.domain.scores import CaseStatus
from row3.domain.verdicts import Word
from row3.gate.results import Standing
from row3.kinds import all_kinds
from row3.project import calibrations, labels, manifests, quarantine, recording_lines, reviewed
from row3.project.config import CONFIG_SCHEMA_VERSION, Config
from row3.project.files import write_atomic
from row3.project.project import own_file
from row3.project.prompts import PROMOTED_SCHEMA_VERSION, PromotedFile
from row3.reports.result_json import SCHEMA_VERSION as RESULT_VERSION

FOLDER = "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"

Fractions = dict[str, Annotated[float, Meta(ge=0, le=1)]]
Zones = dict[str, Literal["fail", "marginal", "pass", "excellent"]]
Deltas = dict[str, Annotated[float, Meta(ge=-1, le=1)]]


class ReasonResult(Struct):
    """A reason for the verdict."""

    verdict: Word
    text: str
    metric: str | None = None
    case: str | None = None


class CaseResult(Struct):
    """One case."""

    id: str
    status: CaseStatus
    metrics: Fractions
    zones: Zones
    deltas: Deltas
    matches: Annotated[dict[str, Any] | None, Meta(description="How each extracted and expected item was matched.")]
    problem: Annotated[str, Meta(description="Why the answer is missing or unusable.")] = ""
    skipped: Annotated[dict[str, str], Meta(description="Why a metric does not apply.")] = {}


class BaselineResult(Struct):
    """The baseline of a comparison."""

    tier: Tier
    mode: str


class Moves(Struct):
    """Match counts over the cases in both runs."""

    baseline: dict[str, Any]
    current: dict[str, Any]


class Result(Struct, kw_only=True, rename="camel"):
    """The output of `--format json` for a run or a comparison."""

    schema_version: int
    suite: str
    mode: str
    prompts: Annotated[dict[str, str], Meta(description="Version by prompt name, in pipeline order.")]
    model: str
    metrics: Annotated[Fractions, Meta(description="Means over the cases, fractions, by metric.")]
    intervals: Annotated[
        dict[str, Any], Meta(description="Paired interval of each delta; without a comparison, of the judged rates.")
    ]
    zones: Zones
    deltas: Annotated[Deltas, Meta(description="Current minus baseline, fractions; empty without a comparison.")]
    verdict: Word | None
    reasons: list[ReasonResult]
    usage: Annotated[dict[str, Any], Meta(description="Requests, tokens, cost in US dollars (null: unknown), seconds.")]
    cases: list[CaseResult]
    tier: Annotated[Tier | None, Meta(description="Recorded or live answers.")] = None
    warning_only: Annotated[list[str], Meta(description="Metrics whose fail zone warns but does not block.")] = []
    baseline: BaselineResult | None = None
    entity_metrics: Annotated[Fractions, Meta(description="Means of typed suites as entity_precision …")] = {}
    match_counts: Annotated[dict[str, Any], Meta(description="Counts of match states over the run.")] = {}
    match_moves: Moves | None = None


class SuiteResult(Struct, rename="camel"):
    """The result of a suite, or why it is missing."""

    schema_version: int
    suite: str
    verdict: Word | None
    problem: Annotated[str, Meta(description="Why the suite has no result.")] = ""


class Results(Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The output of `--all --format json`."""

    schema_version: int
    verdict: Annotated[Word | None, Meta(description="Worst verdict of the suites; null: none judged.")]
    exit_code: Annotated[Literal[0, 1, 2, 3], Meta(description="Worst of the suites, in the order 2, 1, 3, 0.")]
    standings: Annotated[dict[str, Standing], Meta(description="Standing by suite.")]
    suites: list[SuiteResult]


def schemas() -> dict[str, dict[str, Any]]:
    """Return each schema by its file's name without `.schema.json`."""
    config = _schema(Config, CONFIG_SCHEMA_VERSION)
    config["$defs"]["ProviderConfig"]["required"].remove("type")  # optional for a model's provider
    named = {
        **{kind.case_schema: _schema(kind.case_model) for kind in all_kinds().values()},
        "recording": _schema(recording_lines.Recording, recording_lines.SCHEMA_VERSION),
        "baseline": _schema(manifests.ManifestFile, manifests.SCHEMA_VERSION),
        "history": _schema(list[HistoryEntry])
        | {"description": "Every baseline, comparison and promotion, oldest first: metrics-history.json."},
        "row3": config,
        "promoted": _schema(PromotedFile, PROMOTED_SCHEMA_VERSION),
        "lesson": _schema(lessons.Lesson, lessons.SCHEMA_VERSION),
        "reviewed": _schema(reviewed.Judgement, reviewed.SCHEMA_VERSION),
        "quarantine": _schema(quarantine.QuarantineFile, quarantine.SCHEMA_VERSION),
        "calibration": _schema(calibrations.Calibrations, calibrations.SCHEMA_VERSION),
        "label": _schema(labels.Label, labels.SCHEMA_VERSION),
        "result": _schema(Result, RESULT_VERSION),
        "results": _schema(Results, RESULT_VERSION),
    }
    return {name: {"$schema": DRAFT, "title": f"row3: {name}"} | value for name, value in named.items()}


def _schema(model: Any, version: int | None = None) -> dict[str, Any]:
    """Return the schema of a type; a Struct's docstring describes it."""
    value = msgspec.json.schema(model, ref_template="#/$defs/{name}")
    parts: dict[str, Any] = value.pop("$defs")
    if "$ref" in value:
        value = parts.pop(model.__name__)
    for key in ("schemaVersion", "schema_version") if version is not None else ():
        if key in value["properties"]:
            value["properties"][key] = {"const": version}
    value.pop("title", None)
    return value | ({"$defs": parts} if parts else {})


def schema_files() -> dict[str, str]:
    """Return the text of every schema by its path in the project."""
    return {
        f"{FOLDER}/{name}.schema.json": json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        for name, value in schemas().items()
    }


def write_schemas(folder: Path) -> list[Path]:
    """Write outdated schemas into a folder; return the paths of all. Raises `EnvironmentFault`."""
    paths = []
    for name, text in schema_files().items():
        path = own_file(folder / Path(name).name)
        if not path.is_file() or path.read_bytes() != text.encode():
            write_atomic(path, text, where=name)
        paths.append(path)
    return paths
