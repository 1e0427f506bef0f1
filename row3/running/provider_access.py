"""Open the providers that answer a suite, judge its answers and embed its texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from row3.domain.asks import LOCAL
from row3.domain.calls import CALLED
from row3.domain.endpoints import LITELLM, PRESETS, Endpoint, Header
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request
from row3.domain.secrets import Guard
from row3.errors import InvalidFile, UsageError
from row3.project.config import JudgeConfig, ProviderConfig
from row3.project.judges import judge_settings
from row3.project.places import FILE
from row3.project.project import Project
from row3.project.suites import Owner, Suite
from row3.project.system_config import CommandConfig, PythonConfig, SystemConfig
from row3.project.tree import read_text
from row3.project.trusted_code import code_of
from row3.providers.base import (
    IMPORTABLE,
    INSTALL_LOCAL,
    KEYLESS,
    Access,
    Embedder,
    Provider,
    checked_url,
    endpoint_for,
    is_exposed,
)
from row3.running.stages import call_stage, setup_calls

if TYPE_CHECKING:
    from row3.providers.openai_batches import OpenAIBatches
    from row3.providers.relay import Relay

EXPOSED = "plain http lets anyone on the network read prompts, answers and the key on their way to"
OPENAI_ADDRESS = "OPENAI_BASE_URL"
"""Environment variable with OpenAI's address."""
LANGFUSE_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
AWS_KEYS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK")
WITHOUT_EMBEDDINGS = ("anthropic", "local", *LITELLM)
"""Presets that offer no embeddings."""
WITHOUT_BATCHES = WITHOUT_EMBEDDINGS
"""Presets that take no OpenAI-compatible batches."""


def endpoint_of(project: Project, suite: Suite) -> Endpoint:
    """Return the suite's endpoint, not yet opened; raises `InvalidFile` that names the field."""

    def section(key: str) -> str:
        held = project.config.suites.get(suite.name)
        own = held is not None and bool(getattr(held.provider, key, None))
        return f"suites.{suite.name}.provider" if own else "provider"

    return _endpoint(suite.provider, section)


def _endpoint(settings: ProviderConfig | JudgeConfig, section: Callable[[str], str]) -> Endpoint:
    """Return the endpoint of settings; errors name the field by its `section` of `row3.toml`."""
    address = address_variable(settings)
    try:
        return endpoint_for(
            settings.preset or "openai",
            base_url=os.environ[address] if address else settings.base_url,
            key_variable=settings.key_variable,
            timeout_s=settings.timeout_s,
            max_retries=settings.max_retries,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            allow_http=settings.allow_http,
            headers=tuple(
                Header(name, value) if isinstance(value, str) else Header(name, variable=value.env)
                for name, value in (settings.headers or {}).items()
            ),
        )
    except UsageError as error:
        if address and error.where == "base_url":
            raise UsageError(error.what, where=address, fix=f"{error.fix}, or unset {address}") from None
        where = f"{FILE} field {section(error.where)}.{error.where}"
        raise InvalidFile(error.what, where=where, fix=error.fix) from None


def address_variable(settings: ProviderConfig | JudgeConfig) -> str:
    """Return the environment variable that sets the address; empty if it is unset or the settings name another."""
    named = settings.base_url is not None or settings.preset not in (None, "", "openai")
    return "" if named or not os.environ.get(OPENAI_ADDRESS, "").strip() else OPENAI_ADDRESS


def shown_address(project: Project, suite: Suite) -> str:
    """Return the host that the environment sets for a suite's model, for display; empty if none."""
    variable = "" if suite.system is not None else address_variable(suite.provider)
    return f"{endpoint_of(project, suite).host} ({variable})" if variable else ""


def check_provider(project: Project, suite: Suite) -> list[str]:
    """Return the addresses that requests reach unencrypted. Raises what opening the providers would raise."""
    urls = [
        endpoint_of(project, arm).base_url if arm.system is None else _access(arm, arm.system).url
        for arm in (suite.arms or {"": suite}).values()
    ]
    if suite.rules.judge is not None:
        urls.append(judge_endpoint(project, suite).base_url)
    if (embeddings := embedding_endpoint(project, suite)) is not None:
        urls.append(embeddings.base_url)
    return [url for url in dict.fromkeys(urls) if url and is_exposed(url)]


def missing_access(project: Project, suite: Suite, *, judge: bool = False) -> str:
    """Return what the suite's model, or its judge, lacks to answer, such as a key; empty if nothing is known to."""
    from row3.providers.local import MODULE

    endpoint = judge_endpoint(project, suite) if judge else endpoint_of(project, suite)
    key = None if suite.system is not None and not judge else endpoint.key_variable
    if key and not os.environ.get(key, "").strip():
        return f"set {key}, or {KEYLESS if judge else IMPORTABLE}"
    return INSTALL_LOCAL if suite.local and not judge and find_spec(MODULE) is None else ""


