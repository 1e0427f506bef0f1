"""A comparison that asks a provider: the baseline's prompts are asked again beside the candidates."""

from __future__ import annotations

from row3.domain.manifests import Manifest
from row3.errors import InvalidFile, Row3Error, UsageError
from row3.gate.adaptive import Margin
from row3.gate.drift import Drift, drift_of
from row3.gate.pairs import Pairs
from row3.store.cases import read_cases
from row3.store.project import Project
from row3.store.suites import Suite
from row3.workflows.asking.estimate import Beside
from row3.workflows.asking.interleaved import Adaptive, Interleaving
from row3.workflows.comparing.baseline import read_baseline
from row3.workflows.comparing.comparer import Comparer
from row3.workflows.comparing.sides import BaseSide
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.stages import parameters_from
from row3.workflows.quarantine import in_force
from row3.workflows.session import Session


def interleaving_of(session: Session, baseline: Manifest) -> Interleaving | None:
    """Return how the baseline's prompts are asked in the same run; None where its recorded answers have to do.

    A system answers as it is now, whatever version is asked for, so it is held to what was recorded. Raises
    `UsageError` where an adaptive comparison is wanted and the prompts cannot be asked.
    """
    suite, live = session.suite, session.live
    if suite.system is not None:
        if live.adaptive:
            what = f"a suite answered by `{suite.system.type}` cannot be asked as it was at the baseline"
            raise UsageError(what, where="--adaptive", fix="Leave it out; --repeats averages")
        return None
    if not live.interleave:
        return None
    try:
        again = asking_again(session.project, suite, baseline, session.options.repeats)
    except Row3Error as error:
        what = f"the baseline's prompts cannot be asked again: {error}"
        if live.adaptive:
            raise UsageError(what, where="--adaptive", fix="Leave it out") from None
        session.say(what)
        return None
    adaptive = _adaptive(session) if live.adaptive else None
    return Interleaving(again, baseline.cases.__contains__, adaptive)


def _adaptive(session: Session) -> Adaptive:
    suite = session.suite
    kind, rules = suite.kind, suite.rules
    metric = next(metric for metric in kind.metrics if metric.key == kind.primary)
    rewards = sum(weight for weight in rules.weights.values() if weight > 0)
    highest = min(1.0, rewards) if rewards > 0 else 1.0
    margin = Margin.of(suite.policy, kind.primary, higher_is_better=metric.higher_is_better, highest=highest)
    resting = frozenset(entry.case_id for entry in in_force(session.project, suite).active)
    return Adaptive(session.live.max_repeats, margin, kind.primary, resting, bool(kind.invented))


def asking_again(project: Project, suite: Suite, baseline: Manifest, repeats: int) -> Asking:
    """Return how the baseline's prompts are asked again; raises `InvalidFile` where one is gone or was edited."""
    lineup = line_up(project, suite, role="promoted", pinned=baseline.versions)
    if lineup.digests() != baseline.prompt_digests:
        raise InvalidFile("the baseline's prompts were edited since", where="prompts/", fix="Restore them from git")
    parameters = {name: parameters_from(each) for name, each in baseline.parameters.items()}
    return Asking(suite, lineup, parameters, repeats)


def asked_beside(session: Session) -> Beside | None:
    """Return what a comparison of this session asks beside the candidates, for its plan. Raises as it would."""
    baseline = read_baseline(session.project, session.suite)
    found = interleaving_of(session, baseline)
    if found is None:
        return None
    rounds = session.live.max_repeats if session.live.adaptive else 1
    return Beside(found.again, frozenset(baseline.cases), rounds)


def drift_since(project: Project, side: BaseSide, comparer: Comparer, suite: Suite) -> Drift:
    """Return how far the base's prompts answer otherwise now than was recorded, over the cases that have both."""
    pairs, same = Pairs(suite.kind), 0
    again = comparer.asked_again or {}
    for stored in read_cases(project.tree, suite.golden, suite.kind):
        asked, answered = again.get(stored.id), side.score(stored)
        if asked is None or asked.before is None or answered is None or answered[0].status == "failed":
            continue
        score, transcript = answered
        same += tuple(transcript.answers) == asked.answers
        pairs.add(
            score.metrics,
            asked.before,
            repeats=(score.repeats, asked.repeats),
            spreads=(score.spread, asked.spread),
        )
    return drift_of(pairs, suite.kind.metrics, suite.policy, suite.kind.primary, same=same)
