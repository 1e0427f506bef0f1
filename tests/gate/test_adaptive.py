"""Rounds of an adaptive comparison: evidence, stopping, and error rates by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row3.domain.changes import ChangeCode, Interval, MetricChange, Rounds
from row3.domain.verdicts import Verdict
from row3.gate.adaptive import ALPHA_LAST, ALPHA_ROUNDS, Margin, Progress, assess, capital, judge_rounds
from row3.gate.policy import GatePolicy, PolicyName
from tests.rows import every_row

MARGIN = Margin(0.05, highest=0.85)
ROUNDS = st.integers(1, 12).flatmap(
    lambda cases: st.lists(
        st.lists(st.floats(-0.85, 0.85).map(lambda value: round(value, 3)), min_size=cases, max_size=cases),
        min_size=1,
        max_size=5,
    )
)


class TestMargin:
    def test_points(self) -> None:
        assert (MARGIN.null, MARGIN.lowest, MARGIN.best, MARGIN.gap) == (-0.05, -0.85, 0.85, 0.05)
        assert MARGIN.difference(0.8, 0.7) == pytest.approx(-0.1)

    def test_lower_is_better(self) -> None:
        assert Margin(0.05, higher_is_better=False).difference(0.1, 0.3) == pytest.approx(-0.2)

    def test_relative_to_the_baseline(self) -> None:
        # Keeping exactly nine tenths of the baseline is a difference of 0, at the limit.
        margin = Margin(0.1, relative=True, highest=0.85)
        assert margin.null == 0.0
        assert margin.difference(0.8, 0.72) == pytest.approx(0.0)
        assert (margin.lowest, margin.best) == (pytest.approx(-0.765), 0.85)
        worse = Margin(0.1, relative=True, higher_is_better=False)
        assert worse.difference(0.2, 0.22) == pytest.approx(0.0)

    @every_row("limit", [0.0, 0.05, 1.0, 3.0])
    @every_row("relative", [False, True])
    @every_row("up", [False, True])
    def test_any_limit_can_be_judged(self, limit: float, relative: bool, up: bool) -> None:
        margin = Margin(limit, relative, up)
        assert margin.lowest < margin.null < margin.best
        assert margin.enough >= 0
        assert assess([[margin.difference(0.5, 0.5)] * 3], margin, most=2).cases == 3

    def test_of_a_policy(self) -> None:
        policy = GatePolicy(unit="relative", block=8.0, limits={"recall": 3.0})
        assert Margin.of(policy, "recall") == Margin(0.03, relative=True)
        assert Margin.of(policy, "overall").limit == 0.08

    def test_enough_differences_include_a_rare_answer(self) -> None:
        # With 98 %, 77 differences include a total loss that is frequent enough to cost the limit.
        assert Margin(0.05).enough == math.ceil(math.log(ALPHA_LAST) / math.log(0.95)) == 77
        assert MARGIN.enough == 65


class TestStand:
    def test_by_hand(self) -> None:
        # One round: the bet is the width times gap / (0.02 + gap^2), capped at 0.9 of what either side allows.
        bet = 1.7 * 0.05 / (0.02 + 0.0025)
        low, high = bet, min(bet, 0.9 / (1 - 0.8 / 1.7))
        progress = assess([[0.0, -0.17]], MARGIN, most=5)
        x, m = [0.5, 0.4], 0.8 / 1.7
        up, down = min(low, 0.9 / m), min(high, 0.9 / (1 - m))
        assert progress.within == pytest.approx((1 + up * (x[0] - m)) * (1 + up * (x[1] - m)))
        assert progress.loss == pytest.approx((1 - down * (x[0] - m)) * (1 - down * (x[1] - m)))
        assert (progress.rounds, progress.cases, progress.stop) == (1, 2, None)

    @given(ROUNDS)
    @settings(deadline=None, max_examples=60)
    def test_a_round_bets_the_same_on_every_case(self, rounds: list[list[float]]) -> None:
        """So neither the order of the cases nor the previous round matters."""
        turned = [list(reversed(each)) for each in rounds]
        here, there = assess(rounds, MARGIN, most=9), assess(turned, MARGIN, most=9)
        assert (here.loss, here.within) == (pytest.approx(there.loss), pytest.approx(there.within))
        if len(rounds) > 1 and rounds[-1] and here.loss > 0.0:
            before = assess(rounds[:-1], MARGIN, most=9)
            last = capital(
                rounds[-1],
                [1.7 * 0.05 / (np.var([v for r in rounds[:-1] for v in r], ddof=1) + 0.0025)] * len(rounds[-1])
                if sum(map(len, rounds[:-1])) > 1
                else [1.7 * 0.05 / 0.0225] * len(rounds[-1]),
                null=MARGIN.null,
                lowest=MARGIN.lowest,
                highest=MARGIN.best,
            )
            assert here.loss == pytest.approx(before.loss * last[1], rel=1e-6)

    @given(ROUNDS, st.integers(1, 5))
    @settings(deadline=None, max_examples=60)
    def test_it_always_stops_and_never_decides_both(self, rounds: list[list[float]], most: int) -> None:
        progress = assess(rounds[:most], MARGIN, most=most)
        if len(rounds) >= most:
            assert progress.stop is not None
        if progress.stop == "loss" and progress.loss >= 1 / ALPHA_ROUNDS:
            assert progress.within < progress.loss
        assert progress.needs is None or progress.stop in ("few", "open")
        assert progress.needs is None or progress.needs > progress.cases

    def test_mirrored_differences_swap_the_capitals(self) -> None:
        """Mirroring the differences and the range at the limit swaps the two capitals."""
        margin = Margin(0.0)
        one, two = assess([[0.3, -0.2, 0.1]], margin, most=5), assess([[-0.3, 0.2, -0.1]], margin, most=5)
        assert (one.loss, one.within) == (pytest.approx(two.within), pytest.approx(two.loss))

    def test_answers_that_repeat_word_for_word(self) -> None:
        progress = assess([[-0.1] * 10] * 2, MARGIN, most=5, repeated=20, changed=0)
        assert progress.stop == "steady"
        assert assess([[-0.1] * 10] * 2, MARGIN, most=5, repeated=20, changed=1).stop is None

    def test_too_few_cases_stop_early_unless_a_loss_is_seen(self) -> None:
        assert assess([[0.0, 0.02, -0.02]] * 2, MARGIN, most=5, repeated=6, changed=3).stop == "few"
        assert assess([[-0.1, -0.08, -0.12]] * 2, MARGIN, most=5, repeated=6, changed=3).stop is None
        assert assess([[-0.1, -0.08, -0.12]] * 5, MARGIN, most=5, repeated=24, changed=3).stop == "loss"
        assert assess([[]], MARGIN, most=5).stop == "few"

    def test_a_large_loss_is_shown_at_once(self) -> None:
        assert assess([[-0.5] * 15], MARGIN, most=5).stop == "loss"
        assert assess([[0.2] * 30], MARGIN, most=5).stop == "within"

    def test_one_round_decides_nothing(self) -> None:
        assert assess([[-0.1, -0.11, -0.12]], MARGIN, most=1).stop == "open"

    @every_row("rounds", [[], [[0.1], [0.1, 0.2]]])
    def test_arguments(self, rounds: list[list[float]]) -> None:
        with pytest.raises(ValueError, match="rounds"):
            assess(rounds, MARGIN, most=5)


Draw = Callable[[np.random.Generator, int, float], Callable[[], np.ndarray]]


def steady(rng: np.random.Generator, n: int, effect: float) -> Callable[[], np.ndarray]:
    """Cases differ by 10 points, answers by 8."""
    own = rng.normal(0, 0.1, n) if effect else np.zeros(n)
    own += effect - own.mean()
    return lambda: np.clip(own + rng.normal(0, 0.08 * math.sqrt(2), n), -0.85, 0.85)


def uneven(rng: np.random.Generator, n: int, effect: float) -> Callable[[], np.ndarray]:
    """One case in five varies by 30 points, the others by 2."""
    noise = np.where(np.arange(n) % 5 == 0, 0.3, 0.02) * math.sqrt(2)
    return lambda: np.clip(effect + rng.normal(0, 1, n) * noise, -0.85, 0.85)


def failing(rng: np.random.Generator, n: int, effect: float) -> Callable[[], np.ndarray]:
    """One answer in twenty fails on both sides; the candidate's fail more often, by the effect."""
    once = 0.05 - effect / 0.8
    return lambda: -0.8 * (rng.random(n) < once) + 0.8 * (rng.random(n) < 0.05) + rng.normal(0, 0.02, n)


