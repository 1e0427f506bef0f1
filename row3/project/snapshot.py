"""Everything in a project that can affect a verdict, read from the work tree, the index or a commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import get_args

from row3.domain.judgements import Criteria, CriteriaChange, Looser, Rule
from row3.domain.manifests import Manifest, Tier
from row3.domain.requests import canonical, digest_text
from row3.domain.runs import HistoryEntry
from row3.gate.inventory import POLICIES, Demands, inventory
from row3.project.cases import StoredCase, cases_in, golden_files, is_draft, object_id
from row3.project.history import read_history
from row3.project.manifests import read_manifest
from row3.project.project import Project
from row3.project.prompts import read_promoted
from row3.project.quarantine import read_quarantine
from row3.project.suites import Suite, make_suite


@dataclass
class Snapshot:
    """A project in the work tree, the index or a commit; its files are read when needed."""

    project: Project
    commit: str | None = None
    """Hash of the commit; None for the work tree and the index."""
    behind: int = 0
    """Number of its commits that HEAD lacks and that change files row3 reads."""
    _cases: dict[str, dict[str, StoredCase]] = field(default_factory=dict)
    _manifests: dict[str, Manifest | None] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name in messages; empty for the work tree."""
        return self.project.tree.label

    def has_cases(self, suite: str) -> bool:
        """Return whether the suite exists and has a golden case that is not a draft."""
        paths = golden_files(self.project.tree, self.project.golden(suite))
        return suite in self.project.suite_names() and not all(is_draft(self.project.tree, path) for path in paths)

    def judges(self, suite: str) -> bool:
        """Return whether this snapshot can judge a suite: it has cases and a `replay` baseline."""
        return self.has_cases(suite) and self.project.tree.exists(self.project.baseline(suite))

    def suites(self) -> list[str]:
        """Return the suites that this snapshot can judge."""
        return [name for name in self.project.suite_names() if self.judges(name)]

    def manifest(self, suite: str, tier: Tier = "replay") -> Manifest | None:
        """Return the baseline of a tier; None if there is none. Raises `InvalidFile`."""
        tree, path = self.project.tree, self.project.baseline(suite, tier)
        if path not in self._manifests:
            self._manifests[path] = read_manifest(tree, path) if tree.exists(path) else None
        return self._manifests[path]

    def history(self) -> list[HistoryEntry]:
        """Return the entries of the history. Raises `InvalidFile`."""
        return read_history(self.project.tree)

    def locks(self) -> dict[str, str]:
        """Return the digest of every version that was ever promoted, by `name-version`."""
        return {
            f"{name}-{version}": digest
            for name, entry in read_promoted(self.project.tree).items()
            for version, digest in {**entry.locked, entry.version: entry.digest}.items()
        }

    def criteria(self, suite: Suite, other: Snapshot) -> Criteria:
        """Return a suite's criteria; of its cases only those whose files `other` lacks or has in another version."""
        project = self.project
        return Criteria(
            rules=dict(_criteria_rules(project, suite)),
            cases={case_id: stored.digest for case_id, stored in self.changed_cases(suite, other).items()},
            quarantine={
                entry.case_id: entry.until for entry in read_quarantine(project.tree, project.golden(suite.name))
            },
        )

    def changed_cases(self, suite: Suite, other: Snapshot) -> dict[str, StoredCase]:
        """Return by id the cases whose files `other` lacks or has in another version. Raises `InvalidFile`."""
        if suite.name not in self._cases:
            theirs = other._files(suite.name)
            changed = (path for path, oid in self._files(suite.name).items() if theirs.get(path) != oid)
            read = cases_in(self.project.tree, changed, suite.kind)
            self._cases[suite.name] = {stored.id: stored for stored in read}
        return self._cases[suite.name]

    def _files(self, suite: str) -> dict[str, str]:
        tree = self.project.tree
        return {path: object_id(tree, path) for path in golden_files(tree, self.project.golden(suite))}

    def demands(self, suite: Suite, other: Snapshot) -> Demands:
        """Return a function that gives the demands of a changed case by its id."""
        cases = self.changed_cases(suite, other)
        return lambda case_id: suite.kind.demands(cases[case_id].case)


def _criteria_rules(project: Project, suite: Suite) -> Iterator[tuple[str, Rule]]:
    """Yield every rule of a suite by key; rules that differ in its live tier, again with the prefix `live.`."""
    replay, live = (make_suite(project.config, suite.name, tier) for tier in get_args(Tier))
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
    yield "matching.threshold", Rule(rules.names.threshold)
    yield "matching.semantic", Rule(None if rules.semantic is None else str(rules.semantic))
    yield "predicates.symmetric", Rule(frozenset(rules.symmetric))
    yield "predicates.inverse", Rule(frozenset(rules.inverses))
    yield "predicates.allowed", Rule(frozenset(rules.predicates))
    if rules.fields:
        yield "fields", Rule(canonical(rules.fields))
    yield "types", Rule(None if rules.types is None else frozenset(rules.types))
    for check in rules.checks:
        yield f"check {check.title}", Rule(canonical(check.plain()), "absent")
    if rules.passes is not None:
        yield "passes", Rule(rules.passes, "lower")
    if rules.judge is not None:
        yield "judge", Rule(f"{'+'.join(rules.judge.models)} x{rules.judge.votes}")
        yield "judge.warranted", Rule(rules.judge.warranted, "fewer")
        yield from ((f"rubric.{name}", Rule(prompt.digest, "absent")) for name, prompt in rules.judge.rubrics.items())
    yield from ((f"document.{name}", Rule(digest_text(text.text), "absent")) for name, text in rules.documents.items())
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
    yield "gate.block", Rule(policy.block, "higher")
    yield "gate.metrics", Rule(frozenset(policy.metrics), "fewer")
    yield "gate.unit", Rule(policy.unit)
    yield "gate.investigate", Rule(policy.investigate, "higher")
    yield "gate.declines", Rule(policy.declines, "higher")
    yield "gate.policy", Rule(POLICIES.index(policy.policy), "lower")
    yield "gate.inconclusive", Rule(policy.inconclusive == "block", "lower")
    yield "gate.informational", Rule(policy.informational, "higher")
    if policy.baseline != "saved":
        yield "gate.drop", Rule(policy.drop, "higher")
        yield "gate.window", Rule(policy.window)
