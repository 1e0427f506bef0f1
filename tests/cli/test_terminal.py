"""What a person sees: on a terminal as wide as it is, in a pipe always the same."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, Box, flawless, run
from tests.terminal import terminal

pytestmark = pytest.mark.slow

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def written(box: Box, *args: str, columns: int = 80, interrupt_at: str = "", **env: str) -> tuple[str, int]:
    """All that a command writes to a terminal, and its exit code; Ctrl-C where it has written the given words."""
    with terminal(box, *args, columns=columns, env=env) as one:
        if interrupt_at:
            one.until(interrupt_at)
            one.interrupt()
        code, _ = one.end()
        return one.seen.replace("\r\n", "\n"), code


def seen(box: Box, *args: str, columns: int = 80, interrupt_at: str = "") -> str:
    """What is left on the screen at the end: a rewritten line as it was last."""
    said, _ = written(box, *args, columns=columns, interrupt_at=interrupt_at)
    return CODES.sub("", "\n".join(line.rpartition("\r\x1b[2K")[2] for line in said.split("\n")))


@pytest.mark.parametrize(
    "args", ["--compare", "--dry-run", "recordings list", "history", "diff baseline latest", "lint"]
)
def test_nothing_is_wider_than_the_terminal_and_a_wide_one_is_used(first: Box, args: str) -> None:
    first.row3("--compare")
    narrow, wide = (seen(first, *args.split(), columns=columns) for columns in (80, 150))
    # Only a path that cannot be broken may be longer.
    assert [line for line in narrow.split("\n") if len(line) > 80 and len(line.split()) > 1] == []
    assert len(wide.split("\n")) <= len(narrow.split("\n"))


def _too_wide(text: str) -> list[str]:
    return [line for line in text.split("\n") if len(line) > 80]


def test_remarks_and_errors_are_wrapped_on_a_terminal_only(box: Box) -> None:
    on_terminal = seen(box, "new-version", "extract")
    assert "note: " in on_terminal
    assert _too_wide(on_terminal) == []
    piped = box.row3("new-version", "extract", code=0)
    assert all(line.startswith("note: ") for line in piped.err.splitlines())
    wrong = ("--mode", "replay", "--suite", "bread", "--prompt", "no-such-prompt-at-all-v1.0", "--compare", "--policy")
    on_terminal = seen(box, *wrong, "paired")
    assert on_terminal.startswith("error: ")
    assert _too_wide(on_terminal) == []
    piped = box.row3(*wrong, "paired", code=2)
    assert piped.err.count("\n") == 1
    assert on_terminal.split() == piped.err.split()


def test_what_init_says_is_wrapped_and_its_commands_are_whole(tmp_path: Path) -> None:
    box = Box(tmp_path)
    on_terminal = seen(box, "init", "-C", "a")
    assert _too_wide(on_terminal) == []
    piped = box.row3("init", "-C", "b", code=0).out
    assert on_terminal.split() == piped.split()
    for command in re.findall("`[^`]*`", piped):
        assert command in on_terminal


def test_the_headline_is_wrapped_on_a_terminal_only(first: Box, tmp_path: Path) -> None:
    narrow, wide = (seen(first, columns=columns).split("\n") for columns in (80, 150))
    piped = first.row3(code=0).out.split("\n")
    first.row3("--out", str(tmp_path / "card.txt"), code=0)
    assert "candidate; promoted v1.0" in piped[0]
    assert piped[0].endswith("replay")
    assert narrow[0] != piped[0]
    assert " ".join(line.strip() for line in narrow[:2]) == piped[0]
    assert wide[0] == piped[0]
    assert (tmp_path / "card.txt").read_text(encoding="utf-8").split("\n")[0] == piped[0]


def test_an_investigation_is_a_page_on_a_terminal_and_markdown_where_it_is_asked_for(first: Box) -> None:
    on_terminal, _ = written(first, "investigate", "bank-runs")
    assert "\x1b[1mProposed Fix\x1b[0m" in on_terminal
    assert not re.search(r"^(#|\|)|\*\*", CODES.sub("", on_terminal), re.MULTILINE)
    assert "### " not in first.row3("investigate", "bank-runs", code=0).out
    markdown = first.row3("investigate", "bank-runs", "--format", "markdown", code=0).out
    assert "### Symptoms" in markdown
    first.row3("investigate", "bank-runs", "--out", "bank-runs.md", code=0)
    assert first.read("bank-runs.md") == markdown
    issue = first.row3("investigate", "bank-runs", "--open", code=0).out
    assert issue.startswith("## Failure Investigation: bank-runs\n")
    assert "- [x]" in markdown
    assert "- [x]" not in issue


@pytest.mark.parametrize("width", [80, 100])
def test_an_investigation_of_all_failing_cases_fits_on_a_screen(first: Box, width: int) -> None:
    shown, _ = written(first, "investigate", columns=width)
    assert "of 15 cases failing in decomposition" in shown
    assert len(shown.splitlines()) <= 40


def test_in_a_pipe_the_width_is_always_the_same(first: Box) -> None:
    args = ("diff", "decompose-concepts-v1.0", "decompose-concepts-v1.1")
    assert first.row3(*args, COLUMNS="200").out == first.row3(*args, COLUMNS="40").out


def test_a_long_history_is_whole_when_verbose(box: Box) -> None:
    entry = box.history()[0]
    box.write("metrics-history.json", "[\n" + ",\n".join([json.dumps(entry)] * 25) + "\n]\n")
    assert "5 earlier (-v shows all)" in box.row3("history", code=0).out
    assert box.row3("history", "-v", code=0).out.count("promotion") == 25


def slow(seconds: float, **rest: FakeReply) -> Callable[[str, int], FakeReply]:
    return lambda name, _: rest.get(name) or FakeReply(json.dumps(flawless(CASES[name])), wait_s=seconds)


def test_a_live_run_shows_how_far_it_is_and_leaves_nothing_of_it(box: Box, model: Make) -> None:
    model(slow(0.3)).serve(box)
    for args, cases in ((), 3), (("--case", "[ro]*"), 2):
        said, code = written(box, "--mode", "live", "--jobs", "1", *args)
        assert code == 0
        shown = re.findall(r"\r\x1b\[2K([^\r\n]+)", said)
        assert shown[0] == f"0 of {cases} cases"
        assert any(line.startswith(f"1 of {cases} cases · 150 tokens") for line in shown)
        assert max(map(len, shown)) < 80
    left = seen(box, "--mode", "live", "--jobs", "1")
    assert " left\n" not in left
    assert left.startswith("bread · extract v1.1")


def test_the_first_failure_is_told_while_the_others_go_on(box: Box, model: Make) -> None:
    boom = FakeReply(status=400, body=b'{"error": {"message": "boom"}}')
    model(slow(0.5, oven=boom)).serve(box, max_retries=0)
    said, code = written(box, "--mode", "live", "--jobs", "1")
    assert code == 3
    assert "note: oven: extract-v1.1: " in said
    assert said.index("boom") < said.index("2 of 3 cases · 1 failed")
    assert "boom" in seen(box, "--mode", "live", "--jobs", "1").split("\n")[0]


def test_a_silence_is_told(box: Box, model: Make) -> None:
    model(slow(7.5)).serve(box)
    said, _ = written(box, "--mode", "live", "--case", "rye")
    assert "0 of 1 case · waiting for an answer, 6 s" in said


def test_ctrl_c_leaves_one_message(box: Box, model: Make) -> None:
    model(slow(60)).serve(box)
    left = seen(box, "--mode", "live", interrupt_at="0 of 3 cases")
    told = "error: interrupted; all answers so far are saved. Run the same command to continue"
    assert left.split() == told.split()


BROKEN_LOCK = """
import sys, threading
from row3.cli import app

