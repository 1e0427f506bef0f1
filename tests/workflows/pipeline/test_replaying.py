"""Which recording is the nearest to a request that none answers, of several versions of its prompt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from row3.store.project import open_project
from row3.store.suites import pick_suite
from row3.workflows.pipeline.lineup import line_up
from row3.workflows.pipeline.replaying import likeness
from row3.workflows.pipeline.run_suite import RunOptions, make_asking
from tests.projects import Box, tiny

MORE = "You read texts about bread, sentence by sentence, and leave out nothing that a baker would name."


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """v1.0 and v1.1, both recorded; v1.1 says much more than v1.0."""
    made = tiny(tmp_path / "bakery")
    made.replace("prompts/extract-v1.1.md", "You read texts about bread.", MORE)
    return made


def copy(box: Box, version: str) -> None:
    """v1.2 is a copy of that version, and one word is another."""
    text = box.read(f"prompts/extract-v{version}.md").replace(f'"{version}"', '"1.2"')
    box.write("prompts/extract-v1.2.md", text.replace("You read", "You study"))


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_it_is_of_the_version_whose_text_is_most_alike(box: Box, version: str) -> None:
    copy(box, version)
    error = box.row3("investigate", "rye", code=3).errors[0]
    assert f"the nearest is recordings/bread/extract-v{version}.jsonl:" in error
    assert f"first difference in promptDigest: it is of extract-v{version}, which has another text" in error
    assert f"recordings/bread/extract-v{version}.jsonl:" in " ".join(box.row3(code=3).out.split())


@pytest.mark.parametrize(("version", "other"), [("v1.0", "v1.1"), ("v1.1", "v1.0")])
def test_of_equals_it_is_of_the_promoted_one(box: Box, version: str, other: str) -> None:
    box.write("prompts/extract-v1.1.md", box.read("prompts/extract-v1.0.md").replace('"1.0"', '"1.1"'))
    copy(box, "1.0")
    project = open_project(box.root)
    suite = pick_suite(project, None)
    lineup = replace(line_up(project, suite, role="candidate"), promoted={"extract": version})
    asking = make_asking(suite, lineup, RunOptions())
    request = asking.request(lineup.prompts[0], "rye", {"source_text": "Rye."}, 0)
    alike = likeness(request, lineup)
    assert alike(f"extract-{version}") > alike(f"extract-{other}") > alike("extract-v0.9")
    assert alike("no version") == (0.0, 0.0)


def test_the_same_version_is_nearer_than_any_other(box: Box) -> None:
    box.replace("prompts/extract-v1.1.md", "You read", "You study")
    error = box.row3("investigate", "rye", code=3).errors[0]
    assert "recordings/bread/extract-v1.1.jsonl:" in error
    assert "first difference in promptDigest: the prompt's text has changed since" in error
