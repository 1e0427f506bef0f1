"""What scoring a case gives. Three states, never mixed: scored, skipped (per metric), failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Struct

CaseStatus = Literal["scored", "bad_answer", "failed"]
Tally = Mapping[str, Mapping[str, int]]
"""What became of the items of an answer: by group (`relationships`), how many are what (`reversed`).

A label that names a pair, what was said and what was expected, has a tab between them.
"""


class CaseScore(Struct, frozen=True):
    """One case of a run, scored.

    `metrics` holds a value for each metric that applies, fractions in [0, 1], unrounded. `skipped`
    says why the others do not. A failed case has no metrics at all: nothing is turned into 0.
    """

    case_id: str
    status: CaseStatus
    metrics: Mapping[str, float]
    skipped: Mapping[str, str] = {}
    counts: Mapping[str, tuple[int, int]] = {}
    """Numerator and denominator of each ratio, for the pooled (micro) values."""
    explanation: Any = None
    """Why it scored so; the kind's own type (`Explanation` for extraction)."""
    problem: str = ""
    """Why a bad answer could not be used, or why the provider gave none."""
    notes: tuple[str, ...] = ()
    """Repairs made to the answer, truncation."""
    raw: str = ""
    """The text of a bad answer, as it came."""
    spread: Mapping[str, float] = {}
    """Standard deviation of each metric over the repeats (K > 1)."""
    repeats: int = 1
    tally: Tally = {}
    """What became of its items, counted; over all repeats."""
    found: Mapping[str, tuple[str, ...]] | None = None
    """What was missed and what is extra, by list; None where the explanation says it."""
    output: Any = None
    """What was scored, as the kind reads it; None where nothing usable was answered or nobody kept it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run took. Tokens are counts, cost is US dollars, latency is seconds."""

    requests: int = 0
    replayed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    """None where the model has no price in the configuration: unknown, not zero."""
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    truncated: int = 0
    """Answers cut off by the token limit."""
    judgements: int = 0
    """Grades that a judge gave; among the requests, and apart from cost and latency."""
    judge_cost_usd: float | None = None
    """Likewise None where a judge has no price."""
