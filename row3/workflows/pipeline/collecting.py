"""A run: its header, and its results as they come, with lines on disk and sums in memory."""

from __future__ import annotations

import math
import os
import secrets
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from weakref import finalize

from msgspec import to_builtins

from row3.domain.judges import MOST_FAILED
from row3.domain.metrics import warning_only, zones_of
from row3.domain.prompts import Lineup
from row3.domain.quarantine import NO_QUARANTINE, Quarantine
from row3.domain.runs import CaseRow, RunHeader
from row3.domain.scores import Usage
from row3.errors import EnvironmentFault, UsageError
from row3.gate.agreement import rate
from row3.gate.results import Run
from row3.metrics.aggregate import Aggregate, Tallies, percentile
from row3.metrics.ratios import overall
from row3.store.suites import Suite
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.results import CaseResult, Cost, Spent


def header_for(suite: Suite, asking: Asking, *, mode: str) -> dict[str, Any]:
    """The part of a run's header that is known before it runs."""
    models = list(dict.fromkeys(p.model for p in asking.parameters.values()))
    return {
        "run_id": new_run_id(),
        "suite": suite.name,
        "kind": suite.kind.name,
        "action": "run",
        "at": now(),
        "mode": mode,
        "prompts": asking.lineup.versions(),
        "prompt_digests": asking.lineup.digests(),
        "model": ", ".join(models),
        "parameters": {name: p.as_json() for name, p in asking.parameters.items()},
        "repeats": asking.repeats,
        **rules_json(suite),
    }


def rules_json(suite: Suite) -> dict[str, Any]:
    """Return scorer, weights, thresholds and the gate's policy as a header keeps them."""
    return {
        "scorer": suite.kind.signature(suite.rules),
        "weights": dict(suite.rules.weights),
        "thresholds": {
            key: {"minimum": limits.minimum, "target": limits.target, "excellent": limits.excellent}
            for key, limits in suite.rules.thresholds.items()
        },
        "gate": {**to_builtins(suite.policy), "warning": sorted(warning_only(suite.rules.thresholds))},
    }


def usage_json(usage: Usage) -> dict[str, Any]:
    """Usage as files and JSON spell it."""
    return {
        "requests": usage.requests,
        "replayed": usage.replayed,
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "costUsd": usage.cost_usd,
        "latencyP50S": usage.latency_p50_s,
        "latencyP95S": usage.latency_p95_s,
        "truncated": usage.truncated,
        **({"judgements": usage.judgements, "judgeCostUsd": usage.judge_cost_usd} if usage.judgements else {}),
    }


def now() -> str:
    """The time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_run_id() -> str:
    """Sorts by time, to the microsecond; what is random in it tells two runs of one instant apart."""
    at = datetime.now(UTC)
    return f"{run_id_at(at)}-{at.microsecond:05x}{secrets.randbelow(4096):03x}"


def run_id_at(moment: datetime) -> str:
    """How the id of a run that starts then begins."""
    return f"{moment:%Y%m%dT%H%M%SZ}"


SPOOL_BYTES = 4 * 1024 * 1024
KEPT_ROWS = 400
"""Case rows kept for a table; beyond it only the worst are."""


class Spool:
    """Lines of JSON of a run's cases, in their order: in memory while few, on disk when many."""

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - lives as long as the run
        finalize(self, self._file.close)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, line: bytes) -> None:
        """Keep one line. Raises `EnvironmentFault` where the disk is full."""
        try:
            self._file.write(line + b"\n")
        except OSError as error:
            what = f"a run's results cannot be kept ({error.strerror or error})"
            fix = "Make room, or set TMPDIR to a folder on another disk"
            raise EnvironmentFault(what, where=tempfile.tempdir or "the temporary folder", fix=fix) from None
        self._count += 1

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        try:
            for line in self._file:
                yield line[:-1]
        finally:
            self._file.seek(0, os.SEEK_END)


