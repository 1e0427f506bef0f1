"""Where a suite's requests would go, by its settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from row3.errors import InvalidFile, UsageError
from row3.matching.semantic_rule import LOCAL
from row3.store.config import FILE
from row3.store.project import Project, Suite

if TYPE_CHECKING:
    from row3.providers.base import Endpoint

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
