"""Recorded embeddings: `recordings/<suite>/embeddings-<model>.jsonl`, one text per line, sorted by model and text.

They are found by the digest of model and text, so a vector serves every case and prompt. Branches merge in git line by
line, like recordings. A model's embeddings are read only from its own file, so that no other file can override it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import Field

from row3.domain.asks import Vector, embedding_digest, unpack
from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import Reply
from row3.errors import InvalidFile
from row3.project.documents import check_schema_version, dump_line, parse_json
from row3.project.files import write_all
from row3.project.json_lines import decode_line, lines_in
from row3.project.tree import Tree, WorkTree, same_file

SCHEMA_VERSION = 1
FIX = "Restore the file from git, or re-record it"
_NAME = re.compile(r"embeddings-[a-z0-9_-]+\.jsonl")
"""No dot before the extension, unlike files of prompts, whose names end in a version."""


class Embedding(Reply):
    """One line of an embeddings file."""

    digest: str
    model: str
    text: str
    packed: str = Field(alias="vector")

    @property
    def sort_key(self) -> tuple[str, str, str]:
        """Sort key in the file."""
        return self.model, self.text, self.digest

    def vector(self, where: str) -> Vector:
        """Return the unpacked vector. Raises `InvalidFile`."""
        try:
            return unpack(self.packed)
        except ValueError as error:
            raise InvalidFile(f"field `vector` is invalid: {error}", where=where, fix=FIX) from None


def is_embeddings(path: str) -> bool:
    """Return whether a file holds embeddings, not recordings of a prompt."""
    return _NAME.fullmatch(path.rpartition("/")[2]) is not None


def file_for(suite: str, model: str) -> str:
    """Return the path of a model's embeddings."""
    name = re.sub("[^a-z0-9_-]+", "-", model.lower()).strip("-")[:80] or "model"
    return f"recordings/{suite}/embeddings-{name}.jsonl"


def to_line(model: str, text: str, packed: str) -> str:
    """Return an embedding as its line."""
    value = {"digest": embedding_digest(model, text), "schemaVersion": SCHEMA_VERSION}
    return dump_line(value | {"model": model, "text": text, "vector": packed})


def from_line(line: str, *, where: str) -> Embedding:
    """Return the embedding of a line, without unpacking its vector. Raises `InvalidFile`."""
    value = parse_json(line, where=where, surrogates=True)
    check_schema_version(value, SCHEMA_VERSION, where=where)
    try:
        return convert(value, Embedding)
    except MisfitsError as error:
        raise InvalidFile(f"not an embedding: {error.summary()}", where=where, fix=FIX) from None


def rows(tree: Tree, path: str) -> Iterator[tuple[str, str, Embedding]]:
    """Yield place, text and value of each line of a file. Raises `InvalidFile` for a broken one."""
    for spot, raw in lines_in(tree, path):
        line = decode_line(raw, spot.place).strip()
        yield spot.place, line, from_line(line, where=spot.place)


def files(tree: Tree, suite: str) -> list[str]:
    """Return the paths of a suite's embeddings files."""
    return [path for path in tree.files(f"recordings/{suite}") if is_embeddings(path)]


class EmbeddingIndex:
    """The recorded embeddings of one model, read once, on first use."""

    def __init__(self, tree: Tree | None, suite: str, model: str, *, fallback: EmbeddingIndex | None = None) -> None:
        """Index a suite's embeddings of a model, if a tree is given, and use `fallback` for those it lacks."""
        self._tree, self._suite, self._model, self._fallback = tree, suite, model, fallback
        self._held: dict[str, tuple[Embedding, str]] | None = None
        self._vectors: dict[str, Vector] = {}
        self._length = 0
        """Numbers in each vector; 0 before the first."""

    def get(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of the texts that have one. Raises `InvalidFile` for a broken or edited line."""
        found = {}
        for text in texts:
            vector = self._vectors.get(text)
            if vector is None:
                held = self._lines().get(embedding_digest(self._model, text))
                if held is None:
                    found.update({} if self._fallback is None else self._fallback.get([text]))
                    continue
                embedding, where = held
                if (embedding.model, embedding.text) != (self._model, text):
                    what = "the line was edited: its model and text do not match its digest"
                    raise InvalidFile(what, where=where, fix=FIX)
                vector = self._vectors[text] = embedding.vector(where)
                if self._length not in (0, len(vector)):
                    what = f"field `vector` has {len(vector)} numbers, another of the model's has {self._length}"
                    raise InvalidFile(what, where=where, fix="Delete the file and record it again")
                self._length = len(vector)
            found[text] = vector
        return found

    def replaced(self, earlier: EmbeddingIndex) -> list[str]:
        """Return the texts whose vector differs from that in an earlier index."""
        now, before = self._lines(), self._lines_before(earlier)
        return [each.text for each in before if each.digest in now and now[each.digest][0].packed != each.packed]

    def lost(self, earlier: EmbeddingIndex) -> list[str]:
        """Return the texts that have a vector only in an earlier index."""
        return [each.text for each in self._lines_before(earlier) if each.digest not in self._lines()]

    def _lines_before(self, earlier: EmbeddingIndex) -> list[Embedding]:
        """Return the embeddings of an earlier index; none if its file is the same."""
        path = file_for(self._suite, self._model)
        if self._tree is None or earlier._tree is None or same_file(earlier._tree, self._tree, path):
            return []
        return [embedding for embedding, _ in earlier._lines().values()]

    def _lines(self) -> dict[str, tuple[Embedding, str]]:
        if self._held is None:
            self._held = {}
            path = file_for(self._suite, self._model)
            for where, _, each in rows(self._tree, path) if self._tree is not None and self._tree.exists(path) else ():
                if each.model == self._model:
                    self._held.setdefault(each.digest, (each, where))  # the first counts
        return self._held


def merge(root: Path, suite: str, model: str, packed: Mapping[str, str]) -> int:
    """Merge packed vectors, by text, into the model's file; return how many are new or changed."""
    tree, path = WorkTree(root), file_for(suite, model)
    held: dict[str, str] = {}
    for _, line, each in rows(tree, path) if tree.exists(path) else ():
        held.setdefault(each.digest, line)
    fresh = {embedding_digest(model, text): to_line(model, text, vector) for text, vector in packed.items()}
    changed = sum(1 for digest, line in fresh.items() if held.get(digest) != line)
    if changed:
        write(tree.at(path), held | fresh)
    return changed


def write(path: Path, by_digest: Mapping[str, str]) -> None:
    """Write an embeddings file with sorted lines, or remove it if there are none."""
    ordered = sorted(by_digest.values(), key=lambda line: from_line(line, where="").sort_key)
    write_all({path: "".join(f"{line}\n" for line in ordered) or None}, where=path.name)
