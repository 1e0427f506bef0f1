"""Lines of a run: kept in order, and readable many times."""

from __future__ import annotations

import tempfile
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import EnvironmentFault
from row3.running import collect as collecting
from row3.running.collect import Spool, sorted_on_disk
from tests.projects import Box

LINES = st.lists(st.binary(min_size=1, max_size=30).map(lambda line: line.replace(b"\n", b",")), max_size=12)


@given(st.lists(LINES, max_size=6), st.integers(1, 40))
def test_lines_come_back_in_their_order(parts: list[list[bytes]], block: int) -> None:
    kept, expected = Spool(), []
    with patch.object(collecting, "SPOOL_BYTES", block):
        for lines in parts:
            for line in lines:
                kept.add(line)
            expected += lines
            assert list(kept) == expected  # reading does not disturb what is added afterwards
        assert len(kept) == len(expected)


@given(st.lists(st.tuples(st.text(), st.lists(st.text())).map(list), max_size=20))
def test_values_are_sorted_part_by_part(values: list[list[object]]) -> None:
    for at_once in (1, 3, 100):
        with patch.object(collecting, "AT_ONCE", at_once):
            assert list(sorted_on_disk(iter(values))) == sorted(values)


def test_a_comparison_of_more_cases_than_are_sorted_at_once(small: Box) -> None:
    args = ("--compare", "--mode", "replay", "--format", "json")
    small.row3("--baseline", "--mode", "replay", code=0)
    expected = small.row3(*args)
    with patch.object(collecting, "AT_ONCE", 2):
        found = small.row3(*args)
    assert found.code == expected.code
    assert [found.json[key] for key in ("verdict", "metrics")] == [expected.json[key] for key in ("verdict", "metrics")]


def test_a_full_temporary_folder_is_named() -> None:
    kept = Spool()
    with open("/dev/full", "wb", buffering=0) as full:
        with patch.object(kept, "_file", full), pytest.raises(EnvironmentFault) as caught:
            kept.add(b"a")
    assert str(caught.value) == (
        f"{tempfile.gettempdir()}: the run's results cannot be written (No space left on device). "
        "Free some space, or set TMPDIR to a folder on another disk."
    )
