"""A project reads the same from the work tree, the index and a commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from row3.errors import InvalidFile, UsageError
from row3.project import embeddings
from row3.project.base import project_at
from row3.project.corpus import read_corpus
from row3.project.git.repository import Repository
from row3.project.history import read_history
from row3.project.manifests import parse_manifest
from row3.project.project import Project, open_project
from row3.project.prompts import read_promoted, read_prompt, versions
from row3.project.quarantine import read_quarantine
from row3.project.recordings import open_index
from row3.project.suites import make_suite
from row3.project.tree import same_file
from tests.projects import HOME, SUITE, Box

CASE = f"golden/{SUITE}/rye.gold.json"


def at(box: Box, commit: str | None = "HEAD") -> Project:
    repository = Repository.find(box.root)
    assert repository is not None
    return project_at(repository, box.root, commit, label=commit or "the index")


def contents(project: Project) -> Iterator[Any]:
    """Everything that a comparison reads."""
    tree = project.tree
    yield project.config
    yield read_promoted(tree)
    yield [entry.run_id for entry in read_history(tree)]
    there = versions(tree)
    yield [read_prompt(tree, ref).digest for ref in _refs(there)]
    for name in project.suite_names():
        suite = project.settings(name, "replay")
        yield name, [(stored.case, stored.digest) for stored in project.cases_of(suite)]
        yield read_quarantine(tree, suite.golden)
        yield list(open_index(tree, name).all())
        yield [row for path in embeddings.files(tree, name) for row in embeddings.rows(tree, path)]
        if tree.exists(baseline := project.baseline(name)):
            yield parse_manifest(tree.read(baseline), where=tree.place(baseline))


def _refs(there: Any) -> list[Any]:
    from row3.domain.prompts import PromptRef

    return [PromptRef(name, version) for name, numbers in there.items() for version in numbers]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The shipped project in a repository of its own."""
    root = tmp_path_factory.mktemp("home") / "in" / "project"
    root.mkdir(parents=True)
    for name in ("golden", "recordings", "baselines", "prompts", "row3.toml", "metrics-history.json", ".gitattributes"):
        subprocess.run(["cp", "-r", str(HOME / name), str(root)], check=True)
    git(root.parent, "init", "-q")
    git(root.parent, "config", "core.autocrlf", "false")
    git(root.parent, "add", ".")
    git(root.parent, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all")
    return Box(root)


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("commit", ["HEAD", None])
def test_a_commit_reads_like_the_work_tree(home: Box, commit: str | None) -> None:
    there = at(home, commit)
    assert list(contents(there)) == list(contents(open_project(home.root)))


def test_an_edited_file_is_read_from_the_commit(home: Box, tmp_path: Path) -> None:
    box = Box(Path(str(tmp_path / "copy")))
    subprocess.run(["cp", "-r", str(home.root.parent), str(box.root)], check=True)
    box = Box(box.root / "project")
    before = list(contents(at(box)))
    for folder in ("golden", "recordings", "prompts"):
        for path in [*box.root.glob(f"{folder}/**/*.*")][:20]:
            if path.is_file():
                path.write_bytes(path.read_bytes() + b"\n")
    subprocess.run(["rm", "-r", str(box.root / "baselines")], check=True)
    assert list(contents(at(box))) == before
    git(box.root, "add", "-A", ".")
    assert list(contents(at(box))) == before
    assert list(contents(at(box, None))) == list(contents(open_project(box.root)))


def test_a_file_marked_assume_unchanged_is_read_from_the_commit(tmp_path: Path, home: Box) -> None:
    subprocess.run(["cp", "-r", str(home.root.parent), str(tmp_path / "copy")], check=True)
    root = tmp_path / "copy/project"
    git(root, "update-index", "--assume-unchanged", "row3.toml")
    (root / "row3.toml").write_text("suite = 5\n", encoding="utf-8")
    assert at(Box(root)).config == open_project(home.root).config


def test_line_ends_and_filters_are_those_of_a_checkout(tmp_path: Path) -> None:
    root = tmp_path / "p"
    (root / "corpus").mkdir(parents=True)
    (root / ".gitattributes").write_text("corpus/*.txt eol=crlf\n", encoding="utf-8")
    (root / "corpus/a.txt").write_bytes(b"rye\r\noats\r\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    (root / "corpus/a.txt").write_bytes(b"other\r\n")
    project = at(Box(root), None)
    assert project.tree.read("corpus/a.txt") == b"rye\r\noats\r\n"
    assert read_corpus(project.files, ["corpus/*.txt"], where="x") == [
        ("corpus/a.txt", {"file": "a", "text": "rye\noats\n"})
    ]
    assert not same_file(project.tree, open_project_at(root).tree, "corpus/a.txt")


def open_project_at(root: Path) -> Project:
    (root / "row3.toml").touch()
    return open_project(root)


def test_errors_name_the_commit(home: Box, tmp_path: Path) -> None:
    subprocess.run(["cp", "-r", str(home.root.parent), str(tmp_path / "copy")], check=True)
    root = tmp_path / "copy/project"
    path = "golden/decomposition/broken.gold.json"
    (root / path).write_text("{", encoding="utf-8")
    git(root, "add", ".")
    (root / path).unlink()
    project = at(Box(root), None)
    kind = make_suite(project.config, "decomposition").kind
    with pytest.raises(InvalidFile, match=f"{path} at the index:1:2: not JSON"):
        project.cases.case(path, kind)
    with pytest.raises(InvalidFile, match="golden/x.gold.json at the index: the file does not exist"):
        project.cases.case("golden/x.gold.json", kind)
    with pytest.raises(UsageError, match="git fetch origin 0123456789"):
        at(Box(root), "0123456789")


def test_an_answer_is_looked_up_at_the_head_then_at_the_base(home: Box, tmp_path: Path) -> None:
    subprocess.run(["cp", "-r", str(home.root.parent), str(tmp_path / "copy")], check=True)
    root = tmp_path / "copy/project"
    gone = sorted((root / "recordings/decomposition").glob("*.jsonl"))[0]
    gone.unlink()
    base = open_index(at(Box(root)).tree, "decomposition")
    head = open_index(open_project(root).tree, "decomposition")
    digests = [digest for digest in base.digests() if digest not in head]
    assert digests
    assert head.answer(digests[0]) is None
    head.fallback = base
    assert [head.answer(digest) for digest in digests] == [base.answer(d) for d in digests]
