"""Cases whose text is another than the baseline's, counted beside those that can be compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.metrics import Metric
from row3.domain.verdicts import Verdict
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.workflows.comparing.other_texts import other_text_reasons

METRICS = (Metric("recall", "Recall"), Metric("rate", "Rate", higher_is_better=False), Metric("shown", "Shown"))
POLICY = GatePolicy(metrics=("recall", "rate"))
Sides = list[tuple[float, float]]


def pairs_of(key: str, values: Sides) -> Pairs:
    pairs = Pairs()
    for before, after in values:
        pairs.add({key: before}, {key: after})
    return pairs


@pytest.mark.parametrize(
    ("key", "pairs", "others", "told"),
    [
        ("recall", [(1.0, 1.0)] * 2, [(1.0, 0.8)] * 2, "Recall fell from 100.0% to 90.0% (more than 5) with 2 cases"),
        ("recall", [], [(0.9, 0.8)], "Recall fell from 90.0% to 80.0% (more than 5) with 1 case"),
        ("recall", [(1.0, 1.0)] * 3, [(1.0, 0.97)], ""),  # less than 1 point is nothing
        ("recall", [(1.0, 0.5)] * 3, [], ""),  # what can be compared has grounds of its own
        ("recall", [(0.5, 1.0)], [(1.0, 0.5)], ""),
        ("rate", [(0.0, 0.0)], [(0.0, 0.2)], "Rate fell from 0.0% to 10.0% (more than 5) with 1 case"),
        ("shown", [], [(1.0, 0.0)], ""),
    ],
)
def test_the_mean_over_both_is_held_to_the_limit(key: str, pairs: Sides, others: Sides, told: str) -> None:
    reasons = other_text_reasons(pairs_of(key, pairs), pairs_of(key, others), METRICS, POLICY)
    whole = f"{told} whose text is another than the baseline's"
    assert [reason.text for reason in reasons] == ([whole] if told else [])
    assert all(reason.verdict is Verdict.BLOCK and reason.metric == key for reason in reasons)


@pytest.mark.parametrize(
    ("pairs", "others", "told"),
    [
        ([(1.0, 1.0)] * 3, [(1.0, 0.8)], "Recall fell from 100.0% to 95.0% with 1 case"),  # 5.0 is not more than 5
        ([(1.0, 1.0)], [(1.0, 0.98)], "Recall fell from 100.0% to 99.0% with 1 case"),
        ([(1.0, 0.94)], [(1.0, 1.0)], ""),  # told where the cases that can be compared are
    ],
)
def test_a_smaller_fall_is_to_be_investigated(pairs: Sides, others: Sides, told: str) -> None:
    reasons = other_text_reasons(
        pairs_of("recall", pairs), pairs_of("recall", others), METRICS, POLICY, whose="that rest"
    )
    assert [reason.text for reason in reasons] == ([f"{told} that rest"] if told else [])
    assert all(reason.verdict is Verdict.INVESTIGATE for reason in reasons)


unit = st.floats(0, 1)


@given(pairs=st.lists(st.tuples(unit, unit)), others=st.lists(st.tuples(unit, unit), min_size=1))
def test_it_is_the_mean_of_all_of_them(pairs: Sides, others: Sides) -> None:
    every = [*pairs, *others]
    lost = 100 * sum(before - after for before, after in every) / len(every)
    reasons = other_text_reasons(pairs_of("recall", pairs), pairs_of("recall", others), METRICS, POLICY)
    if abs(lost - 5) > 1e-6:
        assert any(reason.verdict is Verdict.BLOCK for reason in reasons) is (lost > 5)
