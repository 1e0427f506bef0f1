"""Case records of a saved run by the thousand, read into typed fields at once.

A line that is laid out in another way or has a wrong type is left to `saved_runs.parse_record`, which alone writes
messages. msgspec is imported here only, and this module only where a run has many cases.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.json import Decoder

Number = int | float
"""Stays what it is in the file: 1 is not made 1.0."""


class QuickRecord(Struct, forbid_unknown_fields=True, gc=False):
    """The fields of a `CaseRecord`, with their types seen to."""

    id: str
    digest: str
    status: str
    metrics: dict[str, Number]
    found: dict[str, tuple[str, ...]]
    content: str = ""
    demands: str = ""
    input: str = ""
    answers: str = ""
    spread: dict[str, Number] = {}
    tally: dict[str, dict[str, int]] = {}


_DECODER = Decoder(QuickRecord)


def quick_record(line: bytes) -> QuickRecord | None:
    """The record of a line; None for one that has to be looked at more closely."""
    try:
        return _DECODER.decode(line)
    except ValueError:
        return None
