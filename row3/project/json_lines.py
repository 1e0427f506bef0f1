"""JSON Lines files, and Parquet files as such: indexed line by line, and each line read again when it is needed.

So a file of many gigabytes needs only as much memory as the index of its lines.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from io import BytesIO
from itertools import accumulate, pairwise, takewhile
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, overload
from weakref import finalize

from row3.errors import InvalidFile
from row3.project.documents import M, check_schema_version, parse_json, quick_json, validate
from row3.project.files import CONFLICT, NO_PIPE, open_file, read_faults
from row3.project.parquet import MAGIC, PARQUET, rows_as_lines
from row3.project.tree import Tree

BUFFER = 1 << 18
"""Read buffer in bytes. Lines are kilobytes long, and Python's default buffer holds only one or two."""
MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_BYTES = 2**32
BOM = b"\xef\xbb\xbf"
ROW = ", row "
"""Stands between a Parquet file and the number of a row in messages."""


class Spot(NamedTuple):
    """Where a line is, to read it later."""

    file: LineFile
    offset: int
    length: int
    number: int

    @property
    def place(self) -> str:
        """File and line, as messages name them."""
        return f"{self.file.where}{self.file.mark}{self.number}"

    def read(self) -> bytes:
        """Return the line."""
        return self.file.read(self.offset, self.length)


class LineFile:
    """An open file: its lines stay those that were indexed, even if the file is replaced."""

    def __init__(
        self,
        source: Path | bytes,
        *,
        where: str,
        fix: str = "Split it",
        cure: str = NO_PIPE,
        pipe: bool = False,
        follow: bool = True,
    ) -> None:
        """Open a path, or content in memory, that messages call `where`. Raises `InvalidFile`, `EnvironmentFault`.

        `fix` says what to do about a line that is too long, `cure` about a pipe, which only `pipe` allows; `follow`
        allows a symbolic link.
        """
        self.where, self._fix, self._source, self._follow = where, fix, source, follow
        with read_faults(where):
            if isinstance(source, bytes):
                self._file: BinaryIO = BytesIO(source)
            elif pipe:
                self._file = source.open("rb", BUFFER)
            else:
                self._file = open_file(source, where=where, buffering=BUFFER, fix=cure, follow=follow)
            rows = source.startswith(MAGIC) if isinstance(source, bytes) else source.suffix == PARQUET
            if rows:
                with self._file as file:
                    self._file = rows_as_lines(file, where=where)
        self.unit, self.mark = ("row", ROW) if rows else ("line", ":")
        finalize(self, self._file.close)

    def __reduce__(self) -> tuple[Any, ...]:
        """Open the file again where this is unpickled: in another process, perhaps of another machine."""
        source = self._source if isinstance(self._source, bytes) else self._source.absolute()
        return _reopened, (source, self.where, self._follow, self._size())

    def _size(self) -> int:
        return len(self._source) if isinstance(self._source, bytes) else os.fstat(self._file.fileno()).st_size

    def __iter__(self) -> Iterator[tuple[Spot, bytes]]:
        """Yield place and bytes of each line that is not blank. Raises `InvalidFile` for UTF-16 or an overlong line."""
        offset = number = 0
        with read_faults(self.where):
            while raw := self._file.readline(MAX_LINE_BYTES + 1):
                number += 1
                length = len(raw)
                if length > MAX_LINE_BYTES:
                    what = f"the line has more than {MAX_LINE_BYTES:,} bytes"
                    raise InvalidFile(what, where=f"{self.where}{self.mark}{number}", fix=self._fix)
                if number == 1:
                    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                        raise InvalidFile("the file is in UTF-16", where=self.where, fix="Save it as UTF-8")
                    raw = raw.removeprefix(BOM)
                if raw and not raw.isspace():
                    yield Spot(self, offset + length - len(raw), len(raw), number), raw
                offset += length

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file, if possible without moving its position, which forked workers share."""
        if not isinstance(self._file, BytesIO) and hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        self._file.seek(offset)
        return self._file.read(length)


def _reopened(source: Path | bytes, where: str, follow: bool, size: int) -> LineFile:
    """Open a file that another process has indexed. Raises as `LineFile`, and `InvalidFile` if its size differs."""
    file = LineFile(source, where=where, follow=follow)
    if file._size() != size:
        raise InvalidFile("the file has another size than it had", where=where, fix="Run the command again")
    return file


def _key(text: str) -> int:
    """Return 64 bits for a key, the same in every process, as those of `hash` are not."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


