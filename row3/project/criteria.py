"""The criteria of a suite: its rules and golden cases, and how they differ from those at the base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import get_args

from row3.domain.judgements import Criteria, CriteriaChange, Looser, Rule
from row3.domain.quarantine import Quarantine, room, split
from row3.domain.requests import canonical, digest_json, digest_text
from row3.domain.runs import Tier
from row3.domain.words import part
from row3.errors import InvalidFile
from row3.gate.inventory import POLICIES, Demands, inventory
from row3.kinds.demands import demands_of
from row3.project.cases import StoredCase
from row3.project.judges import judge_settings
from row3.project.project import Project
from row3.project.quarantine import FILE as QUARANTINE
from row3.project.quarantine import MOST, today
from row3.project.suites import Suite


def changed_criteria(base: Project, theirs: Suite, head: Project, own: Suite) -> list[CriteriaChange]:
    """Return how the criteria of a suite differ from those at the base. Raises `InvalidFile`."""
    before, before_demands = _criteria(base, theirs, head, own)
    after, after_demands = _criteria(head, own, base, theirs)
    return inventory(before, after, before_demands, after_demands)


def _criteria(project: Project, suite: Suite, other: Project, theirs: Suite) -> tuple[Criteria, Demands]:
    """Return a suite's criteria, of its cases only the changed ones, and a function that gives a case's demands."""
    cases = {stored.id: stored for stored in changed_cases(project, suite, other, theirs)}
    criteria = Criteria(
        rules=dict(_criteria_rules(project, suite)),
        cases={case_id: stored.whole_digest for case_id, stored in cases.items()},
        quarantine={entry.case_id: entry.until for entry in project.quarantine(suite.golden)},
    )
    return criteria, lambda case_id: demands_of(case := cases[case_id].case, suite.kind.expected(case))


def changed_cases(project: Project, suite: Suite, other: Project, theirs: Suite) -> Iterator[StoredCase]:
    """Yield the cases whose files `other` lacks or has in another version. Raises `InvalidFile`."""
    return project.cases.at(project.cases.changed(suite.golden, other.cases, theirs.golden, suite.kind), suite.kind)


def _criteria_rules(project: Project, suite: Suite) -> Iterator[tuple[str, Rule]]:
    """Yield every rule of a suite by key; rules that differ in its live tier, again with the prefix `live.`."""
    replay, live = (project.settings(suite.name, tier) for tier in get_args(Tier))
    limits = sorted({*replay.policy.limits, *live.policy.limits})
    usual = dict(_tier_rules(replay, limits))
    yield from usual.items()
    for key, rule in _tier_rules(live, limits):
        if rule != usual.get(key):
            instead = (key, *(f"live.{each}" for each in rule.instead), *rule.instead)
            yield f"live.{key}", replace(rule, instead=instead)
    rules = suite.rules
    yield "kind", Rule(suite.kind.name)
    yield "matching.scorer", Rule(rules.names.scorer)
    yield "matching.rules", Rule("plain" if rules.names.plain else "all")
    yield "matching.threshold", Rule(rules.names.threshold)
    yield "matching.semantic", Rule(None if rules.semantic is None else str(rules.semantic))
    yield "predicates.symmetric", Rule(frozenset(rules.symmetric))
    yield "predicates.inverse", Rule(frozenset(rules.inverses))
    yield "predicates.allowed", Rule(frozenset(rules.predicates))
    if rules.fields:
        yield "fields", Rule(canonical(rules.fields))
    yield "types", Rule(None if rules.types is None else frozenset(rules.types))
    for check in rules.checks:
        yield f"check {check.title}", Rule(canonical(check.plain()), "removed")
    if rules.passes is not None:
        yield "passes", Rule(rules.passes, "lower")
    if rules.judge is not None:
        yield "judge", Rule(f"{'+'.join(rules.judge.models)} x{rules.judge.votes}")
        yield "judge.warranted", Rule(rules.judge.warranted, "fewer")
        yield "judge.uncalibrated", Rule(judge_settings(project.config, suite.name).uncalibrated == "block", "lower")
        yield from ((f"rubric.{name}", Rule(prompt.digest, "removed")) for name, prompt in rules.judge.rubrics.items())
    yield from ((f"document.{name}", Rule(digest_text(text.text), "removed")) for name, text in rules.documents.items())
    for name, entities in rules.entities.items():
        yield f"entities.{name}", Rule(digest_json(entities), "removed")
    yield from ((f"weight.{key}", Rule(weight)) for key, weight in rules.weights.items())


def loosened(suite: Suite, flagged: Suite) -> list[CriteriaChange]:
    """Return the rules of a tier that `flagged`, the suite with command-line options, loosens."""
    limits = sorted({*suite.policy.limits, *flagged.policy.limits})
    before, after = (Criteria(dict(_tier_rules(each, limits)), {}) for each in (suite, flagged))
    changes = inventory(before, after, lambda _: {}, lambda _: {})
    return [change for change in changes if change.effect == "loosened"]


def _tier_rules(suite: Suite, limits: Iterable[str]) -> Iterator[tuple[str, Rule]]:
    policy = suite.policy
    for metric in suite.kind.metrics:
        threshold = suite.rules.thresholds.get(metric.key)
        if threshold is not None:
            looser: Looser = "lower" if metric.higher_is_better else "higher"
            for zone in ("minimum", "target", "excellent"):
                yield f"threshold.{metric.key}.{zone}", Rule(getattr(threshold, zone), looser)
            yield f"threshold.{metric.key}.blocking", Rule(threshold.blocking, "lower")
    for key in limits:
        yield f"limit.{key}", Rule(policy.limit(key), "higher", ("gate.block",))
    yield from ((f"figure.{key}", Rule(limit, "higher")) for key, limit in policy.figures.items())
    yield "gate.block", Rule(policy.block, "higher")
    yield "gate.metrics", Rule(frozenset(policy.metrics), "fewer")
    yield "gate.unit", Rule(policy.unit)
    yield "gate.investigate", Rule(policy.investigate, "higher")
    yield "gate.declines", Rule(policy.declines, "higher")
    yield "gate.policy", Rule(POLICIES.index(policy.policy), "lower")
    yield "gate.confirm", Rule(policy.confirm)
    yield "gate.inconclusive", Rule(policy.inconclusive == "block", "lower")
    yield "gate.informational", Rule(policy.informational, "higher")
    if policy.baseline != "saved":
        yield "gate.drop", Rule(policy.drop, "higher")
        for key in policy.drops.keys() & policy.metrics:
            yield f"gate.drop.{key}", Rule(policy.drops[key], "higher", ("gate.drop",))
        yield "gate.window", Rule(policy.window)


def in_force(project: Project, suite: Suite, judge: Project | None = None, *, on: date | None = None) -> Quarantine:
    """Return the quarantine of a run: that of the project whose cases judge, not the change's own.

    Raises `InvalidFile` for a broken file, or if more than a fifth of the cases is in quarantine.
    """
    folder, judge, on = suite.golden, judge or project, on or today()
    active, expired = split(judge.quarantine(folder), on)
    known = {entry.case_id for entry in active}
    added = () if judge is project else split(project.quarantine(project.golden(suite.name)), on)[0]
    if active:
        cases = sum(not judge.cases.entry(path).draft for path in judge.cases.scored(folder))
        if len(active) > room(cases):
            what = f"{part(len(active), cases, 'case', 'is', 'are')} in quarantine; {MOST}"
            fix = f"Release some with `row3 flaky release{suite.flag} CASE`"
            raise InvalidFile(what, where=f"{folder}/{QUARANTINE}", fix=fix)
    return Quarantine(active, expired, tuple(entry for entry in added if entry.case_id not in known))
