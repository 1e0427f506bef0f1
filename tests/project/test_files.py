"""Strict reading, atomic writing."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault, InvalidFile
from row3.project.files import decode, read_bytes, refuse_conflicts, write_all, write_atomic
from row3.project.tree import WorkTree, read_text
from tests.rows import every_row


def test_bom_and_carriage_returns_are_removed() -> None:
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n", where="x") == "a\nb\nc\n"


@every_row("raw", ["ä".encode("utf-16"), b"\xfe\xff\x00a", b"\xe4", b"\xed\xa0\x80"])
def test_other_encodings_are_refused(raw: bytes) -> None:
    with pytest.raises(InvalidFile, match=r"^x: .*UTF-"):
        decode(raw, where="x")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no such device")
def test_a_link_to_an_endless_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "endless").symlink_to("/dev/zero")
    with pytest.raises(InvalidFile, match="x: this is a pipe, a socket or a device, not a file"):
        read_bytes(tmp_path / "endless", where="x", limit=1000)


def test_pipes_and_sockets_are_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket"))
        for name in ("pipe", "socket"):
            with pytest.raises(InvalidFile, match="x: this is a pipe, a socket or a device, not a file"):
                read_bytes(tmp_path / name, where="x")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no such files")
def test_a_file_of_unknown_size_is_read_completely() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert read_bytes(path, where="x").startswith(b"Name:")


def test_large_missing_and_folder(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(InvalidFile, match="11 bytes, more than 10"):
        read_bytes(tmp_path / "big", where="big", limit=10)
    with pytest.raises(InvalidFile, match="does not exist"):
        read_bytes(tmp_path / "none", where="none")
    with pytest.raises(InvalidFile, match="folder"):
        read_bytes(tmp_path, where="here")


def test_conflict_markers_are_found_but_not_rulers() -> None:
    with pytest.raises(InvalidFile, match=r"^x:2: "):
        refuse_conflicts("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> d\n", where="x")
    refuse_conflicts("Title\n=======\n\ntext\n", where="x")
    refuse_conflicts("an inner <<<<<<< is none\n", where="x")


def test_a_write_replaces_the_file_and_leaves_no_others(tmp_path: Path) -> None:
    path = tmp_path / "deep/file"
    write_atomic(path, "ä\n")
    write_atomic(path, [b"b", b"c"])
    assert path.read_bytes() == b"bc"
    assert os.listdir(path.parent) == ["file"]
    assert read_text(WorkTree(path.parent), "file") == "bc"


def test_the_mode_is_kept_and_links_are_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("a", encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomic(link, "b")
    assert link.stat().st_mode & 0o777 == 0o640
    assert path.read_text(encoding="utf-8") == "a"
    write_atomic(path, "c")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_failed_write_leaves_the_old_file_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")

    def pieces() -> object:
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(EnvironmentFault, match="No space left on device"):
        write_atomic(path, pieces())  # type: ignore[arg-type]
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["file"]
    (tmp_path / "folder").mkdir()
    with pytest.raises(EnvironmentFault):
        write_atomic(tmp_path / "folder", "x")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    one, two, gone = tmp_path / "one", tmp_path / "two", tmp_path / "gone"
    for path in (one, two, gone):
        path.write_bytes(b"old")
    blocked = tmp_path / "file" / "below"
    blocked.parent.write_bytes(b"")
    with pytest.raises(EnvironmentFault, match="nothing was changed"):
        write_all({one: b"new", gone: None, blocked: b"new"}, where="recordings/")
    assert [path.read_bytes() for path in (one, two, gone)] == [b"old"] * 3
    write_all({one: b"new", two: b"new", gone: None}, where="recordings/")
    assert [path.read_bytes() for path in (one, two)] == [b"new"] * 2
    assert not gone.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two", "file"}