def hitting(rng: np.random.Generator, n: int, effect: float) -> Callable[[], np.ndarray]:
    """One case in five takes the whole effect; answers vary by 5."""
    own = np.where(np.arange(n) % 5 == 0, effect * n / math.ceil(n / 5), 0.0)
    return lambda: np.clip(own + rng.normal(0, 0.05 * math.sqrt(2), n), -0.85, 0.85)


DRAWS: dict[str, Draw] = {"steady": steady, "uneven": uneven, "failing": failing, "hitting": hitting}


def simulated(draw: Draw, cases: int, effect: float, runs: int, seed: int = 5) -> tuple[dict[str, float], float]:
    """Return the share of runs by outcome, and the share of the requests of five full rounds."""
    rng = np.random.default_rng(seed)
    ends: dict[str, int] = {}
    asked = 0
    for _ in range(runs):
        sample = draw(rng, cases, effect)
        rounds: list[list[float]] = []
        progress: Progress | None = None
        while progress is None or progress.stop is None:
            rounds.append([min(0.85, max(-0.85, float(value))) for value in sample()])
            progress = assess(rounds, MARGIN, most=5)
        ends[progress.stop] = ends.get(progress.stop, 0) + 1
        asked += progress.rounds
    return {stop: count / runs for stop, count in ends.items()}, asked / runs / 5


