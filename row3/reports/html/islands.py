"""The data of the page: compressed, in letters and digits only, so that nothing in it can end an element."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

CASES_A_CHUNK = 40
"""Cases that are unpacked together when one of them is opened."""
LEVEL = 4
"""Of compression: above it takes twice the time for a tenth of the size."""
TAB = b"\t"


def island(name: str, content: bytes) -> bytes:
    """A data block of the page; `name` is an id of ours."""
    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0))
    return b'<script type="application/gzip" id="%b">%b</script>\n' % (name.encode(), packed)


def value_island(name: str, value: Any) -> bytes:
    """A data block of one JSON value."""
    return island(name, json.dumps(value, allow_nan=False, separators=(",", ":")).encode())


def rows_island(lines: Iterable[bytes]) -> bytes:
    """What the list shows of every case: the part of each line before its tab."""
    return island("rows", b"[" + b",\n".join([line.partition(TAB)[0] for line in lines]) + b"]")


def case_islands(lines: Iterable[bytes]) -> Iterator[bytes]:
    """What is shown of the cases that are opened: the parts after the tab, in blocks of `CASES_A_CHUNK`."""
    left = iter(lines)
    number = 0
    while bodies := [line.partition(TAB)[2] for line in islice(left, CASES_A_CHUNK)]:
        yield island(f"cases-{number}", b"[" + b",\n".join(bodies) + b"]")
        number += 1
