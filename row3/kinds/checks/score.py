"""Kind `checks`: assertions on any answer, by STRATEGY's three tiers."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from row3.domain.asks import Ask, FunctionRequest, UsageRequest
from row3.domain.embeddings import EmbeddingRequest, cosine
from row3.domain.judges import NEUTRAL, Graded, Judging
from row3.domain.matches import ItemMatch, Items
from row3.domain.metrics import Metric, Threshold
from row3.domain.prompts import Prompt
from row3.domain.requests import NoAnswer, digest_json
from row3.domain.scores import CaseScore, Tally
from row3.kinds.answers import Parsed, Unusable
from row3.kinds.base import Expected, Finding, Kind, Measured, Rules
from row3.kinds.checks.heuristics import HEURISTICS, PASSED, Result, graded, pattern_problem, schema_problem
from row3.kinds.checks.model import DEFAULT_MIN, TIERS, Check, ChecksCase, Reply
from row3.kinds.checks.reading import Nothing, Reading, path_problem, quantity, same, short
from row3.kinds.judging import Anything, grade, grade_schema, judged_tally, opinion
from row3.metrics.aggregate import counted

NO_FAULT = frozenset({"passed", "not-judged"})
"""States of a check that is not wrong."""
GRADED = frozenset({"similarity", "names", "semantic", "python", "judge"})
"""Types whose score lies between 0 and 1; the others pass or fail."""
ASKING = frozenset({"judge", "python", "cost", "latency"})
"""Types whose score does not follow from case and answer alone."""
TIER_METRICS = {"heuristic": "heuristicRate", "operation": "operationRate", "judged": "judgedRate"}
METRICS = (
    Metric("heuristicRate", "Heuristic checks", threshold=Threshold(0.95, 0.95, 1.0), optional=True),
    Metric("operationRate", "Operations", threshold=Threshold(0.80, 0.80, 0.95), optional=True),
    Metric("judgedRate", "Judged", threshold=Threshold(0.70, 0.70, 0.90), optional=True),
    Metric("casesPassed", "Cases passed"),
    Metric("passRate", "Pass rate", threshold=Threshold(0.70, 0.80, 0.95)),
    *(Metric(name, name, companion=True, optional=True) for name in TIERS),
)


@dataclass(slots=True)
class Checked:
    """A check and what it found."""

    check: Check
    score: float | None
    """In [0, 1]; None where its judge, scorer or vectors failed."""
    reason: str
    notes: Mapping[str, Any] = field(default_factory=dict)
    passed: bool = field(init=False)
    """Whether it passes; a graded check from its `min`."""

    def __post_init__(self) -> None:
        least = 1.0 if self.check.type not in GRADED else passes_from(self.check)
        self.passed = self.score is not None and self.score >= least - 1e-9

    @property
    def state(self) -> str:
        """The word reports use."""
        return "not-judged" if self.score is None else "passed" if self.passed else "failed"


def passes_from(check: Check) -> float:
    """Return the score from which a graded check passes."""
    return DEFAULT_MIN if check.min is None else check.min


def to_grade(check: Check, case: Any, reading: Reading) -> Graded:
    """Return what a judge is asked by a check of type `judge`."""
    return Graded(check.wanted, judged_variables(case, reading), passes_from(check), len(reading.text))


def run_check(check: Check, case: Any, whole: Reading, rules: Rules) -> Generator[Ask, Any, Checked]:
    """Yield what one check needs asked, and return what it found."""
    reading = whole.at(check.path)
    if problem := reading.missing:
        return Checked(check, 0.0, problem)
    match check.type:
        case "action":
            return Checked(check, *_operation(check, reading))
        case "judge":
            asked = to_grade(check, case, reading)
            verdict = yield from grade(rules.judge, asked.rubric, asked.variables, passes_from=asked.passes_from)
            said = {"issues": list(verdict.issues), "strengths": list(verdict.strengths)}
            return Checked(check, verdict.score, verdict.reason, said | {"agreement": verdict.agreement})
        case "semantic":
            return (yield from _meaning(check, reading, rules))
        case "python":
            found = yield FunctionRequest(check.wanted, case_json(case), whole.answer)
            if isinstance(found, NoAnswer):
                return Checked(check, None, found.error)
            score = graded(found.score)
            return Checked(check, score, found.reason if score is not None else f"{check.wanted} returned no score")
        case "cost" | "latency":
            usage = yield UsageRequest()
            spent = usage.cost_usd if check.type == "cost" else usage.latency_s
            if spent is None:
                return Checked(check, None, f"the {check.type} is not known")
            unit = "US dollars" if check.type == "cost" else "s"
            result = PASSED if spent <= check.wanted else Result(0.0, f"{spent:.4g} {unit}")
            return Checked(check, *result)
        case _:
            return Checked(check, *HEURISTICS[check.type](check, reading, rules.names))


def _operation(check: Check, reading: Reading) -> Result:
    """Compare an operation: `{"action": "UPDATE", "arguments": {…}}`, or the word alone."""
    chosen = action_of(reading)
    if chosen != check.wanted:
        return Result(0.0, f"chose {chosen or short(reading.text)}")
    given = reading.value.get("arguments") if isinstance(reading.value, dict) else None
    arguments = given if isinstance(given, dict) else reading.value if isinstance(reading.value, dict) else {}
    wrong = [key for key, value in (check.arguments or {}).items() if not same(arguments.get(key, Nothing), value)]
    return PASSED if not wrong else Result(0.0, f"{chosen} with other {', '.join(wrong)}")


def action_of(reading: Reading) -> str:
    """Return the operation that an answer chooses, in capitals; empty for none."""
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
        return Checked(check, None, "there are no embeddings of the two texts")
    score = cosine(vectors[texts[0]], vectors[texts[1]])
    return Checked(check, score, f"cosine {score:.2f}")


def judged_variables(case: Any, reading: Reading) -> dict[str, Any]:
    """Return what a rubric sees: `input`, `expected`, the `answer` as text, and as a JSON `value` or none."""
    value = None if reading.value is Nothing else reading.value
    return {"input": case.input, "expected": case.expected, "answer": reading.text, "value": value}


def case_json(case: Any) -> dict[str, Any]:
    """Return what a scorer of one's own sees of a case."""
    return {"id": case.id, "input": case.input, "expected": case.expected, "tags": list(case.tags)}


