"""What the gate says of the primary metric once the rounds of `row3.gate.adaptive` are over."""

from __future__ import annotations

from dataclasses import replace

from row3.domain.counts import count
from row3.domain.verdicts import MetricChange, Verdict
from row3.gate.adaptive import Standing
from row3.gate.policy import GatePolicy


def judged(
    standing: Standing, fixed: MetricChange, paired: MetricChange, policy: GatePolicy, *, title: str
) -> MetricChange:
    """The primary metric's verdict.

    Under the `fixed` policy a loss blocks where it is shown for these cases, and nothing blocks that may be noise of
    the answers. Under `paired` it also has to be shown for cases like these, which repeats cannot do. Where repeats
    tell nothing, the policy judges as it always does.

    Args:
        fixed, paired: the metric as either policy judges the means over all rounds.
    """
    own = paired if policy.policy == "paired" else fixed
    limit, rounds = f"{policy.limit(fixed.key):g} {_unit(policy)}", f"{standing.rounds} rounds"
    if standing.rounds == 1:
        rounds = "one round"
    match standing.stop:
        case "steady":
            return own
        case "loss" if policy.policy == "fixed":
            worse = f"{title} is worse by {fixed.worse_by or 0.0:.1f} {_unit(policy)}"
            why = f"{worse}, and by more than {policy.limit(fixed.key):g} beyond the noise of answers ({rounds})"
            return replace(own, verdict=Verdict.BLOCK, why=why)
        case "loss":
            if own.verdict is Verdict.BLOCK:
                return own
            why = f"{title} fell by more than {limit} on these cases ({rounds}); whether on others like them, is open"
            return replace(own, verdict=_inconclusive(policy), why=why)
        case "within" if own.verdict is Verdict.BLOCK:
            # The means say otherwise than what was shown round by round: a chance of a few in a hundred.
            return replace(own, verdict=Verdict.INVESTIGATE, why=f"{own.why}, which {rounds} do not bear out")
        case "within":
            return own
    why = f"{title} is inconclusive after {rounds}: a loss of more than {limit} is neither shown nor ruled out"
    if standing.needs is not None:
        why += f"; {count(standing.cases, 'case is', 'cases are')} the limit, about {standing.needs} would do"
    elif standing.stop == "open":
        why += "; it is too close to that to be told from it"
    return replace(own, verdict=_inconclusive(policy), why=why)


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


def _inconclusive(policy: GatePolicy) -> Verdict:
    return Verdict.BLOCK if policy.inconclusive == "block" else Verdict.INVESTIGATE


def _unit(policy: GatePolicy) -> str:
    return "points" if policy.unit == "points" else "% of the baseline"
