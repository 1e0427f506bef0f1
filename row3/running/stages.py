"""A stage of a lineup: a prompt, or the call of a system (MCP server, command, Python function).

A call has a name, a version and a digest, so runs, baselines and recordings treat it like a prompt. This module holds
the differences: how a request is worded, which versions exist, and which parameters apply.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from row3.domain.calls import Call, Stage, UnknownPlaceholderError, filled_call, filled_stage
from row3.domain.judges import GUARD, fenced
from row3.domain.prompts import Prompt, PromptRef, Version, parse_reference, parse_version
from row3.domain.requests import (
    EXTRA,
    Extra,
    Message,
    Messages,
    Request,
    canonical,
    digest_head,
    digest_json,
    digest_of,
    extra_from,
    extra_json,
    messages_of,
)
from row3.errors import InvalidFile, UsageError
from row3.kinds.base import Kind, Rules
from row3.project.config import ProviderConfig
from row3.project.corpus import read_corpus
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.suites import Suite
from row3.project.system_config import McpConfig, SystemConfig, tool_of
from row3.running.rendering.templates import render

LONGEST_NAME = 40
"""Characters of a name derived from a tool's."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """Model parameters from the command line; they override `row3.toml` and the prompt."""

    model: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    extra: Extra = field(default_factory=dict)
    """Those set by name; they come first."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Model and parameters of a stage's requests."""

    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    extra: Extra = field(default_factory=dict)
    """Further parameters that are set."""

    def __hash__(self) -> int:
        basic = self.model, self.temperature, self.seed, self.max_tokens
        return hash((*basic, canonical(self.extra)) if self.extra else basic)

    def as_json(self) -> dict[str, Any]:
        """Return them with the keys that files use."""
        basic = {"model": self.model, "temperature": self.temperature, "seed": self.seed, "maxTokens": self.max_tokens}
        return basic | extra_json(self.extra)


def parameters_from(value: Mapping[str, Any]) -> Parameters:
    """Read parameters from a saved run or a recording."""
    basic = value.get("model", ""), value.get("temperature"), value.get("seed"), value.get("maxTokens")
    return Parameters(*basic, extra_from(value))


def parameters_of(prompt: Prompt, provider: ProviderConfig, overrides: Overrides) -> Parameters:
    """Return a stage's parameters: flags, else `row3.toml`, else front matter. Raises `UsageError` without a model."""
    if prompt.stage is not None:
        if overrides != Overrides():
            what = f"a suite answered by `{prompt.stage.type}` has no model parameters"
            raise UsageError(what, where="--model, --temperature, --seed, --max-tokens, --set", fix="Leave them out")
        return Parameters(prompt.stage.type, None, None, None)

    def strongest(key: str) -> Any:
        override = overrides.extra.get(key, getattr(overrides, key, None))
        sources = (override, getattr(provider, key), prompt.parameters.get(key))
        return next((value for value in sources if value is not None), None)

    model = strongest("model")
    if model is None:
        fix = "Set it there, in the prompt, or with --model"
        raise UsageError("no model is set", where="row3.toml field provider.model", fix=fix)
    extra = {key: value for key in EXTRA if (value := strongest(key)) is not None and (key, value) != ("api", "chat")}
    return Parameters(model, strongest("temperature"), strongest("seed"), strongest("max_tokens"), extra)


def request_messages(prompt: Prompt, variables: Mapping[str, Any]) -> Messages:
    """Return a request's messages: the rendered prompt, or the call as JSON. Raises `InvalidFile`."""
    if prompt.is_rubric:
        tag, shown = fenced(variables)
        first, *others = messages = render(prompt, shown)
        own, rest = (first.text, others) if first.role == "system" else ("", messages)
        return (Message("system", f"{GUARD.format(tag=tag)}\n\n{own}"), *rest)
    if prompt.stage is None:
        return render(prompt, variables)
    try:
        return messages_of("", canonical(filled_stage(prompt.stage, variables).as_json()))
    except UnknownPlaceholderError as error:
        raise InvalidFile(str(error), where=prompt.path, fix="Correct `arguments`") from None


def begin_request(
    prompt: Prompt, parameters: Parameters, repeat: int, schema: Mapping[str, Any], schema_digest: str, *, by: str
) -> tuple[Request, bytes]:
    """Return the fields that a prompt's requests share whatever the case, and the head of their digests."""
    sent = {each.name: getattr(parameters, each.name) for each in fields(parameters)}
    sent |= {"schema_digest": schema_digest, "repeat": repeat}
    begun = Request(
        **sent,
        case_id="",
        prompt=str(prompt.ref),
        messages=(),
        schema_name=prompt.output,
        schema=schema,
        prompt_digest=prompt.digest,
        variables={},
        digest="",
        by=by,
    )
    return begun, digest_head(**sent)


