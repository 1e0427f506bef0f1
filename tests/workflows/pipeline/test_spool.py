"""Lines of a run: kept in order, read as often as wanted, from whichever file."""

from __future__ import annotations

import os
import pickle
import tempfile
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import EnvironmentFault
from row3.workflows.pipeline import spool
from row3.workflows.pipeline.spool import SharedFile, Spool

LINES = st.lists(st.binary(min_size=1, max_size=30).map(lambda line: line.replace(b"\n", b",")), max_size=12)


@given(st.lists(st.tuples(st.integers(0, 2), LINES), max_size=6), st.integers(1, 40))
def test_lines_of_several_files_come_back_in_their_order(parts: list[tuple[int, list[bytes]]], block: int) -> None:
    files = [SharedFile(), SharedFile()]
    kept, expected = Spool(), []
    with patch.object(spool, "BLOCK_BYTES", block):
        for number, lines in parts:
            for line in files[number].write(lines) if number < 2 else lines:
                kept.add(line)
            expected += lines
            assert list(kept) == expected  # reading does not disturb what is added afterwards
        assert len(kept) == len(expected)
        pieces = list(kept.joined())
    assert b"".join(pieces) == b",\n".join(expected)
    assert all(left.endswith(b"\n") for left, _ in pairwise(pieces))


def test_what_another_process_writes_is_read_here() -> None:
    file = SharedFile()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, pickle.dumps(file.write([b'{"id":"a"}', b'{"id":"b"}'])))
        os._exit(0)
    os.waitpid(child, 0)
    places = pickle.loads(os.read(reading, 4096))
    os.close(reading)
    os.close(writing)
    assert places[0].file is file
    kept = Spool()
    for place in places:
        kept.add(place)
    assert list(kept) == [b'{"id":"a"}', b'{"id":"b"}']


def test_a_file_that_lost_its_end_is_told() -> None:
    file = SharedFile()
    kept = Spool()
    for place in file.write([b"a", b"b"]):
        kept.add(place)
    os.ftruncate(file._file.fileno(), 2)
    with pytest.raises(OSError, match="temporary file"):
        list(kept)


@pytest.mark.parametrize("own", [True, False])
def test_a_temporary_folder_without_room_is_named(own: bool) -> None:
    kept, file = Spool(), SharedFile()
    with open("/dev/full", "wb", buffering=0) as full:
        with patch.object(kept._own if own else file, "_file", full), pytest.raises(EnvironmentFault) as caught:
            kept.add(b"a") if own else file.write([b"a"])
    assert str(caught.value) == (
        f"{tempfile.gettempdir()}: what is found of the cases cannot be kept there (No space left on device). "
        "Make room, or set TMPDIR to a folder on another disk."
    )
