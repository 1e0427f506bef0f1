"""What follows from the cases whose answers cannot be used, and what stands without them."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from row3.domain.metrics import Threshold, Zone
from row3.domain.verdicts import Verdict
from row3.gate.broken import sound
from row3.gate.moves import compare_metrics
from row3.gate.pairs import Pairs
from row3.gate.policy import GatePolicy
from row3.gate.verdicts import Evidence, judge
from row3.kinds import kind_named
from row3.kinds.extraction.score import METRICS

KIND = kind_named("extraction", where="a test")
HEADLINE = tuple(metric.key for metric in METRICS if not metric.companion)
POLICY = GatePolicy(metrics=HEADLINE)
LIMITS = {"overall": Threshold(0.5, 0.7, 0.8)}
SIDES = {"recall": (0.9, 0.0), "precision": (0.9, 0.0), "overall": (0.8, 0.0)}
"""Of a case that broke."""


def pairs_of(*others: float, broke: int = 1) -> Pairs:
    """Cases whose recall moved by so much, and some that broke."""
    pairs = Pairs()
    for place in range(len(others) + broke):
        before = {key: old for key, (old, _) in SIDES.items()}
        if place < broke:
            pairs.add(before, dict.fromkeys(before, 0.0), apart=True)
        else:
            pairs.add(before, before | {"recall": before["recall"] + others[place - broke]})
    return pairs


def follows(pairs: Pairs, policy: GatePolicy = POLICY) -> dict[str, bool]:
    """By metric, whether the reason that names it follows from what broke."""
    before, after = pairs.means()
    known = sound(pairs, KIND, policy, thresholds=LIMITS, values=after, denominators=pairs.counts())
    changes = compare_metrics(before, after, METRICS, policy, pairs)
    reasons = judge(Evidence(METRICS, changes, after, {}, policy, 10, broke=["a"], sound=known))[1]
    assert [reason.case_id for reason in reasons if reason.broke] == ["a"]
    return {reason.metric: reason.follows for reason in reasons if reason.metric is not None}


@pytest.mark.parametrize("policy", [POLICY, GatePolicy(metrics=HEADLINE, policy="paired")])
def test_what_nothing_else_moved_follows(policy: GatePolicy) -> None:
    told = follows(pairs_of(*[0.0] * 9), policy)
    assert told
    assert all(told.values())


def test_what_the_others_lost_too_stands_by_itself() -> None:
    assert follows(pairs_of(*[-0.03] * 9)) == {"recall": False, "precision": True, "overall": True}


def test_where_all_broke_all_follows() -> None:
    assert all(follows(pairs_of(broke=3)).values())


def test_nothing_is_asked_where_nothing_broke() -> None:
    pairs = pairs_of(0.0, broke=0)
    assert sound(pairs, KIND, POLICY, thresholds={}, values={}, denominators={}) is None


def test_a_fail_zone_follows_where_the_other_cases_are_above_it() -> None:
    pairs = pairs_of(0.0, broke=1)
    after = pairs.means()[1]
    known = sound(pairs, KIND, POLICY, thresholds=LIMITS, values=after, denominators=pairs.counts())
    assert known is not None
    assert (known.zones["overall"], known.shared_zones["overall"]) == (Zone.EXCELLENT, Zone.EXCELLENT)
    given = Evidence(METRICS, [], after, {"overall": Zone.FAIL}, POLICY, 2, broke=["a"], sound=known)
    zone = judge(given)[1][0]
    assert (zone.metric, zone.verdict, zone.follows) == ("overall", Verdict.BLOCK, True)


def test_the_other_cases_are_as_if_these_were_not_there() -> None:
    with_both, alone = pairs_of(0.01, -0.02, 0.03), pairs_of(0.01, -0.02, 0.03, broke=0)
    others = with_both.others()
    assert others.means() == alone.means()
    assert others.interval("recall") == alone.interval("recall")
    assert others.counts() == alone.counts()
    assert with_both.others().still is alone.still is False
    assert pairs_of(0.0, 0.0).others().still


def test_the_noise_of_their_repeats_goes_with_them() -> None:
    spread = {"overall": 0.1}
    both, alone = Pairs(), Pairs()
    both.add({"overall": 0.8}, {"overall": 0.0}, repeats=(2, 2), spreads=(spread, {"overall": 0.0}), apart=True)
    for value in (0.7, 0.6, 0.9):
        for pairs in (both, alone):
            pairs.add({"overall": 0.8}, {"overall": value}, repeats=(3, 3), spreads=(spread, spread))
    found, wanted = both.others().variance("overall"), alone.variance("overall")
    assert found is not None
    assert wanted is not None
    assert astuple(found) == pytest.approx(astuple(wanted))
