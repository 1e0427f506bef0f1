"""`kill -9` during a promotion, at random instants and between any two writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from row3.commands.compare import gate
from row3.running.run_options import RunOptions
from row3.running.session import open_session
from tests.projects import Box, copy_of

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("ROW3_KILLS", "16"))
"""At random instants; the other test kills before the writes one after the other. `ROW3_KILLS=500` searches longer."""
DRIVER = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path
import matplotlib.pyplot
import row3.commands.promoting.promote
from row3.cli.app import main
from row3.project.local_state import state_folder
import row3.cli.promote, row3.cli.show, row3.reports.comparison, row3.project.changelog

template, work, kills, mode = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
if "ROW3_KILLS" not in os.environ:  # drawing takes most of the time, and none of the writing
    row3.commands.promoting.promote.trend_chart = lambda points, suite: str(len(points)).encode() * 5000
LOCAL = (".git", ".row3")

def tree(root):
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file() and p.relative_to(root).parts[0] not in LOCAL
    }

def child(root, command, trap=None):
    pid = os.fork()
    if pid == 0:
        os.chdir(root)
        for stream in (1, 2):
            name = os.devnull if stream == 1 else f"{root}.err"
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        if trap is not None:
            trap()
        try:
            code = main(command, standalone_mode=False)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\\n".encode())
            code = getattr(error, "exit_code", 99)
        os._exit(code or 0)
    return pid

def ended(pid):
    status = os.waitpid(pid, 0)[1]
    return -9 if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)

def killer(after):
    # Dies by SIGKILL before the call number `after` of those that change the disk.
    count = 0
    def wrap(function):
        def wrapped(*args, **more):
            nonlocal count
            count += 1
            if count == after:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **more)
        return wrapped
    def trap():
        for name in ("replace", "unlink", "fsync", "mkdir", "rmdir", "chmod", "rename"):
            setattr(os, name, wrap(getattr(os, name)))
    return trap

PROMOTE = ["promote", "v1.1"]
def settled(files):
    # What every promotion of one project has in common: ids, times and charts are those of the run.
    keep = {n: c for n, c in files.items() if n in ("prompts/promoted.json", "CHANGELOG.md")}
    archived = sum(n.startswith("baselines/archive/bread-") for n in files)
    return keep, archived

old = tree(template)
root = work / "whole"
shutil.copytree(template, root, symlinks=True)
begun = time.monotonic()
assert ended(child(root, PROMOTE)) == 0
took = time.monotonic() - begun
new = settled(tree(root))
shutil.rmtree(root)
seen = {"old": 0, "between": 0, "new": 0, "litter": 0, "refused": 0}
for number in range(1, kills + 1, 3 if mode == "each" and "ROW3_KILLS" not in os.environ else 1):
    root = work / f"kill-{number}"
    shutil.copytree(template, root, symlinks=True)
    if mode == "random":
        pid = child(root, PROMOTE)
        # Half of them where it writes: at the end.
        time.sleep(random.uniform(0, took) if number % 2 else random.uniform(0.6 * took, took))
        os.kill(pid, signal.SIGKILL)
        ended(pid)
    elif ended(child(root, PROMOTE, killer(number))) != -9:
        break  # it came through: there are no more
    after = tree(root)
    pending = (state_folder(root) / "transaction/commit.json").exists()
    state = "old" if after == old else "new" if settled(after) == new and not pending else "between"
    seen[state] += 1
    if number % 8 == 0 or state == "between":
        assert ended(child(root, ["--compare"])) == 0, f"kill {number}: --compare breaks after it"
    if state != "new":
        code = ended(child(root, PROMOTE))
        said = Path(f"{root}.err").read_text()
        seen["refused"] += code == 2 and "is promoted already" in said
        assert code == 0 or "finished the changes of an interrupted command" in said, f"kill {number}: {code}, {said}"
    files = tree(root)
    entries = files["metrics-history.json"].count(b'"action": "promotion"')
    assert entries == 2, f"kill {number}: {entries} promotions in the history"
    keep, archived = settled(files)
    litter = [n for n in files if n.endswith(".tmp")]
    seen["litter"] += bool(litter)
    assert keep == new[0], f"kill {number}: promoted.json or CHANGELOG.md is another"
    assert archived == new[1], f"kill {number}: {archived} baselines in the archive"
    shutil.rmtree(root)
print(json.dumps(seen))
"""


