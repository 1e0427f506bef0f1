"""All recordings of a suite, found by the digest of the request; answers are parsed when they are asked for."""

from __future__ import annotations

import os
import re
from array import array
from binascii import unhexlify
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from row3.domain.counts import marked
from row3.domain.requests import Answer, Request, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.store.embeddings import EmbeddingIndex
from row3.store.files import open_file, read_faults
from row3.store.recording_lines import HEAD, Recording, from_line, other_field
from row3.store.tree import Tree

DIGEST = re.compile("[0-9a-f]{64}")
BUFFER = 1 << 18
"""Bytes of one reading: the lines are kilobytes long, and Python's own buffer holds one or two."""


class _Spot(NamedTuple):
    file: int
    offset: int
    length: int
    line: int


@dataclass(slots=True)
class RecordingIndex:
    """All recordings of a suite, by digest; answers are read when asked for, those of files on disk from there."""

    tree: Tree | None = None
    """Where the suite's embeddings are read from; None: there are none."""
    suite: str = ""
    fallback: RecordingIndex | None = None
    """Where an answer is looked up that is not recorded here: the base's recordings, behind the head's."""
    sources: list[Path | bytes] = field(default_factory=list)
    """The files, or the contents of those that are not on disk."""
    names: list[str] = field(default_factory=list)
    asks_otherwise: Callable[[Recording, Request], bool] | None = None
    """Whether the prompt and the case that a line names, which are not the request's, ask something else."""
    _rows: dict[bytes | str, int] = field(default_factory=dict)
    """Row of the table by digest, in raw bytes: tens of thousands of recordings take a few megabytes."""
    _table: array[int] = field(default_factory=lambda: array("Q"))
    """File, offset, length and line of each row."""
    _again: dict[bytes | str, list[_Spot]] = field(default_factory=dict)
    """Further lines of the digests that stand in the recordings more than once: after a merge, or a copied prompt."""
    _by_case: dict[str, list[str]] | None = None
    """Digests by case id, made when first asked for."""
    _stamps: list[tuple[int, int, int]] = field(default_factory=list)
    """What each file was when its lines were found."""
    _open: dict[int, int] = field(default_factory=dict)
    """Descriptors by number of the file."""
    _embeddings: dict[str, EmbeddingIndex] = field(default_factory=dict)

    def embeddings(self, model: str) -> EmbeddingIndex:
        """The recorded embeddings of a model."""
        if model not in self._embeddings:
            behind = None if self.fallback is None else self.fallback.embeddings(model)
            self._embeddings[model] = EmbeddingIndex(self.tree, self.suite, model, fallback=behind)
        return self._embeddings[model]

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, digest: str) -> bool:
        return _key(digest) in self._rows

    def _spot(self, digest: str) -> _Spot | None:
        row = self._rows.get(_key(digest))
        return None if row is None else _Spot(*self._table[4 * row : 4 * row + 4])

    def digests(self) -> list[str]:
        """All digests, in file order."""
        return [key.hex() if isinstance(key, bytes) else key for key in self._rows]

    def add_file(self, source: Path | bytes, name: str, *, torn_end: bool = False) -> None:
        """Index a file, or its contents; `torn_end` allows the last line to be cut off (a journal after a crash)."""
        number = len(self.sources)
        self.sources.append(source)
        self.names.append(name)
        self._by_case = None
        rows, extend, begins = self._rows, self._table.extend, HEAD.match
        key: bytes | str
        offset = 0
        with read_faults(name), _lines_of(source, name) as file:
            self._stamps.append(_stamp(None if isinstance(source, bytes) else os.fstat(file.fileno())))
            for line_number, line in enumerate(file, 1):
                length = len(line)
                head = begins(line)
                if head is not None:
                    key = unhexlify(head[1])
                elif not line.strip():
                    offset += length
                    continue
                else:
                    where = f"{name}:{line_number}"
                    if torn_end and not line.endswith(b"\n"):
                        break
                    key = _key(from_line(line, where=where).digest)
                if torn_end and not line.endswith(b"\n"):
                    break
                if key not in rows:
                    rows[key] = len(rows)
                    extend((number, offset, length, line_number))
                elif not torn_end:  # a journal may hold a newer answer than the recordings: it is no contradiction
                    self._again.setdefault(key, []).append(_Spot(number, offset, length, line_number))
                offset += length

    def get(self, digest: str) -> Recording | None:
        """The recording of that digest, to be replayed.

        Raises `InvalidFile` where its line is broken, or where another line has another answer to the same request.
        """
        found = self.first(digest)
        if found is not None and self._again:
            for spot in self._again.get(_key(digest), ()):
                if self._read(spot, digest).answer.text != found.answer.text:
                    raise InvalidFile(
                        f"the same request has another answer in {self._where(spot)}",
                        where=self.place(digest),
                        fix="Keep one of the two lines and remove the other",
                    )
        return found

    def answer(self, request: Request) -> Answer | None:
        """The recorded answer to that request, to be replayed; None where there is none.

        Raises `InvalidFile` as `get`, where the answer is no longer the one that was recorded, and where the line says
        that it is of another request; `EnvironmentFault` where another command has written the file since it was
        indexed.
        """
        if request.digest not in self:
            return None if self.fallback is None else self.fallback.answer(request)
        recording = self._whole(request.digest)
        self._refuse_other(recording, request)
        return recording.answer

    def answer_by_digest(self, digest: str) -> Answer | None:
        """Return the answer that is recorded under a request's digest; None where there is none.

        For requests that nobody renders again, such as those a manifest names. Raises `InvalidFile` as `get`, and where
        the answer is no longer the one that was recorded.
        """
        if digest in self:
            return self._whole(digest).answer
        return None if self.fallback is None else self.fallback.answer_by_digest(digest)

    def _whole(self, digest: str) -> Recording:
        """Return the recording of a digest that is here; raises `InvalidFile` where its answer was edited."""
        recording = self.get(digest)
        assert recording is not None
        if recording.answer_digest and recording.answer_digest != digest_text(recording.answer.text):
            raise InvalidFile(
                "the recorded answer was edited: it does not fit its digest",
                where=self.place(digest),
                fix="Restore the line from git, or record it anew",
            )
        return recording

    def _refuse_other(self, recording: Recording, request: Request) -> None:
        """Raise `InvalidFile` where a line says that it is of another request than the one its digest names."""
        other = other_field(recording, request)
        if other is not None:
            what = f"its `{other[0]}` is {marked(other[1])}, that of its digest is {marked(other[2])}"
        elif self._names_other(recording, request) and self.asks_otherwise and self.asks_otherwise(recording, request):
            what = f"{recording.prompt} asks something else about `{recording.case_id}`"
        else:
            return
        raise InvalidFile(
            f"the line is of another request than its digest says: {what}",
            where=self.place(request.digest),
            fix="Restore the line from git, or remove it and record anew",
        )

    @staticmethod
    def _names_other(recording: Recording, request: Request) -> bool:
        digest = recording.request.get("promptDigest", request.prompt_digest)
        return (recording.case_id, digest) != (request.case_id, request.prompt_digest)

    def first(self, digest: str) -> Recording | None:
        """The first line of that digest, whatever others say; raises `InvalidFile` where it is broken."""
        spot = self._spot(digest)
        return None if spot is None else self._read(spot, digest)

    def every(self, digest: str) -> Iterator[Recording]:
        """All lines of that digest, in file order; raises `InvalidFile` where one is broken."""
        for spot in self._spots(digest):
            yield self._read(spot, digest)

    def files_of(self, digest: str) -> set[Path]:
        """Return the files on disk in which the digest stands."""
        sources = [self.sources[spot.file] for spot in self._spots(digest)]
        return {source for source in sources if isinstance(source, Path)}

    def _spots(self, digest: str) -> list[_Spot]:
        spot = self._spot(digest)
        return [] if spot is None else [spot, *self._again.get(_key(digest), ())]

    def _where(self, spot: _Spot) -> str:
        return f"{self.names[spot.file]}:{spot.line}"

    def _read(self, spot: _Spot, digest: str) -> Recording:
        try:
            recording = from_line(self._raw(spot.file, spot.offset, spot.length), where=self._where(spot))
        except InvalidFile:
            self._refuse_changed(spot.file)
            raise
        if recording.digest != digest:
            self._refuse_changed(spot.file)
        return recording

    def _refuse_changed(self, file: int) -> None:
        """Raise `EnvironmentFault` where the file is not what it was when its lines were found."""
        source = self.sources[file]
        if isinstance(source, Path) and (not source.exists() or _stamp(source.stat()) != self._stamps[file]):
            raise EnvironmentFault(
                "the file was changed while it was being read", where=self.names[file], fix="Run the command again"
            )

    def _raw(self, file: int, offset: int, length: int) -> bytes:
        source = self.sources[file]
        if isinstance(source, bytes):
            return source[offset : offset + length]
        descriptor = self._open.get(file)
        if descriptor is None:
            try:
                descriptor = self._open[file] = os.open(source, os.O_RDONLY)
            except FileNotFoundError:
                self._refuse_changed(file)
                raise
        return _read_at(descriptor, length, offset)

    def __del__(self) -> None:
        for descriptor in getattr(self, "_open", {}).values():
            os.close(descriptor)

    def place(self, digest: str) -> str:
        """File and line of a recording, for messages."""
        spot = self._spot(digest)
        assert spot is not None
        return self._where(spot)

    def of_case(self, case_id: str) -> list[Recording]:
        """All recordings of a case, in file order."""
        if self._by_case is None:
            self._by_case = {}
            for recording in self.all():
                self._by_case.setdefault(recording.case_id, []).append(recording.digest)
        return [found for digest in self._by_case.get(case_id, ()) if (found := self.first(digest)) is not None]

    def nearest(
        self, request: Request, likeness: Callable[[str], tuple[float, ...]] = lambda _: ()
    ) -> tuple[Recording, str, Any, Any] | None:
        """The recording most like a request that has none, with the first field that differs.

        Args:
            likeness: of a recording's prompt and the request's, more is more alike; asked where as many fields differ.
        Returns recording, field, its value there and its value in the request; None where the
        case has no recording at all.
        """
        wanted = request.fields()
        best: tuple[tuple[float, ...], Recording, str, Any, Any] | None = None
        for recording in self.of_case(request.case_id):
            there = {"prompt": recording.prompt, "repeat": recording.repeat, **recording.request}
            different = [key for key in wanted if there.get(key) != wanted[key]]
            if recording.prompt.rpartition("-v")[0] != request.prompt.rpartition("-v")[0]:
                continue
            first = different[0] if different else "rendered text"
            rank = (-len(different), *likeness(recording.prompt))
            if best is None or rank >= best[0]:  # of equals the later one, which has the higher version
                best = (rank, recording, first, there.get(first), wanted.get(first))
        return None if best is None else best[1:]

    def all(self) -> Iterator[Recording]:
        """Every recording, one at a time, in file order."""
        for digest in self.digests():
            found = self.first(digest)
            assert found is not None
            yield found


def _read_at(descriptor: int, length: int, offset: int) -> bytes:
    """Bytes of a file; without moving its position, which forked workers share, where the system can."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, length, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, length)


def _lines_of(source: Path | bytes, name: str) -> BinaryIO:
    return BytesIO(source) if isinstance(source, bytes) else open_file(source, where=name, buffering=BUFFER)


def _stamp(status: os.stat_result | None) -> tuple[int, int, int]:
    return (0, 0, 0) if status is None else (status.st_ino, status.st_size, status.st_mtime_ns)


def _key(digest: str) -> bytes | str:
    """The 32 bytes of a digest; what is none (in a file that was edited) stays as it is."""
    return bytes.fromhex(digest) if DIGEST.fullmatch(digest) else digest
