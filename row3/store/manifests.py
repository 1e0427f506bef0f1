"""`baselines/<suite>.json`: the baseline as a manifest, one case a line; version 1 is still read as one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from row3.domain.manifests import Manifest, ManifestCase, ManifestPrompt
from row3.domain.structs import misfits
from row3.domain.tiers import Tier, tier_of
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json
from row3.store.files import decode

SCHEMA_VERSION = 2
SCHEMA = "../schemas/baseline.schema.json"
RUN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,63}")
"""Part of the name of the file that a baseline is archived under, so it is no path."""
RESTORE = "Restore it with `git checkout`, or make a new one with `row3 --baseline`"


class ManifestFile(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """The file of version 2."""

    schema_version: int
    suite: str
    kind: str
    tier: Tier
    run_id: str
    at: str
    prompts: dict[str, ManifestPrompt]
    model: str
    parameters: dict[str, dict[str, Any]]
    repeats: int
    cases: list[ManifestCase]
    commit: str | None = None
    summary: dict[str, float] = {}
    schema: str | None = msgspec.field(default=None, name="$schema")


class _FirstVersion(msgspec.Struct, frozen=True, rename="camel"):
    """What version 1 says that a manifest needs; its scores are ignored."""

    suite: str
    kind: str
    run_id: str
    at: str
    mode: str
    prompts: dict[str, str]
    prompt_digests: dict[str, str]
    model: str
    parameters: dict[str, dict[str, Any]]
    cases: list[dict[str, Any]]
    repeats: int = 1
    commit: str | None = None


def parse_manifest(raw: bytes, *, where: str) -> Manifest:
    """Return the baseline in a file's bytes; raises `InvalidFile` with file and field."""
    value = parse_json(decode(raw, where=where), where=where)
    version = check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        manifest = _first(value) if version == 1 else _second(value)
    except msgspec.ValidationError as error:
        model = _FirstVersion if version == 1 else ManifestFile
        found = misfits(value, model, closed=version > 1)
        raise InvalidFile("; ".join(map(str, found)) or str(error), where=where, fix=RESTORE) from None
    if RUN_ID.fullmatch(manifest.run_id) is None:
        what = "field `runId`: at most 64 letters, digits, `-`, `_` and `.`"
        raise InvalidFile(what, where=where, fix=RESTORE)
    return manifest


def _second(value: Any) -> Manifest:
    file = msgspec.convert(value, ManifestFile)
    if file.repeats < 1:
        raise msgspec.ValidationError("field `repeats` is below 1")
    return Manifest(
        suite=file.suite,
        kind=file.kind,
        tier=file.tier,
        run_id=file.run_id,
        at=file.at,
        prompts=file.prompts,
        model=file.model,
        parameters=file.parameters,
        repeats=file.repeats,
        cases=_by_id(file.cases),
        commit=file.commit,
        summary=file.summary,
    )


def _first(value: Any) -> Manifest:
    file = msgspec.convert(value, _FirstVersion)
    cases = [
        ManifestCase(str(case.get("id", "")), str(case.get("digest", "")), str(case.get("input", "")))
        for case in file.cases
    ]
    prompts = {
        name: ManifestPrompt(version, file.prompt_digests.get(name, "")) for name, version in file.prompts.items()
    }
    return Manifest(
        suite=file.suite,
        kind=file.kind,
        tier=tier_of(file.mode),
        run_id=file.run_id,
        at=file.at,
        prompts=prompts,
        model=file.model,
        parameters=file.parameters,
        repeats=max(1, file.repeats),
        cases=_by_id(cases),
        commit=file.commit,
        version=1,
    )


def _by_id(cases: list[ManifestCase]) -> Mapping[str, ManifestCase]:
    found = {case.id: case for case in cases}
    if len(found) < len(cases):
        twice = next(case.id for number, case in enumerate(cases) if case.id in {c.id for c in cases[:number]})
        raise msgspec.ValidationError(f"the case `{twice}` is listed twice")
    return found


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the file of a manifest: indented, its cases one a line, sorted, so that git shows the cases that moved."""
    head: dict[str, Any] = {
        "$schema": SCHEMA,
        "schemaVersion": SCHEMA_VERSION,
        "suite": manifest.suite,
        "kind": manifest.kind,
        "tier": manifest.tier,
        "runId": manifest.run_id,
        "at": manifest.at,
        "commit": manifest.commit,
        "prompts": {name: msgspec.to_builtins(prompt) for name, prompt in manifest.prompts.items()},
        "model": manifest.model,
        "parameters": manifest.parameters,
        "repeats": manifest.repeats,
        "summary": manifest.summary,
    }
    text = json.dumps({key: value for key, value in head.items() if value is not None}, ensure_ascii=False, indent=1)
    cases = sorted(manifest.cases.values(), key=lambda case: case.id)
    lines = ",\n".join(dump_line(msgspec.to_builtins(case)) for case in cases)
    return f'{text[:-2]},\n "cases": [\n{lines}\n]}}\n'.encode()
