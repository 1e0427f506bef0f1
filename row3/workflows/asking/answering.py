"""Answer requests from saved answers, else from a provider, saving each answer as it arrives."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from row3.domain.embeddings import EmbeddingRequest
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.providers.base import Provider
from row3.store.files import disk_faults, no_follow, read_bytes
from row3.store.json_lines import MAX_BYTES, LineFile
from row3.store.local import in_state
from row3.store.project import Project
from row3.store.recording_lines import merge, to_line
from row3.store.recordings import RecordingIndex, open_index, open_journal
from row3.store.transaction import locked, writing
from row3.workflows.pipeline.asks import Given, Question
from row3.workflows.pipeline.budget import Budget, Prices
from row3.workflows.pipeline.collecting import new_run_id, now, run_id_at
from row3.workflows.pipeline.meanings import Meanings
from row3.workflows.pipeline.replaying import refuse_replacing
from row3.workflows.pipeline.results import Observer, spent_on

if TYPE_CHECKING:
    import asyncio

    from filelock import BaseFileLock

FOLDER = "journal"
POLL_S = 0.2
"""Seconds between two checks whether another run has finished."""


class Journal:
    """The journal of one run; runs only continue from journals of their `kind`."""

    def __init__(self, root: Path, suite: str, kind: str, run_id: str) -> None:
        self._root, self._run = root, f"{suite}--{kind}"
        self.path = in_state(root, f"{FOLDER}/{self._run}--{run_id}.jsonl")
        self._lock = locked(root, f"{FOLDER}/{_lock_of(self.path).name}")
        self._turns: list[BaseFileLock] = []
        self._file: BinaryIO | None = self._opened()  # a run that waits for this one finds it from now on
        self._queue: list[tuple[Request, Answer, str]] = []
        self._commit: asyncio.Future[None] | None = None
        self._writing = threading.Lock()  # an interruption does not end the writing thread
        self._queued = self._written = 0

    def _opened(self) -> BinaryIO:
        with disk_faults(str(self.path)):
            return open(self.path, "ab", opener=no_follow)

    def take_turn(self, models: Iterable[str], say: Callable[[str], None]) -> None:
        """Wait until no other run asks these models about the suite, then copy the answers those runs got.

        So identical requests are paid once. A killed run ends its turn. Raises as `keep`.
        """
        others: dict[Path, LineFile] = {}  # kept open, to be readable after their run removes them
        for model in sorted(set(models)):
            name = f"{FOLDER}/{self._run}--{digest_text(model)[:16]}.lock"
            waits = False
            while (turn := locked(self._root, name)) is None:
                if not waits:
                    say(f"another row3 is asking {model} about these cases; waiting for its answers")
                for path in {*self.path.parent.glob(f"{self._run}--*.jsonl")}.difference(others, [self.path]):
                    with contextlib.suppress(InvalidFile):
                        others[path] = open_journal(path)
                waits = True
                time.sleep(POLL_S)
            self._turns.append(turn)
        lines = dict.fromkeys(raw for other in others.values() for _, raw in other if raw.endswith(b"\n"))
        if lines:
            assert self._file is not None
            with disk_faults(str(self.path)):
                self._file.writelines(lines)
                self._file.flush()

    def end_turn(self) -> None:
        """Let waiting runs begin."""
        for turn in self._turns:
            turn.release()

    async def keep(self, request: Request, answer: Answer, *, recorded_at: str) -> None:
        """Write an answer to disk, together with others that arrive meanwhile. Raises `EnvironmentFault`."""
        import asyncio

        self._queue.append((request, answer, recorded_at))
        self._queued += 1
        number = self._queued
        while self._written < number:
            if self._commit is None or self._commit.done():
                self._commit = asyncio.ensure_future(asyncio.to_thread(self._write))
            await asyncio.shield(self._commit)

    def end(self) -> None:
        """Write any answers still queued and close the file. Raises as `keep`."""
        self._write()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self) -> None:
        """Write the queued answers and flush them to disk."""
        with self._writing, disk_faults(str(self.path)):
            group, self._queue = self._queue, []
            if not group:
                return
            if self._file is None:
                self._file = self._opened()
            lines = (to_line(request, answer, recorded_at=at).encode() for request, answer, at in group)
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._written += len(group)

    def close(self) -> None:
        """Close the file and release the lock; remove the file if it is empty."""
        self.end()
        if self.path.exists() and not self.path.stat().st_size:
            discard([self.path])
        if self._lock is not None:
            self._lock.release()


def abandoned(root: Path, suite: str, kind: str) -> list[Path]:
    """Return the journals of interrupted runs, oldest first."""
    folder = in_state(root, FOLDER)
    found = []
    for path in sorted(folder.glob(f"{suite}--{kind}--*.jsonl")) if folder.is_dir() else ():
        with contextlib.suppress(EnvironmentFault):
            if (lock := locked(root, f"{FOLDER}/{_lock_of(path).name}")) is not None:
                lock.release()
                found.append(in_state(root, f"{FOLDER}/{path.name}"))
    return found


def lines_of(path: Path) -> list[str]:
    """Return the complete lines of a journal, without one cut off by a crash."""
    if not path.exists():
        return []
    raw = read_bytes(path, where=f"journal {path.name}", limit=MAX_BYTES, follow=False)
    return [line.decode("utf-8") for line in raw.split(b"\n")[:-1] if line.strip()]


def discard(paths: Iterable[Path]) -> None:
    """Remove journals and their locks."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


