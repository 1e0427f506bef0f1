"""Kind `outcome`: V7.1's rubric, evidence checked by code, both orders, and judgements made elsewhere."""

from __future__ import annotations

import json
from typing import Any

from row3.domain.asks import Ask, finish
from row3.domain.judges import JudgeRequest, JudgeRules
from row3.domain.prompts import Prompt, PromptRef, Version
from row3.domain.requests import Answer, NoAnswer
from row3.domain.scores import CaseScore
from row3.kinds.answers import Unusable
from row3.kinds.base import Rules
from row3.kinds.outcome.judgement import check_evidence, read_judgement, rule, variables_of, winner
from row3.kinds.outcome.model import AnswerOut, Citation, Grades, Judgement, OutcomeCase
from row3.kinds.outcome.score import KIND
from row3.matching.text.quotes import SourceText
from tests.rows import every_row
from tests.scoring import case_of

CASE = case_of(
    OutcomeCase,
    {
        "id": "ve_001",
        "question": "What has Bob to do?",
        "required_facts": [
            {
                "fact_id": "api",
                "claim": "Bob completes the API refactor by March 25th",
                "must_cite": [{"doc": "meetings/meeting_001.txt", "quote_contains": "API refactor by March 25th"}],
            }
        ],
        "forbidden_claims": ["Bob writes the docs"],
    },
)
DOCUMENTS = {"meeting_001": SourceText("Minutes.\nBob: Complete API refactor by March 25th.\nAnn: nothing.")}
QUOTE = {"doc": "meeting_001", "quote": "Bob: Complete API refactor by March 25th."}
GOOD = {"answer": "The API refactor by March 25th.", "citations": [QUOTE]}
BARE = {"answer": "The API refactor.", "citations": []}
RUBRIC = Prompt(PromptRef("judge-outcome", Version(1, 0)), "", "judgement", {}, "", "d", "", "prompts/x.md")


def arm(c: int, p: int, e: int, h: int) -> dict[str, Any]:
    grades = {"correctness": c, "completeness": p, "evidence": e, "hallucination": h}
    return grades | {"missing_facts": [], "unsupported_claims": []}


def judgement(baseline: dict[str, Any], full: dict[str, Any], *, says: bool = True) -> dict[str, Any]:
    delta = {"full_beats_baseline": says, "notes": "n"}
    return {"case_id": "ve_001", "baseline": baseline, "full": full, "delta": delta}


def scored(output: dict[str, Any], judge: Any = None, case: OutcomeCase = CASE) -> CaseScore:
    rules = Rules(judge=JudgeRules(("m",), 1, 0.0, {"judge-outcome": RUBRIC}), documents=DOCUMENTS)

    def reply(ask: Ask) -> Any:
        assert isinstance(ask, JudgeRequest)
        return judge(ask.variables)

    read = KIND.read_output(output)
    assert not isinstance(read, Unusable), read
    return finish(KIND.score(case, read.value, rules), reply)


@every_row(
    ("baseline", "full", "wins"),
    [
        ((1, 1, 0, 2), (2, 2, 2, 2), "full"),
        ((2, 2, 2, 2), (2, 2, 2, 2), None),
        ((1, 2, 0, 2), (2, 2, 2, 1), None),
        ((2, 2, 2, 1), (1, 1, 2, 1), "baseline"),
        ((2, 1, 0, 1), (2, 2, 0, 2), "full"),
        ((0, 2, 2, 2), (2, 0, 0, 2), None),
    ],
)
def test_who_wins(baseline: tuple[int, ...], full: tuple[int, ...], wins: str | None) -> None:
    assert winner(Judgement(Grades(*baseline), Grades(*full), None)) == wins


