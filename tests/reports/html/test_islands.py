"""The packed data of the page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

from row3.reports.html.islands import CASES_A_CHUNK, case_islands, rows_island, value_island

BLOCK = re.compile(rb'<script type="application/gzip" id="([a-z0-9-]+)">([A-Za-z0-9+/=]+)</script>\n')


def opened(block: bytes) -> tuple[str, Any]:
    match = BLOCK.fullmatch(block)
    assert match is not None
    return match[1].decode(), json.loads(gzip.decompress(base64.b64decode(match[2])))


def test_a_value_comes_back_and_nothing_of_it_is_in_the_markup() -> None:
    value = {"</script>": ["<!--", "\u2028", "\ud800"]}
    assert opened(value_island("meta", value)) == ("meta", value)


def test_every_case_is_found_by_its_place() -> None:
    count = 2 * CASES_A_CHUNK + 1
    lines = [b'["case-%d"]\t{"place": %d}' % (i, i) for i in range(count)]
    name, rows = opened(rows_island(lines))
    assert name == "rows"
    assert rows == [[f"case-{i}"] for i in range(count)]
    blocks = [opened(block) for block in case_islands(lines)]
    assert [name for name, _ in blocks] == ["cases-0", "cases-1", "cases-2"]
    for place in (0, CASES_A_CHUNK - 1, CASES_A_CHUNK, count - 1):
        assert blocks[place // CASES_A_CHUNK][1][place % CASES_A_CHUNK] == {"place": place}


def test_no_cases_are_an_empty_list() -> None:
    assert opened(rows_island([])) == ("rows", [])
    assert list(case_islands([])) == []


def test_the_same_data_gives_the_same_bytes() -> None:
    assert value_island("meta", {"a": 1}) == value_island("meta", {"a": 1})
