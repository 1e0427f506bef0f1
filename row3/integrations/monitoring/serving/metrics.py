"""`/metrics` in Prometheus' text format 0.0.4.

Counters, sums and counts cover all records and grow as records are ingested, so rates are by the time of ingest.
Quantiles of latency cover the last minutes by the records' own times.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from row3.integrations.monitoring.serving.panels import RECENT, Seen
from row3.integrations.monitoring.tables import BINS

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "row3_monitor_"
COUNTERS = {
    "decompositions": ("requests", "Production records"),
    "errors": ("errors", "Records with an error"),
    "concepts": ("concepts", "Concepts of records without an error"),
    "relationships": ("relationships", "Relationships of records without an error"),
    "cost_dollars": ("cost_sum", "Cost in US dollars"),
    "priced": ("priced", "Records with a known cost"),
    "sampled": ("sampled", "Sampled records"),
    "measured_concepts": ("measured_concepts", "Concepts of sampled records with a source text"),
    "quotes": ("quotes", "Quotes of measured concepts"),
    "verified_quotes": ("verified", "Quotes found in the source text"),
    "ungrounded_concepts": ("ungrounded", "Measured concepts that the source text does not mention"),
    "watched_concepts": ("watched_concepts", "Measured concepts of a domain with canaries"),
    "canaries": ("canaries", "Watched concepts that are canaries of the domain"),
    "ratings": ("ratings", "Ratings by experts"),
    "acceptable_ratings": ("acceptable", "Ratings that find a record acceptable"),
    "feedback_scores": ("scores", "Scores by users"),
    "feedback_points": ("score_sum", "Sum of users' scores, 1 to 5 each"),
}
"""Name without prefix and `_total`, field of `Totals`, and help."""


def exposition(seen: Seen) -> str:
    """Return the metrics, each with its help and type."""
    return "\n".join(_lines(seen)) + "\n"


def _lines(seen: Seen) -> Iterator[str]:
    ever, recent = seen.ever, seen.recent
    for name, (field, text) in COUNTERS.items():
        yield from _head(f"{name}_total", "counter", text)
        yield f"{PREFIX}{name}_total {_steady(getattr(ever, field))}"
    yield from _head("confidence", "histogram", "Confidence of concepts; a bucket is below its bound, the last up to 1")
    for place, number in enumerate(accumulate(ever.distribution), 1):
        yield f'{PREFIX}confidence_bucket{{le="{place / BINS}"}} {number}'
    yield f'{PREFIX}confidence_bucket{{le="+Inf"}} {ever.confidences}'
    yield f"{PREFIX}confidence_sum {_steady(ever.confidence_sum)}"
    yield f"{PREFIX}confidence_count {ever.confidences}"
    yield from _head("latency_seconds", "summary", f"Latency; quantiles are of the last {RECENT} minutes")
    for part, value in (("0.5", recent.latency_p50), ("0.95", recent.latency_p95), ("0.99", recent.latency_p99)):
        yield f'{PREFIX}latency_seconds{{quantile="{part}"}} {"NaN" if value is None else value / 1000}'
    yield f"{PREFIX}latency_seconds_sum {_steady(ever.latency_sum / 1000)}"
    yield f"{PREFIX}latency_seconds_count {ever.timed}"
    if seen.newest_ms is not None:
        yield from _head("newest_record_timestamp_seconds", "gauge", "Time of the newest record, since 1970 UTC")
        yield f"{PREFIX}newest_record_timestamp_seconds {seen.newest_ms / 1000}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {PREFIX}{name} {text}."
    yield f"# TYPE {PREFIX}{name} {kind}"


def _steady(value: float) -> float:
    """Return a sum rounded so that the order of addition does not matter: a falling counter looks like a restart."""
    return round(value, 6)
