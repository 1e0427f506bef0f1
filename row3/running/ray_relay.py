"""Requests that processes of a Ray cluster send. This one decides which and when, and keeps the answers.

So there is one budget, one rate limit, one journal and one cache of equal requests, in the process that the run depends
on anyway; a process that ends loses only what it has sent.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from row3 import __version__
from row3.errors import RunIncomplete
from row3.providers.faults import Fault
from row3.providers.openai_client import Reply
from row3.providers.relay import Attempt, Sender
from row3.running.processes import allow_connections, plain_errors
from row3.running.ray_cluster import MOST_LOSSES, START_LIMIT_S, cause_of, no_start, none_started, open_cluster
from row3.running.ray_head import check_version, line_of, watch_head

REQUESTS = 32
"""Requests at once for which another process is worth its start."""


class SendingActor:
    """An actor that sends requests."""

    def __init__(self, connections: int) -> None:
        import openai  # noqa: F401 - takes half a second, in which released requests would gather

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
    def __init__(self, handle: Any) -> None:
        self.handle, self.under_way = handle, 0
        self.begun = handle.begin.remote(__version__)
        self.ready = False
        self.begun.future().add_done_callback(self._begin)

    def _begin(self, _: object) -> None:
        self.ready = True


class RayRelay:
    """Sends each request from the actor with the fewest under way; if that ends, from another."""

    def __init__(self, ray: Any, actors: int, connections: int) -> None:
        self._ray, self._connections = ray, connections
        # An actor waits most of the time, so it takes no processor from those that score.
        options = {"num_cpus": 0, "max_concurrency": max(1, connections), "scheduling_strategy": "SPREAD"}
        self._class = ray.remote(**options)(SendingActor)
        self._actors = [self._new() for _ in range(actors)]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Future[bytes]] = set()
        self._fault: RunIncomplete | None = None
        self._ended = threading.Event()
        address = str(ray.get_runtime_context().gcs_address)
        threading.Thread(target=watch_head, args=(address, self._ended, self._stop), daemon=True).start()

    async def send(self, attempt: Attempt) -> Reply[Any]:
        """Have an attempt made, as `Relay.send`."""
        from ray.exceptions import RayError, RayTaskError

        self._loop, why = asyncio.get_running_loop(), ""
        pickled = pickle.dumps(attempt)
        for _ in range(MOST_LOSSES):
            if self._fault is not None:
                raise self._fault
            actor = min(self._actors, key=lambda each: (not each.ready, each.under_way))
            answer = asyncio.wrap_future(actor.handle.send.remote(pickled).future())
            self._waiting.add(answer)
            actor.under_way += 1
            try:
                reply: Reply[Any] = pickle.loads(await answer)  # noqa: S301 - from an actor of this command
            except asyncio.CancelledError:
                if self._fault is None:
                    raise
                raise self._fault from None
            except RayTaskError as error:
                raise cause_of(error) from None
            except RayError as error:
                why = line_of(error)
                if actor in self._actors:
                    self._actors[self._actors.index(actor)] = self._new()
            else:
                return reply
            finally:
                actor.under_way -= 1
                self._waiting.discard(answer)
        return Reply(Fault("give_up", f"{MOST_LOSSES} workers ended while they sent it: {why}"))

    def begin(self) -> None:
        """Wait for the actors. Raises `EnvironmentFault` if they do not start, `RunIncomplete` if it takes too long."""
        from ray.exceptions import GetTimeoutError, RayError, RayTaskError

        try:
            self._ray.get([actor.begun for actor in self._actors], timeout=START_LIMIT_S)
        except RayTaskError as error:
            raise cause_of(error) from None
        except GetTimeoutError:
            raise none_started() from None
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
