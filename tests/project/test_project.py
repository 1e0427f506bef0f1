from __future__ import annotations

from pathlib import Path

import pytest

from row3.errors import InvalidFile
from row3.project.corpus import read_corpus
from row3.project.documents import Files
from row3.project.tree import WorkTree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "corpus/b.txt": "barley",
        "corpus/a.md": "oats\r\n",
        "golden/s/c.gold.json": '{"id": "c", "document": "rye"}',
        "golden/s/list.json": "[1]",
        "golden/s/broken.json": "{",
        "corpus/deep/d.txt": "deep",
        "secret.txt": "out of bounds",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path


def test_files_are_unique_and_sorted_by_path(root: Path) -> None:
    found = read_corpus(Files(WorkTree(root)), ["golden/s/c*.json", "corpus/*", "corpus/b.txt"], where="x")
    assert found == [
        ("corpus/a.md", {"file": "a", "text": "oats\n"}),
        ("corpus/b.txt", {"file": "b", "text": "barley"}),
        ("golden/s/c.gold.json", {"file": "c", "id": "c", "document": "rye"}),
    ]
    assert [name for name, _ in read_corpus(Files(WorkTree(root)), ["corpus/**/*.txt"], where="x")] == [
        "corpus/b.txt",
        "corpus/deep/d.txt",
    ]


def test_a_draft_is_not_in_the_corpus(root: Path) -> None:
    (root / "golden/s/draft.gold.json").write_text('{"id": "draft", "draft": true, "document": "not yet"}')
    assert [path for path, _ in read_corpus(Files(WorkTree(root)), ["golden/s/*.gold.json"], where="x")] == [
        "golden/s/c.gold.json"
    ]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("corpus/*.pdf", "no file matches"),
        ("*.txt", "is not under golden/ or corpus/"),
        ("secret.txt", "is not under"),
        ("corpus/../secret.txt", "is not under"),
        ("/etc/passwd", "is not under"),
        ("", "is not under"),
        ("golden/s/list.json", "is not a JSON object"),
        ("golden/s/broken.json", "not JSON"),
    ],
)
def test_unusable_patterns_are_errors(root: Path, pattern: str, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        read_corpus(Files(WorkTree(root)), [pattern], where="row3.toml field x")
