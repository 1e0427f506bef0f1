"""Recorded embeddings that were edited: other names would match by meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.domain.embeddings import pack, unpack
from tests.embedding_server import MODEL, EmbeddingServer
from tests.projects import CASES, SUITE, Box, flawless, tiny

FILE = f"recordings/{SUITE}/embeddings-{MODEL}.jsonl"
ANOTHER = "sailing boat"
"""What the answers call rye; nothing is like it."""

Lines = list[dict[str, Any]]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    fake = EmbeddingServer()
    yield fake
    fake.stop()


@pytest.fixture
def box(tmp_path: Path, server: EmbeddingServer) -> Box:
    """A suite that matches by meaning, with recorded embeddings and a baseline, in git."""
    made = tiny(tmp_path / "project")
    for path in made.path(f"recordings/{SUITE}").iterdir():
        path.unlink()
    answers = {case_id: flawless(case) for case_id, case in CASES.items()}
    answers["rye"]["concepts"][0]["label"] = ANOTHER
    made.record("1.1", answers)
    made.path("prompts/extract-v1.0.md").unlink()
    server.serve(made)
    made.row3("--baseline", "--mode", "auto", code=0)
    made.init()
    return made


def edit(box: Box, change: Callable[[Lines], Lines]) -> None:
    lines = change([json.loads(line) for line in box.read(FILE).splitlines()])
    box.write(FILE, "".join(json.dumps(line) + "\n" for line in lines))


def as_rye(lines: Lines) -> Lines:
    """The vector of what nothing is like is that of the concept it would pass for."""
    vectors = {line["text"]: line["vector"] for line in lines}
    return [line | ({"vector": vectors["rye"]} if line["text"] == ANOTHER else {}) for line in lines]


def said(text: str) -> str:
    return " ".join(text.split())


def test_an_edited_embedding_blocks_and_is_told_of(box: Box) -> None:
    edit(box, as_rye)
    found = box.row3("--mode", "auto", "--format", "json", code=0).json  # what is found is held to the canaries too
    assert found["metrics"]["recall"] == 1
    done = box.row3("--compare", "--against", "HEAD", code=1)
    named = f"embedding of `{ANOTHER}` ({MODEL})"
    assert f"recordings changed since HEAD without being recorded again: {named}" in said(done.out)
    assert f"error [replaced-answer] embedding of `{ANOTHER}`: another vector than at HEAD" in said(
        box.row3("recordings", "verify", "--against", "HEAD", code=2).out
    )
    box.git("add", "-A")
    assert named in said(box.row3("hook", "run", "pre-commit", code=1).err)


def test_a_second_file_cannot_come_before_the_models_own(box: Box) -> None:
    before = box.row3("--format", "json", code=0).json["metrics"]
    own = box.read(FILE)
    edit(box, as_rye)
    box.write(f"recordings/{SUITE}/embeddings-a.jsonl", box.read(FILE))
    box.write(FILE, own)
    assert box.row3("--format", "json", code=0).json["metrics"] == before
    assert f"which is read from {Path(FILE).name} only" in box.row3("recordings", "verify", code=0).out
    box.row3("recordings", "prune", code=0)
    assert not box.path(f"recordings/{SUITE}/embeddings-a.jsonl").exists()
    assert box.read(FILE) == own


def test_embeddings_of_new_texts_and_other_rounding_are_none(box: Box) -> None:
    def rounded(lines: Lines) -> Lines:
        vectors = [unpack(line["vector"]) for line in lines]
        moved = [pack([number + 0.001 for number in vector]) for vector in vectors]
        return [line | {"vector": vector} for line, vector in zip(lines, moved, strict=True)]

    new = {"digest": "d", "schemaVersion": 1, "model": MODEL, "text": "steam engine", "vector": pack([1.0] * 64)}
    edit(box, lambda lines: [*rounded(lines), new])
    value = box.row3("--compare", "--against", "HEAD", "--format", "json", code=0).json
    assert value["verdict"] == "proceed", value["reasons"]


def test_an_embedding_that_was_removed_leaves_the_run_incomplete(box: Box) -> None:
    edit(box, lambda lines: [line for line in lines if line["text"] != ANOTHER])
    assert f"no embedding of `{ANOTHER}`" in said(box.row3("--compare", "--against", "HEAD", code=3).out)