def allowed(runs: int, rate: float = ALPHA_ROUNDS + ALPHA_LAST) -> float:
    return rate + 3 * math.sqrt(rate * (1 - rate) / runs)


class TestErrors:
    def test_equal_prompts_are_not_blocked(self) -> None:
        ends, asked = simulated(steady, 60, 0.0, 2000)
        assert ends.get("loss", 0.0) <= 0.05
        assert ends["within"] > 0.99
        assert asked < 0.5

    def test_a_drop_of_twice_the_limit_is_detected_with_less_than_half_of_the_requests(self) -> None:
        ends, asked = simulated(steady, 60, -0.1, 2000)
        assert asked < 0.5
        # Five full rounds with a single test at the end detect no more.
        rng = np.random.default_rng(6)
        found = 0
        for _ in range(200):
            sample = steady(rng, 60, -0.1)
            last = assess([[float(v) for v in sample()] for _ in range(5)], MARGIN, most=5)
            found += last.stop == "loss"
        assert ends["loss"] >= found / 200 - 0.005

    @every_row("draw", DRAWS)
    @every_row("cases", [5, 15, 60])
    def test_equal_prompts_rarely_block_under_any_noise(self, draw: str, cases: int) -> None:
        ends, _ = simulated(DRAWS[draw], cases, 0.0, 300)
        assert ends.get("loss", 0.0) < allowed(300)

    @every_row("draw", DRAWS)
    @every_row("cases", [15, 60])
    def test_a_drop_at_the_limit_is_decided_no_more_often_than_promised(self, draw: str, cases: int) -> None:
        ends, _ = simulated(DRAWS[draw], cases, -0.05, 300)
        assert ends.get("loss", 0.0) < allowed(300)
        assert ends.get("within", 0.0) < allowed(300)

    def test_repeating_only_unstable_cases_would_pass_a_loss(self) -> None:
        """Why all cases are asked again: one in ten candidate answers fails, which costs 8 points on average."""
        rng = np.random.default_rng(7)
        passed = 0
        for _ in range(500):
            first, second = (-0.8 * (rng.random(15) < 0.1) for _ in range(2))
            wavering = first != second
            total = first + second
            for _ in range(3):
                total += np.where(wavering, -0.8 * (rng.random(15) < 0.1), total / 2)
            passed += total.mean() / 5 > -0.05
        assert passed / 500 > 0.3


def change(delta: float, verdict: Verdict, code: ChangeCode = "") -> MetricChange:
    known = Interval(delta, delta - 0.02, delta + 0.02, 0.95, 0.5, 0.01, 14.0, 15)
    return MetricChange("overall", 0.8, 0.8 + delta, delta, -100 * delta, verdict, 15, known, 5.0, code)


def progress(stop: str, rounds: int = 3, needs: int | None = None) -> Progress:
    return Progress(rounds, 5, 15, -0.06, 1.0, 1.0, stop, 60, 30, needs)  # type: ignore[arg-type]


BAD = change(-0.06, Verdict.BLOCK, "worse")
FINE = change(0.0, Verdict.PROCEED)
FIXED, PAIRED = GatePolicy(metrics=("overall",), policy="fixed"), GatePolicy(metrics=("overall",), policy="paired")