def test_a_judgement_made_elsewhere_is_scored_without_a_model() -> None:
    score = scored({"baseline": BARE, "full": GOOD, "judgement": judgement(arm(1, 1, 0, 2), arm(2, 2, 0, 2))})
    assert score.metrics == {
        "passRate": 1.0,  # evidence is code's, 2, whatever the judge says
        "evidenceRate": 1.0,
        "hallucinationRate": 0.0,
        "valueWinRate": 1.0,
        "moreFactsProven": 1.0,
        "baselineHallucinationRate": 0.0,
        "ties": 0.0,
    }


def test_the_judges_own_verdict_does_not_count() -> None:
    said = judgement(arm(2, 2, 2, 2), arm(1, 1, 2, 2), says=True)
    assert scored({"baseline": GOOD, "full": GOOD, "judgement": said}).metrics["valueWinRate"] == 0.0


@every_row(
    ("citation", "proven"),
    [
        (QUOTE, True),
        (QUOTE | {"doc": "meetings/meeting_001.txt"}, True),
        (QUOTE | {"doc": "meeting_002"}, False),
        (QUOTE | {"quote": "Bob: Complete API refactor by March 26th."}, False),
        (QUOTE | {"quote": "API refactor by March 25th, said Bob"}, False),
        (QUOTE | {"quote": "Ann: nothing."}, False),
        (QUOTE | {"quote": ""}, False),
        (QUOTE | {"quote": DOCUMENTS["meeting_001"].text}, False),
        (QUOTE | {"quote": "Minutes. Bob: Complete API refactor by March 25th. Ann:"}, False),
    ],
)
def test_evidence_is_a_quote_that_occurs_and_contains_the_required_text(citation: dict[str, str], proven: bool) -> None:
    output = {"baseline": BARE, "full": {"answer": "x", "citations": [citation]}}
    said = judgement(arm(1, 1, 0, 2), arm(2, 2, 2, 2))
    score = scored({**output, "judgement": said})
    assert score.metrics["evidenceRate"] == float(proven)
    assert score.metrics["passRate"] == float(proven)


def test_the_judge_is_asked_in_both_orders_and_the_lower_grades_count() -> None:
    seen = []

    def judge(variables: dict[str, Any]) -> Answer:
        seen.append(variables["baseline"]["answer"])
        good = variables["full"]["answer"] == GOOD["answer"]
        first, second = (arm(1, 1, 0, 2), arm(2, 2, 2, 2)) if good else (arm(2, 1, 2, 2), arm(1, 1, 0, 2))
        return Answer(json.dumps(judgement(first, second)))

    score = scored({"baseline": BARE, "full": GOOD}, judge)
    assert seen == [BARE["answer"], GOOD["answer"]]
    assert score.metrics["valueWinRate"] == 1.0 and score.metrics["positionBias"] == 0.0
    assert score.explanation.items[1].notes["completeness"] == 1


def test_a_judge_with_position_bias_makes_a_tie() -> None:
    score = scored(
        {"baseline": BARE, "full": GOOD},
        lambda _: Answer(json.dumps(judgement(arm(1, 1, 0, 2), arm(2, 2, 2, 2)))),
    )
    assert (score.metrics["ties"], score.metrics["positionBias"], score.metrics["valueWinRate"]) == (1.0, 1.0, 0.0)
    assert score.explanation.items[1].notes["votes"] == [{"baselineFirst": "full", "fullFirst": "baseline"}]


FULL_WINS = judgement(arm(1, 0, 2, 2), arm(0, 2, 2, 2))
FULL_WINS_TOO = judgement(arm(1, 0, 2, 2), arm(2, 0, 2, 2))
TIE = judgement(arm(1, 1, 2, 2), arm(1, 1, 2, 2))


