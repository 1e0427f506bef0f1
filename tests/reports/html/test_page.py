"""The page's data, what makes it safe, and the index."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

import pytest
from markupsafe import Markup

from row3.reports.document import Facts, Fold, Items, Lines, Note, Span, Table, Task, Title, code, strong
from row3.reports.html.blocks import blocks_html, seen
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u2028b\u2029", "a⟨U+2028⟩b⟨U+2029⟩"),
        ("\x00\x1b[31m", "⟨U+0000⟩⟨U+001B⟩[31m"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("می\u200cخواهم 👩\u200d🔬 naïve", "می\u200cخواهم 👩\u200d🔬 naïve"),
    ],
)
def test_hidden_characters_are_named_and_the_others_stay(text: str, shown: str) -> None:
    assert seen(text) == shown
    shown.encode()


def test_markup_of_the_page_itself_is_left_alone() -> None:
    assert finalize(Markup("<b>\u202e</b>")) == "<b>\u202e</b>"
    assert finalize("<b>\u202e") == "<b>⟨U+202E⟩"
    assert finalize(3) == 3


def test_every_text_of_a_document_is_escaped_and_only_exact_words_are_links() -> None:
    blocks = [
        Title(["<b>", Span("PASS", "good")]),
        Facts([("a&b", code("<i>"))]),
        Note(["\u202e"], "quiet"),
        Items(["<li>", Task("<done>", done=True)]),
        Table(("suite", "n"), [["<s>", "1"], [strong("s"), "2"]], "lr", under=[["<u>"], []], more="<more>"),
        Lines(["-<old>", "+<new>", "@@", " same"], "diff"),
        Fold("<fold>", [Note(["<inner>"])]),
    ]
    assert blocks_html(blocks, {"s": "s.html"}).split("\n") == [
        '<h1>&lt;b&gt;<span class="good">PASS</span></h1>',
        '<dl class="facts"><dt>a&amp;b</dt><dd><span class="code">&lt;i&gt;</span></dd></dl>',
        '<p class="note quiet">⟨U+202E⟩</p>',
        "<ul><li>&lt;li&gt;</li><li>&lt;done&gt;</li></ul>",
        '<table class="blocks"><thead><tr><th>suite</th><th class="num">n</th></tr></thead><tbody>'
        '<tr><th>&lt;s&gt;<small>&lt;u&gt;</small></th><td class="num" data-label="n">1</td></tr>'
        '<tr><th><span class="strong"><a href="s.html">s</a></span></th><td class="num" data-label="n">2</td></tr>'
        '</tbody></table><p class="note quiet">&lt;more&gt;</p>',
        '<pre class="diff"><span class="old">-&lt;old&gt;</span><span class="new">+&lt;new&gt;</span>'
        '<span class="place">@@</span><span class="same"> same</span></pre>',
        '<details><summary>&lt;fold&gt;</summary><p class="note plain">&lt;inner&gt;</p></details>',
    ]


def test_the_policy_has_the_digests_and_nothing_unsafe() -> None:
    script, style = "let a = 'é';", "a{}"
    found = policy(script, style)
    for content in (script, style):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in found
    assert "unsafe" not in found
    assert "default-src 'none'" in found
    assert "http" not in found
