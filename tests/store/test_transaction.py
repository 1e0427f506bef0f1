"""Atomic changes to several files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, InvalidFile
from row3.store import transaction
from row3.store.transaction import commit, local_folder, recover, writing

FILES = {"a.json": b"new a", "deep/down/b.json": b"new b"}


def test_all_files_are_written_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"old a")
    commit(tmp_path, tmp_path / ".row3", FILES)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES
    assert not (tmp_path / ".row3/transaction").exists()
    assert recover(tmp_path, tmp_path / ".row3") == []


@pytest.mark.parametrize("after", range(1, 8))
def test_a_commit_stopped_anywhere_is_undone_or_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    (tmp_path / "a.json").write_bytes(b"old a")
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
        commit(tmp_path, tmp_path / ".row3", FILES)
    except Killed:
        counts = (tmp_path / ".row3/transaction/commit.json").exists()
        monkeypatch.setattr(os, "replace", replace)
        done = recover(tmp_path, tmp_path / ".row3")
        assert sorted(done) == (sorted(FILES) if counts else [])
        expected = b"new a" if counts else b"old a"
        assert (tmp_path / "a.json").read_bytes() == expected
        assert (tmp_path / "deep/down/b.json").exists() is counts
        assert not (tmp_path / ".row3/transaction").exists()


def test_a_folder_in_the_way_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "deep").write_bytes(b"a file")
    with pytest.raises(EnvironmentFault):
        commit(tmp_path, tmp_path / ".row3", FILES)
    assert not (tmp_path / "a.json").exists()
    assert recover(tmp_path, tmp_path / ".row3") == []


def test_a_folder_in_a_files_place_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "deep/down/b.json").mkdir(parents=True)
    with pytest.raises(EnvironmentFault):
        commit(tmp_path, tmp_path / ".row3", FILES)
    assert not (tmp_path / "a.json").exists()
    assert recover(tmp_path, tmp_path / ".row3") == []


@pytest.mark.parametrize("link", ["deep", "deep/down", "deep/down/b.json", ".row3", ".row3/transaction"])
@pytest.mark.parametrize("there", [True, False], ids=["there", "dangling"])
def test_links_are_not_followed(tmp_path: Path, link: str, there: bool) -> None:
    outside, root = tmp_path / "outside", tmp_path / "project"
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    if there:
        outside.mkdir()
    with pytest.raises(
        InvalidFile, match=rf"^{link}: this is a symbolic link, which row3 does not follow\. Put the file"
    ):
        commit(root, root / ".row3", FILES)
    assert not (root / "a.json").exists()
    assert not there or list(outside.iterdir()) == []


def test_a_file_that_cannot_be_replaced_is_finished_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "recover", lambda *_: [])
    commit(tmp_path, tmp_path / ".row3", FILES)
    monkeypatch.undo()
    (tmp_path / "deep/down/b.json/in-the-way").mkdir(parents=True)
    with pytest.raises(EnvironmentFault) as caught:
        recover(tmp_path, tmp_path / ".row3")
    assert str(caught.value).startswith("deep/down/b.json: cannot be written, and other files of the same change are")
    (tmp_path / "deep/down/b.json/in-the-way").rmdir()
    (tmp_path / "deep/down/b.json").rmdir()
    recover(tmp_path, tmp_path / ".row3")
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        ("{", "the manifest is broken"),
        ("[]", "the manifest is broken"),
        ('{"files": [{"file": "../x", "new": "0", "digest": ""}]}', "outside the project"),
        ('{"files": [{"file": "/etc/x", "new": "0", "digest": ""}]}', "outside the project"),
        ('{"files": [{"file": "x", "new": "../../../y", "digest": ""}]}', "outside the project"),
    ],
)
def test_an_invalid_manifest_moves_nothing(tmp_path: Path, manifest: str, says: str) -> None:
    folder = tmp_path / ".row3" / transaction.FOLDER
    folder.mkdir(parents=True)
    (folder / transaction.MANIFEST).write_text(manifest, encoding="utf-8")
    with pytest.raises(InvalidFile, match=says):
        recover(tmp_path, tmp_path / ".row3")


def test_damaged_new_contents_are_not_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "recover", lambda *_: [])
    commit(tmp_path, tmp_path / ".row3", FILES)
    monkeypatch.undo()
    (tmp_path / ".row3/transaction/new/0").write_bytes(b"other")
    with pytest.raises(InvalidFile, match=r"the new a\.json is damaged"):
        recover(tmp_path, tmp_path / ".row3")
    assert not (tmp_path / "a.json").exists()


def test_the_local_folder_ignores_itself_in_git(tmp_path: Path) -> None:
    local_folder(tmp_path / ".row3")
    assert (tmp_path / ".row3/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_second_writer_waits_and_says_so(tmp_path: Path) -> None:
    inside, waiting, said, order = threading.Event(), threading.Event(), [], []

    def first() -> None:
        with writing(tmp_path / ".row3"):
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
        with writing(tmp_path / ".row3", say=say):
            order.append("second")
    finally:
        thread.join()
    assert order == ["first", "second"]
    assert said == ["another row3 is writing; waiting for it"]


def test_waiting_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "PATIENCE_S", 0.1)
    with writing(tmp_path / ".row3"), pytest.raises(EnvironmentFault, match=r"has been writing for more than 0\.1 s"):
        with writing(tmp_path / ".row3"):
            pass


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), writing(tmp_path / ".row3"):
        raise ValueError("x")
    with writing(tmp_path / ".row3"):
        pass


def test_a_file_named_like_the_folder_is_one_error(tmp_path: Path) -> None:
    (tmp_path / ".row3").write_text("x", encoding="utf-8")
    with pytest.raises(EnvironmentFault, match=r"^\.row3: "), writing(tmp_path / ".row3"):
        pass