@every_row(
    ("votes", "winner", "flipped"),
    [
        # The lower grades of both orders would let the baseline win, which neither says.
        ([(FULL_WINS, FULL_WINS_TOO)], "full", False),
        ([(FULL_WINS, TIE)], None, True),
        ([(TIE, TIE)], None, False),
        ([(FULL_WINS, FULL_WINS), (FULL_WINS, FULL_WINS), (TIE, FULL_WINS)], "full", False),
        ([(FULL_WINS, FULL_WINS), (TIE, FULL_WINS), (TIE, FULL_WINS)], None, True),
        ([(FULL_WINS, FULL_WINS), (TIE, TIE)], None, False),
    ],
)
def test_an_arm_wins_in_both_orders_and_by_more_than_half_of_the_votes(
    votes: list[tuple[Any, Any]], winner: str | None, flipped: bool
) -> None:
    read = [[read_judgement(said, CASE) for said in orders] for orders in votes]
    ruling = rule([[each for each in orders if not isinstance(each, str)] for orders in read])
    assert (ruling.winner, ruling.flipped) == (winner, flipped)


@every_row(
    "said",
    [
        "prose",
        judgement(arm(1, 1, 1, 1) | {"missing_facts": [{"fact": 1}]}, arm(1, 1, 1, 1)),
        {"baseline": arm(1, 1, 1, 1)},
        judgement(arm(1, 1, 1, 3), arm(1, 1, 1, 1)),
        judgement(arm(1, 1, 1, 1) | {"missing_facts": ["nobody"]}, arm(1, 1, 1, 1)),
    ],
)
def test_an_unreadable_judgement_fails_and_evidence_still_counts(said: Any) -> None:
    assert isinstance(read_judgement(said, CASE), str)
    score = scored({"baseline": BARE, "full": GOOD, "judgement": said})
    assert score.metrics == {"evidenceRate": 1.0, "moreFactsProven": 1.0}
    assert score.tally["judgements"] == {"failed": 1}


def test_a_judge_without_an_answer_fails() -> None:
    score = scored({"baseline": BARE, "full": GOOD}, lambda _: NoAnswer("timed out"))
    assert "valueWinRate" not in score.metrics
    assert [(item.state, item.score) for item in score.explanation.items] == [("not-judged", 0.5)] * 2


def test_a_question_the_documents_do_not_answer() -> None:
    case = case_of(OutcomeCase, {"id": "no", "question": "?", "forbidden_claims": ["x"]})
    said = judgement(arm(0, 0, 2, 0), arm(2, 2, 2, 2))
    score = scored({"baseline": BARE, "full": BARE, "judgement": said}, case=case)
    assert score.metrics["passRate"] == 1.0
    assert score.skipped["evidenceRate"] == "no facts are required"


@every_row("output", ["prose", {"baseline": BARE}, {"baseline": BARE, "full": 3}])
def test_an_output_without_two_answers_is_unusable(output: Any) -> None:
    assert isinstance(KIND.read_output(output), Unusable)


CITED = {"doc": "meeting_001.txt", "quote_contains": "API refactor"}


def test_lint_reports_missing_evidence() -> None:
    def rules_broken(cite: list[Any]) -> list[str]:
        fact = {"fact_id": "a", "claim": "c", "must_cite": cite}
        case = case_of(OutcomeCase, {"id": "x", "question": "?", "required_facts": [fact]})
        return [found.rule for found in KIND.lint.case(case, Rules(documents=DOCUMENTS))]

    assert rules_broken([]) == ["no-evidence"]
    assert rules_broken([{"doc": "meeting_009", "quote_contains": "x"}]) == ["no-document"]
    assert rules_broken([{"doc": "meeting_001.txt", "quote_contains": "API refactor by June"}]) == ["quote-not-found"]
    assert rules_broken([{"doc": "meeting_001.txt", "quote_contains": "API refactor"}]) == []
    assert rules_broken([[]]) == ["no-evidence"]
    said = CITED
    assert rules_broken([[said, said | {"doc": "meeting_009"}]]) == ["no-document"]
    assert rules_broken([[said, said | {"quote_contains": "API rewrite"}]]) == ["quote-not-found"]
    assert rules_broken([[said, said | {"quote_contains": "Ann: nothing."}], said]) == []


