"""`baselines/<suite>.json`: the baseline as a manifest, one case per line; version 1 is migrated when read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel

from row3.domain.models import CamelModel
from row3.domain.runs import Manifest, ManifestCase, ManifestPrompt, RunId, Tier, check_models, tier_of
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.documents import check_schema_version, dump_line, parse_json, refuse_duplicates, validate
from row3.project.files import decode
from row3.project.json_lines import KeyedLines, lines_in
from row3.project.tree import Tree

SCHEMA_VERSION = 2
HEAD = ("suite", "kind", "tier", "run_id", "at", "commit", "prompts", "model", "parameters", "repeats", "summary")
"""Fields in the order of the file."""
SCHEMA = "../schemas/baseline.schema.json"
Repeats = Annotated[int, Field(ge=1)]
_CASE, _PROMPT = TypeAdapter(ManifestCase), TypeAdapter(ManifestPrompt)
CASES_FOLLOW, END = b' "cases": [\n', b"]}\n"
"""Lines before and after the cases, one a line."""
TEXT = re.compile(r'"([0-9a-f]*)"')
CASE = re.compile(
    r'\{"id": "([^"\\\x00-\x1f\ufffd]+)", "digest": "([0-9a-f]*)", "input": "([0-9a-f]*)"'
    r'(?:, "requests": \[("[0-9a-f]*"(?:, "[0-9a-f]*")*)\], "answers": \[("[0-9a-f]*"(?:, "[0-9a-f]*")*)\])?\},?\n'
)
"""Line of a case, unless a text in it needs escapes."""
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


def read_manifest(tree: Tree, path: str) -> Manifest:
    """Return the baseline of a file, whose cases are read when needed if the file is as row3 writes it.

    Raises `InvalidFile` with file and field.
    """
    file, head = lines_in(tree, path), b""
    cases, open_ended = SavedCases(), False
    lines = iter(file)
    for _, raw in lines:
        head += raw
        if raw == CASES_FOLLOW:
            for spot, line in lines:
                if line == END and not open_ended and next(lines, None) is None and not cases.lines.twice():
                    return replace(parse_manifest(head + END, where=tree.place(path)), cases=cases)
                case = _case_in(line)
                if case is None or (cases and not open_ended):
                    break
                open_ended = line.endswith(b",\n")
                cases.lines.add(case.id, spot)
            break
    return parse_manifest(tree.read(path), where=tree.place(path))


class SavedCases(Mapping[str, ManifestCase]):
    """The cases of a manifest by id: lines of its file, each read when needed."""

    def __init__(self) -> None:
        self.lines = KeyedLines()
        self._latest: ManifestCase | None = None

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[str]:
        return (self._case(place).id for place in range(len(self)))

    def __getitem__(self, case_id: str) -> ManifestCase:
        found = self._latest
        if found is None or found.id != case_id:
            found = next(map(self._case, self.lines.places(case_id)), None)
        if found is None or found.id != case_id:
            raise KeyError(case_id)
        return found

    def _case(self, place: int) -> ManifestCase:
        spot = self.lines.spot(place)
        case = self._latest = _case_in(spot.read())
        if case is None:
            what = "the file was changed while it was being read"
            raise EnvironmentFault(what, where=spot.file.where, fix="Run the command again")
        return case


def _case_in(line: bytes) -> ManifestCase | None:
    """Return the case of a line as row3 writes it; None for any other, of which the whole file must be read."""
    if (found := CASE.fullmatch(line.decode("utf-8", "replace"))) is None:
        return None
    case_id, digest, given, *lists = found.groups("")
    requests, answers = (tuple(TEXT.findall(part)) for part in lists)
    return ManifestCase(case_id, digest, given, requests, answers) if len(requests) == len(answers) else None


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the file of a manifest: indented, its cases sorted, one per line, so that git shows which changed."""
    prompts = {name: _PROMPT.dump_python(each, exclude_defaults=True) for name, each in manifest.prompts.items()}
    given = {name: getattr(manifest, name) for name in (*HEAD, "omitted")} | {"prompts": prompts}
    head: dict[str, Any] = {"$schema": SCHEMA, "schemaVersion": SCHEMA_VERSION}
    head |= {to_camel(name): value for name, value in given.items() if value is not None}
    text = json.dumps(head, ensure_ascii=False, indent=1)
    cases = sorted(manifest.cases.values(), key=lambda case: case.id)
    lines = ",\n".join(dump_line(_CASE.dump_python(case, exclude_defaults=True)) for case in cases)
    return f"{text[:-2]},\n".encode() + CASES_FOLLOW + f"{lines}\n".encode() + END
