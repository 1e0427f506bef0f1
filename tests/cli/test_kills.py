"""`kill -9` during a promotion, at random instants and between any two writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.projects import Box

KILLS = int(os.environ.get("ROW3_KILLS", "40"))
DRIVER = """
import os, random, shutil, signal, sys, time
from pathlib import Path
import matplotlib.pyplot
import row3.workflows.promote
from row3.cli.app import main
import row3.cli.promote, row3.cli.show, row3.reports.comparison_table, row3.reports.changelog_insert

template, work, kills, mode = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
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
    shape = {n: c.count(b"\\n") for n, c in files.items() if not n.startswith(("charts/", "baselines/archive/"))}
    archived = sum(n.startswith("baselines/archive/") for n in files)
    return keep, shape, archived

old = tree(template)
root = work / "whole"
shutil.copytree(template, root, symlinks=True)
begun = time.monotonic()
assert ended(child(root, PROMOTE)) == 0
took = time.monotonic() - begun
new = settled(tree(root))
shutil.rmtree(root)
seen = {"old": 0, "between": 0, "new": 0}
for number in range(1, kills + 1):
    root = work / f"kill-{number}"
    shutil.copytree(template, root, symlinks=True)
    if mode == "random":
        pid = child(root, PROMOTE)
        # Half of them where it writes: at the end.
        time.sleep(random.uniform(0, took) if number % 2 else random.uniform(0.6 * took, took))
        os.kill(pid, signal.SIGKILL)
        ended(pid)
    elif ended(child(root, PROMOTE, killer(number))) != -9:
        print(f"all {number - 1} instants")
        break
    after = tree(root)
    state = "old" if after == old else "new" if settled(after) == new else "between"
    seen[state] += 1
    if number % 4 == 0 or state == "between":
        assert ended(child(root, ["--compare"])) == 0, f"kill {number}: --compare breaks after it"
    if state != "new":
        code = ended(child(root, PROMOTE))
        assert code in (0, 2), f"kill {number}: promote again gave {code}"
    files = tree(root)
    entries = files["metrics-history.json"].count(b'"action": "promotion"')
    assert entries == 2, f"kill {number}: {entries} promotions in the history"
    keep, shape, archived = settled(files)
    left = sorted(set(files) - set(old) - {n for n in files if n.startswith("baselines/archive/")})
    assert not [n for n in files if n.endswith(".tmp")] or os.environ.get("ROW3_TMP_OK"), f"kill {number}: left {left}"
    assert keep == new[0], f"kill {number}: promoted.json or CHANGELOG.md is another"
    assert archived == new[2], f"kill {number}: {archived} baselines in the archive"
    shutil.rmtree(root)
print(seen)
"""


def drive(template: Box, work: Path, kills: int, mode: str, **env: str) -> str:
    """Kill so many promotions of copies of the project; what was seen."""
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(template.root), str(work), str(kills), mode],
        env=template.env | env,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_killed_at_random_instants_it_is_old_or_can_be_finished(tiny_promoted: Box, tmp_path: Path) -> None:
    drive(tiny_promoted, tmp_path / "random", KILLS, "random", ROW3_TMP_OK="1")


def test_killed_before_every_single_write_it_is_old_or_can_be_finished(tiny_promoted: Box, tmp_path: Path) -> None:
    said = drive(tiny_promoted, tmp_path / "each", 500, "each", ROW3_TMP_OK="1")
    assert "instants" in said