class Router:
    """Sends each request to its provider: the suite's, an arm's, or the judge's."""

    def __init__(self, providers: Mapping[tuple[str, bool], Provider]) -> None:
        """Take the providers by `Request.by`, and whether it is a system."""
        self._providers = providers

    @property
    def name(self) -> str:
        """Names of all providers."""
        return ", ".join(dict.fromkeys(each.name for each in self._providers.values()))

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; raises what its provider raises."""
        return await self._providers[request.by, request.model in CALLED].ask(request)

    async def close(self) -> None:
        """Close all providers."""
        for each in self._providers.values():
            await each.close()


def takes_relay(project: Project, suite: Suite) -> bool:
    """Return whether an OpenAI-compatible endpoint answers the suite or judges its answers."""
    endpoints = [endpoint_of(project, arm) for arm in (suite.arms or {"": suite}).values() if arm.system is None]
    endpoints += [] if suite.rules.judge is None else [judge_endpoint(project, suite)]
    return any(each.preset not in ("local", *LITELLM) for each in endpoints)


def open_provider(project: Project, suite: Suite, relay: Relay | None = None) -> Provider:
    """Return the provider of a suite, its arms and its judge; it opens nothing and needs no key until a request.

    A relay sends to OpenAI-compatible endpoints; what else answers is asked by this process.
    Requests that contain a key are refused, and keys in answers hidden. Raises `InvalidFile` that names the field of
    `row3.toml`, `MissingExtra`, and `UsageError` for code that may not run.
    """
    project.check_code(suite.name, code_of(project.config, suite))
    found: dict[tuple[str, bool], Provider] = {}
    for name, arm in (suite.arms or {"": suite}).items():
        if arm.system is not None:
            found[name, True] = _open_one(project, arm, relay)
        if arm.system is None or suite.arms:
            found[name, False] = _open_one(project, replace(arm, system=None), relay)
    if suite.rules.judge is not None:
        found[JUDGE, False] = provider_at(project, judge_endpoint(project, suite), relay=relay)
    return guarded(project, next(iter(found.values())) if len(found) == 1 else Router(found))


def batch_chats(project: Project, suite: Suite) -> dict[str, OpenAIBatches]:
    """Return the providers whose requests go in batches, by `Request.by`; none, if no setting says so.

    Raises `UsageError` for one that takes no batches.
    """
    from row3.providers.openai_batches import OpenAIBatches

    found: dict[str, Endpoint] = {}
    judge = judge_settings(project.config, suite.name)
    for name, arm in (suite.arms or {"": suite}).items():
        if arm.provider.batch:
            found[name] = endpoint_of(project, arm)
            _check_batches(found[name].preset if arm.system is None else f"{arm.system.type} system", suite.name)
    if suite.rules.judge is not None and judge.batch:
        found[JUDGE] = judge_endpoint(project, suite)
        _check_batches(found[JUDGE].preset, suite.name)
    options: dict[str, Any] = {"environ": os.environ, "refused": project.refused}
    return {name: OpenAIBatches(endpoint, **options) for name, endpoint in found.items()}


def _check_batches(answers: str, suite: str) -> None:
    if answers in WITHOUT_BATCHES or answers.endswith(" system"):
        what = f"the suite asks the {answers}, which takes no batches; an OpenAI-compatible chat endpoint does"
        fix = "Leave out --batch, and set `batch = true` only in the [suites.NAME.provider] that takes them"
        raise UsageError(what, where=f"suite {suite}", fix=fix)


def guard_of(project: Owner) -> Guard:
    """Return the guard of all keys in the environment: the presets' and those named in `row3.toml`."""
    from row3.providers.system import is_secret

    names = dict.fromkeys(preset.key_variable for preset in PRESETS.values() if preset.key_variable)
    names |= dict.fromkeys((*LANGFUSE_KEYS, *AWS_KEYS, *_key_variables(project.config.model_dump(), is_secret)))
    return Guard({name: os.environ.get(name, "").strip() for name in names})


def _key_variables(settings: dict[str, Any], is_secret: Callable[[str], bool]) -> Iterator[str]:
    for key, value in settings.items():
        if key == "key_variable" and value:
            yield value
        elif key == "env":
            yield from [value] if isinstance(value, str) else filter(is_secret, value)
        elif isinstance(value, dict):
            yield from _key_variables(value, is_secret)


def guarded(project: Project, provider: Provider) -> Provider:
    """Return the provider behind a guard, if the environment has a key."""
    from row3.providers.guarded import GuardedProvider

    guard = guard_of(project)
    return GuardedProvider(provider, guard) if guard else provider


def judge_endpoint(project: Project, suite: Suite) -> Endpoint:
    """Return the judge's endpoint, not yet opened; raises `InvalidFile` that names the field."""
    return _endpoint(judge_settings(project.config, suite.name), lambda _: "judge")


