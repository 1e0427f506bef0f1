"""Shipped verdicts beside a second reading: those of `outcome` by its labels, twelve of `memory-operations` by digest.

The reader was a language model. It wrote its grades from what the judge had been shown, before it saw a verdict.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from row3.commands.calibrate import RecordedGrades, calibrate, judge_of, judged_answers
from row3.domain.judges import Coefficient, JudgeRequest, Opinion
from row3.domain.runs import Tier
from row3.gate.agreement import kappa
from row3.kinds.judging import read_grade
from row3.kinds.outcome.judgement import GRADES
from row3.project.labels import read_labels
from row3.project.project import open_project
from row3.project.suites import Suite
from row3.running.asks import judge_request
from row3.running.replay import open_recordings

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "calibrations/outcome.labels.jsonl"
BEFORE = 40
"""The first labels were made before the rubric was clarified, on what they showed."""
READ = [json.loads(line) for line in (ROOT / "tests/data/verdicts_read.jsonl").read_text("utf-8").splitlines()]
SAME, BASELINE_FIRST, FULL_FIRST = "the same answer twice", "baseline first", "full first"


@cache
def page() -> str:
    return " ".join((ROOT / "docs/judge.md").read_text("utf-8").split())


@cache
def suite(name: str) -> Suite:
    return open_project(ROOT).suite(name, "replay")


@cache
def recorded(name: str) -> dict[str, dict[str, Any]]:
    """A suite's recorded verdicts by the digest of the request, in the order of the digests."""
    lines = [
        json.loads(line)
        for rubric in judge_of(suite(name)).rubrics.values()
        if (path := ROOT / f"recordings/{name}/{rubric.ref}.jsonl").exists()
        for line in path.read_text("utf-8").splitlines()
    ]
    return {line["digest"]: line for line in sorted(lines, key=lambda line: str(line["digest"]))}


@cache
def orders() -> dict[str, str]:
    """The order of the arms in each request of suite `outcome`, by its digest."""
    own, found = suite("outcome"), {}
    for answer in judged_answers(open_project(ROOT), own).values():
        shown = answer.graded.variables
        swapped = {**shown, "baseline": shown["full"], "full": shown["baseline"]}
        for order, variables in ((BASELINE_FIRST, shown), (FULL_FIRST, swapped)):
            request = judge_request(own, JudgeRequest(answer.graded.rubric, variables), answer.case_id)
            found[request.digest] = SAME if shown["baseline"] == shown["full"] else order
    return found


def points(line: dict[str, Any], who: str) -> float:
    """A grade's score from 0 to 100, by the rubric's weights."""
    verdict = read_grade(json.dumps(line[who]), judge_of(suite(line["suite"])).rubrics[line["rubric"]].criteria)
    assert not isinstance(verdict, str)
    assert verdict.score is not None
    return 100 * verdict.score


def as_text(found: Coefficient) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def test_of_each_case_the_lowest_digest_is_read_and_of_these_the_lowest() -> None:
    first: dict[str, str] = {}
    for digest, line in recorded("memory-operations").items():
        first.setdefault(line["caseId"], digest)
    assert {line["case"]: line["digest"] for line in READ} == dict(sorted(first.items(), key=lambda pair: pair[1])[:12])


def test_every_verdict_is_the_recorded_one() -> None:
    for line in READ:
        answer = recorded(line["suite"])[line["digest"]]
        assert answer["prompt"].startswith(f"{line['rubric']}-v")
        said = json.loads(answer["response"]["text"])
        assert line["judge"] == {name: said[name] for name in line["reader"]}


def test_where_the_two_differ_a_sentence_says_why() -> None:
    for line in READ:
        assert line["agrees"] is (line["reader"] == line["judge"])
        assert ("why" not in line) if line["agrees"] else line["why"].endswith(".")


