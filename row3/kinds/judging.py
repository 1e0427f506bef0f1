"""Asking a judge for grades, for all kinds that have answers graded."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

from row3.domain.judges import NO_MODEL, NO_RUBRIC, Graded, JudgeRequest, JudgeRules, Judging, Opinion, Verdict, Winner
from row3.domain.prompts import Prompt
from row3.domain.requests import Answer, NoAnswer
from row3.kinds.answers import read_object
from row3.kinds.outputs import closed_object
from row3.metrics.aggregate import counted

Vote = TypeVar("Vote")
JUDGED, LABELLED = "judgedAnswers", "labelledAnswers"
WINNERS, LABELLED_WINNERS = "winners", "labelledWinners"
"""Tally groups with keys such as `RUBRIC passed`; `RUBRIC passed failed` (judge, then person); `full`; `full tie`."""
MOST_NOTES, LONGEST_NOTE = 5, 200
"""Maximum number of issues and of strengths, and of characters in each."""


class Anything(dict[str, "Anything"]):
    """An example object for checking templates, in which every key exists."""

    def __missing__(self, key: str) -> Anything:
        return Anything()


def grade_schema(criteria: Mapping[str, float]) -> dict[str, Any]:
    """Return the JSON schema of STRATEGY's grade, `{"score", "issues", "strengths"}`, with any criteria for `score`."""
    points = {"type": "integer", "minimum": 0, "maximum": 100}
    remarks = {"type": "array", "items": {"type": "string"}}
    return closed_object(dict.fromkeys(criteria or ("score",), points) | {"issues": remarks, "strengths": remarks})


def ask_votes(
    rules: JudgeRules | None,
    name: str,
    shown: Sequence[Mapping[str, Any]],
    read: Callable[[str, Prompt, int], Vote | str],
) -> Generator[JudgeRequest, Answer | NoAnswer, list[list[Vote]] | str]:
    """Return what each vote says of the same answers, shown in one or more orders, or why there is no vote.

    Yields a request for each vote and order, and is sent the answer. A vote counts only if `read`, which is given the
    reply, the rubric and the number of the order, can read all of its replies.
    """
    rubric = None if rules is None else rules.rubrics.get(name)
    if rules is None or rubric is None:
        return f"`{name}`: {NO_RUBRIC}"
    votes: list[list[Vote]] = []
    failed = ""
    for vote in range(len(rules.models) * rules.votes):
        replies: list[Vote] = []
        for order, variables in enumerate(shown):
            answer = yield JudgeRequest(name, variables, vote)
            said = answer.error if isinstance(answer, NoAnswer) else answer.fault or read(answer.text, rubric, order)
            if isinstance(said, str):
                failed = failed or said
            else:
                replies.append(said)
        if len(replies) == len(shown):
            votes.append(replies)
    return votes or f"no grade: {failed or NO_MODEL}"


def grade(
    rules: JudgeRules | None, name: str, variables: Mapping[str, Any], *, passes_from: float
) -> Generator[JudgeRequest, Answer | NoAnswer, Verdict]:
    """Ask a judge for a grade: the median of its votes; yields a request for each and is sent the answer."""
    found = yield from ask_votes(rules, name, [variables], lambda text, rubric, _: read_grade(text, rubric.criteria))
    if isinstance(found, str):
        return Verdict(None, found)
    votes = [vote for (vote,) in found]
    scores = [vote.score for vote in votes if vote.score is not None]
    score = float(median(scores))
    agreeing = sum((each >= passes_from) == (score >= passes_from) for each in scores)
    nearest = min(votes, key=lambda vote: abs((vote.score or 0.0) - score))
    return nearest._replace(
        score=score, agreement=agreeing / len(scores), votes=tuple(round(100 * each, 2) for each in scores)
    )


def opinion(rules: JudgeRules | None, graded: Graded) -> Judging:
    """Return a judge's opinion, or why there is none; yields a request for each vote and is sent the answer."""
    verdict = yield from grade(rules, graded.rubric, graded.variables, passes_from=graded.passes_from)
    if verdict.score is None:
        return verdict.reason
    return Opinion(100 * verdict.score, verdict.score >= graded.passes_from - 1e-9, reason=verdict.reason)


def judged_tally(
    rules: JudgeRules | None, judged: Iterable[tuple[Graded, bool | None]], winner: Winner | None = None
) -> dict[str, dict[str, int]]:
    """Count the answers that the judge passed, for labelled ones also the person; None (not judged) is skipped.

    Of two answers, `winner` is the judge's.
    """
    said: list[str] = []
    both: list[str] = []
    winners: list[str] = []
    for graded, passes in judged:
        if passes is None or rules is None:
            continue
        words = f"{graded.rubric} {'passed' if passes else 'failed'}"
        said.append(words)
        label = rules.labels.get((graded.rubric, graded.digest)) if rules.labels else None
        if label is not None:
            both.append(f"{words} {'passed' if label[0] >= 100 * graded.passes_from - 1e-9 else 'failed'}")
            winners += [f"{winner} {label[1]}"] if winner is not None and label[1] is not None else []
    groups = {JUDGED: counted(said), LABELLED: counted(both), LABELLED_WINNERS: counted(winners)}
    return {name: counts for name, counts in groups.items() if counts}


def read_grade(text: str, criteria: Mapping[str, float]) -> Verdict | str:
    """Return a judge's reply as a verdict, or why it is no grade: prose, or no points from 0 to 100 for a criterion."""
    value = read_object(text)
    if isinstance(value, str):
        return value
    wanted = criteria or {"score": 1.0}
    total = 0.0
    for name, weight in wanted.items():
        points = value.get(name)
        if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points <= 100:
            return f"the judge's reply has no `{name}` from 0 to 100"
        total += weight * points / 100
    issues, strengths = notes(value.get("issues")), notes(value.get("strengths"))
    grades = {name: float(value[name]) for name in criteria}
    reason = "; ".join([*(f"{name} {points:g}" for name, points in grades.items()), *issues]) or "; ".join(strengths)
    return Verdict(total / sum(wanted.values()), reason, issues, strengths, grades=grades)


def notes(value: Any) -> tuple[str, ...]:
    """Return a judge's remarks as short lines; nothing for anything but a list of texts."""
    lines = [" ".join(each.split()) for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return tuple(line[:LONGEST_NOTE] for line in lines[:MOST_NOTES] if line)
