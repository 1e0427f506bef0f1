"""Forty recorded verdicts beside a second reading: chosen by digest, quoted as recorded, counted in docs/judge.md.

The reader was a language model. It wrote its grades from what the judge had been shown, before it saw a verdict.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from row3.commands.judging.judged_answers import judge_of, judged_answers
from row3.domain.judges import Coefficient, JudgeRequest
from row3.domain.manifests import Tier
from row3.gate.agreement import kappa
from row3.kinds.judging import read_grade
from row3.kinds.outcome.judgement import GRADES, winner
from row3.kinds.outcome.model import Grades, Judgement
from row3.project.project import open_project
from row3.project.suites import Suite
from row3.running.asks import judge_request

ROOT = Path(__file__).parents[2]
READ = [json.loads(line) for line in (ROOT / "tests/data/verdicts_read.jsonl").read_text("utf-8").splitlines()]
PAIRS = [line for line in READ if line["suite"] == "outcome"]
GRADED = [line for line in READ if line["suite"] != "outcome"]
CHOSEN = {"outcome": 28, "memory-operations": 12}
PLACES = ("first", "second")
SAME, BASELINE_FIRST, FULL_FIRST = "the same answer twice", "baseline first", "full first"


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


def grades(verdict: dict[str, dict[str, int]], place: str) -> Grades:
    correctness, completeness, evidence, hallucination = (verdict[place][name] for name in GRADES)
    return Grades(correctness, completeness, evidence, hallucination)


def points(line: dict[str, Any], who: str) -> float:
    """A grade's score from 0 to 100, by the rubric's weights."""
    verdict = read_grade(json.dumps(line[who]), judge_of(suite(line["suite"])).rubrics[line["rubric"]].criteria)
    assert not isinstance(verdict, str)
    assert verdict.score is not None
    return 100 * verdict.score


def as_text(found: Coefficient) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def test_of_each_case_the_lowest_digest_is_read_and_of_these_the_lowest() -> None:
    for name, many in CHOSEN.items():
        first: dict[str, str] = {}
        for digest, line in recorded(name).items():
            first.setdefault(line["caseId"], digest)
        read = {line["case"]: line["digest"] for line in READ if line["suite"] == name}
        assert read == dict(sorted(first.items(), key=lambda pair: pair[1])[:many])


def test_every_verdict_is_the_recorded_one() -> None:
    for line in READ:
        answer = recorded(line["suite"])[line["digest"]]
        assert answer["prompt"].startswith(f"{line['rubric']}-v")
        said = json.loads(answer["response"]["text"])
        if line["suite"] == "outcome":
            assert line["order"] == orders()[line["digest"]]
            said = {"first": said["baseline"], "second": said["full"]}
            assert line["judge"] == {place: {name: said[place][name] for name in GRADES} for place in PLACES}
        else:
            assert line["judge"] == {name: said[name] for name in line["reader"]}


def test_where_the_two_differ_a_sentence_says_why() -> None:
    for line in READ:
        assert line["agrees"] is (line["reader"] == line["judge"])
        assert ("why" not in line) if line["agrees"] else line["why"].endswith(".")


def test_the_page_counts_what_was_read() -> None:
    page = " ".join((ROOT / "docs/judge.md").read_text("utf-8").split())
    rows = []
    for name in GRADES:
        person, judge = ([line[who]["first"][name] for line in PAIRS] for who in ("reader", "judge"))
        # Both arms got the same grades throughout, so an arm is one observation and not two.
        assert [line[who]["second"][name] for who in ("reader", "judge") for line in PAIRS] == person + judge
        found = as_text(kappa(person, judge)) if len(set(person)) > 1 else "none: the reader gave one grade"
        rows.append(f"| {name} | {sum(map(int.__eq__, person, judge))} of {len(PAIRS)} | {found} |")
    person_points, judge_points = ([points(line, who) for line in GRADED] for who in ("reader", "judge"))
    equal = sum(line["agrees"] for line in GRADED)
    weighted = as_text(kappa(person_points, judge_points, "quadratic"))
    rows.append(f"| scores, 0 to 100 | {equal} of {len(GRADED)} | {weighted}, weighted |")
    assert " ".join(rows) in page
    assert f"{fmean(person_points) - fmean(judge_points):.1f} points" in page
    assert min(person_points + judge_points) >= 70
    assert "Every pair ties" in page
    for line in PAIRS:
        for who in ("reader", "judge"):
            assert winner(Judgement(grades(line[who], "first"), grades(line[who], "second"), None)) is None


def test_the_page_counts_the_grades_that_move_with_the_order() -> None:
    by_case: dict[str, list[Any]] = {}
    for digest, line in recorded("outcome").items():
        said = json.loads(line["response"]["text"])
        arms = [[said[arm][name] for name in GRADES] for arm in ("baseline", "full")]
        if (order := orders()[digest]) != SAME:
            by_case.setdefault(line["caseId"], []).append(arms[::-1] if order == FULL_FIRST else arms)
    moved = sum(one != other for one, other in by_case.values())
    page = " ".join((ROOT / "docs/judge.md").read_text("utf-8").split())
    assert f"in {moved} of {len(by_case)} cases" in page


def test_the_shipped_suite_blocks_by_verdicts_that_nobody_has_labelled() -> None:
    """V7.1: "gate releases if value win rate drops or hallucinations rise"."""
    for tier in get_args(Tier):
        policy = open_project(ROOT).suite("outcome", tier).policy
        assert not policy.held
        assert {"valueWinRate", "hallucinationRate"} <= {*policy.metrics}
