"""Prompt files, and which version of each is promoted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter

from row3.domain.models import PART, Model, Worded
from row3.domain.prompts import (
    RUBRIC_OUTPUTS,
    Prompt,
    PromptRef,
    SchemaSource,
    Version,
    digest_of_prompt,
    parse_reference,
    parse_version,
)
from row3.errors import InvalidFile
from row3.project.answer_schemas import named_schema, read_schema
from row3.project.documents import parse_yaml, read_model, refuse_numbers, validate
from row3.project.model_parameters import ModelParameters
from row3.project.tree import Tree, read_text

FOLDER = "prompts"
PROMOTED = "prompts/promoted.json"
NO_PROMPTS = frozenset({"README", "CHANGELOG"})
"""Markdown files in the folder that are not prompts, without their extension."""
PROMOTED_SCHEMA_VERSION = 1


class _FrontMatter(ModelParameters):
    name: str
    version: Annotated[str, Worded(r"[\s\S]*", 'a version in quotes, like "1.0"')]
    description: str = ""
    output: str
    model: str | None = None
    criteria: dict[str, Annotated[float, Field(gt=0)]] = {}
    """Of a rubric: weight by criterion."""
    lessons: bool = False
    """Whether the template may show lessons of the suite."""
    schema_: str | None = Field(default=None, alias="schema")
    """What answers must fit: a file, `schemas/ticket.json`, or a pydantic model, `models:Ticket`."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """One line of `prompts/promoted.json`."""

    __pydantic_config__: ClassVar[ConfigDict] = PART

    version: str
    digest: str
    date: str
    locked: dict[str, str] = field(default_factory=dict)
    """Digest of every version that was ever promoted."""


class PromotedFile(Model):
    """Which version of each prompt is current: prompts/promoted.json."""

    schema_: str | None = Field(default=None, alias="$schema")
    schema_version: int = Field(default=PROMOTED_SCHEMA_VERSION, alias="schemaVersion")
    prompts: dict[str, Promotion] = {}


def versions(tree: Tree) -> dict[str, list[Version]]:
    """Return all versions in ascending order, by prompt name. Raises `InvalidFile` for a misnamed Markdown file."""
    found: dict[str, list[Version]] = {}
    for path in tree.files(FOLDER):
        stem, _, ending = path.removeprefix(f"{FOLDER}/").rpartition(".")
        if ending != "md" or stem.upper() in NO_PROMPTS:
            continue
        ref = parse_reference(f"{stem}.md")
        if ref is None:
            what = "the file name is not `<name>-v<major>.<minor>.md`"
            fix = "Rename it, for example to `decompose-concepts-v1.0.md`"
            raise InvalidFile(what, where=tree.place(path), fix=fix)
        found.setdefault(ref.name, []).append(ref.version)
    return {name: sorted(each) for name, each in found.items()}


def read_prompt(tree: Tree, ref: PromptRef) -> Prompt:
    """Return one prompt version. Raises `InvalidFile`."""
    path = f"{FOLDER}/{ref}.md"
    if not tree.exists(path):
        known = versions(tree).get(ref.name)
        fix = f"Versions: {', '.join(map(str, known))}" if known else "See `row3 new-version`"
        raise InvalidFile(f"prompt `{ref}` does not exist", where=tree.place(path), fix=fix)
    return parse_prompt(read_text(tree, path), ref, path=path, where=tree.place(path), tree=tree)


def parse_prompt(text: str, ref: PromptRef, *, path: str, where: str, tree: Tree | None = None) -> Prompt:
    """Return the prompt in a file's text; the schema that it names is read if there is a tree. Raises `InvalidFile`."""
    _, body = _split(text, where=where)
    matter = validate(_FrontMatter, front_matter(text, where=where), where=where)
    version = parse_version(matter.version)
    if matter.name != ref.name or version != ref.version:
        field = "name" if matter.name != ref.name else "version"
        what = f"the front matter says {matter.name} {matter.version}, the file name says {ref.name} {ref.version}"
        raise InvalidFile(what, where=f"{where} field {field}", fix="Make them agree")
    if matter.lessons and matter.output in RUBRIC_OUTPUTS:
        raise InvalidFile("a judge's rubric cannot show lessons", where=f"{where} field lessons", fix="Remove it")
    schema = None
    if matter.schema_ is not None:
        field = f"{where} field schema"
        if matter.output in RUBRIC_OUTPUTS:
            raise InvalidFile("a judge's rubric has a schema of its own", where=field, fix="Remove it")
        file, model = named_schema(matter.schema_, ref, where=field)
        if tree is not None and not tree.exists(file) and str(ref.version) in locks_of(read_promoted(tree), ref.name):
            raise InvalidFile(
                f"the schema {file} is gone", where=field, fix=f"Restore it with `git checkout -- {file}`"
            )
        schema = SchemaSource(file, {}, "", model) if tree is None else read_schema(tree, file, model, where=field)
    given = {key: getattr(matter, key) for key in ("model", *ModelParameters.model_fields)}
    return Prompt(
        ref=ref,
        description=matter.description,
        output=matter.output,
        parameters={key: value for key, value in given.items() if value is not None},
        body=body,
        digest=digest_of_prompt(text, schema),
        text=text,
        path=path,
        criteria=matter.criteria,
        lessons=() if matter.lessons else None,
        schema=schema,
    )


