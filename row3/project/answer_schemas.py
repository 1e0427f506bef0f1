"""The JSON schemas of answers that prompts name: a file in `schemas/`, or a model, whose file row3 writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from row3.domain.prompts import PromptRef, SchemaSource
from row3.domain.requests import digest_text
from row3.errors import InvalidFile
from row3.kinds.checks.reading import compile_error, validator_of
from row3.project.documents import json_object, read_json
from row3.project.tree import Tree

FOLDER = "schemas"
FILE = re.compile(rf"{FOLDER}/(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.json\Z")
MODEL = re.compile(r"[A-Za-z_][\w.]*(?<!\.py):[A-Za-z_]\w*\Z")
KEYWORDS = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref"}
)
"""Keys of which a schema has one; without any it allows everything, as does an example of an answer."""


def model_file(ref: PromptRef) -> str:
    """Return the file of a model's schema for one version of a prompt; what a later model asks for has another."""
    return f"{FOLDER}/{ref}.json"


def named_schema(name: str, ref: PromptRef, *, where: str) -> tuple[str, str]:
    """Return the file and the model, which may be empty, of a prompt's `schema`. Raises `InvalidFile`."""
    if MODEL.match(name):
        return model_file(ref), name
    if not FILE.match(name):
        what = f"`{name}` is neither a JSON file in the project's folder {FOLDER}/ nor a model"
        raise InvalidFile(what, where=where, fix=f"Write it like `{FOLDER}/ticket.json` or `models:Ticket`")
    return name, ""


def read_schema(tree: Tree, path: str, model: str, *, where: str) -> SchemaSource:
    """Return the schema in a file, which the field `where` names. Raises `InvalidFile`."""
    if not tree.exists(path):
        fix = f"Write it from `{model}` with `row3 lint --fix`" if model else "Create it, or correct the name"
        raise InvalidFile(f"the schema {path} does not exist", where=where, fix=fix)
    place = tree.place(path)
    schema = json_object(read_json(tree, path), where=place)
    check_schema(schema, where=place)
    return SchemaSource(path, schema, digest_text(json.dumps(schema, separators=(",", ":"))), model)


def check_schema(schema: Mapping[str, Any], *, where: str) -> None:
    """Raise `InvalidFile` for an object that is no JSON schema, or constrains nothing."""
    problem = compile_error(validator_of, schema)
    if not problem and not schema.keys() & KEYWORDS:
        problem = "it has none of the keys that constrain an answer, such as `type` and `properties`"
    if problem:
        fix = "Correct it: https://json-schema.org/understanding-json-schema"
        raise InvalidFile(f"not a JSON schema: {problem}", where=where, fix=fix)


def schema_text(schema: Mapping[str, Any]) -> str:
    """Return the text of a schema's file."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
