"""Recordings: the frozen answers of a provider, found by the digest of the exact request.

One JSON object a line, sorted by case, prompt and repeat, one file a prompt: two branches that record merge in git.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from row3.store.embeddings import is_embeddings
from row3.store.files import open_file, write_all
from row3.store.recording_index import RecordingIndex
from row3.store.recording_lines import SCHEMA_VERSION, Recording, decoded, from_line, other_field, to_line
from row3.store.tree import Tree, WorkTree, same_file

MAX_BYTES = 2**32

__all__ = [
    "SCHEMA_VERSION",
    "Recording",
    "RecordingIndex",
    "from_line",
    "merge",
    "open_changed",
    "open_index",
    "other_field",
    "to_line",
    "write_files",
]


def open_index(tree: Tree | None, suite: str, journals: Iterable[Path] = ()) -> RecordingIndex:
    """Index the recordings of a suite and what interrupted runs left in the journal.

    Embeddings are kept beside them and are not among them. Without a tree only the journals are indexed. Raises
    `InvalidFile` for a line that is no recording.
    """
    index = RecordingIndex(tree, suite)
    if tree is not None:
        for path in recording_files(tree, suite):
            index.add_file(tree.on_disk(path) or tree.read(path, limit=MAX_BYTES), tree.place(path))
    for journal in journals:
        index.add_file(journal, f"journal {journal.name}", torn_end=True)
    return index


def open_changed(base: Tree, head: Tree, suite: str) -> RecordingIndex:
    """Index the recordings of a base whose files the head has otherwise, or not at all. Raises as `open_index`."""
    index = RecordingIndex(base, suite)
    for path in recording_files(base, suite):
        if not same_file(base, head, path):
            index.add_file(base.on_disk(path) or base.read(path, limit=MAX_BYTES), base.place(path))
    return index


def recording_files(tree: Tree, suite: str) -> list[str]:
    """Return the files of a suite's recordings, without those of embeddings."""
    return [path for path in tree.files(f"recordings/{suite}") if path.endswith(".jsonl") and not is_embeddings(path)]


class Merged(NamedTuple):
    """What became of recordings that were put beside those that were there."""

    new: int
    """Nothing was recorded of the request."""
    replaced: int
    """Another line stood there."""
    same: int
    """The same answer was there."""


def merge(root: Path, suite: str, lines: Iterable[str]) -> Merged:
    """Put recordings into the suite's files, one file a prompt, sorted; the newer of two equal digests wins.

    It wins over a line in another prompt's file too: a prompt and its unedited copy ask the same requests.
    Raises `InvalidFile`, `EnvironmentFault`.
    """
    by_prompt: dict[str, dict[str, str]] = {}
    answers: dict[str, str] = {}
    for line in lines:
        recording = from_line(line, where="a new recording")
        by_prompt.setdefault(recording.prompt, {})[recording.digest] = line.strip()
        answers[recording.digest] = recording.answer.text
    folder = root / "recordings" / suite
    index = open_index(WorkTree(root), suite)
    places = {path for digest in answers for path in index.files_of(digest)}
    held_before = same = 0
    files: dict[Path, list[str]] = {}
    for prompt, fresh in by_prompt.items():
        path = folder / f"{prompt}.jsonl"
        recorded = list(_lines(path))
        held = [(recording.digest, line) for recording, line in recorded]
        there = dict(held)
        beside = [index.first(digest) for digest in fresh if digest not in there]
        held_before += sum(1 for digest in fresh if digest in there) + sum(1 for one in beside if one is not None)
        same += sum(1 for one in beside if one is not None and one.answer.text == answers[one.digest])
        texts = {recording.digest: recording.answer.text for recording, _ in recorded}
        same += sum(1 for digest in fresh if texts.get(digest) == answers[digest])
        for digest in [one for one in fresh if one in there and _same(fresh[one], there[one])]:
            fresh[digest] = there[digest]  # the same answer again: when it was first recorded is what counts
        kept = dict.fromkeys(line for digest, line in held if digest not in fresh)
        files[path] = [*kept, *fresh.values()]
    for path in places:  # after the others: a kill in between leaves two answers, which is an error, and never none
        lines_now = files.get(path) or [line for _, line in _lines(path)]
        here = [(from_line(line, where=path.name), line) for line in lines_now]
        still = [line for one, line in here if answers.get(one.digest, one.answer.text) == one.answer.text]
        if len(still) < len(here):
            files[path] = still
    write_files(files)
    fresh_lines = sum(map(len, by_prompt.values()))
    return Merged(fresh_lines - held_before, held_before - same, same)


def _same(one: str, other: str) -> bool:
    """The two lines differ in the time of recording at most."""
    first, second = json.loads(one), json.loads(other)
    return {**first, "recordedAt": ""} == {**second, "recordedAt": ""}


def write_files(files: Mapping[Path, Iterable[str]]) -> None:
    """Write recordings files: sorted, one line each; an empty one is removed. All, or none on a disk that refuses."""
    contents: dict[Path, bytes | None] = {}
    for path, lines in files.items():
        text = "".join(f"{line}\n" for line in sorted(lines, key=_sort_key))
        contents[path] = text.encode() if text else None
    if contents:
        folder = next(iter(contents)).parent
        write_all(contents, where=f"recordings/{folder.name}/")


def _lines(path: Path) -> Iterator[tuple[Recording, str]]:
    if not path.exists():
        return
    name = f"recordings/{path.parent.name}/{path.name}"
    with open_file(path, where=name) as file:
        for number, raw in enumerate(file, 1):
            if raw.strip():
                where = f"{name}:{number}"
                text = decoded(raw, where).strip()
                yield from_line(text, where=where), text


def _sort_key(line: str) -> tuple[str, str, int, str]:
    value = json.loads(line)
    return value["caseId"], value["prompt"], value["repeat"], value["digest"]
