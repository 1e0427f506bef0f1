"""`baselines/<suite>.json`: the baseline as a manifest, one case per line; version 1 is migrated when read."""

from __future__ import annotations

import json
from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel

from row3.domain.models import CamelModel
from row3.domain.runs import Manifest, ManifestCase, ManifestPrompt, RunId, Tier, check_models, tier_of
from row3.errors import InvalidFile
from row3.project.documents import check_schema_version, dump_line, parse_json, refuse_duplicates, validate
from row3.project.files import decode

SCHEMA_VERSION = 2
HEAD = ("suite", "kind", "tier", "run_id", "at", "commit", "prompts", "model", "parameters", "repeats", "summary")
"""Fields in the order of the file."""
SCHEMA = "../schemas/baseline.schema.json"
Repeats = Annotated[int, Field(ge=1)]
_CASE, _PROMPT = TypeAdapter(ManifestCase), TypeAdapter(ManifestPrompt)
RESTORE = "Restore it with `git checkout`, or save a new one with `row3 --baseline`"


class ManifestFile(CamelModel):
    """The file of version 2."""

    schema_version: int
    suite: str
    kind: str
    tier: Tier
    run_id: RunId
    at: str
    prompts: dict[str, ManifestPrompt]
    model: str
    parameters: dict[str, dict[str, Any]]
    repeats: Repeats
    cases: list[ManifestCase]
    commit: str | None = None
    summary: dict[str, float] = {}
    omitted: list[str] | None = None
    schema_: str | None = Field(default=None, alias="$schema")

    @model_validator(mode="after")
    def _checked(self) -> Self:
        check_models(self.prompts, self.parameters)
        return self


class _FirstCase(CamelModel, extra="ignore"):
    """A case of version 1, which has no requests."""

    id: str
    digest: str = ""
    input: str = ""


class _FirstVersion(CamelModel, extra="ignore"):
    """The parts of version 1 that a manifest needs, without its scores."""

    suite: str
    kind: str
    run_id: RunId
    at: str
    mode: str
    prompts: dict[str, str]
    prompt_digests: dict[str, str]
    model: str
    parameters: dict[str, dict[str, Any]]
    cases: list[_FirstCase]
    repeats: Repeats = 1
    commit: str | None = None


def parse_manifest(raw: bytes, *, where: str) -> Manifest:
    """Return the baseline in a file's bytes. Raises `InvalidFile` with file and field."""
    value = parse_json(decode(raw, where=where), where=where)
    if check_schema_version(value, SCHEMA_VERSION, where=where) > 1:
        file = validate(ManifestFile, value, where=where, fix=RESTORE)
        refuse_duplicates((case.id for case in file.cases), where=where, fix=RESTORE)
        for number, case in enumerate(file.cases):
            if len(case.answers) != len(case.requests):
                what = (
                    f"field `cases.{number}.answers`: has {len(case.answers)} answers to {len(case.requests)} requests"
                )
                raise InvalidFile(what, where=where, fix=RESTORE)
        given = {name: part for name, part in file if name not in ("schema_", "schema_version")}
        return Manifest(**given | {"cases": {case.id: case for case in file.cases}})
    first = validate(_FirstVersion, value, where=where, fix=RESTORE)
    given = dict(first)
    del given["mode"], given["prompt_digests"]
    prompts = {name: ManifestPrompt(each, first.prompt_digests.get(name, "")) for name, each in first.prompts.items()}
    refuse_duplicates((case.id for case in first.cases), where=where, fix=RESTORE)
    cases = {case.id: ManifestCase(case.id, case.digest, case.input) for case in first.cases}
    return Manifest(**given | {"tier": tier_of(first.mode), "prompts": prompts, "cases": cases}, version=1)


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the file of a manifest: indented, its cases sorted, one per line, so that git shows which changed."""
    prompts = {name: _PROMPT.dump_python(each, exclude_defaults=True) for name, each in manifest.prompts.items()}
    given = {name: getattr(manifest, name) for name in (*HEAD, "omitted")} | {"prompts": prompts}
    head: dict[str, Any] = {"$schema": SCHEMA, "schemaVersion": SCHEMA_VERSION}
    head |= {to_camel(name): value for name, value in given.items() if value is not None}
    text = json.dumps(head, ensure_ascii=False, indent=1)
    cases = sorted(manifest.cases.values(), key=lambda case: case.id)
    lines = ",\n".join(dump_line(_CASE.dump_python(case, exclude_defaults=True)) for case in cases)
    return f'{text[:-2]},\n "cases": [\n{lines}\n]}}\n'.encode()
