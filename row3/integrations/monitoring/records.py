"""Production data, one JSON object a line: decompositions, expert ratings and user feedback."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticSerializationError

from row3.domain.misfits import MisfitsError, convert
from row3.domain.models import CamelModel, Must, Reply, Worded

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
THUMBS = {"up": 5.0, "down": 1.0}
"""Score of a thumb, on the scale from 1 to 5."""
END_MS = 7_289_654_400_000
"""The year 2201: times are from 1970 to before it, in milliseconds since 1970 UTC."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def _moment(value: Any) -> Any:
    """Return the time of a text with an offset. Raises `ValueError`."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ValueError("no time with an offset")
    return value


Id = Annotated[str, Worded(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,256}", "1 to 256 characters in one line")]
Moment = Annotated[datetime, BeforeValidator(_moment), Must("a time with its offset, like 2026-11-24T09:00:00Z")]
Amount = Annotated[float, Field(ge=0, le=1e15)]


def _is_empty(value: Any) -> bool:
    return value is None


class Concept(Reply):
    """One extracted concept; its JSON, part of a record's digest, has no empty fields."""

    label: str
    confidence: Annotated[float, Field(ge=0, le=1)] | None = Field(default=None, exclude_if=_is_empty)
    source_quote: str | None = Field(default=None, alias="sourceQuote", exclude_if=_is_empty)


class Relationship(Reply):
    """One extracted relationship."""

    source: str
    predicate: str
    target: str


class Record(CamelModel, extra="allow"):
    """One decomposition in production; `model_extra` has the fields that are ignored."""

    id: Id
    at: Moment
    topic: str
    domain: str | None = None
    version: str | None
    """Version of the prompts."""
    model: str | None
    latency_ms: Amount | None
    cost_usd: Amount | None
    """US dollars; null if unknown."""
    error: str | None = None
    source_text: str | None = None
    concepts: list[Concept]
    relationships: list[Relationship]


class Rating(Reply):
    """An expert's verdict on a decomposition or one of its concepts; null until given."""

    id: Id
    at: Moment
    acceptable: bool | None
    concept: str | None = None


class Feedback(Reply):
    """A user's score or thumb for a decomposition or one of its concepts."""

    id: Id
    at: Moment
    score: Annotated[float, Field(ge=1, le=5)] | None = None
    thumb: Literal["up", "down"] | None = None
    concept: str | None = None


class Opinion(NamedTuple):
    """A rating (1 acceptable, 0 not) or feedback (1 to 5 points)."""

    key: str
    """Digest of the other fields: the same opinion is stored once."""
    kind: Literal["rating", "feedback"]
    id: str
    at_ms: int
    concept: str | None
    value: float


class BadLineError(ValueError):
    """A line that is not a record, a rating or feedback."""


def milliseconds(at: datetime) -> int:
    """Return a time as milliseconds since 1970 UTC."""
    return (at - _EPOCH) // _MILLISECOND


def moment(at_ms: int) -> str:
    """Return milliseconds since 1970 UTC as RFC 3339 text."""
    text = (_EPOCH + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds")
    return text.removesuffix("+00:00") + "Z"


def read_content(raw: bytes) -> Record:
    """Return the record of a line; raises `ValueError`, or `RecursionError`, for any other line."""
    return Record.model_validate_json(raw, by_alias=True, by_name=False)


def from_value(value: Any) -> Record | Opinion | None:
    """Return the content of a JSON value; None for a line of a sample without a rating.

    Raises `BadLineError` that names every wrong field.
    """
    if not isinstance(value, dict):
        raise BadLineError("not a JSON object")
    try:
        given: Rating | Feedback | Record
        if "acceptable" in value and "concepts" not in value:
            given = convert(value, Rating)
        elif "score" in value or "thumb" in value:
            given = convert(value, Feedback)
        else:
            given = convert(value, Record)
        given.model_dump_json(exclude={*(given.model_extra or ())})
    except MisfitsError as error:
        raise BadLineError(error.summary()) from None
    except PydanticSerializationError:
        raise BadLineError("a text contains a lone surrogate, which is not a character") from None
    if not in_time(given):
        raise BadLineError("field `at`: should be from 1970 to 2200")
    if isinstance(given, Rating):
        return None if given.acceptable is None else _opinion("rating", given, float(given.acceptable))
    if isinstance(given, Feedback):
        if (given.score is None) == (given.thumb is None):
            raise BadLineError("give either `score` or `thumb`")
        points = THUMBS[given.thumb] if given.thumb is not None else given.score
        return _opinion("feedback", given, points or 0.0)
    return given


def in_time(given: Rating | Feedback | Record) -> bool:
    """Return whether the time is one at which a model can have answered."""
    return 0 <= milliseconds(given.at) < END_MS


def plain_json(raw: bytes) -> Any:
    """Return the JSON value of a line, with NaN allowed; raises `BadLineError`."""
    try:
        return json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadLineError("not UTF-8") from None
    except RecursionError:
        raise BadLineError("nested too deeply") from None
    except ValueError as error:
        cut = raw.lstrip()[:1] == b"{" and raw.rstrip()[-1:] != b"}" and not str(error).startswith("Extra data")
        raise BadLineError(f"{'incomplete line' if cut else 'not JSON'} ({error})") from None


def _opinion(kind: Literal["rating", "feedback"], given: Rating | Feedback, value: float) -> Opinion:
    at_ms = milliseconds(given.at)
    text = json.dumps([kind, given.id, at_ms, given.concept, value])
    concept = given.concept if given.concept is None else given.concept.replace("\0", "\ufffd")
    return Opinion(sha256(text.encode()).hexdigest()[:32], kind, given.id, at_ms, concept, value)
