"""What a comparison advises fits the reasons of its verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.prompts import Lineup
from row3.gate.drift import Drift
from row3.gate.policy import GatePolicy
from row3.gate.results import Confirmation
from row3.reports.comparison import next_note
from row3.reports.verdict_text import verdict_label

AGAIN = "and run row3 --compare again, or accept it with --approve REASON."
PROMOTE = "row3 promote decompose-concepts-v1.1 --approve REASON"
"""Overall fell by 2 points."""
NOTE, INVESTIGATE, BLOCK = Verdict
WORSE = Reason(Code.WORSE, BLOCK, "recall")
FELL = Reason(Code.WORSE, INVESTIGATE, "recall")


def advised(make: Any, comparison: Any, *reasons: Reason, action: str = "compare", **rest: Any) -> list[str]:
    run = replace(comparison.run, header=replace(comparison.run.header, action=action))
    return [*map(str, next_note(make.judged(replace(comparison, run=run), *reasons, **rest)).texts)]


@pytest.mark.parametrize(
    ("code", "subject", "fix"),
    [
        (Code.CRITERIA_REMOVED, "case a", "restore the golden cases"),
        (Code.CRITERIA_LOOSENED, "rule gate.block", "restore row3.toml"),
        (Code.CRITERIA_REMOVED, "baseline", "restore the baseline"),
        (Code.CRITERIA_LOOSENED, "quarantine a", "restore the quarantine"),
        (Code.LOCK_BROKEN, "find-v1.0", "restore prompts/promoted.json and the prompts it lists"),
        (Code.BASELINE_DIFFERS, "baseline", "save the baseline again (row3 --baseline)"),
        (Code.NO_CASE, "", "add golden cases"),
    ],
)
def test_a_block_that_no_prompt_can_fix_says_what_can(
    comparison: Any, make: Any, code: Code, subject: str, fix: str
) -> None:
    notice = Reason(Code.CANARY, INVESTIGATE, "hallucinationRate")
    assert advised(make, comparison, Reason(code, BLOCK, subject), notice) == [f"Next: {fix} {AGAIN}"]


def test_a_block_for_several_reasons_names_all_fixes(comparison: Any, make: Any) -> None:
    assert advised(make, comparison, Reason(Code.CRITERIA_REMOVED, BLOCK, "case a"), WORSE) == [
        "Next: row3 investigate ozone",
        f"Then: fix the prompt, restore the golden cases {AGAIN}",
    ]


CONFIRM = "row3 --compare --mode record --confirm 4"
DOUBT = Reason(Code.UNCONFIRMED, BLOCK, "recall")


def test_an_unconfirmed_block_is_confirmed_first(comparison: Any, make: Any) -> None:
    known = replace(comparison, confirmation=Confirmation(4, 2, command=CONFIRM))
    assert advised(make, known, WORSE, DOUBT)[0] == (
        f"Next: {CONFIRM} asks up to 2 more answers a case and side, to confirm the block."
    )
    entered = Reason(Code.ENTERED_FAIL_ZONE, BLOCK, "recall")
    assert CONFIRM in advised(make, known, WORSE, entered, DOUBT)[0]


def test_answers_that_cannot_clear_the_block_are_not_advised(comparison: Any, make: Any) -> None:
    known = replace(comparison, confirmation=Confirmation(4, command=CONFIRM))
    removed = Reason(Code.CRITERIA_REMOVED, BLOCK, "case a")
    for other in (removed, Reason(Code.WORSE, BLOCK, "overall"), Reason(Code.CRITICAL_BROKE, BLOCK, "rye")):
        assert not [line for line in advised(make, known, WORSE, DOUBT, other) if CONFIRM in line]
    stopped = replace(known, confirmation=Confirmation(4, stopped="no provider serves it"))
    assert not [line for line in advised(make, stopped, WORSE, DOUBT) if "more answers" in line]


OTHER = "record the baseline again (row3 --baseline --mode record) or choose another model"


@pytest.mark.parametrize("code", [Code.PROVIDER_MOVED, Code.MODEL_CHANGED, Code.SERVED_MODEL_CHANGED])
def test_what_the_provider_or_the_model_did_is_no_prompt_s_fault(comparison: Any, make: Any, code: Code) -> None:
    last = advised(make, comparison, WORSE, Reason(code, NOTE, "recall"))[-1]
    assert last == f"Then: {OTHER} {AGAIN}"


def test_dearer_answers_are_not_first_made_the_baseline(comparison: Any, make: Any) -> None:
    dearer = Reason(Code.WORSE, BLOCK, "tokens", {"before": 1.0, "after": 2.0, "limit": 20.0, "unit": "tokens"})
    changed = Reason(Code.MODEL_CHANGED, NOTE)
    cheaper = "choose a cheaper setting, raise the limit in row3.toml or record the baseline again"
    assert advised(make, comparison, dearer, changed)[-1] == (
        f"Next: {cheaper} (row3 --baseline --mode record) {AGAIN}"
    )
    assert advised(make, comparison, dearer)[-1] == f"Next: fix the prompt {AGAIN}"
    assert advised(make, comparison, dearer, WORSE, changed)[-1] == f"Then: {OTHER} {AGAIN}"


def test_another_model_beside_another_prompt_may_be_the_prompt_s_fault(comparison: Any, make: Any) -> None:
    before = replace(comparison.baseline, prompt_digests={"find": "a"})
    other = replace(comparison, baseline=before)
    assert advised(make, other, WORSE, Reason(Code.MODEL_CHANGED, NOTE))[-1] == f"Then: fix the prompt {AGAIN}"
    assert advised(make, other, WORSE, Reason(Code.PROVIDER_MOVED, NOTE))[-1] == f"Then: {OTHER} {AGAIN}"


@pytest.mark.parametrize(
    ("state", "saved", "fix"), [("moved", True, OTHER), ("moved", False, "fix the prompt"), ("open", True, None)]
)
def test_drift_is_the_cause_only_of_a_comparison_with_saved_answers(
    comparison: Any, make: Any, state: Any, saved: bool, fix: str | None
) -> None:
    drifted = replace(
        comparison, saved=saved, drift=Drift((), comparison.run.suite.kind.primary_metric, state, 9, 0, 0.1)
    )
    assert advised(make, drifted, WORSE)[-1] == f"Then: {fix or 'fix the prompt'} {AGAIN}"


def test_a_system_is_fixed_and_asked_without_a_model(comparison: Any, make: Any) -> None:
    run = replace(comparison.run, suite=replace(comparison.run.suite, prompted=False))
    assert advised(make, replace(comparison, run=run), WORSE)[-1] == (
        f"Then: fix the system, raise its `version` in row3.toml {AGAIN}"
    )
    run = replace(run, failed=["ozone"])
    assert advised(make, replace(comparison, run=run), WORSE) == [
        "Next: row3 --compare --mode auto asks for the missing answers."
    ]


def test_a_blocked_promotion_is_promoted_again_and_a_good_one_is_done(comparison: Any, make: Any) -> None:
    again = f"Then: fix the prompt and run {PROMOTE.partition(' --')[0]} again, or accept it with --approve REASON."
    assert advised(make, comparison, WORSE, action="promotion")[-1] == again
    assert advised(make, comparison, FELL, action="promotion") == []
    assert advised(make, comparison, WORSE, action="promotion", approved=True) == []


@pytest.mark.parametrize(
    ("code", "subject", "check"),
    [
        (Code.CRITERIA_CHANGED, "case a", "check that the golden cases had to change (git diff golden/decomposition)."),
        (Code.CRITERIA_CHANGED, "rule weight.f1", "check that row3.toml had to change (git diff row3.toml)."),
        (
            Code.RECORDED_AGAIN,
            "a",
            "check that these answers were meant to be recorded again (git diff recordings).",
        ),
        (Code.DECLINING, "", "look at the declining runs (row3 trend)."),
        (Code.HISTORY_REMOVED, "", "restore metrics-history.json."),
    ],
)
def test_an_investigation_says_what_to_look_at(
    comparison: Any, make: Any, code: Code, subject: str, check: str
) -> None:
    reason = Reason(code, INVESTIGATE, subject)
    assert advised(make, comparison, reason) == [f"Next: {check}", f"Then: {PROMOTE}"]
    if "git diff" in check:
        since = advised(make, replace(comparison, against="0a1b2c"), reason)[0]
        assert "(git diff 0a1b2c -- " in since
        assert "git" not in advised(make, replace(comparison, in_git=False), reason)[0]


def test_nothing_to_promote_asks_for_a_reason_or_a_commit(comparison: Any, make: Any) -> None:
    done = replace(comparison, run=replace(comparison.run, lineup=Lineup((), comparison.run.header.prompts)))
    assert advised(make, done, FELL)[-1] == "Then: record why this is acceptable: --approve REASON."
    assert advised(make, done) == ["Next: commit."]
    (asked,) = advised(make, replace(done, asking="0a1b2c"))
    assert asked.startswith("Next: criteria were removed or loosened, so the hook may ask for an approval: ")
    assert "row3 --compare --against 0a1b2c " in asked
    assert advised(make, replace(done, in_git=False)) == []


def test_cases_that_the_base_cannot_answer_need_its_answers_or_a_baseline_if_nothing_is_promoted(
    comparison: Any, make: Any
) -> None:
    reason = Reason(Code.INCOMPARABLE, BLOCK, "a")
    assert "record the promoted version's answers" in " ".join(advised(make, comparison, reason))
    new = replace(comparison, run=replace(comparison.run, lineup=Lineup((), {})))
    said = " ".join(advised(make, new, reason))
    assert "save a new baseline (row3 --baseline)" in said
    assert "--mode auto" not in said


def test_part_of_the_cases_is_run_whole(comparison: Any, make: Any) -> None:
    part = Reason(Code.PARTIAL, INVESTIGATE)
    assert advised(make, comparison, part) == ["Next: row3 --compare with all the cases."]
    assert (
        advised(make, comparison, WORSE, part)[-1] == "Then: fix the prompt and run row3 --compare with all the cases."
    )


def test_an_approval_is_committed(comparison: Any, make: Any) -> None:
    kept = "Then: commit metrics-history.json and CHANGELOG.md: they hold the approval."
    assert advised(make, comparison, WORSE, approved=True) == [f"Next: {PROMOTE}", kept]


@pytest.mark.parametrize("model", ["", "reference-llm", "mcp, reference-llm"])
def test_a_recorded_model_that_cannot_be_asked_is_to_be_named(comparison: Any, make: Any, model: str) -> None:
    header = replace(comparison.run.header, model=model)
    run = replace(comparison.run, failed=["ozone"], header=header)
    assert advised(make, replace(comparison, run=run), WORSE) == [
        "Next: row3 --compare --mode auto --model MODEL asks for the missing answers."
    ]


def test_a_branch_that_is_behind_catches_up_first(comparison: Any, make: Any) -> None:
    assert advised(make, replace(comparison, behind=2, against="main"), WORSE) == [
        "Next: HEAD lacks 2 commits of main that change row3's files: merge or rebase first, or compare with the "
        "fork point: --against main..."
    ]


def test_the_case_that_fell_in_what_the_composite_does_not_weigh_is_named(comparison: Any, make: Any) -> None:
    cases = [
        case._replace(move="unchanged", delta=0.0, deltas={"duplicateRate": rise})
        for case, rise in zip(comparison.cases, (0.0, 1.0), strict=True)
    ]
    twice = Reason(Code.WORSE, INVESTIGATE, "duplicateRate")
    assert advised(make, replace(comparison, cases=cases), twice)[0] == f"Next: row3 investigate {cases[1].case_id}"
    still = [case._replace(deltas={}) for case in cases]
    assert not any("investigate" in line for line in advised(make, replace(comparison, cases=still), twice))


def test_the_verdict_in_a_word(comparison: Any, make: Any) -> None:
    informs = replace(comparison.run, suite=replace(comparison.run.suite, policy=GatePolicy(informational=True)))
    failed = replace(comparison.run, failed=["ozone"])
    shown = [
        verdict_label(make.judged(comparison)).word,
        verdict_label(make.judged(comparison, FELL)).word,
        verdict_label(make.judged(comparison, WORSE)).word,
        verdict_label(make.judged(comparison, WORSE, approved=True)).word,
        verdict_label(make.judged(comparison, FELL, approved=True)).word,
        verdict_label(make.judged(comparison, WORSE, complete=False)).word,
        verdict_label(make.judged(replace(comparison, run=failed), WORSE)).word,
        verdict_label(make.judged(replace(comparison, run=informs), WORSE)).word,
    ]
    assert shown == [
        "PROCEED", "INVESTIGATE", "BLOCK", "APPROVED (was: block)", "APPROVED (was: investigate)", "INCOMPLETE",
        "INCOMPLETE", "BLOCK, informational",
    ]  # fmt: skip


@pytest.mark.parametrize(("worse", "reason"), [(5.0, ""), (5.1, " --approve REASON"), (-5.1, "")])
def test_what_a_promotion_would_block_is_promoted_with_a_reason(
    comparison: Any, make: Any, worse: float, reason: str
) -> None:
    """`promote` judges by the limits alone, whatever noise says."""
    moved = [replace(each, worse_by=worse if each.key == "recall" else 0.0) for each in comparison.metrics]
    last = advised(make, replace(comparison, metrics=moved), Reason(Code.CANARY, INVESTIGATE, "hallucinationRate"))[-1]
    assert last.endswith(f"row3 promote decompose-concepts-v1.1{reason}")
