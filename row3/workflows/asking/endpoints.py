"""Where a suite's requests would go, by its settings."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from row3.errors import InvalidFile, UsageError
from row3.matching.semantic_rule import LOCAL
from row3.store.config import FILE
from row3.store.project import Project
from row3.store.suites import Suite
from row3.store.system_config import CommandConfig, PythonConfig, SystemConfig
from row3.workflows.pipeline.stages import call_stage, setup_calls

if TYPE_CHECKING:
    from row3.providers.base import Access, Endpoint, Provider

WITHOUT_EMBEDDINGS = ("anthropic", "local")
"""Presets whose service embeds nothing."""


def endpoint_of(project: Project, suite: Suite) -> Endpoint:
    """The suite's endpoint; opens nothing and needs no key.

    Raises `InvalidFile` that names the field of `row3.toml`, and the near miss of an unknown preset.
    """
    from row3.providers.presets import endpoint_for

    settings = suite.provider
    try:
        return endpoint_for(
            settings.preset,
            base_url=settings.base_url,
            key_variable=settings.key_variable,
            timeout_s=settings.timeout_s,
            max_retries=settings.max_retries,
        )
    except UsageError as error:
        held = project.config.suites.get(suite.name)
        own = held.provider.model_fields_set if held is not None and held.provider is not None else ()
        section = f"suites.{suite.name}.provider" if error.where in own else "provider"
        raise InvalidFile(error.what, where=f"{FILE} field {section}.{error.where}", fix=error.fix) from None


def check_provider(project: Project, suite: Suite) -> None:
    """Raise what `open_provider` would raise of the settings."""
    if suite.system is None:
        endpoint_of(project, suite)
    else:
        _checked_system(suite)


def open_provider(project: Project, suite: Suite) -> Provider:
    """What answers the suite. Opens nothing and needs no key until the first request.

    Raises `InvalidFile` that names the field of `row3.toml`, `MissingExtra`.
    """
    if suite.system is None:
        from row3.providers.registry import make_provider

        return make_provider(endpoint_of(project, suite), os.environ)
    from row3.providers.registry import make_system

    _checked_system(suite)
    stage = call_stage(project, suite).stage
    assert stage is not None
    return make_system(access_of(suite.system), stage, setup_calls(project, suite), project.root, os.environ)


def _checked_system(suite: Suite) -> None:
    from row3.providers.presets import checked_url

    url = getattr(suite.system, "url", None)
    if url is None:
        return
    try:
        checked_url(url)
    except UsageError as error:
        what = error.what.replace("base_url", "url")
        raise InvalidFile(
            what,
            where=f"{FILE} field suites.{suite.name}.provider.url",
            fix="Give one such as http://localhost:8000/mcp",
        ) from None


def access_of(system: SystemConfig) -> Access:
    """How a system is reached and how long it may take, as its provider takes it."""
    from row3.providers.base import Access

    if isinstance(system, PythonConfig):
        return Access(function=system.callable, timeout_s=system.timeout_s)
    if isinstance(system, CommandConfig):
        return Access(
            command=(system.command, *system.args),
            variables=tuple(system.env),
            timeout_s=system.timeout_s,
            retries=system.retries,
        )
    return Access(
        command=() if system.command is None else (system.command, *system.args),
        variables=tuple(system.env),
        url=system.url,
        key_variable=system.key_variable,
        timeout_s=system.timeout_s,
        start_s=system.start_s,
        retries=system.retries,
    )


def embedding_endpoint(project: Project, suite: Suite) -> Endpoint | None:
    """Where a suite's texts are embedded; None for the model in this process. Opens nothing and needs no key.

    The suite's provider, unless its settings name another address: then only a key that they name goes there.
    Raises `InvalidFile` that names the field of `row3.toml`.
    """
    from row3.providers.presets import endpoint_for

    settings = project.config.suites[suite.name].matching.semantic
    assert settings is not None
    if settings.model == LOCAL:
        return None
    where = f"{FILE} field suites.{suite.name}.matching.semantic"
    if settings.base_url is None:
        endpoint = endpoint_of(project, suite)
        if endpoint.preset in WITHOUT_EMBEDDINGS:
            raise InvalidFile(
                f"the {endpoint.preset} provider has no embeddings",
                where=f"{where}.base_url",
                fix="Name the address of one that has",
            )
        if settings.key_variable is None:
            return endpoint
    try:
        given = endpoint_for(
            "vllm" if settings.base_url is not None else suite.provider.preset,
            base_url=settings.base_url if settings.base_url is not None else suite.provider.base_url,
            key_variable=settings.key_variable,
            timeout_s=suite.provider.timeout_s,
            max_retries=suite.provider.max_retries,
        )
    except UsageError as error:
        raise InvalidFile(error.what, where=f"{where}.{error.where}", fix=error.fix) from None
    return given if settings.base_url is None else replace(given, preset="embeddings")