def front_matter(text: str, *, where: str) -> dict[str, Any]:
    """Return the front matter of a prompt's text, unvalidated. Raises `InvalidFile`."""
    value = parse_yaml(_split(text, where=where)[0], where=where, what="the front matter", above=1, core=False)
    if not isinstance(value, dict):
        raise InvalidFile("the front matter has no keys", where=where, fix="Give name, version and output")
    refuse_numbers(value, where=where)
    return value


def _split(text: str, *, where: str) -> tuple[str, str]:
    lines = text.split("\n")
    rulers = [number for number, line in enumerate(lines) if line.strip() == "---"]
    if rulers[:1] != [0]:
        what = "the file does not begin with YAML front matter"
        raise InvalidFile(what, where=f"{where}:1", fix="Begin it with a line `---`")
    if len(rulers) < 2:
        raise InvalidFile("the front matter has no end", where=f"{where}:1", fix="End it with a line `---`")
    return "\n".join(lines[1 : rulers[1]]), "\n".join(lines[rulers[1] + 1 :])


def read_promoted(tree: Tree) -> dict[str, Promotion]:
    """Return the promotion of each prompt; none if there is no file. Raises `InvalidFile`."""
    file, where = read_model(tree, PROMOTED, PromotedFile, PROMOTED_SCHEMA_VERSION), tree.place(PROMOTED)
    promoted = {} if file is None else file.prompts
    for name, entry in promoted.items():
        if parse_version(entry.version) is None or parse_reference(f"{name}-{entry.version}") is None:
            what = f"field `prompts.{name}.version`: `{entry.version}` is not a version"
            raise InvalidFile(what, where=where, fix="Correct it")
    return promoted


def locks_of(promoted: Mapping[str, Promotion], name: str) -> dict[str, str]:
    """Return the digest of every version of a prompt that was ever promoted."""
    return {**promoted[name].locked, promoted[name].version: promoted[name].digest} if name in promoted else {}


def check_locked(prompt: Prompt, promoted: Mapping[str, Promotion]) -> None:
    """Raise `InvalidFile` if a version that was ever promoted has been edited."""
    name, version = prompt.ref.name, str(prompt.ref.version)
    if locks_of(promoted, name).get(version, prompt.digest) != prompt.digest:
        own = "" if prompt.schema is None else f" {prompt.schema.path}"
        fix = f"Copy the edits to a new version with `row3 new-version {name}`, "
        fix += f"{'those of the schema to a new file, ' if own else ''}then restore this one: "
        fix += f"`git checkout -- {prompt.path}{own}`"
        what = f"{name} {version} is promoted and {f'it or its schema{own} ' if own else ''}was edited in place"
        raise InvalidFile(what, where=prompt.path, fix=fix)


def promoted_text(promoted: Mapping[str, Promotion]) -> str:
    """Return the text of `prompts/promoted.json`."""
    promotions = TypeAdapter(Promotion)
    value = {
        "$schema": "../schemas/promoted.schema.json",
        "schemaVersion": PROMOTED_SCHEMA_VERSION,
        "prompts": {name: promotions.dump_python(promoted[name], exclude_defaults=True) for name in sorted(promoted)},
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
