"""Answer requests by batches: collect those that wait for nothing, send them together, and read the answers.

What is sent is written down before it is paid for, so the same command goes on from it, in another process or on
another day. Requests that need an earlier answer follow in a batch of their own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from row3.domain.requests import JUDGE, Answer, NoAnswer, Request
from row3.domain.words import count
from row3.errors import ProviderStopped
from row3.providers.base import Provider
from row3.providers.openai_batches import MOST_BYTES, MOST_REQUESTS, OVER, OpenAIBatches, body_in
from row3.running.batch_state import FEW, BatchState, Sent

if TYPE_CHECKING:
    from openai.types import Batch

QUIET_S = 0.5
"""Seconds without a further request after which those that wait are sent: no other can be asked before an answer."""
FIRST_POLL_S, LONGEST_POLL_S = 0.25, 60.0
"""Seconds between two looks at a batch; doubled from look to look."""


@dataclass(slots=True)
class _Waiting:
    chat: OpenAIBatches
    request: Request
    key: str
    sent: asyncio.Future[Sent]


@dataclass(frozen=True, slots=True)
class _Answers:
    """What a batch gave."""

    lines: Mapping[str, Mapping[str, Any]]
    otherwise: NoAnswer
    """The answer to a request that has no line."""


@dataclass(slots=True)
class BatchQueue:
    """Sends the requests of a run in batches; those of other providers one by one."""

    chats: Mapping[str, OpenAIBatches]
    """Providers that get batches, by `Request.by`."""
    live: Provider
    state: BatchState
    say: Callable[[str], None]
    most_requests: int = MOST_REQUESTS
    most_bytes: int = MOST_BYTES
    _new: list[_Waiting] = field(default_factory=list)
    _timer: asyncio.TimerHandle | None = None
    _sending: set[asyncio.Task[None]] = field(default_factory=set)
    _answers: dict[str, asyncio.Task[_Answers | None]] = field(default_factory=dict)
    """By file: what a batch gave; None if it was never begun."""
    _asked: dict[str, Request] = field(default_factory=dict)

    async def ask(self, request: Request, side: str) -> Answer | NoAnswer:
        """Answer one request of a side of the run; see `Provider.ask`."""
        if (chat := self.chats.get(request.by)) is None:
            return await self.live.ask(request)
        # A judge's grade is shared by both sides; other answers to the same request are each side's own.
        key = f"{request.digest}-{JUDGE if request.by == JUDGE else side}"
        self._asked[key] = request
        sent = self.state.find(key, chat.endpoint.base_url)
        while True:
            sent = sent or await self._queue(chat, request, key)
            if (answers := await self._follow(chat, sent)) is not None:
                line = answers.lines.get(key)
                wire = chat.wire(request, sent.refused)
                answer = answers.otherwise if line is None else chat.answer_in(request, wire, line)
                if answer is not None:
                    return answer
            sent = None

    async def close(self) -> None:
        """Stop waiting, and close the connections."""
        if self._timer is not None:
            self._timer.cancel()
        under_way = [file for file, task in self._answers.items() if not task.done()]
        if names := [each.batch for each in self.state.sent if each.file in under_way and each.batch]:
            what = count(len(names), "batch goes", "batches go")
            self.say(f"{what} on at the service ({', '.join(names)}); the same command waits for its answers")
        tasks = [*self._sending, *self._answers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for provider in (*self.chats.values(), self.live):
            await provider.close()

    def _queue(self, chat: OpenAIBatches, request: Request, key: str) -> asyncio.Future[Sent]:
        loop = asyncio.get_running_loop()
        self._new.append(_Waiting(chat, request, key, loop.create_future()))
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(QUIET_S, self._flush)
        return self._new[-1].sent

    def _flush(self) -> None:
        if not self._answers and not self._sending and len(self._new) < FEW:
            self.say(f"{count(len(self._new), 'request')} in a batch: below {FEW}, a run without --batch is quicker")
        task = asyncio.ensure_future(self._send(self._new))
        self._new = []
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, waiting: Sequence[_Waiting]) -> None:
        """Begin the batches of these requests."""
        try:
            for group, lines in self._files(waiting):
                chat = group[0].chat
                file = await chat.upload(b"".join(lines))
                sent = Sent(
                    address=chat.endpoint.base_url,
                    file=file,
                    at=self.state.clock(),
                    asked=[each.key for each in group],
                    refused=sorted(chat.refused_for(group[0].request)),
                )
                self.state.put(sent)
                batch = await chat.create(file, chat.wire(group[0].request).path, sent.at)
                sent = sent.replace(batch=batch.id)
                self.state.put(sent)
                self.say(f"sent {count(len(group), 'request')} as {batch.id}; Ctrl-C leaves it to the service")
                for each in group:
                    each.sent.set_result(sent)
        except BaseException as error:
            for each in waiting:
                if not each.sent.done():
                    each.sent.set_exception(error) if isinstance(error, Exception) else each.sent.cancel()
            if not isinstance(error, Exception):
                raise

    def _files(self, waiting: Sequence[_Waiting]) -> Iterator[tuple[list[_Waiting], list[bytes]]]:
        """Yield the requests of each batch with their lines; a batch has one endpoint and one model."""
        groups: dict[tuple[int, str, str], list[_Waiting]] = {}
        for each in waiting:
            path = each.chat.wire(each.request).path
            groups.setdefault((id(each.chat), path, each.request.model), []).append(each)
        for members in groups.values():
            group: list[_Waiting] = []
            lines: list[bytes] = []
            size = 0
            for each in members:
                line = body_in(each.chat.wire(each.request), each.key)
                if group and (len(group) == self.most_requests or size + len(line) > self.most_bytes):
                    yield group, lines
                    group, lines, size = [], [], 0
                group.append(each)
                lines.append(line)
                size += len(line)
            yield group, lines

    async def _follow(self, chat: OpenAIBatches, sent: Sent) -> _Answers | None:
        """Return what a batch gave, once it is over; None if it was never begun."""
        if sent.file not in self._answers:
            self._answers[sent.file] = asyncio.ensure_future(self._wait(chat, sent))
        return await asyncio.shield(self._answers[sent.file])

    async def _wait(self, chat: OpenAIBatches, sent: Sent) -> _Answers | None:
        if not sent.batch:
            if (found := await chat.find(sent.file, sent.at)) is None:
                self.state.drop(sent)
                return None
            sent = sent.replace(batch=found.id)
            self.state.put(sent)
        delay_s = FIRST_POLL_S
        while (batch := await chat.retrieve(sent.batch)).status not in OVER:
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, LONGEST_POLL_S)
        if batch.status == "failed":
            self.state.read.add(sent.file)
            raise self._refused(batch, sent)
        lines = await self._lines(chat, batch, sent)
        self.state.read.add(sent.file)
        why = {"completed": "has no answer to this request"}.get(batch.status, f"{batch.status} before the answer")
        if batch.status != "completed":
            self.say(f"{batch.id} {batch.status}; what came counts, and --continue asks for the rest")
        return _Answers(lines, NoAnswer(f"{batch.id} {why}"))

    async def _lines(self, chat: OpenAIBatches, batch: Batch, sent: Sent) -> dict[str, Mapping[str, Any]]:
        """Return the lines of a batch's files by key, the first of each, and tell what does not belong there."""
        asked, found = set(sent.asked), dict[str, Mapping[str, Any]]()
        strange = twice = unreadable = 0
        for file in filter(None, (batch.output_file_id, batch.error_file_id)):
            for raw in (await chat.content(file)).splitlines():
                if not raw.strip():
                    continue
                try:
                    line = json.loads(raw)
                except (ValueError, RecursionError):
                    line = None
                key = line.get("custom_id") if isinstance(line, dict) else None
                unreadable += key is None
                strange += key is not None and key not in asked
                twice += key in found
                if key in asked:
                    found.setdefault(key, line)
        for number, what in ((unreadable, "unreadable"), (strange, "of no request"), (twice, "of an answered request")):
            if number:
                self.say(f"{batch.id}: {count(number, 'line')} {what}, ignored")
        return found

    def _refused(self, batch: Batch, sent: Sent) -> ProviderStopped:
        """Return the error of a batch whose file was refused; it names the case of the first bad line."""
        told = (batch.errors and batch.errors.data) or []
        faults = [each.message or "no reason given" for each in told] or ["no reason given"]
        line = next((each.line for each in told if each.line is not None), 0)
        request = self._asked.get(sent.asked[line - 1]) if 0 < line <= len(sent.asked) else None
        where = "" if request is None else f"case `{request.case_id}`, prompt {request.prompt}"
        more = f" (and {count(len(faults) - 1, 'more fault')})" if len(faults) > 1 else ""
        what = f"{batch.id} failed, and nothing of it was answered: {faults[0].rstrip('.')}{more}"
        return ProviderStopped(what, where=where, fix="Correct that, or leave out --batch, and run it again")


@dataclass(frozen=True, slots=True)
class BatchSide:
    """The provider of one side of a run whose requests go in batches."""

    queue: BatchQueue
    side: str
    name: str

    async def ask(self, request: Request) -> Answer | NoAnswer:
        """Answer one request; see `Provider.ask`."""
        return await self.queue.ask(request, self.side)

    async def close(self) -> None:
        """Close the queue, which all sides share."""
        await self.queue.close()
