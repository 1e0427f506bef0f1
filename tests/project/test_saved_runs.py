"""Saved runs: the local log of every run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from row3.domain.runs import RunHeader
from row3.domain.scores import CaseScore
from row3.errors import InvalidFile
from row3.project.local_state import state_folder
from row3.project.saved_runs import RUNS, CaseRecord, ScoreCache, latest_runs, parse_record, read_log, write_run
from tests.rows import every_row

HEAD: dict[str, Any] = {
    "run_id": "r1",
    "suite": "bread",
    "kind": "extraction",
    "action": "run",
    "at": "2026-01-01T00:00:00Z",
    "mode": "replay",
    "prompts": {},
    "prompt_digests": {},
    "model": "m",
    "parameters": {},
    "scorer": "s",
    "weights": {},
    "thresholds": {},
    "gate": {},
    "metrics": {"overall": 0.5},
    "pooled": {},
    "denominators": {},
    "zones": {},
}


def record(case_id: str, overall: float = 0.5) -> CaseRecord:
    found = {"missedConcepts": ("rye", 'Ä "b"')}
    return CaseRecord(
        id=case_id,
        digest="d",
        status="scored",
        metrics={"overall": overall},
        found=found,
    )


def write(path: Path, *records: CaseRecord) -> Path:
    write_run(path, RunHeader(**HEAD), (one.line() for one in records))
    return path


def test_a_written_run_is_read_back(tmp_path: Path) -> None:
    records = [record("b"), record("a", 0.1), record('odd "id" é\\')]
    run = read_log(write(tmp_path / "r.json", *records), where="r.json")
    assert run.header == RunHeader(**HEAD)
    assert (len(run.cases), list(run.cases)) == (3, ["b", "a", 'odd "id" é\\'])
    assert list(run.cases.values()) == records
    assert run.cases["a"] == records[1]
    assert "z" not in run.cases


def test_the_file_is_json_with_one_case_per_line(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", record("a"), record("b"))
    value = json.loads(path.read_text(encoding="utf-8"))
    assert value["schemaVersion"] == 1
    assert [case["id"] for case in value["cases"]] == ["a", "b"]
    assert sum(line.startswith('{"id":') for line in path.read_text(encoding="utf-8").splitlines()) == 2


def test_an_empty_and_a_reformatted_run_are_read(tmp_path: Path) -> None:
    assert not read_log(write(tmp_path / "none.json"), where="r.json").cases
    path = write(tmp_path / "r.json", record("a"), record("b"))
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=4), encoding="utf-8")
    assert list(read_log(path, where="x").cases.values()) == [record("a"), record("b")]


@every_row(
    ("old", "new", "message"),
    [
        ('"schemaVersion": 1', '"schemaVersion": 2', "newer than this row3 knows"),
        ('"id":"b"', '"id":"a"', "`a` is listed twice"),
        ('{"id":"b"', '<<<<<<< ours\n{"id":"b"', "merge-conflict markers"),
        ('"runId": "r1"', '"runIdd": "r1"', "did you mean `runId`"),
        ('"overall": 0.5', '"overall": NaN', "NaN is not a JSON number"),
        ("\n]}\n", "", "not JSON"),
        ('"cases": [', '"kases": [', "field `cases` is missing"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = write(tmp_path / "r.json", record("a"), record("b"))
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"r\.json") as caught:
        read_log(path, where="r.json")
    assert message in str(caught.value)


@every_row("at", ["yesterday", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_an_invalid_time_is_refused(tmp_path: Path, at: str) -> None:
    path = write(tmp_path / "r.json", record("a"))
    path.write_text(path.read_text(encoding="utf-8").replace(HEAD["at"], at), encoding="utf-8")
    with pytest.raises(InvalidFile, match="field `at` is not a time like"):
        read_log(path, where="r.json")


@every_row("value", ["NaN", "1.5", "-0.1", '"0.5"', "Infinity", "null"])
def test_a_metric_outside_its_range_is_refused(tmp_path: Path, value: str) -> None:
    path = write(tmp_path / "r.json", record("a"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"overall":0.5', f'"overall":{value}'), encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"r\.json: .*(`cases\.0\.metrics|NaN|Infinity)"):
        read_log(path, where="r.json")


def test_a_missing_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="does not exist"):
        read_log(tmp_path / "none.json", where="none.json")
    (tmp_path / "empty.json").touch()
    with pytest.raises(InvalidFile, match="the file is empty"):
        read_log(tmp_path / "empty.json", where="empty.json")


def test_the_latest_runs_come_first(tmp_path: Path) -> None:
    for name in ("20260101T000000Z-a", "20260102T000000Z-a"):
        write(tmp_path / f"{RUNS}/{name}.json")
    assert [path.stem[:8] for path in latest_runs(tmp_path)] == ["20260102", "20260101"]
    assert latest_runs(tmp_path / "none") == []


@every_row("case_id", ["", "rye", 'a "b"', "back\\slash", "é\u2028", "x" * 700, "<<<<<<<", "a,\tb"])
def test_ids_of_any_form_are_found(tmp_path: Path, case_id: str) -> None:
    for number, layout in enumerate(((",", ":"), (", ", ": "))):
        path = tmp_path / f"{number}.json"
        value = json.loads(record(case_id).line())
        lines = [json.dumps(each, separators=layout).encode() for each in (value, value | {"id": "other"})]
        write_run(path, RunHeader(**HEAD), lines)
        run = read_log(path, where="r.json")
        assert list(run.cases) == [case_id, "other"]
        assert run.cases[case_id] == record(case_id)
        write_run(path, RunHeader(**HEAD), [lines[0], lines[1], lines[0]])
        with pytest.raises(InvalidFile, match="listed twice"):
            read_log(path, where="r.json")


RECORD = CaseRecord(
    id="rye",
    digest="d",
    status="scored",
    metrics={"overall": 0.5},
    found={"missedConcepts": ("Ä", "b")},
    said="a",
)


@every_row(
    "record",
    [
        RECORD,
        RECORD.replace(spread={"overall": 0.25}),
        RECORD.replace(tally={"concepts": {"expected": 4, "found": 3}}),
        RECORD.replace(metrics={"overall": 1, "recall": 0.0}),
    ],
)
def test_a_written_record_is_read_back(record: CaseRecord) -> None:
    assert parse_record(record.line(), where="x") == record


def test_empty_fields_are_not_written() -> None:
    assert {"spread", "tally"}.isdisjoint(json.loads(RECORD.line()))


def test_half_a_surrogate_pair_is_replaced() -> None:
    line = RECORD.replace(found={"extraConcepts": ("\ud83d",)}).line()
    assert parse_record(line, where="x").found == {"extraConcepts": ("?",)}


@every_row(
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


SCORE = CaseScore("rye", "scored", {"recall": 0.5})


def kept(folder: Path) -> ScoreCache:
    cache = ScoreCache(folder, "bread")
    cache.put("digest of the case", ["an answer"], SCORE)
    cache.save()
    return ScoreCache(folder, "bread")


def test_a_score_is_found_by_its_case_and_answers(tmp_path: Path) -> None:
    cache = kept(tmp_path)
    found = cache.get("digest of the case", ["an answer"])
    assert found is not None
    assert found.metrics == {"recall": 0.5}
    assert cache.get("digest of the case", ["another answer"]) is None
    assert cache.get("digest of the edited case", ["an answer"]) is None


def test_a_broken_cache_counts_as_empty(tmp_path: Path) -> None:
    kept(tmp_path)
    (file,) = (state_folder(tmp_path) / "scores").iterdir()
    file.write_bytes(b"\xff" + file.read_bytes())
    assert ScoreCache(tmp_path, "bread").get("digest of the case", ["an answer"]) is None


def test_a_score_that_cannot_be_written_is_dropped(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path, "bread")
    cache.put("digest of the case", ["x"], CaseScore("rye", "scored", {}, problem="\ud83d"))
    cache.save()
    assert not (state_folder(tmp_path) / "scores").exists()