def _open_one(project: Project, suite: Suite, relay: Relay | None) -> Provider:
    system = suite.system
    if system is None:
        return provider_at(project, endpoint_of(project, suite), IMPORTABLE, relay)
    access = _access(suite, system)
    if isinstance(system, CommandConfig):
        from row3.providers.command import Command

        return Command(access, root=project.root, environ=os.environ)
    if isinstance(system, PythonConfig):
        from row3.providers.function import Function

        return Function(access, root=project.root, environ=os.environ)
    from row3.providers.mcp_server import McpServer

    stage = call_stage(project, suite).stage
    assert stage is not None
    return McpServer(access, stage, setup_calls(project, suite), root=project.root, environ=os.environ)


def provider_at(project: Project, endpoint: Endpoint, keyless: str = KEYLESS, relay: Relay | None = None) -> Provider:
    """Return the provider of an endpoint; it opens nothing and needs no key until the first request."""
    if endpoint.preset == "local":
        from row3.providers.local import LocalModel

        return LocalModel(endpoint)
    if endpoint.preset in LITELLM:
        from row3.providers.litellm_api import LiteLLMChat

        return LiteLLMChat(endpoint, environ=os.environ, refused=project.refused)
    from row3.providers.openai_api import OpenAIChat

    options: dict[str, Any] = {"environ": os.environ, "refused": project.refused, "keyless": keyless}
    if relay is None:
        return OpenAIChat(endpoint, **options)
    from row3.providers.relay import RelayedChat

    return RelayedChat(relay, endpoint, **options)


def _access(suite: Suite, system: SystemConfig) -> Access:
    """Return how to reach a system, with its time limits. Raises `InvalidFile` for a bad address."""
    if isinstance(system, PythonConfig):
        return Access(function=system.callable, timeout_s=system.timeout_s)
    command = () if system.command is None else (system.command, *system.args)
    variables = tuple(system.env)
    if isinstance(system, CommandConfig):
        return Access(command=command, variables=variables, timeout_s=system.timeout_s, retries=system.retries)
    try:
        if system.url is not None:
            checked_url(system.url, allow_http=system.allow_http)
    except UsageError as error:
        where = f"{FILE} field suites.{suite.name}.provider.url"
        fix = error.fix if "allow_http" in error.fix else "Write one such as http://localhost:8000/mcp"
        raise InvalidFile(error.what.replace("base_url", "url"), where=where, fix=fix) from None
    return Access(
        command=command,
        variables=variables,
        url=system.url,
        key_variable=system.key_variable,
        timeout_s=system.timeout_s,
        start_s=system.start_s,
        retries=system.retries,
    )


def open_embedder(project: Project, suite: Suite, model: str) -> Embedder:
    """Return the embedder of a suite's texts, local or at an endpoint; it loads nothing yet.

    It refuses texts that contain a key. Raises `InvalidFile` that names the field of `row3.toml`, and `UsageError`
    for code that may not run.
    """
    project.check_code(suite.name, code_of(project.config, suite))
    from row3.providers.guarded import GuardedEmbedder

    def case_with(guard: Guard) -> str:
        paths = project.cases.scored(suite.golden)
        return next((path for path in paths if guard.found(read_text(project.tree, path))), f"suite {suite.name}")

    endpoint, guard = embedding_endpoint(project, suite), guard_of(project)
    embedder: Embedder
    if endpoint is None:
        from row3.providers.minilm import LocalEmbedder

        embedder = LocalEmbedder()
    else:
        from row3.providers.openai_api import OpenAIEmbedder

        embedder = OpenAIEmbedder(endpoint, model, environ=os.environ)
    return GuardedEmbedder(embedder, guard, case_with) if guard else embedder


def embedding_endpoint(project: Project, suite: Suite) -> Endpoint | None:
    """Return the endpoint for a suite's embeddings; None for the local model, or without matching by meaning.

    It is the suite's provider, unless the settings name another address, which gets only the key that they name.
    Raises `InvalidFile` that names the field of `row3.toml`.
    """
    own = project.config.suites.get(suite.name)
    settings = None if own is None else own.matching.semantic
    if settings is None or settings.model == LOCAL:
        return None
    section, key = f"suites.{suite.name}.matching.semantic", settings.key_variable
    if settings.base_url is not None:
        other = suite.provider.replace(preset="vllm", base_url=settings.base_url, key_variable=key, headers=None)
        return replace(_endpoint(other, lambda _: section), preset="embeddings")
    endpoint = endpoint_of(project, suite)
    if endpoint.preset in WITHOUT_EMBEDDINGS:
        what = f"the {endpoint.preset} provider has no embeddings"
        raise InvalidFile(what, where=f"{FILE} field {section}.base_url", fix="Set the address of a provider that has")
    if key is not None:
        endpoint = _endpoint(suite.provider.replace(key_variable=key), lambda _: section)
    return endpoint
