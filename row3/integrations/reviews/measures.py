"""Measures of single production records: by golden cases of their topic, else by proxies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from row3.commands.importing.drafts import slug
from row3.domain.asks import finish, no_vectors
from row3.domain.models import as_json
from row3.domain.scores import Quality
from row3.integrations.monitoring.figures import FIGURE
from row3.integrations.monitoring.rows import StoredRecord, canaries_of, case_names, measure, monitored_suites
from row3.kinds import monitored_kind
from row3.kinds.answers import Parsed
from row3.metrics.ratios import overall, ratio
from row3.project.cases import StoredCase
from row3.project.project import Project
from row3.project.suites import Suite
from row3.running.processes import CHUNK, Executor, Work, in_order

WEIGHED = {
    "recall": "Concept recall",
    "precision": "Concept precision",
    "relationshipAccuracy": "Relationship accuracy",
    "provenanceCoverage": "Provenance coverage",
    "hallucinationRate": "Hallucination rate",
}
"""Metrics of the composite, which need a golden case of the topic."""
PROXIES = dict(zip(("found", "grounded", "related", "verified", "canaries"), WEIGHED, strict=True))
"""Proxies of these metrics, for topics without a golden case."""
MEASURES = WEIGHED | {
    "found": "Concepts, of 15",
    "grounded": "Concepts in the text",
    "related": "Relationships, of 30",
    "verified": "Verified quotes",
    "canaries": "Canaries of the domain",
    "confidence": "Mean confidence",
    "latency": "Latency",
    "cost": "Cost",
}
"""Measures of a record that may correlate with satisfaction."""


@dataclass(slots=True)
class Golden:
    """The golden cases of all suites of production's kind."""

    suite: Suite
    """Suite whose weights count and which gets new cases: the default one, else the first."""
    cases: dict[str, list[tuple[StoredCase, Suite]]] = field(default_factory=dict)
    """By topic key."""
    drafts: dict[str, str] = field(default_factory=dict)
    """Ids of drafts, by topic key."""
    known: set[str] = field(default_factory=set)
    """Keys of all names that cases expect or forbid."""
    canaries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Forbidden concepts, by domain."""

    def metrics(self, stored: StoredRecord) -> dict[str, float]:
        """Return a record's metrics, averaged over the golden cases of its topic; empty if it is not stored whole."""
        found, cases = list[Mapping[str, float]](), self.cases.get(topic_key(stored.topic), ())
        record = stored.record() if cases else None
        for case, suite in cases if record is not None else ():
            answer = as_json({key: getattr(record, key) for key in ("concepts", "relationships")})
            if isinstance(read := suite.kind.read_output(answer), Parsed):
                rules = replace(suite.rules, semantic=None)
                found.append(finish(suite.kind.score(case.case, read.value, rules), no_vectors).metrics)
        means = {key: [one[key] for one in found if key in one] for key in WEIGHED}
        return {key: sum(values) / len(values) for key, values in means.items() if values}


@dataclass(frozen=True, slots=True)
class _Measuring(Work[Sequence[StoredRecord], list[dict[str, float]]]):
    golden: Golden
    by_cases: bool

    def __call__(self, records: Sequence[StoredRecord]) -> list[dict[str, float]]:
        return [
            proxies_of(each, self.golden) | (self.golden.metrics(each) if self.by_cases else {}) for each in records
        ]


def measured(
    records: Sequence[StoredRecord], golden: Golden, executor: Executor | None, *, by_cases: bool
) -> Iterator[dict[str, float]]:
    """Yield the proxies of answered records, with their metrics if `by_cases`. Raises as `in_order`."""
    size = CHUNK if executor is None else executor.chunk
    parts = (records[start : start + size] for start in range(0, len(records), size))
    found: Iterator[list[dict[str, float]]] = in_order(executor, _Measuring(golden, by_cases), parts)
    return chain.from_iterable(found)


def topic_key(topic: str) -> str:
    """Return a key that is the same for all spellings of a topic."""
    return slug(topic) or " ".join(topic.casefold().split())


def read_golden(project: Project) -> Golden:
    """Return the golden cases; without such a suite, none and the default weights. Raises `InvalidFile`."""
    kind, of_kind = monitored_kind(), monitored_suites(project)
    of_kind.sort(key=lambda name: name != project.default_suite)
    suites = [project.suite(name, "replay") for name in of_kind]
    golden = Golden(suites[0] if suites else project.settings(kind.name, "replay"))
    for name, suite in zip(of_kind, suites, strict=True):
        for path in project.cases.paths(project.golden(name)):
            stored = project.cases.case(path, kind)
            case, key = stored.case, topic_key(stored.case.topic or stored.id)
            if case.draft:
                golden.drafts[key] = stored.id
                continue
            golden.cases.setdefault(key, []).append((stored, suite))
            golden.known.update(map(name_key, case_names(case, "concept", "canary")))
    golden.canaries = canaries_of(stored.case for cases in golden.cases.values() for stored, _ in cases)
    return golden


def name_key(label: str) -> str:
    """Return a key that is the same for all spellings of a concept."""
    return " ".join(label.casefold().split())


def proxies_of(stored: StoredRecord, golden: Golden) -> dict[str, float]:
    """Return the measures of an answered record that need no golden case, by key of `MEASURES`; rates are fractions."""
    quality = Quality(stored.quotes, stored.verified, stored.ungrounded, stored.canaries)
    if quality.ungrounded is None and (record := stored.record()) is not None:
        quality = measure(record, golden.canaries)
    confidence = stored.confidence_sum / stored.confidences if stored.confidences else None
    found = {"confidence": confidence, "latency": stored.latency_ms, "cost": stored.cost_usd}
    for key, value, of in (("found", stored.concepts, "concepts"), ("related", stored.relationships, "relationships")):
        found[key] = min(1.0, value / (FIGURE[of].low or 1.0))
    in_text = None if quality.ungrounded is None else stored.concepts - quality.ungrounded
    counts = {"grounded": in_text, "verified": quality.verified, "canaries": quality.canaries}
    found |= {key: None if each is None else ratio(each, stored.concepts) for key, each in counts.items()}
    return {key: value for key, value in found.items() if value is not None}


def proxy_composite(known: Mapping[str, float], golden: Golden) -> float | None:
    """Return the composite of the proxies of precision, provenance and hallucination, a fraction.

    None without a source text. Missing rewards scale the others up, as in every composite.
    """
    metrics = {PROXIES[key]: known[key] for key in ("grounded", "verified", "canaries") if key in known}
    return overall(metrics, golden.suite.rules.weights) if "grounded" in known else None
