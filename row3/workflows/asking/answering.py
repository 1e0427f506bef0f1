"""Answers from a provider: what is known already, else asked for, and kept the moment it arrives."""

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
from row3.store.project import Project
from row3.store.recording_lines import merge, to_line
from row3.store.recordings import RecordingIndex, open_index, open_journal
from row3.store.transaction import in_local, local_folder, locked, writing
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
LOOK_AGAIN_S = 0.2
"""Between two looks whether another run is done."""


class Journal:
    """The journal of one run; `kind` keeps those that will be saved apart from those that will not."""

    def __init__(self, local: Path, suite: str, kind: str, run_id: str) -> None:
        folder = in_local(local_folder(local), FOLDER)
        with disk_faults(".row3/journal"):
            folder.mkdir(parents=True, exist_ok=True)
        self._local, self._run = local, f"{suite}--{kind}"
        self.path = in_local(local, f"{FOLDER}/{self._run}--{run_id}.jsonl")
        self._lock = locked(local, f"{FOLDER}/{_lock_of(self.path).name}")
        self._turns: list[BaseFileLock] = []
        self._file: BinaryIO | None = self._opened()  # from now on, who waits for this run sees it
        self._waiting: list[tuple[Request, Answer, str]] = []
        self._commit: asyncio.Future[None] | None = None
        self._writing = threading.Lock()  # an interruption does not end the thread that writes
        self._came = self._kept = 0

    def _opened(self) -> BinaryIO:
        with disk_faults(".row3/journal"):
            return open(self.path, "ab", opener=no_follow)

    def take_turn(self, models: Iterable[str], say: Callable[[str], None]) -> None:
        """Wait until no other run asks one of the models about the suite, and take in what others were answered
        meanwhile: identical requests are paid once. A run that is killed ends its turn. Raises as `keep`.
        """
        others: dict[Path, LineFile] = {}  # open, so that they can be read when their run has removed them
        for model in sorted(set(models)):
            name = f"{FOLDER}/{self._run}--{digest_text(model)[:16]}.lock"
            waits = False
            while (turn := locked(self._local, name)) is None:
                if not waits:
                    say(f"another row3 is asking {model} about these cases; waiting for its answers")
                for path in {*self.path.parent.glob(f"{self._run}--*.jsonl")}.difference(others, [self.path]):
                    with contextlib.suppress(InvalidFile):
                        others[path] = open_journal(path)
                waits = True
                time.sleep(LOOK_AGAIN_S)
            self._turns.append(turn)
        lines = dict.fromkeys(line.raw for other in others.values() for line in other if line.raw.endswith(b"\n"))
        if lines:
            assert self._file is not None
            with disk_faults(".row3/journal"):
                self._file.writelines(lines)
                self._file.flush()

    def end_turn(self) -> None:
        """Let the next run ask."""
        for turn in self._turns:
            turn.release()

    async def keep(self, request: Request, answer: Answer, *, recorded_at: str) -> None:
        """Return when an answer is on disk. Raises `EnvironmentFault`.

        What comes while others are written waits, and is written as one group.
        """
        import asyncio

        self._waiting.append((request, answer, recorded_at))
        self._came += 1
        number = self._came
        while self._kept < number:
            if self._commit is None or self._commit.done():
                self._commit = asyncio.ensure_future(asyncio.to_thread(self._write))
            await asyncio.shield(self._commit)

    def end(self) -> None:
        """Write what an interruption left waiting, and close the file; nothing more comes. Raises as `keep`."""
        self._write()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self) -> None:
        """Write all that waits, and flush it to disk."""
        with self._writing, disk_faults(".row3/journal"):
            group, self._waiting = self._waiting, []
            if not group:
                return
            if self._file is None:
                self._file = self._opened()
            lines = (to_line(request, answer, recorded_at=at).encode() for request, answer, at in group)
            self._file.write(b"".join(line + b"\n" for line in lines))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._kept += len(group)

    def close(self) -> None:
        """Close the file and give up the lock; a file with answers stays."""
        self.end()
        if self.path.exists() and not self.path.stat().st_size:
            discard([self.path])
        if self._lock is not None:
            self._lock.release()


def abandoned(local: Path, suite: str, kind: str) -> list[Path]:
    """What earlier runs left behind and no living run holds, oldest first."""
    folder = in_local(local, FOLDER)
    left = []
    for path in sorted(folder.glob(f"{suite}--{kind}--*.jsonl")) if folder.is_dir() else ():
        with contextlib.suppress(EnvironmentFault):
            if (lock := locked(local, f"{FOLDER}/{_lock_of(path).name}")) is not None:
                lock.release()
                left.append(in_local(local, f"{FOLDER}/{path.name}"))
    return left


def lines_of(path: Path) -> list[str]:
    """The whole lines of a journal; one that was cut off by a crash is left out."""
    if not path.exists():
        return []
    raw = read_bytes(path, where=f"journal {path.name}", limit=MAX_BYTES, follow=False)
    return [line.decode("utf-8") for line in raw.split(b"\n")[:-1] if line.strip()]


