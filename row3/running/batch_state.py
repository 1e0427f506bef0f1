"""Which batches a run has sent: written down before they are paid for, so that the same command goes on from them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from row3.domain.models import Model
from row3.project.documents import parse_json, validate
from row3.project.files import disk_faults, read_bytes, write_atomic
from row3.project.local_state import in_state

FEW = 50
"""Requests below which a live run is quicker."""
KEPT_S = 7 * 86_400
"""Seconds for which a batch is waited for; a service answers or expires it within a day."""
MOST_STATE_BYTES = 2**32


def batch_path(root: Path, suite: str, command: str) -> Path:
    """Return the file with the batches of a command (a digest) about a suite. Raises as `in_state`."""
    return in_state(root, f"journal/{suite}--{command}.batches.json")


class Sent(Model):
    """A batch that was sent, or whose file was: then whether it was begun is unknown."""

    address: str
    file: str
    at: float
    """When the file was uploaded, seconds of the epoch."""
    asked: list[str]
    """Keys of its requests, line by line."""
    refused: list[str] = []
    """Fields that its requests were sent without."""
    batch: str = ""


class _Pending(Model):
    batches: list[Sent] = []


class BatchState:
    """The batches of one command about one suite, in a file until its answers are safe elsewhere."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        """Read the file, without what is too old to be waited for. Raises `InvalidFile`, `EnvironmentFault`."""
        self._path, self.clock = path, clock
        self.sent: list[Sent] = []
        self._by_key: dict[tuple[str, str], Sent] = {}
        self._know([each for each in self._stored() if each.at > clock() - KEPT_S])
        self.read = set[str]()
        """Files of the batches whose answers were read."""

    def find(self, key: str, address: str) -> Sent | None:
        """Return the latest batch that asks a request at an address."""
        return self._by_key.get((address, key))

    def put(self, sent: Sent) -> None:
        """Write a batch to disk, in the place of what was known of it."""
        self._know([*(each for each in self.sent if each.file != sent.file), sent])
        self._write(self.sent)

    def drop(self, sent: Sent) -> None:
        """Forget a batch."""
        self._know([each for each in self.sent if each.file != sent.file])
        self._write(self.sent)

    def finish(self, *, complete: bool) -> None:
        """Forget the batches that were read, or all if the run is complete; a later run may have added others."""
        over = {each.file for each in self.sent if complete or each.file in self.read}
        if over:
            self._write([each for each in self._stored() if each.file not in over])

    def _know(self, sent: list[Sent]) -> None:
        self.sent, self._by_key = sent, {(each.address, key): each for each in sent for key in each.asked}

    def _stored(self) -> list[Sent]:
        if not self._path.exists():
            return []
        where = str(self._path)
        text = read_bytes(self._path, where=where, limit=MOST_STATE_BYTES, follow=False).decode("utf-8", "replace")
        fix = "Remove the file: then these batches are asked again"
        return validate(_Pending, parse_json(text, where=where), where=where, fix=fix).batches

    def _write(self, batches: list[Sent]) -> None:
        with disk_faults(str(self._path)):
            if batches:
                write_atomic(self._path, json.dumps(_Pending(batches=batches).plain()), where=str(self._path))
            else:
                self._path.unlink(missing_ok=True)
