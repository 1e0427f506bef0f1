"""Requests that processes of a Ray cluster send. This one decides which and when, and keeps the answers.

So there is one budget, one rate limit, one journal and one cache of equal requests, in the process that the run depends
on anyway; a process that ends loses only what it has sent.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from row3 import __version__
from row3.errors import RunIncomplete
from row3.providers.faults import Fault
from row3.providers.openai_client import Reply
from row3.providers.relay import Attempt, Sender
from row3.running.processes import allow_connections, plain_errors
from row3.running.ray_cluster import MOST_LOSSES, POLL_S, START_LIMIT_S, cause_of, no_start, none_started, open_cluster
from row3.running.ray_head import check_version, line_of, watch_head

SILENCE_S = 30.0
"""Seconds beyond a request's time-out after which its actor is taken to hang."""
REQUESTS = 32
"""Requests at once for which another process is worth its start."""


class SendingActor:
    """An actor that sends requests."""

    def __init__(self, connections: int) -> None:
        import openai  # noqa: F401 - or the first requests would wait for it, and then go at once

        allow_connections(connections)
        self._sender = Sender()

    async def begin(self, version: str) -> None:
        """Return once requests can be sent. Raises `EnvironmentFault` for another version of row3."""
        check_version(version)

    async def send(self, pickled: bytes) -> bytes:
        """Make a pickled attempt, and return the pickled `Reply`."""
        with plain_errors():
            return pickle.dumps(await self._sender.send(pickle.loads(pickled)))  # noqa: S301 - from the command


class _Actor:
    """A sender; ready once it has begun without an error."""

    def __init__(self, handle: Any) -> None:
        self.handle, self.under_way = handle, 0
        self.begun = handle.begin.remote(__version__)
        self.ready = False
        self.begun.future().add_done_callback(self._begin)

    def _begin(self, begun: Future[None]) -> None:
        self.ready = not begun.cancelled() and begun.exception() is None


class RayRelay:
    """Sends each request from the actor with the fewest under way, and replaces an actor that ends or is silent."""

    def __init__(self, ray: Any, actors: int, connections: int) -> None:
        self._ray, self._connections = ray, connections
        # An actor waits most of the time, so it takes no processor from those that score.
        options = {"num_cpus": 0, "max_concurrency": max(1, connections), "scheduling_strategy": "SPREAD"}
        self._class = ray.remote(**options)(SendingActor)
        self._actors = [self._new() for _ in range(actors)]
        self._unborn = 0
        """Actors that ended before they could send, since one could."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._fault: RunIncomplete | None = None
        self._ended = threading.Event()
        address = str(ray.get_runtime_context().gcs_address)
        threading.Thread(target=watch_head, args=(address, self._ended, self._stop), daemon=True).start()

    async def send(self, attempt: Attempt) -> Reply[Any]:
        """Have an attempt made, as `Relay.send`. Raises `EnvironmentFault` if no new actor starts."""
        from ray.exceptions import RayError, RayTaskError

        self._loop = asyncio.get_running_loop()
        if self._fault is not None:
            raise self._fault
        actor = min(self._actors, key=lambda each: (not each.ready, each.under_way))
        actor.under_way += 1
        limit_s = START_LIMIT_S
        try:
            if not actor.ready:
                await self._answer(actor.begun, limit_s)
            limit_s = attempt.endpoint.timeout_s + SILENCE_S
            sent = actor.handle.send.remote(pickle.dumps(attempt))
            answer = await self._answer(sent, limit_s)
        except RayTaskError as error:
            raise cause_of(error) from None
        except TimeoutError:
            self._replace(actor)
            return Reply(Fault("retry", f"a worker was silent for {limit_s:g} s"))
        except RayError as error:
            self._replace(actor, error)
            return Reply(Fault("retry", f"a worker ended while it sent the request: {line_of(error)}"))
        finally:
            actor.under_way -= 1
        self._unborn = 0
        reply: Reply[Any] = pickle.loads(answer)  # noqa: S301 - from an actor of this command
        return reply

    async def _answer(self, ref: Any, limit_s: float) -> Any:
        answer: asyncio.Future[Any] = asyncio.wrap_future(ref.future())
        self._waiting.add(answer)
        try:
            async with asyncio.timeout(limit_s):
                return await answer
        except asyncio.CancelledError:
            if self._fault is None:
                raise
            raise self._fault from None
        finally:
            self._waiting.discard(answer)

    def _replace(self, actor: _Actor, error: Exception | None = None) -> None:
        """Start another actor in the place of one, unless another request has done so."""
        if actor not in self._actors:
            return
        with suppress(Exception):  # one that cannot be reached may live on
            self._ray.kill(actor.handle)
        if error is not None and not actor.ready:
            self._unborn += 1
            if self._unborn >= MOST_LOSSES * len(self._actors):
                raise no_start(error)
        self._actors[self._actors.index(actor)] = self._new()

    def begin(self) -> None:
        """Wait for the actors.

        Raises `EnvironmentFault` if they do not start, `RunIncomplete` if it takes too long or the head goes.
        """
        from ray.exceptions import RayError, RayTaskError

        left, ends = [actor.begun for actor in self._actors], time.monotonic() + START_LIMIT_S
        try:
            while left:
                if self._fault is not None:
                    raise self._fault
                if time.monotonic() > ends:
                    raise none_started()
                ready, left = self._ray.wait(left, timeout=POLL_S)
                self._ray.get(ready)
        except RayTaskError as error:
            raise cause_of(error) from None
        except RayError as error:
            raise no_start(error) from None

    def close(self) -> None:
        """End the actors, unless the head is gone: then Ray's calls do not return."""
        self._ended.set()
        for actor in self._actors if self._fault is None else ():
            with suppress(Exception):  # it may have ended
                self._ray.kill(actor.handle)

    def _new(self) -> _Actor:
        return _Actor(self._class.remote(self._connections))

    def _stop(self, fault: RunIncomplete) -> None:
        self._fault = fault
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(lambda: [answer.cancel() for answer in self._waiting])


@contextmanager
def open_relay(address: str, requests: int) -> Iterator[RayRelay]:
    """Yield a relay for so many requests at once, in the cluster that `open_cluster` returns. Raises as that."""
    cluster = open_cluster(address)
    actors = min(cluster.workers, -(-requests // REQUESTS))
    relay = RayRelay(cluster.ray, actors, requests)
    try:
        relay.begin()
        yield relay
    finally:
        relay.close()
