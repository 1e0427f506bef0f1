"""JSON Schemas of all files, so that an editor completes and checks as one types (`row3 schema`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from row3.kinds import KINDS
from row3.store.files import write_atomic
from row3.workflows.schemas.schema_files import (
    baseline,
    config,
    history,
    of_struct,
    promoted,
    quarantine,
    recording,
    reviewed,
)
from row3.workflows.schemas.schema_result import result, results

FOLDER = "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of each kind of file, by the file's name without `.schema.json`. Raises nothing."""
    named = {
        **{kind.case_schema: of_struct(kind.case_model) for kind in KINDS.values()},
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
