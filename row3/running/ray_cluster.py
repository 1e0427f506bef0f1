"""Evaluate cases in actors of a Ray cluster, the extra `row3[ray]`; nothing else imports Ray.

What the actors do is pickled. It holds no answers, recordings or cases but where these are, so every machine needs the
project at the same path.
"""

from __future__ import annotations

import gc
import os
import pickle
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any

from row3 import __version__
from row3.errors import EnvironmentFault, MissingExtra, Row3Error, RunIncomplete
from row3.running.processes import COLLECT_AFTER, LARGE_CHUNK, Result, Task, Work, done
from row3.running.ray_head import OPTION, check_version, connect, line_of, watch_head

QUEUED = 2
"""Tasks sent to an actor: one at work, and the next."""
MOST_LOSSES = 3
"""Workers that may end during a task before it counts as lost, or during their start before the run ends."""
POLL_S = 0.1
"""Most seconds until a new task is noticed."""
START_LIMIT_S = 600.0
"""Seconds to wait for a first actor, as a cluster may have to start machines."""


def open_cluster(address: str, jobs: int | None = None, tasks: int | None = None) -> RayActors:
    """Connect to the cluster at an address, or start one on this machine for an empty one.

    Raises `MissingExtra` without Ray, `RunIncomplete` if no cluster answers.
    """
    if find_spec("ray") is None:
        raise MissingExtra("--executor ray needs Ray", fix="pip install 'row3[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to Ray's makers
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of its own future
    import ray

    if not ray.is_initialized():
        connect(ray, address, jobs)
    cores = int(ray.cluster_resources().get("CPU", 1))
    most = cores if tasks is None else -(-tasks // LARGE_CHUNK)
    return RayActors(ray, max(1, min(jobs or cores, cores, most)))


class CaseWorker:
    """An actor: it loads work once, and then does tasks of it."""

    def __init__(self) -> None:
        gc.set_threshold(COLLECT_AFTER)
        self._work: Work[Any, Any]

    def load(self, version: str, pickled: bytes, seen: str) -> None:
        """Load work, pickled by the same version of row3. Raises `EnvironmentFault` if this node sees other files."""
        from ray import cloudpickle

        check_version(version)
        node, same = socket.gethostname(), "Give every node the same project at the same path"
        try:
            self._work = cloudpickle.loads(pickled)
            here = self._work.seen()
        except Row3Error as error:
            raise EnvironmentFault(f"node {node} does not see the project: {error}", where=OPTION, fix=same) from None
        if here != seen:
            raise EnvironmentFault(f"node {node} has other golden cases", where=OPTION, fix=same)
        gc.freeze()  # what stays need not be searched for cycles

    def do(self, task: Any) -> bytes:
        """Do a task, as `done`; the result is pickled here, as Ray's own pickling takes longer."""
        return pickle.dumps(done(self._work, task), pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True, slots=True)
class RayActors:
    """Does tasks in the actors of a cluster. A task during which its worker ends is done again by another."""

    ray: Any
    workers: int
    chunk: int = LARGE_CHUNK

    @contextmanager
    def open(self, work: Work[Task, Result]) -> Iterator[Callable[[Task], Future[Result]]]:
        """Start the actors, as `Executor.open`.

        Tasks raise `EnvironmentFault` if an actor does not see what this process does, `RunIncomplete` if the head is
        gone.
        """
        dispatcher = _Dispatcher(self.ray, work, self.workers)
        dispatcher.start()
        try:
            yield dispatcher.submit
        finally:
            dispatcher.end()


@dataclass(eq=False, slots=True)
class _Turn:
    """A task until it is done."""

    task: Any
    future: Future[Any] = field(default_factory=Future)
    losses: int = 0


@dataclass(eq=False, slots=True)
class _Actor:
    handle: Any
    turns: deque[_Turn] = field(default_factory=deque)
    """What it was sent, in order."""
    loaded: bool = False

    @property
    def alone(self) -> bool:
        """Whether its task gets no other behind it."""
        return any(turn.losses for turn in self.turns)


class _Dispatcher(threading.Thread):
    """Hands tasks to actors and takes their results; only this thread speaks with the cluster."""

    def __init__(self, ray: Any, work: Work[Any, Any], actors: int) -> None:
        super().__init__(daemon=True, name="row3-ray")
        self._ray, self._work, self._count = ray, work, actors
        self._address = str(ray.get_runtime_context().gcs_address)
        self._new: SimpleQueue[_Turn | None] = SimpleQueue()
        self._waiting: deque[_Turn] = deque()
        self._actors: list[_Actor] = []
        self._sent: dict[Any, tuple[_Actor, _Turn | None]] = {}
        """By reference of the result, oldest first; no turn for loading the work."""
        self._unborn = 0
        """Actors that ended before they had loaded the work, since one did."""
        self._begun = time.monotonic()
        self._fault: BaseException | None = None
        self._left: set[_Turn] = set()
        """Tasks without a result; like the fault also used by other threads, under the lock."""
        self._lock, self._ended = threading.Lock(), threading.Event()

    def submit(self, task: Any) -> Future[Any]:
        """Add a task."""
        turn = _Turn(task)
        turn.future.set_running_or_notify_cancel()  # a run that is interrupted cancels what it waits for
        with self._lock:
            self._left.add(turn)
            fault = self._fault
        if fault is None:
            self._new.put(turn)
        else:
            self._settle(turn, error=fault)
        return turn.future

    def end(self) -> None:
        """Stop, and end the actors, unless the head is gone: then Ray's calls do not return."""
        self._ended.set()
        self._new.put(None)
        if isinstance(self._fault, RunIncomplete):
            return
        self.join()
        for actor in self._actors:
            self._ray.kill(actor.handle)

    def run(self) -> None:
        """Dispatch until `end`; a fault is that of every task left."""
        threading.Thread(target=watch_head, args=(self._address, self._ended, self._fail), daemon=True).start()
        try:
            self._open()
            while self._take():
                self._send()
                self._receive()
        except BaseException as error:
            self._fail(error)

    def _fail(self, fault: BaseException) -> None:
        with self._lock:
            self._fault = self._fault or fault
            left = [*self._left]
        for turn in left:
            self._settle(turn, error=fault)

    def _settle(self, turn: _Turn, result: Any = None, error: BaseException | None = None) -> None:
        with self._lock:
            if turn not in self._left:
                return
            self._left.remove(turn)
        if error is None:
            turn.future.set_result(result)
        else:
            turn.future.set_exception(error)

    def _open(self) -> None:
        from ray import cloudpickle

        self._seen, self._pickled = self._work.seen(), self._ray.put(cloudpickle.dumps(self._work))
        # Nothing of row3's is kept on a node; the actors spread over the nodes, as each has its own processors.
        self._class = self._ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(CaseWorker)
        for _ in range(self._count):
            self._add()

    def _add(self) -> None:
        actor = _Actor(self._class.remote())
        self._actors.append(actor)
        self._sent[actor.handle.load.remote(__version__, self._pickled, self._seen)] = actor, None

    def _take(self) -> bool:
        """Take new tasks, and wait for one if there is nothing to do; return False at the end."""
        idle = not self._waiting and not any(actor.turns for actor in self._actors)
        with suppress(Empty):
            while True:
                turn = self._new.get(block=idle)
                if turn is None:
                    return False
                self._waiting.append(turn)
                idle = False
        return True

    def _send(self) -> None:
        """Send tasks; one during which an actor ended goes alone, so that no other is taken for what ended the next."""
        while self._waiting:
            turn = self._waiting[0]
            most = 1 if turn.losses else QUEUED
            free = [actor for actor in self._actors if actor.loaded and len(actor.turns) < most and not actor.alone]
            if not free:
                return
            self._waiting.popleft()
            actor = min(free, key=lambda each: len(each.turns))
            actor.turns.append(turn)
            self._sent[actor.handle.do.remote(turn.task)] = actor, turn

    def _receive(self) -> None:
        """Wait for a result, and take all there are, oldest first: so a lost task is the one its actor was at."""
        if self._ray.wait([*self._sent], timeout=POLL_S)[0]:
            ready = set(self._ray.wait([*self._sent], num_returns=len(self._sent), timeout=0)[0])
            for ref in [ref for ref in self._sent if ref in ready]:
                if ref in self._sent:
                    self._finish(ref, *self._sent.pop(ref))
        if time.monotonic() - self._begun > START_LIMIT_S and not any(actor.loaded for actor in self._actors):
            raise none_started()

    def _finish(self, ref: Any, actor: _Actor, turn: _Turn | None) -> None:
        from ray.exceptions import RayError, RayTaskError

        try:
            result = self._ray.get(ref)
        except RayTaskError as error:  # the work's own, as in this process
            cause = cause_of(error)
            if turn is None:
                raise cause from None
            actor.turns.remove(turn)
            self._settle(turn, error=cause)
        except RayError as error:
            self._replace(actor, error)
        else:
            if turn is None:
                actor.loaded, self._unborn, self._begun = True, 0, time.monotonic()
            else:
                actor.turns.remove(turn)
                self._settle(turn, pickle.loads(result))  # noqa: S301 - from an actor of this command

    def _replace(self, actor: _Actor, error: Exception) -> None:
        """Give the tasks of an actor that ended to others."""
        self._actors.remove(actor)
        self._sent = {ref: sent for ref, sent in self._sent.items() if sent[0] is not actor}
        with suppress(Exception):
            self._ray.kill(actor.handle)  # one that cannot be reached may live on
        if not actor.loaded:
            self._unborn += 1
            if self._unborn >= MOST_LOSSES * self._count:
                raise no_start(error)
        elif actor.turns:
            self._lose(actor.turns, line_of(error))
        self._waiting.extendleft(reversed(actor.turns))
        self._add()

    def _lose(self, turns: deque[_Turn], why: str) -> None:
        turns[0].losses += 1
        if turns[0].losses < MOST_LOSSES:
            return
        turn = turns.popleft()
        try:
            why = f"{MOST_LOSSES} workers ended during its task: {why}"
            self._settle(turn, self._work.lost(turn.task, why))
        except Row3Error as error:
            self._settle(turn, error=error)


def cause_of(error: Any) -> Exception:
    """Return what an actor's method raised, from Ray's error for it."""
    return error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))


def none_started() -> RunIncomplete:
    """Return the error for actors that the cluster does not start."""
    fix = "Free processors in the cluster, or leave --executor ray out"
    return RunIncomplete(f"no worker started in {START_LIMIT_S:.0f} seconds", where=OPTION, fix=fix)


def no_start(error: Exception) -> EnvironmentFault:
    """Return the error for actors that end when they start."""
    cause, fix = line_of(error, -1), "Install row3 with its extra `ray` on every node"  # the end of a traceback
    return EnvironmentFault(f"no worker starts: {cause}", where=OPTION, fix=fix)
