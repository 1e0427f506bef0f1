"""Evaluate many cases in this process, in forked ones, or in those of a Ray cluster."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from row3.domain.runs import Shard
from row3.domain.scores import CaseScore
from row3.project.cases import Cases, StoredCase
from row3.project.json_lines import Keys
from row3.project.tree import folder_digest
from row3.running.case_results import Packing
from row3.running.processes import COLLECT_AFTER, PARALLEL_FROM, Executor, Work, in_order, processes_for

if TYPE_CHECKING:
    from row3.providers.relay import Relay


def executor_for(tasks: int, jobs: int | None, ray: str | None) -> Executor | None:
    """Return the cluster at the address `ray`, else what `processes_for` returns. Raises as `cluster_at`."""
    return processes_for(tasks, jobs) if ray is None else cluster_at(ray, jobs, tasks)


def cluster_at(ray: str | None, jobs: int | None = None, tasks: int | None = None) -> Executor | None:
    """Return a Ray cluster, for so many cases; None without an address.

    Raises `MissingExtra` without Ray, and `RunIncomplete` if no cluster answers.
    """
    if ray is None:
        return None
    from row3.running.ray_cluster import open_cluster

    return open_cluster(ray, jobs, tasks)


@contextlib.contextmanager
def relay_at(ray: str | None, requests: int) -> Iterator[Relay | None]:
    """Yield what has so many requests at once sent by a Ray cluster, as `cluster_at`; None without an address."""
    if ray is None:
        yield None
        return
    from row3.running.ray_relay import open_relay

    with open_relay(ray, requests) as relay:
        yield relay


@dataclass(frozen=True, slots=True)
class _Evaluation(Work[int, list[CaseScore]]):
    """Evaluates the cases at some paths; a task is the number of its first path."""

    cases: Cases
    folder: str
    paths: Sequence[str]
    evaluate: Callable[[StoredCase], CaseScore]
    pack: Packing
    wanted: Callable[[str], bool]
    size: int

    def __call__(self, start: int) -> list[CaseScore]:
        return self._done(start, [self.pack(stored, self.evaluate(stored)) for stored in self._part(start)])

    def lost(self, start: int, why: str) -> list[CaseScore]:
        return self._done(start, [self.pack.lost(stored, why) for stored in self._part(start)])

    def seen(self) -> str:
        return folder_digest(self.cases.tree, self.folder)

    def _done(self, start: int, scores: list[CaseScore]) -> list[CaseScore]:
        return scores if self.pack.shared is None else self.pack.shared.write(start, scores)

    def _part(self, start: int) -> Iterator[StoredCase]:
        read = self.cases.at(self.paths[start : start + self.size], self.pack.suite.kind)
        return (stored for stored in read if self.wanted(stored.id))


def evaluate_all(
    cases: Cases,
    evaluate: Callable[[StoredCase], CaseScore],
    pack: Packing,
    wanted: Callable[[str], bool],
    *,
    jobs: int | None,
    shard: Shard | None = None,
    ray: str | None = None,
) -> Iterator[CaseScore]:
    """Evaluate and pack every wanted case, of a shard or the suite, in file order.

    Raises what `evaluate` raises, as `executor_for`, and `InvalidFile` for an id twice.
    """
    folder = pack.suite.golden
    paths = cases.scored(folder)
    paths = paths if shard is None else shard.part(paths)
    executor = executor_for(len(paths), jobs, ray)
    if pack.shared is not None:
        size = pack.shared.part_size(executor, len(paths))
    else:
        size = 1 if executor is None else executor.chunk
    work, starts = _Evaluation(cases, folder, paths, evaluate, pack, wanted, size), range(0, len(paths), size)
    seen = Keys()
    with few_collections() if len(paths) >= PARALLEL_FROM else contextlib.nullcontext():
        results: Iterator[list[CaseScore]] = in_order(executor, work, starts)
        for result in chain.from_iterable(results):
            seen.append(result.case_id)
            yield result
    if seen.twice():
        list(cases.read(folder, pack.suite.kind))  # names the two files of an id


@contextlib.contextmanager
def few_collections() -> Iterator[None]:
    """Keep the garbage collector from writing to, and so copying, the pages that forked processes share."""
    often = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*often)
        gc.unfreeze()
