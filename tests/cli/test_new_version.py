"""`row3 new-version`, and what a promotion makes of a description that was only copied."""

from __future__ import annotations

from tests.projects import Box

UNSAID = "- Nobody wrote what changes and why: the prompt's description is still that of v1.0."
HAND = "- Every concept is asked for."


def same_description(box: Box) -> None:
    """v1.1 has the description of v1.0; what is asked stays, so that its recordings answer it."""
    box.replace("prompts/extract-v1.1.md", "as of 1.1.", "as of 1.0.")


def test_the_copy_is_said_to_need_a_description(box: Box) -> None:
    done = box.row3("new-version", "extract", code=0)
    assert "`description` in prompts/extract-v1.2.md is still that of v1.0: describe there" in done.err


def test_without_a_description_nothing_is_to_be_changed(box: Box) -> None:
    text = box.read("prompts/extract-v1.1.md")
    box.write("prompts/other-v1.0.md", text.replace("name: extract", "name: other").replace('"1.1"', '"1.0"'))
    box.replace("prompts/other-v1.0.md", "description: Finds what a text is about, as of 1.1.\n", "")
    assert "description" not in box.row3("new-version", "other", code=0).err


def test_the_command_it_names_can_be_typed(box: Box) -> None:
    for name in ("baselines/bread.json", "prompts/promoted.json", "prompts/extract-v1.1.md"):
        box.path(name).unlink()
    done = box.row3("new-version", "extract", code=0)
    assert "to measure extract-v1.0 first: row3 promote extract-v1.0" in done.err
    box.row3("promote", "extract-v1.0", code=0)
    assert box.path("baselines/bread.json").is_file()


def test_a_copied_description_is_no_reason(box: Box) -> None:
    same_description(box)
    dry = box.row3("promote", "v1.1", "--dry-run", code=0)
    assert UNSAID in dry.out
    assert "CHANGELOG.md would have no reason for v1.1" in dry.err
    done = box.row3("promote", "v1.1", code=0)
    assert "CHANGELOG.md has no reason for v1.1" in done.err
    assert UNSAID in box.read("CHANGELOG.md")
    assert "as of 1.0." not in box.read("CHANGELOG.md").split("## v1.0")[0]


def test_what_a_hand_wrote_is_the_reason(box: Box) -> None:
    same_description(box)
    box.write("CHANGELOG.md", f"## v1.1 (Unreleased)\n\nPrompt: extract\n\n### Changes\n{HAND}\n")
    done = box.row3("promote", "v1.1", code=0)
    assert "no reason" not in done.err
    assert HAND in box.read("CHANGELOG.md")
    assert UNSAID not in box.read("CHANGELOG.md")


def test_a_description_of_its_own_is_the_reason(box: Box) -> None:
    done = box.row3("promote", "v1.1", code=0)
    assert "no reason" not in done.err
    assert "- Finds what a text is about, as of 1.1." in box.read("CHANGELOG.md")


SAME = "extract-v1.2 asks word for word what v1.0 asks"


def test_a_copy_that_was_not_edited_is_nothing_to_promote(box: Box) -> None:
    box.row3("new-version", "extract", code=0)
    box.replace("prompts/extract-v1.2.md", "as of 1.0.", "to be edited.")
    done = box.row3("--compare", code=0)
    assert "Next: edit prompts/extract-v1.2.md; there is nothing new to promote." in done.out
    assert "row3 promote" not in done.out


def test_an_edited_copy_and_one_with_another_parameter_are(box: Box) -> None:
    box.row3("new-version", "extract", code=0)
    path = "prompts/extract-v1.2.md"
    box.replace(path, "temperature: 0", "max_tokens: 5999\ntemperature: 0")
    assert "word for word" not in box.row3("--compare", code=3).out
    box.replace(path, "max_tokens: 5999\n", "")
    box.replace(path, "about bread", "of bread")
    assert "word for word" not in box.row3("--compare", code=3).out
    assert "word for word" not in box.row3("--compare", "--prompt", "extract-v1.1", code=0).out


def test_a_copy_that_is_promoted_is_told_as_one(box: Box) -> None:
    box.row3("new-version", "extract", code=0)
    box.replace("prompts/extract-v1.2.md", "as of 1.0.", "said better.")
    dry = box.row3("promote", "v1.2", "--dry-run", code=0)
    assert f"note: {SAME}. If an edit is missing, make it in prompts/extract-v1.2.md" in dry.err
    done = box.row3("promote", "v1.2", code=0)
    assert f"note: {SAME}." in done.err
    assert "it takes another version: `row3 new-version extract`" in done.err


def test_a_way_back_to_an_older_text_is_no_copy(box: Box) -> None:
    box.row3("new-version", "extract", code=0)
    box.row3("promote", "v1.1", code=0)
    assert "word for word" not in box.row3("promote", "v1.2", "--approve", "v1.1 costs too much", code=0).err
    assert "word for word" not in box.row3("promote", "v1.0", "--approve", "a known number", code=0).err


def test_a_copy_that_comes_with_an_edited_prompt_is_told(box: Box) -> None:
    box.row3("new-version", "extract", code=0)
    text = box.read("prompts/extract-v1.2.md")
    box.write("prompts/again-v1.0.md", text.replace("name: extract", "name: again").replace('"1.2"', '"1.0"'))
    box.write("row3.toml", box.read("row3.toml") + '[suites.bread]\npipeline = ["extract", "again"]\n')
    done = box.row3("promote", "again-v1.0", "--prompt", "extract-v1.2", "--dry-run", code=0)
    assert f"note: {SAME}" in done.err
