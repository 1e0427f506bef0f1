"""Results of cases: small enough to send between processes and to keep by the thousand."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from row3.domain.models import as_json
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request
from row3.domain.scores import CaseScore, Spent, Zone, by_other_names, zones_of
from row3.gate.comparison import compare_case
from row3.kinds.base import Kind
from row3.project.cases import StoredCase, source_of
from row3.project.saved_runs import record_of
from row3.project.suites import Suite
from row3.running.shared_results import SharedResults

ANSWERS_DIGITS = 16
"""Hexadecimal digits of the digest that a record keeps of a case's answers."""


def total(parts: Sequence[float | None]) -> float | None:
    """Return the exact sum; None if a part is unknown, or there is none."""
    known = [part for part in parts if part is not None]
    return math.fsum(known) if known and len(known) == len(parts) else None


class Transcript:
    """Digests of the requests and answers of one case so far, and their usage."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.judged: list[tuple[str, str]] = []
        """Request and answer digest of each grade; listed after the pipeline's, whose position gives their stage."""
        self.answers: list[str] = []
        self.spent: list[Spent] = []
        self.served: dict[str, None] = {}
        self.omitted: dict[str, None] = {}
        self._said = hashlib.sha256()

    def copy(self) -> Transcript:
        """Return an independent copy."""
        other = Transcript()
        for name, value in vars(self).items():
            setattr(other, name, value.copy())
        return other

    def add(self, request: Request, answer: Answer | NoAnswer) -> None:
        """Add a request and its answer."""
        judge = request.by == JUDGE
        if not judge:
            self.requests.append(request.digest)
        if isinstance(answer, NoAnswer):
            return
        self.spent.append(spent_on(request, answer))
        text = answer.said.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(text).hexdigest()
        if judge:
            self.judged.append((request.digest, digest))
            return
        self._said.update(text)
        self.answers.append(digest)
        if answer.served_model is not None:
            self.served[answer.served_model] = None
        self.omitted |= dict.fromkeys(answer.omitted)

    def onto(self, score: CaseScore) -> CaseScore:
        """Return a score with these requests, answers and grades."""
        return score._replace(
            requests=tuple(self.requests),
            answers=tuple(self.answers),
            grades=tuple(self.judged),
            said=self._said.hexdigest()[:ANSWERS_DIGITS] if self.answers else "",
            spent=tuple(self.spent),
            served=tuple(self.served),
            omitted=tuple(self.omitted),
        )


def spent_on(request: Request, answer: Answer) -> Spent:
    """Return the usage of an answer."""
    return Spent(
        request.model,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.latency_s,
        answer.replayed,
        answer.finish_reason == "length",
        request.by,
        answer.cached_tokens,
        answer.reasoning_tokens,
    )


Before = Callable[[StoredCase, CaseScore], CaseScore | None]
"""Returns the score of the base's answer to a case, beside the candidate's: failed without one, None without a case."""
Page = Callable[[StoredCase, CaseScore], bytes]
"""Writes a case's data for a page, instead of its JSON."""


@dataclass(frozen=True, slots=True)
class Packing:
    """Makes a score small enough to keep by the thousand; worker processes do this before they send it back."""

    suite: Suite
    explain: bool = False
    before: Before | None = None
    page: Page | None = None
    shared: SharedResults | None = None
    """Where workers write lines and details instead of sending them back."""

    def __call__(self, stored: StoredCase, score: CaseScore) -> CaseScore:
        """Return a score with its line and how it moved, without explanation; raises what `before` raises."""
        kind = self.suite.kind
        before, change = None if self.before is None else self.before(stored, score), None
        found = _found(kind, score)
        if before is not None:
            before = before._replace(found={} if before.status == "failed" else _found(kind, before))
            change = compare_case(before, score._replace(found=found), kind)
        score = score._replace(
            found=found,
            digest=stored.digest,
            source=source_of(stored.case),
            critical=bool(getattr(stored.case, "critical", False)),
            before=before,
            change=change,
        )
        detail = None
        if self.page is not None:
            detail = self.page(stored, score)
        elif self.explain:
            detail = detail_json(kind, score, zones_of(score.metrics, kind.metrics, self.suite.rules.thresholds))
        bare = None if before is None else before._replace(explanation=None, output=None, raw="")
        line = record_of(score).line()
        return score._replace(explanation=None, output=None, raw="", before=bare, line=line, detail=detail)

    def lost(self, stored: StoredCase, why: str) -> CaseScore:
        """Return the score of a case that could not be evaluated, nor its answer before."""
        failed = CaseScore(stored.id, "failed", {}, problem=why)
        return replace(self, before=self.before and (lambda *_: failed))(stored, failed)


def _found(kind: Kind, score: CaseScore) -> Mapping[str, tuple[str, ...]]:
    return kind.shortfall(score) if score.found is None else score.found


_WORDS = tuple(zone.word for zone in Zone)
"""Word of each zone; the property is as slow as encoding."""


def dump(value: Any) -> bytes:
    """Return compact JSON, with lone surrogates (a model can write them) escaped."""
    try:
        return to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        return json.dumps(as_json(value), allow_nan=False, separators=(",", ":")).encode()


def detail_json(kind: Kind, score: CaseScore, zones: Mapping[str, Zone]) -> bytes:
    """Return a case as JSON, with every match."""
    change = score.change
    value: dict[str, Any] = {
        "id": score.case_id,
        "status": score.status,
        "metrics": score.metrics,
        "zones": {key: _WORDS[zone] for key, zone in zones.items()},
        "deltas": dict(change.deltas) if change is not None else {},
    }
    if score.status == "bad_answer" and (named := score.tally.get("badAnswers")):
        value["badAnswer"] = next(iter(named))
    if change is not None:
        value["change"] = change.move
        value["gained"], value["lost"] = change.gained, change.lost
    extra = {key: getattr(score, key) for key in ("skipped", "problem", "raw", "notes", "spread")}
    extra["entityMetrics"] = by_other_names(kind.metrics, score.metrics)
    value |= {key: part for key, part in extra.items() if part}
    value["matches"] = None if score.explanation is None else score.explanation.as_json()
    return dump(value)
