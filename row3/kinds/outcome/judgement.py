"""What decides an outcome: evidence, checked by code, and a judge's grades of both arms, asked in both orders."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from statistics import median_low
from typing import Any, NamedTuple

from row3.domain.judges import JudgeRequest, JudgeRules
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer
from row3.kinds.answers import read_object
from row3.kinds.judging import ask_votes, notes
from row3.kinds.outcome.model import ARMS, AnswerOut, Arm, Evidence, Grades, Judgement, OutcomeCase
from row3.kinds.outputs import answer_values, closed_object
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


def check_evidence(case: OutcomeCase, answer: AnswerOut, documents: Mapping[str, SourceText]) -> list[str]:
    """Return for each required fact why the answer does not prove it; empty if it does.

    A citation counts if its quote is a passage of the document that it names and contains what `must_cite` requires.
    """
    found = []
    for fact in case.required_facts:
        lacking = [
            documents_of(alternatives)
            for alternatives in fact.needed
            if not any(
                document_key(cited.doc) == document_key(needed.doc)
                and SourceText(cited.quote).contains_quote(needed.quote_contains)
                and (text := document(documents, cited.doc)) is not None
                and text.is_passage(cited.quote)
                for needed in alternatives
                for cited in answer.citations
            )
        ]
        found.append(f"no valid quote from {', '.join(lacking)}" if lacking else "")
    return found


def documents_of(alternatives: Iterable[Evidence]) -> str:
    """Return the documents of alternatives in words: `a or b`."""
    return " or ".join(dict.fromkeys(each.doc for each in alternatives))


def evidence_grade(unproven: Sequence[str]) -> int:
    """Return V7.1's grade by the reasons of `check_evidence`: 2 if all facts are proven, 1 if some, 0 if none."""
    return 2 if not any(unproven) else 0 if all(unproven) else 1


def document_key(name: str) -> str:
    """Return the key of a document: its name in lower case, without folders and without `.txt` or `.md`."""
    base = name.strip().replace("\\", "/").rpartition("/")[2]
    return base.removesuffix(".txt").removesuffix(".md").casefold()


def document(documents: Mapping[str, SourceText], name: str) -> SourceText | None:
    """Return a document by its name; None for an unknown one."""
    return documents.get(document_key(name))


def read_judgement(value: Any, case: OutcomeCase) -> Judgement | str:
    """Return V7.1's JSON as a judgement, or why it is unusable: prose, a grade other than 0, 1, 2, an unknown fact."""
    if isinstance(value, str):
        value = read_object(value)
        if isinstance(value, str):
            return value
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
            return f"the judgement has no {name} of 0, 1 or 2 for `{arm}`"
    missing = value.get("missing_facts", [])
    known = [fact.fact_id for fact in case.required_facts]
    unknown = [each for each in missing if each not in known] if isinstance(missing, list) else [missing]
    if unknown:
        return f"the judgement names a fact that is not in the case: {unknown[0]}"
    numbers = {name: int(value[name]) for name in GRADES}
    return Grades(**numbers, missing_facts=tuple(missing), unsupported_claims=notes(value.get("unsupported_claims")))


class Ruling(NamedTuple):
    """The combined judgement of both orders and all votes."""

    judgement: Judgement
    winner: Arm | None
    """The arm that wins in both orders in most votes; None for a tie."""
    flipped: bool
    """Whether the orders disagree on the winner: a tie, and a sign of position bias."""
    winners: Sequence[Sequence[Arm | None]] = ()
    """The winner by vote and order: `baseline` first, `full` first."""

    @property
    def passes(self) -> bool:
        """Whether the full system meets V7.1's bar: correct, mostly complete, some evidence, nothing unsupported."""
        full = self.judgement.full
        return full.correctness == 2 and full.completeness >= 1 and full.evidence >= 1 and full.hallucination == 2


