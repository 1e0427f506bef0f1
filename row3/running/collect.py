"""Collect a run: header and sums in memory, result lines on disk."""

from __future__ import annotations

import json
import math
import os
import secrets
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from weakref import finalize

from pydantic.alias_generators import to_camel

from row3.domain.judges import MOST_FAILED
from row3.domain.prompts import Lineup
from row3.domain.quarantine import NO_QUARANTINE, Quarantine
from row3.domain.runs import RunHeader
from row3.domain.scores import CaseScore, Cost, Spent, Usage, warning_only, zones_of
from row3.errors import EnvironmentFault, UsageError
from row3.gate.agreement import rate
from row3.gate.results import Run
from row3.metrics.aggregate import Aggregate, Tallies, percentile
from row3.metrics.ratios import overall
from row3.project.saved_runs import score_line
from row3.project.suites import Suite
from row3.running.case_results import total
from row3.running.evaluate import Asking
from row3.running.shared_results import SharedResults


def header_for(suite: Suite, asking: Asking, *, mode: str) -> dict[str, Any]:
    """Return the part of a run's header that is known before it runs."""
    return {
        "run_id": new_run_id(),
        "suite": suite.name,
        "kind": suite.kind.name,
        "action": "run",
        "at": now(),
        "mode": mode,
        "prompts": asking.lineup.versions(),
        "prompt_digests": asking.lineup.digests(),
        "model": ", ".join(dict.fromkeys(asking.models)),
        "parameters": {name: p.as_json() for name, p in asking.parameters.items()},
        "repeats": asking.most_repeats,
        **rules_json(suite),
    }


def rules_json(suite: Suite) -> dict[str, Any]:
    """Return scorer, weights, thresholds and gate policy for a header."""
    return {
        "scorer": suite.kind.signature(suite.rules),
        "weights": dict(suite.rules.weights),
        "thresholds": {
            key: {"minimum": limits.minimum, "target": limits.target, "excellent": limits.excellent}
            for key, limits in suite.rules.thresholds.items()
        },
        "gate": {**asdict(suite.policy), "warning": sorted(warning_only(suite.rules.thresholds))},
    }


SUMMED = ("replayed", "prompt_tokens", "completion_tokens", "truncated", "cached_tokens", "reasoning_tokens")
"""What a run's usage adds up over its answers."""


def usage_json(usage: Usage) -> dict[str, Any]:
    """Return usage with the keys of files and JSON."""
    names = ["requests", "replayed", "prompt_tokens", "completion_tokens", "cost_usd", "latency_p50_s", "latency_p95_s"]
    names += ["truncated", *(name for name in ("cached_tokens", "reasoning_tokens") if getattr(usage, name))]
    names += ["judgements", "judge_cost_usd"] if usage.judgements else []
    return {to_camel(name): getattr(usage, name) for name in names}


def now() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_run_id() -> str:
    """Return an id that sorts by time; its random part tells apart two runs in the same microsecond."""
    at = datetime.now(UTC)
    return f"{run_id_at(at)}-{at.microsecond:05x}{secrets.randbelow(4096):03x}"


def run_id_at(moment: datetime) -> str:
    """Return the beginning of the id of a run that starts at that moment."""
    return f"{moment:%Y%m%dT%H%M%SZ}"


SPOOL_BYTES = 4 * 1024 * 1024
"""Bytes of result lines kept in memory."""
BUFFER_BYTES = 2**16
"""Bytes written to a disk at once."""
AT_ONCE = 50_000
"""Values sorted in memory."""
KEPT_ROWS = 400
"""Case rows kept for a table: the worst ones."""


class Spool:
    """Lines in order, in memory up to a number of bytes, then on disk."""

    def __init__(self, in_memory: int | None = None) -> None:
        limit = SPOOL_BYTES if in_memory is None else in_memory
        self._file: IO[bytes] = SpooledTemporaryFile(limit, buffering=BUFFER_BYTES)  # noqa: SIM115 - lives as long as the run
        finalize(self, self._file.close)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, line: bytes | None) -> None:
        """Append a line, if there is one. Raises `EnvironmentFault` if the disk is full."""
        if line is None:
            return
        try:
            self._file.write(line + b"\n")
        except OSError as error:
            what = f"the run's results cannot be written ({error.strerror or error})"
            fix = "Free some space, or set TMPDIR to a folder on another disk"
            raise EnvironmentFault(what, where=tempfile.tempdir or "the temporary folder", fix=fix) from None
        self._count += 1

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        try:
            for line in self._file:
                yield line[:-1]
        finally:
            self._file.seek(0, os.SEEK_END)


def sorted_on_disk(values: Iterable[list[Any] | str]) -> Iterable[Any]:
    """Return JSON values sorted, where there are more than `AT_ONCE` part by part on disk.

    Raises as `Spool.add`.
    """
    left = iter(values)
    part, parts = sorted(islice(left, AT_ONCE)), list[Spool]()
    while len(part) == AT_ONCE:
        parts.append(Spool(1))
        for each in part:
            parts[-1].add(json.dumps(each).encode())
        part = sorted(islice(left, AT_ONCE))
    return merge(*(map(json.loads, each) for each in parts), part) if parts else part


