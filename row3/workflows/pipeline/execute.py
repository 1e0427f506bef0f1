"""Driving cases through the pipeline by their recordings, in one or several processes."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from row3.domain.embeddings import EmbeddingRequest
from row3.domain.scores import CaseScore
from row3.kinds.base import Kind
from row3.store.cases import StoredCase, read_case
from row3.store.recording_index import RecordingIndex
from row3.store.tree import Tree
from row3.workflows.pipeline.evaluate import Asking, steps
from row3.workflows.pipeline.meanings import recorded
from row3.workflows.pipeline.missing_recording import miss
from row3.workflows.pipeline.results import CaseResult, Packing, Transcript
from row3.workflows.pipeline.spool import SharedFile

PARALLEL_FROM = 300
"""Cases from which a second process pays for its start."""
CHUNK = 40

Evaluate = Callable[[StoredCase], CaseResult]


@dataclass(slots=True)
class Replay:
    """Answers from recordings only."""

    asking: Asking
    index: RecordingIndex
    pack: Packing

    def __call__(self, stored: StoredCase) -> CaseResult:
        """Evaluate one case; raises `InvalidFile` for a template that fails or a broken recording."""
        transcript = Transcript()
        walk = steps(self.asking, stored)
        try:
            request = next(walk)
            while True:
                if isinstance(request, EmbeddingRequest):
                    request = walk.send(recorded(request, self.index.embeddings(request.model)))
                    continue
                answer = self.index.answer(request) or miss(self.index, request, self.asking.lineup)
                transcript.add(request, answer)
                request = walk.send(answer)
        except StopIteration as end:
            score: CaseScore = end.value
        return self.pack(stored, score, transcript)


@dataclass(frozen=True, slots=True)
class Work:
    """What a process does with a case file; inherited by fork, so it need not be pickled."""

    evaluate: Evaluate
    kind: Kind
    wanted: Callable[[str], bool]
    tree: Tree
    """Where the golden cases are read from."""
    detailed: bool = True
    """Results have details."""

    def run(self, paths: Iterable[str]) -> Iterator[CaseResult]:
        """Read and evaluate the files, leaving out the cases that are not wanted."""
        for path in paths:
            stored = read_case(self.tree, path, self.kind)
            if self.wanted(stored.id):
                yield self.evaluate(stored)


def _cores() -> int:
    """Cores that this process may use: a container or `taskset` may leave it fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


COLLECT_AFTER = 50_000
"""Objects from which on a worker looks for cycles; scoring makes none, and looking at every 700 takes a tenth."""


def evaluate_all(files: list[str], work: Work, *, jobs: int | None) -> Iterator[CaseResult]:
    """Evaluate every case, results in the order of the files.

    Many cases are shared among forked processes, in windows, so that finished results do not pile up. Their details
    are then places in files without names. Raises what evaluating raises; `EnvironmentFault` where a process is killed.
    """
    workers = min(jobs or _cores(), len(files) // CHUNK)
    if len(files) < PARALLEL_FROM or workers < 2:
        yield from work.run(files)
        return
    from row3.workflows.pipeline.sending import Sent, receive, send
    from row3.workflows.pipeline.workers import in_order, may_start

    if not may_start():
        yield from work.run(files)
        return

    details = [SharedFile() if work.detailed else None for _ in range(workers)]

    def evaluate(worker: int, paths: list[str]) -> Sent:
        return send(work.run(paths), details[worker])

    chunks = [files[i : i + CHUNK] for i in range(0, len(files), CHUNK)]
    gc.freeze()  # a collection in a worker would write to, and so copy, every page it shares
    often = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER)  # nor do the results that arrive make cycles
    try:
        for sent in in_order(chunks, evaluate, workers=workers):
            yield from receive(sent)
    finally:
        gc.set_threshold(*often)
        gc.unfreeze()