RESUMABLE_H = 24
"""Hours for which an interrupted comparison can continue; later, its answers are out of date."""
ALWAYS_RESUMABLE = ("live", "record")
"""Kinds of journal that a run continues however old they are."""


@dataclass(slots=True)
class SavedAnswers:
    """The answers of one side of a run: those an interrupted run saved, and new ones."""

    project: Project
    suite: str
    left: list[Path]
    own: Journal
    index: RecordingIndex
    replaced: RecordingIndex | None = None
    """The suite's recordings, if new answers replace them."""

    @classmethod
    def open(
        cls,
        project: Project,
        suite: str,
        kind: str,
        *,
        recordings: bool = False,
        replaces: bool = False,
        models: Iterable[str] = (),
        say: Callable[[str], None] = lambda _: None,
    ) -> SavedAnswers:
        """Begin a journal once no other run of this kind asks the models about the suite.

        Args:
            kind: separates journals to be recorded, those that are not, and the two sides of a comparison.
            recordings: the suite's recordings answer too.
            replaces: new answers replace the suite's recordings.
            models: the models to ask.
            say: shows that another run is being waited for.
        """
        own = Journal(project.root, suite, kind, new_run_id())
        own.take_turn(models, say)
        left = abandoned(project.root, suite, kind)
        if kind not in ALWAYS_RESUMABLE:
            oldest = run_id_at(datetime.now(UTC) - timedelta(hours=RESUMABLE_H))
            stale = [path for path in left if path.stem.rpartition("--")[2] < oldest]
            discard(stale)
            left = [path for path in left if path not in stale]
        index = open_index(project.tree if recordings else None, suite, [*left, own.path])
        replaced = open_index(project.tree, suite) if replaces else None
        return cls(project, suite, left, own, index, replaced)

    @property
    def waiting(self) -> int:
        """Number of answers saved by interrupted runs."""
        names = tuple(f"journal {path.name}:" for path in self.left)
        return sum(self.index.place(digest).startswith(names) for digest in self.index.digests())

    def known(self, request: Request) -> Answer | None:
        """Return the saved or recorded answer, if any.

        Raises `UsageError` if there is none and a new one would replace another prompt version's.
        """
        answer = self.index.answer(request)
        if answer is None and self.replaced is not None:
            refuse_replacing(self.project, self.replaced, request)
        return answer

    def lines(self) -> list[str]:
        """Return the journals' answers as lines of recordings."""
        return list(dict.fromkeys(line for path in (*self.left, self.own.path) for line in lines_of(path)))

    def record(self, say: Callable[[str], None]) -> None:
        """Write the journals' answers to the suite's recordings."""
        lines = self.lines()
        if lines:
            with writing(self.project.root, say=say):
                merge(self.project.root, self.suite, lines)

    def discard(self) -> None:
        """Remove the journals."""
        self.own.close()
        discard([*self.left, self.own.path])


@dataclass(slots=True)
class LiveAnswerer:
    """Answers requests from journals or recordings, else from the provider."""

    provider: Provider
    saved: SavedAnswers
    observer: Observer
    prices: Prices
    grades: dict[str, asyncio.Future[Answer | NoAnswer]]
    """Requests to judges, by digest; shared by both sides of a comparison."""
    budget: Budget | None = None
    meanings: Meanings | None = None
    """Source of vectors for matching by meaning; the budget does not cover them."""
    under_way: dict[str, asyncio.Future[Answer | NoAnswer]] = field(default_factory=dict)
    """Other requests under way, by digest; each side of a comparison has its own."""

    async def answer(self, question: Question) -> Given:
        """Return the answer to a request, or the vectors of texts. Raises what provider and embedder raise."""
        if isinstance(question, EmbeddingRequest):
            assert self.meanings is not None
            return await self.meanings.of(question)
        answer: Answer | NoAnswer | None = self.saved.known(question)
        if answer is None:
            answer = await self._once(question)
        if isinstance(answer, Answer):
            spent = spent_on(question, answer)
            self.observer.answered(spent, 0.0 if spent.replayed else spent.usd(self.prices.usd))
        return answer

    async def _once(self, request: Request) -> Answer | NoAnswer:
        """Ask, or wait for an identical request under way; a judge's request is sent once per run."""
        import asyncio

        asked = self.grades if request.by == JUDGE else self.under_way
        if (first := asked.get(request.digest)) is not None:
            answer = await first
            if isinstance(answer, Answer):
                if request.by == JUDGE:
                    await self.saved.own.keep(request, answer, recorded_at=now())
                answer = answer._replace(replayed=True)
            return answer
        asked[request.digest] = asyncio.ensure_future(self._ask(request))
        try:
            return await asked[request.digest]
        finally:
            self.under_way.pop(request.digest, None)

    async def close(self) -> None:
        """Close provider and embedder."""
        await self.provider.close()
        if self.meanings is not None:
            await self.meanings.close()

    async def _ask(self, request: Request) -> Answer | NoAnswer:
        reserved = 0.0 if self.budget is None else await self.budget.admit(request, self.prices)
        if isinstance(reserved, NoAnswer):
            return reserved
        answer: Answer | NoAnswer | None = None
        try:
            answer = await self.provider.ask(request)
        finally:
            if self.budget is not None:
                self.budget.settle(reserved, request, answer, self.prices)
        if isinstance(answer, Answer):
            await self.saved.own.keep(request, answer, recorded_at=now())
        return answer
