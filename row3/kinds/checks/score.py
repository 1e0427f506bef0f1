"""Kind `checks`: assertions on any answer, by STRATEGY's three tiers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from row3.domain.asks import Ask
from row3.domain.judges import Graded, Judging
from row3.domain.matches import Items
from row3.domain.requests import canonical, digest_json
from row3.domain.scores import CaseScore, Metric, Tally, Threshold
from row3.kinds.answers import Parsed, Unusable, named_fault
from row3.kinds.base import Finding, Group, Judgeable, Kind, Lint, Measured, Rules, lint_error, signed
from row3.kinds.checks.model import TIERS, Check, ChecksCase, Reply, Tier
from row3.kinds.checks.quotes import sources
from row3.kinds.checks.reading import Reading
from row3.kinds.checks.running import Checked, action_of, ask, check_problem, look, to_grade
from row3.kinds.demands import Expected
from row3.kinds.judging import Anything, grade_schema, judged_tally, opinion
from row3.kinds.mistakes import Mistake, Mistakes
from row3.kinds.outputs import NO_FIELDS, Fields
from row3.metrics.aggregate import PAIR, counted

CORRECT = frozenset({"passed"})
"""States of checks that count as found."""
SPENDING = frozenset({"cost", "latency"})
"""Types that do not apply if an answer's cost or time is not known."""
ASKING = frozenset({"judge", "python", "cost", "latency"})
"""Types whose score depends on more than case and answer."""
OWED = frozenset({"judge", "python"})
"""Types whose score comes from a judge or scorer."""
TIER_METRICS: Mapping[Tier, str] = {"heuristic": "heuristicRate", "operation": "operationRate", "judged": "judgedRate"}
DROPS: Mapping[Tier, float] = {"heuristic": 10.0, "operation": 15.0, "judged": 20.0}
"""Drop that is a regression, in per cent, by tier (STRATEGY)."""
METRICS = (
    Metric("heuristicRate", "Heuristic checks", threshold=Threshold(0.95, 0.95, 1.0), optional=True),
    Metric("operationRate", "Operations", threshold=Threshold(0.80, 0.80, 0.95), optional=True),
    Metric("judgedRate", "Judged", share=True, threshold=Threshold(0.70, 0.70, 0.90), optional=True),
    Metric("casesPassed", "Cases passed", share=True),
    Metric("passRate", "Pass rate", threshold=Threshold(0.70, 0.80, 0.95)),
    *(Metric(name, name, companion=True, optional=True) for name in TIERS),
)


def metrics_of(checked: Sequence[Checked], warranted: frozenset[str]) -> tuple[dict[str, float], dict[str, str]]:
    """Return a case's metrics by key, and why others are skipped.

    passRate = sum of the weights of passed checks / sum of all weights; the metric of a tier or type is the weighted
    mean of its scores. A judged check counts in `passRate` and `casesPassed` only if its judge is warranted. A check
    without a score skips all its metrics, since leaving it out would raise them. Checks of cost and latency do not
    apply if these are unknown.
    """
    groups: dict[str, list[Checked]] = {}
    skipped: dict[str, str] = {}
    known: list[Checked] = []
    for each in checked:
        of_type = each.check.type
        if each.found is None and of_type in SPENDING:
            skipped[of_type] = f"the {of_type} is not known"
            continue
        known.append(each)
        for key in (TIER_METRICS[TIERS[of_type]], of_type):
            if each.found is None:
                skipped.setdefault(key, f"{of_type} without a score")
            groups.setdefault(key, []).append(each)
    metrics = {key: _score(group) for key, group in groups.items() if key not in skipped}
    counted = counted_checks(known, warranted)
    if unscored := next((each for each in counted if each.found is None), None):
        skipped |= dict.fromkeys(("passRate", "casesPassed"), f"{unscored.check.type} without a score")
    elif counted:
        total = sum([each.check.weight for each in counted])
        metrics["passRate"] = sum([each.check.weight for each in counted if each.passed]) / total
        metrics["casesPassed"] = float(all(each.passed for each in counted))
    else:
        skipped |= dict.fromkeys(("passRate", "casesPassed"), "no check counts")
    return metrics, skipped


def counted_checks(checked: Sequence[Checked], warranted: frozenset[str]) -> list[Checked]:
    """Return the checks that count in `passRate`: all but those whose judge is not warranted."""
    return [each for each in checked if each.check.type != "judge" or each.check.wanted in warranted]


def _score(group: Sequence[Checked]) -> float:
    """Return the weighted mean of scores, none of which is missing."""
    if len(group) == 1:
        return group[0].score
    return sum([each.check.weight * each.score for each in group]) / sum([each.check.weight for each in group])


