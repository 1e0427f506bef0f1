"""A small model inside this process: live mode with no key, no server and no network. Weak, and says so."""

from __future__ import annotations

import asyncio
import importlib
import json
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from row3.domain.requests import Answer, NoAnswer, Request
from row3.errors import EnvironmentFault, MissingExtra
from row3.providers.base import Endpoint
from row3.providers.dialect import chat_body
from row3.providers.local_models import PackagedModel, gguf_path, install_hint, model_named

CONTEXT_TOKENS = 8192
"""Prompt and answer together; what SmolLM2 was trained for."""
MOST_TOKENS = 2048
"""Tokens written where the request sets no limit: a weak model can ramble until its context is full."""
# Between batches the work can be stopped; of this size it is about a second.
_BATCH_TOKENS = 256


class LocalModel:
    """A provider that runs llama.cpp through xllamacpp, one request at a time, in a thread of its own.

    The request's model is `smollm2-135m` or `gemma3-270m`. The same request with a temperature of 0, or
    with a seed, gets the same answer on the same machine whatever was asked before it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turn = asyncio.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._servers: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; its time-out counts from its turn on and includes loading the model.

        Raises `UsageError` for an unknown model, `MissingExtra` where a package is not installed,
        `EnvironmentFault` where the model cannot be loaded.
        """
        model = model_named(request.model)
        async with self._turn:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="row3-local")
            stop = threading.Event()
            job = self._thread.submit(self._answer, request, model, stop)
            try:
                async with asyncio.timeout(self._endpoint.timeout_s):
                    return await asyncio.wrap_future(job)
            except TimeoutError:
                return NoAnswer(f"{model.label} gave no full answer within {self._endpoint.timeout_s:g} s")
            finally:
                # Also on Ctrl-C: the thread looks at this after every token and every batch of the prompt.
                stop.set()

    async def close(self) -> None:
        """Wait for the thread, which stops within about a second, and free the models."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.submit(self._servers.clear)
            await asyncio.to_thread(thread.shutdown)

    def http_address(self, model: str) -> tuple[str, str]:
        """Base URL and key under which the loaded model also listens, on loopback, for a test of the wire."""
        server, key = self._server(model_named(model))
        return f"{server.listening_address}/v1", key

    def _server(self, model: PackagedModel) -> Any:
        """The loaded model and the key of its port."""
        if model.name not in self._servers:
            path = gguf_path(model)
            try:
                xllamacpp = importlib.import_module("xllamacpp")
            except ImportError:
                raise MissingExtra("the local model needs xllamacpp", fix=install_hint(model)) from None
            key = secrets.token_hex(16)
            params = xllamacpp.CommonParams()
            params.model.path = str(path)
            params.model_alias = {model.label}
            params.n_ctx = CONTEXT_TOKENS
            params.n_batch = params.n_ubatch = _BATCH_TOKENS
            params.n_parallel = 1
            params.warmup = False
            params.verbosity = -1
            # The server opens a port on loopback and cannot be told not to: without the key no web page
            # that is open in a browser, and no other user of the machine, gets an answer there.
            params.api_keys = [key]
            params.ui = False
            try:
                self._servers[model.name] = (xllamacpp.Server(params), key)
            except RuntimeError as error:
                raise EnvironmentFault(f"the local model {model.name} cannot be loaded: {error}") from error
        return self._servers[model.name]

    def _answer(self, request: Request, model: PackagedModel, stop: threading.Event) -> Answer | NoAnswer:
        server, _ = self._server(model)
        body = chat_body(request, self._endpoint)
        body["model"] = model.label
        body.setdefault("max_tokens", MOST_TOKENS)
        # Streamed only to be stoppable. Without the cache a shared system prompt is read anew each time, but
        # with it the words of an answer depend on what was asked before (measured: 4 answers of 5).
        body |= {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        body["cache_prompt"] = False
        heard = _Listener(stop)
        started = time.perf_counter()
        try:
            # The server writes JSON with what it finds installed; one library makes null of NaN, another question.
            json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
            server.handle_chat_completions(body, heard)
        except (RuntimeError, ValueError) as error:
            return NoAnswer(f"{model.label} cannot take the request: {str(error)[:300]}")
        if heard.error:
            return NoAnswer(f"{model.label} cannot answer: {heard.error[:300]}")
        if not heard.finish_reason:
            return NoAnswer(f"{model.label} was stopped before its answer was complete")
        return Answer(
            text="".join(heard.pieces),
            finish_reason=heard.finish_reason,
            served_model=model.label,
            prompt_tokens=heard.usage.get("prompt_tokens"),
            completion_tokens=heard.usage.get("completion_tokens"),
            latency_s=time.perf_counter() - started,
        )


class _Listener:
    """Called with each chunk; returning True ends the answer there."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self.pieces: list[str] = []
        self.finish_reason = ""
        self.usage: dict[str, int] = {}
        self.error = ""

    def __call__(self, chunk: dict[str, Any]) -> bool:
        if "error" in chunk:
            self.error = str(chunk["error"].get("message", "unknown error"))
        for choice in chunk.get("choices", ()):
            self.pieces.append(choice["delta"].get("content") or "")
            self.finish_reason = choice["finish_reason"] or self.finish_reason
        self.usage = chunk.get("usage") or self.usage
        return self._stop.is_set()