def discard(paths: Iterable[Path]) -> None:
    """Remove journals whose answers are in the recordings, or are no longer wanted."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


LASTS_H = 24
"""Hours after which answers of an interrupted comparison say nothing about now."""
LASTING = ("live", "record")
"""Kinds of journal from which a run continues whenever it is given again."""


@dataclass(slots=True)
class Kept:
    """The answers of one side of a run: those that an interrupted run left, and those that come now."""

    project: Project
    suite: str
    left: list[Path]
    own: Journal
    index: RecordingIndex
    replaced: RecordingIndex | None = None
    """The suite's recordings, where new answers replace them."""

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
    ) -> Kept:
        """Begin a journal, as soon as no other run of this kind asks one of the models about the suite.

        Args:
            kind: keeps apart what will be recorded, what will not, and the two sides of a comparison.
            recordings: the suite's recordings answer too.
            replaces: new answers replace the suite's recordings.
            models: those that will be asked.
            say: told that another run is waited for.
        """
        own = Journal(project.local, suite, kind, new_run_id())
        own.take_turn(models, say)
        left = abandoned(project.local, suite, kind)
        if kind not in LASTING:
            oldest = run_id_at(datetime.now(UTC) - timedelta(hours=LASTS_H))
            stale = [path for path in left if path.stem.rpartition("--")[2] < oldest]
            discard(stale)
            left = [path for path in left if path not in stale]
        index = open_index(project.tree if recordings else None, suite, [*left, own.path])
        replaced = open_index(project.tree, suite) if replaces else None
        return cls(project, suite, left, own, index, replaced)

    @property
    def waiting(self) -> int:
        """How many answers an interrupted run left."""
        names = tuple(f"journal {path.name}:" for path in self.left)
        return sum(self.index.place(digest).startswith(names) for digest in self.index.digests())

    def known(self, request: Request) -> Answer | None:
        """The answer, where there is one already.

        Raises `UsageError` where there is none and a new one would replace another prompt version's.
        """
        answer = self.index.answer(request)
        if answer is None and self.replaced is not None:
            refuse_replacing(self.project, self.replaced, request)
        return answer

    def lines(self) -> list[str]:
        """The answers in the journals, as recordings spell them."""
        return list(dict.fromkeys(line for path in (*self.left, self.own.path) for line in lines_of(path)))

    def record(self, say: Callable[[str], None]) -> None:
        """Move what the journals hold into the suite's recordings."""
        lines = self.lines()
        if lines:
            with writing(self.project.local, say=say):
                merge(self.project.root, self.suite, lines)

    def discard(self) -> None:
        """Remove the journals of a complete run."""
        self.own.close()
        discard([*self.left, self.own.path])


@dataclass(slots=True)
class Asked:
    """Answers from a journal or recordings, else from the provider."""

    provider: Provider
    kept: Kept
    observer: Observer
    prices: Prices
    judged: dict[str, asyncio.Future[Answer | NoAnswer]]
    """What judges are asked, by digest of the request; both sides of a comparison share it."""
    budget: Budget | None = None
    meanings: Meanings | None = None
    """Of a suite that matches by meaning; vectors take nothing of the budget."""
    under_way: dict[str, asyncio.Future[Answer | NoAnswer]] = field(default_factory=dict)
    """What others are asked at this moment, by digest; each side of a comparison asks for itself."""

    async def answer(self, question: Question) -> Given:
        """The answer to a request, or the vectors of texts. Raises what provider and embedder raise."""
        if isinstance(question, EmbeddingRequest):
            assert self.meanings is not None
            return await self.meanings.of(question)
        answer: Answer | NoAnswer | None = self.kept.known(question)
        if answer is None:
            answer = await self._once(question)
        if isinstance(answer, Answer):
            spent = spent_on(question, answer)
            self.observer.answered(spent, 0.0 if spent.replayed else spent.usd(self.prices.usd))
        return answer

    async def _once(self, request: Request) -> Answer | NoAnswer:
        """Ask what nobody else asks at this moment; a judge once about one answer, whichever case and side gave it."""
        import asyncio

        asked = self.judged if request.by == JUDGE else self.under_way
        if (first := asked.get(request.digest)) is not None:
            answer = await first
            if isinstance(answer, Answer):
                if request.by == JUDGE:
                    await self.kept.own.keep(request, answer, recorded_at=now())
                answer = answer._replace(replayed=True)
            return answer
        asked[request.digest] = asyncio.ensure_future(self._asked(request))
        try:
            return await asked[request.digest]
        finally:
            self.under_way.pop(request.digest, None)

    async def close(self) -> None:
        """Give back what provider and embedder hold."""
        await self.provider.close()
        if self.meanings is not None:
            await self.meanings.close()

    async def _asked(self, request: Request) -> Answer | NoAnswer:
        answer = await self._sent(request)
        if isinstance(answer, Answer):
            await self.kept.own.keep(request, answer, recorded_at=now())
        return answer

    async def _sent(self, request: Request) -> Answer | NoAnswer:
        if self.budget is None:
            return await self.provider.ask(request)
        reserved = await self.budget.admit(request, self.prices)
        if isinstance(reserved, NoAnswer):
            return reserved
        answer: Answer | NoAnswer | None = None
        try:
            answer = await self.provider.ask(request)
        finally:
            self.budget.settle(reserved, request, answer, self.prices)
        return answer
