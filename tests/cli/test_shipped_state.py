"""What a repository ships is no local state: no transaction, no scores, no answers of a stranger count."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from row3.domain.requests import digest_text
from row3.domain.scores import CaseScore
from tests.chat_server import FakeModel, FakeReply
from tests.projects import CASES, SUITE, Box, flawless, tiny, worse
from tests.rows import every_row

Make = Callable[[Callable[[str, int], FakeReply]], FakeModel]
EVIL = {".git/config": b"[core]\n\tfsmonitor = touch pwned\n", ".git/hooks/pre-commit": b"#!/bin/sh\ntouch pwned\n"}
COMMANDS = (
    "lint", "history", "--mode replay", "--compare", "recordings list", "monitor figures", "hook run pre-commit",
    "score bread --outputs x.jsonl",
)  # fmt: skip


def forge_transaction(folder: Path, files: dict[str, bytes]) -> None:
    """What an interrupted command of this project would have left there."""
    entries = []
    for number, (name, content) in enumerate(files.items()):
        new = folder / "transaction/new" / str(number)
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        entries.append({"file": name, "new": str(number), "digest": digest_text(content)})
    (folder / "transaction/commit.json").write_text(json.dumps({"schemaVersion": 1, "files": entries}))


def of_git(box: Box) -> dict[str, bytes]:
    return {name: box.path(name).read_bytes() for name in EVIL if box.path(name).exists()}


@pytest.fixture
def clone(box: Box, tmp_path: Path) -> Box:
    """A fresh clone of a project that tracks a transaction in `.row3/`."""
    forge_transaction(box.path(".row3"), EVIL)
    box.git("add", "-A", "-f")
    box.git("commit", "-q", "--no-verify", "-m", "not ours")
    box.git("clone", "-q", str(box.root), str(tmp_path / "clone"))
    return Box(tmp_path / "clone", box.env)


@every_row("command", COMMANDS)
def test_a_tracked_local_folder_is_refused_and_writes_nothing(clone: Box, command: str) -> None:
    before = of_git(clone)
    done = clone.row3(*command.split(), code=2)
    assert done.errors == [
        "error: .row3: git tracks this folder, which belongs to one machine. "
        "Run `git rm -r --cached .row3` and commit; the files stay."
    ]
    assert of_git(clone) == before


def test_the_command_that_is_named_is_enough(clone: Box) -> None:
    before = of_git(clone)
    done = clone.row3("-C", "golden", "lint", code=2)
    assert "`git rm -r --cached .row3`" in done.err
    clone.git("rm", "-r", "-q", "--cached", ".row3")
    for command in COMMANDS[:5]:
        clone.row3(*command.split(), code=0)
    assert clone.path(".row3/transaction/commit.json").exists()
    assert of_git(clone) == before


def test_from_elsewhere_the_command_names_the_project(clone: Box, tmp_path: Path) -> None:
    there = Box(tmp_path, clone.env)
    done = there.row3("-C", "clone", "lint", code=2)
    assert "`git -C clone rm -r --cached .row3`" in done.err
    there.git("-C", "clone", "rm", "-r", "-q", "--cached", ".row3")
    there.row3("-C", "clone", "lint", code=0)


def test_the_state_itself_cannot_write_what_row3_does_not(box: Box) -> None:
    before = of_git(box)
    forge_transaction(box.state, EVIL)
    error = box.row3("lint", code=2).errors[0]
    assert "error: .git/config: no command of row3 writes this file. Delete " in error
    assert of_git(box) == before
    shutil.rmtree(box.state / "transaction")
    box.row3("lint", code=0)


def test_forged_scores_move_no_verdict(work: Box) -> None:
    worse(work)
    work.commit("worse")
    judge = ("--compare", "--against", "main", "--mode", "replay")
    work.row3(*judge, code=1, CI="true")
    cached = {path.name: path.read_bytes() for path in (work.state / "scores").iterdir()}
    forged = {}
    for name, raw in cached.items():
        scores = TypeAdapter(dict[str, CaseScore]).validate_json(raw)
        best = max(scores.values(), key=lambda score: score.metrics["overall"])
        forged[name] = {key: best._replace(case_id=score.case_id, found=score.found) for key, score in scores.items()}
    assert forged
    shutil.rmtree(work.state)
    for name, scores in forged.items():
        work.write(f".row3/scores/{name}", TypeAdapter(dict[str, CaseScore]).dump_json(scores))
    work.row3(*judge, code=1, CI="true")
    for name, scores in forged.items():
        (work.state / "scores" / name).write_bytes(TypeAdapter(dict[str, CaseScore]).dump_json(scores))
    work.row3(*judge, code=0, CI="true")  # so they would have counted


@pytest.mark.parametrize("place", ["local", "state"])
def test_a_forged_journal_answers_no_live_run(box: Box, model: Make, place: str) -> None:
    broken = {"rye"}
    fake = model(lambda name, _: FakeReply("", 400) if name in broken else FakeReply(json.dumps(flawless(CASES[name]))))
    fake.serve(box)
    box.row3("--mode", "live", "--model", "other", code=3)
    (ended,) = (box.state / "journal").glob(f"{SUITE}--live--*.jsonl*")  # its name says of which command it is
    broken.clear()
    box.row3("--mode", "record", "--model", "other", code=0)
    (recorded,) = [
        path for path in box.path(f"recordings/{SUITE}").rglob("*.jsonl") if '"other"' in path.read_text("utf-8")
    ]
    journal = (box.path(".row3") if place == "local" else box.state) / "journal"
    journal.mkdir(parents=True, exist_ok=True)
    command = ended.name.split("--")[2]
    shutil.copy(recorded, journal / f"{SUITE}--live--{command}--{datetime.now(UTC):%Y%m%dT%H%M%SZ}-aaaaaa.jsonl")
    asked = len(fake.asked)
    box.row3("--mode", "live", "--model", "other", code=0)
    assert len(fake.asked) - asked == (3 if place == "local" else 0)


def test_two_projects_of_a_repository_do_not_finish_each_other_s_change(tmp_path: Path) -> None:
    outer = tiny(tmp_path / "outer")
    inner = Box(tiny(tmp_path / "outer/services/bot").root, outer.env)
    outer.init()
    forge_transaction(outer.state, {"CHANGELOG.md": b"outer\n"})
    done = inner.row3("lint")
    assert "interrupted" not in done.err
    assert not inner.path("CHANGELOG.md").exists()
    assert "finished the changes of an interrupted command: CHANGELOG.md" in outer.row3("lint").err
    assert (outer.read("CHANGELOG.md"), inner.path("CHANGELOG.md").exists()) == ("outer\n", False)


def test_outside_git_an_interrupted_change_is_finished_too(tmp_path: Path) -> None:
    made = tiny(tmp_path / "project")
    forge_transaction(made.state, {"CHANGELOG.md": b"mine\n"})
    assert made.state.is_relative_to(tmp_path / ".local/state/row3") or made.state.is_relative_to(tmp_path)
    assert not made.state.is_relative_to(made.root)
    assert "finished the changes of an interrupted command: CHANGELOG.md" in made.row3("lint").err
    assert made.read("CHANGELOG.md") == "mine\n"


def test_a_state_that_nobody_can_write_stops_only_what_writes(box: Box) -> None:
    box.state.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(box.state, ignore_errors=True)
    box.state.write_text("in the way")  # for root, no folder is read-only
    before = box.tree()
    box.row3("--mode", "replay", code=0)
    box.row3("--compare", code=0, CI="true")
    error = box.row3("promote", "v1.1", code=2).errors[0]
    assert "/lock: cannot be written (" in error
    assert box.tree() == before
