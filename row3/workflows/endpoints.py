"""Where a suite's requests would go, by its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from row3.errors import InvalidFile, UsageError
from row3.store.config import FILE
from row3.store.project import Project, Suite

if TYPE_CHECKING:
    from row3.providers.base import Endpoint


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
