"""Case records read by typed fields: those of the slow reading, or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.errors import InvalidFile
from row3.store.quick_records import quick_record
from row3.store.run_records import CaseRecord, RunHeader, parse_record
from row3.store.saved_runs import MANY, read_log, write_run
from tests.store.test_saved_runs import HEAD

names = st.text(st.characters(codec="utf-8", exclude_characters=":"), max_size=4)
"""A colon in a name is taken for that of a key, and the line read slowly."""
fractions = st.one_of(st.floats(0, 1), st.integers(0, 1))
records = st.builds(
    CaseRecord,
    names,
    names,
    names,
    names,
    names,
    names,
    st.dictionaries(names, fractions, max_size=3),
    st.dictionaries(names, st.lists(names, max_size=3).map(tuple), max_size=3),
    names,
    st.dictionaries(names, st.floats(0, 5), max_size=2),
    st.dictionaries(names, st.dictionaries(names, st.integers(0, 2**70), max_size=2), max_size=2),
)
values: Any = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.floats(-1, 2),
    names,
    st.lists(names, max_size=2),
    st.dictionaries(names, st.one_of(st.integers(-1, 2), st.floats(-1, 2), names, st.booleans()), max_size=2),
    st.dictionaries(names, st.dictionaries(names, st.one_of(st.integers(-1, 2), st.floats(0, 2))), max_size=2),
)


def slowly(line: bytes) -> CaseRecord | None:
    try:
        return parse_record(line, where="x")
    except InvalidFile:
        return None


@given(records)
def test_a_record_that_row3_wrote_is_read_quickly_and_rightly(record: CaseRecord) -> None:
    line = record.line()
    found = quick_record(line)
    assert repr(found) == repr(slowly(line)) == repr(record)


@given(records, st.sampled_from((*CaseRecord._fields, "more")), values, st.booleans())
def test_a_record_with_another_value_is_read_as_slowly(record: CaseRecord, key: str, value: Any, gone: bool) -> None:
    changed = json.loads(record.line())
    if gone:
        changed.pop(key, None)
    else:
        changed[key] = value
    line = json.dumps(changed).encode()
    found = quick_record(line)
    assert found is None or repr(found) == repr(slowly(line))


@pytest.mark.parametrize("spaced", [":", " :"])
@pytest.mark.parametrize("key", ["recall", "overall"])
def test_a_key_that_stands_twice_is_refused(key: str, spaced: str) -> None:
    metrics = {"recall": 0.84, "overall": 0.5}
    line = CaseRecord("a", "d", "c", "0", "i", "scored", metrics, {}, tally={"concepts": {"found": 1}}).line()
    assert quick_record(line) is not None
    for place in (f'"{key}":0', '"found":1'):
        name = place.split('"')[1]
        twice = line.replace(place.encode(), f'"{name}"{spaced}0.1,{place}'.encode(), 1)
        assert twice != line
        assert quick_record(twice) is None
        with pytest.raises(InvalidFile, match=f"x: key `{name}` stands twice in one object"):
            parse_record(twice, where="x")


SPLINTERS = (
    b'"|\\|\\ud83d|\xff|\xed\xa0\x80|\x00|1|.0|e9|-| |,|}|null|NaN|true|"metrics":{"a":2},|"id":"b",|"more":"\xff",'
)


@given(records, st.floats(0, 1), st.integers(0, 8), st.sampled_from(SPLINTERS.split(b"|")))
def test_a_record_that_was_edited_by_hand_is_read_as_slowly(
    record: CaseRecord, where: float, cut: int, piece: bytes
) -> None:
    line = record.line()
    start = int(where * len(line))
    edited = line[:start] + piece + line[start + cut :]
    found = quick_record(edited)
    assert found is None or repr(found) == repr(slowly(edited))


@pytest.mark.parametrize("many", [1, MANY])
def test_a_broken_record_is_found_in_small_and_large_runs(tmp_path: Path, many: int) -> None:
    lines = [
        CaseRecord(f"c{number}", "d", "", "", "", "scored", {"overall": 0.5}, {}, said="a").line()
        for number in range(many)
    ]
    lines += [lines[0].replace(b'"c0"', b'"worse"').replace(b"0.5", b"1.5")]
    path = tmp_path / "run.json"
    write_run(path, RunHeader(**HEAD), lines)
    run = read_log(path, where="run.json")
    assert run.record("c0") == CaseRecord("c0", "d", "", "", "", "scored", {"overall": 0.5}, {}, said="a")
    assert run.record("gone") is None
    with pytest.raises(InvalidFile, match="a case record is broken") as error:
        run.record("worse")
    assert error.value.where == "run.json case worse"
