"""A document as HTML."""

from __future__ import annotations

from row3.reports.document import Facts, Fold, Items, Lines, Note, Plot, Span, Table, Task, Title, code, strong
from row3.reports.html.blocks import blocks_html, finalize
from tests.rows import every_row


@every_row(
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
    assert finalize(text) == shown
    shown.encode()


def test_a_picture_is_part_of_the_page() -> None:
    html = blocks_html([Plot('a "chart"', b"<svg/>", "c.svg")])
    assert html == '<img alt="a &#34;chart&#34;" src="data:image/svg+xml;base64,PHN2Zy8+">'


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
