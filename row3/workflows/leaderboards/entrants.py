"""One combination of model and prompt versions with its answers: what each case scored, cost and took."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from row3.domain.requests import labelled
from row3.gate.leaderboard import Combination
from row3.kinds.base import Kind
from row3.metrics.aggregate import percentile
from row3.store.run_records import parse_record
from row3.workflows.pipeline.evaluate import Asking
from row3.workflows.pipeline.results import CaseResult, Spent

Cost = Callable[[str, int, int], float | None]


class Row(NamedTuple):
    """One case."""

    metrics: Mapping[str, float]
    """None without an answer; the composite alone where no other decides how answers compare."""
    status: str
    missing: int
    """Answers that are not there; a later prompt's wait for the one before."""
    said: str
    """Digest of the answers."""
    usd: float | None
    """Of one asking; None where a token count or the price is unknown."""
    seconds: float | None
    """From the first request to the last answer, one prompt after the other; None where one is unknown."""
    problem: str


@dataclass(slots=True)
class Entrant:
    """A combination and its cases."""

    asking: Asking
    rows: dict[str, Row] = field(default_factory=dict)

    def take(
        self, results: Iterable[CaseResult], kind: Kind, cost: Cost, resting: Collection[str] = ()
    ) -> dict[str, str]:
        """Take in results, the later of one case in the place of the earlier; returns the sources that cases name.

        Cases that are `resting` count for nothing and are left out.
        """
        sources = {}
        stages = len(self.asking.lineup.prompts) * self.asking.repeats
        for result in results:
            if result.case_id in resting:
                continue
            answered = result.status != "failed"
            record = parse_record(result.line, where=result.case_id) if answered else None
            self.rows[result.case_id] = Row(
                _told(kind, result.metrics) if answered else {},
                result.status,
                0 if answered else stages - len(result.spent),
                "" if record is None else record.said,
                _per_asking([_usd(spent, cost) for spent in result.spent], self.asking.repeats),
                _per_asking([spent.latency_s for spent in result.spent], self.asking.repeats),
                result.problem,
            )
            if result.source is not None:
                sources[result.case_id] = result.source
        return sources

    def combination(self) -> Combination:
        """What the board shows of it."""
        lineup, parameters = self.asking.lineup, self.asking.parameters
        model = ", ".join(dict.fromkeys(each.model for each in parameters.values()))
        return Combination(
            prompts=lineup.versions(),
            model=model,
            shown_model=labelled(model) if self.asking.suite.local else model,
            digests=lineup.digests(),
            parameters={name: each.as_json() for name, each in parameters.items()},
            unanswered=self.unanswered,
            bad=[case_id for case_id, row in self.rows.items() if row.status == "bad_answer"],
            missing=sum(row.missing for row in self.rows.values()),
            problem=next((row.problem for row in self.rows.values() if row.status == "failed"), ""),
        )

    @property
    def unanswered(self) -> list[str]:
        """Cases without an answer."""
        return [case_id for case_id, row in self.rows.items() if row.status == "failed"]

    @property
    def said(self) -> str:
        """Digest of all answers: equal where two combinations said the same, word for word."""
        each = sorted(f"{case_id} {row.said}" for case_id, row in self.rows.items())
        return hashlib.sha256("\n".join(each).encode("utf-8", "surrogatepass")).hexdigest()

    def cost_usd(self, cases: Iterable[str]) -> float | None:
        """US dollars for each of these cases, on average; None where that of one is unknown."""
        costs = [self.rows[case_id].usd for case_id in cases]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) / len(known) if known and len(known) == len(costs) else None

    def latency_s(self, cases: Iterable[str], share: float) -> float | None:
        """Percentile over these cases, seconds; None where that of one is unknown."""
        times = [self.rows[case_id].seconds for case_id in cases]
        known = [seconds for seconds in times if seconds is not None]
        return percentile(known, share) if known and len(known) == len(times) else None

    def known(self, cases: Iterable[str]) -> tuple[int, int]:
        """For how many of these cases the cost is known, and for how many the time."""
        rows = [self.rows[case_id] for case_id in cases]
        return sum(row.usd is not None for row in rows), sum(row.seconds is not None for row in rows)


def _told(kind: Kind, metrics: Mapping[str, float]) -> Mapping[str, float]:
    """What a board has to know of a case, and no more: it holds every case of every combination."""
    return metrics if kind.invented else {key: value for key, value in metrics.items() if key == kind.primary}


def _usd(spent: Spent, cost: Cost) -> float | None:
    if spent.prompt_tokens is None or spent.completion_tokens is None:
        return None
    return cost(spent.model, spent.prompt_tokens, spent.completion_tokens)


def _per_asking(values: list[float | None], repeats: int) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / repeats if known and len(known) == len(values) else None
