"""The recordings of a suite, indexed by request digest; answers are parsed when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from row3.domain.requests import Answer, Request, digest_text
from row3.domain.words import marked
from row3.errors import EnvironmentFault, InvalidFile
from row3.project.embeddings import EmbeddingIndex
from row3.project.json_lines import KeyedLines, LineFile, Spot, lines_in
from row3.project.recording_lines import HEAD, UNSET, Recording, from_line, other_field, recording_files
from row3.project.tree import Tree, same_file


@dataclass(slots=True)
class RecordingIndex:
    """The recordings of a suite by digest. Only their places are kept; each answer is read when needed."""

    tree: Tree | None = None
    """Files with the suite's embeddings; None for no embeddings."""
    suite: str = ""
    fallback: RecordingIndex | None = None
    """Index to search for answers that this one lacks: the base's, behind the head's."""
    asks_differently: Callable[[Recording, Request], bool] | None = None
    """Whether the prompt and case that a recording names, if they are not the request's, make another request."""
    _lines: KeyedLines = field(default_factory=KeyedLines)
    """Lines by digest; several after a merge, or for a copied prompt."""
    _by_case: KeyedLines | None = None
    """The first line of each digest by case id, filled on first use."""
    _embeddings: dict[str, EmbeddingIndex] = field(default_factory=dict)

    def embeddings(self, model: str) -> EmbeddingIndex:
        """Return the recorded embeddings of a model."""
        if model not in self._embeddings:
            behind = None if self.fallback is None else self.fallback.embeddings(model)
            self._embeddings[model] = EmbeddingIndex(self.tree, self.suite, model, fallback=behind)
        return self._embeddings[model]

    def __len__(self) -> int:
        return len(self._lines) - len(self._lines.twice())

    def __contains__(self, digest: str) -> bool:
        return digest in self._lines

    def digests(self) -> list[str]:
        """Return all digests, in file order."""
        return [_keys_in(spot, spot.read())[0] for spot in self._lines.firsts()]

    def sort(self) -> None:
        """Sort the index now, not when processes that share it have forked and each would do so."""
        self._lines.ordered()

    def add(self, file: LineFile) -> None:
        """Index a file. Raises `InvalidFile` for a line that is not a recording."""
        self._by_case = None
        for spot, raw in file:
            self._lines.add(_keys_in(spot, raw)[0], spot)

    def add_journal(self, journal: Path | LineFile) -> None:
        """Index a journal, without a last line that a crash cut off. Answers indexed before win over its own."""
        new: dict[str, Spot] = {}
        for spot, raw in open_journal(journal) if isinstance(journal, Path) else journal:
            if raw.endswith(b"\n") and (digest := from_line(raw, where=spot.place).digest) not in self:
                new.setdefault(digest, spot)
        for digest, spot in new.items():
            self._lines.add(digest, spot)

    def get(self, digest: str) -> Recording | None:
        """Return the recording of a digest; None if there is none.

        Raises `InvalidFile` for a broken line or a second, different answer, `EnvironmentFault` if the file changed.
        """
        found: Recording | None = None
        for spot, recording in zip(self._lines.spots(digest), self.every(digest), strict=True):
            if found is not None and recording.answer.said != found.answer.said:
                what = f"the same request has a different answer in {spot.place}"
                raise InvalidFile(what, where=self.place(digest), fix="Remove one of the two lines")
            found = found or recording
        return found

    def answer(self, asked: Request | str) -> Answer | None:
        """Return the recorded answer to a request, given whole or by digest; None if there is none.

        Raises as `get`, and `InvalidFile` if the answer was edited or the recording's fields contradict its digest.
        """
        digest = asked if isinstance(asked, str) else asked.digest
        found = self.get(digest)
        if found is None:
            return None if self.fallback is None else self.fallback.answer(asked)
        what = "" if isinstance(asked, str) else self.contradiction(found, asked)
        if found.answer_digest and found.answer_digest != digest_text(found.answer.text):
            what = "the recorded answer was edited (its digest does not match)"
        if what:
            fix = "Restore the line from git, or remove it and re-record"
            raise InvalidFile(what, where=self.place(digest), fix=fix)
        return found.answer

    def contradiction(self, recording: Recording, request: Request) -> str:
        """Return how a recording's fields contradict its digest; empty if they do not."""
        other = other_field(recording, request)
        named = recording.case_id, recording.request.get("promptDigest", request.prompt_digest)
        if other is not None:
            what = f"its `{other[0]}` is {marked(other[1])}, not {marked(other[2])}"
        elif (
            named != (request.case_id, request.prompt_digest)
            and self.asks_differently
            and self.asks_differently(recording, request)
        ):
            what = f"{recording.prompt} asks something else about `{recording.case_id}`"
        else:
            return ""
        return f"the line does not match its digest: {what}"

    def first(self, digest: str) -> Recording | None:
        """Return the first recording of a digest, whatever others say. Raises `InvalidFile` if its line is broken."""
        return next(self.every(digest), None)

    def every(self, digest: str) -> Iterator[Recording]:
        """Yield all recordings of a digest, in file order. Raises `InvalidFile` for a broken line."""
        for spot in self._lines.spots(digest):
            raw = spot.read()
            if digest.encode("utf-8", "replace") not in raw:
                what = "the file was changed while it was being read"
                raise EnvironmentFault(what, where=spot.file.where, fix="Run the command again")
            yield from_line(raw, where=spot.place)

    def place(self, digest: str) -> str:
        """Return file and line of a recording, as messages name them."""
        return self._lines.spots(digest)[0].place

    def all(self) -> Iterator[Recording]:
        """Yield the first recording of each digest, in file order."""
        for spot in self._lines.firsts():
            yield from_line(spot.read(), where=spot.place)

    def of_case(self, case_id: str) -> list[Recording]:
        """Return all recordings of a case, in file order."""
        if self._by_case is None:
            self._by_case = KeyedLines()
            for spot in self._lines.firsts():
                self._by_case.add(_keys_in(spot, spot.read())[1], spot)
        return [from_line(spot.read(), where=spot.place) for spot in self._by_case.spots(case_id)]

    def nearest(self, request: Request, promoted: str | None = None) -> tuple[Recording, str, Any, Any] | None:
        """Return the recording most like a request, the first field that differs, and its two values; None for none.

        The fewest differences win, then the request's prompt version, then the promoted one, then the latest.
        """
        wanted = request.fields()
        keys = dict.fromkeys((*wanted, *UNSET))
        best: tuple[tuple[int, bool, bool], Recording, str, Any, Any] | None = None
        for recording in self.of_case(request.case_id):
            if recording.prompt.rpartition("-v")[0] != request.prompt.rpartition("-v")[0]:
                continue
            recorded = {"prompt": recording.prompt, "repeat": recording.repeat, **recording.request}
            different = [key for key in keys if recorded.get(key) != wanted.get(key)]
            first = different[0] if different else "rendered text"
            rank = -len(different), recording.prompt == request.prompt, recording.prompt == promoted
            if best is None or rank >= best[0]:
                best = rank, recording, first, recorded.get(first), wanted.get(first)
        return None if best is None else best[1:]