class Spending:
    """Sums the usage of a run's answers; a replayed one has the latency of its recording."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._sums = dict.fromkeys(SUMMED, 0)
        self._answers, self._usd = [0, 0], (array("d"), array("d"))
        """Number and known prices of the pipeline's answers, and of the judges'."""
        self._latencies, self._uncounted = array("d"), 0

    def add(self, spent: Iterable[Spent]) -> None:
        """Add the usage of answers."""
        for each in spent:
            usd, cost = each.usd(self._cost), self._cost
            for name in SUMMED:
                self._sums[name] += getattr(each, name) or 0
            self._answers[each.judge] += 1
            if usd is not None:
                self._usd[each.judge].append(usd)
            if not each.judge:
                self._latencies.extend([] if each.latency_s is None else [each.latency_s])
                self._uncounted += usd is None and cost(each.model, 0, 0, each.by, 0) is not None

    def usage(self) -> Usage:
        """Return the sums."""
        counted = zip(self._answers, self._usd, strict=True)
        own, judged = (math.fsum(known) if known and len(known) == count else None for count, known in counted)
        return Usage(
            **self._sums,
            requests=sum(self._answers),
            cost_usd=own,
            judgements=self._answers[1],
            judge_cost_usd=judged,
            latency_p50_s=percentile(self._latencies, 0.50),
            latency_p95_s=percentile(self._latencies, 0.95),
            uncounted=self._uncounted,
        )


def usage_of(spent: Iterable[Spent], cost: Cost) -> Usage:
    """Return the usage of answers together."""
    spending = Spending(cost)
    spending.add(spent)
    return spending.usage()


def with_usage(run: Run, more: Usage) -> Run:
    """Return the run with the usage of what was asked beside it, except latencies."""
    own, costs = run.usage, (run.usage.cost_usd, more.cost_usd if more.requests else 0.0)
    sums = {name: getattr(own, name) + getattr(more, name) for name in ("requests", *SUMMED)}
    usage = replace(own, **sums, cost_usd=total(costs))
    return replace(run, usage=usage, header=run.header.replace(usage=usage_json(usage)))


def collect(
    results: Iterable[CaseScore],
    suite: Suite,
    lineup: Lineup,
    head: dict[str, Any],
    *,
    partial: bool,
    take: Callable[[CaseScore], None] | None = None,
    cost: Cost = lambda *_: None,
    quarantine: Quarantine = NO_QUARANTINE,
    tolerated: tuple[str, ...] = (),
    shared: SharedResults | None = None,
) -> Run:
    """Return the run of these results; memory holds sums and the rows of a table. Raises `UsageError` for no case.

    Lines and details are `shared` if the workers wrote them; this raises as `SharedResults.found`.

    Quarantined cases are listed but not counted. If two or more of the judges' and scorers' scores are missing, and
    more than 5% of them, not counting `tolerated` reasons, the cases that lack them have failed.
    """
    aggregate, tally = Aggregate(), Tallies()
    spending = Spending(cost)
    (records, details), scores = (Spool(), Spool()) if shared is None else shared.lines(), Spool()
    rows: list[CaseScore] = []
    notes: list[str] = []
    problems: list[tuple[str, str]] = []
    skipped: dict[str, Counter[str]] = {}
    ids: dict[str, list[str]] = {kind: [] for kind in ("failed", "bad_answer", "quarantined", "ungraded", "omitted")}
    primary = suite.kind.primary
    unscored: list[tuple[str, str, int]] = []
    resting = {entry.case_id for entry in quarantine.active}
    for result in results:
        if take is not None:
            take(result)
        ids.get(result.status, []).append(result.case_id)
        if result.status != "failed" and result.case_id in resting:
            ids["quarantined"].append(result.case_id)
        elif result.status != "failed":
            aggregate.add(result.metrics, result.counts, result.source)
            tally.add(result.tally)
            for key, reason in result.skipped.items():
                skipped.setdefault(key, Counter())[reason] += 1
        reasons = result.tally.get("unscored", {})
        unscored += [(result.case_id, each, n) for each, n in reasons.items() if not each.endswith(tolerated)]
        spending.add(result.asked or result.spent)
        ids["omitted"] += result.omitted
        records.add(result.line)
        scores.add(score_line(result) if head.get("shard") else None)
        details.add(result.detail)
        rows.append(result._replace(line=b"", detail=None, before=None))
        if len(rows) > 2 * KEPT_ROWS:
            rows.sort(key=lambda row: (row.status == "scored", row.metrics.get(primary, math.inf)))
            del rows[KEPT_ROWS:]
        problems += [(result.case_id, result.problem)] if result.problem else []
        notes += [f"{result.case_id}: {note}" for note in result.notes]
    if not records and head.get("shard") is None:
        what = "no case matches the selection"
        raise UsageError(what, where=f"{suite.golden}/", fix="Choose other cases with --case, --tag or --only")
    # All repeats of a case may have one answer, and so one grade.
    one = head["repeats"] if len(unscored) == 1 else 1
    if sum(n for _, _, n in unscored) > max(one, MOST_FAILED * sum(tally.get("judgements", {}).values())):
        ids["ungraded"] += dict.fromkeys(case_id for case_id, _, _ in unscored)
        ids["failed"] += ids["ungraded"]
        problems += [(case_id, reason) for case_id, reason, _ in unscored]
    means, pooled, usage = aggregate.means(), aggregate.pooled(), spending.usage()
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
        omitted=sorted({*ids["omitted"]}) or None,
        **({} if shared is None else shared.found(len(records))),
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
        ungraded=ids["ungraded"],
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
        scores=scores,
    )
