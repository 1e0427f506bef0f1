"""Metrics with their zones (STANDARDS, section 2), scores of cases, and what a live run reports of them.

Three states, never mixed: scored, skipped (per metric), failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from row3.domain.judgements import CaseChange
from row3.domain.requests import JUDGE


class Zone(IntEnum):
    """A metric's zone; ordered, so that the worst of several is `min`."""

    FAIL, MARGINAL, PASS, EXCELLENT = range(4)

    @property
    def word(self) -> str:
        """The zone's name in files and output."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Threshold:
    """The limits of a metric's zones; fractions in [0, 1].

    If higher is better: below `minimum` fails, from `target` passes, from `excellent` is excellent.
    If lower is better: above `minimum` fails, up to `target` passes, up to `excellent` is excellent.
    """

    minimum: float
    target: float
    excellent: float
    blocking: bool = True
    """Whether the fail zone blocks; otherwise it only warns."""
    held: bool = False
    """Whether it only warns because its judge is not calibrated."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A number that a kind computes for a case."""

    key: str
    title: str
    higher_is_better: bool = True
    threshold: Threshold | None = None
    weight: float = 0.0
    """Weight in the composite; negative for a penalty."""
    companion: bool = False
    """Shown next to the headline metrics; the worst verdict it can cause is investigate."""
    blocking: bool = True
    """Can block a change by itself, unless it is a companion; otherwise its fail zone only warns."""
    share: bool = False
    """A single run shows its interval as for a share of the cases, so not for grades, which vary less."""
    optional: bool = False
    """Applies only to cases with the data it needs; not shown if no case of a run has them."""
    alarm: bool = False
    """Any value above 0 needs a look: answers contain what the golden cases forbid."""
    explained_by: str = ""
    """Key of the companion that says how far the labels let this one rise; shown where it fails."""
    also: str = ""
    """Name in EXPERIMENTS or V7, accepted for limits and included in results."""

    def drop(self, before: float, after: float) -> float:
        """Return how much worse the value after is, a fraction; negative if it is better."""
        return before - after if self.higher_is_better else after - before


def by_other_names(metrics: Iterable[Metric], values: Mapping[str, float]) -> dict[str, float]:
    """Return the values by the metrics' other names; empty unless one of these metrics is optional."""
    named = [metric for metric in metrics if metric.also and metric.key in values]
    return {each.also: values[each.key] for each in named} if any(each.optional for each in named) else {}


SLACK = 1e-9
"""Tolerance of comparisons with a limit: in binary, 0.25 + 3 · 0.2 is not exactly 0.85."""


def zone_of(value: float, threshold: Threshold, *, higher_is_better: bool) -> Zone:
    """Return the zone of a value in [0, 1]."""
    sign = 1.0 if higher_is_better else -1.0
    worth = sign * value + SLACK
    # With `not`, NaN fails too.
    if not worth >= sign * threshold.minimum:
        return Zone.FAIL
    if worth < sign * threshold.target:
        return Zone.MARGINAL
    return Zone.PASS if worth < sign * threshold.excellent else Zone.EXCELLENT


def warning_only(thresholds: Mapping[str, Threshold]) -> frozenset[str]:
    """Return the metrics whose fail zone warns instead of blocking."""
    return frozenset(key for key, threshold in thresholds.items() if not threshold.blocking)


def zones_of(
    values: Mapping[str, float], metrics: Sequence[Metric], thresholds: Mapping[str, Threshold]
) -> dict[str, Zone]:
    """Return the zone of every metric that has thresholds."""
    return {
        metric.key: zone_of(values[metric.key], thresholds[metric.key], higher_is_better=metric.higher_is_better)
        for metric in metrics
        if metric.key in values and metric.key in thresholds
    }


CaseStatus = Literal["scored", "bad_answer", "failed"]
Tally = Mapping[str, Mapping[str, int]]
"""Counts of an answer's items by group (`relationships`) and state (`reversed`).

A state that names a pair, extracted and expected, separates them with a tab.
"""


