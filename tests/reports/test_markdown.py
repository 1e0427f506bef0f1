"""A document as Markdown: nothing in it but row3's own markup."""

from __future__ import annotations

import re
from html import escape, unescape

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from row3.domain.printable import code as code_text
from row3.domain.printable import inline, plain
from row3.reports.document import Document, Facts, Fold, Items, Lines, Note, Table, Task, Title, code, strong
from row3.reports.markdown import fenced, markdown_text

texts = st.text(max_size=40) | st.text("`*_<>|@#[]()!\\~:-+1. www.http://a\n", max_size=40)


def rendered(text: str) -> str:
    """The HTML of GitHub's dialect."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return str(parser.render(text))


def test_every_block_is_written_as_github_reads_it() -> None:
    blocks = (
        Title(("Case ", code("a")), 2),
        Facts([("Date", "today")]),
        Note([("is ", strong("5 points"), " worse"), "- two"]),
        Items([Task("x", done=True), "y"]),
        Items(["first"], numbered=True),
        Table(("A", "B"), [["a|b", code("c")]], "lr", under=[["why"]], more="and 2 more"),
        Lines(["x = `1`"], "text"),
        Fold("More", [Note(["inside"])]),
    )
    assert markdown_text(Document(blocks)) == WHOLE


@given(texts)
def test_inline_text_is_read_as_it_is(text: str) -> None:
    html = rendered(f"- a {inline(text)}")
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"ul", "li"}
    assert _words(html) == " ".join(f"a {plain(text)}".split())


@given(texts)
def test_code_is_read_as_it_is(text: str) -> None:
    if plain(text):
        assert f"<code>{escape(plain(text)).replace('&#x27;', chr(39))}</code>" in rendered(f"a {code_text(text)} b")


@given(texts)
def test_a_block_of_code_cannot_be_left(text: str) -> None:
    html = rendered("\n".join(fenced(text, "diff")))
    assert html.count("<pre>") == 1
    assert html.strip().endswith("</pre>")


@given(texts, texts)
def test_parts_of_a_text_are_read_as_they_are(first: str, second: str) -> None:
    html = rendered(markdown_text(Document([Items([("a ", first, " ", strong(second), " z")])])))
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"ul", "li", "strong"}
    assert "".join(_words(html).split()) == "".join(f"a{plain(first)}{plain(second)}z".split())


def _words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).replace("\u200b", "").split())


WHOLE = """\
## Case `a`

**Date**: today

is **5 points** worse<br>
\\- two

- [x] x
- y

1. first

| A | B |
| :-- | --: |
| a\\|b<br>why | c |

and 2 more

```text
x = `1`
```

<details><summary>More</summary>

inside

</details>
"""
