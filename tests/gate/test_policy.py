"""Drops and limits: the grammar of limits, what it refuses, and what is beyond one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.judgements import Code, Verdict
from row3.domain.scores import Metric
from row3.errors import UsageError
from row3.gate.policy import (
    SHAPE,
    UNITS,
    FigureChange,
    Figures,
    GatePolicy,
    Unit,
    check_known,
    exceeds,
    figure_reasons,
    parse_limits,
    split_limits,
    worse_by,
)
from tests.rows import every_row

METRICS = ("recall", "precision", "f1", "provenanceCoverage", "hallucinationRate", "overall", "relationshipRecall")
WHERE = "--fail"
PROCEED, INVESTIGATE, BLOCK = Verdict
FRACTION = st.floats(0, 1)
OVERALL = Metric("overall", "Overall")
RECALL = Metric("recall", "Recall")
RATE = Metric("hallucinationRate", "Hallucination rate", higher_is_better=False)
GATED = GatePolicy(metrics=("overall",))
UNGATED = GatePolicy()


def parsed(text: str) -> dict[str, float]:
    return parse_limits(text, METRICS, where=WHERE, also={})


@every_row(
    ("text", "limits"),
    [
        ("overall:5", {"overall": 5.0}),
        ("overall:5,recall:3,hallucination:0", {"overall": 5.0, "recall": 3.0, "hallucinationRate": 0.0}),
        (" overall : 2.5 , recall:1e1 ", {"overall": 2.5, "recall": 10.0}),
        ("OVERALL:5,hallucinationrate:1", {"overall": 5.0, "hallucinationRate": 1.0}),
        ("rec:3", {"recall": 3.0}),
        ("rel:3", {"relationshipRecall": 3.0}),
        ("f:3", {"f1": 3.0}),
    ],
)
def test_limits_are_parsed(text: str, limits: dict[str, float]) -> None:
    assert parsed(text) == limits


def test_an_exact_name_wins_over_longer_ones() -> None:
    assert parse_limits("recall:3", ("recallAtTen", "recall"), where=WHERE, also={}) == {"recall": 3.0}


@every_row(
    ("text", "what", "fix"),
    [
        ("", "`` is not a limit", SHAPE),
        ("overall", "`overall` is not a limit", SHAPE),
        (":5", "`:5` is not a limit", SHAPE),
        ("overall:5,", "`` is not a limit", SHAPE),
        ("overall:", "`` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:-1", "`-1` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:inf", "`inf` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:nan", "`nan` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:5%", "`5%` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:5:6", "`5:6` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:+5", "`+5` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:1_0", "`1_0` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:٣", "`٣` is not a limit for overall", "Use a number from 0 to 100"),
        ("overall:100.5", "`100.5` is not a limit for overall", "Use a number from 0 to 100"),
        ("p:3", "`p` could be precision or provenanceCoverage", "Write more of the name"),
        ("rec:3,recall:4", "`recall` has two limits", "Keep one of them"),
        ("recal:3", "`recal` is not a metric of this kind", "Did you mean `recall`?"),
        (
            "relationshiprecal:3",
            "`relationshiprecal` is not a metric of this kind",
            "Did you mean `relationshipRecall`?",
        ),
        ("overal1:3", "`overal1` is not a metric of this kind", "Did you mean `overall`?"),
        ("zzz:3", "`zzz` is not a metric of this kind", f"Metrics: {', '.join(METRICS)}"),
    ],
)
def test_invalid_limits_are_refused(text: str, what: str, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(text)
    assert (caught.value.what, caught.value.where, caught.value.fix) == (what, WHERE, fix)


@given(st.dictionaries(st.sampled_from(METRICS), st.floats(0, 100), min_size=1))
def test_written_limits_are_read_back(limits: dict[str, float]) -> None:
    assert parsed(",".join(f"{key}:{limit!r}" for key, limit in limits.items())) == limits


def test_a_metric_without_its_own_limit_has_the_gates() -> None:
    policy = GatePolicy(block=4.0, limits={"recall": 0.0})
    assert (policy.limit("recall"), policy.limit("overall")) == (0.0, 4.0)


def test_other_names_are_accepted() -> None:
    also = {"entity_recall": "recall", "type_accuracy": "typeAccuracy", "entity_f1": "f1"}
    text, keys = "entity_recall:3,Type_Accuracy:4", ["recall", "relationshipAccuracy", "typeAccuracy"]
    assert parse_limits(text, keys, where="--fail", also=also) == {"recall": 3.0, "typeAccuracy": 4.0}
    with pytest.raises(UsageError):
        parse_limits("entity_f1:3", keys, where="--fail", also=also)


class TestWorseBy:
    def test_points(self) -> None:
        assert worse_by(OVERALL, 0.80, 0.74, "points") == pytest.approx(6.0)
        assert worse_by(OVERALL, 0.74, 0.80, "points") == pytest.approx(-6.0)
        assert worse_by(RATE, 0.01, 0.03, "points") == pytest.approx(2.0)

    def test_relative_to_the_baseline(self) -> None:
        assert worse_by(OVERALL, 0.80, 0.76, "relative") == pytest.approx(5.0)
        assert worse_by(OVERALL, 0.40, 0.36, "relative") == pytest.approx(10.0)

    @pytest.mark.parametrize("before", [0.0, 0.02, 0.4])
    def test_a_rate_that_is_better_low_is_compared_in_points(self, before: float) -> None:
        assert worse_by(RATE, before, before + 0.01, "relative") == pytest.approx(1.0)
        policy = GatePolicy(unit="relative")
        assert policy.margin(RATE, before) == pytest.approx(0.05)
        assert policy.margin(OVERALL, 0.4) == pytest.approx(0.02)

    def test_a_baseline_of_zero_is_compared_in_points(self) -> None:
        assert worse_by(RATE, 0.0, 0.03, "relative") == pytest.approx(3.0)
        assert worse_by(OVERALL, 0.0, 0.03, "relative") == pytest.approx(-3.0)

    @given(FRACTION, FRACTION, st.booleans(), st.sampled_from(["points", "relative"]))
    @settings(deadline=None)
    def test_positive_is_worse(self, before: float, after: float, higher: bool, unit: Unit) -> None:
        worse = worse_by(Metric("m", "M", higher_is_better=higher), before, after, unit)
        drop = before - after if higher else after - before
        assert (worse > 0, worse < 0) == (drop > 0, drop < 0) or abs(drop) < 1e-300


class TestBeyondTheLimit:
    @pytest.mark.parametrize("policy", [GatePolicy(), GatePolicy(limits={"overall": 3.0}), GatePolicy(unit="relative")])
    @given(before=FRACTION, after=FRACTION, metric=st.sampled_from([OVERALL, RATE]))
    def test_it_is_a_fall_of_more_than_the_margin(
        self, policy: GatePolicy, before: float, after: float, metric: Metric
    ) -> None:
        drop, margin = metric.drop(before, after), policy.margin(metric, before)
        if abs(drop - margin) > 1e-8:
            assert policy.beyond_limit(metric, before, after) == (drop > margin)

    def test_a_metric_has_its_own_limit(self) -> None:
        policy = GatePolicy(limits={"overall": 3.0})
        assert [policy.beyond_limit(metric, 0.8, 0.76) for metric in (OVERALL, RECALL)] == [True, False]

    def test_a_value_that_is_no_number_is_beyond_any_limit(self) -> None:
        assert exceeds(float("nan"), 100.0)
        assert not exceeds(None, 0.0)


VALUE = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("text", "metrics", "others", "limits"),
    [
        ("overall:5", ("overall",), "overall:5", {}),
        ("tokens:20%", (), "", {"tokens": 20.0}),
        ("overall:5,Cost: 2.5 %,recall:3", (), "overall:5,recall:3", {"cost": 2.5}),
        ("cost:20,cost:20%", ("cost",), "cost:20", {"cost": 20.0}),  # kind `checks` has a metric of this name
        ("tokens", (), "tokens", {}),  # no limit at all, which the limits of metrics report
    ],
)
def test_limits_in_per_cent_are_those_of_figures(
    text: str, metrics: tuple[str, ...], others: str, limits: dict[str, float]
) -> None:
    assert split_limits(text, metrics, where="--fail") == (others, limits)


@pytest.mark.parametrize(
    ("text", "fix"), [("tokens:", "tokens:20%"), ("Cost:5", "cost:5%"), ("latency:x", "latency:20%")]
)
def test_a_limit_of_a_figure_that_is_no_share_says_how_to_write_it(text: str, fix: str) -> None:
    with pytest.raises(UsageError, match="is a share of the base's") as caught:
        split_limits(text, ("recall",), where="--fail")
    assert caught.value.fix == f"Write {fix}"


@given(VALUE, VALUE, st.floats(0, 1000))
def test_only_a_rise_beyond_the_limit_blocks(before: float, now: float, limit: float) -> None:
    change = FigureChange("tokens", before, now, 3, limit)
    reasons = list(figure_reasons([change]))
    if now <= before * (1 + limit / 100):
        assert reasons == []
    elif change.rise > limit + 1e-6:
        (reason,) = reasons
        assert (reason.code, reason.verdict, reason.subject) == (Code.WORSE, Verdict.BLOCK, "tokens")
        assert reason.key == ("worse", "figure tokens")
    assert not list(figure_reasons([FigureChange("tokens", before, now, 3)]))
    assert all(value is None or math.isfinite(value) for value in change.as_json().values())


@given(st.lists(st.tuples(*[st.dictionaries(st.sampled_from(list(UNITS)), VALUE)] * 2), max_size=8))
def test_a_case_counts_for_what_both_sides_know(cases: list[tuple[dict[str, float], dict[str, float]]]) -> None:
    figures = Figures()
    for before, now in cases:
        figures.add(before, now)
    changes = {change.key: change for change in figures.changes({"cost": 10.0})}
    for key in UNITS:
        known = [(before[key], now[key]) for before, now in cases if key in before and key in now]
        assert (key in changes) is bool(known)
        if known:
            assert changes[key].cases == len(known)
            assert changes[key].now == pytest.approx(sum(now for _, now in known) / len(known))
            assert changes[key].limit == (10.0 if key == "cost" else None)
        else:
            with pytest.raises(UsageError, match=f"no case has the {key}"):
                check_known(changes.values(), {key: 1.0}, where="row3.toml")
