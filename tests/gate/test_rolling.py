"""The rolling baseline: hand-computed means and drops, and the runs of the history that count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from row3.domain.judgements import Code, Reason, Verdict
from row3.domain.runs import HistoryEntry
from row3.domain.scores import Metric
from row3.gate.judging import judge
from row3.gate.policy import GatePolicy
from row3.gate.rolling import comparable_runs, rolling_baseline
from row3.gate.scores import Context, Scores
from row3.project.config import Config
from row3.project.criteria import loosened
from row3.project.suites import make_suite
from tests.rows import every_row

OVERALL = Metric("overall", "Overall")
RECALL = Metric("recall", "Recall")
RATE = Metric("rate", "Rate", higher_is_better=False)
POLICY = GatePolicy(metrics=("overall", "rate"), baseline="rolling")


def entry(value: float | None, number: int = 0, **given: Any) -> HistoryEntry:
    values: dict[str, Any] = {
        "run_id": f"r{number}",
        "at": "2026-11-01T00:00:00Z",
        "action": "compare",
        "suite": "bread",
        "prompts": {"extract": f"v1.{number}"},
        "model": "m",
        "mode": "replay",
        "cases": 3,
        "metrics": {} if value is None else {"overall": value},
        "scored": "abc",
    }
    return HistoryEntry(**values | given)


def entries(*values: float) -> list[HistoryEntry]:
    return [entry(value, number) for number, value in enumerate(values)]


def beside(history: list[HistoryEntry], current: HistoryEntry, policy: GatePolicy = POLICY) -> list[Reason]:
    return [*rolling_baseline(history, current, "replay", [RECALL, OVERALL, RATE], policy, primary="overall")]


def test_strategys_own_example_is_a_drop_of_20_per_cent():
    found = beside(entries(0.80, 0.90), entry(0.68, 9))  # mean 0.85; (0.85 - 0.68) / 0.85 = 0.20
    (reason,) = found
    assert (reason.code, reason.verdict, reason.subject) == (Code.ROLLING_DROP, Verdict.BLOCK, "overall")
    assert reason.figures["before"] == pytest.approx(0.85)
    assert reason.figures["drop"] == pytest.approx(0.20)
    assert reason.figures["runs"] == 2


@every_row(("current", "drops"), [(0.68, True), (0.6801, False), (0.5, True), (0.9, False)])
def test_a_drop_of_exactly_the_limit_blocks(current: float, drops: bool):
    history = entries(0.8, 0.8)  # 15 per cent of 0.8 are 0.12
    assert bool(beside(history, entry(current, 9))) is drops


TIERS = [("heuristicRate", 10), ("regex", 10), ("operationRate", 15), ("action", 15), ("judgedRate", 20), ("judge", 20)]


@every_row(("key", "drop"), [*TIERS, ("passRate", 15), ("casesPassed", 15)])
@every_row("own", [None, 12.0])
@every_row("more", [{}, {"block": 50.0}])
def test_the_drop_of_checks_is_their_tier_s_unless_one_is_set(
    key: str, drop: float, own: float | None, more: dict[str, float]
) -> None:
    gate = {"baseline": "rolling", "metrics": [key]} | ({} if own is None else {"drop": own}) | more
    suite = make_suite(
        Config.model_validate({"schema_version": 1, "suites": {"s": {"kind": "checks", "gate": gate}}}), "s"
    )
    history = [entry(0, n, metrics={key: 0.5 + n / 1e9}) for n in range(2)]
    for below, blocks in ((-0.001, False), (0.001, True)):
        now = entry(0, 9, metrics={key: 0.5 * (1 - (own or drop) / 100 - below)})
        found = rolling_baseline(history, now, "replay", suite.kind.metrics, suite.policy, primary="passRate")
        assert [each.verdict for each in found] == [Verdict.BLOCK] * blocks


@given(st.none() | st.floats(1, 40), st.none() | st.floats(1, 40))
def test_a_drop_that_permits_more_for_one_tier_is_a_loosened_rule(before: float | None, after: float | None) -> None:
    names = ["heuristicRate", "operationRate", "judgedRate"]
    usual = dict(TIERS)
    suites = []
    for drop in (before, after):
        gate = {"baseline": "rolling", "metrics": names, **({} if drop is None else {"drop": drop})}
        config = {"schema_version": 1, "suites": {"s": {"kind": "checks", "gate": gate}}}
        suites.append(make_suite(Config.model_validate(config), "s"))
    looser = any((after or usual[name]) > (before or usual[name]) for name in names)
    assert bool(loosened(*suites)) is looser


def test_only_the_last_runs_of_the_window_count():
    history = entries(0.1, 0.1, 0.5, 0.6, 0.7, 0.8, 0.9)  # the last five: mean 0.70
    assert beside(history, entry(0.56, 9))[0].figures["before"] == pytest.approx(0.70)
    narrow = GatePolicy(metrics=("overall",), baseline="both", window=2)  # 0.85
    assert beside(history, entry(0.56, 9), narrow)[0].figures["before"] == pytest.approx(0.85)


@pytest.mark.parametrize("level", [0.0, 0.01, 0.3])
def test_a_rate_that_is_better_low_drops_by_points(level: float):
    history = [entry(0.8, n, metrics={"overall": 0.8, "rate": level + n / 100}) for n in range(3)]
    mean = level + 0.01
    assert not beside(history, entry(0.8, 9, metrics={"overall": 0.8, "rate": mean + 0.149}))
    (reason,) = beside(history, entry(0.8, 9, metrics={"overall": 0.8, "rate": mean + 0.16}))
    assert (reason.subject, reason.verdict, round(reason.figures["drop"], 6)) == ("rate", Verdict.BLOCK, 0.16)


def codes(history: list[HistoryEntry], now: float, *, final: bool) -> list[Code]:
    found = rolling_baseline(history, entry(now, 9), "replay", [OVERALL], POLICY, primary="overall", final=final)
    return [each.code for each in found]


@pytest.mark.parametrize(
    ("values", "now", "confirmed"),
    [
        ((0.80, 0.82, 0.78, 0.81), 0.60, True),
        ((0.95, 0.60, 0.99, 0.66), 0.60, False),  # the runs differ as much
        ((0.80, 0.90), 0.60, False),  # two runs say little
        ((0.80, 0.80), 0.60, False),  # runs that are the same say nothing of noise
    ],
)
def test_a_drop_within_what_the_runs_differ_is_unconfirmed(values: tuple[float, ...], now: float, confirmed: bool):
    doubt = [] if confirmed else [Code.UNCONFIRMED]
    assert codes(entries(*values), now, final=False) == [Code.ROLLING_DROP, *doubt]
    assert codes(entries(*values), now, final=True) == [Code.ROLLING_DROP]


@given(st.lists(st.floats(0.7, 1), min_size=2, max_size=9, unique=True), st.floats(0, 0.5))
def test_noise_is_the_prediction_interval_of_one_more_run(values: list[float], now: float):
    latest = values[-POLICY.window :]
    spread = stats.tstd(latest) * (1 + 1 / len(latest)) ** 0.5
    p = stats.t.sf((sum(latest) / len(latest) - now) / spread, len(latest) - 1) if spread else 0.0
    if abs(p - 0.05) > 1e-6:
        assert (Code.UNCONFIRMED in codes(entries(*values), now, final=False)) is bool(p > 0.05)


def test_an_ungated_primary_metric_investigates_and_others_are_ignored():
    policy = GatePolicy(metrics=("rate",), baseline="rolling")
    history = [entry(0.8, n, metrics={"overall": 0.8, "recall": 0.8}) for n in range(2)]
    history[1] = entry(0.8, 1, metrics={"overall": 0.81, "recall": 0.8})
    (reason,) = beside(history, entry(0, 9, metrics={"overall": 0.1, "recall": 0.1}), policy)
    assert (reason.subject, reason.verdict) == ("overall", Verdict.INVESTIGATE)


def test_runs_of_a_different_suite_tier_scorer_or_case_do_not_count():
    others: list[dict[str, Any]] = [{"suite": "cake"}, {"mode": "live"}, {"scored": "other"}, {"scored": ""}]
    strange = [entry(0.1, n, **other) for n, other in enumerate(others)]
    history = [*strange, *entries(0.8, 0.9), entry(None, 5)]
    assert [each.metrics["overall"] for each in comparable_runs(history, "bread", "replay", "abc")] == [0.8, 0.9]


def test_a_replayed_run_counts_once_and_not_in_its_own_baseline():
    bad = entry(0.4, 9)
    history = [*entries(0.8), entry(0.8, 0, run_id="again"), *[entry(0.9, 1), bad, entry(0.4, 9, run_id="twice")]]
    assert [each.metrics["overall"] for each in comparable_runs(history, "bread", "replay", "abc")] == [0.8, 0.9, 0.4]
    assert beside(history, bad)[0].figures["before"] == pytest.approx(0.85)


@every_row("history", [[], entries(0.9)])
def test_fewer_than_two_runs_are_a_note(history: list[HistoryEntry]):
    (reason,) = beside(history, entry(0.1, 9))
    assert (reason.verdict, reason.figures) == (Verdict.PROCEED, {"runs": len(history)})


def test_the_gate_adds_the_reason_and_keeps_the_others():
    rolling = beside(entries(0.80, 0.90), entry(0.68, 9))
    scores = Scores(POLICY, [OVERALL], {}, cases=3, broke=["rye"])
    plain, judged = (judge("bread", [], [scores], Context(rolling=each)) for each in ((), rolling))
    assert (plain.verdict, judged.verdict) == (Verdict.INVESTIGATE, Verdict.BLOCK)
    assert {each.key for each in judged.reasons} == {each.key for each in plain.reasons} | {("rolling_drop", "overall")}


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9, unique=True), st.floats(0, 1), st.integers(2, 6))
def test_it_agrees_with_the_formula(values: list[float], now: float, window: int):
    policy = GatePolicy(metrics=("overall",), baseline="rolling", window=window)
    latest = values[-window:]
    mean = sum(latest) / len(latest)
    relative = (mean - now) / mean if mean > 1e-6 else 0.0
    if mean > 1e-6 and abs(relative - 0.15) > 1e-6 and now not in values:
        assert bool(beside(entries(*values), entry(now, 99), policy)) is (relative >= 0.15)
