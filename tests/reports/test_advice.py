"""What a comparison advises fits the reasons of its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.verdicts import Reason, Verdict
from row3.reports.advice import what_next

OR = "and run row3 --compare again; or, if it has to be, --approve REASON."
BLOCK, INVESTIGATE = Verdict.BLOCK, Verdict.INVESTIGATE


def advised(comparison: Any, verdict: Verdict, *reasons: Reason, action: str = "compare") -> list[str]:
    run = replace(comparison.run, header=replace(comparison.run.header, action=action))
    return what_next(replace(comparison, verdict=verdict, reasons=reasons, run=run))


@pytest.mark.parametrize(
    ("cause", "cure"),
    [
        ("cases", "put the golden cases back"),
        ("texts", "put the golden cases back, or make the baseline of them (row3 --baseline)"),
        ("rules", "put the settings in row3.toml back"),
        ("locks", "put prompts/promoted.json back and the prompts that it names"),
        ("baseline", "put the baseline back from git, or make one that follows from its recordings (row3 --baseline)"),
    ],
)
def test_a_block_that_no_prompt_can_mend_says_what_can(comparison: Any, cause: Any, cure: str) -> None:
    notice = Reason(INVESTIGATE, "canaries were extracted", metric="hallucinationRate")
    assert advised(comparison, BLOCK, Reason(BLOCK, "x", case_id="ozone", cause=cause), notice) == [
        f"Next: {cure} {OR}"
    ]


def test_a_block_with_several_causes_names_all_cures(comparison: Any) -> None:
    reasons = (Reason(BLOCK, "removed", cause="cases"), Reason(BLOCK, "Concept recall is worse", metric="recall"))
    assert advised(comparison, BLOCK, *reasons) == [
        "Next: row3 investigate ozone",
        f"Then: mend the prompt, put the golden cases back {OR}",
    ]


def test_a_system_is_mended_and_asked_without_a_model(comparison: Any, make: Any) -> None:
    suite = replace(comparison.run.suite, system="mcp")
    run = replace(comparison.run, suite=suite)
    worse = Reason(BLOCK, "Concept recall is worse", metric="recall")
    assert advised(replace(comparison, run=run), BLOCK, worse)[-1] == f"Then: mend the system {OR}"
    run = replace(run, collected=make.Collected(failed=["ozone"]), header=replace(run.header, mode="replay"))
    assert advised(replace(comparison, run=run), BLOCK, worse) == [
        "Next: row3 --compare --mode auto asks for what is not recorded."
    ]


def test_a_blocked_promotion_is_promoted_again(comparison: Any) -> None:
    assert advised(comparison, BLOCK, Reason(BLOCK, "worse"), action="promotion")[-1] == (
        "Then: mend the prompt and run row3 promote decompose-concepts-v1.1 again; "
        "or, if it has to be, --approve REASON."
    )


@pytest.mark.parametrize("verdict", [Verdict.PROCEED, INVESTIGATE])
def test_a_promotion_does_not_ask_to_be_promoted(comparison: Any, verdict: Verdict) -> None:
    assert advised(comparison, verdict, Reason(INVESTIGATE, "worse"), action="promotion") == []


def test_an_approved_promotion_does_not_either(comparison: Any, make: Any) -> None:
    assert advised(replace(comparison, approval=make.Approval()), BLOCK, Reason(BLOCK, "x"), action="promotion") == []


@pytest.mark.parametrize(
    ("cause", "look"),
    [
        ("cases", "see that the golden cases were meant to change (git diff golden)"),
        ("rules", "see that row3.toml was meant to change (git diff row3.toml)"),
        ("baseline", "row3 recordings verify"),
        ("history", "row3 trend draws the runs that decline"),
    ],
)
def test_an_investigation_says_what_to_look_at(comparison: Any, cause: Any, look: str) -> None:
    assert advised(comparison, INVESTIGATE, Reason(INVESTIGATE, "x", cause=cause)) == [
        f"Next: {look}",
        "Then: row3 promote decompose-concepts-v1.1",
    ]


@pytest.mark.parametrize(
    ("cause", "files"), [("cases", "golden/decomposition"), ("rules", "row3.toml"), ("recordings", "recordings")]
)
def test_what_is_committed_already_is_seen_from_the_baselines_commit(comparison: Any, cause: Any, files: str) -> None:
    since = replace(comparison, since="0a1b2c3d4e5f")
    first = advised(since, INVESTIGATE, Reason(INVESTIGATE, "x", cause=cause))[0]
    assert first.endswith(f"(git diff 0a1b2c3d4e5f -- {files})")
    nowhere = advised(replace(comparison, in_git=False), INVESTIGATE, Reason(INVESTIGATE, "x", cause=cause))[0]
    assert "git" not in nowhere


def test_where_golden_cases_alone_changed_a_baseline_takes_them(comparison: Any, make: Any) -> None:
    promoted = replace(comparison.run, lineup=make.Lineup(promoted=comparison.run.header.prompts))
    done = replace(comparison, run=promoted)
    cases, worse = Reason(INVESTIGATE, "x", cause="cases"), Reason(INVESTIGATE, "worse", metric="recall")
    assert advised(done, INVESTIGATE, cases)[-1] == "Then: row3 --baseline takes them as they are now, and commit."
    there = "Then: commit: the baseline of this change takes them as they are now."
    assert advised(replace(done, new_baseline=True), INVESTIGATE, cases)[-1] == there
    assert advised(done, INVESTIGATE, cases, worse)[-1] == "Then: write down why it is acceptable, and commit."
    assert advised(replace(done, in_git=False), INVESTIGATE, worse)[-1] == "Then: write down why it is acceptable."


def test_a_part_is_no_gate_so_all_cases_come_next(comparison: Any) -> None:
    part = Reason(INVESTIGATE, "only a part of the cases was run", cause="part")
    assert advised(comparison, INVESTIGATE, part) == ["Next: row3 --compare with all the cases."]
    assert advised(comparison, INVESTIGATE, part, Reason(INVESTIGATE, "worse", metric="recall")) == [
        "Next: row3 investigate ozone",
        "Then: row3 --compare with all the cases.",
    ]


def test_a_blocked_part_is_run_whole_and_not_approved(comparison: Any) -> None:
    part = Reason(INVESTIGATE, "only a part of the cases ran", cause="part")
    assert advised(comparison, BLOCK, Reason(BLOCK, "worse"), part)[-1] == (
        "Then: mend the prompt and run row3 --compare with all the cases."
    )


def test_an_approval_is_to_be_committed(comparison: Any, make: Any) -> None:
    done = advised(replace(comparison, approval=make.Approval()), BLOCK, Reason(BLOCK, "worse"))
    assert done[-1].endswith("commit metrics-history.json and CHANGELOG.md too: the approval stands there.")


def test_a_copy_is_edited_and_the_version_beside_it_promoted(comparison: Any) -> None:
    copied = replace(comparison, copies=["decompose-concepts-v1.1"])
    nothing = "edit prompts/decompose-concepts-v1.1.md; there is nothing new to promote."
    assert advised(copied, Verdict.PROCEED) == [f"Next: {nothing}"]
    assert advised(copied, INVESTIGATE, Reason(INVESTIGATE, "declines", cause="history"))[-1] == f"Then: {nothing}"
    assert advised(replace(comparison, copies=["other-v1.0"]), Verdict.PROCEED) == [
        "Next: row3 promote decompose-concepts-v1.1"
    ]


def test_what_no_provider_can_answer_may_be_answered_elsewhere(comparison: Any, make: Any) -> None:
    header = replace(comparison.run.header, mode="replay", model="")
    run = replace(comparison.run, collected=make.Collected(failed=["ozone"]), header=header)
    first, second = advised(replace(comparison, run=run), BLOCK, Reason(BLOCK, "the run is incomplete"))
    assert first == "Next: row3 --compare --mode auto --model MODEL asks for what is not recorded."
    assert "row3 --dry-run --mode auto --format json" in second
    assert "row3 recordings import FILE" in second


def test_the_case_that_fell_in_what_the_composite_does_not_weigh_is_named(comparison: Any) -> None:
    cases = [
        replace_case(case, move="unchanged", delta=0.0, deltas={"duplicateRate": rise, "recall": -0.5})
        for case, rise in zip(comparison.cases, (0.0, 1.0, 0.5, 0.2), strict=False)
    ]
    twice = Reason(INVESTIGATE, "Duplicate rate is worse", metric="duplicateRate", cause="answers")
    advice = advised(replace(comparison, cases=cases), INVESTIGATE, twice)
    assert advice[0] == f"Next: row3 investigate {cases[1].case_id}"
    none = [replace_case(case, deltas={}) for case in cases]
    assert not any("investigate" in line for line in advised(replace(comparison, cases=none), INVESTIGATE, twice))


def replace_case(case: Any, **fields: Any) -> Any:
    return case._replace(**fields)