class UsageMeter:
    """Adds up what a run takes."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._spent: list[Spent] = []

    def add(self, spent: Spent) -> None:
        """Take in one answer; a replayed one costs nothing now and its latency is that of its recording."""
        self._spent.append(spent)

    def usage(self) -> Usage:
        """Return the sums."""
        costs = [spent.usd(self._cost) for spent in self._spent if not spent.judge]
        judge = [spent.usd(self._cost) for spent in self._spent if spent.judge]
        latencies = [spent.latency_s for spent in self._spent if spent.latency_s is not None and not spent.judge]
        return Usage(
            requests=len(self._spent),
            replayed=sum(spent.replayed for spent in self._spent),
            prompt_tokens=sum(spent.prompt_tokens or 0 for spent in self._spent),
            completion_tokens=sum(spent.completion_tokens or 0 for spent in self._spent),
            cost_usd=_total(costs),
            judgements=len(judge),
            judge_cost_usd=_total(judge),
            latency_p50_s=percentile(latencies, 0.50),
            latency_p95_s=percentile(latencies, 0.95),
            truncated=sum(spent.truncated for spent in self._spent),
        )


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def collect(
    results: Iterable[CaseResult],
    suite: Suite,
    lineup: Lineup,
    head: dict[str, Any],
    *,
    partial: bool,
    take: Callable[[CaseResult], None] | None = None,
    cost: Cost = lambda *_: None,
    quarantine: Quarantine = NO_QUARANTINE,
    tolerated: tuple[str, ...] = (),
) -> Run:
    """Take in all results as they come; memory holds the sums and the rows of a table. Raises `UsageError` for no case.

    Cases in quarantine are listed and in no sum. Where more than 5% of the scores that judges and scorers owe
    are missing, those cases have failed; a score that is missing for a `tolerated` reason is not owed.
    """
    aggregate, tally, meter = Aggregate(), Tallies(), UsageMeter(cost)
    records, details = Spool(), Spool()
    rows: list[CaseRow] = []
    notes: list[str] = []
    problems: list[tuple[str, str]] = []
    skipped: dict[str, Counter[str]] = {}
    ids: dict[str, list[str]] = {"failed": [], "bad_answer": [], "scored": [], "quarantined": []}
    primary = suite.kind.primary
    unscored: list[tuple[str, str]] = []
    until = {entry.case_id: entry.until for entry in quarantine.active}
    for each in results:
        result = each._replace(quarantined=until[each.case_id]) if each.case_id in until else each
        if take is not None:
            take(result)
        ids[result.status].append(result.case_id)
        if result.status != "failed" and result.quarantined:
            ids["quarantined"].append(result.case_id)
        elif result.status != "failed":
            aggregate.add(result.metrics, result.counts, result.source)
            tally.add(result.tally)
            for key, reason in result.skipped.items():
                skipped.setdefault(key, Counter())[reason] += 1
        reasons = result.tally.get("unscored", {})
        unscored += [(result.case_id, each) for each in reasons if not each.endswith(tolerated)]
        for spent in result.spent:
            meter.add(spent)
        records.add(result.line)
        if result.detail is not None:
            details.add(result.detail)
        spread = result.spread.get(primary)
        rows.append(CaseRow(result.case_id, result.status, result.metrics, result.zones, spread))
        if len(rows) > 2 * KEPT_ROWS:
            rows.sort(key=lambda row: (row.status == "scored", row.metrics.get(primary, math.inf)))
            del rows[KEPT_ROWS:]
        problems += [(result.case_id, result.problem)] if result.problem else []
        notes += [f"{result.case_id}: {note}" for note in result.notes]
    if not records:
        what = "none of the chosen cases is among those to run"
        raise UsageError(what, where=f"{suite.golden}/", fix="Choose others with --case, --tag or --only")
    if len(unscored) > MOST_FAILED * sum(tally.get("judgements", {}).values()):
        ids["failed"] += dict.fromkeys(case_id for case_id, _ in unscored)
        problems += unscored
    means, pooled, usage = aggregate.means(), aggregate.pooled(), meter.usage()
    zones = zones_of(means, suite.kind.metrics, suite.rules.thresholds)
    shares = {metric.key for metric in suite.kind.metrics if metric.share}
    if pooled and suite.rules.weights:
        pooled[primary] = overall(pooled, suite.rules.weights)
    if ids["quarantined"]:
        head = head | {"gate": head["gate"] | {"quarantined": sorted(ids["quarantined"])}}
    header = RunHeader(
        **head,
        metrics=means,
        pooled=pooled,
        denominators=aggregate.denominators(),
        zones={key: zone.word for key, zone in zones.items()},
        usage=usage_json(usage),
        complete=not ids["failed"],
    )
    return Run(
        header,
        suite,
        lineup,
        zones,
        usage,
        records,
        details,
        rows,
        partial,
        failed=ids["failed"],
        bad=ids["bad_answer"],
        skipped=skipped,
        seen_in=aggregate.seen_in(),
        rates={
            key: found
            for key, n in aggregate.units().items()
            if key in shares and (found := rate(means[key] * n, n)) is not None
        },
        tally=tally,
        notes=notes,
        problems=problems,
        quarantine=quarantine,
    )
