"""Two changes, each harmless by itself, let no worse prompt in: what the first brings judges the second."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.judging import BASELINE, GOOD, POOR, said
from tests.projects import CASES, SUITE, Box, first, flawless, worse


def answers(box: Box, given: dict[str, dict[str, object]], *options: str) -> None:
    """Record answers of the promoted version that a flag asks for, and make the baseline of them."""
    lines = [{"caseId": name, "prompt": "extract-v1.1", "response": json.dumps(each)} for name, each in given.items()]
    file = box.root.parent / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    box.row3("recordings", "import", str(file), *options, code=0)
    box.row3("--baseline", *options, code=0)


@pytest.mark.parametrize("options", [("--model", "tiny-llm"), ("--temperature", "1.9"), ("--seed", "7")])
def test_a_baseline_of_other_parameters_than_the_project_s_blocks(work: Box, options: tuple[str, ...]) -> None:
    answers(work, POOR, *options)
    told = said(work, 1)
    assert f"the new baseline is of other parameters than the project's: extract {options[0][2:]}" in told
    assert options[1] in told
    assert "the new baseline is of worse answers: Concept recall 100.0% → 50.0%" in told


def test_so_does_one_that_more_answers_a_case_make_worse(work: Box) -> None:
    work.record("1.1", POOR, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "the new baseline is of worse answers: Concept recall 100.0% → 75.0%" in said(work, 1)


def test_one_of_more_answers_that_are_as_good_does_not(work: Box) -> None:
    work.record("1.1", GOOD, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "the new baseline" not in said(work, 0)


def test_one_of_the_model_that_the_change_itself_asks_does_not(work: Box) -> None:
    work.replace("row3.toml", "baker-1", "baker-2")
    answers(work, GOOD)
    work.record("1.1", GOOD)
    assert "the new baseline is" not in said(work, 0)


def test_so_does_one_of_worse_answers_to_cases_that_get_an_alias(work: Box) -> None:
    for case_id, case in CASES.items():
        first_one, *others = case["expectedConcepts"]
        work.case(case_id, expectedConcepts=[first_one | {"aliases": ["no such thing"]}, *others])
    work.record("1.1", POOR, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "the new baseline is of worse answers: Concept recall 100.0% → 75.0%" in said(work, 1)


def test_one_that_is_a_little_worse_is_told(work: Box) -> None:
    work.record("1.1", GOOD, repeat=1)
    work.record("1.1", GOOD | {"rye": first(flawless(CASES["rye"]), 3)}, repeat=2)
    work.row3("--baseline", "--repeats", "3", code=0)
    told = said(work, 0)
    assert "investigate the new baseline is of worse answers: Concept recall 100.0% → 97.2%" in told
    assert "the baseline is another one than at main" in told


def test_a_critical_case_is_worse_in_no_new_baseline(work: Box) -> None:
    work.case("rye", critical=True)
    work.row3("--baseline", code=0)
    work.commit("critical")
    work.git("branch", "-f", "main", "work")
    work.record("1.1", GOOD | {"rye": POOR["rye"]}, repeat=1)
    work.row3("--baseline", "--repeats", "2", code=0)
    assert "block the new baseline is of worse answers: critical case rye, Overall" in said(work, 1)


def test_new_texts_bring_no_worse_answers(work: Box) -> None:
    for case_id, case in CASES.items():
        work.case(case_id, sourceText=case["sourceText"] + " It is so.")
    work.record("1.1", POOR)
    work.row3("--baseline", code=0)
    assert "the new baseline is of worse answers: Concept recall 100.0% → 50.0%" in said(work, 1)


def test_nor_block_answers_that_are_as_good(work: Box) -> None:
    for case_id, case in CASES.items():
        work.case(case_id, sourceText=case["sourceText"] + " It is so.")
    work.record("1.1", GOOD)
    work.row3("--baseline", code=0)
    assert "the new baseline is of" not in said(work, 0)


def give_other_ids(box: Box) -> None:
    for case_id in ("rye", "oven"):
        path = f"golden/{SUITE}/{case_id}.gold.json"
        box.replace(path, f'"id": "{case_id}"', f'"id": "{case_id}-bread"')


def test_another_id_takes_a_case_out_of_no_comparison(work: Box) -> None:
    give_other_ids(work)
    assert "block golden cases with another id than at main, where the baseline knows them by it: oven" in said(work, 1)
    work.commit("ids")
    work.git("branch", "-f", "main", "work")
    work.prompt("1.2")
    work.record("1.2", {"rye-bread": POOR["rye"], "oven-bread": POOR["oven"], "yeast": GOOD["yeast"]})
    assert "only 1 of 3 cases could be compared with the baseline; it takes a new one" in said(work, 1)


def test_a_new_baseline_of_few_of_the_renamed_cases_blocks(work: Box) -> None:
    give_other_ids(work)
    work.row3("--baseline", code=0)
    whole = json.loads(work.read(BASELINE))
    whole["cases"] = [record for record in whole["cases"] if record["id"] == "yeast"]
    whole["metrics"] = whole["cases"][0]["metrics"]
    work.write(BASELINE, json.dumps(whole, indent=1) + "\n")
    assert "block the new baseline has 1 of the suite's 3 cases, and the one before 3" in said(work, 1)


def test_the_digest_of_a_record_is_that_of_a_case_that_is_there(work: Box) -> None:
    work.row3("--baseline", code=0)
    edited("digest", "0" * 64)(work)
    assert "the new baseline cannot be checked, since its golden cases are neither as they are here" in said(work, 1)


def edited(field: str, value: object) -> Callable[[Box], None]:
    """A field of every record of the baseline, or of its header, is another."""

    def edit(box: Box) -> None:
        whole = json.loads(box.read(BASELINE))
        for record in whole["cases"]:
            if field in record:
                record[field] = value
        if field in whole:
            whole[field] = value
        box.write(BASELINE, json.dumps(whole, indent=1) + "\n")

    return edit


@pytest.mark.parametrize(
    ("field", "value"),
    [("input", "sha256:" + "0" * 64), ("demands", ""), ("content", ""), ("status", "bad"), ("answers", ""),
     ("tally", {}), ("found", {"concepts": ["salt"]})],
)  # fmt: skip
def test_every_field_of_a_record_follows_from_its_answer(work: Box, field: str, value: object) -> None:
    edited(field, value)(work)
    assert "the new baseline does not follow from its recordings" in said(work, 1)


@pytest.mark.parametrize(("field", "value"), [("kind", "events"), ("suite", "cakes"), ("mode", "live")])
def test_a_baseline_of_something_else_blocks_the_change_that_brings_it(work: Box, field: str, value: str) -> None:
    edited(field, value)(work)
    told = said(work, 1)
    assert f"the new baseline is of {field} `{value}`" in told


def test_texts_that_are_edited_first_hide_no_worse_prompt(work: Box) -> None:
    for case_id in ("rye", "oven"):
        work.case(case_id, sourceText=CASES[case_id]["sourceText"] + " It is so.")
    work.record("1.1", GOOD)
    assert "`row3 --baseline` in the same change" in said(work, 1)
    work.commit("texts")
    work.git("branch", "-f", "main", "work")
    worse(work)
    assert "only 1 of 3 cases could be compared with the baseline; it takes a new one" in said(work, 1)


def with_other_texts(box: Box, *case_ids: str) -> None:
    """A main whose baseline is older than the texts of these cases."""
    for case_id in case_ids:
        box.case(case_id, sourceText=CASES[case_id]["sourceText"] + " It is so.")
    box.record("1.1", GOOD)
    merge(box, "texts")


def merge(box: Box, message: str) -> None:
    box.commit(message)
    box.git("branch", "-f", "main", "work")


@pytest.mark.parametrize(
    ("case_ids", "many"), [(("rye", "oven"), "only 1 of 3 cases"), (("rye", "oven", "yeast"), "no case")]
)
def test_what_answers_as_the_base_does_is_not_held_to_an_older_baseline(
    work: Box, case_ids: tuple[str, ...], many: str
) -> None:
    with_other_texts(work, *case_ids)
    work.write("row3.toml", work.read("row3.toml") + "# a comment\n")
    way_out = f"{many} could be compared with the baseline; it takes a new one, by `row3 --baseline` in a change of its"
    assert f"investigate {way_out} own" in said(work, 0)
    worse(work)
    told = said(work, 1)
    assert f"block {way_out} own" in told
    assert "have a change of its own with row3 --baseline merged first" in told

    work.git("checkout", "-q", "--", ".")
    work.git("clean", "-qfd", "prompts", "recordings")
    work.row3("--baseline", code=0)
    assert f"investigate {many} could be compared with the baseline; the new one of this change ends" in said(work, 0)
    merge(work, "a baseline")
    worse(work)
    told = said(work, 1)
    assert "could be compared" not in told
    assert "Concept recall is worse by" in told


def test_a_new_baseline_that_comes_with_a_draft_is_approved(work: Box) -> None:
    with_other_texts(work, "rye", "oven")
    work.row3("--baseline", code=0)
    worse(work)
    told = "block only 1 of 3 cases could be compared with the baseline; the new one of this change ends that, once"
    assert told in said(work, 1)
    approve(work)


def test_a_draft_that_the_base_has_is_no_doing_of_a_new_baseline(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    with_other_texts(work, "rye", "oven")
    work.record("1.2", GOOD)
    merge(work, "a draft")
    work.row3("--baseline", code=0)
    assert "the new one of this change ends that" in said(work, 0)
    work.replace("prompts/extract-v1.2.md", "about bread", "of bread")
    work.record("1.2", GOOD)
    assert "the new one of this change ends that, once somebody approves" in said(work, 1)


def test_answers_that_are_recorded_again_are_no_base_s(work: Box) -> None:
    with_other_texts(work, "rye", "oven")
    work.record("1.1", GOOD | {"rye": first(GOOD["rye"], 3)})
    work.row3("--baseline", code=0)
    assert "the new one of this change ends that, once somebody approves" in said(work, 1)


def test_nor_those_of_another_model(work: Box) -> None:
    with_other_texts(work, "rye", "oven")
    work.replace("row3.toml", "baker-1", "baker-2")
    work.record("1.1", GOOD)
    assert "block only 1 of 3 cases could be compared" in said(work, 1)


def test_a_promotion_is_none(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    with_other_texts(work, "rye", "oven")
    work.record("1.2", GOOD)
    merge(work, "a draft")
    work.row3("promote", "v1.2", "--approve", "it asks more shortly", code=0)
    work.git("checkout", "-q", "--", "metrics-history.json", "CHANGELOG.md")
    assert "the new one of this change ends that, once somebody approves" in said(work, 1)


def test_cases_that_were_given_up_end_with_a_new_baseline(work: Box) -> None:
    for case_id in ("rye", "oven"):
        work.path(f"golden/{SUITE}/{case_id}.gold.json").unlink()
    work.row3("--compare", "--against", "main", "--approve", "not ours", code=0)
    merge(work, "fewer")
    work.row3("--baseline", code=0)
    told = said(work, 0)
    assert "the new baseline of this change mends it" in told
    assert "only 1 of 3 cases could be compared with the baseline; the new one of this change ends that" in told
    merge(work, "a baseline")
    assert "could be compared" not in said(work, 0)


def approve(box: Box) -> None:
    box.row3("--compare", "--against", "main", "--approve", "agreed", code=0)
    assert "BLOCK, approved" in said(box, 0)


def test_an_approval_of_one_fall_is_none_of_a_deeper_one(work: Box) -> None:
    work.prompt("1.2")
    work.prompt("1.3")
    work.record("1.3", GOOD)
    work.record("1.2", GOOD | {"rye": POOR["rye"]})
    work.row3("promote", "v1.2", "--approve", "to have its lock", code=0)
    work.git("checkout", "-q", "--", "metrics-history.json", "CHANGELOG.md", "baselines")
    approve(work)
    work.record("1.2", POOR)
    assert "as promoted (extract v1.2): Concept recall is worse by 50.0 points" in said(work, 1)


def test_an_approval_of_one_rule_is_none_of_another(work: Box) -> None:
    loose = "[suites.bread.thresholds.{}]\nminimum = 0.1\ntarget = 0.2\nexcellent = 0.3\n"
    config = work.read("row3.toml")
    work.write("row3.toml", config + loose.format("recall"))
    approve(work)
    for more in (loose.format("f1"), "[suites.bread.live.gate]\nblock = 90\n"):
        work.write("row3.toml", config + loose.format("recall") + more)
        assert "BLOCK, approved" not in said(work, 1)


def test_an_approval_of_one_deleted_file_is_none_of_another(work: Box) -> None:
    work.prompt("1.2")
    work.record("1.2", GOOD)
    work.row3("promote", "v1.2", "--commit", code=0)
    work.git("branch", "-f", "main", "work")
    work.path("prompts/extract-v1.0.md").unlink()
    approve(work)
    work.path("prompts/extract-v1.1.md").unlink()
    assert "prompts/extract-v1.1.md is gone since main" in said(work, 1)


def test_what_is_to_be_investigated_is_told_of_a_version_behind_a_harmless_draft_too(work: Box) -> None:
    work.write("row3.toml", work.read("row3.toml") + f"[suites.{SUITE}.gate]\nblock = 20\n")
    work.row3("--baseline", code=0)
    work.commit("a lenient gate")
    work.git("branch", "-f", "main", "work")
    work.prompt("1.2")
    work.prompt("1.3")
    work.record("1.3", GOOD)
    work.record("1.2", GOOD | {"rye": first(flawless(CASES["rye"]), 3)})
    work.row3("promote", "v1.2", code=0)
    assert "investigate as promoted (extract v1.2): Concept recall is worse by 8.3 points" in said(work, 0)


def test_a_fall_that_was_promoted_before_the_change_names_the_way_out(work: Box) -> None:
    """As for a suite that asks the same prompt as the one whose baseline the promotion made."""
    way_out = "extract v1.2 is promoted already, and the baseline is of a version before: for a fall that came with it"
    old = work.read(BASELINE)
    worse(work, concepts=3)
    work.row3("promote", "v1.2", "--approve", "shorter is wanted", code=0)
    work.write(BASELINE, old)
    assert way_out not in said(work, 1), "it is the change itself that promotes"
    work.commit("promoted")
    work.git("branch", "-f", "main", "HEAD")
    work.case("rye", expectedConcepts=[*CASES["rye"]["expectedConcepts"][:3], {"label": "proofing", "aliases": ["zz"]}])
    told = said(work, 1)
    assert way_out in told
    assert "`row3 --baseline` in a change of its own, approved there once" in told

    work.git("checkout", "-q", "--", ".")
    work.row3("--baseline", code=0)
    work.row3("--compare", "--against", "main", "--approve", "shorter is wanted", code=0)
    work.commit("a change of its own")
    said(work, 0)
    work.git("branch", "-f", "main", "HEAD")
    work.case("rye", expectedConcepts=[*CASES["rye"]["expectedConcepts"][:3], {"label": "proofing", "aliases": ["zz"]}])
    assert way_out not in said(work, 0)


@pytest.mark.parametrize(("label", "code"), [("5 °C", 1), ("-5  °C", 0)])
def test_a_label_that_only_normalises_alike_takes_no_place_unseen(work: Box, label: str, code: int) -> None:
    expected = CASES["rye"]["expectedConcepts"]
    work.case("rye", expectedConcepts=[*expected, {"label": "-5 °C", "required": False}])
    work.row3("--baseline", code=0)
    work.commit("a degree")
    work.git("branch", "-f", "main", "work")
    work.case("rye", expectedConcepts=[*expected, {"label": label, "required": False}])
    told = said(work, code)
    assert ("golden cases that demand less than at main: rye.gold.json" in told) == bool(code)
