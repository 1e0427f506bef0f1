"""The sums of a run while its cases come in: means, tables, usage and cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from row3.domain.scores import Usage
from row3.metrics.aggregate import Aggregate, percentile
from row3.metrics.tallies import Tallies
from row3.workflows.pipeline.results import CaseResult, Cost, Spent


class UsageMeter:
    """Adds up what a run takes."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self.requests = 0
        self.replayed = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.truncated = 0
        self._usd: float | None = 0.0
        self._latencies: list[float] = []

    def add(self, spent: Spent) -> None:
        """Take in one answer; a replayed one costs nothing now and its latency is that of its recording."""
        self.requests += 1
        self.replayed += spent.replayed
        self.truncated += spent.truncated
        self.prompt_tokens += spent.prompt_tokens or 0
        self.completion_tokens += spent.completion_tokens or 0
        if spent.latency_s is not None:
            self._latencies.append(spent.latency_s)
        usd = spent.usd(self._cost)
        self._usd = None if usd is None or self._usd is None else self._usd + usd

    def usage(self) -> Usage:
        """Return the sums."""
        return Usage(
            requests=self.requests,
            replayed=self.replayed,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost_usd=self._usd if self.requests else None,
            latency_p50_s=percentile(self._latencies, 0.50),
            latency_p95_s=percentile(self._latencies, 0.95),
            truncated=self.truncated,
        )


@dataclass(slots=True)
class Collected:
    """The sums of a run while its cases come in."""

    aggregate: Aggregate = field(default_factory=Aggregate)
    failed: list[str] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    skipped: dict[str, dict[str, int]] = field(default_factory=dict)
    """By metric: reason and how many cases."""
    quarantined: list[str] = field(default_factory=list)
    """Cases with an answer that are in no sum."""
    tally: Tallies = field(default_factory=Tallies)

    def add(self, result: CaseResult) -> None:
        """Add one case."""
        if result.status == "failed":
            self.failed.append(result.case_id)
            return
        if result.status == "bad_answer":
            self.bad.append(result.case_id)
        if result.quarantined:
            self.quarantined.append(result.case_id)
            return
        self.aggregate.add(result.metrics, result.counts, result.source)
        self.tally.add(result.tally)
        for key, reason in result.skipped.items():
            reasons = self.skipped.setdefault(key, {})
            reasons[reason] = reasons.get(reason, 0) + 1
