"""Promoted prompt files stay: what `promoted.json` names is not deleted unseen."""

from __future__ import annotations

import shlex

import pytest

from row3.domain.requests import digest_text
from tests.projects import PROMPT, Box

OLD = "prompts/extract-v1.0.md"


@pytest.fixture
def twice(box: Box) -> Box:
    """v1.0 and v1.1 were promoted, and a draft was not; with the hooks."""
    box.row3("promote", "v1.1", code=0)
    box.write("prompts/spare-v1.0.md", PROMPT.format(name="spare", version="1.0"))
    box.replace("row3.toml", "[provider]", '[suites.bread]\npipeline = ["extract"]\n\n[provider]')
    box.commit("v1.1")
    box.row3("hook", "install", code=0)
    return box


def test_a_locked_version_that_is_deleted_blocks_hook_and_ci(twice: Box) -> None:
    twice.git("rm", "-q", OLD)
    done = twice.git("commit", "-m", "tidy", code=1)
    said = f"{OLD} is gone since"
    assert said in done.err
    for command in (["--all"], []):
        assert said in twice.row3("--compare", "--against", "main", *command, CI="true", code=1).out
    assert "promoted-gone" in twice.row3("lint").out
    twice.git("checkout", "-q", "HEAD", "--", "prompts")
    assert "promoted-gone" not in twice.row3("lint").out
    twice.row3("--compare", "--against", "main", CI="true", code=0)


def test_the_current_version_too_behind_a_draft(twice: Box) -> None:
    twice.prompt("1.2")
    twice.git("rm", "-q", "prompts/extract-v1.1.md")
    twice.git("add", "-A")
    assert "extract-v1.1" in twice.git("commit", "-m", "tidy", code=1).err
    assert "extract-v1.1" in twice.row3("--compare", "--against", "main", CI="true", code=2).err


def test_it_can_be_signed_for(twice: Box) -> None:
    twice.git("rm", "-q", OLD)
    done = twice.git("commit", "-m", "tidy", code=1)
    line = next(line for line in done.err.splitlines() if "--approve" in line)
    twice.row3(*shlex.split(line[line.index("row3 ") :].replace("REASON", "agreed"))[1:], code=0)
    twice.git("add", "-A")
    twice.git("commit", "-q", "-m", "tidy")
    twice.write("golden/bread/rye.gold.json", twice.read("golden/bread/rye.gold.json") + " ")
    twice.git("commit", "-qam", "what was gone before is nobody's fault")


def test_a_renamed_prompt_leaves_its_promoted_files(twice: Box) -> None:
    """Its new name is in the pipeline and the old one in none: it is told all the same."""
    for version in ("1.0", "1.1"):
        text = twice.read(f"prompts/extract-v{version}.md").replace("name: extract", "name: finder")
        twice.write(f"prompts/finder-v{version}.md", text)
        twice.path(f"prompts/extract-v{version}.md").unlink()
    twice.replace("row3.toml", '"extract"', '"finder"')
    said = " ".join(twice.row3("--compare", "--against", "main", CI="true", code=1).out.split())
    assert f"{OLD} is gone since main, and prompts/promoted.json names it; restore it" in said
    assert "prompts/extract-v1.1.md is gone since main" in said
    twice.git("checkout", "-q", "HEAD", "--", "prompts")
    twice.row3("--compare", "--against", "main", CI="true", code=0)


def test_a_promoted_prompt_in_no_pipeline_is_told_once(twice: Box) -> None:
    digest = digest_text(twice.read("prompts/spare-v1.0.md"))
    entry = f'"spare": {{"version": "v1.0", "digest": "{digest}", "date": "2026-01-01"}},'
    twice.replace("prompts/promoted.json", '"prompts": {', f'"prompts": {{{entry}')
    twice.commit("promoted once, asked by none")
    twice.git("rm", "-q", "prompts/spare-v1.0.md")
    assert "spare-v1.0.md is gone since" in twice.git("commit", "-m", "tidy", code=1).err
    assert "spare-v1.0.md is gone since" in twice.row3("--compare", "--all", "--against", "main", code=1).out


def test_a_draft_may_go(twice: Box) -> None:
    twice.git("rm", "-q", "prompts/spare-v1.0.md")
    twice.git("commit", "-q", "-m", "tidy")
    twice.row3("--compare", "--all", "--against", "HEAD~1", CI="true", code=0)
