"""What a saved run holds: its header, and a record of every case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field, to_builtins
from msgspec.json import Decoder, encode

from row3.domain.structs import MUST
from row3.errors import InvalidFile

SCHEMA_VERSION = 1
Fraction = Annotated[float, Meta(ge=0, le=1)]
Digests = tuple[str, ...]
RunId = Annotated[
    str,
    Meta(
        pattern=r"^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$(?!\n)",
        extra={MUST: "at most 64 letters, digits, `-`, `_` and `.`"},  # part of a file's name, so it is no path
    ),
]


class RunHeader(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Everything of a run but its cases; all that a later comparison has to know."""

    schema_: str | None = field(default=None, name="$schema")
    schema_version: int = SCHEMA_VERSION
    run_id: RunId
    suite: str
    kind: str
    action: Literal["run", "baseline", "compare", "promotion"]
    at: Annotated[str, Meta(description="UTC, ISO 8601.")]
    commit: str | None = None
    dirty: bool | None = None
    mode: str
    prompts: Annotated[dict[str, str], Meta(description="Version by prompt name, in pipeline order.")]
    prompt_digests: dict[str, str]
    model: str
    parameters: Annotated[dict[str, dict[str, Any]], Meta(description="By prompt name.")]
    repeats: Annotated[int, Meta(ge=1)] = 1
    scorer: Annotated[str, Meta(description="All in row3 that can move a score, with its version.")]
    weights: dict[str, float]
    thresholds: dict[str, dict[str, float]]
    gate: Annotated[dict[str, Any], Meta(description="Unit, limits and gated metrics.")]
    metrics: Annotated[dict[str, float], Meta(description="Means over the cases.")]
    pooled: dict[str, float]
    denominators: dict[str, int]
    zones: dict[str, str]
    usage: dict[str, Any] = {}
    complete: bool = True

    def __post_init__(self) -> None:
        try:
            datetime.fromisoformat(self.at).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValueError("field `at` is no time like 2026-12-01T09:30:00Z") from None
        for name in self.prompts:
            if type(self.parameters.get(name, {}).get("model")) is not str:
                raise ValueError(f"field `parameters.{name}.model` is missing or no text")

    @property
    def resting(self) -> frozenset[str]:
        """Return the ids of the cases that were in quarantine: they are in no sum."""
        return frozenset(self.gate.get("quarantined", ()))

    def plain(self) -> dict[str, Any]:
        """Return the header as JSON, without what is None."""
        return {key: value for key, value in to_builtins(self).items() if value is not None}


class CaseRecord(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """One case of a saved run."""

    id: str
    digest: str
    """Of the golden case's file."""
    status: str
    metrics: Mapping[str, Fraction]
    found: Mapping[str, tuple[str, ...]]
    said: str = field(default="", name="answers")
    """Short digest of all answers joined; empty for outputs made elsewhere."""
    spread: Mapping[str, Annotated[float, Meta(ge=0)]] = {}
    """Standard deviation over the repeats, by metric; empty where the case was asked once."""
    tally: Mapping[str, Mapping[str, Annotated[int, Meta(ge=0)]]] = {}
    """What became of the items, counted; empty in runs older than it."""
    requests: Digests = ()
    """Digests of the requests, stage by stage, repeat by repeat; empty in older runs and for outputs made elsewhere."""
    answers: Digests = field(default=(), name="answerDigests")
    """SHA-256 of each answer's text, in the order of the requests; one fewer where the last had no answer."""

    def line(self) -> bytes:
        """Return the record as JSON."""
        try:
            return encode(self)
        except UnicodeEncodeError:  # half a surrogate pair, which a model can write and UTF-8 cannot
            return json.dumps(to_builtins(self), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


_DECODER = Decoder(CaseRecord)


def parse_record(line: bytes | str, *, where: str) -> CaseRecord:
    """Return a case record from its line; raises `InvalidFile`."""
    try:
        return _DECODER.decode(line)
    except ValueError:
        raise InvalidFile("a case record is broken", where=where, fix="Restore the file from git") from None
