"""`row3 new-version`, and what a promotion makes of a description that was only copied."""

from __future__ import annotations

from tests.projects import Box

HAND = "- Every concept is asked for."


def same_description(box: Box) -> None:
    """v1.1 has the description of v1.0; what is asked stays, so that its recordings answer it."""
    box.replace("prompts/extract-v1.1.md", "as of 1.1.", "as of 1.0.")


def test_the_copy_is_said_to_need_a_description(box: Box) -> None:
    done = box.row3("new-version", "extract", code=0)
    assert "`description` in prompts/extract-v1.2.md still describes v1.0: describe there" in done.err


def test_without_a_description_nothing_is_to_be_changed(box: Box) -> None:
    text = box.read("prompts/extract-v1.1.md")
    box.write("prompts/other-v1.0.md", text.replace("name: extract", "name: other").replace('"1.1"', '"1.0"'))
    box.replace("prompts/other-v1.0.md", "description: Finds what a text is about, as of 1.1.\n", "")
    assert "description" not in box.row3("new-version", "other", code=0).err


def test_what_a_hand_wrote_is_the_reason(box: Box) -> None:
    same_description(box)
    box.write("CHANGELOG.md", f"## v1.1 (Unreleased)\n\nPrompt: extract\n\n### Changes\n{HAND}\n")
    box.row3("promote", "v1.1", code=0)
    assert HAND in box.read("CHANGELOG.md")


def test_a_description_of_its_own_is_the_reason(box: Box) -> None:
    box.row3("promote", "v1.1", code=0)
    assert "- Finds what a text is about, as of 1.1." in box.read("CHANGELOG.md")
