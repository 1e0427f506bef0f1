"""What a saved run holds: its header, and a record of every case.

The header is a model, and checked as such. The records are many, so they are plain tuples, read and written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator
from pydantic_core import PydanticSerializationError, to_json

from row3.domain.scores import Tally
from row3.errors import InvalidFile
from row3.store.documents import parse_line
from row3.store.file_model import FileModel, Number
from row3.store.gate_fields import misfit

SCHEMA_VERSION = 1
_NUMBERS = {int, float}


_RUN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,63}")
"""Part of the name of the file that a baseline is archived under, so it is no path."""


class RunHeader(FileModel):
    """Everything of a run but its cases; all that a later comparison has to know."""

    schema_: str | None = Field(default=None, alias="$schema")
    schema_version: int = SCHEMA_VERSION
    run_id: str
    suite: str
    kind: str
    action: Literal["run", "baseline", "compare", "promotion"]
    at: str = Field(description="UTC, ISO 8601.")
    commit: str | None = None
    dirty: bool | None = None
    mode: str
    prompts: dict[str, str] = Field(description="Version by prompt name, in pipeline order.")
    prompt_digests: dict[str, str]
    model: str
    parameters: dict[str, dict[str, Any]] = Field(description="By prompt name.")
    repeats: Annotated[int, Field(ge=1)] = 1
    scorer: str = Field(description="All in row3 that can move a score, with its version.")
    weights: dict[str, Number]
    thresholds: dict[str, dict[str, Number]]
    gate: dict[str, Any] = Field(description="Unit, limits and gated metrics.")
    metrics: dict[str, Number] = Field(description="Means over the cases.")
    pooled: dict[str, Number]
    denominators: dict[str, int]
    zones: dict[str, str]
    usage: dict[str, Any] = Field(default={})
    complete: bool = True

    @model_validator(mode="after")
    def _can_be_compared_with(self) -> RunHeader:
        """What its type does not say of a field; raises `ValueError`."""
        if _RUN_ID.fullmatch(self.run_id) is None:
            raise ValueError("field `runId` is no run id: at most 64 letters, digits, `-`, `_` and `.`")
        try:
            datetime.fromisoformat(self.at).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValueError("field `at` is no time like 2026-12-01T09:30:00Z") from None
        if wrong := misfit(self.gate):
            raise ValueError(wrong)
        for name in self.prompts:
            if type(self.parameters.get(name, {}).get("model")) is not str:
                raise ValueError(f"field `parameters.{name}.model` is missing or no text")
        return self

    @property
    def resting(self) -> frozenset[str]:
        """Ids of the cases that were in quarantine: they are in no sum."""
        return frozenset(self.gate.get("quarantined", ()))


class CaseRecord(NamedTuple):
    """One case of a saved run."""

    id: str
    digest: str
    """Of the golden case's file."""
    content: str
    """Of the parts that can move a score; empty in a run log."""
    demands: str
    """Short digests of all that the case demands; empty in a run log."""
    input: str
    """Digest of the case's input; empty in a run log."""
    status: str
    metrics: Mapping[str, float]
    found: Mapping[str, tuple[str, ...]]
    said: str = ""
    """Short digest of all answers joined; empty for outputs made elsewhere."""
    spread: Mapping[str, float] = {}
    """Standard deviation over the repeats, by metric; empty where the case was asked once."""
    tally: Mapping[str, Mapping[str, int]] = {}
    """What became of the items, counted; empty in runs older than it."""
    requests: tuple[str, ...] = ()
    """Digests of the requests, stage by stage, repeat by repeat; empty in older runs and for outputs made elsewhere."""
    answers: tuple[str, ...] = ()
    """SHA-256 of each answer's text, in the order of the requests; one fewer where the last had no answer."""

    def line(self) -> bytes:
        """The record as JSON."""
        value = {
            "id": self.id,
            "digest": self.digest,
            "content": self.content,
            "demands": self.demands,
            "input": self.input,
            "status": self.status,
            "metrics": self.metrics,
            "found": self.found,
            "answers": self.said,
        }
        if self.spread:
            value["spread"] = self.spread
        if self.tally:
            value["tally"] = self.tally
        if self.requests or self.answers:
            value["requests"], value["answerDigests"] = self.requests, self.answers
        try:
            return to_json(value)
        except PydanticSerializationError:  # half a surrogate pair, which a model can write and UTF-8 cannot
            return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def parse_record(line: bytes | str, *, where: str) -> CaseRecord:
    """A case record from its line; raises `InvalidFile`."""
    try:
        value = parse_line(line.decode() if isinstance(line, bytes) else line, where=where)
        metrics = value["metrics"]
        texts = [value[key] for key in ("id", "digest", "status")]
        texts += [value.get(key, "") for key in ("content", "demands", "input", "answers")]
        if not _are_fractions(metrics.values()) or set(map(type, texts)) != {str}:
            raise TypeError
        case_id, digest, status, content, demands, asked, said = texts
        return CaseRecord(
            case_id,
            digest,
            content,
            demands,
            asked,
            status,
            metrics,
            {key: _texts(items) for key, items in value["found"].items()},
            said,
            _spread(value.get("spread", {})),
            _tally(value.get("tally", {})),
            _texts(value.get("requests", [])),
            _texts(value.get("answerDigests", [])),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidFile("a case record is broken", where=where, fix="Restore the file from git") from None


def _are_fractions(numbers: Collection[Any]) -> bool:
    """Whether these are numbers from 0 to 1; no truth values, which count as numbers too."""
    return _NUMBERS.issuperset(map(type, numbers)) and (not numbers or (min(numbers) >= 0 and max(numbers) <= 1))


def _texts(items: Any) -> tuple[str, ...]:
    if type(items) is not list or any(type(item) is not str for item in items):
        raise TypeError
    return tuple(items)


def _spread(value: Any) -> Mapping[str, float]:
    numbers = value.values()
    if not _NUMBERS.issuperset(map(type, numbers)) or (numbers and min(numbers) < 0):
        raise TypeError
    checked: Mapping[str, float] = value
    return checked


def _tally(value: Any) -> Tally:
    for counts in value.values():
        numbers = counts.values()
        if numbers and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise TypeError
    checked: Tally = value
    return checked
