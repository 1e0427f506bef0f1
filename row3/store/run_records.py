"""What a saved run holds: its header, and a record of every case.

The header is a model, and checked as such. The records are many, so they are plain tuples, read and written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field
from pydantic_core import PydanticSerializationError, to_json

from row3.domain.scores import Tally
from row3.errors import InvalidFile
from row3.store.documents import parse_line
from row3.store.file_model import FileModel, Number

SCHEMA_VERSION = 1
_NUMBERS = {int, float}


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
    repeats: int = 1
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
    answers: str = ""
    """Digest of the answers that were scored; empty for outputs made elsewhere."""
    spread: Mapping[str, float] = {}
    """Standard deviation over the repeats, by metric; empty where the case was asked once."""
    tally: Mapping[str, Mapping[str, int]] = {}
    """What became of the items, counted; empty in runs older than it."""

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
            "answers": self.answers,
        }
        if self.spread:
            value["spread"] = self.spread
        if self.tally:
            value["tally"] = self.tally
        try:
            return to_json(value)
        except PydanticSerializationError:  # half a surrogate pair, which a model can write and UTF-8 cannot
            return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def parse_record(line: bytes | str, *, where: str) -> CaseRecord:
    """A case record from its line; raises `InvalidFile`."""
    try:
        value = parse_line(line.decode() if isinstance(line, bytes) else line, where=where)
        metrics = value["metrics"]
        if not _are_fractions(metrics.values()):
            raise TypeError
        return CaseRecord(
            value["id"],
            value["digest"],
            value.get("content", ""),
            value.get("demands", ""),
            value.get("input", ""),
            value["status"],
            metrics,
            {key: tuple(items) for key, items in value["found"].items()},
            value.get("answers", ""),
            value.get("spread", {}),
            _tally(value.get("tally", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidFile("a case record is broken", where=where, fix="Restore the file from git") from None


def _are_fractions(numbers: Collection[Any]) -> bool:
    """Whether these are numbers from 0 to 1; no truth values, which count as numbers too."""
    return _NUMBERS.issuperset(map(type, numbers)) and (not numbers or (min(numbers) >= 0 and max(numbers) <= 1))


def _tally(value: Any) -> Tally:
    for counts in value.values():
        numbers = counts.values()
        if numbers and (set(map(type, numbers)) != {int} or min(numbers) < 0):
            raise TypeError
    checked: Tally = value
    return checked
