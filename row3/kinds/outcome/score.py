"""Kind `outcome`: does the full system answer better than the simple one, with evidence? (V7.1)"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from row3.domain.asks import Ask
from row3.domain.judges import NEUTRAL, Graded, Judging, Opinion, Winner
from row3.domain.matches import ItemExpectation, ItemMatch, Items
from row3.domain.requests import digest_json
from row3.domain.scores import CaseScore, Metric, Threshold
from row3.kinds.answers import Parsed, Unusable, named_fault, read_json
from row3.kinds.base import Finding, Judgeable, Kind, Lint, Measured, Rules, lint_error, lint_twice, lint_warning
from row3.kinds.demands import Expected
from row3.kinds.found import Found
from row3.kinds.judging import WINNERS, judged_tally
from row3.kinds.mistakes import Mistake, Mistakes
from row3.kinds.outcome.judgement import (
    GRADES,
    JUDGEMENT_SCHEMA,
    RUBRIC,
    Ruling,
    ask_judge,
    check_evidence,
    document,
    evidence_grade,
    read_judgement,
    rule,
    variables_of,
    with_evidence,
)
from row3.kinds.outcome.model import ARMS, AnswerOut, Arm, Citation, Evidence, Fact, Outcome, OutcomeCase
from row3.kinds.outputs import NO_FIELDS, Fields, answer_values, fit
from row3.matching.normalise import normalise_text
from row3.matching.text.quotes import SourceText

METRICS = (
    Metric("passRate", "Cases passed", share=True, threshold=Threshold(0.60, 0.80, 0.95, blocking=False)),
    Metric("evidenceRate", "Evidence", share=True, threshold=Threshold(0.60, 0.80, 0.95, blocking=False)),
    Metric(
        "hallucinationRate",
        "Hallucination",
        higher_is_better=False,
        share=True,
        threshold=Threshold(0.10, 0.05, 0.0, blocking=False),
    ),
    Metric(
        "valueWinRate",
        "Value win rate",
        share=True,
        threshold=Threshold(0.20, 0.40, 0.60, blocking=False),
        explained_by="moreFactsProven",
    ),
    Metric("moreFactsProven", "More facts proven than by the baseline", share=True, companion=True),
    Metric(
        "baselineHallucinationRate", "Hallucination of the baseline", higher_is_better=False, share=True, companion=True
    ),
    Metric("ties", "Ties", share=True, companion=True),
    Metric("positionBias", "Judgements that flip with the order", higher_is_better=False, share=True, companion=True),
)


def _lint(case: OutcomeCase, rules: Rules) -> Iterator[Finding]:
    """Check that every fact has a unique id, and evidence that occurs in its document."""
    yield from lint_twice("fact-twice", [fact.fact_id for fact in case.required_facts], "required_facts", "fact_id")
    for at, fact in enumerate(case.required_facts):
        place = ("required_facts", at)
        if not fact.must_cite or not all(fact.needed):
            yield lint_error("no-evidence", f"`{fact.fact_id}` names no evidence in `must_cite`", (*place, "must_cite"))
        for number, cited in enumerate(fact.must_cite):
            for alternative, needed in enumerate(fact.needed[number]):
                text = document(rules.documents, needed.doc)
                inside = (number, alternative) if isinstance(cited, list) else (number,)
                where = (*place, "must_cite", *inside)
                if text is None:
                    yield lint_error("no-document", f"document `{needed.doc}` does not exist", where)
                elif normalise_text(needed.quote_contains) not in normalise_text(text.text):
                    message = f"`{needed.quote_contains}` does not occur in `{needed.doc}`"
                    yield lint_error("quote-not-found", message, where)
    claims = {normalise_text(fact.claim) for fact in case.required_facts}
    for at, claim in enumerate(case.forbidden_claims):
        if normalise_text(claim) in claims:
            yield lint_error("contradiction", "forbidden, and also a required fact", ("forbidden_claims", at))
    if not case.required_facts and not case.forbidden_claims:
        yield lint_warning("nothing-asked", "the case requires no fact and forbids no claim")


def _lint_suite(cases: Sequence[OutcomeCase]) -> Iterator[Finding]:
    """Check that some of eight or more questions have no answer in the documents."""
    if len(cases) >= 8 and all(case.required_facts for case in cases):
        message = "every question has an answer; add some that have none"
        yield lint_warning("no-negatives", message, setting="standards")


def _parts(case: OutcomeCase, output: Outcome, rules: Rules) -> Iterator[tuple[Graded, Judging]]:
    """Yield both answers, which are judged together, with a generator that asks again."""
    yield _graded(case, output.answers, rules), _opinion(case, output.answers, rules)


def _example() -> Mapping[str, Any]:
    """Return the variables for an example with one fact, one document and one citation."""
    cited = Evidence(doc="example.txt", quote_contains="example")
    case = OutcomeCase(
        id="example",
        question="example",
        required_facts=[Fact(fact_id="example", claim="example", must_cite=[cited])],
        forbidden_claims=["example"],
    )
    answer = AnswerOut(answer="example", citations=[Citation(doc="example.txt", quote="example")])
    return variables_of(case, answer, answer, {"example": SourceText("example")})


def _lacks(case: OutcomeCase, rules: Rules) -> str:
    """Return that the suite lacks the rubric by which answers are compared, if it does."""
    known = rules.judge is not None and RUBRIC in rules.judge.rubrics
    return "" if known else f"rubric `{RUBRIC}` not found: no prompts/{RUBRIC}-v*.md"


class Outcomes(Kind):
    """Scores `{"baseline", "full", "judgement"}`: two answers with citations, and V7.1's judgement of them."""

    name = "outcome"
    version = 4
    case_model = OutcomeCase
    metrics = METRICS
    outputs: Mapping[str, type[Any]] = {"found": Found, "cited-answer": AnswerOut}
    lint = Lint(_lint, _lint_suite)
    judgeable = Judgeable(
        rubrics=frozenset({"judgement"}),
        metrics=frozenset({"passRate", "hallucinationRate", "valueWinRate"}),
        schema=lambda rubric: JUDGEMENT_SCHEMA,
        example=_example,
        graded=_parts,
        asks=lambda case, rules: True,
        lacks=_lacks,
    )
    settings = frozenset({"arms", "documents", "fields", "judge"})
    graded_as = "systems"
    arms = ARMS

    def signature(self, rules: Rules) -> str:
        """Return the scorer, the documents and the judge."""
        documents = digest_json({name: text.text for name, text in rules.documents.items()})[:16]
        judge = "" if rules.judge is None else f" {rules.judge.signature}"
        return f"{self.name}/{self.version} documents {documents}{judge}"

    def read_output(self, value: Any, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Parse two answers made elsewhere, with their judgement if it is given."""
        if isinstance(value, str):
            read = read_json(value)
            if isinstance(read, Unusable):
                return read
            value = read.value
        if not isinstance(value, dict):
            return Unusable("the output is not an object with `baseline` and `full`")
        answers: dict[Arm, AnswerOut] = {}
        for arm in ARMS:
            if arm not in value:
                return Unusable(f"the output has no `{arm}`")
            found = fit(AnswerOut, value[arm], fields=fields)
            if isinstance(found, Unusable):
                return Unusable(f"`{arm}`: {found.reason}")
            answers[arm] = found.value
        return Parsed(Outcome(answers["baseline"], answers["full"], value.get("judgement")))

    def combine(self, outputs: Mapping[str, Any]) -> Outcome:
        """Return both arms' answers."""
        return Outcome(*(outputs[arm][self.whole] for arm in ARMS))

    def measure(self, case: OutcomeCase, output: Outcome, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Check the evidence, and ask the judge in both orders unless a judgement came with the answers."""
        answers = output.answers
        unproven = {arm: check_evidence(case, answers[arm], rules.documents) for arm in ARMS}
        if output.judgement is None:
            ruling = yield from ask_judge(rules.judge, case, answers, rules.documents)
        else:
            read = read_judgement(output.judgement, case)
            ruling = read if isinstance(read, str) else rule([[read]])
        lacking = {arm: sum(map(bool, unproven[arm])) for arm in ARMS}
        values = {"moreFactsProven": float(lacking["full"] < lacking["baseline"])}
        skipped: dict[str, str] = {}
        if case.required_facts:
            values["evidenceRate"] = float(not any(unproven["full"]))
        else:
            skipped["evidenceRate"] = "no facts are required"
        if isinstance(ruling, str):
            graded = (m.key for m in METRICS if m.key not in ("evidenceRate", "moreFactsProven"))
            skipped |= dict.fromkeys(graded, "without a judgement")
            failed = {"judgements": {"failed": 1}, "unscored": {ruling: 1}}
            return Measured(_items(case, output, ruling, unproven["full"]), {}, values, skipped, tally=failed)
        ruling = with_evidence(ruling, {arm: evidence_grade(unproven[arm]) for arm in ARMS})
        full, baseline = ruling.judgement.full, ruling.judgement.baseline
        values |= {
            "passRate": float(ruling.passes),
            "hallucinationRate": float(full.hallucination < 2),
            "valueWinRate": float(ruling.winner == "full"),
            "baselineHallucinationRate": float(baseline.hallucination < 2),
            "ties": float(ruling.winner is None),
        }
        won: Winner = ruling.winner or "tie"
        tally: dict[str, dict[str, int]] = {"judgements": {"given": 1}, WINNERS: {won: 1}}
        if output.judgement is None:
            values["positionBias"] = float(ruling.flipped)
            tally |= judged_tally(rules.judge, [(_graded(case, answers, rules), ruling.passes)], won)
        return Measured(_items(case, output, ruling, unproven["full"]), {}, values, skipped, tally=tally)

    def bad_answer(self, case: OutcomeCase, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return the worst value of every headline metric: a missing answer loses."""
        worst = {"passRate": 0.0, "hallucinationRate": 0.0, "valueWinRate": 0.0}
        if case.required_facts:
            worst["evidenceRate"] = 0.0
        items = _items(case, Outcome(AnswerOut(answer=""), AnswerOut(answer="")), reason, None)
        tally = named_fault(reason)
        return CaseScore(case.id, "bad_answer", worst, {}, {}, items, problem=reason, raw=raw, tally=tally)

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return the facts that `full` does not prove, and its unsupported claims."""
        found: Items | None = score.explanation
        if found is None:
            return {}
        claims = next((item.notes.get("unsupportedClaims", ()) for item in found.items if item.label == "full"), ())
        missed = tuple(each.label for each in found.expected if each.found_by is None)
        lists = {"missedFacts": missed, "wrongClaims": tuple(claims)}
        return {name: lines for name, lines in lists.items() if lines}

    def mistakes(self, case: OutcomeCase, score: CaseScore, rules: Rules) -> Mistakes:
        """Return the facts that `full` does not prove, its unsupported claims, and a tie or loss."""
        found: Items = score.explanation
        full = next(item for item in found.items if item.label == "full")
        lost = [each for each in found.expected if each.found_by is None]
        mistakes = [Mistake("missed", each.label, note=str(each.notes["reason"])) for each in lost]
        mistakes += [Mistake("claim", claim) for claim in full.notes.get("unsupportedClaims", ())]
        if full.state != "won":
            mistakes.append(
                Mistake(full.state, full.label, note=full.notes.get("judgeNotes") or full.notes.get("reason", ""))
            )
        return Mistakes(tuple(mistakes), {"missed": len(found.expected), "wrong": 1, "evidence": 1})

    def expected(self, case: OutcomeCase) -> Iterator[Expected]:
        """Yield every required fact with its evidence, and every forbidden claim."""
        for fact in case.required_facts:
            cites = [[text for one in each for text in (one.doc, one.quote_contains)] for each in fact.needed]
            facts = {"claim": fact.claim, "must_cite": digest_json(cites)}
            yield Expected("fact", fact.fact_id, facts, (fact.claim,))
        for claim in case.forbidden_claims:
            yield Expected("forbidden", claim, forbidden=True)


def _graded(case: OutcomeCase, answers: Mapping[Arm, AnswerOut], rules: Rules) -> Graded:
    variables = variables_of(case, answers["baseline"], answers["full"], rules.documents)
    return Graded(RUBRIC, variables, 1.0, len(answers["full"].answer) - len(answers["baseline"].answer))


def _opinion(case: OutcomeCase, answers: Mapping[Arm, AnswerOut], rules: Rules) -> Judging:
    ruling = yield from ask_judge(rules.judge, case, answers, rules.documents)
    if isinstance(ruling, str):
        return ruling
    evidence = {arm: evidence_grade(check_evidence(case, answers[arm], rules.documents)) for arm in ARMS}
    ruling = with_evidence(ruling, evidence)
    return Opinion(100.0 * ruling.passes, ruling.passes, ruling.winner or "tie", ruling.flipped, ruling.judgement.notes)


def _items(case: OutcomeCase, output: Outcome, ruling: Ruling | str, unproven: Sequence[str] | None) -> Items:
    """Return both arms with their grades as items, and every required fact with whether `full` proves it."""
    items = []
    orders = ("baselineFirst", "fullFirst")
    for arm, answer in output.answers.items():
        notes: dict[str, Any] = {"answer": answer.answer, "citations": answer_values(answer.citations)}
        if isinstance(ruling, str):
            items.append(ItemMatch(arm, "not-judged", None, NEUTRAL, notes | {"reason": ruling}))
            continue
        grades = getattr(ruling.judgement, arm)
        notes |= {name: getattr(grades, name) for name in GRADES}
        notes |= {"missingFacts": list(grades.missing_facts), "unsupportedClaims": list(grades.unsupported_claims)}
        state = "tie" if ruling.winner is None else "won" if ruling.winner == arm else "lost"
        items.append(ItemMatch(arm, state, None, (grades.correctness + grades.completeness) / 4, notes))
    if not isinstance(ruling, str):
        said = {"judgeSaysFullWins": ruling.judgement.claims_full_wins, "judgeNotes": ruling.judgement.notes}
        votes = [dict(zip(orders, (arm or "tie" for arm in each), strict=True)) for each in ruling.winners if each[1:]]
        items[1] = items[1]._replace(notes={**items[1].notes, **said, "flipped": ruling.flipped, "votes": votes})
    expected = []
    for at, fact in enumerate(case.required_facts):
        reason = "" if unproven is None else unproven[at]
        proven = unproven is not None and not reason
        notes = {"factId": fact.fact_id, "reason": reason}
        expected.append(ItemExpectation(fact.claim, "full" if proven else None, None, float(proven), notes))
    return Items(tuple(items), tuple(expected), frozenset({"won", "tie", "not-judged"}))


KIND = Outcomes()
