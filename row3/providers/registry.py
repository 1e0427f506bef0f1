"""Which class serves which preset, and which system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from row3.domain.calls import Call, Stage
from row3.providers.base import Access, Endpoint, Provider
from row3.providers.local import LocalModel
from row3.providers.openai_chat import OpenAIChat


def make_provider(endpoint: Endpoint, environ: Mapping[str, str]) -> Provider:
    """The provider of an endpoint. Opens nothing and needs no key until the first request."""
    if endpoint.preset == "local":
        return LocalModel(endpoint)
    return OpenAIChat(endpoint, environ=environ)


def make_system(
    access: Access, stage: Stage, setup: Sequence[Call], root: Path, environ: Mapping[str, str]
) -> Provider:
    """The provider of a suite without prompts. Starts nothing until the first request.

    `root` is the project's folder, in which commands run and functions are looked for. Raises `MissingExtra`.
    """
    if stage.type == "command":
        from row3.providers.command import Command

        return Command(access, root=root, environ=environ)
    if stage.type == "python":
        from row3.providers.function import Function

        return Function(access, root=root)
    from row3.providers.mcp_server import McpServer

    return McpServer(access, stage, setup, root=root, environ=environ)
