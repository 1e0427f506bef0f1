"""Scores of cases. Three states, never mixed: scored, skipped (per metric), failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

CaseStatus = Literal["scored", "bad_answer", "failed"]
Tally = Mapping[str, Mapping[str, int]]
"""Counts of an answer's items by group (`relationships`) and state (`reversed`).

A state that names a pair, extracted and expected, separates them with a tab.
"""


@dataclass(frozen=True, slots=True)
class CaseScore:
    """The score of one case of a run.

    `metrics` holds each applicable metric, fractions in [0, 1], unrounded; `skipped` has the reasons why others do not
    apply. A failed case has no metrics: it does not score 0.
    """

    case_id: str
    status: CaseStatus
    metrics: Mapping[str, float]
    skipped: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Numerator and denominator of each ratio, for the pooled (micro) values."""
    explanation: Any = None
    """Why the case scored as it did; the kind's own type (`Explanation` for extraction)."""
    problem: str = ""
    """Why a bad answer is unusable, or why there is no answer."""
    notes: tuple[str, ...] = ()
    """Repairs made to the answer, truncation."""
    raw: str = ""
    """The original text of a bad answer."""
    spread: Mapping[str, float] = field(default_factory=dict)
    """Standard deviation of each metric over the repeats (K > 1)."""
    repeats: int = 1
    tally: Tally = field(default_factory=dict)
    """Item counts over all repeats."""
    found: Mapping[str, tuple[str, ...]] | None = None
    """Missed and extra items, by list; None if the explanation contains them."""
    output: Any = None
    """The scored output as read by the kind; None if unusable or not kept."""


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
