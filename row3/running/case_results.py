"""Results of cases: small enough to send between processes and to keep by the thousand."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from row3.domain.metrics import Zone, by_other_names, zones_of
from row3.domain.models import as_json
from row3.domain.progress import Spent
from row3.domain.requests import JUDGE, Answer, NoAnswer, Request
from row3.domain.scores import CaseScore
from row3.domain.verdicts import CaseChange, Compared
from row3.gate.comparison import Found, compare_case
from row3.kinds.base import Kind
from row3.project.cases import StoredCase, source_of
from row3.project.saved_runs import CaseRecord
from row3.project.suites import Suite

ANSWERS_DIGITS = 16
"""Hexadecimal digits of the digest that a record keeps of a case's answers."""


def total(parts: Sequence[float | None]) -> float | None:
    """Return the exact sum; None if a part is unknown, or there is none."""
    known = [part for part in parts if part is not None]
    return math.fsum(known) if known and len(known) == len(parts) else None


class CaseResult(NamedTuple):
    """A scored case, with the lines that files keep of it."""

    case_id: str
    status: str
    metrics: Mapping[str, float]
    zones: Mapping[str, Zone] = {}
    counts: Mapping[str, tuple[int, int]] = {}
    skipped: Mapping[str, str] = {}
    line: bytes = b""
    """Line of the saved run: a `CaseRecord`."""
    detail: bytes | None = None
    """JSON with every match explained, or data for a page; None if not requested."""
    problem: str = ""
    notes: tuple[str, ...] = ()
    spread: Mapping[str, float] = {}
    repeats: int = 1
    spent: tuple[Spent, ...] = ()
    critical: bool = False
    source: str | None = None
    """Cases with the same source are not independent."""
    compared: Compared | None = None
    quarantined: str = ""
    """Date until which it is in quarantine; empty if it is not."""
    tally: Mapping[str, Mapping[str, int]] = {}
    """Counts of what became of its items."""
    digest: str = ""
    """Digest of the golden case's file."""
    found: Mapping[str, tuple[str, ...]] = {}
    """Missing and unexpected items, by list."""
    requests: tuple[str, ...] = ()
    """Digests of its requests, stage by stage, repeat by repeat."""
    answers: tuple[str, ...] = ()
    """SHA-256 of each answer's text, in the order of the requests; one fewer if the last got none."""
    served: tuple[str, ...] = ()
    """Models that answered, as the provider reports them."""


def result_of(record: CaseRecord, compared: Compared | None, *, repeats: int, source: str | None) -> CaseResult:
    """Return a saved record as a result, without zones, counts and costs, which only a run knows."""
    return CaseResult(
        record.id,
        record.status,
        record.metrics,
        spread=record.spread,
        repeats=repeats,
        source=source,
        compared=compared,
        digest=record.digest,
        tally=record.tally,
        found=record.found,
        requests=record.requests,
        answers=record.answer_digests,
    )


class Transcript:
    """Digests of the requests and answers of one case so far, and their usage."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.judged: list[tuple[str, str]] = []
        """Request and answer digest of each grade; listed after the pipeline's, whose position gives their stage."""
        self.answers: list[str] = []
        self.spent: list[Spent] = []
        self.served: dict[str, None] = {}
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

    @property
    def said(self) -> str:
        """Short digest of all answers joined; empty without answers."""
        return self._said.hexdigest()[:ANSWERS_DIGITS] if self.answers else ""


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
    )


Answered = tuple[CaseScore, Transcript]
Before = Callable[[StoredCase], Answered | None]
"""Returns the base's answer to a case: a failed score if it has none, None if the base lacks the case."""
Page = Callable[[StoredCase, CaseScore, CaseRecord, "CaseChange | None", "Answered | None"], bytes]
"""Writes a case's data for a page, instead of its JSON; the last argument is the base's answer."""


@dataclass(frozen=True, slots=True)
class Packing:
    """Turns a score into a result; worker processes do this before they send it back."""

    suite: Suite
    explain: bool = False
    before: Before | None = None
    page: Page | None = None

    def __call__(self, stored: StoredCase, score: CaseScore, transcript: Transcript | None = None) -> CaseResult:
        """Return the result of a score; raises what comparing raises."""
        suite, said = self.suite, transcript or Transcript()
        found = _found(suite.kind, score)
        record = CaseRecord(
            id=stored.id,
            digest=stored.digest,
            status=score.status,
            metrics=score.metrics,
            found=found,
            said=said.said,
            spread=score.spread,
            tally=score.tally,
            requests=(*said.requests, *(request for request, _ in said.judged)),
            answer_digests=(*said.answers, *(answer for _, answer in said.judged)),
            problem=score.problem,
        )
        base = None if self.before is None else self.before(stored)
        compared = None if base is None else compare_answers(suite.kind, score, found, base)
        result = result_of(record, compared, repeats=score.repeats, source=source_of(stored.case))
        zones = zones_of(score.metrics, suite.kind.metrics, suite.rules.thresholds)
        change = None if compared is None else compared.change
        detail = None
        if self.page is not None:
            detail = self.page(stored, score, record, change, base)
        elif self.explain:
            detail = detail_json(suite.kind, score, zones, change)
        return result._replace(
            zones=zones,
            counts=score.counts,
            skipped=score.skipped,
            line=record.line(),
            detail=detail,
            problem=score.problem,
            notes=score.notes,
            spent=tuple(said.spent),
            critical=bool(getattr(stored.case, "critical", False)),
            served=tuple(said.served),
        )


def _found(kind: Kind, score: CaseScore) -> Mapping[str, tuple[str, ...]]:
    return kind.shortfall(score) if score.found is None else score.found


def compare_answers(kind: Kind, score: CaseScore, found: Found, base: Answered) -> Compared:
    """Return how one case moved from the base's answer."""
    before, transcript = base
    failed = before.status == "failed"
    change = compare_case(
        score.case_id,
        (before.status, before.metrics, {} if failed else _found(kind, before)),
        (score.status, score.metrics, found),
        kind=kind,
        comparable=not failed,
    )
    return Compared(
        change,
        before=None if failed else before.metrics,
        spread=before.spread,
        tally=before.tally,
        repeats=before.repeats,
        requests=tuple(transcript.requests),
        answers=tuple(transcript.answers),
        problem=before.problem if failed else "",
        served=tuple(transcript.served),
    )


_WORDS = tuple(zone.word for zone in Zone)
"""Word of each zone; the property is as slow as encoding."""


def dump(value: Any) -> bytes:
    """Return compact JSON, with lone surrogates (a model can write them) escaped."""
    try:
        return to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        return json.dumps(as_json(value), allow_nan=False, separators=(",", ":")).encode()


def detail_json(kind: Kind, score: CaseScore, zones: Mapping[str, Zone], change: CaseChange | None) -> bytes:
    """Return a case as JSON, with every match."""
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
