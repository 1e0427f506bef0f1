"""Alerts: one for a cause, none by chance or of three records, and over when production is well again."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from row3.integrations.monitoring.alerts import Alert, Window, alerts, alerts_of, unevaluated, unevaluated_of
from row3.integrations.monitoring.figures import CONDITIONS
from row3.integrations.monitoring.records import DAY_MS, HOUR_MS, Record, from_value, moment
from row3.integrations.monitoring.rows import Keeping, measure
from row3.integrations.monitoring.storage import Store
from row3.integrations.monitoring.tables import Totals
from row3.project.integration_config import AlertConfig, AlertsConfig
from tests.monitored import EVER, TEXT, jsonl, record, take
from tests.rows import every_row

BY_NAME = {condition.figure: condition for condition in CONDITIONS}


def hours(*totals: Totals | None) -> list[Window]:
    """Neighbouring hours; None is an hour without records."""
    return [Window(n * HOUR_MS, (n + 1) * HOUR_MS, each) for n, each in enumerate(totals) if each is not None]


def found(name: str, *totals: Totals | None, **setting: Any) -> list[tuple[int, int | None, float]]:
    """Begin and end in hours, and value, of each alert."""
    got = alerts_of(BY_NAME[name], AlertConfig(**setting), hours(*totals))
    return [(each.from_ms // HOUR_MS, each.to_ms and each.to_ms // HOUR_MS, each.value) for each in got]


def slow(ms: float, n: int = 50) -> Totals:
    return Totals(requests=n, timed=n, latency_sum=ms * n)


def failing(errors: int, n: int = 100) -> Totals:
    return Totals(requests=n, errors=errors)


DAY = [slow(1000)] * 24


class TestMeans:
    def test_one_alert_from_the_first_window_beyond_to_the_first_good_day(self) -> None:
        assert found("latency", slow(1000), slow(6000), slow(8000), *DAY) == [(1, 27, 7000)]

    def test_what_lasts_has_no_end(self) -> None:
        assert found("latency", slow(1000), slow(6000)) == [(1, None, 6000)]
        assert found("latency", slow(1000), slow(6000), *DAY[1:]) == [(1, None, 6000)]

    def test_each_cause_has_its_own(self) -> None:
        times = [each[:2] for each in found("latency", slow(6000), *DAY, slow(6000), *DAY)]
        assert times == [(0, 25), (25, 50)]

    def test_what_comes_back_within_a_day_is_one(self) -> None:
        times = [each[:2] for each in found("latency", slow(9000), *DAY[1:], slow(9000), *DAY)]
        assert times == [(0, 49)]

    def test_hours_without_records_do_not_end_it(self) -> None:
        assert found("latency", slow(6000), None, None, slow(6000), *DAY) == [(0, 28, 6000)]
        assert found("latency", slow(6000), *[None] * 40, slow(1000)) == [(0, None, 6000)]

    def test_the_threshold_itself_is_no_alert(self) -> None:
        assert found("latency", slow(5000)) == []

    def test_below_is_beyond_for_confidence_and_concepts(self) -> None:
        low = Totals(requests=30, concepts=30 * 9, confidences=30 * 9, confidence_sum=30 * 9 * 0.6)
        assert found("concepts", low) == [(0, None, 9)]
        assert found("confidence", low) == [(0, None, pytest.approx(0.6))]

    def test_three_records_alarm_only_with_those_that_follow(self) -> None:
        assert found("latency", slow(9000, 3), slow(1000)) == []
        assert found("latency", slow(9000, 12), slow(9000, 12), slow(1000)) == [(0, None, 9000)]
        assert found("latency", slow(9000, 3), *[None] * 30, slow(9000, 19), slow(1000)) == []

    def test_settings(self) -> None:
        assert found("latency", slow(6000), threshold=7000.0) == []
        assert found("latency", slow(6000, 3), min_records=3) == [(0, None, 6000)]


class TestRates:
    @every_row("errors", range(1, 8))
    def test_as_the_exact_binomial_test_of_scipy(self, errors: int) -> None:
        p = stats.binomtest(errors, 100, 0.01, alternative="greater").pvalue
        assert bool(found("errors", failing(errors))) == (p < 0.05 and errors > 1)

    def test_neighbouring_hours_together_are_no_chance(self) -> None:
        assert found("errors", failing(3)) == []
        assert found("errors", failing(3), failing(3), failing(0)) == [(0, None, 0.03)]

    def test_three_errors_of_three_are_too_few(self) -> None:
        assert found("errors", failing(3, 3)) == []

    @every_row(("per_hour", "days"), [(4, 4), (20, 2), (100, 1.1), (1000, 1)])
    @every_row("rate", [0.034, 0.06, 1.0])
    def test_a_week_of_errors_is_one_alert_until_days_after(self, per_hour: int, days: float, rate: float) -> None:
        single = 0
        for seed in range(20):
            errors = stats.binom.rvs(per_hour, rate, size=7 * 24, random_state=seed)
            week = [failing(int(n), per_hour) for n in errors]
            got = found("errors", *week, *[failing(0, per_hour)] * 24 * 7)
            _, end, value = got[-1]
            assert end is not None and end <= (7 + days) * 24 and value == pytest.approx(rate, rel=0.9)
            single += len(got) == 1
        assert single >= 19

    @every_row("errors", range(3))
    def test_ends_as_soon_as_the_exact_binomial_test_of_scipy_is_below(self, errors: int) -> None:
        calm = [failing(int(n in range(4, 4 + 4 * errors, 4)), 10) for n in range(200)]  # not significant together
        [(_, end, _)] = found("errors", failing(9), *calm)
        hours = next(
            n for n in range(24, 200) if stats.binomtest(errors, n * 10, 0.01, alternative="less").pvalue < 0.1
        )
        assert end == 1 + hours + hours % 2  # windows of 20 records

    def test_a_chance_error_in_a_good_day_does_not_prolong_it(self) -> None:
        calm = [failing(2 if n in (5, 15) else 0) for n in range(24)]
        assert [each[:2] for each in found("errors", failing(9), *calm)] == [(0, 25)]

    @given(st.lists(st.integers(0, 6), max_size=90))
    def test_alerts_of_a_figure_are_apart_and_end_with_a_good_day(self, errors: list[int]) -> None:
        got = found("errors", *map(failing, errors))
        for (begin, end, value), later in zip(got, [*got, None][1:], strict=True):
            assert value > 0.01
            assert end is not None or later is None
            if end is not None:
                assert end - begin > 24 and sum(errors[end - 24 : end]) <= 24
                assert later is None or later[0] >= end


class TestNotEvaluated:
    @every_row(
        ("given", "records"),
        [
            ([], 0),
            ([None, slow(9000, 12)], 12),
            ([slow(9000, 12), slow(9000, 8)], None),
            ([slow(9000, 12), *[None] * 23, slow(9000, 8)], 8),  # within a day, they would be enough
            ([slow(1000), slow(1000, 3)], None),  # an hour that is not over
            ([slow(1000), *[slow(1000, 0)] * 30], 0),
            ([slow(1000), *[None] * 50, slow(1000, 3)], 3),
            ([Totals(requests=99)], 0),  # none has a latency
        ],
    )
    def test_fewer_records_than_needed_in_a_day(self, given: list[Totals | None], records: int | None) -> None:
        got = unevaluated_of(BY_NAME["latency"], AlertConfig(), hours(*given))
        assert (got and got.records) == records
        if got is not None:
            assert got.text == f"Average latency: not evaluated: {records} of 20 records"

    def test_records_without_the_figure(self) -> None:
        got = unevaluated_of(BY_NAME["confidence"], AlertConfig(), hours(Totals(requests=99, concepts=99)))
        assert got is not None and got.records == 0

    @given(st.lists(st.integers(0, 25), max_size=60))
    def test_what_is_not_evaluated_has_too_few(self, numbers: list[int]) -> None:
        windows = hours(*(slow(9000, n) for n in numbers))
        got = unevaluated_of(BY_NAME["latency"], AlertConfig(), windows)
        assert (got is None) or got.records < 20
        assert (got is None) == (sum(numbers[-24:]) >= 20) or 20 <= sum(numbers[-24:]) < 40


class TestOfAStore:
    def test_a_quarter_of_an_hour(self, store: Store, tmp_path: Path) -> None:
        minutes = [
            record(f"r{n}", at=f"2026-11-01T10:{n:02}:00Z", latencyMs=9000 if n >= 30 else 10) for n in range(60)
        ]
        take(store, jsonl(*minutes), tmp_path)
        settings = AlertsConfig(latency=AlertConfig(window_minutes=15, min_records=5))
        with store.open() as connection:
            [quick] = [each for each in alerts(connection, settings, *EVER) if each.condition.figure == "latency"]
            hourly = [each for each in alerts(connection, AlertsConfig(), *EVER) if each.condition.figure == "latency"]
        assert moment(quick.from_ms) == "2026-11-01T10:30:00Z"
        assert quick.plain() == {
            "condition": "latency", "severity": "warning", "action": "Check API performance",
            "from": "2026-11-01T10:30:00Z", "to": None, "value": 9000, "threshold": 5000,
        }  # fmt: skip
        assert not hourly

    def test_canaries_without_a_source_text(self, store: Store, tmp_path: Path) -> None:
        concepts = [{"label": "acid rain"}, *({"label": f"concept {n}"} for n in range(9))]
        records = [record(f"r{n}", sourceText=None, concepts=concepts) for n in range(30)]
        take(store, jsonl(*records), tmp_path)
        with store.open() as connection:
            names = {each.condition.figure: each for each in alerts(connection, AlertsConfig(), *EVER)}
        assert names["hallucination"].value == pytest.approx(0.1)
        assert "concepts" not in names  # ten are enough

    def test_twelve_days_of_canaries_outside_the_sample(self, store: Store, tmp_path: Path) -> None:
        concepts = [{"label": "acid rain"}]
        records = [
            record(f"r{n}", at=moment(BEGIN_MS + n * DAY_MS // 96), sourceText=None, concepts=concepts)
            for n in range(12 * 96)
        ]
        take(store, jsonl(*records), tmp_path, Keeping(0.05, {"ecological": ("acid rain",)}))
        with store.open() as connection:
            names = {each.condition.figure: each for each in alerts(connection, AlertsConfig(), *EVER)}
        assert names["hallucination"].condition.severity == "critical"
        assert names["hallucination"].value == 1


@given(
    st.lists(st.sampled_from(["acid rain", "Acid Rains", "rain, acid", "wolves", "fungi", "trees"]), max_size=5),
    st.sampled_from([None, " ", TEXT]),
)
def test_canaries_outside_the_sample_are_those_of_the_sample(labels: list[str], text: str | None) -> None:
    one = from_value(record("r1", sourceText=text, concepts=[{"label": each} for each in labels]))
    assert isinstance(one, Record)
    canaries = {"ecological": ("acid rain", "wolves", "trees")}
    sampled, other = measure(one, canaries), measure(one, canaries, sampled=False)
    forbidden = sum(each != "fungi" and (each != "trees" or text != TEXT) for each in labels)
    assert other == (None, None, None, forbidden if labels else None)
    assert sampled.canaries == other.canaries
    assert measure(one, {}, sampled=False).canaries is None


BEGIN_MS = 1_793_491_200_000
MONTH = 30
INCIDENTS = [  # condition, day, hour, hours
    ("confidence", 2, 3, 4), ("latency", 4, 10, 2), ("errors", 5, 20, 3), ("cost", 8, 1, 6),
    ("hallucination", 10, 12, 5), ("concepts", 13, 23, 3), ("errors", 15, 9, 1), ("latency", 17, 0, 30),
    ("confidence", 19, 14, 2), ("hallucination", 22, 6, 8), ("cost", 25, 18, 2), ("concepts", 28, 4, 12),
]  # fmt: skip


def month(per_hour: int, chance: random.Random) -> list[dict[str, Any]]:
    """A month of production, busy by day and quiet by night, with what goes wrong in each incident."""
    records = []
    for hour in range(MONTH * 24):
        busy = 1.0 if 7 <= hour % 24 < 20 else 0.4
        wrong = {name for name, day, at, length in INCIDENTS if 0 <= hour - (day * 24 + at) < length}
        for _ in range(chance.randint(int(per_hour * busy * 0.8), int(per_hour * busy * 1.2))):
            at_ms = 1_793_491_200_000 + hour * HOUR_MS + chance.randrange(HOUR_MS)
            number = max(1, round(chance.gauss(7 if "concepts" in wrong else 14, 2)))
            confidence = 0.62 if "confidence" in wrong else 0.82
            failed = chance.random() < (0.05 if "errors" in wrong else 0.003)
            canary = 0.06 if "hallucination" in wrong else 0.004
            concepts = [
                {
                    "label": "acid rain" if chance.random() < canary else f"concept {chance.randrange(500)}",
                    "confidence": min(1.0, max(0.0, chance.gauss(confidence, 0.1))),
                }
                for _ in range(0 if failed else number)
            ]
            records.append(
                record(
                    f"r{len(records)}",
                    at=moment(at_ms),
                    latencyMs=chance.lognormvariate(0, 0.5) * (6000 if "latency" in wrong else 1500),
                    costUsd=chance.lognormvariate(0, 0.3) * (0.15 if "cost" in wrong else 0.03),
                    error="time-out" if failed else None,
                    sourceText=None,
                    concepts=concepts,
                    relationships=[],
                )
            )
    return records


@pytest.mark.slow
def test_a_month_with_twelve_incidents_has_twelve_alerts(store: Store, tmp_path: Path) -> None:
    chance = random.Random(7)
    take(store, jsonl(*month(100, chance)), tmp_path, Keeping(0.2, {"ecological": ("acid rain",)}))
    with store.open() as connection:
        got = alerts(connection, AlertsConfig(), *EVER)
    begun = 1_793_491_200_000
    assert [each.condition.figure for each in got] == [name for name, *_ in INCIDENTS]
    for alert, (_, day, hour, length) in zip(got, INCIDENTS, strict=True):
        planted = begun + day * DAY_MS + hour * HOUR_MS
        assert abs(alert.from_ms - planted) <= 2 * HOUR_MS
        assert alert.to_ms is not None
        assert abs(alert.to_ms - (planted + length * HOUR_MS + DAY_MS)) <= 2 * HOUR_MS


def test_alerts_of_nothing(store: Store) -> None:
    with store.open() as connection:
        assert alerts(connection, AlertsConfig(), *EVER) == list[Alert]()
        assert [each.condition for each in unevaluated(connection, AlertsConfig(), *EVER)] == list(CONDITIONS)
