"""A version that is promoted already, a commit that a hook refuses, and changelog entries in the way."""

from __future__ import annotations

from tests.projects import Box


def test_a_version_that_is_promoted_already_is_refused(box: Box) -> None:
    box.row3("promote", "v1.1", code=0)
    before = box.tree()
    assert "extract v1.1 is promoted already" in box.row3("promote", "v1.1", code=2).errors[0]
    assert box.tree() == before


def test_a_commit_that_a_hook_refuses_leaves_the_promotion_to_be_committed(box: Box) -> None:
    hook = box.write(".git/hooks/pre-commit", "#!/bin/sh\necho the linter says no >&2\nexit 1\n")
    hook.chmod(0o755)
    done = box.row3("promote", "v1.1", "--commit", code=2)
    told = " ".join(done.errors[0].split())
    assert "the linter says no. The promotion of extract v1.1 is written but not committed" in told


def test_ci_does_not_commit(box: Box) -> None:
    head = box.git("rev-parse", "HEAD").out
    assert "writes tracked files" in box.row3("promote", "v1.1", "--commit", code=2, CI="1").errors[0]
    assert box.git("rev-parse", "HEAD").out == head


MIXED = """# Changelog

## v1.1 (Unreleased)

Prompt: extract
Prompt: summarise

### Changes
- both
"""


def test_an_entry_of_two_prompts_is_not_promoted_into(box: Box) -> None:
    box.write("CHANGELOG.md", MIXED)
    before = box.tree()
    for options in ((), ("--dry-run",)):
        done = box.row3("promote", "v1.1", *options, code=2)
        assert len(done.errors) == 1
        assert "CHANGELOG.md:6: the entry `v1.1 (Unreleased)` has two `Prompt:` lines (extract, summarise)" in done.err
    assert box.tree() == before
    assert "CHANGELOG.md:6" in box.row3("lint").out
    box.replace("CHANGELOG.md", "Prompt: summarise", "### Changes\n- own\n\n## v1.1 (Unreleased)\n\nPrompt: summarise")
    box.row3("promote", "v1.1", code=0)
    text = box.read("CHANGELOG.md")
    assert text.index("Prompt: summarise") < text.index("- both") < text.index("Prompt: extract") < text.index("- own")


def test_an_entry_of_other_prompts_is_in_no_promotions_way(box: Box) -> None:
    box.write("CHANGELOG.md", MIXED.replace("Prompt: extract", "Prompt: other"))
    box.row3("promote", "v1.1", code=0)
