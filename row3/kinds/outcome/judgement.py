"""What decides an outcome: evidence, which code checks, and a judge's grades of both arms, asked in both orders."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from statistics import median_low
from typing import Any, NamedTuple

from row3.domain.judges import NO_MODEL, NO_RUBRIC, JudgeRequest, JudgeRules
from row3.domain.requests import Answer, NoAnswer
from row3.kinds.answers import Unusable, read_json
from row3.kinds.judging import notes
from row3.kinds.outcome.model import ARMS, AnswerOut, Arm, Grades, Judgement, OutcomeCase
from row3.kinds.outputs import closed_object
from row3.matching.text.quotes import SourceText

GRADES = ("correctness", "completeness", "evidence", "hallucination")
RUBRIC = "judge-outcome"
_TEXTS = {"type": "array", "items": {"type": "string"}}
_ARM = closed_object(
    {name: {"type": "integer", "enum": [0, 1, 2]} for name in GRADES}
    | {"missing_facts": _TEXTS, "unsupported_claims": _TEXTS}
)
JUDGEMENT_SCHEMA = closed_object(
    {
        "case_id": {"type": "string"},
        "baseline": _ARM,
        "full": _ARM,
        "delta": closed_object({"full_beats_baseline": {"type": "boolean"}, "notes": {"type": "string"}}),
    }
)


class Cited(NamedTuple):
    """A fact and whether an answer proves it."""

    fact_id: str
    proven: bool
    reason: str


def check_evidence(case: OutcomeCase, answer: AnswerOut, documents: Mapping[str, SourceText]) -> list[Cited]:
    """Return for each required fact whether the answer cites all that it must.

    A citation counts when its quote occurs in the document it names and contains what `must_cite` asks.
    """
    found = []
    for fact in case.required_facts:
        lacking = [
            needed.doc
            for needed in fact.must_cite
            if not any(
                same_document(cited.doc, needed.doc)
                and SourceText(cited.quote).contains_quote(needed.quote_contains)
                and (text := document(documents, cited.doc)) is not None
                and text.contains_quote(cited.quote)
                for cited in answer.citations
            )
        ]
        found.append(Cited(fact.fact_id, not lacking, f"no valid quote from {', '.join(lacking)}" if lacking else ""))
    return found


def evidence_grade(cited: Sequence[Cited]) -> int:
    """Return V7.1's grade: 2 where every fact is proven, 1 where some are, 0 where none is; 2 with nothing to prove."""
    proven = sum(each.proven for each in cited)
    return 2 if proven == len(cited) else min(proven, 1)


def document_key(name: str) -> str:
    """Return what a document is known by: its name without folders and without `.txt` or `.md`."""
    base = name.strip().replace("\\", "/").rpartition("/")[2]
    return base.removesuffix(".txt").removesuffix(".md").casefold()


def same_document(one: str, other: str) -> bool:
    """Return whether two names are of one document."""
    return document_key(one) == document_key(other)


def document(documents: Mapping[str, SourceText], name: str) -> SourceText | None:
    """Return a document by its name; None where there is none."""
    return documents.get(document_key(name))


def read_judgement(value: Any, case: OutcomeCase) -> Judgement | str:
    """Return V7.1's JSON as a judgement, or why it is none: prose, a grade other than 0, 1, 2, an unknown fact."""
    if isinstance(value, str):
        read = read_json(value)
        if isinstance(read, Unusable):
            return read.reason
        value = read.value
    if not isinstance(value, dict):
        return "the judgement is not a JSON object"
    arms: dict[Arm, Grades] = {}
    for arm in ARMS:
        grades = _grades(value.get(arm), case, arm)
        if isinstance(grades, str):
            return grades
        arms[arm] = grades
    delta = value.get("delta")
    said = delta.get("full_beats_baseline") if isinstance(delta, dict) else None
    noted = delta.get("notes") if isinstance(delta, dict) else None
    return Judgement(
        arms["baseline"],
        arms["full"],
        said if isinstance(said, bool) else None,
        " ".join(noted.split()) if isinstance(noted, str) else "",
    )


def _grades(value: Any, case: OutcomeCase, arm: Arm) -> Grades | str:
    if not isinstance(value, dict):
        return f"the judgement has no `{arm}`"
    for name in GRADES:
        if isinstance(value.get(name), bool) or value.get(name) not in (0, 1, 2):
            return f"the judgement gives `{arm}` no {name} of 0, 1 or 2"
    missing = value.get("missing_facts", [])
    known = [fact.fact_id for fact in case.required_facts]
    unknown = [each for each in missing if each not in known] if isinstance(missing, list) else [missing]
    if unknown:
        return f"the judgement names a fact that the case does not have: {unknown[0]}"
    numbers = {name: int(value[name]) for name in GRADES}
    return Grades(**numbers, missing_facts=tuple(missing), unsupported_claims=notes(value.get("unsupported_claims")))


class Ruling(NamedTuple):
    """The judgement that counts, of both orders, with code's evidence in place of the judge's."""

    judgement: Judgement
    winner: Arm | None
    """The arm that wins in both orders, by the majority of the votes; None for a tie."""
    flipped: bool
    """The orders disagree on the winner: a tie, and a sign of position bias."""
    winners: Sequence[Sequence[Arm | None]] = ()
    """By vote, who wins in each order that was asked: `baseline` first, `full` first."""

    @property
    def passes(self) -> bool:
        """V7.1's bar for the full system: correct, mostly complete, some evidence, nothing unsupported."""
        full = self.judgement.full
        return full.correctness == 2 and full.completeness >= 1 and full.evidence >= 1 and full.hallucination == 2


