"""The templates of the page, and documents drawn by them: texts are escaped, and invisible characters are named."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from row3.domain import numbers
from row3.domain.printable import HIDDEN
from row3.domain.words import words_of
from row3.reports.document import Block, spans
from row3.reports.html.answers import text_of, tone
from row3.reports.html.marks import key

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
MOST = 50_000
"""Characters shown of one text: a model may say megabytes, and a page of them does not open."""


@cache
def templates() -> Environment:
    """Return the templates of the page. They escape texts and name invisible characters."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, finalize=finalize, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {
        "words_of": words_of, "tone": tone, "text_of": text_of, "same": key, "percent": numbers.percent, "spans": spans,
        "cut": cut, "kind_of": lambda value: type(value).__name__,
        "base64": lambda svg: Markup(base64.b64encode(svg).decode()),  # noqa: S704 - ASCII
    }  # fmt: skip
    return environment


def blocks_html(blocks: Iterable[Block], links: Mapping[str, str] | None = None) -> Markup:
    """Return the blocks as HTML; `links` has addresses for parts of texts, by their exact words."""
    module: Any = templates().get_template("blocks.html").module
    return Markup(module.blocks(list(blocks), links or {}))  # noqa: S704 - escaped by the template


def finalize(value: Any) -> Any:
    """Return what is shown of a text, with invisible characters named: `⟨U+202E⟩`; other values are left alone."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", cut(value).replace("\r\n", "\n"))


def cut(text: str) -> str:
    """Return what is shown of a text; of a longer one it says how much is not."""
    return text if len(text) <= MOST else f"{text[:MOST]}⟨… {len(text) - MOST:,} more characters⟩"
