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
from typing import TYPE_CHECKING, Any, BinaryIO

from row3.domain.embeddings import EmbeddingRequest
from row3.domain.progress import Observer
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.files import disk_faults, no_follow, read_bytes, write_atomic
from row3.project.json_lines import MAX_BYTES, LineFile
from row3.project.local_state import in_state
from row3.project.project import Project
from row3.project.recording_lines import from_line, merge, to_line
from row3.project.recordings import RecordingIndex, open_index, open_journal
from row3.project.transaction import locked, writing
from row3.providers.base import Provider
from row3.running.asks import Given, Question
from row3.running.budget import Budget, Prices
from row3.running.case_results import spent_on
from row3.running.collect import new_run_id, now, run_id_at
from row3.running.meanings import Meanings
from row3.running.replay import refuse_replacing
from row3.running.session import Session

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor

    from filelock import BaseFileLock

FOLDER = "journal"
ENDED = ".ended.jsonl"
"""End of the names of journals that only `--continue` reads."""
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

    def take_turn(self, models: Iterable[str], say: Callable[[str], None]) -> list[LineFile]:
        """Wait until no other run asks these models about the suite; return the journals of those under way.

        So identical requests are paid once. A killed run ends its turn. Raises `EnvironmentFault`.
        """
        others: dict[Path, LineFile | None] = {}  # kept open, to be readable after their run removes them
        for model in sorted(set(models)):
            name = f"{FOLDER}/{self._run}--{digest_text(model)[:16]}.lock"
            waits = False
            while (turn := locked(self._root, name)) is None:
                if not waits:
                    say(f"another row3 is asking {model} about these cases; waiting for its answers")
                self._open(others)
                waits = True
                time.sleep(POLL_S)
            self._turns.append(turn)
        self._open(others)  # one may have asked everything, but not yet ended
        return [other for other in others.values() if other is not None]

    def _open(self, others: dict[Path, LineFile | None]) -> None:
        """Open the journals of other runs under way; None stands for one that is over."""
        for path in {*self.path.parent.glob(f"{self._run}--*.jsonl")}.difference(others, [self.path]):
            others[path] = None
            if not path.name.endswith(ENDED) and not _is_over(self._root, path):
                with contextlib.suppress(InvalidFile):
                    others[path] = open_journal(path)

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


def abandoned(root: Path, suite: str, kind: str, *, also_ended: bool = False) -> list[Path]:
    """Return the journals of interrupted runs, or also of those that ended without all answers, oldest first."""
    folder = in_state(root, FOLDER)
    found = sorted(folder.glob(f"{suite}--{kind}--*.jsonl")) if folder.is_dir() else []
    left = [path for path in found if (also_ended or not path.name.endswith(ENDED)) and _is_over(root, path)]
    return [in_state(root, f"{FOLDER}/{path.name}") for path in left]


def _is_over(root: Path, path: Path) -> bool:
    """Return whether no process writes a journal any more."""
    with contextlib.suppress(EnvironmentFault):
        if (lock := locked(root, f"{FOLDER}/{_lock_of(path).name}")) is not None:
            lock.release()
            return True
    return False


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
"""Hours for which a run can continue; later, its answers say nothing of the model now."""


