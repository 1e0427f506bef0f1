"""Recordings: the frozen answers of a provider, found by the digest of the exact request.

One JSON object a line, sorted by case, prompt and repeat. A line begins with its digest, so that an index over
many megabytes is made without parsing them. Answers are parsed when they are asked for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from row3.domain.requests import Answer, Request, digest_text
from row3.errors import InvalidFile
from row3.store.documents import check_schema_version, dump_line, parse_json
from row3.store.files import disk_faults, refuse_conflicts, write_atomic

SCHEMA_VERSION = 1
HEAD = re.compile(rb'\{"digest": "([0-9a-f]{64})", "schemaVersion": 1, "caseId": ("(?:[^"\\]|\\.)*")')
MAX_LINE_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Recording:
    """One line of a recordings file."""

    digest: str
    case_id: str
    prompt: str
    repeat: int
    request: dict[str, Any]
    answer: Answer
    recorded_at: str
    answer_digest: str


def to_line(request: Request, answer: Answer, *, recorded_at: str) -> str:
    """A recording as its line. Nothing of the connection is in it: no key, no header, no account."""
    fields = request.fields()
    return dump_line(
        {
            "digest": request.digest,
            "schemaVersion": SCHEMA_VERSION,
            "caseId": request.case_id,
            "prompt": fields.pop("prompt"),
            "repeat": fields.pop("repeat"),
            "request": fields,
            "response": {
                "text": answer.text,
                "finishReason": answer.finish_reason,
                "servedModel": answer.served_model,
                "promptTokens": answer.prompt_tokens,
                "completionTokens": answer.completion_tokens,
                "latencyS": None if answer.latency_s is None else round(answer.latency_s, 3),
            },
            "answerDigest": digest_text(answer.text),
            "recordedAt": recorded_at,
        }
    )


def from_line(line: str, *, where: str) -> Recording:
    """A recording from its line; raises `InvalidFile`."""
    value = parse_json(line, where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        response = value["response"]
        if not isinstance(response["text"], str) or not isinstance(value["digest"], str):
            raise TypeError
        return Recording(
            digest=value["digest"],
            case_id=str(value["caseId"]),
            prompt=str(value["prompt"]),
            repeat=int(value["repeat"]),
            request=dict(value["request"]),
            answer=Answer(
                text=response["text"],
                finish_reason=response.get("finishReason") or "stop",
                served_model=response.get("servedModel"),
                prompt_tokens=response.get("promptTokens"),
                completion_tokens=response.get("completionTokens"),
                latency_s=response.get("latencyS"),
                replayed=True,
            ),
            recorded_at=str(value.get("recordedAt", "")),
            answer_digest=str(value.get("answerDigest", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"field {error} is missing" if isinstance(error, KeyError) else "a field has the wrong type"
        raise InvalidFile(f"not a recording: {what}", where=where, fix="Restore the file from git") from None


@dataclass(slots=True)
class _Spot:
    file: int
    offset: int
    length: int
    line: int


@dataclass(slots=True)
class RecordingIndex:
    """All recordings of a suite, by digest; answers are read from disk when asked for."""

    files: list[Path]
    names: list[str]
    _spots: dict[str, _Spot] = field(default_factory=dict)
    _by_case: dict[str, list[str]] = field(default_factory=dict)
    _open: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._spots)

    def __contains__(self, digest: str) -> bool:
        return digest in self._spots

    def digests(self) -> list[str]:
        """All digests, in file order."""
        return list(self._spots)

    def add_file(self, path: Path, name: str, *, torn_end: bool = False) -> None:
        """Take in a file; `torn_end` allows the last line to be cut off (a journal after a crash)."""
        number = len(self.files)
        self.files.append(path)
        self.names.append(name)
        offset = 0
        with disk_faults_reading(name), path.open("rb") as file:
            for line_number, line in enumerate(file, 1):
                length = len(line)
                head = HEAD.match(line)
                if head is not None:
                    digest = head[1].decode()
                    case_id = head[2]
                elif not line.strip():
                    offset += length
                    continue
                else:
                    where = f"{name}:{line_number}"
                    if torn_end and not line.endswith(b"\n"):
                        break
                    recording = from_line(_decoded(line, where), where=where)
                    digest, case_id = recording.digest, json.dumps(recording.case_id).encode()
                if torn_end and not line.endswith(b"\n"):
                    break
                if digest not in self._spots:
                    self._spots[digest] = _Spot(number, offset, length, line_number)
                    self._by_case.setdefault(case_id.decode("utf-8", "replace"), []).append(digest)
                offset += length

    def get(self, digest: str) -> Recording | None:
        """The recording of that digest; raises `InvalidFile` where its line is broken."""
        spot = self._spots.get(digest)
        if spot is None:
            return None
        where = f"{self.names[spot.file]}:{spot.line}"
        key = (os.getpid(), spot.file)  # a forked worker must not share a file position
        descriptor = self._open.get(key)
        if descriptor is None:
            descriptor = self._open[key] = os.open(self.files[spot.file], os.O_RDONLY)
        os.lseek(descriptor, spot.offset, os.SEEK_SET)
        return from_line(_decoded(os.read(descriptor, spot.length), where), where=where)

    def place(self, digest: str) -> str:
        """File and line of a recording, for messages."""
        spot = self._spots[digest]
        return f"{self.names[spot.file]}:{spot.line}"

    def of_case(self, case_id: str) -> list[Recording]:
        """All recordings of a case, in file order."""
        keys = {json.dumps(case_id), json.dumps(case_id, ensure_ascii=False)}
        digests = [digest for key in keys for digest in self._by_case.get(key, ())]
        return [found for digest in digests if (found := self.get(digest)) is not None]

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
            if best is None or rank < best[0]:
                best = (rank, recording, first, there.get(first), wanted.get(first))
        return None if best is None else best[1:]

    def all(self) -> Iterator[Recording]:
        """Every recording, one at a time, in file order."""
        for digest in list(self._spots):
            found = self.get(digest)
            assert found is not None
            yield found


def _decoded(raw: bytes, where: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidFile("the line is not UTF-8", where=where, fix="Restore the file from git") from None
    refuse_conflicts(text, where=where.rpartition(":")[0])
    return text


def disk_faults_reading(name: str) -> Any:
    """The machine's refusals while reading a file, as one clear message."""
    return disk_faults(name)


