"""What a change does to the rules of `row3.toml`, which those of the base judge."""

from __future__ import annotations

from collections.abc import Mapping

from row3.domain.metrics import Zone
from row3.domain.verdicts import Reason, Verdict
from row3.gate.zones import warning_only, zones_of
from row3.store.config import FILE
from row3.store.project import Project
from row3.store.suites import Suite, make_suite
from row3.store.tree import same_file
from row3.workflows.comparing.differences import loosened
from row3.workflows.pipeline.run_header import rules_of


def rules_reasons(here: Suite, suite: Suite, label: str) -> list[Reason]:
    """What differs between the change's own rules (`here`) and those of the base (`suite`)."""
    if (here.rules, here.policy) == (suite.rules, suite.policy):
        return []
    looser = loosened(rules_of(suite), rules_of(here))
    if looser:
        return [
            Reason(Verdict.BLOCK, f"{FILE} asks for less than at {label}: {line}", cause="rules") for line in looser
        ]
    what = f"{FILE} has other rules than at {label}; those of {label} judge"
    return [Reason(Verdict.INVESTIGATE, what, cause="rules")]


def live_reasons(there: Project, own: Project, name: str, label: str) -> list[Reason]:
    """What a change does to the tier that it is not judged by: nobody else would look."""
    before, after = make_suite(there.config, name, "live"), make_suite(own.config, name, "live")
    recorded = loosened(rules_of(make_suite(there.config, name)), rules_of(make_suite(own.config, name)))
    reasons = [
        Reason(Verdict.BLOCK, f"{FILE} asks for less of live answers than at {label}: {line}", cause="rules")
        for line in loosened(rules_of(before), rules_of(after))
        if line not in recorded  # told already, of both tiers
    ]
    file = own.baseline(name, "live")
    if there.tree.exists(file) and not same_file(there.tree, own.tree, file):
        how = "changed" if own.tree.exists(file) else "removed"
        what = f"the baseline of live answers was {how} since {label}; no recording can tell whether it is true"
        reasons.append(Reason(Verdict.INVESTIGATE, what, cause="baseline"))
    return reasons


def out_of_reach(here: Suite, suite: Suite, values: Mapping[str, float], label: str) -> list[Reason]:
    """Metrics that fail by the change's own rules and not by the base's: after it, every comparison would block."""
    if (here.rules, here.policy) == (suite.rules, suite.policy) or here.policy.informational:
        return []
    known = failing(suite, values)
    titles = {metric.key: metric.title for metric in here.kind.metrics}
    return [
        Reason(
            Verdict.BLOCK,
            f"{titles[key]} {values[key]:.1%} is in its fail zone by the rules of this {FILE} (minimum "
            f"{here.rules.thresholds[key].minimum:g}), though not by those of {label}: "
            "all that comes after would block",
            metric=key,
            cause="rules",
        )
        for key in failing(here, values)
        if key not in known
    ]


def failing(suite: Suite, values: Mapping[str, float]) -> list[str]:
    """The metrics whose fail zone blocks and that are in it."""
    zones = zones_of(values, suite.kind.metrics, suite.rules.thresholds)
    quiet = warning_only(suite.rules.thresholds)
    return [
        key for key, zone in zones.items() if zone is Zone.FAIL and key in suite.policy.metrics and key not in quiet
    ]
