"""Commands as real processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from row3.domain.requests import Answer, NoAnswer
from row3.errors import ProviderStopped
from row3.providers.base import Access
from row3.providers.command import Command
from tests.rows import every_row
from tests.systems.calls import ENVIRONMENT, ask, ask_all, request, stage


async def no_wait(_: float) -> None:
    """For tests in which a retry need not wait."""


def command(tmp_path: Path, code: str, *, program: str = "python", **access: Any) -> Command:
    (tmp_path / "answer.py").write_text("import json, os, sys, time\n" + code)
    given = {"timeout_s": 30.0} | access
    return Command(Access((program, "answer.py"), **given), root=tmp_path, environ=ENVIRONMENT, sleep=no_wait)


def test_reads_its_question_on_stdin_and_answers_on_stdout(tmp_path: Path) -> None:
    asked = [stage("command", "x", {"query": f"Müller {n}"}) for n in range(5)]
    given = ask_all(
        command(tmp_path, "print(json.dumps(json.load(sys.stdin), ensure_ascii=False))"),
        [request(each) for each in asked],
    )
    assert [each.text for each in given if isinstance(each, Answer)] == [f'{{"query": "Müller {n}"}}' for n in range(5)]


def test_a_part_of_what_it_writes_is_the_answer(tmp_path: Path) -> None:
    provider = command(tmp_path, "print(json.dumps({'a': [{'b': [1, 2]}]}))")
    given = ask(provider, stage("command", "x", {}, answer="a.0.b"))
    assert isinstance(given, Answer)
    assert given.text == "[1,2]"


def test_output_that_is_not_json_is_returned_unchanged(tmp_path: Path) -> None:
    given = ask(command(tmp_path, "print('I am sorry, Dave')"), stage("command", "x", {}))
    assert isinstance(given, Answer)
    assert given.text == "I am sorry, Dave"


def test_it_need_not_read_its_question(tmp_path: Path) -> None:
    given = ask(command(tmp_path, "os.close(0); print('{}')"), stage("command", "x", {"text": "long " * 200_000}))
    assert isinstance(given, Answer)
    assert given.text == "{}"


def test_large_output_on_both_streams_does_not_block(tmp_path: Path) -> None:
    code = "sys.stderr.write('e' * 3_000_000); sys.stdout.write('o' * 3_000_000); json.load(sys.stdin)"
    given = ask(command(tmp_path, code), stage("command", "x", {"text": "i" * 3_000_000}))
    assert isinstance(given, Answer)
    assert len(given.text) == 3_000_000


def test_an_exit_code_is_no_answer_and_the_end_of_stderr_is_shown(tmp_path: Path) -> None:
    code = "print('half'); sys.stderr.write('x' * 9_000 + '\\nno index\\nkey=' + os.environ['GIVEN']); sys.exit(4)"
    given = ask(command(tmp_path, code, variables=("GIVEN",), retries=3), stage("command", "x", {}))
    assert isinstance(given, NoAnswer)
    assert given.error.startswith("`python` failed with exit code 4: ")
    assert len(given.error) < 400
    assert "given-value" not in given.error
    code = "sys.stderr.write('no index at /data'); sys.exit(4)"
    assert ask(command(tmp_path, code), stage("command", "x", {})) == NoAnswer(
        "`python` failed with exit code 4: no index at /data"
    )


@every_row(("retries", "answers"), [(2, True), (1, False)])
def test_exit_code_75_is_retried(tmp_path: Path, retries: int, answers: bool) -> None:
    code = "open('tries', 'a').write('.'); sys.exit(75) if os.path.getsize('tries') < 3 else print('{}')"
    given = ask(command(tmp_path, code, retries=retries), stage("command", "x", {}))
    assert isinstance(given, Answer) is answers
    assert (tmp_path / "tries").read_text() == "." * (retries + 1)


def test_a_time_out_kills_the_program_and_its_children(tmp_path: Path) -> None:
    code = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pid", "w").write(str(child.pid))
time.sleep(60)
"""
    began = time.monotonic()
    given = ask(command(tmp_path, code, timeout_s=3.0), stage("command", "x", {}))
    assert isinstance(given, NoAnswer)
    assert given.error == "`python` gave no answer within 3 s"
    assert time.monotonic() - began < 50
    pid = int((tmp_path / "pid").read_text())
    status = Path(f"/proc/{pid}/status")
    until = time.monotonic() + 30
    while status.exists() and "zombie" not in status.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    assert not status.exists() or "zombie" in status.read_text()


def test_a_signal_is_no_answer(tmp_path: Path) -> None:
    given = ask(command(tmp_path, "import signal; os.kill(os.getpid(), signal.SIGSEGV)"), stage("command", "x", {}))
    assert given == NoAnswer("`python` was killed by signal 11")


def test_it_gets_only_the_named_variables(tmp_path: Path) -> None:
    code = "print(os.environ.get('GIVEN'), os.environ.get('HIDDEN'))"
    given = ask(command(tmp_path, code, variables=("GIVEN", "NOT_SET")), stage("command", "x", {}))
    assert isinstance(given, Answer)
    assert given.text == "given-value None"


def test_python_is_the_one_that_runs_row3(tmp_path: Path) -> None:
    given = ask(command(tmp_path, "print(sys.prefix)"), stage("command", "x", {}))
    assert isinstance(given, Answer)
    assert given.text == sys.prefix


def test_a_missing_program_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(ProviderStopped, match="cannot start the command `nonesuch`: No such file") as stopped:
        ask(command(tmp_path, "", program="nonesuch"), stage("command", "x", {}))
    assert stopped.value.exit_code == 3
    (tmp_path / "plain.txt").write_text("no program")
    with pytest.raises(ProviderStopped, match="Permission denied"):
        ask(command(tmp_path, "", program="./plain.txt"), stage("command", "x", {}))


def test_no_child_is_left(tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    provider = command(tmp_path, "print('{}')")
    ask_all(provider, [request(stage("command", "x", {})) for _ in range(3)])
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.mark.parametrize("streams", ["stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL", ""])
def test_a_child_that_outlives_the_program_is_killed(
    tmp_path: Path, streams: str, unclosed: Callable[[], list[str]]
) -> None:
    code = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], {streams})
open("pid", "w").write(str(child.pid))
print("{{}}")
"""
    given = ask(command(tmp_path, code), stage("command", "x", {}))
    assert isinstance(given, Answer)
    assert given.text == "{}"
    helper = int((tmp_path / "pid").read_text())
    _, left = psutil.wait_procs([psutil.Process(helper)] if psutil.pid_exists(helper) else [], timeout=30)
    assert not [one for one in left if one.status() != psutil.STATUS_ZOMBIE]
    assert not unclosed()


def test_a_daemon_that_keeps_stdout_open_does_not_cost_the_answer(
    tmp_path: Path, unclosed: Callable[[], list[str]]
) -> None:
    code = """
import subprocess
sleep = "import time; time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
open("pid", "w").write(str(child.pid))
print(json.dumps("x" * 200_000))
"""
    try:
        given = ask(command(tmp_path, code), stage("command", "x", {"text": "i" * 300_000}))
    finally:
        psutil.Process(int((tmp_path / "pid").read_text())).kill()  # it left the group, so nobody else ends it
    assert isinstance(given, Answer)
    assert len(given.text) >= 200_000
    assert not unclosed()