def winner(judgement: Judgement) -> Arm | None:
    """Return the arm with more correctness + completeness and a hallucination grade no lower; None for a tie."""
    for arm, other in (("full", "baseline"), ("baseline", "full")):
        mine: Grades = getattr(judgement, arm)
        theirs: Grades = getattr(judgement, other)
        better = mine.correctness + mine.completeness > theirs.correctness + theirs.completeness
        if better and mine.hallucination >= theirs.hallucination:
            return "full" if arm == "full" else "baseline"
    return None


def ask_judge(
    rules: JudgeRules | None, case: OutcomeCase, answers: Mapping[Arm, AnswerOut], documents: Mapping[str, SourceText]
) -> Generator[JudgeRequest, Answer | NoAnswer, Ruling | str]:
    """Ask for a judgement with each arm in either place; yields the votes and is sent their answers.

    Returns:
        The ruling, or why there is none. A vote with an order that cannot be read is no vote; without any the judge has
        failed.
    """
    if rules is None or RUBRIC not in rules.rubrics:
        return f"`{RUBRIC}`: {NO_RUBRIC}"
    votes: list[tuple[Judgement, ...]] = []
    failed = ""
    for vote in range(len(rules.models) * rules.votes):
        both: list[Judgement] = []
        for swapped in (False, True):
            shown = (answers["full"], answers["baseline"]) if swapped else (answers["baseline"], answers["full"])
            answer = yield JudgeRequest(RUBRIC, variables_of(case, *shown, documents), vote)
            read = answer.error if isinstance(answer, NoAnswer) else read_judgement(answer.text, case)
            if isinstance(read, str):
                failed = failed or read
            else:
                both.append(swap(read) if swapped else read)
        if len(both) == 2:
            votes.append(tuple(both))
    return rule(votes) if votes else f"the judge failed: {failed or NO_MODEL}"


def variables_of(
    case: OutcomeCase, baseline: AnswerOut, full: AnswerOut, documents: Mapping[str, SourceText]
) -> dict[str, Any]:
    """Return what the rubric's template sees: the case, both answers, and the documents that it or they name."""
    named = [needed.doc for fact in case.required_facts for needed in fact.must_cite]
    named += [cited.doc for answer in (baseline, full) for cited in answer.citations]
    keys = dict.fromkeys(document_key(name) for name in named)
    return {
        "question": case.question,
        "required_facts": [
            {"fact_id": fact.fact_id, "claim": fact.claim, "must_cite": [needed.doc for needed in fact.must_cite]}
            for fact in case.required_facts
        ],
        "forbidden_claims": list(case.forbidden_claims),
        "baseline": _shown(baseline),
        "full": _shown(full),
        "documents": [{"doc": key, "text": documents[key].text} for key in sorted(keys) if key in documents],
    }


def _shown(answer: AnswerOut) -> dict[str, Any]:
    return {
        "answer": answer.answer,
        "citations": [{"doc": cited.doc, "quote": cited.quote} for cited in answer.citations],
    }


def swap(judgement: Judgement) -> Judgement:
    """Return a judgement of the arms in each other's place as one of the arms in their own."""
    said = judgement.claims_full_wins
    return Judgement(judgement.full, judgement.baseline, None if said is None else not said, judgement.notes)


def rule(votes: Sequence[Sequence[Judgement]]) -> Ruling:
    """Return the ruling of votes on the same two answers, each with a judgement an order.

    Of a vote's orders the stricter grade counts, and the winner has to be the same; of the votes, the lower median
    grade and the winner of more than half.
    """
    winners = [[winner(each) for each in orders] for orders in votes]
    agreed = [set(each) for each in winners]
    won = [arm for arm in ARMS if 2 * agreed.count({arm}) > len(votes)]
    judgement = Judgement(
        _middle([_lowest([each.baseline for each in orders]) for orders in votes]),
        _middle([_lowest([each.full for each in orders]) for orders in votes]),
        votes[0][0].claims_full_wins,
        votes[0][0].notes,
    )
    flipped = not won and any(len(each) > 1 for each in agreed)
    return Ruling(judgement, won[0] if won else None, flipped, winners)


def _lowest(grades: Sequence[Grades]) -> Grades:
    return _merged(grades, {name: min(getattr(each, name) for each in grades) for name in GRADES})


def _middle(grades: Sequence[Grades]) -> Grades:
    return _merged(grades, {name: median_low(getattr(each, name) for each in grades) for name in GRADES})


def _merged(grades: Sequence[Grades], numbers: Mapping[str, int]) -> Grades:
    return Grades(
        **numbers,
        missing_facts=tuple(dict.fromkeys(fact for each in grades for fact in each.missing_facts)),
        unsupported_claims=tuple(dict.fromkeys(claim for each in grades for claim in each.unsupported_claims)),
    )


def with_evidence(ruling: Ruling, evidence: Mapping[Arm, int]) -> Ruling:
    """Return a ruling with the evidence that code found in place of the judge's."""
    judgement = ruling.judgement
    return ruling._replace(
        judgement=judgement._replace(
            baseline=judgement.baseline._replace(evidence=evidence["baseline"]),
            full=judgement.full._replace(evidence=evidence["full"]),
        )
    )