@dataclass(slots=True)
class SavedAnswers:
    """The answers of one side of a run: recorded ones, those of runs that it continues, and new ones."""

    project: Project
    suite: str
    kind: str
    own: Journal
    index: RecordingIndex
    """Recordings, if they answer too; behind them `left`."""
    left: RecordingIndex
    """Answers of the runs that this one continues or waited for, the latest first."""
    replaced: RecordingIndex | None = None
    """The suite's recordings, if new answers replace them."""
    complete: bool = False
    """Whether the run has all its answers."""
    reused: int = 0
    """Number of answers taken from other runs."""
    _asked: set[str] = field(default_factory=set)

    @classmethod
    def open(
        cls,
        session: Session,
        kind: str,
        *,
        recordings: bool = False,
        replaces: bool = False,
        models: Iterable[str] = (),
    ) -> SavedAnswers:
        """Begin a journal once no other run of this kind asks the models about the suite.

        It continues runs of the same command only: interrupted ones, and with `--continue` those that ended.

        Args:
            kind: separates journals to be recorded, those that are not, and the two sides of a comparison.
            recordings: the suite's recordings answer too.
            replaces: new answers replace the suite's recordings.
            models: the models to ask.
        """
        project, suite, command = session.project, session.suite.name, digest_text(session.command.typed)[:16]
        own = Journal(project.root, suite, kind, f"{command}--{new_run_id()}")
        others = own.take_turn(models, session.say)
        oldest = run_id_at(datetime.now(UTC) - timedelta(hours=RESUMABLE_H))
        earlier = abandoned(project.root, suite, kind, also_ended=True)
        discard([path for path in earlier if path.stem.rpartition("--")[2] < oldest])
        kind = f"{kind}--{command}"
        earlier = abandoned(project.root, suite, kind, also_ended=session.options.resume)
        left = open_index(None, suite, [*others, *reversed(earlier)])
        index = open_index(project.tree if recordings else None, suite)
        index.fallback = left
        replaced = open_index(project.tree, suite) if replaces else None
        return cls(project, suite, kind, own, index, left, replaced)

    def known(self, request: Request) -> Answer | None:
        """Return the saved or recorded answer, if any.

        Raises `UsageError` if there is none and a new one would replace another prompt version's.
        """
        answer = self.index.answer(request)
        if answer is None and self.replaced is not None:
            refuse_replacing(self.project, self.replaced, request)
        return answer

    async def take(self, request: Request) -> Answer | None:
        """Return the `known` answer; another run's becomes this run's own."""
        self._asked.add(request.digest)
        answer = self.known(request)
        if answer is not None and request.digest not in self.index:
            self.reused += 1
            first = self.left.first(request.digest)
            await self.own.keep(request, answer, recorded_at="" if first is None else first.recorded_at)
        return answer

    def record(self, say: Callable[[str], None]) -> None:
        """Write the run's answers to the suite's recordings."""
        if lines := lines_of(self.own.path):
            with writing(self.project.root, say=say):
                merge(self.project.root, self.suite, lines)

    def finish(self) -> None:
        """End the run. If it lacks answers, `--continue` finds those it has; earlier ones to its requests are gone."""
        over = self._asked.union(self.index.digests())
        for path in abandoned(self.project.root, self.suite, self.kind, also_ended=True):
            lines = lines_of(path)
            kept = [line for line in lines if from_line(line, where=f"journal {path.name}").digest not in over]
            if not kept:
                discard([path])
            elif len(kept) < len(lines):
                write_atomic(path, "".join(f"{line}\n" for line in kept), where=str(path))
        self.own.close()
        if not self.complete and self.own.path.exists():
            with disk_faults(str(self.own.path)):
                self.own.path.replace(self.own.path.with_suffix(ENDED))
        discard([self.own.path])


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
    scorer: Executor | None = None
    """Its thread reads and scores answers beside the event loop."""
    asked: dict[str, asyncio.Future[Answer | NoAnswer]] = field(default_factory=dict)
    """Other requests, by digest; each side of a comparison has its own."""
    omitted: set[str] = field(default_factory=set)
    """Parameters that new answers were given without."""

    async def answer(self, question: Question) -> Given:
        """Return the answer to a request, or the vectors of texts. Raises what provider and embedder raise."""
        if isinstance(question, EmbeddingRequest):
            assert self.meanings is not None
            return await self.meanings.of(question)
        answer = await self._once(question)
        if isinstance(answer, Answer):
            spent = spent_on(question, answer)
            self.observer.answered(spent, 0.0 if spent.replayed else spent.usd(self.prices.usd))
        return answer

    async def _once(self, request: Request) -> Answer | NoAnswer:
        """Ask, or share what an identical request got or will get: cases with equal inputs have one answer."""
        import asyncio

        asked = self.grades if request.by == JUDGE else self.asked
        if (first := asked.get(request.digest)) is not None:
            answer = await first
            if isinstance(answer, Answer):
                if request.by == JUDGE:
                    await self.saved.own.keep(request, answer, recorded_at=now())
                answer = answer._replace(replayed=True)
            return answer
        asked[request.digest] = asyncio.ensure_future(self._ask(request))
        return await asked[request.digest]

    def beside(self, do: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        """Call a function in the scorer's thread."""
        from asyncio import get_running_loop

        return get_running_loop().run_in_executor(self.scorer, do, *given)

    async def close(self) -> None:
        """Close provider and embedder."""
        await self.provider.close()
        if self.meanings is not None:
            await self.meanings.close()

    async def _ask(self, request: Request) -> Answer | NoAnswer:
        if (known := await self.saved.take(request)) is not None:
            return known
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
            self.omitted.update(answer.omitted)
            await self.saved.own.keep(request, answer, recorded_at=now())
        return answer
