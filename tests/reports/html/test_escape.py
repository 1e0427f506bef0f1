"""What cannot be seen is named, and the page's policy names its own script and style only."""

from __future__ import annotations

import base64
import hashlib

import pytest
from markupsafe import Markup

from row3.reports.html.escape import finalize, policy, seen


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
    assert finalize(None) == ""
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
