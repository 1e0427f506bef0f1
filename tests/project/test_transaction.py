"""Atomic changes to several files."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from row3.domain.requests import digest_text
from row3.errors import EnvironmentFault, InvalidFile
from row3.project import transaction
from row3.project.local_state import state_folder
from row3.project.places import LOCAL, WRITTEN
from row3.project.transaction import commit, recover, writing
from tests.rows import every_row

FILES = {"row3.toml": b"new a", "golden/down/b.json": b"new b"}


def test_all_files_are_written_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "row3.toml").write_bytes(b"old a")
    commit(tmp_path, FILES)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES
    assert not (state_folder(tmp_path) / "transaction").exists()
    assert recover(tmp_path) == []


@pytest.mark.parametrize("after", range(1, 8))
def test_a_commit_stopped_anywhere_is_undone_or_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    (tmp_path / "row3.toml").write_bytes(b"old a")
    calls = 0
    replace = os.replace

    class Killed(BaseException):
        pass

    def dying(*args: object) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise Killed
        replace(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", dying)
    try:
        commit(tmp_path, FILES)
    except Killed:
        counts = (state_folder(tmp_path) / "transaction/commit.json").exists()
        monkeypatch.setattr(os, "replace", replace)
        done = recover(tmp_path)
        assert sorted(done) == (sorted(FILES) if counts else [])
        expected = b"new a" if counts else b"old a"
        assert (tmp_path / "row3.toml").read_bytes() == expected
        assert (tmp_path / "golden/down/b.json").exists() is counts
        assert not (state_folder(tmp_path) / "transaction").exists()


def test_a_folder_in_the_way_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "golden").write_bytes(b"a file")
    with pytest.raises(EnvironmentFault):
        commit(tmp_path, FILES)
    assert not (tmp_path / "row3.toml").exists()
    assert recover(tmp_path) == []


def test_a_folder_in_a_files_place_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "golden/down/b.json").mkdir(parents=True)
    with pytest.raises(EnvironmentFault):
        commit(tmp_path, FILES)
    assert not (tmp_path / "row3.toml").exists()
    assert recover(tmp_path) == []


@every_row("link", ["golden", "golden/down", "golden/down/b.json"])
@every_row("there", [True, False])
def test_links_are_not_followed(tmp_path: Path, link: str, there: bool) -> None:
    outside, root = tmp_path / "outside", tmp_path / "project"
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    if there:
        outside.mkdir()
    with pytest.raises(
        InvalidFile, match=rf"^{link}: this is a symbolic link, which row3 does not follow\. Put the file"
    ):
        commit(root, FILES)
    assert not (root / "row3.toml").exists()
    assert not there or list(outside.iterdir()) == []


def test_a_file_that_cannot_be_replaced_is_finished_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "recover", lambda *_: [])
    commit(tmp_path, FILES)
    monkeypatch.undo()
    (tmp_path / "golden/down/b.json/in-the-way").mkdir(parents=True)
    with pytest.raises(EnvironmentFault) as caught:
        recover(tmp_path)
    assert str(caught.value).startswith("golden/down/b.json: cannot be written, and other files of the same change are")
    (tmp_path / "golden/down/b.json/in-the-way").rmdir()
    (tmp_path / "golden/down/b.json").rmdir()
    recover(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES


@every_row(
    ("manifest", "says"),
    [
        ("{", "the manifest is broken"),
        ("[]", "the manifest is broken"),
        ('{"files": [{"file": "row3.toml", "new": "../../../y", "digest": ""}]}', "outside the project"),
        ('{"files": [{"file": "row3.toml", "new": "0"}]}', "the manifest is broken"),
    ],
)
def test_an_invalid_manifest_moves_nothing(tmp_path: Path, manifest: str, says: str) -> None:
    folder = state_folder(tmp_path) / transaction.FOLDER
    folder.mkdir(parents=True)
    (folder / transaction.MANIFEST).write_text(manifest, encoding="utf-8")
    with pytest.raises(InvalidFile, match=says):
        recover(tmp_path)


def test_damaged_new_contents_are_not_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "recover", lambda *_: [])
    commit(tmp_path, FILES)
    monkeypatch.undo()
    (state_folder(tmp_path) / "transaction/new/0").write_bytes(b"other")
    with pytest.raises(InvalidFile, match=r"the new row3\.toml is damaged"):
        recover(tmp_path)
    assert not (tmp_path / "row3.toml").exists()


def test_a_second_writer_waits_and_says_so(tmp_path: Path) -> None:
    inside, waiting, said, order = threading.Event(), threading.Event(), [], []

    def first() -> None:
        with writing(tmp_path):
            inside.set()
            waiting.wait(60)
            order.append("first")

    def say(text: str) -> None:
        said.append(text)
        waiting.set()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    try:
        with writing(tmp_path, say=say):
            order.append("second")
    finally:
        thread.join()
    assert order == ["first", "second"]
    assert said == ["another row3 is writing; waiting for it"]


def test_waiting_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "PATIENCE_S", 0.1)
    with writing(tmp_path), pytest.raises(EnvironmentFault, match=r"has been writing for more than 0\.1 s"):
        with writing(tmp_path):
            pass


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), writing(tmp_path):
        raise ValueError("x")
    with writing(tmp_path):
        pass


def test_a_state_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    folder = state_folder(tmp_path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("x", encoding="utf-8")
    with pytest.raises(EnvironmentFault, match=r"/lock: cannot be written"), writing(tmp_path):
        pass


NAMES = st.sampled_from(
    [*WRITTEN, LOCAL, ".git", ".GIT", "git~1", "hooks", "pre-commit", "config", "x.json", "..", ".", "", "~", "C:"]
)
PARTS, BY = st.lists(NAMES, min_size=1, max_size=4), st.sampled_from(["/", "\\"])


@given(st.builds(lambda parts, by: by.join(parts), PARTS, BY))
@example(".git/config")
@example(".git/hooks/pre-commit")
@example("golden/.git/hooks/pre-commit")
@example("golden/../.git/config")
@example("golden\\..\\.git\\config")
@example("/etc/passwd")
@example("../../.bashrc")
@example("setup.py")
@example(".row3/runs/x.json")
def test_a_path_outside_the_list_is_written_by_no_transaction(path: str) -> None:
    first, *inner = re.split(r"[/\\]", path)
    listed = first in WRITTEN and all(part and part[0] != "." and not part.startswith("git~") for part in inner)
    with TemporaryDirectory() as name:
        root = Path(name).resolve() / "project"
        folder = state_folder(root) / transaction.FOLDER
        (folder / "new").mkdir(parents=True)
        (folder / "new/0").write_bytes(b"stranger")
        entry = {"file": path, "new": "0", "digest": digest_text(b"stranger")}
        (folder / transaction.MANIFEST).write_text(json.dumps({"files": [entry]}), encoding="utf-8")
        root.mkdir()
        if listed:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            assert recover(root) == [path]
            assert (root / path).read_bytes() == b"stranger"
            return
        with pytest.raises(InvalidFile):
            recover(root)
        with pytest.raises(InvalidFile):
            commit(root, {path: b"stranger"})
        assert not list(root.rglob("*"))
        shutil.rmtree(folder)
