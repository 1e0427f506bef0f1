"""The page's data, what makes it safe, and the index."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

from markupsafe import Markup

from row3.reports.html.page import CASES_A_CHUNK, case_islands, finalize, island, policy, rows_island

BLOCK = re.compile(rb'<script type="application/gzip" id="([a-z0-9-]+)">([A-Za-z0-9+/=]+)</script>\n')


def opened(block: bytes) -> tuple[str, Any]:
    match = BLOCK.fullmatch(block)
    assert match is not None
    return match[1].decode(), json.loads(gzip.decompress(base64.b64decode(match[2])))


def test_a_value_comes_back_and_nothing_of_it_is_in_the_markup() -> None:
    value = {"</script>": ["<!--", "\u2028", "\ud800"]}
    assert opened(island("meta", json.dumps(value).encode())) == ("meta", value)


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
    assert island("meta", b"[1]") == island("meta", b"[1]")


def test_markup_of_the_page_itself_is_left_alone() -> None:
    assert finalize(Markup("<b>\u202e</b>")) == "<b>\u202e</b>"
    assert finalize("<b>\u202e") == "<b>⟨U+202E⟩"
    assert finalize(3) == 3


def test_the_policy_has_the_digests_and_nothing_unsafe() -> None:
    script, style = "let a = 'é';", "a{}"
    found = policy(script, style)
    for content in (script, style):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in found
    assert "unsafe" not in found
    assert "default-src 'none'" in found
    assert "http" not in found
