"""Requests as a suite without prompts makes them, for the tests of providers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from row3.domain.calls import Call, Poll, Stage, SystemType
from row3.domain.requests import Answer, NoAnswer, Request, canonical, messages_of
from row3.providers.base import Access, Provider
from row3.providers.mcp_server import McpServer

FAULTY = Path(__file__).parent / "faulty_server.py"
STDIO = (sys.executable, str(FAULTY))
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "GIVEN": "given-value", "HIDDEN": "hidden-value"}


def request(stage: Stage, *, case_id: str = "case") -> Request:
    """The request of a filled stage."""
    return Request(
        case_id,
        "tool-v1.0",
        0,
        stage.type,
        None,
        None,
        None,
        messages_of("", canonical(stage.as_json())),
        "",
        {},
        "",
        "",
        {},
        "d",
    )


def stage(kind: SystemType, tool: str, arguments: Mapping[str, Any], poll: Poll | None = None, **more: Any) -> Stage:
    """A stage with values in the place of all placeholders."""
    return Stage(kind, "v1.0", Call(tool=tool, arguments=arguments, poll=poll), **more)


def ask_all(provider: Provider, requests: Sequence[Request]) -> list[Answer | NoAnswer]:
    """Ask all at once, then close."""

    async def asking() -> list[Answer | NoAnswer]:
        try:
            return await asyncio.gather(*(provider.ask(each) for each in requests))
        finally:
            await provider.close()

    return asyncio.run(asking())


def ask(provider: Provider, asked: Stage) -> Answer | NoAnswer:
    """Ask one, then close."""
    return ask_all(provider, [request(asked)])[0]


def stdio(asked: Stage, *, setup: Sequence[Call] = (), args: Sequence[str] = (), **access: Any) -> McpServer:
    """The faulty server over its standard streams."""
    given = {"timeout_s": 20.0, "start_s": 30.0, "retries": 1} | access
    return McpServer(Access((*STDIO, *args), **given), asked, setup, root=FAULTY.parent, environ=ENVIRONMENT)


def over_http(asked: Stage, url: str, *, setup: Sequence[Call] = (), **access: Any) -> McpServer:
    """A server at an address."""
    given = {"timeout_s": 20.0, "start_s": 30.0, "retries": 1} | access
    return McpServer(Access(url=url, **given), asked, setup, root=FAULTY.parent, environ=ENVIRONMENT)
