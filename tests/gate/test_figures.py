"""Cost, tokens and latency: the grammar of their limits, and what rises beyond one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.domain.changes import Verdict
from row3.domain.judgements import Code
from row3.errors import UsageError
from row3.gate.figures import UNITS, FigureChange, check_known, figure_changes, figure_reasons, split_limits
from row3.gate.pairs import Pairs

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
    pairs = Pairs()
    for before, now in cases:
        pairs.add(before, now)
    changes = {change.key: change for change in figure_changes(pairs, {"cost": 10.0})}
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