class CaseScore(NamedTuple):
    """The score of one case, from the kind that computes it to the report that shows it.

    `metrics` holds each applicable metric, fractions in [0, 1], unrounded; `skipped` has the reasons why others do not
    apply. A failed case has no metrics: it does not score 0. A tuple, because processes exchange it by the thousand.
    """

    case_id: str
    status: CaseStatus
    metrics: Mapping[str, float]
    skipped: Mapping[str, str] = {}
    counts: Mapping[str, tuple[int, int]] = {}
    """Numerator and denominator of each ratio, for the pooled (micro) values."""
    explanation: Any = None
    """Why the case scored as it did; the kind's own type (`Explanation` for extraction)."""
    problem: str = ""
    """Why a bad answer is unusable, or why there is no answer."""
    notes: tuple[str, ...] = ()
    """Repairs made to the answer, truncation."""
    raw: str = ""
    """The original text of a bad answer."""
    spread: Mapping[str, float] = {}
    """Standard deviation of each metric over the repeats (K > 1)."""
    repeats: int = 1
    tally: Tally = {}
    """Item counts over all repeats."""
    found: Mapping[str, tuple[str, ...]] | None = None
    """Missed and extra items, by list; None if the explanation contains them."""
    output: Any = None
    """The scored output as read by the kind; None if unusable or not kept."""
    requests: tuple[str, ...] = ()
    """Digests of the pipeline's requests, stage by stage, repeat by repeat."""
    answers: tuple[str, ...] = ()
    """SHA-256 of each answer's text, in the order of the requests; one fewer if the last got none."""
    grades: tuple[tuple[str, str], ...] = ()
    """Digests of each judge's request and grade."""
    said: str = ""
    """Short digest of all answers; empty without answers."""
    spent: tuple[Spent, ...] = ()
    asked: tuple[Spent, ...] = ()
    """Usage of all that the run asked for this case, if it also asked the base; else empty."""
    served: tuple[str, ...] = ()
    """Models that answered, as the provider reports them."""
    omitted: tuple[str, ...] = ()
    """Parameters that were not sent, as the endpoint refuses them."""
    digest: str = ""
    """Digest of the golden case's file."""
    source: str | None = None
    """Cases with the same source are not independent."""
    critical: bool = False
    before: CaseScore | None = None
    """The score of the base's answer, `failed` if it has none; None if the base lacks the case."""
    change: CaseChange | None = None
    """How it moved from `before`."""
    line: bytes = b""
    """Line of the saved run."""
    detail: bytes | None = None
    """JSON with every match explained, or data for a page; None if not requested."""

    @property
    def base(self) -> CaseScore | None:
        """The score of the base's answer, if the two can be compared."""
        moved = self.change is not None and self.change.move not in ("failed", "not comparable")
        return self.before if moved else None

    @property
    def all_requests(self) -> tuple[str, ...]:
        """Digests of the requests, then of the judges'."""
        return self.requests + tuple(request for request, _ in self.grades)

    @property
    def all_answers(self) -> tuple[str, ...]:
        """Digests of the answers, then of the judges'."""
        return self.answers + tuple(grade for _, grade in self.grades)


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources used by a run. Tokens are counts, cost is US dollars, latency is seconds."""

    requests: int = 0
    replayed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    """None if a price or a token count is unknown, which is not zero."""
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    truncated: int = 0
    """Answers cut off by the token limit."""
    judgements: int = 0
    """Number of judges' grades; included in requests, but not in cost and latency."""
    judge_cost_usd: float | None = None
    uncounted: int = 0
    """Answers with a price but without token counts."""
    cached_tokens: int = 0
    """Prompt tokens that providers say they read from their caches."""
    reasoning_tokens: int = 0
    """Completion tokens that providers say are reasoning."""


class Quality(NamedTuple):
    """Counts over the items of one output without a golden case; the first three are None without a source text."""

    quotes: int | None
    """Items with a source quote."""
    verified: int | None
    """Items whose quote occurs in the source text and mentions them."""
    ungrounded: int | None
    """Items that the source text does not mention."""
    canaries: int | None
    """Items that the domain's golden cases forbid and the source text does not mention; None without either."""


NO_QUALITY = Quality(None, None, None, None)

Cost = Callable[[str, int | None, int | None, str, int], float | None]
"""US dollars by model, tokens of prompt and completion, `by` and cached tokens; None if a price or count is unknown."""


class Spent(NamedTuple):
    """Tokens, time and source of one answer."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_s: float | None
    replayed: bool
    truncated: bool
    by: str = ""
    """`by` of its request."""
    cached_tokens: int | None = None
    """Included in the prompt's."""
    reasoning_tokens: int | None = None
    """Included in the completion's."""

    @property
    def judge(self) -> bool:
        """Whether this is a judge's grade, which is counted apart."""
        return self.by == JUDGE

    def usd(self, cost: Cost) -> float | None:
        """Return its price in US dollars; None if tokens or price are unknown."""
        return cost(self.model, self.prompt_tokens, self.completion_tokens, self.by, self.cached_tokens or 0)

    @property
    def tokens(self) -> int | None:
        """Tokens of prompt and completion together; None if either is unknown."""
        sent, said = self.prompt_tokens, self.completion_tokens
        return None if sent is None or said is None else sent + said


class Observer:
    """Follows a live run in its event loop; this one shows nothing. See `row3.cli.progress`."""

    def began(self, cases: int | None) -> None:
        """The run begins; `cases` is None if their number is unknown."""

    def answered(self, spent: Spent, usd: float | None) -> None:
        """An answer arrived; `usd` is None if its price is unknown."""

    def finished(self, case_id: str, status: str, problem: str) -> None:
        """A case has its score; `problem` says why it failed."""

    def ended(self) -> None:
        """The run is over, however it ended; called after the event loop."""