def winner(judgement: Judgement) -> Arm | None:
    """Return the arm with more correctness + completeness and a hallucination grade no lower; None for a tie."""
    for arm, other in zip(ARMS, ARMS[::-1], strict=True):
        mine: Grades = getattr(judgement, arm)
        theirs: Grades = getattr(judgement, other)
        better = mine.correctness + mine.completeness > theirs.correctness + theirs.completeness
        if better and mine.hallucination >= theirs.hallucination:
            return arm
    return None


def ask_judge(
    rules: JudgeRules | None, case: OutcomeCase, answers: Mapping[Arm, AnswerOut], documents: Mapping[str, SourceText]
) -> Generator[JudgeRequest, Answer | NoAnswer, Ruling | str]:
    """Return the ruling, or why there is none; yields requests with the arms in both orders and is sent the answers."""
    pairs = [(answers["baseline"], answers["full"]), (answers["full"], answers["baseline"])]

    def read(text: str, rubric: Prompt, order: int) -> Judgement | str:
        found = read_judgement(text, case)
        return swap(found) if order and not isinstance(found, str) else found

    votes = yield from ask_votes(rules, RUBRIC, [variables_of(case, *pair, documents) for pair in pairs], read)
    return votes if isinstance(votes, str) else rule(votes)


def variables_of(
    case: OutcomeCase, baseline: AnswerOut, full: AnswerOut, documents: Mapping[str, SourceText]
) -> dict[str, Any]:
    """Return the variables of the rubric's template: the case, both answers, and the documents named in them."""
    named = [needed.doc for fact in case.required_facts for each in fact.needed for needed in each]
    named += [cited.doc for answer in (baseline, full) for cited in answer.citations]
    keys = dict.fromkeys(document_key(name) for name in named)
    return {
        "question": case.question,
        "required_facts": [
            {"fact_id": fact.fact_id, "claim": fact.claim, "must_cite": [*map(documents_of, fact.needed)]}
            for fact in case.required_facts
        ],
        "forbidden_claims": list(case.forbidden_claims),
        "baseline": answer_values(baseline),
        "full": answer_values(full),
        "documents": [{"doc": key, "text": documents[key].text} for key in sorted(keys) if key in documents],
    }


def swap(judgement: Judgement) -> Judgement:
    """Return a judgement of swapped answers with its arms swapped back."""
    said = judgement.claims_full_wins
    return Judgement(judgement.full, judgement.baseline, None if said is None else not said, judgement.notes)


def rule(votes: Sequence[Sequence[Judgement]]) -> Ruling:
    """Return the ruling by votes on the same two answers, each with one judgement for each order.

    In a vote, the lower grade of its orders counts, and they must agree on the winner. Over the votes, the lower median
    grade counts, and the winner of more than half.
    """
    winners = [[winner(each) for each in orders] for orders in votes]
    agreed = [set(each) for each in winners]
    won = [arm for arm in ARMS if 2 * agreed.count({arm}) > len(votes)]
    judgement = Judgement(
        _combined([_combined([each.baseline for each in orders], min) for orders in votes], median_low),
        _combined([_combined([each.full for each in orders], min) for orders in votes], median_low),
        votes[0][0].claims_full_wins,
        votes[0][0].notes,
    )
    flipped = not won and any(len(each) > 1 for each in agreed)
    return Ruling(judgement, won[0] if won else None, flipped, winners)


def _combined(grades: Sequence[Grades], choose: Callable[[Iterable[int]], int]) -> Grades:
    return Grades(
        **{name: choose([getattr(each, name) for each in grades]) for name in GRADES},
        missing_facts=tuple(dict.fromkeys(fact for each in grades for fact in each.missing_facts)),
        unsupported_claims=tuple(dict.fromkeys(claim for each in grades for claim in each.unsupported_claims)),
    )


def with_evidence(ruling: Ruling, evidence: Mapping[Arm, int]) -> Ruling:
    """Return a ruling with its evidence grades replaced."""
    judgement = ruling.judgement
    return ruling._replace(
        judgement=judgement._replace(
            baseline=judgement.baseline._replace(evidence=evidence["baseline"]),
            full=judgement.full._replace(evidence=evidence["full"]),
        )
    )
