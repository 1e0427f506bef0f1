"""Case records of a saved run by the thousand, read into typed fields at once.

A line that is laid out in another way or has a wrong value is left to `run_records.parse_record`, which alone writes
messages. This module is imported only where a run has many cases.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import Decoder

from row3.store.documents import no_key_twice
from row3.store.run_records import CaseRecord

ALWAYS = 9
"""Keys that every record has."""


class _Record(Struct, forbid_unknown_fields=True, gc=False):
    id: str
    digest: str
    status: str
    metrics: dict[str, int | float]  # 1 is not made 1.0
    found: dict[str, tuple[str, ...]]
    content: str = ""
    demands: str = ""
    input: str = ""
    answers: str = ""
    spread: dict[str, int | float] = {}
    tally: dict[str, dict[str, int]] = {}
    requests: tuple[str, ...] = ()
    answerDigests: tuple[str, ...] = ()  # noqa: N815 - as the line spells it


_DECODER = Decoder(_Record)


def quick_record(line: bytes) -> CaseRecord | None:
    """The record as `parse_record` gives it; None for one that has to be looked at more closely."""
    try:
        read = _DECODER.decode(line)
    except ValueError:
        return None
    metrics = read.metrics.values()
    if metrics and (min(metrics) < 0 or max(metrics) > 1):
        return None
    if read.spread and min(read.spread.values()) < 0:
        return None
    for counts in read.tally.values():
        if counts and min(counts.values()) < 0:
            return None
    if not no_key_twice(line, _keys(read)):
        return None
    return CaseRecord(
        read.id,
        read.digest,
        read.content,
        read.demands,
        read.input,
        read.status,
        read.metrics,
        read.found,
        read.answers,
        read.spread,
        read.tally,
        read.requests,
        read.answerDigests,
    )


def _keys(read: _Record) -> int:
    """How many keys a line of row3 has that says this, each once; empty optional fields are not written."""
    keys = ALWAYS + len(read.metrics) + len(read.found)
    if read.spread:
        keys += 1 + len(read.spread)
    if read.tally:
        keys += 1 + len(read.tally) + sum(map(len, read.tally.values()))
    if read.requests or read.answerDigests:
        keys += 2
    return keys
