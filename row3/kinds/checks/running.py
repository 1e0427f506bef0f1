"""Running one check on one answer, with what it asks of judges, scorers and embeddings."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from row3.domain.asks import Ask, EmbeddingRequest, FunctionRequest, UsageRequest, cosine
from row3.domain.judges import NEUTRAL, Graded
from row3.domain.requests import NoAnswer
from row3.kinds.base import Rules
from row3.kinds.checks.heuristics import HEURISTICS, PASSED, Result, graded
from row3.kinds.checks.model import DEFAULT_MIN, Check
from row3.kinds.checks.quotes import quotes
from row3.kinds.checks.reading import Nothing, Reading, same, short
from row3.kinds.judging import grade

GRADED = frozenset({"similarity", "names", "semantic", "python", "judge"})
"""Types with scores between 0 and 1; the others pass or fail."""


class Checked:
    """A check with its result; the fields of an explanation's item are computed only when read."""

    __slots__ = ("check", "found", "passed", "reason", "said", "state")
    expected: str | None = None

    def __init__(self, check: Check, found: float | None, reason: str, said: Mapping[str, Any] | None = None) -> None:
        self.check = check
        self.found = found
        """Score in [0, 1]; None if its judge, scorer or embeddings failed."""
        self.reason, self.said = reason, said or {}
        least = 1.0 if check.type not in GRADED else passes_from(check)
        self.passed = found is not None and found >= least - 1e-9
        """Whether the check passes; a graded one does from its `min`."""
        self.state = "not-judged" if found is None else "passed" if self.passed else "failed"

    @property
    def label(self) -> str:
        """Name of the check in reports."""
        return self.check.title

    @property
    def score(self) -> float:
        """Score as pages show it: neutral if it has none."""
        return NEUTRAL if self.found is None else self.found

    @property
    def notes(self) -> Mapping[str, Any]:
        """Type, weight, the reason for a score below 1, and the judge's remarks."""
        return {"type": self.check.type, "weight": self.check.weight, "reason": self.reason, **self.said}


def passes_from(check: Check) -> float:
    """Return the score from which a graded check passes."""
    return DEFAULT_MIN if check.min is None else check.min


def to_grade(check: Check, case: Any, reading: Reading) -> Graded:
    """Return what a check of type `judge` has graded.

    Its rubric sees `input`, `expected`, the `answer` as text, and its JSON `value` (None if it is not JSON).
    """
    value = None if reading.value is Nothing else reading.value
    variables = {"input": case.input, "expected": case.expected, "answer": reading.text, "value": value}
    return Graded(check.wanted, variables, passes_from(check), len(reading.text))


def look(check: Check, reading: Reading, rules: Rules) -> Checked | None:
    """Return the result of a check; None if it must ask a judge, a scorer or the like."""
    if problem := reading.missing:
        return Checked(check, 0.0, problem)
    if check.type == "action":
        return Checked(check, *_operation(check, reading))
    heuristic = HEURISTICS.get(check.type)
    return None if heuristic is None else Checked(check, *heuristic(check, reading, rules.names))


def ask(check: Check, case: Any, reading: Reading, rules: Rules) -> Generator[Ask, Any, Checked]:
    """Return the result of a check that must ask; yields its requests and is sent the answers."""
    match check.type:
        case "judge":
            asked = to_grade(check, case, reading)
            verdict = yield from grade(rules.judge, asked.rubric, asked.variables, passes_from=asked.passes_from)
            said = {name: list(getattr(verdict, name)) for name in ("issues", "strengths")}
            grades = {"criteria": dict(verdict.grades)} if verdict.grades else {}
            votes = {"votes": list(verdict.votes), "agreement": verdict.agreement} if len(verdict.votes) > 1 else {}
            return Checked(check, verdict.score, verdict.reason, {**grades, **said, **votes})
        case "quotes":
            return Checked(check, *quotes(check, case.input, reading))
        case "semantic":
            return (yield from _meaning(check, reading, rules))
        case "python":
            part = reading.answer if check.path is None else reading.value
            given = {"id": case.id, "input": case.input, "expected": case.expected, "tags": list(case.tags)}
            found = yield FunctionRequest(check.wanted, given, part)
            if isinstance(found, NoAnswer):
                return Checked(check, None, found.error)
            score = graded(found.score)
            return Checked(check, score, found.reason if score is not None else f"{check.wanted} returned no score")
        case _:
            usage = yield UsageRequest()
            spent = usage.cost_usd if check.type == "cost" else usage.latency_s
            if spent is None:
                return Checked(check, None, f"the {check.type} is not known")
            unit = "US dollars" if check.type == "cost" else "s"
            result = PASSED if spent <= check.wanted else Result(0.0, f"{spent:.4g} {unit}")
            return Checked(check, *result)


def _operation(check: Check, reading: Reading) -> Result:
    """Compare an operation: `{"action": "UPDATE", "arguments": {…}}`, or the word alone."""
    chosen = action_of(reading)
    if chosen != check.wanted:
        return Result(0.0, f"chose {chosen or short(reading.text)}")
    value = reading.value if isinstance(reading.value, dict) else {}
    arguments = value["arguments"] if isinstance(value.get("arguments"), dict) else value
    wrong = [key for key, wanted in (check.arguments or {}).items() if not same(arguments.get(key, Nothing), wanted)]
    return PASSED if not wrong else Result(0.0, f"chose {chosen} with wrong {', '.join(wrong)}")


def action_of(reading: Reading) -> str:
    """Return the operation that an answer chooses, in upper case; empty for none."""
    value = reading.value.get("action") if isinstance(reading.value, dict) else reading.value
    word = value if isinstance(value, str) else reading.text if value is Nothing else ""
    word = word.strip().strip(".\"'`*").upper()
    return word if word.isalpha() else ""


def _meaning(check: Check, reading: Reading, rules: Rules) -> Generator[Ask, Any, Checked]:
    if rules.semantic is None:
        return Checked(check, None, "the suite has no [matching.semantic]")
    texts = (reading.text, check.wanted)
    vectors = yield EmbeddingRequest(rules.semantic.model, tuple(dict.fromkeys(texts)))
    if isinstance(vectors, NoAnswer) or any(text not in vectors for text in texts):
        return Checked(check, None, "no embeddings for the two texts")
    score = cosine(vectors[texts[0]], vectors[texts[1]])
    return Checked(check, score, f"cosine {score:.2f}")


def check_problem(check: Check, rules: Rules) -> str:
    """Return which setting or prompt of the suite a check lacks; empty for none."""
    if check.type == "semantic" and rules.semantic is None:
        return "`semantic` needs [suites.NAME.matching.semantic] in row3.toml"
    if check.type == "judge" and (rules.judge is None or check.wanted not in rules.judge.rubrics):
        return f"rubric `{check.wanted}` not found: no prompts/{check.wanted}-v*.md"
    return ""
