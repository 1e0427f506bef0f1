"""Who edits golden cases is told what the next comparison would say of them, and no one else is stopped for it."""

from __future__ import annotations

import pytest

from tests.judging import GOOD, POOR, said
from tests.projects import CASES, SUITE, Box, first

OTHER = "with 1 case whose text is another than the baseline's"
FELL = f"Concept recall fell from 100.0% to 83.3% (more than 5) {OTHER}"
BY_THESE = "by the golden cases of this change"
BLOCKS = f"block {FELL}, {BY_THESE}: all that comes after would block"


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "HEAD")


def harder_text(box: Box, *case_ids: str, answers: dict[str, dict[str, object]] = POOR, **more: object) -> None:
    """Other texts, and what the promoted version answers them."""
    for case_id in case_ids:
        box.case(case_id, sourceText=CASES[case_id]["sourceText"] + " It is so.", **more)
    box.record("1.1", {case_id: answers[case_id] for case_id in case_ids})


def a_comment(box: Box) -> None:
    box.write("row3.toml", box.read("row3.toml") + "# a comment\n")


def test_a_text_that_is_answered_worse_blocks_and_a_new_baseline_that_is_approved_ends_it(work: Box) -> None:
    harder_text(work, "rye")
    told = said(work, 1)
    assert BLOCKS in told
    assert "Next: put the golden cases back, or make the baseline of them (row3 --baseline) and run row3" in told
    assert "mend the prompt" not in told
    work.row3("--baseline", code=0)
    told = said(work, 1)
    assert BY_THESE not in told
    assert "block the new baseline is of worse answers: Concept recall 100.0% → 83.3%" in told
    assert "or, if it has to be, --approve REASON" in told
    work.row3("--compare", "--against", "main", "--approve", "the text is harder", code=0)
    assert "BLOCK, approved" in said(work, 0)
    merge(work, "a harder text")
    a_comment(work)
    assert "fell from" not in said(work, 0)


def test_after_an_approval_without_one_nobody_else_is_stopped(work: Box) -> None:
    harder_text(work, "rye", critical=True)
    broke = "critical case rye broke: Overall fell from 85.0% to 72.5%, with another text than the baseline's"
    assert f"block {broke}, {BY_THESE}: all that comes after would block" in said(work, 1)
    work.row3("--compare", "--against", "main", "--approve", "the text is harder", code=0)
    merge(work, "a harder text")
    a_comment(work)
    told = said(work, 0)
    ends = "it is so at the base, and `row3 --baseline` in a change of its own, approved there once, ends that"
    assert f"investigate {FELL}; {ends}" in told
    assert f"investigate {broke}; {ends}" in told
    assert "mend the prompt" not in told
    work.prompt("1.2")
    work.record("1.2", GOOD | {"rye": POOR["rye"]})
    told = said(work, 1)
    assert f"block {FELL}" in told
    assert f"block {broke}" in told

    work.git("checkout", "-q", "--", ".")
    work.git("clean", "-qfd", "prompts", "recordings")
    work.row3("--baseline", code=0)
    told = said(work, 1)
    assert "and the new baseline of this change ends that" in told
    work.row3("--compare", "--against", "main", "--approve", "the text is harder", code=0)
    merge(work, "a baseline")
    a_comment(work)
    assert "fell from" not in said(work, 0)


def test_without_a_base_the_prompt_is_not_blamed_for_a_text(work: Box) -> None:
    harder_text(work, "rye")
    done = work.row3("--compare", code=1, CI="1")
    assert "put the golden cases back, or make the baseline of them" in " ".join(done.out.split())
    assert "mend the prompt" not in done.out


def test_a_later_edit_makes_it_no_deeper_unseen(work: Box) -> None:
    harder_text(work, "rye")
    work.row3("--compare", "--against", "main", "--approve", "the text is harder", code=0)
    merge(work, "a harder text")
    harder_text(work, "oven")
    told = said(work, 1)
    assert "block Concept recall fell from 100.0% to 66.7% (more than 5) with 2 cases whose text is another" in told
    work.git("checkout", "-q", "--", ".")
    work.case("rye", sourceText=CASES["rye"]["sourceText"] + " It is so!")
    work.record("1.1", {"rye": POOR["rye"]})
    assert BY_THESE not in said(work, 0), "it is as far as before"