def fill_request(begun: tuple[Request, bytes], prompt: Prompt, case_id: str, variables: Mapping[str, Any]) -> Request:
    """Return the request that `begin_request` began, for one case. Raises `InvalidFile` for a template that fails."""
    request, head = begun
    messages = request_messages(prompt, variables)
    digest = digest_of(head, messages)
    return request._replace(case_id=case_id, messages=messages, variables=variables, digest=digest)


def answer_schema(prompt: Prompt, kind: Kind, rules: Rules) -> tuple[Mapping[str, Any], str]:
    """Return the JSON schema for a model's answer, empty for a system, which gets none; and its digest."""
    if prompt.schema is not None:
        return prompt.schema.schema, prompt.schema.digest
    made = kind.schema(prompt.output, rules) if prompt.stage is None else {}
    return made, digest_json(made)


def versions_of(project: Project, suite: Suite, name: str, recorded: Iterable[str]) -> list[Prompt]:
    """Return all versions of a stage, ascending: a prompt's files, or a call's current and recorded versions."""
    if suite.system is None:
        existing = project.versions.get(name, [])
        prompts = [project.suite_prompt(PromptRef(name, version), suite.name) for version in existing]
        return [prompt for prompt in prompts if prompt.output in suite.kind.outputs]
    now = call_stage(project, suite)
    refs = (parse_reference(text) for text in dict.fromkeys(recorded))
    others = {ref.version for ref in refs if ref is not None and ref.name == now.ref.name} - {now.ref.version}
    return sorted((now, *(call_stage(project, suite, each) for each in others)), key=lambda prompt: prompt.ref.version)


def readable_versions(project: Project, suite: Suite, recorded: Iterable[str]) -> Iterator[Prompt]:
    """Yield every version of every stage, skipping files that cannot be read."""
    if suite.system is not None:
        yield from versions_of(project, suite, "", recorded)
        return
    for name, versions in project.versions.items():
        for version in versions:
            with contextlib.suppress(InvalidFile):
                yield project.suite_prompt(PromptRef(name, version), suite.name)


def field_of(suite: Suite) -> str:
    """Return the field of `row3.toml` that sets the suite's provider, for messages."""
    return f"{FILE} field suites.{suite.name}.provider"


def call_name(system: SystemConfig) -> str:
    """Return a system's name in runs and recordings: its `name`, or the tool's name in lower case."""
    if system.name is not None:
        return system.name
    words = re.findall(r"[a-z0-9]+", tool_of(system).lower())
    return "-".join(words)[:LONGEST_NAME].strip("-") or system.type


def call_stage(project: Project, suite: Suite, version: Version | None = None) -> Prompt:
    """Return a system's call as a stage, in its current or another version. Raises `InvalidFile` for a bad `setup`."""
    system = suite.system
    assert system is not None
    own = parse_version(system.version)
    assert own is not None
    poll = system.poll if isinstance(system, McpConfig) else None
    setup = [call.as_json() for call in setup_calls(project, suite)]
    stage = Stage(
        type=system.type,
        version=str(version or own),
        call=Call(tool=tool_of(system), arguments=system.arguments, poll=poll),
        before=tuple(system.before) if isinstance(system, McpConfig) else (),
        answer=system.answer,
        setup=digest_json(setup) if setup else "",
    )
    definition = stage.as_json()
    return Prompt(
        ref=PromptRef(call_name(system), version or own),
        description="",
        output=system.output or list(suite.kind.outputs)[-1],
        parameters={},
        body="",
        digest=digest_json(definition),
        text=canonical(definition).replace(',"', ',\n"') + "\n",
        path=field_of(suite),
        stage=stage,
    )


def setup_calls(project: Project, suite: Suite) -> list[Call]:
    """Return the calls that open a session, one for each file of a corpus. Raises `InvalidFile`."""
    calls: list[Call] = []
    for number, each in enumerate(suite.system.setup if isinstance(suite.system, McpConfig) else ()):
        where = f"{field_of(suite)}.setup.{number}"
        corpus: Sequence[tuple[str, Mapping[str, Any]]] = [("", {})]
        if each.for_each is not None:
            corpus = read_corpus(project.files, each.patterns(), where=f"{where}.for_each")
        for file, values in corpus:
            try:
                calls.append(filled_call(each, values))
            except UnknownPlaceholderError as error:
                what = f"{error} in {file}" if file else str(error)
                raise InvalidFile(what, where=f"{where}.arguments", fix="Correct it, or `for_each`") from None
    return calls


def no_prompts(suite: Suite, where: str) -> UsageError:
    """Return the error for a prompt named in a suite that has none."""
    assert suite.system is not None
    what = f"suite `{suite.name}` is answered by `{suite.system.type}` and has no prompts"
    baseline = f"`row3 --baseline{suite.flags('row3 --baseline')}`"
    fix = f"Raise `version` in row3.toml when the system changes, and save a baseline with {baseline}"
    return UsageError(what, where=where, fix=fix)
