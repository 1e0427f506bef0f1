"""All recordings of a suite, found by the digest of the request; answers are parsed when they are asked for."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.requests import Request
from row3.errors import InvalidFile
from row3.store.embeddings import EmbeddingIndex
from row3.store.files import read_faults
from row3.store.recording_lines import HEAD, Recording, from_line

DIGEST = re.compile("[0-9a-f]{64}")


class _Spot(NamedTuple):
    file: int
    offset: int
    length: int
    line: int


@dataclass(slots=True)
class RecordingIndex:
    """All recordings of a suite, by digest; answers are read from disk when asked for."""

    files: list[Path]
    names: list[str]
    folder: Path | None = None
    """Of the suite, where its embeddings lie too."""
    _rows: dict[bytes | str, int] = field(default_factory=dict)
    """Row of the table by digest, in raw bytes: tens of thousands of recordings take a few megabytes."""
    _table: array[int] = field(default_factory=lambda: array("Q"))
    """File, offset, length and line of each row."""
    _again: dict[bytes | str, list[_Spot]] = field(default_factory=dict)
    """Further lines of the digests that stand in the recordings more than once: after a merge, or a copied prompt."""
    _by_case: dict[str, list[str]] | None = None
    """Digests by case id, made when first asked for."""
    _open: dict[tuple[int, int], int] = field(default_factory=dict)
    _embeddings: dict[str, EmbeddingIndex] = field(default_factory=dict)

    def embeddings(self, model: str) -> EmbeddingIndex:
        """The recorded embeddings of a model."""
        if model not in self._embeddings:
            folder = self.folder or Path("none")
            self._embeddings[model] = EmbeddingIndex(folder, model)
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

    def add_file(self, path: Path, name: str, *, torn_end: bool = False) -> None:
        """Take in a file; `torn_end` allows the last line to be cut off (a journal after a crash)."""
        number = len(self.files)
        self.files.append(path)
        self.names.append(name)
        offset = 0
        with read_faults(name), path.open("rb") as file:
            for line_number, line in enumerate(file, 1):
                length = len(line)
                head = HEAD.match(line)
                if head is not None:
                    digest = head[1].decode()
                elif not line.strip():
                    offset += length
                    continue
                else:
                    where = f"{name}:{line_number}"
                    if torn_end and not line.endswith(b"\n"):
                        break
                    digest = from_line(line, where=where).digest
                if torn_end and not line.endswith(b"\n"):
                    break
                key = _key(digest)
                if key not in self._rows:
                    self._rows[key] = len(self._rows)
                    self._table.extend((number, offset, length, line_number))
                    self._by_case = None
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
                if self._read(spot).answer.text != found.answer.text:
                    raise InvalidFile(
                        f"the same request has another answer in {self._where(spot)}",
                        where=self.place(digest),
                        fix="Keep one of the two lines and remove the other",
                    )
        return found

    def first(self, digest: str) -> Recording | None:
        """The first line of that digest, whatever others say; raises `InvalidFile` where it is broken."""
        spot = self._spot(digest)
        return None if spot is None else self._read(spot)

    def files_of(self, digest: str) -> set[Path]:
        """The files in which the digest stands."""
        spot = self._spot(digest)
        spots = [] if spot is None else [spot, *self._again.get(_key(digest), ())]
        return {self.files[spot.file] for spot in spots}

    def _where(self, spot: _Spot) -> str:
        return f"{self.names[spot.file]}:{spot.line}"

    def _read(self, spot: _Spot) -> Recording:
        where = self._where(spot)
        key = (os.getpid(), spot.file)  # a forked worker must not share a file position
        descriptor = self._open.get(key)
        if descriptor is None:
            descriptor = self._open[key] = os.open(self.files[spot.file], os.O_RDONLY)
        os.lseek(descriptor, spot.offset, os.SEEK_SET)
        return from_line(os.read(descriptor, spot.length), where=where)

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

    def nearest(self, request: Request) -> tuple[Recording, str, Any, Any] | None:
        """The recording most like a request that has none, with the first field that differs.

        Returns recording, field, its value there and its value in the request; None where the
        case has no recording at all.
        """
        wanted = request.fields()
        best: tuple[int, Recording, str, Any, Any] | None = None
        for recording in self.of_case(request.case_id):
            there = {"prompt": recording.prompt, "repeat": recording.repeat, **recording.request}
            different = [key for key in wanted if there.get(key) != wanted[key]]
            if recording.prompt.rpartition("-v")[0] != request.prompt.rpartition("-v")[0]:
                continue
            first = different[0] if different else "rendered text"
            rank = len(different)
            if best is None or rank <= best[0]:  # of equals the later one, which has the higher version
                best = (rank, recording, first, there.get(first), wanted.get(first))
        return None if best is None else best[1:]

    def all(self) -> Iterator[Recording]:
        """Every recording, one at a time, in file order."""
        for digest in self.digests():
            found = self.first(digest)
            assert found is not None
            yield found


def _key(digest: str) -> bytes | str:
    """The 32 bytes of a digest; what is none (in a file that was edited) stays as it is."""
    return bytes.fromhex(digest) if DIGEST.fullmatch(digest) else digest