def test_a_small_fall_is_told(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\nblock = 20\n")
    work.row3("--baseline", code=0)
    merge(work, "a lenient gate")
    harder_text(work, "rye", answers={"rye": first(GOOD["rye"], 3)})
    assert f"investigate Concept recall fell from 100.0% to 91.7% {OTHER}, {BY_THESE}" in said(work, 0)


def test_texts_that_are_answered_as_well_are_let_in(work: Box) -> None:
    harder_text(work, "rye", answers=GOOD)
    assert BY_THESE not in said(work, 0)


@pytest.mark.parametrize("with_a_newer_draft", [False, True])
def test_a_version_that_loses_on_the_new_text_alone_is_not_made_current(work: Box, with_a_newer_draft: bool) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.row3("promote", "v1.2", code=0)
    work.git("checkout", "-q", "--", "baselines", "metrics-history.json", "CHANGELOG.md")
    harder_text(work, "rye", answers=GOOD)
    work.record("1.2", {"rye": POOR["rye"]})
    if with_a_newer_draft:
        work.prompt("1.3")
        work.record("1.3", GOOD)
        work.git("stash", "-q", "--", f"golden/{SUITE}/rye.gold.json")
        work.record("1.3", GOOD)
        work.git("stash", "pop", "-q")
    as_promoted = "as promoted (extract v1.2): " if with_a_newer_draft else ""
    assert f"block {as_promoted}{FELL}, {BY_THESE}" in said(work, 1)


def test_nor_is_a_draft_let_in_beside_a_new_baseline_of_it(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    harder_text(work, "rye", answers=GOOD)
    work.record("1.2", {"rye": POOR["rye"]})
    work.row3("--baseline", code=0)
    told = said(work, 1)
    assert "block Concept recall is worse by 16.7 points" in told
    assert f"{BY_THESE}: all that comes after would block" in told


def test_answers_that_the_change_deletes_compare_nothing_after_it(work: Box) -> None:
    more = {"label": "no such thing"}
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.path(f"recordings/{SUITE}/extract-v1.1.jsonl").unlink()
    for case_id in ("rye", "oven"):
        work.case(case_id, expectedConcepts=[*CASES[case_id]["expectedConcepts"], more])
    told = said(work, 1)
    fell = "Concept recall fell from 100.0% to 86.7% (more than 5) with 2 cases whose old answer cannot be scored again"
    assert f"block {fell}, {BY_THESE}" in told


def test_nor_a_draft_that_loses_on_what_a_case_expects_now(work: Box) -> None:
    """What both answer to the old expectations is the same; of the new ones the baseline's answer has more."""
    more = {"label": "wild rye"}
    quote = {"label": "wild rye", "sourceQuote": "Rye is a cereal."}
    work.record("1.1", GOOD | {"rye": GOOD["rye"] | {"concepts": [*GOOD["rye"]["concepts"], quote]}})
    work.row3("--baseline", code=0)
    merge(work, "more is found than is expected")
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.case("rye", expectedConcepts=[*CASES["rye"]["expectedConcepts"], more])
    told = said(work, 1)
    assert "block Concept recall is worse by 6.7 points (more than 5)" in told
    assert f"+22.0 points), {BY_THESE}: all that comes after would block" in told
    assert "mend the prompt" in told


def test_an_informational_gate_stops_nobody_after_it(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\ninformational = true\n")
    work.row3("--baseline", code=0)
    merge(work, "informational")
    harder_text(work, "rye")
    assert BY_THESE not in said(work, 0)


def test_an_older_draft_that_runs_once_more_is_none_that_ran_at_the_base(work: Box) -> None:
    for case_id in CASES:
        work.case(case_id, sourceText=CASES[case_id]["sourceText"] + " It is so.")
    for version, answers in {"1.2": POOR, "1.3": GOOD}.items():
        work.prompt(version)
        work.record(version, answers)
    merge(work, "other texts and two drafts")
    work.git("rm", "-q", "prompts/extract-v1.3.md")
    told = said(work, 1)
    assert "block Concept recall fell from 100.0% to 50.0% (more than 5) with 3 cases" in told
    assert "it is so at the base" not in told


@pytest.fixture
def harder(work: Box) -> Box:
    """Harder texts were approved on main without a baseline: v1.1 finds half of what it found."""
    harder_text(work, "rye", "oven")
    work.row3("--compare", "--against", "main", "--approve", "the texts are harder", code=0)
    merge(work, "harder texts")
    return work


def a_draft(box: Box, concepts: int) -> None:
    box.prompt("1.2")
    box.record("1.2", GOOD | {case_id: first(GOOD[case_id], concepts) for case_id in ("rye", "oven")})


THERE = "investigate at main what runs answers these texts worse than the baseline says, too (Concept recall 66.7%"
WAY = "`row3 --baseline` in a change of its own, approved there once, is the way out"


def test_a_better_prompt_is_not_told_to_mend_itself(harder: Box) -> None:
    a_draft(harder, 3)
    told = said(harder, 1)
    assert "block Concept recall fell from 100.0% to 83.3% (more than 5) with 2 cases" in told
    assert THERE in told
    assert WAY in told
    assert "Next: have a change of its own with row3 --baseline merged first and run row3" in told
    assert "mend the prompt" not in told
    harder.row3("hook", "install", code=0)
    harder.git("add", "-A")
    hook = harder.git("commit", "-m", "1.2", code=1)
    assert "is the way out" in " ".join(hook.err.split())


def test_the_way_out_leads_out(harder: Box) -> None:
    harder.row3("--baseline", code=0)
    harder.row3("--compare", "--against", "main", "--approve", "the texts are harder", code=0)
    merge(harder, "a baseline")
    a_draft(harder, 3)
    assert "PROCEED" in said(harder, 0)


def test_a_worse_one_is_and_is_told_how_the_base_stands(harder: Box) -> None:
    a_draft(harder, 1)
    told = said(harder, 1)
    assert THERE in told
    assert "mend the prompt" in told


def test_where_the_base_answers_them_as_well_nothing_is_said_of_it(work: Box) -> None:
    harder_text(work, "rye", "oven", answers=GOOD)
    merge(work, "other texts")
    a_draft(work, 2)
    told = said(work, 1)
    assert "is the way out" not in told
    assert "mend the prompt" in told
