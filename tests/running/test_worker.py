"""A process that answers one question at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from row3.errors import EnvironmentFault
from row3.running.worker import Worker

SERVED = """
import os, sys, time, atexit
count = 0
def answer(question):
    global count
    count += 1
    [does, *given] = question
    if does == "sleep":
        time.sleep(*given)
    if does == "end":
        os._exit(*given)
    if does == "leave":
        atexit.register(open(*given, "w").close)
    return {"count": count, "pid": os.getpid(), "key": os.environ.get("KEY")}
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    (tmp_path / "served.py").write_text(SERVED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("KEY", "secret")
    worker = Worker("served", "serves tests", isolated=False)
    yield worker
    worker.end()


def test_the_process_is_kept_and_sees_the_import_path_and_environment(worker: Worker) -> None:
    first, second = worker.ask(("add",), 10), worker.ask(("add",), 10)
    assert (first["count"], second["count"]) == (1, 2)
    assert first["pid"] == second["pid"] != os.getpid()
    assert first["key"] == "secret"


def test_another_place_has_another_process(worker: Worker) -> None:
    assert [worker.ask(("add",), 10, place)["count"] for place in ("a", "a", "b", "a")] == [1, 2, 1, 1]


def test_a_question_over_the_limit_costs_the_process(worker: Worker) -> None:
    began = worker.ask(("add",), 10)
    with pytest.raises(TimeoutError):
        worker.ask(("sleep", 30), 0.2)
    assert worker.ask(("add",), 10)["count"] == 1
    with pytest.raises(ProcessLookupError):
        os.kill(began["pid"], 0)


def test_an_end_is_told_and_the_next_question_is_answered(worker: Worker) -> None:
    for code in (0, 7):
        with pytest.raises(EOFError, match=rf"ended its process \(exit code {code}\)"):
            worker.ask(("end", code), 10)
        assert worker.ask(("add",), 10)["count"] == 1


@pytest.mark.parametrize("wait_s", [0.0, 0.1])
def test_an_end_between_questions_harms_no_question(worker: Worker, wait_s: float) -> None:
    os.kill(worker.ask(("add",), 10)["pid"], signal.SIGKILL)
    time.sleep(wait_s)
    assert worker.ask(("add",), 10)["count"] == 1


def test_an_interrupted_answer_does_not_reach_the_next_question(worker: Worker) -> None:
    worker.ask(("add",), 10)
    threading.Timer(0.2, signal.pthread_kill, [threading.get_ident(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        worker.ask(("sleep", 30), 60)
    assert worker.ask(("add",), 10)["count"] == 1


def test_a_forked_process_has_its_own(worker: Worker) -> None:
    pid = worker.ask(("add",), 10)["pid"]
    child = multiprocessing.get_context("fork").Process(target=asked_elsewhere, args=(worker, pid))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert worker.ask(("add",), 10) == {"count": 2, "pid": pid, "key": "secret"}


def asked_elsewhere(worker: Worker, pid: int) -> None:
    assert worker.ask(("add",), 10)["count"] == 1
    worker.end()


def test_the_process_ends_in_its_own_way_with_the_program(worker: Worker, tmp_path: Path) -> None:
    worker.ask(("leave", str(tmp_path / "left")), 10)
    worker.end()
    assert (tmp_path / "left").exists()


def test_the_process_ends_when_the_program_is_killed(worker: Worker, tmp_path: Path) -> None:
    program = "from row3.running.worker import Worker; worker = Worker('served', 'x', isolated=False)"
    program += "; print(worker.ask(('add',), 10)['pid'], flush=True); worker.ask(('sleep', 60), 100)"
    started = subprocess.Popen((sys.executable, "-c", program), cwd=tmp_path, stdout=subprocess.PIPE)
    with started:
        assert started.stdout is not None
        pid = int(started.stdout.readline())
        started.kill()
    until = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_that_cannot_start_is_told() -> None:
    with pytest.raises(EnvironmentFault, match="cannot start the process that serves nothing"):
        Worker("no_such_module", "serves nothing", isolated=True).ask(("x",), 10)


def test_an_isolated_process_imports_nothing_local_and_has_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "hashlib", "json", "jinja2"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').write('')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("KEY", "secret")
    renderer = Worker("row3.running.rendering.sandbox", "renders templates", isolated=True)
    try:
        body = "{% block user %}{{ b ~ b }}{% endblock %}"
        assert renderer.ask((body, {"b": "x"}, None), 10) == [False, [["user", "xx", []]]]
        assert renderer._process is not None
        environment = Path(f"/proc/{renderer._process.pid}/environ")
        if environment.exists():
            assert not {b"PYTHONPATH", b"KEY"} & {
                each.partition(b"=")[0] for each in environment.read_bytes().split(b"\0")
            }
    finally:
        renderer.end()
    assert not (tmp_path / "ran").exists()
