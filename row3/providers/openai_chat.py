"""Chat completions over HTTP, as OpenAI and everyone after it serves them."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from row3.domain.requests import Answer, NoAnswer, Request
from row3.providers.base import Endpoint
from row3.providers.dialect import chat_body
from row3.providers.replies import read_reply
from row3.providers.wire import Wire

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIChat:
    """A provider at an OpenAI-compatible endpoint; `more` is handed to its `Wire`, for tests."""

    def __init__(self, endpoint: Endpoint, *, environ: Mapping[str, str], **more: Any) -> None:
        self._endpoint = endpoint
        self._wire = Wire(endpoint, environ=environ, **more)
        self._refused: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    @property
    def refused(self) -> frozenset[str]:
        """Fields that the endpoint has refused and that are no longer sent, such as `response_format`."""
        return self._refused

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask` for what is raised and what is returned, `Wire.send` for retries."""
        body: dict[str, Any] = {}

        def call(client: AsyncOpenAI) -> Awaitable[Any]:
            nonlocal body
            body = chat_body(request, self._endpoint, self._refused)
            return client.chat.completions.with_raw_response.create(**body)

        def refuse(fields: frozenset[str]) -> bool:
            sent = fields & body.keys()
            self._refused |= sent
            return bool(sent)

        return await self._wire.send(call, read_reply, refuse)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()
