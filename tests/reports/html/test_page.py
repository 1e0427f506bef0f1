"""What makes the page safe."""

from __future__ import annotations

import base64
import hashlib

from markupsafe import Markup

from row3.reports.html.blocks import finalize
from row3.reports.html.page import policy


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
