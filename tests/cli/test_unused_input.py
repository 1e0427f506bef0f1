"""A prompt that shows nothing of a case: said before anything is asked."""

from __future__ import annotations

import pytest

from tests.projects import Box

SAID = (
    "note: prompts/extract-v1.1.md:9 sends the same request for every case: it uses nothing of the case. "
    "`{source_text}` is sent literally: write `{{ source_text }}`\n"
)


def slip(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "{{ source_text }}", "{source_text}")


@pytest.mark.parametrize(
    "command", ["", "--dry-run", "--mode live --dry-run", "--compare", "--compare --case rye", "promote v1.1"]
)
def test_it_is_said_once(box: Box, command: str) -> None:
    box.row3("--baseline", code=0)
    slip(box)
    assert box.row3(*command.split()).err.count(SAID) == 1
    assert "same request for every case" not in box.row3(*command.split(), "-q").err


def test_it_is_said_before_a_provider_is_asked(box: Box) -> None:
    slip(box)
    done = box.row3("--mode", "record", OPENAI_API_KEY="no", OPENAI_BASE_URL="http://127.0.0.1:9")
    assert done.err.startswith(SAID)


def test_of_a_prompt_that_does_not_run_and_of_one_that_is_well_nothing_is_said(box: Box) -> None:
    slip(box)
    assert "same request for every case" not in box.row3("--prompt", "extract-v1.0").err


def test_a_leaderboard_that_would_ask_says_it_too(box: Box) -> None:
    slip(box)
    unreachable = {"OPENAI_API_KEY": "no", "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    done = box.row3("leaderboard", "--mode", "auto", "--model", "baker-9", "--prompt", "v1.1", **unreachable)
    assert done.err.count(SAID) == 1
