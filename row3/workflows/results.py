"""What running a case gives, small enough to be sent between processes and kept by the thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

from pydantic_core import to_json

from row3.domain.metrics import Zone
from row3.domain.scores import CaseScore, Usage
from row3.domain.verdicts import CaseChange
from row3.metrics.aggregate import Aggregate, percentile
from row3.store.cases import StoredCase
from row3.store.project import Suite
from row3.store.saved_runs import CaseRecord
from row3.workflows.evaluate import dump, matches_json

SPOOL_BYTES = 4 * 1024 * 1024


class Spent(NamedTuple):
    """What one answer took."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_s: float | None
    replayed: bool
    truncated: bool


class CaseResult(NamedTuple):
    """One case, scored, with its record and (where asked for) its explanation as JSON."""

    case_id: str
    status: str
    metrics: Mapping[str, float]
    counts: Mapping[str, tuple[int, int]]
    skipped: Mapping[str, str]
    record: CaseRecord
    detail: bytes | None
    """The explanation as JSON."""
    problem: str
    notes: tuple[str, ...]
    raw: str
    spread: Mapping[str, float]
    spent: tuple[Spent, ...]
    critical: bool


def make_result(
    stored: StoredCase, score: CaseScore, suite: Suite, spent: tuple[Spent, ...], *, answers: str = "", explain: bool
) -> CaseResult:
    """Pack a score; the explanation is turned into JSON here, so that worker processes share the work."""
    detail = None
    if explain:
        detail = to_json(matches_json(score.explanation)) if score.explanation is not None else b"null"
    record = CaseRecord(
        id=stored.id,
        digest=stored.digest,
        content="",
        demands="",
        input="",
        status=score.status,
        metrics=score.metrics,
        found=suite.kind.shortfall(score),
        answers=answers,
    )
    return CaseResult(
        stored.id,
        score.status,
        score.metrics,
        score.counts,
        score.skipped,
        record,
        detail,
        score.problem,
        score.notes,
        score.raw,
        score.spread,
        spent,
        bool(getattr(stored.case, "critical", False)),
    )


def detail_json(result: CaseResult, zones: Mapping[str, Zone], change: CaseChange | None) -> bytes:
    """The case's JSON; its explanation is JSON already and goes in as it is."""
    value: dict[str, Any] = {
        "id": result.case_id,
        "status": result.status,
        "metrics": result.metrics,
        "zones": {key: zone.word for key, zone in zones.items()},
        "deltas": dict(change.deltas) if change is not None else {},
    }
    if change is not None:
        value["change"] = change.move
        value["gained"], value["lost"] = change.gained, change.lost
    if result.skipped:
        value["skipped"] = result.skipped
    if result.problem:
        value["problem"] = result.problem
    if result.raw:
        value["raw"] = result.raw
    if result.notes:
        value["notes"] = result.notes
    if result.spread:
        value["spread"] = result.spread
    return b'%b,"matches":%b}' % (dump(value)[:-1], result.detail or b"null")


class Spool:
    """Lines of JSON that are kept in memory while few and on disk when many."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - lives as long as the run
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, line: bytes) -> None:
        """Keep one line."""
        self._file.write(b"%b\n" % line)
        self._count += 1

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        for raw in self._file:
            yield raw[:-1]


@dataclass(slots=True)
class CaseRow:
    """What a table shows of a case."""

    case_id: str
    status: str
    metrics: Mapping[str, float]
    zones: Mapping[str, Zone]
    problem: str
    spread: float | None
    """Standard deviation of `overall` over the repeats."""


class UsageMeter:
    """Adds up what a run takes."""

    def __init__(self, cost: Callable[[str, int, int], float | None]) -> None:
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
        tokens = (spent.prompt_tokens or 0, spent.completion_tokens or 0)
        self.prompt_tokens += tokens[0]
        self.completion_tokens += tokens[1]
        if spent.latency_s is not None:
            self._latencies.append(spent.latency_s)
        if self._usd is not None:
            known = spent.prompt_tokens is not None and spent.completion_tokens is not None
            usd = self._cost(spent.model, *tokens) if known else None
            self._usd = None if usd is None else self._usd + usd

    def usage(self) -> Usage:
        """The sums."""
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

    def add(self, result: CaseResult) -> None:
        """Take in one case."""
        if result.status == "failed":
            self.failed.append(result.case_id)
            return
        if result.status == "bad_answer":
            self.bad.append(result.case_id)
        self.aggregate.add(result.metrics, result.counts)
        for key, reason in result.skipped.items():
            reasons = self.skipped.setdefault(key, {})
            reasons[reason] = reasons.get(reason, 0) + 1
