"""What is said of answers that are not recorded: how many, which, and what would get them."""

from __future__ import annotations

import pytest

from tests.projects import Box


@pytest.fixture
def unrecorded(box: Box) -> Box:
    """v1.1 has no recordings."""
    box.path("recordings/bread/extract-v1.1.jsonl").unlink()
    return box


@pytest.mark.parametrize("args", [[], ["--compare"]])
def test_mode_auto_says_what_it_would_ask_before_what_it_lacks(unrecorded: Box, args: list[str]) -> None:
    (error,) = unrecorded.row3(*args, "--mode", "auto", code=2).errors
    before, _, after = error.partition(": the openai provider needs a key. ")
    assert before.endswith("3 cases have no recording (oven, rye, yeast), and mode auto asks for what is not recorded")
    assert "Set OPENAI_API_KEY" in after
    assert after.endswith("or see with --mode replay which recording is the nearest.")


def test_of_many_the_first_are_named(unrecorded: Box) -> None:
    for name in ("spelt", "malt"):
        unrecorded.write(
            f"golden/bread/{name}.gold.json",
            unrecorded.read("golden/bread/rye.gold.json").replace('"id": "rye"', f'"id": "{name}"'),
        )
    (error,) = unrecorded.row3("--mode", "auto", code=2).errors
    assert "5 cases have no recording (malt, oven, rye and 2 more)" in error


def test_what_asks_for_everything_says_only_what_it_lacks(unrecorded: Box) -> None:
    (error,) = unrecorded.row3("--mode", "live", code=2).errors
    assert error.startswith("error: the openai provider needs a key. Set OPENAI_API_KEY")