def metrics_of(checked: Sequence[Checked], warranted: frozenset[str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the metrics of a case by key, and why others do not apply.

    passRate = sum of the weights of the checks that pass / sum of all weights; a tier's and a type's metric is the
    weighted mean of its scores. A judged check counts in `passRate` and `casesPassed` only where its judge is
    warranted. Where a check has no score, every metric it is part of is skipped: leaving it out would lift them.
    """
    skipped: dict[str, str] = {}
    counted = [each for each in checked if each.check.type != "judge" or each.check.wanted in warranted]
    groups: dict[str, list[tuple[float, float]]] = {}
    for each in checked:
        of_type = each.check.type
        for key in (TIER_METRICS[TIERS[of_type]], of_type):
            if each.score is None:
                skipped.setdefault(key, f"{of_type} without a score")
            else:
                groups.setdefault(key, []).append((each.check.weight, each.score))
    metrics = {key: _mean(group) for key, group in groups.items() if key not in skipped}
    if unscored := next((each for each in counted if each.score is None), None):
        skipped |= dict.fromkeys(("passRate", "casesPassed"), f"{unscored.check.type} without a score")
    elif counted:
        metrics["passRate"] = _mean([(each.check.weight, float(each.passed)) for each in counted])
        metrics["casesPassed"] = float(all(each.passed for each in counted))
    else:
        skipped |= dict.fromkeys(("passRate", "casesPassed"), "no check counts")
    return metrics, skipped


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    if len(weighted) == 1:
        return weighted[0][1]
    total = sum(weight for weight, _ in weighted)
    return sum(weight * score for weight, score in weighted) / total


def items_of(checked: Sequence[Checked]) -> Items:
    """Return why a case scored so: every check with its state, score and reason."""
    return Items(
        tuple(
            ItemMatch(
                each.check.title,
                each.state,
                None,
                NEUTRAL if each.score is None else each.score,
                {"type": each.check.type, "weight": each.check.weight, "reason": each.reason, **each.notes},
            )
            for each in checked
        ),
        (),
        NO_FAULT,
    )


class Checks(Kind):
    """Scores any answer by the checks of its case and those that the suite makes of every case."""

    name = "checks"
    version = 1
    case_model = ChecksCase
    case_schema = "checks-case"
    metrics = METRICS
    outputs: Mapping[str, type[Any]] = {"answer": Reply}
    primary = "passRate"
    check_model = Check
    graded_as = "checks"
    rubrics = frozenset({"grade"})
    judged_metrics = frozenset({"judgedRate"})
    gate_defaults: Mapping[str, Any] = {
        "unit": "relative",
        "block": 15.0,
        "inclusive": True,
        "limits": {"heuristicRate": 10.0, "operationRate": 15.0, "judgedRate": 20.0},
    }

    def signature(self, rules: Rules) -> str:
        """Return the scorer, the checks of the suite and the judge."""
        shared = digest_json([msgspec.to_builtins(check) for check in rules.checks])[:16] if rules.checks else "none"
        judge = "" if rules.judge is None else f" {rules.judge.signature}"
        return f"{super().signature(rules)} checks {shared} passes {rules.passes}{judge}"

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return nothing: an answer may be anything."""
        return {}

    def rubric_schema(self, rubric: Prompt) -> Mapping[str, Any]:
        """Return the schema of a grade."""
        return grade_schema(rubric.criteria)

    def rubric_variables(self) -> Mapping[str, Any]:
        """Return the variables of `judged_variables`, with a JSON object in every place that may hold one."""
        return {"input": Anything(), "expected": Anything(), "answer": "example", "value": Anything()}

    def parse(self, output: str, text: str) -> Parsed | Unusable:
        """Read an answer; only an empty one cannot be used."""
        return Parsed(Reply(text)) if text.strip() else Unusable("the answer is empty")

    def read_output(self, value: Any) -> Parsed | Unusable:
        """Read an answer that another program made: a text, or any JSON value."""
        return self.parse("answer", value) if isinstance(value, str) else Parsed(Reply(value))

    def output_json(self, output: Reply) -> Any:
        """Return the answer as it is."""
        return output.answer

    def context(self, output: str, value: Reply) -> dict[str, Any]:
        """Return `answer`, as later prompts see it."""
        return {output: value.answer}

    def asks(self, case: ChecksCase, rules: Rules) -> bool:
        """Return whether one of its checks is answered by others."""
        return any(check.type in ASKING for check in (*rules.checks, *case.checks))

    def measure(self, case: ChecksCase, output: Reply, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Run every check; yields what judges, scorers and embeddings are asked."""
        checked: list[Checked] = []
        whole = Reading(output.answer)
        for check in (*rules.checks, *case.checks):
            found = yield from run_check(check, case, whole, rules)
            checked.append(found)
        metrics, skipped = metrics_of(checked, frozenset() if rules.judge is None else rules.judge.warranted)
        counts = {"passRate": (sum(each.passed for each in checked), len(checked))} if "passRate" in metrics else {}
        asked = [
            (to_grade(each.check, case, reading), None if each.score is None else each.passed)
            for each in checked
            if each.check.type == "judge" and not (reading := Reading(output.answer, each.check.path)).missing
        ]
        tally = {**_tally(checked, output.answer), **judged_tally(rules.judge, asked)}
        tally = {name: group for name, group in tally.items() if group}
        return Measured(items_of(checked), counts, metrics, skipped, tally=tally)

    def judged(self, case: ChecksCase, output: Reply, rules: Rules) -> Iterator[tuple[Graded, Judging]]:
        """Yield what each check of type `judge` has graded."""
        for check in (*rules.checks, *case.checks):
            reading = Reading(output.answer, check.path)
            if check.type == "judge" and not reading.missing:
                graded = to_grade(check, case, reading)
                yield graded, opinion(rules.judge, graded)

    def bad_answer(self, case: ChecksCase, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return 0 on every metric that the case has: all its checks fail."""
        checked = [Checked(check, 0.0, reason) for check in (*rules.checks, *case.checks)]
        metrics, _ = metrics_of(checked, frozenset() if rules.judge is None else rules.judge.warranted)
        zeros = dict.fromkeys(metrics, 0.0)
        return CaseScore(case.id, "bad_answer", zeros, {}, {}, items_of(checked), problem=reason, raw=raw)

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return the checks that failed."""
        found: Items | None = score.explanation
        failed = () if found is None else tuple(each.label for each in found.items if each.state == "failed")
        return {"missedChecks": failed} if failed else {}

    def failure(self, name: str, item: str = "") -> str:
        """Return the type of a failed check; one with a name of its own does not say its type."""
        words = [each.partition(" ")[0] for each in (item, item.partition(": ")[2])]
        return f"failed {next((word for word in words if word in TIERS), 'named')} checks"

    def expected(self, case: ChecksCase) -> Iterator[Expected]:
        """Yield every check, and what judges and scorers are told to expect."""
        for check in case.checks:
            facts = {key: getattr(check, key) for key in ("weight", "path", "min", "case", "tolerance")}
            arguments = None if check.arguments is None else digest_json(check.arguments)
            wanted = msgspec.json.encode(check.wanted, order="deterministic").decode()
            yield Expected("check", f"{check.type} {wanted}", facts | {"arguments": arguments})
        if case.expected is not None:
            yield Expected("expected", "expected", {"value": digest_json(case.expected)})

    def lint(self, case: ChecksCase, rules: Rules) -> list[Finding]:
        """Every case has a check, each says something that can be looked for, and none stands twice."""
        found = list(_unanswerable(case.checks, rules))
        if not case.checks and not rules.checks:
            found.append(Finding("error", "no-checks", "the case has no checks", ("checks",)))
        seen: list[Check] = []
        for at, check in enumerate(case.checks):
            if check in seen:
                found.append(Finding("error", "check-twice", f"`{check.title}` stands twice", ("checks", at)))
            seen.append(check)
        return found

    def lint_rules(self, rules: Rules) -> list[Finding]:
        """Every check of the suite says something that can be looked for."""
        return list(_unanswerable(rules.checks, rules))

    def lint_suite(self, cases: Sequence[ChecksCase]) -> list[Finding]:
        """No input twice."""
        first: dict[str, str] = {}
        found: list[Finding] = []
        for case in cases:
            same_input = first.setdefault(digest_json(case.input), case.id)
            if same_input != case.id:
                found.append(Finding("warning", "input-twice", f"`{case.id}` has the input of `{same_input}`"))
        return found


def _unanswerable(checks: Sequence[Check], rules: Rules) -> Iterator[Finding]:
    for at, check in enumerate(checks):
        if problem := check_problem(check, rules):
            yield Finding("error", "invalid-check", problem, ("checks", at))


def _tally(checked: Sequence[Checked], answer: Any) -> Tally:
    """Count states, failed checks by type, judgements, and of operations what was chosen and what was expected."""
    judged = [each for each in checked if each.check.type == "judge"]
    chosen = (
        f"{action_of(Reading(answer, each.check.path)) or 'none'}\t{each.check.wanted}"
        for each in checked
        if each.check.type == "action"
    )
    groups = {
        "checks": counted([each.state for each in checked]),
        "failedChecks": counted([each.check.type for each in checked if each.state == "failed"]),
        "operations": counted(list(chosen)),
        "judgements": counted(["failed" if each.score is None else "given" for each in judged]),
    }
    return {name: counts for name, counts in groups.items() if counts}


def check_problem(check: Check, rules: Rules) -> str:
    """Return why a check can never be answered; empty for one that can."""
    if check.path is not None and (problem := path_problem(check.path)):
        return f"`path` is not a JSON path: {problem}"
    match check.type:
        case "regex" if problem := pattern_problem(check.wanted):
            return f"`regex` is not a regular expression: {problem}"
        case "json_schema" if problem := schema_problem(check.wanted):
            return f"`json_schema` cannot be used: {problem}"
        case "number" if quantity(check.wanted) is None:
            return f"`number` is not a number: {check.wanted}"
        case "semantic" if rules.semantic is None:
            return "`semantic` needs [suites.NAME.matching.semantic] in row3.toml"
        case "judge" if rules.judge is None or check.wanted not in rules.judge.rubrics:
            return f"there is no rubric prompts/{check.wanted}-v*.md"
    return ""


KIND = Checks()