def _lint(case: ChecksCase, rules: Rules) -> Iterator[Finding]:
    """Check that a case has checks, none of them twice, and that the suite can run them."""
    yield from _invalid_checks(case.checks, rules)
    if not case.checks and not rules.checks:
        yield lint_error("no-checks", "the case has no checks", ("checks",))
    for check in (*case.checks, *rules.checks):
        if check.type == "quotes" and not sources(case.input, check.wanted["from"]):
            what = f"the input has no text at `{check.wanted['from']}`, from which `{check.title}` takes quotes"
            yield lint_error("no-source", what, ("input",))
    for at, check in enumerate(case.checks):
        if check in case.checks[:at]:
            yield lint_error("check-twice", f"`{check.title}` is listed twice", ("checks", at))


def _graded(case: ChecksCase, output: Reply, rules: Rules) -> Iterator[tuple[Graded, Judging]]:
    """Yield what each check of type `judge` has graded, with a generator that asks again."""
    whole = Reading(output.answer)
    for check in (*rules.checks, *case.checks):
        reading = whole.at(check.path)
        if check.type == "judge" and not reading.missing:
            graded = to_grade(check, case, reading)
            yield graded, opinion(rules.judge, graded)


def _asks(case: ChecksCase, rules: Rules) -> bool:
    """Return whether a check needs a judge, a scorer, or the answer's cost or time."""
    return any(check.type in ASKING for check in (*rules.checks, *case.checks))


def _lacks(case: ChecksCase, rules: Rules) -> str:
    """Return the first rubric or setting that a check of the case lacks."""
    return next(filter(None, (check_problem(check, rules) for check in case.checks)), "")


def _functions(case: ChecksCase | None, rules: Rules) -> Iterable[str]:
    """Return the functions named by checks of type `python`."""
    checks = (*rules.checks, *(() if case is None else case.checks))
    return [check.wanted for check in checks if check.type == "python"]


def _example() -> dict[str, Any]:
    """Return the variables that `to_grade` gives a rubric, with an object wherever a JSON value may be one."""
    return {"input": Anything(), "expected": Anything(), "answer": "example", "value": Anything()}