def _keys_in(spot: Spot, raw: bytes) -> tuple[str, str]:
    """Return the digest and the case id of a line."""
    if (head := HEAD.match(raw)) and b"\\" not in head[2]:
        return head[1].decode(), head[2][1:-1].decode("utf-8", "replace")
    recording = from_line(raw, where=spot.place)
    return recording.digest, recording.case_id


def open_journal(path: Path) -> LineFile:
    """Open the journal of a run. Raises as `LineFile`."""
    return LineFile(path, where=f"journal {path.name}", follow=False)


def open_index(tree: Tree | None, suite: str, journals: Iterable[Path | LineFile] = ()) -> RecordingIndex:
    """Index a suite's recordings in a tree, if given, and the journals. Raises `InvalidFile`."""
    index = RecordingIndex(tree, suite)
    if tree is not None:
        for path in recording_files(tree, suite):
            index.add(lines_in(tree, path))
    for journal in journals:
        index.add_journal(journal)
    index.sort()
    return index


def open_changed(base: Tree, head: Tree, suite: str) -> RecordingIndex:
    """Index the base's recordings files that the head changes or lacks. Raises as `open_index`."""
    index = RecordingIndex(base, suite)
    for path in recording_files(base, suite):
        if not same_file(base, head, path):
            index.add(lines_in(base, path))
    return index
