"""What a build's log takes for commands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from row3.cli.output import inert, tell
from tests.rows import every_row

LINES = st.text(st.sampled_from(" \t\n\r:#[a\x85\u2028")) | st.text()


@given(LINES)
def test_no_line_on_github_begins_with_a_command(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_ACTIONS", "true")
        shown = inert(text)
    assert not any(line.strip().startswith("::") for line in re.split(r"[\r\n]", shown))
    assert "##[" not in shown
    assert shown.replace("\u200b", "") == text.replace("\u200b", "")


def test_elsewhere_a_text_is_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert inert("::notice::x") == "::notice::x"


@every_row("mark", ["\n", "\r\n", " \n\n ", "\u2028", "\u2029", "\x85", "\v", "\x1b[2J"])
def test_what_a_message_quotes_begins_no_line(mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    tell(f"error: item `x{mark}error: y`: broken")
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.startswith("error: item `x") and said.endswith("error: y`: broken\n")