class Checks(Kind):
    """Scores any answer by the checks of its case and those of the suite."""

    name = "checks"
    version = 8
    case_model = ChecksCase
    metrics = METRICS
    outputs: Mapping[str, type[Any]] = {"answer": Reply}
    groups = (Group("operations", "Operations", "expected", "right wrong", {"wrong": "wrongOperations"}),)
    lint = Lint(_lint, rules=lambda rules: _invalid_checks(rules.checks, rules))
    judgeable = Judgeable(
        rubrics=frozenset({"grade"}),
        metrics=frozenset({"judgedRate"}),
        schema=lambda rubric: grade_schema(rubric.criteria),
        example=_example,
        graded=_graded,
        asks=_asks,
        lacks=_lacks,
        functions=_functions,
    )
    settings = frozenset({"checks", "judge", "matching.semantic", "passes"})
    check_model = Check
    graded_as = "checks"
    gate_defaults: Mapping[str, Any] = {
        "unit": "relative",
        "block": 15.0,
        "inclusive": True,
        "limits": {TIER_METRICS[tier]: drop for tier, drop in DROPS.items()},
    }
    drops = gate_defaults["limits"] | {name: DROPS[tier] for name, tier in TIERS.items()}

    def signature(self, rules: Rules) -> str:
        """Return the scorer, the checks of the suite, the judge and the embedding rule."""
        shared = digest_json([check.plain() for check in rules.checks])[:16] if rules.checks else "none"
        judge = "" if rules.judge is None else f" {rules.judge.signature}"
        return signed(self, rules, f"checks {shared} passes {rules.passes}{judge}")

    def read_output(self, value: Any, fields: Fields = NO_FIELDS) -> Parsed | Unusable:
        """Take an answer made by another program: a text, or any JSON value."""
        return Reply.read(value) if isinstance(value, str) else Parsed(Reply(answer=value))

    def schema(self, output: str, rules: Rules) -> dict[str, Any]:
        """Return an empty schema: answers may have any form."""
        return {}

    def measure(self, case: ChecksCase, output: Reply, rules: Rules) -> Generator[Ask, Any, Measured]:
        """Run every check; yields requests to judges, scorers and embedding models."""
        checked: list[Checked] = []
        whole = Reading(output.answer)
        for check in (*rules.checks, *case.checks):
            reading = whole.at(check.path)
            found = look(check, reading, rules)
            checked.append(found or (yield from ask(check, case, reading, rules)))
        warranted = frozenset() if rules.judge is None else rules.judge.warranted
        metrics, skipped = metrics_of(checked, warranted)
        passed = [each.passed for each in counted_checks(checked, warranted) if each.found is not None]
        counts = {"passRate": (sum(passed), len(passed))} if "passRate" in metrics else {}
        asked = [
            (to_grade(each.check, case, reading), None if each.found is None else each.passed)
            for each in checked
            if each.check.type == "judge" and not (reading := whole.at(each.check.path)).missing
        ]
        tally = {**_tally(checked, whole), **judged_tally(rules.judge, asked)}
        return Measured(Items(checked, (), CORRECT), counts, metrics, skipped, tally=tally)

    def bad_answer(self, case: ChecksCase, reason: str, raw: str, rules: Rules) -> CaseScore:
        """Return a score of 0 on each of the case's metrics: all checks fail."""
        checked = [Checked(check, 0.0, reason) for check in (*rules.checks, *case.checks)]
        metrics, _ = metrics_of(checked, frozenset() if rules.judge is None else rules.judge.warranted)
        zeros = dict.fromkeys(metrics, 0.0)
        items, tally = Items(checked, (), CORRECT), named_fault(reason)
        return CaseScore(case.id, "bad_answer", zeros, {}, {}, items, problem=reason, raw=raw, tally=tally)

    def shortfall(self, score: CaseScore) -> dict[str, tuple[str, ...]]:
        """Return the failed checks."""
        found: Items | None = score.explanation
        failed = () if found is None else tuple(each.label for each in found.items if each.state == "failed")
        return {"missedChecks": failed} if failed else {}

    def mistakes(self, case: ChecksCase, score: CaseScore, rules: Rules) -> Mistakes:
        """Return the failed checks by type, and the checks without a score."""
        mistakes = []
        for each in score.explanation.items:
            of_type, reason, pair = str(each.notes["type"]), str(each.notes["reason"]), ""
            if each.state == "failed" and of_type == "action":
                pair = f"{reason.removeprefix('chose ')} for {each.label.removeprefix('action ')}"
            elif each.state == "failed" and of_type != "judge":
                pair = of_type
            cause = of_type if of_type in ("action", "judge") and each.state == "failed" else each.state
            if each.state != "passed":
                mistakes.append(Mistake(cause, each.label, note=reason, pair=pair))
        return Mistakes(tuple(mistakes), {"": len(score.explanation.items)})

    def failure(self, name: str, item: str = "") -> str:
        """Return the type of a failed check; one with its own name is just `named`."""
        words = [each.partition(" ")[0] for each in (item, item.partition(": ")[2])]
        return f"failed {next((word for word in words if word in TIERS), 'named')} checks"

    def expected(self, case: ChecksCase) -> Iterator[Expected]:
        """Yield every check, and the value that judges and scorers are given as expected."""
        for check in case.checks:
            facts = {key: getattr(check, key) for key in ("weight", "path", "min", "case", "tolerance")}
            arguments = None if check.arguments is None else digest_json(check.arguments)
            wanted = canonical(check.wanted)
            yield Expected("check", f"{check.type} {wanted}", facts | {"arguments": arguments})
        if case.expected is not None:
            yield Expected("expected", "expected", {"value": digest_json(case.expected)})


def _invalid_checks(checks: Sequence[Check], rules: Rules) -> Iterator[Finding]:
    for at, check in enumerate(checks):
        if problem := check_problem(check, rules):
            yield lint_error("invalid-check", problem, ("checks", at))


def _tally(checked: Sequence[Checked], whole: Reading) -> Tally:
    """Count states, failed checks by type, scores given and missing, and right and confused operations."""
    unscored = [each for each in checked if each.found is None and each.check.type not in SPENDING]
    given = sum([each.found is not None and each.check.type in OWED for each in checked])
    chosen = [
        (action_of(whole.at(each.check.path)) or "none", each.check.wanted)
        for each in checked
        if each.check.type == "action"
    ]
    groups = {
        "checks": counted([each.state for each in checked]),
        "failedChecks": counted([each.check.type for each in checked if each.state == "failed"]),
        "operations": counted(["right" if said == wanted else "wrong" for said, wanted in chosen]),
        "wrongOperations": counted([f"{said}{PAIR}{wanted}" for said, wanted in chosen if said != wanted]),
        "judgements": {state: n for state, n in (("failed", len(unscored)), ("given", given)) if n},
        "unscored": counted([f"{each.check.title}: {each.reason}" for each in unscored]),
    }
    return {name: counts for name, counts in groups.items() if counts}


KIND = Checks()
