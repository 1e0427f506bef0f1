"""No fall of answers hides: in quarantine, among added cases, under edited texts, or behind a harmless draft."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.judging import BASELINE, GOOD, POOR, said
from tests.projects import CASES, SUITE, Box, first, flawless


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "work")


def edit_header(box: Box, **fields: Any) -> None:
    box.write(BASELINE, json.dumps(json.loads(box.read(BASELINE)) | fields, indent=1) + "\n")


def add_cases(box: Box, number: int) -> None:
    """Small cases, for which every version finds everything."""
    for each in range(number):
        case_id = f"more-{each:02}"
        box.case(case_id, **CASES["rye"] | {"sourceText": f"{CASES['rye']['sourceText']} ({each})"})
        for version in ("1.0", "1.1"):
            for repeat in (0, 1):
                box.record(version, {case_id: flawless(CASES["rye"])}, repeat=repeat)


def test_a_header_puts_no_case_into_quarantine(work: Box) -> None:
    work.record("1.1", POOR, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    gate = json.loads(work.read(BASELINE))["gate"]
    edit_header(work, gate=gate | {"quarantined": sorted(CASES)}, metrics={}, pooled={}, denominators={}, zones={})
    told = said(work, 1)
    assert "the new baseline is of cases in quarantine that stand in none: oven, rye, yeast" in told
    assert "the new baseline is of worse answers: Concept recall 100.0% → 75.0%" in told


@pytest.mark.parametrize("rests", [False, True])
def test_nor_does_the_change_that_brings_the_baseline(work: Box, rests: bool) -> None:
    add_cases(work, 5)
    work.case("rye", critical=True)
    work.row3("--baseline", code=0)
    merge(work, "more cases, one of them critical")
    work.record("1.1", GOOD | {"rye": first(GOOD["rye"], 0)}, repeat=1)
    if rests:
        until = datetime.now(UTC).date() + timedelta(days=30)
        work.row3("flaky", "quarantine", "rye", "--until", str(until), "--reason", "wavers now and then", code=0)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "the new baseline is of worse answers: critical case rye, Overall" in said(work, 1)


def test_a_quarantine_of_the_base_rests_in_a_new_baseline(work: Box) -> None:
    add_cases(work, 5)
    until = datetime.now(UTC).date() + timedelta(days=30)
    work.row3("flaky", "quarantine", "rye", "--until", str(until), "--reason", "wavers now and then", code=0)
    work.row3("--baseline", code=0)
    merge(work, "one rests")
    work.record("1.1", GOOD | {"rye": first(GOOD["rye"], 2)}, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    told = said(work, 0)
    assert "block" not in told
    assert "investigate the new baseline is of worse answers: with its cases in quarantine, Concept recall" in told


def test_added_cases_thin_no_fall_of_the_others(work: Box) -> None:
    add_cases(work, 30)
    work.record("1.1", POOR, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "block the new baseline is of worse answers: Concept recall 100.0% → 75.0%" in said(work, 1)


def test_a_baseline_made_again_of_the_same_answers_is_none_of_worse_ones(work: Box) -> None:
    work.record("1.1", POOR, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    merge(work, "two answers tell more than one")
    first_one, *others = CASES["rye"]["expectedConcepts"]
    work.case("rye", expectedConcepts=[first_one | {"aliases": ["no such thing"]}, *others])
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "the new baseline is of worse answers" not in said(work, 0)


def test_a_small_fall_of_the_promoted_answers_is_told_behind_a_draft(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\nblock = 20\n")
    work.row3("--baseline", code=0)
    work.prompt("1.2")
    work.record("1.2", GOOD)
    merge(work, "a draft that is as good, and a lenient gate")
    work.record("1.1", GOOD | {"rye": first(GOOD["rye"], 3)})
    work.row3("--baseline", code=0)
    told = said(work, 0)
    assert "investigate the new baseline is of worse answers (extract v1.1): Concept recall is worse by 8.3" in told


def give_other_texts(box: Box, *case_ids: str) -> None:
    for case_id in case_ids:
        box.replace(f"golden/{SUITE}/{case_id}.gold.json", ". ", ".  ")
    box.record("1.1", {case_id: GOOD[case_id] for case_id in case_ids})
    merge(box, "a blank more")


def make_current_by_hand(box: Box, answers: dict[str, Any]) -> None:
    box.prompt("1.2")
    box.record("1.2", answers)
    box.row3("promote", "v1.2", "--approve", "only to have its lock", code=None)
    box.git("checkout", "-q", "--", "metrics-history.json", "CHANGELOG.md", "baselines")


def test_an_edited_text_hides_no_fall(work: Box) -> None:
    give_other_texts(work, "rye")
    make_current_by_hand(work, GOOD | {"rye": POOR["rye"]})
    told = said(work, 1)
    fell = "Concept recall fell from 100.0% to 83.3% (more than 5) with 1 case whose text is another than"
    assert f"block {fell} the baseline's" in told


def test_nor_that_a_critical_case_broke(work: Box) -> None:
    work.case("rye", critical=True)
    work.row3("--baseline", code=0)
    merge(work, "critical")
    give_other_texts(work, "rye")
    work.prompt("1.2")
    work.record("1.2", GOOD | {"rye": first(GOOD["rye"], 1)})
    told = said(work, 1)
    assert "block critical case rye broke: Overall fell from" in told
    assert "with another text than the baseline's" in told


def test_an_edited_text_that_is_answered_as_well_blocks_nothing(work: Box) -> None:
    give_other_texts(work, "rye")
    work.prompt("1.2")
    work.record("1.2", GOOD)
    told = said(work, 0)
    assert "not comparable with the baseline: rye" in told
    assert "fell from" not in told


@pytest.mark.parametrize("run_id", ["../../golden/bread/rye.gold", "a/b", "", "a\0b", "x" * 400, ".."])
def test_a_run_id_is_no_path(work: Box, run_id: str) -> None:
    edit_header(work, runId=run_id)
    done = work.row3("--compare", "--against", "main", code=2)
    assert "field `runId` is no run id" in done.err
    assert len(done.errors) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("repeats", 0), ("parameters", {}), ("parameters", {"extract": {"temperature": 0}}), ("at", "yesterday"),
     ("gate", {"quarantined": 5}), ("gate", {"quarantined": None}), ("gate", {"quarantined": [["rye"]]})],
)  # fmt: skip
def test_a_header_of_wrong_types_is_one_message(work: Box, field: str, value: Any) -> None:
    edit_header(work, **{field: value})
    for command in (["--compare"], ["--compare", "--against", "main"], ["report", "--format", "markdown"]):
        done = work.row3(*command, code=2)
        assert len(done.errors) == 1
        assert BASELINE in done.err
        assert "row3 itself failed" not in done.err
