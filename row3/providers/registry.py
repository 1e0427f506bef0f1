"""Which class serves which preset."""

from __future__ import annotations

from collections.abc import Mapping

from row3.providers.base import Endpoint, Provider
from row3.providers.local import LocalModel
from row3.providers.openai_chat import OpenAIChat


def make_provider(endpoint: Endpoint, environ: Mapping[str, str]) -> Provider:
    """The provider of an endpoint. Opens nothing and needs no key until the first request."""
    if endpoint.preset == "local":
        return LocalModel(endpoint)
    return OpenAIChat(endpoint, environ=environ)