@every_row(
    ("cite", "path"),
    [
        ([{"doc": "meeting_009", "quote_contains": "x"}], (0,)),
        ([CITED, [CITED | {"doc": "meeting_009"}]], (1, 0)),
        ([[CITED, CITED | {"quote_contains": "API rewrite"}]], (0, 1)),
        ([CITED, [CITED, CITED, CITED | {"doc": "meeting_009"}]], (1, 2)),
    ],
)
def test_lint_points_at_the_evidence_that_is_wrong(cite: list[Any], path: tuple[int, ...]) -> None:
    facts = [{"fact_id": name, "claim": name, "must_cite": each} for name, each in (("a", [CITED]), ("b", cite))]
    case = case_of(OutcomeCase, {"id": "x", "question": "?", "required_facts": facts})
    (found,) = KIND.lint.case(case, Rules(documents=DOCUMENTS))
    assert found.path == ("required_facts", 1, "must_cite", *path)


NEEDED = {"doc": "meetings/meeting_001.txt", "quote_contains": "API refactor by March 25th"}
ELSEWHERE = {"doc": "email_001", "quote_contains": "refactor is due on the 25th"}
TWO_DOCUMENTS = {**DOCUMENTS, "email_001": SourceText("Bob, your refactor is due on the 25th. Ann, nothing.")}


def citing(*must_cite: Any) -> OutcomeCase:
    fact = {"fact_id": "api", "claim": "Bob completes the API refactor", "must_cite": [*must_cite]}
    return case_of(OutcomeCase, {"id": "ve_001", "question": "?", "required_facts": [fact]})


@every_row(
    ("citations", "reason"),
    [
        ([QUOTE], ""),
        ([{"doc": "email_001", "quote": "your refactor is due on the 25th"}], ""),
        ([QUOTE, {"doc": "email_001", "quote": "Ann, nothing."}], ""),
        ([{"doc": "email_001", "quote": "Ann, nothing."}], "no valid quote from meetings/meeting_001.txt or email_001"),
        ([], "no valid quote from meetings/meeting_001.txt or email_001"),
        ([QUOTE | {"doc": "email_001"}], "no valid quote from meetings/meeting_001.txt or email_001"),
    ],
)
def test_any_alternative_proves_a_fact(citations: list[Any], reason: str) -> None:
    answer = AnswerOut(answer="a", citations=[Citation(**each) for each in citations])
    assert check_evidence(citing([NEEDED, ELSEWHERE]), answer, TWO_DOCUMENTS) == [reason]


def test_passages_that_are_no_alternatives_are_all_needed() -> None:
    answer = AnswerOut(answer="a", citations=[Citation(**QUOTE)])
    assert check_evidence(citing(NEEDED, ELSEWHERE), answer, TWO_DOCUMENTS) == ["no valid quote from email_001"]


def test_a_judge_sees_the_alternatives_and_their_documents() -> None:
    empty = AnswerOut(answer="a")

    def seen(*must_cite: Any) -> Any:
        return variables_of(citing(*must_cite), empty, empty, TWO_DOCUMENTS)

    shown = seen([NEEDED, ELSEWHERE])
    assert shown["required_facts"][0]["must_cite"] == ["meetings/meeting_001.txt or email_001"]
    assert [each["doc"] for each in shown["documents"]] == ["email_001", "meeting_001"]
    assert seen(NEEDED, ELSEWHERE)["required_facts"][0]["must_cite"] == ["meetings/meeting_001.txt", "email_001"]
    assert seen([NEEDED]) == seen(NEEDED)


def test_alternatives_change_what_a_case_demands() -> None:
    def demanded(*must_cite: Any) -> Any:
        return [each.facts["must_cite"] for each in KIND.expected(citing(*must_cite))]

    assert demanded([NEEDED]) == demanded(NEEDED)
    assert len({*demanded(NEEDED), *demanded(NEEDED, ELSEWHERE), *demanded([NEEDED, ELSEWHERE])}) == 3
