"""One writer at a time; a second run waits."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault
from row3.store import locks
from row3.store.locks import local_folder, writing


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


def test_patience_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "PATIENCE_S", 0.1)
    with writing(tmp_path / ".row3"), pytest.raises(EnvironmentFault, match=r"has been writing for more than 0\.1 s"):
        with writing(tmp_path / ".row3"):
            pass


def test_the_lock_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), writing(tmp_path / ".row3"):
        raise ValueError("x")
    with writing(tmp_path / ".row3"):
        pass


def test_a_file_in_its_place_is_one_message(tmp_path: Path) -> None:
    (tmp_path / ".row3").write_text("x", encoding="utf-8")
    with pytest.raises(EnvironmentFault, match=r"^\.row3: "), writing(tmp_path / ".row3"):
        pass
