"""Read a file or a stream of production data as chunks of JSON Lines; lines that do not fit go into a file."""

from __future__ import annotations

import json
import os
import queue
import re
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from row3.integrations.monitoring.records import Opinion, Record, from_value, in_time, plain_json, read_content
from row3.integrations.monitoring.traces import from_langfuse, from_otlp
from row3.project.files import disk_faults

CHUNK_BYTES = 1 << 22
MAX_LINE_BYTES = 1 << 25
IDLE_S, LONGEST_S = 0.2, 1.0
"""Seconds after which a stream's data is passed on: without a new byte, and at most."""
BOM = b"\xef\xbb\xbf"


class Aside(NamedTuple):
    """A line that is not ingested, and why."""

    line: int
    why: str
    raw: bytes


class Chunk(NamedTuple):
    """Whole lines."""

    first: int
    """Number of the first line."""
    raw: bytes
    bad: tuple[Aside, ...] = ()
    """Parts that are not valid lines."""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines with their numbers."""
        return enumerate(self.raw.split(b"\n"), self.first)


OTLP = re.compile(rb'\s*\{\s*"resourceSpans"\s*:')
DOCUMENT = re.compile(rb'\s*(\[|\{\s*\n|\{\s*"(resourceSpans|data)"\s*:)')
"""Beginning of a file that is one JSON document, or has traces whose spans may be lines apart."""


def chunks(stream: BinaryIO, *, live: bool = False) -> Iterator[Chunk | None]:
    """Yield the lines of a stream in chunks of a few megabytes; the last line need not end with a newline.

    The data of a `live` stream is passed on within a second, and None marks a pause.
    """
    left, first, cut = b"", 1, False
    pieces = _pieces(stream) if live else iter(lambda: stream.read(CHUNK_BYTES), b"")
    for piece in pieces:
        if piece is None:
            yield None
            continue
        if first == 1 and not (left or cut) and DOCUMENT.match(piece.removeprefix(BOM)):
            raw = b"".join([piece.removeprefix(BOM), *(each for each in pieces if each)])
            yield _from_document(raw) or Chunk(1, raw)
            return
        whole = left + piece if left or first > 1 else piece.removeprefix(BOM)
        if cut:
            whole, first, cut = whole.partition(b"\n")[2], first + (b"\n" in whole), b"\n" not in whole
        end = whole.rfind(b"\n") + 1
        left = whole[end:]
        if end:
            yield Chunk(first, whole[: end - 1])
            first += whole.count(b"\n", 0, end)
        if len(left) > MAX_LINE_BYTES:
            why = f"the line has more than {MAX_LINE_BYTES:,} bytes, of which the first are kept"
            yield Chunk(first, b"", (Aside(first, why, left),))
            left, cut = b"", True
    if left:
        yield Chunk(first, left)


def read_line(raw: bytes) -> Record | Opinion | None:
    """Return the content of a line, which may be a LangFuse trace, as `from_value` does."""
    with suppress(ValueError, RecursionError):
        if in_time(found := read_content(raw)):
            return found
    value = plain_json(raw)
    is_trace = isinstance(value, dict) and "timestamp" in value and "at" not in value
    return from_value(from_langfuse(value) if is_trace else value)


def _from_document(raw: bytes) -> Chunk | None:
    """Return the entries of a document as numbered lines; None for JSON Lines that begin like a document."""
    bad: list[Aside] = []
    try:
        value = json.loads(raw)
        items = value if isinstance(value, list) else [value]
        if len(items) == 1 and isinstance(items[0], dict) and isinstance(items[0].get("data"), list):
            items = items[0]["data"]
    except (ValueError, RecursionError):
        if not OTLP.match(raw):
            return None
        items = []
        for number, line in Chunk(1, raw).lines():
            try:
                items += [json.loads(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:
                bad.append(Aside(number, f"not JSON ({error})", line))
    exports = [each for each in items if isinstance(each, dict) and "resourceSpans" in each]
    lines = [json.dumps(each).encode() for each in items if not isinstance(each, dict) or "resourceSpans" not in each]
    for found, why in from_otlp(exports):
        line = json.dumps(found).encode()
        bad += [Aside(len(lines) + 1, why, line)] if why else []
        lines.append(b"" if why else line)
    return Chunk(1, b"\n".join(lines), tuple(bad))


def _pieces(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the data of a stream, joined until it pauses, and None for each pause."""
    waiting: queue.Queue[bytes | OSError] = queue.Queue(64)

    def read() -> None:
        try:
            while piece := stream.read1(CHUNK_BYTES) if hasattr(stream, "read1") else stream.read(CHUNK_BYTES):
                waiting.put(piece)
            waiting.put(b"")
        except OSError as error:
            waiting.put(error)

    threading.Thread(target=read, daemon=True).start()
    held: list[bytes] = []
    size, since = 0, time.monotonic()
    while True:
        try:
            piece = waiting.get(timeout=IDLE_S)
        except queue.Empty:
            yield b"".join(held) if held else None
            held, size, since = [], 0, time.monotonic()
            continue
        if isinstance(piece, OSError):
            raise piece
        held.append(piece)
        size += len(piece)
        if not piece or size >= CHUNK_BYTES or time.monotonic() - since > LONGEST_S:
            yield b"".join(held)
            held, size, since = [], 0, time.monotonic()
        if not piece:
            return


class AsideFile:
    """The file of lines that were not ingested, each once."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._kept: set[bytes] | None = None

    def add(self, asides: Sequence[Aside]) -> None:
        """Append lines; raises `EnvironmentFault`."""
        if not asides:
            return
        with disk_faults("/".join(self._path.parts[-3:])):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a+b") as file:
                if self._kept is None:
                    file.seek(0)
                    self._kept = {sha256(_raw_of(line)).digest() for line in file}
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    file.write(b"" if file.read(1) == b"\n" else b"\n")
                for each in asides:
                    if (digest := sha256(each.raw).digest()) not in self._kept:
                        self._kept.add(digest)
                        file.write(_aside_line(self._name, each))
                file.flush()
                os.fsync(file.fileno())


def _aside_line(name: str, aside: Aside) -> bytes:
    kept = {"schemaVersion": 1, "file": name, "line": aside.line, "why": aside.why}
    try:
        kept["raw"] = aside.raw.decode("utf-8")
    except UnicodeDecodeError:
        kept["base64"] = b64encode(aside.raw).decode("ascii")
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _raw_of(line: bytes) -> bytes:
    """Return the original of a line of the file; empty if a killed process left only a part."""
    try:
        kept = json.loads(line)
        return b64decode(kept["base64"]) if "base64" in kept else str(kept["raw"]).encode("utf-8")
    except (ValueError, KeyError, TypeError):
        return b""
