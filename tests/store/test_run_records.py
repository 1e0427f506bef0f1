"""One case of a saved run, as its line and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from row3.errors import InvalidFile
from row3.store.run_records import CaseRecord, parse_record

RECORD = CaseRecord(
    id="rye",
    digest="d",
    status="scored",
    metrics={"overall": 0.5},
    found={"missedConcepts": ("Ä", "b")},
    said="a",
)


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        structs.replace(RECORD, spread={"overall": 0.25}),
        structs.replace(RECORD, tally={"concepts": {"expected": 4, "found": 3}}),
        structs.replace(RECORD, metrics={"overall": 1, "recall": 0.0}),
    ],
)
def test_a_line_is_read_as_it_was(record: CaseRecord) -> None:
    assert parse_record(record.line(), where="x") == record


def test_what_a_record_does_not_have_is_not_written() -> None:
    assert {"spread", "tally"}.isdisjoint(json.loads(RECORD.line()))


def test_half_a_surrogate_pair_is_written_all_the_same() -> None:
    line = structs.replace(RECORD, found={"extraConcepts": ("\ud83d",)}).line()
    assert parse_record(line, where="x").found == {"extraConcepts": ("?",)}


@pytest.mark.parametrize(
    ("key", "value"),
    [("id", None), ("id", 5), ("metrics", {"overall": True}), ("found", [1]),
     ("tally", {"concepts": {"expected": -1}}), ("found", {"missedConcepts": [1, None]}),
     ("found", {"missedConcepts": "abc"}), ("spread", [1]), ("spread", {"recall": "x"}), ("spread", {"recall": -0.1})],
)  # fmt: skip
def test_a_broken_line_is_refused(key: str, value: Any) -> None:
    changed = json.loads(RECORD.line()) | {key: value}
    if value is None:
        del changed[key]
    with pytest.raises(InvalidFile, match="x: a case record is broken"):
        parse_record(json.dumps(changed).encode(), where="x")
