"""One holder at a time, across processes, and free again when its holder is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from row3.store.file_lock import FileLock, LockedElsewhereError

HOLD = (
    "import sys, time\n"
    "from pathlib import Path\n"
    "from row3.store.file_lock import FileLock\n"
    "lock = FileLock(Path(sys.argv[1])); lock.acquire(5.0)\n"
    "print('held', flush=True); time.sleep(60)\n"
)


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_another_process_waits_and_gets_it_when_the_holder_is_killed(tmp_path: Path) -> None:
    process = holder(tmp_path / "lock")
    try:
        lock = FileLock(tmp_path / "lock")
        with pytest.raises(LockedElsewhereError):
            lock.acquire(0.0)
        assert not lock.held
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    lock.acquire(5.0)
    assert lock.held
    lock.release()
    assert not lock.held


def test_released_is_free_though_a_forked_process_lives_on(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.acquire(0.0)
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    try:
        lock.release()
        other = FileLock(tmp_path / "lock")
        other.acquire(0.0)
        other.release()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_releasing_twice_and_without_holding_does_nothing(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.release()
    lock.acquire(0.0)
    lock.release()
    lock.release()
    assert not lock.held


def test_a_folder_that_is_not_there_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "no" / "lock").acquire(0.0)
