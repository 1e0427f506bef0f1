"""What could not be sent waits on disk, and is sent once the receiver takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from row3.errors import InvalidFile, Undelivered
from row3.integrations.exporting import Outbox
from row3.integrations.finished import FinishedRun, find_run, read_finished
from row3.project.project import open_project
from tests.projects import Box


@dataclass
class Receiver:
    """A sink that fails as a test says."""

    name: str = "test"
    fault: Undelivered | None = None
    refuses: str = ""
    """The run that alone is refused."""
    got: list[FinishedRun] = field(default_factory=list)
    tries: int = 0

    def write(self, run: FinishedRun) -> None:
        self.tries += 1
        if self.fault is not None:
            raise self.fault
        if run.id == self.refuses:
            raise Undelivered("refused", service_wide=False)
        self.got.append(run)


def runs_of(box: Box, count: int) -> list[FinishedRun]:
    project = open_project(box.root)
    run = read_finished(project, find_run(project))
    return [run.replace(header=run.header.replace(run_id=f"2026010{number}T000000Z-0")) for number in range(count)]


def test_what_arrives_is_gone_from_the_outbox(live: Box, tmp_path: Path) -> None:
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver()
    (run,) = runs_of(live, 1)
    done = outbox.deliver(receiver, [run])
    assert (done.sent, done.waiting, done.error) == ([run.id], [], None)
    assert (receiver.got, outbox.waiting()) == ([run], [])
    assert outbox.deliver(receiver).sent == []


def test_a_receiver_that_is_down_is_tried_once_and_everything_waits_in_order(live: Box, tmp_path: Path) -> None:
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver(fault=Undelivered("down"))
    runs = runs_of(live, 3)
    for count, run in enumerate(runs, 1):
        done = outbox.deliver(receiver, [run])
        assert (done.sent, len(done.waiting), str(done.error), receiver.tries) == ([], count, "down.", count)
    receiver.fault = None
    assert outbox.deliver(receiver, [runs[0]]).sent == [run.id for run in runs]  # the first, given again, once
    assert receiver.got == runs
    assert outbox.waiting() == []


def test_a_run_that_is_refused_by_itself_holds_up_no_other(live: Box, tmp_path: Path) -> None:
    runs = runs_of(live, 3)
    outbox, receiver = Outbox(tmp_path / ".row3", "test"), Receiver(refuses=runs[0].id)
    done = outbox.deliver(receiver, runs)
    assert (done.sent, done.waiting) == ([run.id for run in runs[1:]], [runs[0].id])
    assert str(done.error) == "refused."


def test_a_damaged_file_is_named(live: Box, tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / ".row3", "test")
    (run,) = runs_of(live, 1)
    outbox.put(run)
    (file,) = (tmp_path / ".row3/outbox/test").iterdir()
    whole = file.read_bytes()
    for damaged in (whole[:100], b"[]", b'{"schemaVersion": 99}', b"\xff"):
        file.write_bytes(damaged)
        with pytest.raises(InvalidFile, match=r"\.row3/outbox/test/20260100T000000Z-0\.json"):
            outbox.deliver(Receiver())
    file.write_bytes(whole)
    assert outbox.get(run.id) == run
