"""Scores of cases. Three states, never mixed: scored, skipped (per metric), failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from row3.domain.changes import CaseChange
from row3.domain.progress import Spent

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
