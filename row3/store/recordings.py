"""All recordings of a suite, found by the digest of the request; answers are parsed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from row3.domain.counts import marked
from row3.domain.requests import Answer, Request, digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.store.embeddings import EmbeddingIndex
from row3.store.json_lines import LineFile, lines_in
from row3.store.recording_lines import HEAD, Recording, from_line, other_field, recording_files
from row3.store.tree import Tree, same_file


class _Spot(NamedTuple):
    file: LineFile
    offset: int
    length: int
    number: int

    @property
    def place(self) -> str:
        return f"{self.file.where}:{self.number}"


@dataclass(slots=True)
class RecordingIndex:
    """All recordings of a suite, by digest; answers are read when asked for, those of files on disk from there."""

    tree: Tree | None = None
    """Where the suite's embeddings are read from; None for no embeddings."""
    suite: str = ""
    fallback: RecordingIndex | None = None
    """Where an answer is looked up that is not recorded here: the base's recordings, behind the head's."""
    asks_otherwise: Callable[[Recording, Request], bool] | None = None
    """Whether the prompt and the case that a line names, if not the request's, ask something else."""
    _spots: dict[str, list[_Spot]] = field(default_factory=dict)
    """Lines by digest; several after a merge, or of a copied prompt."""
    _by_case: dict[str, list[str]] | None = None
    """Digests by case id, made when first asked for."""
    _embeddings: dict[str, EmbeddingIndex] = field(default_factory=dict)

    def embeddings(self, model: str) -> EmbeddingIndex:
        """Return the recorded embeddings of a model."""
        if model not in self._embeddings:
            behind = None if self.fallback is None else self.fallback.embeddings(model)
            self._embeddings[model] = EmbeddingIndex(self.tree, self.suite, model, fallback=behind)
        return self._embeddings[model]

    def __len__(self) -> int:
        return len(self._spots)

    def __contains__(self, digest: str) -> bool:
        return digest in self._spots

    def digests(self) -> list[str]:
        """Return all digests, in file order."""
        return list(self._spots)

    def add(self, file: LineFile) -> None:
        """Index a file. Raises `InvalidFile` for a line that is no recording."""
        self._by_case = None
        for offset, number, raw in file:
            head = HEAD.match(raw)
            digest = head[1].decode() if head else from_line(raw, where=f"{file.where}:{number}").digest
            self._spots.setdefault(digest, []).append(_Spot(file, offset, len(raw), number))

    def add_journal(self, path: Path) -> None:
        """Index a journal. A crash may have cut its last line off, and recordings win over its answers."""
        file = open_journal(path)
        for offset, number, raw in file:
            if raw.endswith(b"\n"):
                digest = from_line(raw, where=f"{file.where}:{number}").digest
                self._spots.setdefault(digest, [_Spot(file, offset, len(raw), number)])

    def get(self, digest: str) -> Recording | None:
        """Return the recording of a digest; raises `InvalidFile` for a broken line or another answer elsewhere, and
        `EnvironmentFault` where the file was written since.
        """
        found, *others = self.every(digest) if digest in self._spots else [None]
        for number, other in enumerate(others, 1):
            if found is not None and other is not None and other.answer.said != found.answer.said:
                what = f"the same request has another answer in {self._spots[digest][number].place}"
                raise InvalidFile(what, where=self.place(digest), fix="Keep one of the two lines and remove the other")
        return found

    def answer(self, asked: Request | str) -> Answer | None:
        """Return the recorded answer to a request, or to one of which only the digest is known; None for none.

        Raises as `get`, and `InvalidFile` where the answer was edited or the line says that it is of another request.
        """
        digest = asked if isinstance(asked, str) else asked.digest
        found = self.get(digest)
        if found is None:
            return None if self.fallback is None else self.fallback.answer(asked)
        what = "" if isinstance(asked, str) else self.contradiction(found, asked)
        if found.answer_digest and found.answer_digest != digest_text(found.answer.text):
            what = "the recorded answer was edited: it does not fit its digest"
        if what:
            fix = "Restore the line from git, or remove it and record anew"
            raise InvalidFile(what, where=self.place(digest), fix=fix)
        return found.answer

    def contradiction(self, recording: Recording, request: Request) -> str:
        """Return how a line shows that it is of another request than its digest says; "" where it does not."""
        other = other_field(recording, request)
        named = recording.case_id, recording.request.get("promptDigest", request.prompt_digest)
        if other is not None:
            what = f"its `{other[0]}` is {marked(other[1])}, that of its digest is {marked(other[2])}"
        elif (
            named != (request.case_id, request.prompt_digest)
            and self.asks_otherwise
            and self.asks_otherwise(recording, request)
        ):
            what = f"{recording.prompt} asks something else about `{recording.case_id}`"
        else:
            return ""
        return f"the line is of another request than its digest says: {what}"

    def first(self, digest: str) -> Recording | None:
        """Return the first line of that digest, whatever others say; raises `InvalidFile` where it is broken."""
        return next(self.every(digest), None)

    def every(self, digest: str) -> Iterator[Recording]:
        """Yield all lines of that digest, in file order; raises `InvalidFile` where one is broken."""
        for spot in self._spots.get(digest, ()):
            raw = spot.file.read(spot.offset, spot.length)
            if digest.encode("utf-8", "replace") not in raw:
                what = "the file was changed while it was being read"
                raise EnvironmentFault(what, where=spot.file.where, fix="Run the command again")
            yield from_line(raw, where=spot.place)

    def place(self, digest: str) -> str:
        """Return file and line of a recording, for messages."""
        return self._spots[digest][0].place

    def all(self) -> Iterator[Recording]:
        """Yield every recording, one at a time, in file order."""
        for digest in self._spots:
            yield next(self.every(digest))

    def of_case(self, case_id: str) -> list[Recording]:
        """Return all recordings of a case, in file order."""
        if self._by_case is None:
            self._by_case = {}
            for recording in self.all():
                self._by_case.setdefault(recording.case_id, []).append(recording.digest)
        return [next(self.every(digest)) for digest in self._by_case.get(case_id, ())]

    def nearest(self, request: Request, promoted: str | None = None) -> tuple[Recording, str, Any, Any] | None:
        """Return the recording most like a request that has none, by the fewest differences, then its version, then the
        promoted one, then the latest; with the first field that differs and its two values. None for none.
        """
        wanted = request.fields()
        best: tuple[tuple[int, bool, bool], Recording, str, Any, Any] | None = None
        for recording in self.of_case(request.case_id):
            if recording.prompt.rpartition("-v")[0] != request.prompt.rpartition("-v")[0]:
                continue
            there = {"prompt": recording.prompt, "repeat": recording.repeat, **recording.request}
            different = [key for key in wanted if there.get(key) != wanted[key]]
            first = different[0] if different else "rendered text"
            rank = -len(different), recording.prompt == request.prompt, recording.prompt == promoted
            if best is None or rank >= best[0]:
                best = rank, recording, first, there.get(first), wanted.get(first)
        return None if best is None else best[1:]


def open_journal(path: Path) -> LineFile:
    """Open the journal of a run. Raises as `LineFile`."""
    return LineFile(path, where=f"journal {path.name}", follow=False)


def open_index(tree: Tree | None, suite: str, journals: Iterable[Path] = ()) -> RecordingIndex:
    """Index a suite's recordings, none without a tree, and the journals. Raises `InvalidFile`."""
    index = RecordingIndex(tree, suite)
    for path in () if tree is None else recording_files(tree, suite):
        assert tree is not None
        index.add(lines_in(tree, path))
    for journal in journals:
        index.add_journal(journal)
    return index


def open_changed(base: Tree, head: Tree, suite: str) -> RecordingIndex:
    """Index the recordings of a base whose files differ at the head, or are missing. Raises as `open_index`."""
    index = RecordingIndex(base, suite)
    for path in recording_files(base, suite):
        if not same_file(base, head, path):
            index.add(lines_in(base, path))
    return index