def struck_inside_of_a_lock(**_):
    condition = threading.Condition(threading.Lock())
    with condition:
        condition.release()
        raise KeyboardInterrupt

app.main = struck_inside_of_a_lock
app.run()
"""
"""What Ctrl-C does in `Condition.wait`, as `Thread.start` calls it: the lock is released twice, which is an error."""


def test_ctrl_c_inside_of_a_lock_is_still_ctrl_c(box: Box) -> None:
    done = run(sys.executable, "-c", BROKEN_LOCK, cwd=box.root, env=box.env)
    assert (done.code, done.out) == (130, "")
    assert done.err == "error: interrupted; all answers so far are saved. Run the same command to continue\n"


NOT_RAISED = """
import time, weakref
from row3.cli import app
from row3.__main__ import main

class Thing:
    pass

def struck(_):
    raise KeyboardInterrupt

def struck_in_a_callback(**_):
    thing = Thing()
    watching = weakref.ref(thing, struck)
    del thing
    time.sleep(20)

app.main = struck_in_a_callback
main()
"""
"""What Ctrl-C does in the locks of `import`: Python prints what such a callback raises, and goes on."""


def test_ctrl_c_where_nothing_can_be_raised_is_still_ctrl_c(box: Box) -> None:
    done = run(sys.executable, "-c", NOT_RAISED, cwd=box.root, env=box.env)
    assert (done.code, done.out) == (130, "")
    assert done.err == "error: interrupted; all answers so far are saved. Run the same command to continue\n"


def test_ctrl_c_again_and_again_adds_nothing(box: Box, model: Make) -> None:
    model(slow(60)).serve(box)
    with terminal(box, "--mode", "live") as one:
        one.until("0 of 3 cases")
        for _ in range(5):
            one.interrupt()
        code, _ = one.end()
    assert code in (130, -signal.SIGINT)  # a shell says 130 for both
    assert one.text.count("error: ") == 1
    assert "never retrieved" not in one.text


@pytest.mark.parametrize(("args", "env"), [(("-q",), {}), ((), {"TERM": "dumb"})])
def test_no_progress_where_nobody_wants_it(box: Box, model: Make, args: tuple[str, ...], env: dict[str, str]) -> None:
    model(slow(0.2)).serve(box)
    said, _ = written(box, "--mode", "live", *args, **env)
    assert "\x1b[2K" not in said
    assert "of 3 cases ·" not in said
