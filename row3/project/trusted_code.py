"""Programs and addresses, named by settings and golden cases, that a run starts or sends data to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from row3.domain.code import Code
from row3.domain.models import as_json
from row3.domain.prompts import PromptRef
from row3.errors import InvalidFile
from row3.project.config import Config
from row3.project.judges import judge_settings
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.suites import Suite
from row3.project.system_config import PythonConfig

ADDRESS = ("preset", "base_url", "key_variable", "allow_http", "headers")


def code_of(config: Config, suite: Suite) -> Iterator[Code]:
    """Yield the programs and addresses that answer, judge, embed and receive lessons, except known services."""
    where = f"{FILE} field suites.{suite.name}"
    for name, each in (suite.arms or {"": suite}).items():
        place = f"{where}.arms.{name}.provider" if name else f"{where}.provider"
        if each.system is not None:
            yield _program(place, each.system)
        yield from _address(place, each.provider)
    if suite.kind.judgeable.rubrics:
        yield from _address("the judge", judge_settings(config, suite.name))
    if (settings := config.suites.get(suite.name)) is not None:
        yield from _address(f"{where}.matching.semantic", settings.matching.semantic)
    if config.lessons.mcp is not None:
        yield _program(f"{FILE} field lessons.mcp", config.lessons.mcp)


def scorer_code(function: str) -> Code:
    """Return a check's Python scorer as code."""
    return Code("a check of type python", function, python=True)


def model_code(model: str) -> Code:
    """Return the model that a prompt's schema is written from as code."""
    return Code("a prompt's schema", model, python=True)


def all_code(project: Project, name: str) -> Iterator[Code]:
    """Yield the code that a suite's settings and cases, and all prompts, name. Raises `InvalidFile`.

    The project may lack the suite.
    """
    yield from code_of(project.config, project.settings(name, "replay"))
    yield from scorers_of(project, name)
    for ref in (PromptRef(prompt, version) for prompt, versions in project.versions.items() for version in versions):
        with suppress(InvalidFile):  # what cannot be read names no code
            if (schema := project.prompt(ref).schema) is not None and schema.model:
                yield model_code(schema.model)


def scorers_of(project: Project, name: str) -> Iterator[Code]:
    """Yield the Python scorers that a suite's settings and cases name. Raises `InvalidFile`."""
    suite = project.settings(name, "replay")
    yield from map(scorer_code, suite.kind.judgeable.functions(None, suite.rules))
    for stored in project.cases_of(suite):
        yield from map(scorer_code, suite.kind.judgeable.functions(stored.case, suite.rules))


def _program(place: str, settings: Any) -> Code:
    words = (getattr(settings, "command", None) or "", *getattr(settings, "args", ()))
    return Code(place, _text(settings.model_dump()), words, python=isinstance(settings, PythonConfig))


def _address(place: str, settings: Any) -> Iterator[Code]:
    found = {key: value for key in ADDRESS if (value := getattr(settings, key, None))}
    if found.keys() & {"base_url", "key_variable", "headers"}:
        yield Code(place, _text(as_json(found)))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