def drive(template: Box, work: Path, kills: int, mode: str) -> dict[str, int]:
    """Kill so many promotions of copies of the project; how often each state was seen."""
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(template.root), str(work), str(kills), mode],
        env=template.env | {name: os.environ[name] for name in ("ROW3_KILLS",) if name in os.environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=60 + 30 * kills,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    assert isinstance(seen, dict)
    return seen


def test_killed_at_random_instants_it_is_old_or_can_be_finished(tiny_promoted: Box, tmp_path: Path) -> None:
    drive(tiny_promoted, tmp_path / "random", KILLS, "random")


def test_killed_before_every_single_write_it_is_old_or_can_be_finished(tiny_promoted: Box, tmp_path: Path) -> None:
    seen = drive(tiny_promoted, tmp_path / "each", 500, "each")
    assert all(seen[state] for state in ("old", "between", "new")), seen


HALFWAY = """
import sys
from row3.project import transaction
from row3.cli.app import run
whole, transaction.recover = transaction.recover, lambda *_: []
sys.argv = ["row3", "promote", "v1.1"]
run()
"""


@pytest.fixture(scope="module")
def cut_off(tiny_promoted: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    """A promotion of v1.1 that is decided and not yet in place."""
    box = tiny_promoted.copy(tmp_path_factory.mktemp("halfway") / "project")
    before = box.tree()
    subprocess.run([sys.executable, "-c", HALFWAY], cwd=box.root, env=box.env, capture_output=True, check=True)
    assert box.tree() == before
    assert (box.state / "transaction/commit.json").exists()
    return box


halfway = copy_of("cut_off")
"""A copy of it: what is to be done is told by paths within the project."""


def test_the_same_command_again_says_that_it_worked(halfway: Box) -> None:
    before = halfway.tree()
    done = halfway.row3("promote", "v1.1", code=0)
    assert "finished the changes of an interrupted command" in done.err
    assert halfway.tree() != before


def test_a_compare_that_was_under_way_keeps_the_entry_of_a_killed_promotion(box: Box) -> None:
    session = open_session(box.root, None, RunOptions())
    subprocess.run([sys.executable, "-c", HALFWAY], cwd=box.root, env=box.env, capture_output=True, check=True)
    gate(session)
    assert [entry["action"] for entry in box.history()] == ["promotion", "promotion", "compare"]


@pytest.mark.parametrize(
    "command",
    ["history", "recordings list", "recordings verify", "lint", "diff extract-v1.0 extract-v1.1", "trend"],
)
def test_a_command_that_only_reads_finishes_it_first(halfway: Box, command: str) -> None:
    done = halfway.row3(*command.split(), code=0)
    assert "finished the changes of an interrupted command: prompts/promoted.json" in done.err
    assert '"version": "v1.1"' in halfway.read("prompts/promoted.json")
    assert not (halfway.state / "transaction").exists()
    assert [entry["action"] for entry in halfway.history()] == ["promotion", "promotion"]


def test_in_ci_nothing_is_finished(halfway: Box) -> None:
    before = halfway.tree()
    halfway.row3("history", code=0, CI="true")
    assert halfway.tree() == before


@pytest.mark.parametrize(
    "command", ["history", "recordings list", "lint", "lint --format github", "--compare", "promote v1.1"]
)
def test_in_ci_it_is_said_that_something_waits(halfway: Box, command: str) -> None:
    done = halfway.row3(*command.split(), code=None, CI="true")
    assert done.err.count("an interrupted command has not written all its files: run it again") == 1


def test_a_quiet_command_finishes_it_without_a_word(halfway: Box) -> None:
    assert halfway.row3("history", "-q", code=0).err == ""
    assert '"version": "v1.1"' in halfway.read("prompts/promoted.json")
