"""What the gate says of the primary metric once the rounds of `row3.gate.adaptive` are over."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.changes import MetricChange, Rounds
from row3.domain.counts import count
from row3.domain.verdicts import Verdict
from row3.gate.adaptive import Standing
from row3.gate.policy import GatePolicy


def judged(standing: Standing, fixed: MetricChange, paired: MetricChange, policy: GatePolicy) -> MetricChange:
    """Return the primary metric's verdict after the rounds.

    Under `fixed` and `evidence` a loss blocks where it is shown for these cases, and nothing blocks that may be noise
    of the answers. Under `paired` it also has to be shown for cases like these, which repeats cannot do. Where repeats
    change nothing, the policy judges as it always does.

    Args:
        fixed, paired: the metric as either policy judges the means over all rounds.
    """
    own = paired if policy.policy == "paired" else fixed
    stop = standing.stop
    if stop == "steady" or (stop == "within" and own.verdict is not Verdict.BLOCK):
        return own
    if stop == "loss" and policy.policy == "paired" and own.verdict is Verdict.BLOCK:
        return own
    unclear = Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE
    rounds = Rounds(standing.rounds, standing.cases, stop or "open", standing.needs)
    if stop == "loss" and policy.policy == "paired":
        return replace(own, verdict=unclear, code="inconclusive", rounds=rounds)
    if stop == "loss":
        return replace(own, verdict=Verdict.BLOCK, code="worse", rounds=rounds)
    if stop == "within":
        # The means contradict what was shown round by round, which happens a few times in a hundred.
        return replace(own, verdict=Verdict.INVESTIGATE, code="worse_unproven", rounds=rounds)
    return replace(own, verdict=unclear, code="inconclusive", rounds=rounds)


def account(standing: Standing, policy: GatePolicy, key: str) -> str:
    """One line: how many rounds were asked of how many, and why no more."""
    limit, cases = f"{policy.limit(key):g} {_unit(policy)}", count(standing.cases, "case")
    few = "is" if standing.cases == 1 else "are"
    steady = f"no answer of {standing.repeated} came with another text; repeats tell nothing more"
    why = {
        "loss": f"a loss of more than {limit} is shown on these cases",
        "within": f"a loss of more than {limit} is ruled out on these cases",
        "steady": f"{steady} (at most {standing.hidden:.0%} of answers could, 95%)",
        "few": f"{cases} {few} too few to rule out a loss of more than {limit} by repeats",
        "open": f"a loss of more than {limit} is neither shown nor ruled out",
        None: "cut short",
    }[standing.stop]
    return f"adaptive: {standing.rounds} of at most {count(standing.most, 'round')} of {cases}; {why}"


def _unit(policy: GatePolicy) -> str:
    return "points" if policy.unit == "points" else "% of the baseline"
