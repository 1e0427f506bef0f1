"""Suites that are answered by a system and not by prompts: the call that stands in a prompt's place.

It has a name, a version and a digest as a prompt has, so that runs, baselines and recordings treat it like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from row3.domain.calls import Call, Stage, canonical, filled_call, filled_stage
from row3.domain.placeholders import UnknownPlaceholderError
from row3.domain.prompts import Prompt, PromptRef, Version, parse_reference, parse_version
from row3.domain.requests import digest_json
from row3.errors import InvalidFile, UsageError
from row3.store.config import FILE
from row3.store.corpus import read_corpus
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.system_config import McpConfig, SystemConfig, tool_of

LONGEST_NAME = 40


def field_of(suite: Suite) -> str:
    """The field of `row3.toml` that says what answers the suite, for messages."""
    return f"{FILE} field suites.{suite.name}.provider"


def system_of(suite: Suite) -> SystemConfig:
    """What answers a suite that has no prompts."""
    assert suite.system is not None
    return suite.system


def stage_name(suite: Suite) -> str:
    """What stands where a prompt's name would: `name`, or the tool's own name in small letters."""
    system = system_of(suite)
    if system.name is not None:
        return system.name
    words = re.findall(r"[a-z0-9]+", tool_of(system).lower())
    return "-".join(words)[:LONGEST_NAME].strip("-") or system.type


def stage_prompt(project: Project, suite: Suite, version: Version | None = None) -> Prompt:
    """The call of a suite as a prompt; of another version where one is given.

    Raises `InvalidFile` for a placeholder without a value in `setup`, and for files that `for_each` cannot have.
    """
    system = system_of(suite)
    own = parse_version(system.version)
    assert own is not None
    setup = [call.as_json() for call in setup_calls(project, suite)]
    stage = Stage(
        type=system.type,
        version=str(version or own),
        call=_call(system),
        before=tuple(each.as_call() for each in system.before) if isinstance(system, McpConfig) else (),
        answer=system.answer,
        setup=digest_json(setup) if setup else "",
    )
    definition = stage.as_json()
    return Prompt(
        ref=PromptRef(stage_name(suite), version or own),
        description="",
        output=system.output or list(suite.kind.outputs)[-1],
        parameters={},
        body="",
        digest=digest_json(definition),
        text=canonical(definition).replace(',"', ',\n"') + "\n",
        path=field_of(suite),
        stage=stage,
    )


def _call(system: SystemConfig) -> Call:
    poll = system.poll if isinstance(system, McpConfig) else None
    return Call(tool_of(system), system.arguments, None if poll is None else poll.as_poll())


def setup_calls(project: Project, suite: Suite) -> list[Call]:
    """The calls that a session begins with, every file of the corpus in its place. Raises `InvalidFile`."""
    system = system_of(suite)
    calls: list[Call] = []
    for number, each in enumerate(system.setup if isinstance(system, McpConfig) else ()):
        where = f"{field_of(suite)}.setup.{number}"
        corpus: Sequence[tuple[str, Mapping[str, Any]]] = [("", {})]
        if each.for_each is not None:
            corpus = read_corpus(project.tree, each.patterns(), where=f"{where}.for_each")
        for file, values in corpus:
            try:
                calls.append(filled_call(each.as_call(), values))
            except UnknownPlaceholderError as error:
                what = f"{error} in {file}" if file else str(error)
                raise InvalidFile(what, where=f"{where}.arguments", fix="Correct it, or `for_each`") from None
    return calls


def stage_text(prompt: Prompt, variables: Mapping[str, Any]) -> str:
    """The rendered call of one case in canonical JSON: all that the system is told. Raises `InvalidFile`."""
    assert prompt.stage is not None
    try:
        return canonical(filled_stage(prompt.stage, variables).as_json())
    except UnknownPlaceholderError as error:
        raise InvalidFile(str(error), where=prompt.path, fix="Correct `arguments`") from None


def versions_of(project: Project, suite: Suite, recorded: Iterable[str]) -> list[Prompt]:
    """The suite's call in today's version and in every version that is recorded, ascending."""
    now = stage_prompt(project, suite)
    refs = (parse_reference(text) for text in dict.fromkeys(recorded))
    there = {ref.version for ref in refs if ref is not None and ref.name == now.ref.name} - {now.ref.version}
    return sorted((now, *(stage_prompt(project, suite, each) for each in there)), key=lambda prompt: prompt.ref.version)


def no_prompts(suite: Suite, where: str) -> UsageError:
    """The error of asking for a prompt in a suite that has none."""
    return UsageError(
        f"suite `{suite.name}` is answered by `{system_of(suite).type}` and has no prompts",
        where=where,
        fix="Raise `version` in row3.toml when the system changes, and save a baseline with "
        f"`row3 --baseline{suite.flags('row3 --baseline')}`",
    )
