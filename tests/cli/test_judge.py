"""`row3 judge` from the first label to a judge that blocks, over real HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judged import CASES, JudgeServer, label_all, label_lines, rubric, support
from tests.projects import Box, copy_of
from tests.rows import every_row
from tests.terminal import CTRL_C, terminal


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    running = JudgeServer()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def recorded(server: JudgeServer, tmp_path_factory: pytest.TempPathFactory) -> Box:
    return support(Box(tmp_path_factory.mktemp("judged") / "project"), server)


box = copy_of("recorded")


@pytest.fixture(scope="module")
def labelled(recorded: Box, tmp_path_factory: pytest.TempPathFactory) -> Box:
    box = recorded.copy(tmp_path_factory.mktemp("labelled") / "project")
    label_all(box)
    return box


@pytest.fixture
def full(labelled: Box, tmp_path: Path) -> Box:
    return labelled.copy(tmp_path / "full")


LABELS = "calibrations/support.labels.jsonl"


def test_labelling_is_blind_kept_at_once_and_goes_on_where_it_stopped(box: Box) -> None:
    done = box.row3("judge", "label", stdin="5 s x 2\nq", code=0)
    assert "2 of 24 answers have a label" in done.out
    assert "seen" not in done.err and "no key `x`" in done.err
    assert [line["grade"] for line in label_lines(box)] == [100, 25]
    first = {line["caseId"] for line in label_lines(box)}
    rest = box.row3("judge", "label", stdin="p" * 30, code=0)
    asked = re.findall(r" of 24 · (q\d+) ·", rest.err)
    assert len(asked) == len(set(asked)) == CASES - 2 and not first & set(asked)
    assert len(label_lines(box)) == CASES
    again = box.row3("judge", "label", stdin="", code=0)
    assert again.err == "" and "24 of 24" in again.out


def test_labels_elsewhere_and_in_ci(box: Box, tmp_path: Path) -> None:
    box.row3("judge", "label", "--labels", str(tmp_path / "mine.jsonl"), stdin="pf", code=0)
    assert len((tmp_path / "mine.jsonl").read_text().splitlines()) == 2
    assert "labels are not written in CI" in box.row3("judge", "label", code=2, CI="1").err


def test_a_calibration_is_shown_written_and_lets_the_judge_block(full: Box) -> None:
    before = full.row3(code=0)
    assert "helpfulness: the judge is not calibrated, label some answers: row3 judge label" in before.out
    assert "judged rate" not in before.out
    dry = full.row3("judge", "calibrate", LABELS, "--dry-run", code=0)
    assert "Nothing was written" in dry.out and not full.path("calibrations/support.json").exists()
    done = full.row3("judge", "calibrate", LABELS, code=0)
    assert "Accuracy        87.5% (69.0…95.7, n 24)" in done.out
    assert "Cohen's kappa   0.73" in done.out and "judge: seen 8" in done.out
    kept = json.loads(full.read("calibrations/support.json"))["rubrics"]["helpfulness"]
    assert (kept["models"], kept["votes"], kept["labels"]) == (["gpt-4.1-mini"], 1, CASES)
    assert kept["sensitivity"]["count"] == 16 and kept["specificity"]["count"] == 8
    after = full.row3(code=0)
    assert "62.5% (42.7…78.8), n 24 66.7% (46.7…82.0)" in " ".join(after.out.split()) and "the labels" in after.out
    assert "not calibrated" not in after.out
    value = full.row3("--format", "json", code=0).json["judges"]["helpfulness"]
    assert value["calibration"] == "valid" and value["warranted"] is True
    assert value["raw"]["value"] == 0.625 and value["corrected"]["value"] == pytest.approx(2 / 3)


def test_labels_of_other_answers_leave_the_correction_to_the_calibration(full: Box) -> None:
    full.row3("judge", "calibrate", LABELS, code=0)
    full.path(LABELS).rename(full.root.parent / "elsewhere.jsonl")
    assert "Rogan–Gladen" in full.row3(code=0).out


def test_another_judge_makes_a_calibration_stale(full: Box) -> None:
    full.row3("judge", "calibrate", LABELS, code=0)
    full.replace("row3.toml", 'model = "gpt-4.1-mini"', 'model = "claude-haiku"')
    found = full.row3("lint")
    assert "stale-calibration" in found.out and "calibrations/support.json" in found.out
    assert "the judge was gpt-4.1-mini and is now claude-haiku" in found.out
    assert "stale" not in full.row3(code=3).out  # nothing of it is judged yet
    full.row3("--mode", "auto", code=0)
    out = " ".join(full.row3(code=0).out.split())
    assert "helpfulness: the calibration is stale, calibrate again: row3 judge calibrate" in out
    assert full.row3("--format", "json").json["judges"]["helpfulness"] == {"calibration": "stale", "warranted": False}


def test_the_judges_family_and_its_cost_are_said(box: Box) -> None:
    out = " ".join(box.row3(code=0).out.split())
    assert "the judge gpt-4.1-mini is of the same family as gpt-4.1, which answers" in out
    assert "cost $0.0036 · judge: 24 grades · cost $0.0360" in out


def test_self_preference_shows_where_several_models_answered(full: Box, server: JudgeServer) -> None:
    full.row3("--mode", "record", "--model", "claude-haiku", code=0)
    label_all(full)
    assert len(label_lines(full)) == 2 * CASES
    out = full.row3("judge", "calibrate", LABELS, "--dry-run", code=0).out
    assert "Self-preference" in out and "48 labels" in out


def test_a_label_counts_once_and_the_last_one_wins(full: Box) -> None:
    lines = label_lines(full)
    full.write(LABELS, "".join(json.dumps(line) + "\n" for line in [*lines, {**lines[0], "grade": 50}]))
    found = full.row3("judge", "calibrate", LABELS, "--dry-run", "--format", "json", code=0).json
    assert found["rubrics"][0]["warranty"]["figures"]["labels"] == CASES


@every_row(
    ("line", "says"),
    [
        ("{", "LABELS.jsonl:1"),
        ('{"schemaVersion": 9}', "newer than this row3 knows"),
        ('{"suite": "support", "rubric": "r", "caseId": "c", "answerDigest": "d"}', "a `grade`, or a `winner`"),
        ('{"suite": "support", "rubric": "r", "caseId": "c", "answerDigest": "d", "grade": 101}', "grade"),
        ('{"suite": "other", "rubric": "r", "caseId": "c", "answerDigest": "d", "grade": 1}', "no labels of suite"),
        ('{"suite": "support", "rubric": "r", "caseId": "c", "answerDigest": "d", "grade": 1}', "no such rubric"),
    ],
)
def test_labels_that_cannot_be_used(box: Box, line: str, says: str) -> None:
    box.write("LABELS.jsonl", line + "\n")
    done = box.row3("judge", "calibrate", "LABELS.jsonl", code=2)
    assert says in done.err and len(done.errors) == 1


def test_nothing_to_judge_is_an_error(box: Box) -> None:
    box.path("prompts/helpfulness-v1.0.md").unlink()
    assert "suite `support` has no judge" in box.row3("judge", "label", code=2).err


def test_two_models_on_the_same_labels(full: Box) -> None:
    full.replace("row3.toml", 'model = "gpt-4.1-mini"', 'model = "claude-haiku"')
    full.row3("--mode", "auto", code=0)
    done = full.row3("judge", "compare", "gpt-4.1-mini", "claude-haiku", code=0)
    assert "Accuracy differs by 0.0 points; McNemar's exact p 1.00" in " ".join(done.out.split())
    missing = full.row3("judge", "compare", "gpt-4.1-mini", "gpt-9", code=2)
    assert "no label has recorded grades of both (gpt-4.1-mini 24, gpt-9 0)" in missing.err
    mixed = full.row3("judge", "compare", "helpfulness", "gpt-9", code=2)
    assert "`gpt-9` is not a rubric" in mixed.err


@pytest.fixture
def base(box: Box) -> Box:
    """With prompt and rubric promoted, a baseline, and v1.1 of the rubric on a branch."""
    box.init()
    box.row3("promote", "reply-v1.0", code=0)
    box.row3("promote", "helpfulness-v1.0", code=0)
    box.commit("promoted")
    box.git("checkout", "-q", "-b", "work")
    rubric(box, "1.1")
    return box


def test_a_rubric_without_recorded_grades_is_an_incomplete_run(base: Box) -> None:
    before = base.tree()
    done = base.row3("promote", "helpfulness-v1.1", code=3)
    assert "24 of 24 cases lack a grade by helpfulness-v1.1" in done.err and "--mode auto" in done.err
    assert base.tree() == before


def test_a_rubric_is_promoted_by_what_it_does_to_the_same_answers(base: Box, server: JudgeServer) -> None:
    asked = len(server.judged)
    done = base.row3("promote", "helpfulness-v1.1", "--mode", "auto", "--commit", code=0)
    assert len(server.judged) == asked + CASES
    said = " ".join(done.out.split())
    assert "rule rubric.helpfulness changed: v1.0 → v1.1; the same answers score −3.1 (candidate) points" in said
    assert "Judged in its fail zone" in said or "Judged is in its fail zone" in said
    assert "helpfulness v1.1 is promoted" in said
    assert json.loads(base.read("prompts/promoted.json"))["prompts"]["helpfulness"]["version"] == "v1.1"
    entry = base.read("CHANGELOG.md").partition("## v1.0")[0]
    assert "Prompt: helpfulness" in entry and "| Metric | v1.0 | v1.1 | Delta |" in entry
    assert base.history()[-1]["action"] == "promotion"
    tracked = base.git("show", "--stat", "--format=%s", "HEAD").out
    assert "helpfulness-v1.1.md" in tracked and "helpfulness-v1.1.jsonl" in tracked
    again = base.row3("--compare", "--against", "main", code=0)
    assert "rubric.helpfulness" in again.out


def test_a_promoted_rubric_is_locked(base: Box) -> None:
    base.row3("promote", "helpfulness-v1.1", "--mode", "auto", code=0)
    assert "is promoted already" in base.row3("promote", "helpfulness-v1.1", code=2).err
    base.replace("prompts/helpfulness-v1.1.md", "Grade by", "Judge by")
    assert "edited in place" in base.row3("lint", code=2).out


def test_a_harsher_rubric_blocks_where_the_judge_may(base: Box) -> None:
    label_all(base)
    base.row3("judge", "calibrate", LABELS, code=0)
    base.row3("--baseline", code=0)
    base.write("prompts/helpfulness-v2.0.md", base.read("prompts/helpfulness-v1.0.md").replace("1.0", "2.0"))
    base.replace("prompts/helpfulness-v2.0.md", "Grade by rubric", "Grade by rubric harsh")
    before = base.read("prompts/promoted.json")
    done = base.row3("promote", "helpfulness-v2.0", "--mode", "auto", code=1)
    assert "helpfulness v2.0 was not promoted; nothing was written" in done.out
    assert base.read("prompts/promoted.json") == before
    base.row3("promote", "helpfulness-v2.0", "--approve", "we want it harsher", code=0)
    assert "the calibration is stale, calibrate again" in " ".join(base.row3(code=0).out.split())
    assert "we want it harsher" in base.read("CHANGELOG.md")


def test_what_is_no_rubric_of_the_suite(base: Box) -> None:
    base.write(
        "prompts/strictness-v1.0.md", base.read("prompts/helpfulness-v1.0.md").replace("helpfulness", "strictness")
    )
    assert "no answer of suite `support` is graded by `strictness`" in base.row3("promote", "strictness-v1.0").err
    live = base.row3("promote", "helpfulness-v1.1", "--mode", "live", code=2)
    assert "judged by the grades of recorded answers" in live.err


def test_a_named_rubric_grades_a_run_and_is_compared_with_another(base: Box) -> None:
    label_all(base)
    graded = base.row3("--prompt", "helpfulness-v1.1", "--mode", "auto", code=0)
    assert "the judge grades by helpfulness-v1.1" in graded.err
    assert "other-parameters" not in base.row3("recordings", "verify", code=0).out
    done = base.row3("judge", "compare", "helpfulness-v1.0", "helpfulness-v1.1", "--format", "json", code=0).json
    one, other = (each["figures"]["accuracy"]["value"] for each in done["warranties"])
    assert (one, other, done["accuracyDifference"]) == (21 / 24, 18 / 24, -3 / 24)
    assert (done["onlyRight"], done["pValue"]) == ([3, 0], 0.25)
    text = base.row3("judge", "compare", "helpfulness", "helpfulness-v1.1", "-v", code=0).out
    assert "McNemar's exact p .250" in text and "disagreement, worst first" in text


def test_keys_on_a_terminal_are_kept_at_once(box: Box) -> None:
    with terminal(box, "judge", "label", piped=True) as person:
        person.until_asked()
        assert "1 of 24" in person.text
        person.press("4")
        assert [line["grade"] for line in label_lines(box)] == [75]
        assert "2 of 24" in person.text
        person.press("f")
        code, out = person.end(CTRL_C)
    assert code == 130 and out == ""
    assert [line["grade"] for line in label_lines(box)] == [75, 0]


def test_a_single_grade_that_is_missing_leaves_a_run_complete(box: Box, server: JudgeServer) -> None:
    """Whatever the repeats, which have one answer and so one grade; two such answers of four are too many."""
    few = ("--case", "q0[0-3]", "--mode", "live", "--format", "json")
    try:
        for broken, code in (({1}, 0), ({1, 2}, 3)):
            server.broken = broken
            for repeats in ("1", "3"):
                done = box.row3(*few, "--repeats", repeats, code=code).json
                assert done["failed"] == ([] if code == 0 else ["q01", "q02"])
                assert done["denominators"]["judgedRate"] == 4 - len(broken)
    finally:
        server.broken = set()


def test_drift_compares_the_answers_and_not_their_grades(box: Box, server: JudgeServer) -> None:
    box.row3("--baseline", code=0)
    few = ("drift", "--case", "q0*")
    assert "10 answered word for word as before" in " ".join(box.row3(*few, code=0).out.split())
    server.strict, server.hurried = True, {1, 2, 3}
    try:
        found = box.row3(*few, "--format", "json").json
    finally:
        server.strict, server.hurried = False, set()
    assert found["same"] == 7, found


MISSPELT = '{"judge": "helpfulnes"}', "rubric `helpfulnes` not found: no prompts/helpfulnes-v*.md"
UNSET = '{"semantic": "well"}', "`semantic` needs [suites.NAME.matching.semantic] in row3.toml"


@pytest.mark.parametrize(
    ("command", "check", "problem"),
    [
        ("--mode live", *UNSET),
        ("--mode replay", *UNSET),
        ("--mode auto --case q01", *MISSPELT),
        ("--baseline --mode record", *MISSPELT),
        ("--compare --mode live", *MISSPELT),
        ("--compare --against main", *UNSET),
        ("--dry-run --mode live", *MISSPELT),
        ("promote reply-v1.1 --mode auto", *MISSPELT),
        ("leaderboard --mode live --max-cost 1", *MISSPELT),
    ],
)
def test_a_case_that_the_suite_cannot_score_is_an_error_before_anything_is_asked(
    base: Box, server: JudgeServer, command: str, check: str, problem: str
) -> None:
    base.write("prompts/reply-v1.1.md", base.read("prompts/reply-v1.0.md").replace('"1.0"', '"1.1"') + "{# new #}")
    base.replace("golden/support/q01.gold.json", '{"judge": "helpfulness"}', check)
    asked = server.answered, len(server.judged)
    assert base.row3(*command.split(), code=2).errors == [
        f"error: golden/support/q01.gold.json: {problem}. Correct it; `row3 lint` lists all that is wrong."
    ]
    assert (server.answered, len(server.judged)) == asked
    assert problem in base.row3("lint", code=2).out
    outputs = base.write("outputs.jsonl", '{"caseId": "q01", "output": "Well."}\n')
    assert problem in base.row3("score", "support", "--outputs", str(outputs), code=2).err


@pytest.mark.parametrize(
    "command", [(), ("--compare",), ("--dry-run", "--mode", "live"), ("leaderboard",)], ids=" ".join
)
@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ('judge = "helpfulnes"', "rubric `helpfulnes` not found: no prompts/helpfulnes-v*.md"),
        ('semantic = "well"', "`semantic` needs [suites.NAME.matching.semantic] in row3.toml"),
    ],
)
def test_a_check_in_the_settings_that_lacks_something_is_blamed_on_the_settings(
    base: Box, command: tuple[str, ...], check: str, problem: str
) -> None:
    base.write("row3.toml", f'{base.read("row3.toml")}\n[[suites.support.checks]]\ncontains = "well"\n')
    base.write("row3.toml", f"{base.read('row3.toml')}\n[[suites.support.checks]]\n{check}\n")
    assert base.row3(*command, code=2).errors == [
        f"error: row3.toml field suites.support.checks.1: {problem}. Correct it; `row3 lint` lists all that is wrong."
    ]
    assert "row3.toml" in base.row3("lint", code=2).out


def test_a_change_that_corrects_a_rubrics_name_is_judged(base: Box, server: JudgeServer) -> None:
    """The base's own faults stop nobody from mending them."""
    base.replace("golden/support/q01.gold.json", '{"judge": "helpfulness"}', '{"judge": "helpfulnes"}')
    base.commit("misspelt")
    base.git("branch", "-f", "main")
    base.replace("golden/support/q01.gold.json", '"helpfulnes"', '"helpfulness"')
    assert base.row3("--compare", "--against", "main").code in (0, 1)


def test_an_estimate_counts_the_judge_of_a_part_of_an_unknown_answer(box: Box, server: JudgeServer) -> None:
    """Whether the answer has anything at the path is not known before it is there."""
    for number in range(CASES):
        path = ["$.text", "$[0]", None][number % 3]
        check = {"judge": "helpfulness"} | ({"path": path} if path else {})
        case = {"id": f"q{number:02}", "input": f"New: question {number}", "checks": [check]}
        box.write(f"golden/support/q{number:02}.gold.json", json.dumps(case))
    plan = box.row3("--dry-run", "--mode", "live", "--format", "json", code=0).json
    assert plan["toSend"] == 2 * CASES
    twice = box.row3("--dry-run", "--mode", "live", "--repeats", "2", "--format", "json", code=0).json
    assert twice["toSend"] == 4 * CASES


def test_without_labels_no_calibration_is_proposed(box: Box) -> None:
    done = box.row3("judge", "label", stdin="q", code=0)
    assert "0 of 24 answers have a label" in done.out and "Next:" not in done.out