class Keys:
    """Texts by their hashes, in order: 12 bytes each. Two with the same hash count as one."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self._order: array[int] | None = None
        """Places of the texts by hash."""

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, text: str) -> bool:
        return bool(self.places(text))

    def append(self, text: str) -> None:
        """Add a text."""
        self._order = None
        self._hashes.append(_key(text))

    def places(self, text: str) -> list[int]:
        """Return the places, from 0, of a text."""
        hash_at, wanted, order = self._hashes.__getitem__, _key(text), self.ordered()
        start = bisect_left(order, wanted, key=hash_at)
        found = takewhile(lambda at: hash_at(order[at]) == wanted, range(start, len(order)))
        return [order[at] for at in found]

    def twice(self) -> list[tuple[int, int]]:
        """Return the place of each text that occurs earlier, after that earlier place, in order."""
        pairs = pairwise(self.ordered())
        return sorted((pair for pair in pairs if self._hashes[pair[0]] == self._hashes[pair[1]]), key=itemgetter(1))

    def ordered(self) -> array[int]:
        """Return the places by hash; asked before processes fork, they share the order."""
        if self._order is None:
            # By the first byte of the hashes, which needs no list of all.
            parts = [array("I") for _ in range(256)]
            for place, each in enumerate(self._hashes):
                parts[each >> 56].append(place)
            self._order = array("I")
            for first in range(-128, 128):
                self._order.extend(sorted(parts[first], key=self._hashes.__getitem__))
        return self._order


class KeyedLines(Keys):
    """The lines of files by key, in order: 30 bytes a line, as an index of objects would need ten times as much."""

    def __init__(self) -> None:
        super().__init__()
        self._files: list[LineFile] = []
        self._offsets, self._lengths, self._numbers, self._of = array("Q"), array("I"), array("I"), array("H")

    def add(self, key: str, spot: Spot) -> None:
        """Add a line."""
        if not self._files or self._files[-1] is not spot.file:
            self._files.append(spot.file)
        self.append(key)
        self._offsets.append(spot.offset)
        self._lengths.append(spot.length)
        self._numbers.append(spot.number)
        self._of.append(len(self._files) - 1)

    def spot(self, place: int) -> Spot:
        """Return the line at a place, from 0."""
        file = self._files[self._of[place]]
        return Spot(file, self._offsets[place], self._lengths[place], self._numbers[place])

    def spots(self, key: str) -> list[Spot]:
        """Return the lines of a key, in order."""
        return [self.spot(place) for place in self.places(key)]

    def firsts(self) -> Iterator[Spot]:
        """Yield the first line of each key, in order."""
        later = {place for _, place in self.twice()}
        return (self.spot(place) for place in range(len(self)) if place not in later)


class LineIndex:
    """The lines of a file that are not blank, found by number: 12 bytes a line."""

    def __init__(self, file: LineFile) -> None:
        """Index a file. Raises as `LineFile`."""
        self._file, self._offsets, self._numbers = file, array("Q"), array("I")
        for spot, _ in file:
            self._offsets.append(spot.offset)
            self._numbers.append(spot.number)

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, place: int) -> int:
        """Return the number of the line, from 1, at a place among those that are not blank."""
        return self._numbers[place]

    def line(self, number: int) -> bytes:
        """Return the line of a number, which must not be blank."""
        place = bisect_left(self._numbers, number)
        offset = self._offsets[place]
        if place + 1 < len(self):
            return self._file.read(offset, self._offsets[place + 1] - offset)
        return self._file.read(offset, MAX_LINE_BYTES)


class LinePaths(Sequence[str]):
    """Paths of files, then of the lines of others, such as `a.jsonl#L1`, made when they are asked for.

    The lines of a file are given with what stands before their numbers, such as `a.jsonl#L`.
    """

    def __init__(self, files: Sequence[str], lines: Sequence[tuple[str, LineIndex]]) -> None:
        self._files, self._lines = files, lines
        self._ends = [*accumulate((len(index) for _, index in lines), initial=len(files))]

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return one path, or those of a slice."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        if at < len(self._files):
            return self._files[at]
        number = bisect_right(self._ends, at) - 1
        before, index = self._lines[number]
        return f"{before}{index.number(at - self._ends[number])}"


def lines_in(tree: Tree, path: str) -> LineFile:
    """Open a JSON Lines or Parquet file of a project. Raises as `LineFile`."""
    source = tree.on_disk(path) or tree.read(path, limit=MAX_BYTES)
    return LineFile(source, where=tree.place(path), follow=False)


def decode_line(raw: bytes, where: str, *, fix: str = "Restore the file from git") -> str:
    """Return the text of a line. Raises `InvalidFile` if it is not UTF-8 or a merge-conflict marker."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"the line is not UTF-8 (byte {raw[error.start]:#04x})"
        raise InvalidFile(what, where=where, fix=fix) from None
    if CONFLICT.match(text) is not None:
        cure = "Keep the lines of both sides, without the markers"
        raise InvalidFile("the file has merge-conflict markers", where=where, fix=cure)
    return text


def parse_line(raw: bytes, *, where: str, shape: str) -> dict[str, Any]:
    """Return the JSON object of a line. Raises `InvalidFile` that shows the right `shape`."""
    try:
        value = quick_json(raw)
    except ValueError:
        text = decode_line(raw, where, fix="Save the file as UTF-8")
        try:
            value = parse_json(text.strip(), where=where, surrogates=True)
        except InvalidFile as error:
            raise InvalidFile(error.what, where=where, fix=shape) from None
    if not isinstance(value, dict):
        raise InvalidFile("the line is not a JSON object", where=where, fix=shape)
    return value


def parse_model(line: str, model: type[M], version: int, *, where: str, fix: str) -> M:
    """Return a line as a model of a schema version. Raises `InvalidFile`."""
    value = parse_line(line.encode("utf-8", "surrogatepass"), where=where, shape=fix)
    check_schema_version(value, version, where=where)
    return validate(model, value, where=where, fix=fix)


def parse_models(text: str, model: type[M], version: int, *, where: str, fix: str) -> Iterator[M]:
    """Yield the lines of a small file, as `parse_model`."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield parse_model(line, model, version, where=f"{where}:{number}", fix=fix)
