"""`row3 schema`: JSON Schemas of all files and results, for editors.

They are derived from the models that read the files and write the results.
"""

from __future__ import annotations

import ast
import inspect
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from row3.domain.models import Model
from row3.domain.runs import HistoryEntry
from row3.gate import lessons
from row3.gate.result_model import RESULT_VERSION, Result, Results
from row3.kinds import all_kinds
from row3.project import calibrations, labels, manifests, quarantine, recording_lines, reviewed
from row3.project.config import CONFIG_SCHEMA_VERSION, Config
from row3.project.files import write_atomic
from row3.project.prompts import PROMOTED_SCHEMA_VERSION, PromotedFile
from row3.project.root import own_file

FOLDER = "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Return each schema by its file's name without `.schema.json`."""
    named = {
        **{kind.case_model.schema_name(): _schema(kind.case_model) for kind in all_kinds().values()},
        "recording": _schema(recording_lines.Recording, recording_lines.SCHEMA_VERSION),
        "baseline": _schema(manifests.ManifestFile, manifests.SCHEMA_VERSION),
        "history": _schema(list[HistoryEntry])
        | {"description": "Every baseline, comparison and promotion, oldest first: metrics-history.json."},
        "row3": _schema(Config, CONFIG_SCHEMA_VERSION),
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


class _Readable(GenerateJsonSchema):
    """Schemas in the models' order, without titles, which only repeat names, and without defaults of defaults."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        return value

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        value = super().dict_schema(schema)
        if patterns := value.pop("patternProperties", None):  # would let other keys pass
            ((pattern, inner),) = patterns.items()
            value |= {"propertyNames": {"pattern": pattern}, "additionalProperties": inner}
        return value

    def encode_default(self, dft: Any) -> Any:
        return dft.plain() if isinstance(dft, Model) else super().encode_default(dft)


def _described(value: dict[str, Any], model: type[Any]) -> dict[str, Any]:
    """Return a model's schema with each field described by the docstring below it in the source."""
    fields = getattr(model, "model_fields", {})
    for name, text in (each for one in reversed(model.__mro__) for each in _docstrings(one)):
        key = fields[name].validation_alias or name if name in fields else name
        if key in value.get("properties", {}):
            value["properties"][key] = {"description": text} | value["properties"][key]
    return value


@cache
def _docstrings(model: type[Any]) -> list[tuple[str, str]]:
    """Return the names of a class's own fields with their docstrings."""
    if not model.__module__.startswith("row3."):
        return []
    (body,) = ast.parse(dedent(inspect.getsource(model))).body
    return [
        (ast.unparse(field.target), inspect.cleandoc(str(text.value.value)))
        for field, text in pairwise(getattr(body, "body", ()))
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    ]


def _schema(model: Any, version: int | None = None) -> dict[str, Any]:
    """Return the schema of a type; a model's docstring describes it."""
    value = TypeAdapter(model).json_schema(ref_template="#/$defs/{model}", schema_generator=_Readable)
    parts: dict[str, Any] = value.pop("$defs", {})
    if "$ref" in value:
        value = parts.pop(model.__name__)
    for key in ("schemaVersion", "schema_version") if version is not None else ():
        if key in value["properties"]:
            value["properties"][key] = {"const": version}
    for part in (value, *parts.values()):
        part.pop("title", None)
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