def test_the_page_counts_what_was_read() -> None:
    person, judge = ([points(line, who) for line in READ] for who in ("reader", "judge"))
    equal = sum(line["agrees"] for line in READ)
    weighted = as_text(kappa(person, judge, "quadratic"))
    assert f"{equal} of {len(READ)} scores are equal, weighted kappa {weighted}" in page()
    assert f"{fmean(person) - fmean(judge):.1f} points" in page()
    assert min(person + judge) >= 70


@cache
def pairs() -> list[tuple[str, Opinion, Opinion]]:
    """Case, reader's label and judge's verdict of each labelled pair of suite `outcome`."""
    project, own = open_project(ROOT), suite("outcome")
    answers, grades = judged_answers(project, own), RecordedGrades(own, open_recordings(project, own))
    found = []
    for label in read_labels(LABELS, own.name, where="labels"):
        verdict = grades.opinion(answers[label.key])
        assert isinstance(verdict, Opinion)
        found.append((label.case_id, label.opinion(answers[label.key].graded), verdict))
    return found


def test_the_page_has_the_calibration_which_the_labels_give() -> None:
    project, own = open_project(ROOT), suite("outcome")
    (found,) = calibrate(project, own, LABELS, where="labels", write=False).rubrics
    saved = project.on_disk().calibrations("outcome").rubrics["judge-outcome"]
    assert saved.staleness(judge_of(own), "judge-outcome") == ""
    measured = found.warranty.figures
    assert (found.unmatched, found.ungraded, saved.labels) == (0, 0, len(pairs()))
    assert (saved.kappa, saved.winner_kappa, saved.accuracy) == (
        measured.kappa,
        measured.winner_kappa,
        measured.accuracy,
    )
    passing = sum(reader.passes == verdict.passes for _, reader, verdict in pairs())
    winner = sum(reader.winner == verdict.winner for _, reader, verdict in pairs())
    assert measured.kappa is not None
    assert measured.winner_kappa is not None
    many = len(pairs())
    assert f"| `full` passes | {passing} of {many} | {as_text(measured.kappa)} |" in page()
    assert f"| who wins | {winner} of {many} | {as_text(measured.winner_kappa)} |" in page()


def test_the_page_tells_apart_the_labels_that_came_before_the_rubric_and_those_that_came_after() -> None:
    for which, opinions in (
        ("these forty", pairs()[:BEFORE]),
        (f"{len(pairs()) - BEFORE} read after", pairs()[BEFORE:]),
    ):
        reader, judge = zip(*((reader.passes, verdict.passes) for _, reader, verdict in opinions), strict=True)
        found = kappa([*map(float, reader)], [*map(float, judge)], "none")
        assert f"{as_text(found)} on {which}" in page()
    kinder = [case for case, reader, verdict in pairs() if verdict.passes and not reader.passes]
    assert f"The judge passes {len(kinder)} answers that the reader fails" in page()


def test_the_page_says_how_often_the_reader_prefers_an_arm() -> None:
    wins = [
        sum(opinion.winner == "full" for opinion in who) for who in zip(*(pair[1:] for pair in pairs()), strict=True)
    ]
    assert f"the reader sees `full` win {wins[0]}, the judge {wins[1]}" in page()
    assert not [case for case, reader, verdict in pairs() if "baseline" in (reader.winner, verdict.winner)]


def test_the_page_counts_the_grades_that_move_with_the_order() -> None:
    by_case: dict[str, list[Any]] = {}
    for digest, line in recorded("outcome").items():
        said = json.loads(line["response"]["text"])
        arms = [[said[arm][name] for name in GRADES] for arm in ("baseline", "full")]
        if (order := orders()[digest]) != SAME:
            by_case.setdefault(line["caseId"], []).append(arms[::-1] if order == FULL_FIRST else arms)
    moved = sum(one != other for one, other in by_case.values())
    assert f"in {moved} of {len(by_case)} cases" in page()


def test_the_shipped_suite_blocks() -> None:
    """V7.1: "gate releases if value win rate drops or hallucinations rise"."""
    for tier in get_args(Tier):
        policy = open_project(ROOT).suite("outcome", tier).policy
        assert not policy.held
        assert {"valueWinRate", "hallucinationRate"} <= {*policy.metrics}
