from __future__ import annotations

import json
from pathlib import Path

import pytest

from row3.domain.asks import embedding_digest, pack, unpack
from row3.errors import InvalidFile
from row3.project.embeddings import EmbeddingIndex, file_for, from_line, is_embeddings, merge, rows, to_line
from row3.project.recordings import open_index
from row3.project.tree import WorkTree

MODEL = "local/all-minilm-l6-v2"
ONE, TWO = pack([1.0, 2.0]), pack([2.0, 1.0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "recordings" / "bread"


def test_recorded_embeddings_are_found(tmp_path: Path) -> None:
    assert merge(tmp_path, "bread", MODEL, {"yeast": ONE, "rye": TWO}) == 2
    index = EmbeddingIndex(WorkTree(tmp_path), "bread", MODEL)
    assert index.get(["yeast", "salt", "rye"]) == {"yeast": unpack(ONE), "rye": unpack(TWO)}
    assert EmbeddingIndex(WorkTree(tmp_path), "bread", "another").get(["yeast"]) == {}
    assert EmbeddingIndex(None, "bread", MODEL).get(["yeast"]) == {}


def test_a_line_is_documented_sorted_and_readable(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"yeast": ONE, "crème": TWO})
    path = tmp_path / file_for("bread", MODEL)
    assert path.name == "embeddings-local-all-minilm-l6-v2.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "digest": embedding_digest(MODEL, "crème"),
        "schemaVersion": 1,
        "model": MODEL,
        "text": "crème",
        "vector": TWO,
    }
    assert '"crème"' in lines[0]
    assert lines == sorted(lines, key=lambda line: json.loads(line)["text"])


def test_an_equal_vector_writes_nothing_and_a_new_one_replaces(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"yeast": ONE})
    before = (tmp_path / file_for("bread", MODEL)).stat().st_mtime_ns
    assert merge(tmp_path, "bread", MODEL, {"yeast": ONE}) == 0
    assert (tmp_path / file_for("bread", MODEL)).stat().st_mtime_ns == before
    assert merge(tmp_path, "bread", MODEL, {"yeast": TWO}) == 1
    assert [each.packed for _, _, each in rows(WorkTree(tmp_path), file_for("bread", MODEL))] == [TWO]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("text-embedding-3-small", "embeddings-text-embedding-3-small.jsonl"),
        ("BAAI/bge-small-en-v1.5", "embeddings-baai-bge-small-en-v1-5.jsonl"),
        ("all-minilm:latest", "embeddings-all-minilm-latest.jsonl"),
        ("../../x", "embeddings-x.jsonl"),
        ("…", "embeddings-model.jsonl"),
    ],
)
def test_file_names_derive_from_the_model_and_differ_from_prompts(
    tmp_path: Path, folder: Path, model: str, name: str
) -> None:
    path = tmp_path / file_for("bread", model)
    assert (path.parent, path.name) == (folder, name)
    assert is_embeddings(path.name)
    assert not is_embeddings("embeddings-of-bread-v1.0.jsonl")  # of a prompt `embeddings-of-bread`


def test_two_models_in_one_file_are_kept_apart(tmp_path: Path, folder: Path) -> None:
    merge(tmp_path, "bread", "m:1", {"yeast": ONE})
    merge(tmp_path, "bread", "m/1", {"yeast": TWO})
    assert len(list(folder.iterdir())) == 1
    assert EmbeddingIndex(WorkTree(tmp_path), "bread", "m:1").get(["yeast"]) == {"yeast": unpack(ONE)}
    assert EmbeddingIndex(WorkTree(tmp_path), "bread", "m/1").get(["yeast"]) == {"yeast": unpack(TWO)}


def test_after_a_merge_the_first_line_counts(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"yeast": ONE})
    path = tmp_path / file_for("bread", MODEL)
    path.write_text(path.read_text("utf-8") + "\n" + to_line(MODEL, "yeast", TWO) + "\n", encoding="utf-8")
    assert EmbeddingIndex(WorkTree(tmp_path), "bread", MODEL).get(["yeast"]) == {"yeast": unpack(ONE)}


def test_the_recording_index_ignores_embeddings(tmp_path: Path) -> None:
    merge(tmp_path, "bread", MODEL, {"yeast": ONE})
    index = open_index(WorkTree(tmp_path), "bread")
    assert len(index) == 0
    assert index.embeddings(MODEL).get(["yeast"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not an embedding"),
        ('{"digest": "d", "model": "m", "text": 4, "vector": ""}', "not an embedding"),
        ('{"schemaVersion": 2}', "newer than this row3 knows"),
        ("<<<<<<< HEAD", "merge-conflict markers"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, folder: Path, line: str, message: str) -> None:
    folder.mkdir(parents=True)
    (tmp_path / file_for("bread", MODEL)).write_text(to_line(MODEL, "rye", ONE) + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match=message) as caught:
        EmbeddingIndex(WorkTree(tmp_path), "bread", MODEL).get(["yeast"])
    assert "recordings/bread/embeddings-local-all-minilm-l6-v2.jsonl:2" in str(caught.value)


def test_an_edited_line_is_refused(tmp_path: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    value = json.loads(to_line(MODEL, "yeast", ONE))
    for change, message in (
        ({"text": "salt"}, "the line was edited"),
        ({"vector": "AAA"}, "field `vector` is invalid"),
    ):
        (tmp_path / file_for("bread", MODEL)).write_text(json.dumps(value | change) + "\n", encoding="utf-8")
        with pytest.raises(InvalidFile, match=message):
            EmbeddingIndex(WorkTree(tmp_path), "bread", MODEL).get(["yeast"])
    assert from_line(json.dumps(value), where="").text == "yeast"