def open_index(folder: Path, journals: Iterable[Path] = ()) -> RecordingIndex:
    """Index the recordings of a suite and what interrupted runs left in the journal.

    Raises `InvalidFile` for a line that is no recording.
    """
    index = RecordingIndex([], [])
    if folder.is_dir():
        for path in sorted(folder.glob("*.jsonl")):
            index.add_file(path, f"recordings/{folder.name}/{path.name}")
    for path in journals:
        index.add_file(path, f"journal {path.name}", torn_end=True)
    return index


def merge(folder: Path, lines: Iterable[str]) -> int:
    """Put recordings into the suite's files, one file a prompt, sorted; the newer of two equal digests wins.

    Returns how many lines are new or changed. Raises `InvalidFile`, `EnvironmentFault`.
    """
    by_prompt: dict[str, dict[str, str]] = {}
    for line in lines:
        recording = from_line(line, where="a new recording")
        by_prompt.setdefault(recording.prompt, {})[recording.digest] = line.strip()
    changed = 0
    for prompt, fresh in by_prompt.items():
        path = folder / f"{prompt}.jsonl"
        held = {digest: text for digest, text in _lines(path)}
        changed += sum(1 for digest, line in fresh.items() if held.get(digest) != line)
        write_lines(path, (held | fresh).values())
    return changed


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a recordings file: sorted, one line each; an empty one is removed."""
    ordered = sorted(lines, key=_sort_key)
    if not ordered:
        path.unlink(missing_ok=True)
        return
    write_atomic(path, "".join(f"{line}\n" for line in ordered), where=path.name)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    if not path.exists():
        return
    name = f"recordings/{path.parent.name}/{path.name}"
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if raw.strip():
                where = f"{name}:{number}"
                text = _decoded(raw, where).strip()
                yield from_line(text, where=where).digest, text


def _sort_key(line: str) -> tuple[str, str, int, str]:
    value = json.loads(line)
    return value["caseId"], value["prompt"], value["repeat"], value["digest"]