class TestJudged:
    @every_row("policy", ["fixed", "evidence"])
    def test_a_shown_loss_blocks(self, policy: PolicyName) -> None:
        found = judge_rounds(progress("loss"), BAD, FINE, GatePolicy(policy=policy))
        assert (found.verdict, found.code, found.rounds) == (Verdict.BLOCK, "worse", Rounds(3, 15, "loss"))

    def test_the_paired_policy_generalises_to_other_cases(self) -> None:
        found = judge_rounds(progress("loss"), BAD, FINE, PAIRED)
        assert (found.verdict, found.code, found.rounds) == (Verdict.INVESTIGATE, "inconclusive", Rounds(3, 15, "loss"))
        assert judge_rounds(progress("loss"), BAD, BAD, PAIRED) is BAD

    @every_row("stop", ["open", "few"])
    def test_an_undecided_loss_never_blocks_by_its_mean(self, stop: Literal["open", "few"]) -> None:
        found = judge_rounds(progress(stop, needs=22), BAD, BAD, FIXED)
        assert (found.verdict, found.code) == (Verdict.INVESTIGATE, "inconclusive")
        assert found.rounds == Rounds(3, 15, stop, 22)
        strict = GatePolicy(metrics=("overall",), inconclusive="block", policy="fixed")
        assert judge_rounds(progress(stop), FINE, FINE, strict).verdict is Verdict.BLOCK

    def test_a_loss_at_the_limit_gives_no_number_of_cases(self) -> None:
        rounds = [[-0.05 + 0.1 * (-1) ** (i + j) for i in range(20)] for j in range(5)]
        found = assess(rounds, MARGIN, most=5, repeated=80, changed=80)
        assert (found.stop, found.needs) == ("open", None)

    def test_without_noise_the_policy_decides_alone(self) -> None:
        assert judge_rounds(progress("steady"), BAD, FINE, FIXED) is BAD
        assert judge_rounds(progress("steady"), BAD, FINE, PAIRED) is FINE

    def test_a_ruled_out_loss_does_not_block(self) -> None:
        assert judge_rounds(progress("within"), FINE, FINE, FIXED) is FINE
        found = judge_rounds(progress("within"), BAD, BAD, FIXED)
        assert (found.verdict, found.code) == (Verdict.INVESTIGATE, "worse_unproven")


NULLS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: np.clip(rng.normal(0, 0.25, n), -1, 1),
    "flips": lambda rng, n: rng.choice([0.0, 1.0, -1.0], n, p=[0.9, 0.05, 0.05]),
    "few large losses": lambda rng, n: rng.choice([0.0, 0.1, -0.5], n, p=[0.7, 0.25, 0.05]),
    "one huge gain": lambda rng, n: rng.choice([-1 / 19, 1.0], n, p=[0.95, 0.05]),
}
"""Differences whose mean is exactly 0."""


def won(differences: Sequence[float], bet: float = 0.5) -> tuple[float, float]:
    return capital(differences, [bet] * len(differences), null=0.0, lowest=-1.0, highest=1.0)


class TestCapital:
    def test_by_hand(self) -> None:
        # x = 0.75 and 0 against m = 0.5.
        assert won([0.5]) == (pytest.approx(1.125), pytest.approx(0.875))
        assert won([0.5, -1.0]) == (pytest.approx(1.125 * 0.75), pytest.approx(0.875 * 1.25))
        assert won([]) == won([0.0] * 5) == (1.0, 1.0)

    def test_a_bet_is_cut_to_what_the_null_allows(self) -> None:
        assert won([-1.0], bet=9.0) == (pytest.approx(0.1), pytest.approx(1.9))

    @every_row("kind", NULLS)
    @every_row("cases", [5, 30, 100])
    def test_checking_after_every_case_keeps_the_error_rate(self, kind: str, cases: int) -> None:
        rng, rounds, alarms = np.random.default_rng(cases), 500, 0
        for _ in range(rounds):
            drawn = NULLS[kind](rng, cases).tolist()
            alarms += any(won(drawn[:seen])[1] >= 20 for seen in range(1, cases + 1))
        assert alarms / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)

    def test_capital_may_overflow_to_infinity(self) -> None:
        assert won([1.0] * 8000) == (math.inf, pytest.approx(0.0))
